from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from tests.hostile._files import BAD_FILES

from shiftproof.cli import run
from shiftproof.cli._alerts import COMMANDS as ALERT_COMMANDS
from shiftproof.cli._alerts import deliver
from shiftproof.cli._commands import as_command
from shiftproof.cli._monitor import COMMANDS
from shiftproof.monitoring import Monitor

Command = Callable[..., tuple[int, str, str]]


def rows(day: int, *, shift: float = 0.0, n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(day)
    age = rng.normal(40 + shift, 10, n)
    p = 1 / (1 + np.exp((40 - age) / 5))
    date = pd.Timestamp("2024-03-01") + pd.Timedelta(days=day)
    return pd.DataFrame({"date": date, "age": age, "p": p, "y": np.where(rng.random(n) < p, "yes", "no")})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a reference, a store, and a folder `incoming` of four batches, the last two shifted."""
    folder = tmp_path_factory.mktemp("monitor")
    rows(0, n=400).to_csv(folder / "reference.csv", index=False)
    (folder / "incoming").mkdir()
    for day in range(1, 5):
        batch = rows(day, shift=15.0 * (day > 2)).drop(columns="y")
        batch.to_csv(folder / "incoming" / f"day{day}.csv", index=False)
    words = ["--reference", folder / "reference.csv", "--score-column", "p", "--target", "y", "--exclude", "date"]
    assert run(["monitor", "init", str(folder / "m.db"), *map(str, words)]) == 0
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the folder, which is the current one."""
    place = Path(shutil.copytree(made, tmp_path / "place"))
    monkeypatch.chdir(place)
    monkeypatch.setattr("shiftproof.cli._incoming._SETTLED", 0.0)
    return place


def test_init_says_what_is_next(command: Command, place: Path) -> None:
    code, out, err = command(
        "monitor", "init", "other.db", "--reference", "reference.csv", "--score-column", "p", "--exclude", "date"
    )
    assert (code, err) == (0, "next: shiftproof monitor add other.db FILE\n")
    assert out.startswith(
        "The monitor 'default' is ready.\n\nBaseline of 400 rows and 3 columns; no rows are stored. Compared: 'p', "
    )
    assert "Not compared: 'date' (excluded)." in " ".join(out.split())
    # Without labels, which is said in the words of the command line.
    assert "there is no harm alarm; pass --target." in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--score-column", "q"], "--score-column must name a column, got 'q'; available: "),
        (["--target", "z"], "--target must name a column, got 'z'; available: "),
        (
            ["--score-column", "p", "--target", "y", "--floor", "80"],
            "--floor must be a number strictly between 0 and 1",
        ),
        (["--score-column", "p", "--floor", "0.8"], "--floor needs labels and scores in the baseline"),
        (["--score-column", "age"], "--score-column"),
        (["--every", "day"], "--every needs --time; name the column of dates."),
    ],
)
def test_init_refuses_wrong_options(command: Command, place: Path, words: list[str], sentence: str) -> None:
    code, out, err = command("monitor", "init", "new.db", "--reference", "reference.csv", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")


def test_init_refuses_scores_in_reverse_and_what_it_advises_works(command: Command, place: Path) -> None:
    rows(0, n=400).assign(p=lambda table: 1 - table["p"]).to_csv("reversed.csv", index=False)
    words = ("monitor", "init", "new.db", "--reference", "reversed.csv", "--score-column", "p", "--target", "y")
    code, out, err = command(*words)
    assert (code, out, Path("new.db").exists()) == (2, "", False)
    assert err.endswith("if they are those of class 'no', pass --positive no.\n")
    assert command(*words, "--positive", "no")[0] == 0


def test_init_measures_how_far_periods_differ(command: Command, place: Path) -> None:
    pd.concat([rows(day, n=60) for day in range(12)]).to_csv("dated.csv", index=False)
    words = ("--reference", "dated.csv", "--score-column", "p", "--target", "y", "--time", "date", "--every", "day")
    code, out, err = command("monitor", "init", "dated.db", *words, "--name", "by day")
    assert (code, err) == (0, "next: shiftproof monitor add dated.db FILE --name 'by day'\n")
    assert "assume independent" not in " ".join(out.split())
    assert "Periods d" in out


def test_init_of_another_reference_is_refused(command: Command, place: Path) -> None:
    code, _, err = command("monitor", "init", "m.db", "--reference", "incoming/day1.csv", "--score-column", "p")
    assert code == 2
    assert "the monitor 'default' in m.db already exists with a different baseline; to create a second monitor, " in err
    assert "pass another --name; to use the existing one, run shiftproof monitor add or status." in err


def test_add_of_a_quiet_batch_exits_with_0(command: Command, place: Path) -> None:
    code, out, err = command("monitor", "add", "m.db", "incoming/day1.csv", "--id", "one", "--at", "2024-03-02")
    assert (code, err) == (0, "")
    assert out.startswith("Batch 'one' (200 rows). No alarm.\nEstimated accuracy: ")
    code, out, _ = command("monitor", "add", "m.db", "incoming/day1.csv", "--id", "one")
    assert code == 0
    assert out.startswith("Batch 'one' (200 rows). It was added before and counts only once. No alarm.\n")


def test_add_of_a_folder_once(command: Command, place: Path) -> None:
    words = ("monitor", "add", "m.db", "incoming", "--once", "--time", "date")
    code, out, err = command(*words, "--json", "out.json", "--out", "page.html")
    why = "exit status 1 because of --fail-on material (the default): an incident of this level is open."
    step = "next: shiftproof monitor plan m.db --id day4.csv --out rows.csv"
    assert (code, err) == (1, f"page: page.html\n{step}\n{why}\n")
    assert out.startswith("Batch 'day1.csv' (200 rows). No alarm.\nBatch 'day2.csv' (200 rows). No alarm.\n")
    assert "Batch 'day3.csv' (200 rows). Alarm: the data changed enough to matter." in out
    result = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert [update["batch"]["at"][:10] for update in result["updates"]] == [f"2024-03-0{day}" for day in range(2, 6)]
    assert {one["level"] for one in result["open_incidents"]} >= {"material"}
    assert "<svg" in Path("page.html").read_text(encoding="utf-8")
    # The next time nothing is new, and the incident is still open.
    assert command(*words)[:2] == (1, "No new batches.\n")


def test_file_counts_once_by_its_own_name_and_in_its_folder(command: Command, place: Path) -> None:
    assert command("monitor", "add", "m.db", "incoming/day1.csv")[1].startswith(
        "Batch 'day1.csv' (200 rows). No alarm."
    )
    Path("incoming/day2.csv").unlink()
    words = ("monitor", "add", "m.db", "incoming", "--once", "--fail-on", "none")
    assert [line.split("'")[1] for line in command(*words)[1].splitlines() if line.startswith("Batch")] == [
        "day3.csv",
        "day4.csv",
    ]
    assert Monitor("m.db").status().n_batches == 3


def test_unlikely_time_is_refused_unless_it_is_meant(command: Command, place: Path) -> None:
    words = ("monitor", "add", "m.db", "incoming/day1.csv", "--at")
    sentence = "--at must be in the years 1 to 9999 in UTC; got '9999-12-31T23:59:59-12:00'."
    assert command(*words, "9999-12-31T23:59:59-12:00") == (2, "", f"shiftproof: incoming/day1.csv: {sentence}\n")
    sentence = "the time of the batch, 2999-01-01, is before 1970 or more than a year from now; correct it, or pass"
    refusal = f"shiftproof: incoming/day1.csv: {sentence} --allow-date if it is meant.\n"
    assert command(*words, "2999-01-01") == (2, "", refusal)
    assert command(*words, "2999-01-01", "--allow-date")[0] == 0
    assert command("monitor", "status", "m.db", "--out", "page.html")[0] == 0


def test_long_name_is_refused_and_cut_where_it_is_shown(command: Command, place: Path) -> None:
    words = ("monitor", "add", "m.db", "incoming/day1.csv", "--id")
    code, out, err = command(*words, "x" * 100_000)
    sentence = "--id must have at most 255 characters, got 100,000; choose a shorter name."
    assert (code, out, err) == (2, "", f"shiftproof: incoming/day1.csv: {sentence}\n")
    assert command(*words, "x" * 255)[1].startswith(f"Batch '{'x' * 59}…' (200 rows).")
    assert "x" * 60 not in command("monitor", "status", "m.db")[1]


def test_address_is_refused_as_a_name_and_as_an_output(command: Command, place: Path) -> None:
    address, plain = "postgresql://me:S3cretPw@h.example/db", "postgresql://me@h.example/db"
    before = sorted(place.rglob("*"))
    words = f"must not be a URL or contain a password, got '{plain}'; choose a name that everybody may read.\n"
    add = ("monitor", "add", "m.db", "incoming/day1.csv")
    assert command(*add, "--id", address)[2] == f"shiftproof: incoming/day1.csv: --id {words}"
    assert command(*add, "--name", address)[2] == f"shiftproof: --name {words}"
    words = f"shiftproof: {Path(plain)}: this is an address, not a path; name a file or a folder on this machine.\n"
    audit = ("audit", "reference.csv", "incoming/day1.csv", "--target", "y")
    calls = [
        (*add, "--out"),
        ("monitor", "status", "m.db", "--json"),
        ("monitor", "export", "m.db"),
        (*audit, "--plan"),
    ]
    for call in calls:
        assert command(*call, address) == (2, "", words)
    assert sorted(place.rglob("*")) == before


def test_renamed_file_is_refused_unless_it_is_meant(command: Command, place: Path) -> None:
    command("monitor", "add", "m.db", "incoming/day1.csv", "--at", "2024-03-02")
    os.replace("incoming/day1.csv", "copy.csv")
    words = ("monitor", "add", "m.db", "copy.csv")
    sentence = "the monitor already has the same 200 rows as batch 'day1.csv' of 2024-03-02; to count them again, pass"
    assert command(*words) == (2, "", f"shiftproof: copy.csv: {sentence} --allow-copy.\n")
    assert command(*words, "--allow-copy")[0] == 0
    assert Monitor("m.db").status().n_batches == 2


def test_folder_without_tables_is_named(command: Command, place: Path) -> None:
    Path("empty").mkdir()
    note = "note: the folder 'empty' has no CSV, CSV.gz, TSV or Parquet file yet.\n"
    assert command("monitor", "add", "m.db", "empty", "--once") == (0, "No new batches.\n", note)


def test_file_of_the_same_name_with_other_content_is_refused(command: Command, place: Path) -> None:
    command("monitor", "add", "m.db", "incoming/day1.csv")
    os.replace("incoming/day2.csv", "day1.csv")
    os.utime("day1.csv", (0, 0))
    sentence = "the monitor already has a batch 'day1.csv' with different content; give this one another --id."
    assert command("monitor", "add", "m.db", "day1.csv") == (2, "", f"shiftproof: day1.csv: {sentence}\n")
    # In a folder it is not skipped, although it is older than the batch.
    os.replace("day1.csv", "incoming/day1.csv")
    _, _, err = command("monitor", "add", "m.db", "incoming", "--once", "--fail-on", "none")
    assert f"note: incoming/day1.csv: {sentence}" in err.splitlines()


def test_time_of_a_batch_is_the_date_in_its_file_name(command: Command, place: Path) -> None:
    for day in (1, 2):
        os.replace(f"incoming/day{day}.csv", f"incoming/calls-2024-0{day}.csv")
    words = ("monitor", "add", "m.db", "incoming", "--once", "--fail-on", "none")
    assert command(*words)[2].splitlines() == [
        "note: the time of a batch is the date in its file name; to use another time, pass --at or --time.",
        "note: files without a date in their name get the time they were added; use --time COL to take it from a "
        "column.",
        "next: shiftproof monitor plan m.db --id day4.csv --out rows.csv",
    ]
    frame = Monitor("m.db").status().to_frame()
    assert [str(moment.date()) for moment in frame["at"][:2]] == ["2024-01-01", "2024-02-01"]


def test_time_of_a_batch_is_corrected_by_replace_time_only(command: Command, place: Path) -> None:
    words = ("monitor", "add", "m.db", "incoming/day1.csv", "--at")
    assert command(*words, "2024-03-02")[2] == ""
    assert command(*words, "2024-03-02")[2] == ""
    assert command(*words, "2024-04-02")[2] == (
        "note: batch 'day1.csv' keeps its time, 2024-03-02; to correct it, pass --replace-time.\n"
    )
    assert command(*words, "2024-04-02", "--replace-time")[2] == (
        "note: batch 'day1.csv' now has the time 2024-04-02; alarms do not change.\n"
    )
    assert "'day1.csv' 2024-04-02 200" in " ".join(command("monitor", "status", "m.db")[1].split())


def test_fail_on_names_the_levels(command: Command, place: Path) -> None:
    assert command("monitor", "add", "m.db", "incoming/day3.csv", "--fail-on", "none")[0] == 0
    status = ("monitor", "status", "m.db")
    assert command(*status)[0] == 1
    assert command(*status, "--fail-on", "changed")[0] == 1
    assert command(*status, "--fail-on", "none")[0] == 0
    status_json = json.loads(command(*status, "--json", "-")[1])
    assert [batch["n_rows"] for batch in status_json["batches"]] == [200]
    assert {one["level"] for one in status_json["incidents"]} >= {"changed", "material"}


def test_status_shows_incidents_and_batches(command: Command, place: Path) -> None:
    command("monitor", "add", "m.db", "incoming/day3.csv", "--id", "three", "--at", "2024-03-04")
    code, out, _ = command("monitor", "status", "m.db")
    assert code == 1
    assert "material ████████████ alarm look into it" in " ".join(out.split())
    assert "'three' 2024-03-04 200" in " ".join(out.split())


def test_ack_says_that_the_data_were_accepted(command: Command, place: Path) -> None:
    command("monitor", "add", "m.db", "incoming/day3.csv")
    code, out, err = command("monitor", "ack", "m.db", "1", "--accept", "--reason", "new customers")
    assert (code, err) == (0, "")
    assert out.startswith(
        "Incident 1 is closed; data that arrive from now on count as normal, and its alarm restarts.\n\n"
    )


def test_ack_closes_an_incident(command: Command, place: Path) -> None:
    command("monitor", "add", "m.db", "incoming/day3.csv")
    incidents = json.loads(command("monitor", "status", "m.db", "--json", "-")[1])["incidents"]
    numbers = [one["number"] for one in incidents]
    for number in numbers:
        code, out, err = command("monitor", "ack", "m.db", str(number), "--reason", "a campaign")
        assert (code, err) == (0, "")
        assert out.startswith(f"Incident {number} is closed; its alarm restarts.\n\n")
    assert command("monitor", "status", "m.db")[0] == 0
    code, _, err = command("monitor", "ack", "m.db", "1", "--reason", "again")
    assert (code, err) == (
        2,
        "shiftproof: incident 1 was already acknowledged (reason: 'a campaign').\n",
    )


def test_ack_refuses_what_is_no_incident_or_cannot_be_accepted(command: Command, place: Path) -> None:
    command("monitor", "add", "m.db", "incoming/day3.csv")
    material = next(one.number for one in Monitor("m.db").incidents if one.level == "material")
    for words, sentence in (
        (["two"], "INCIDENT must be the number of an incident, got 'two'; monitor status lists them."),
        (
            [str(material), "--accept"],
            f"--accept works only for incidents of level changed, but incident {material} is material; to accept "
            "it, create a new monitor with a new baseline.",
        ),
    ):
        assert command("monitor", "ack", "m.db", *words, "--reason", "x") == (2, "", f"shiftproof: {sentence}\n")


def test_ack_of_a_recovered_incident_keeps_later_batches_quiet(command: Command, place: Path) -> None:
    monitor = Monitor("m.db")
    for day in range(1, 17):
        monitor.add(rows(day, shift=15.0 * (5 < day < 9)), id=str(day))
    assert [incident.recovered is not None for incident in monitor.incidents] == [True, True]
    for incident in monitor.incidents:
        command("monitor", "ack", "m.db", str(incident.number), "--reason", "repaired")
    for day in range(50, 53):
        monitor.add(rows(day), id=str(day))
    assert [incident.level for incident in monitor.incidents if incident.open] == []


def test_export_writes_files_and_prunes(command: Command, place: Path) -> None:
    command("monitor", "add", "m.db", "incoming", "--once", "--time", "date")
    code, out, err = command("monitor", "export", "m.db", "history", "--prune", "2024-03-04")
    assert (code, out) == (0, "")
    assert err.splitlines() == [
        *(f"wrote history/{name}.parquet" for name in ("figures", "columns", "incidents")),
        "note: the figures of 2 batches were deleted.",
    ]
    err = command("monitor", "export", "m.db", "history", "--prune", "2025-01-01")[2]
    assert err.endswith(
        "note: the figures of 0 batches were deleted; those of 2 batches were kept, because an incident is open.\n"
    )
    frame = pd.read_parquet("history/columns.parquet")
    assert len(frame) == 8
    assert command("monitor", "export", "m.db", "m.db")[2] == (
        "shiftproof: m.db: not a folder; name a folder for the files.\n"
    )
    assert (
        "--prune must be a date or a time, got 'soon'"
        in command("monitor", "export", "m.db", "h", "--prune", "soon")[2]
    )


def test_standard_input_is_a_batch(command: Command, place: Path) -> None:
    before = os.dup(0)
    with open("incoming/day1.csv", "rb") as file:
        os.dup2(file.fileno(), 0)
    try:
        code, out, err = command("monitor", "add", "m.db", "-", "--id", "piped")
    finally:
        os.dup2(before, 0)
        os.close(before)
    assert (code, err) == (0, "")
    assert out.startswith("Batch 'piped' (200 rows). No alarm.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["m.db", "incoming", "--once", "--id", "x"], "--id must be used with a single batch only, got 'x'"),
        (["m.db", "incoming", "--once", "--at", "2024-01-01"], "--at must be used with a single batch only"),
        (["m.db", "incoming/day1.csv", "--at", "2024", "--time", "date"], "--at and --time cannot be used together"),
        (["m.db", "incoming/day1.csv", "--time", "age"], "incoming/day1.csv: --time must name a column of dates"),
        (["m.db", "incoming/day1.csv", "--at", "soon"], "incoming/day1.csv: --at must be a date or a time, got 'soon'"),
        (["none.db", "incoming/day1.csv"], "none.db: the store does not exist"),
        (["reference.csv", "incoming/day1.csv"], "reference.csv: not a monitor's store"),
        (["m.db", "incoming/day1.csv", "--name", "x"], "--name must be a monitor of the store, got 'x'"),
        (["m.db", "reference.db"], "reference.db: there is no such file or folder"),
    ],
)
def test_add_refuses_what_it_cannot_use(command: Command, place: Path, words: list[str], sentence: str) -> None:
    code, out, err = command("monitor", "add", *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", [*BAD_FILES][::4])
def test_file_that_holds_no_table_is_refused(command: Command, place: Path, name: str) -> None:
    if name == "a folder":
        pytest.skip("a folder is watched")
    (place / "bad").mkdir()
    path = BAD_FILES[name](place / "bad", rows(1).assign(b="blue"))
    code, out, err = command("monitor", "add", "m.db", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("shiftproof: ")


def test_bad_file_among_others_does_not_stop_them(command: Command, place: Path) -> None:
    Path("incoming/day2.csv").write_text("date,age\n2024-03-03,40\n")
    code, out, err = command("monitor", "add", "m.db", "incoming", "--once", "--time", "date")
    assert code == 2
    assert out.startswith("Batch 'day1.csv' (200 rows). No alarm.\nBatch 'day3.csv'")
    assert "Alarm: the data changed enough to matter." in out
    assert err.startswith("note: incoming/day2.csv: ")
    assert err.endswith("shiftproof: exit status 2 because 1 of 4 files could not be added.\n")
    assert "exit status 1" not in err


def test_watched_folder_writes_the_page_with_every_batch(
    command: Command, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shiftproof.cli._incoming.time.sleep", stop)
    code, out, err = command("monitor", "add", "m.db", "incoming", "--json", "last.json")
    arrival = (
        "files without a date in their name get the time they were added; use --time COL to take it from a column."
    )
    assert (code, err) == (130, f"note: {arrival}\nshiftproof: interrupted.\n")
    assert out.count("Batch 'day") == 4
    assert json.loads(Path("last.json").read_text(encoding="utf-8"))["updates"][0]["batch"]["id"] == "day4.csv"


def test_output_never_overwrites_the_store_or_a_batch(command: Command, place: Path) -> None:
    for target in ("m.db", "incoming/day1.csv"):
        code, _, err = command("monitor", "add", "m.db", "incoming/day1.csv", "--json", target)
        assert (code, "--json must not name a file that is read" in err) == (2, True)


@pytest.mark.parametrize("name", [function.__name__ for function in COMMANDS])
def test_help_teaches_by_example(command: Command, name: str) -> None:
    code, out, _ = command("monitor", name, "--help")
    assert code == 0
    assert f"shiftproof monitor {name} calls.db" in out


def test_defaults_of_a_command_of_the_group_come_from_a_file(command: Command, place: Path) -> None:
    Path("shiftproof.toml").write_text('[monitor.add]\nfail-on = ["none"]\ntime = "date"\n')
    code, _, err = command("monitor", "add", "m.db", "incoming/day3.csv")
    assert code == 0
    assert err == (
        "note: shiftproof.toml sets --time, --fail-on; options on the command line take precedence.\n"
        "next: shiftproof monitor plan m.db --id day3.csv --out rows.csv\n"
    )
    Path("shiftproof.toml").write_text("[monitor]\nonce = true\n")
    code, _, err = command("monitor", "status", "m.db")
    assert (code, err) == (
        2,
        "shiftproof: shiftproof.toml: [monitor] has no options of its own; write a table for one of its commands, such "
        "as [monitor.add].\n",
    )


@pytest.mark.parametrize("function", [*COMMANDS, *ALERT_COMMANDS, deliver])
def test_stores_are_texts_because_a_path_would_spoil_a_url(function: Callable[..., int]) -> None:
    flat = signature(as_command(function)).parameters
    # Typer reads what is annotated.
    assert get_args(flat["store"].annotation)[0] is str
