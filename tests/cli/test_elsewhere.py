from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
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
        (("--by", "job"), "--by needs tables that fit into memory; leave it out, or name two smaller files."),
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
