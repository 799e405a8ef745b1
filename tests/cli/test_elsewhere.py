from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def parts(folder: Path, tmp_path: Path) -> Path:
    """Write the tables of the tests as folders of Parquet files, and into DuckDB, there also with scores and labels."""
    with duckdb.connect(str(tmp_path / "calls.db")) as connection:
        for name in ("old", "shifted"):
            table = pd.read_csv(folder / f"{name}.csv")
            (tmp_path / name).mkdir()
            for place in (0, 1):
                table[place::2].to_parquet(tmp_path / name / f"part-{place}.parquet", index=False)
            connection.register("rows", table)
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")  # noqa: S608
            scored = "SELECT *, amount / 2 AS p, amount > 0.5 AS y FROM rows"
            connection.execute(f"CREATE TABLE scored_{name} AS {scored}")
    return tmp_path


def test_folders_and_databases_are_compared_like_files(command: Command, folder: Path, parts: Path) -> None:
    _, expected, _ = command("detect", folder / "old.csv", folder / "shifted.csv", "--no-multivariate")
    address = f"duckdb://{parts / 'calls.db'}?table="
    for old, new in (
        (parts / "old", parts / "shifted/*.parquet"),
        (f"{address}old", f"{address}shifted"),
        (folder / "old.csv", f"{address}shifted"),
    ):
        code, out, err = command("detect", old, new, "--no-multivariate")
        assert (code, err, out) == (0, "", expected)


def test_scores_and_labels_are_columns(command: Command, parts: Path) -> None:
    tables, files = [], []
    for name in ("scored_old", "scored_shifted"):
        tables.append(f"duckdb://{parts / 'calls.db'}?table={name}")
        files.append(parts / f"{name}.csv")
        with duckdb.connect(str(parts / "calls.db")) as connection:
            connection.table(name).to_csv(str(files[-1]), header=True)
    options = ("--score-column", "p", "--target", "y", "--fail-on", "shift")
    code, out, _ = command("detect", *tables, *options)
    assert code == 1
    assert "The scores shifted" in out
    assert (code, out) == command("detect", *files, *options)[:2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--by", "job"), "--by needs tables that fit into memory; leave it out, or use two smaller files."),
        (("--exclude", "jop"), "--exclude must name a column; got 'jop'. Did you mean 'job'?"),
        (("--score-column", "q"), "--score-column must name a column, got 'q'; available: 'amount', 'job'."),
    ],
)
def test_options_that_do_not_fit_are_refused(
    arguments: tuple[str, ...], sentence: str, command: Command, parts: Path
) -> None:
    code, out, err = command("detect", parts / "old", parts / "shifted", *arguments)
    assert (code, out) == (2, "")
    assert err == f"shiftproof: {sentence}\n"


@pytest.mark.parametrize("verb", ["audit", "select", "quantify"])
def test_verbs_that_count_scores_answer_like_those_of_files(verb: str, command: Command, parts: Path) -> None:
    files = []
    with duckdb.connect(str(parts / "calls.db")) as connection:
        for name in ("old", "shifted"):
            # A model that is mostly right, with a few errors that depend on nothing.
            scored = "SELECT *, amount / 2 AS p, CASE WHEN (amount * 1000)::INT % 7 = 0 THEN 'b' WHEN amount > 0.5 "
            rows = connection.sql(f"{scored} THEN 'a' ELSE 'b' END AS label FROM {name}")
            (parts / f"scored-{name}").mkdir()
            rows.write_parquet(str(parts / f"scored-{name}" / "part-0.parquet"))
            files.append(parts / f"scored-{name}")
    options = ("--target", "label", "--score-column", "p", "--positive", "a", *(("--no-page",) * (verb == "audit")))
    code, out, err = command(verb, *files, *options)
    assert (code, "Traceback" in err) == (0, False)
    expected = command(verb, *(file / "part-0.parquet" for file in files), *options)[1]

    def without_times(text: str) -> str:
        return text.split("time:", maxsplit=1)[0].split("cost:", maxsplit=1)[0].split("next step", maxsplit=1)[0]

    assert without_times(out) == without_times(expected)
    assert len(without_times(out)) > 200


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--models", "lr"),
            "models can be fitted only to tables in memory; pass a deployed model's scores with --score-column, "
            "or sample some rows into a smaller file.",
        ),
        (("--score-column", "q"), "LABELLED has no column 'q', which --score-column names; score both tables with the"),
        (("--score-column", "amount", "--verify"), "--verify needs tables that fit into memory; leave it out, or use"),
        (("--score-column", "amount", "--plan", "rows.csv"), "--plan needs tables that fit into memory; leave it out"),
        (("--score-column", "amount", "--id", "job"), "--id needs tables that fit into memory; leave it out, or use"),
        (
            ("--score-column", "amount", "--positive", "x"),
            "--positive must name one of the labels, got 'x'; available: 'clerk'",
        ),
    ],
)
def test_what_an_audit_of_tables_elsewhere_cannot_do_is_one_sentence(
    arguments: tuple[str, ...], sentence: str, command: Command, parts: Path
) -> None:
    code, out, err = command("audit", parts / "old", parts / "shifted", "--target", "job", "--no-page", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1


def test_columns_of_one_table_only_are_named(command: Command, parts: Path) -> None:
    with duckdb.connect(str(parts / "calls.db")) as connection:
        connection.execute("ALTER TABLE scored_old ADD COLUMN gone INT DEFAULT 1")
    tables = [f"duckdb://{parts / 'calls.db'}?table={name}" for name in ("scored_old", "scored_shifted")]
    code, _, err = command("quantify", *tables, "--target", "y", "--score-column", "p")
    assert code == 0
    assert "NEW has no column 'gone', which LABELLED has." in err


def test_a_monitor_of_tables_elsewhere(command: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name, shift in (("reference", 0.0), ("may", 1.0)):
        (tmp_path / name).mkdir()
        for part in range(2):
            x = rng.normal(shift, 1, 400)
            rows = {
                "x": x,
                "p": 1 / (1 + np.exp(-x)),
                "y": (rng.random(400) < 1 / (1 + np.exp(-x))).astype(int),
                "day": pd.date_range("2026-05-01", periods=400, freq="h"),
            }
            pd.DataFrame(rows).to_parquet(tmp_path / name / f"{part}.parquet")
    store, pattern = str(tmp_path / "calls.db"), f"{tmp_path}/may/*.parquet"
    given = ("--score-column", "p", "--target", "y", "--exclude", "day")
    assert command("monitor", "init", store, "--reference", tmp_path / "reference", *given)[0] == 0
    code, shown, _ = command("monitor", "add", store, pattern, "--time", "day")
    assert code == 1
    assert "800 rows" in shown
    _, _, error = command("monitor", "add", store, pattern, "--missing", "?")
    assert "--missing needs tables that fit into memory; leave it out" in error
    absent = f"{tmp_path}/june/*.parquet"
    code, _, error = command("monitor", "add", store, absent)
    assert code == 2
    assert "no file matches; check the path." in error
