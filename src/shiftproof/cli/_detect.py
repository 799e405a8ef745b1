"""`shiftproof detect`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._completion import complete_column
from shiftproof.cli._job import Job
from shiftproof.cli._options import Every, Json, Kinds, Length, Out, Seed, Split, Time, kinds_of
from shiftproof.cli._show_detection import show_detection, show_timeline
from shiftproof.cli._tables import Cut, check_scored, read_pair
from shiftproof.core import InputError, shown

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.detection import Detection


class FailOn(StrEnum):
    """What makes the command leave with 1."""

    shift = "shift"
    material = "material"
    unsure = "unsure"


def detect(
    reference: Annotated[
        Path,
        typer.Argument(metavar="REFERENCE", help="Rows the model was built or validated on: CSV, CSV.gz or Parquet."),
    ],
    current: Annotated[
        Path | None, typer.Argument(metavar="CURRENT", help="New rows, with the same columns; left out with --split.")
    ] = None,
    score_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="A column of probabilities in both files, by a model that was trained on neither: compared first, "
            "left out of the features. Repeat it for several models.",
            autocompletion=complete_column,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="The label column, left out of the comparison. Where the reference has it, its labels tell of which "
            "kind the shift is; --exclude only leaves it out.",
            autocompletion=complete_column,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Cut the new rows into periods by this column, dates or at most 200 different values, and compare "
            "each with the reference. --fail-on then looks at the last period that has rows.",
            autocompletion=complete_column,
        ),
    ] = None,
    every: Length = None,
    time: Time = None,
    split: Split = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="A column to leave out, such as a time stamp; may be repeated.",
            autocompletion=complete_column,
        ),
    ] = None,
    kind: Kinds = None,
    alpha: Annotated[float, typer.Option(help="Level of the false discovery rate.")] = 0.05,
    alone: Annotated[
        bool,
        typer.Option(
            "--no-multivariate",
            help="Train no classifier that tells new rows from old ones, which sees changes that no single feature "
            "shows. With --by there is none anyway.",
        ),
    ] = False,
    seed: Seed = 0,
    out: Out = None,
    json: Json = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            metavar="WHAT",
            help="Leave with 1 if any feature or score shifted (shift), if one did by enough to matter (material), or "
            "if one did or there are too few rows to say (unsure). 'Cannot say' fails only with unsure. With --by only "
            "the last period that has rows counts.",
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every test, not only the first 20, and every period.")
    ] = False,
) -> int:
    """Say which features and scores changed between two tables, by how much, and whether it matters.

    Scores are compared first, where the files have some: whether they moved
    is what matters most to the one who uses the model. Then every feature:
    numbers by Kolmogorov-Smirnov, categories by chi-square, missing values
    on their own; false discoveries are controlled over all of them. With too
    few rows the verdict is "cannot say": the command fails on that only with
    [bold]--fail-on unsure[/bold].

    [dim]shiftproof detect january.csv february.parquet --exclude date[/dim]
    [dim]  --fail-on material --out page.html[/dim]

    With a model's scores, and labels in the reference:

    [dim]shiftproof detect validation.csv new.csv --score-column p[/dim]
    [dim]  --target churned[/dim]

    One file, cut at a date:

    [dim]shiftproof detect calls.csv --time date --split 2010-01-01[/dim]

    Since when? One line per month:

    [dim]shiftproof detect validation.csv new.csv --by date --every month[/dim]
    """
    from shiftproof.core import counted
    from shiftproof.detection import detect as compare
    from shiftproof.detection import detect_by

    job = Job(out=out, json=json)
    kinds = kinds_of(kind or [])
    if every is not None and by is None:
        raise InputError(f"--every must come with --by, got {every.value!r} alone; name the column of dates.")
    with job.listening():
        with job.stage("reading") as status:
            pair = read_pair(reference, current, Cut(time, split), keep=by, called="CURRENT", target=target)
            old, new = pair.old, pair.new
            columns = [*dict.fromkeys([*old.columns, *new.columns])]
            left_out = [name for name in exclude or [] if name not in (score_column or []) and name != time]
            check_columns("--exclude", [name for name in exclude or [] if name != time], columns)
            check_columns("--target", [target] if target is not None else [], columns)
            check_columns("--by", [by] if by is not None else [], new.columns)
            old, new, scores = _scores(old, new, score_column or [])
            labels, untold = _labels(old, new, target)
            settings: dict[str, Any] = {"alpha": alpha, "kinds": kinds, "random_state": seed}
            settings |= scores | {"reference_labels": labels, "exclude": [*left_out, *untold]}
            status.update(f"comparing {len(old):,} with {counted(len(new), 'row')}")
            result = None if by is not None else compare(old, new, **settings, multivariate=not alone)
        found: Any = result
        if by is not None:
            found = detect_by(old, new, by, every=_length(every), **settings)
        job.page(found.save)
    if target is not None and labels is None:
        job.note(f"the reference has no column {shown(target)}, so the kind of the shift stays untold.")

    def show(console: Console) -> None:
        if result is not None:
            show_detection(console, result, most=len(result.rows) if everything else 20)
        else:
            show_timeline(console, found, everything=everything)

    job.end(found.to_dict, show)
    return int(fail_on is not None and _fails(result or found.latest.detection, fail_on))


def _fails(result: Detection, fail_on: FailOn) -> bool:
    found = {
        FailOn.shift: result.shifted,
        FailOn.material: result.material,
        FailOn.unsure: result.material or result.verdict == "cannot say",
    }
    return found[fail_on]


def _length(every: Every | None) -> Any:
    return None if every is None else every.value


def _scores(
    old: pd.DataFrame, new: pd.DataFrame, columns: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, Any]]:
    """Take the columns of probabilities out of both tables; each is a model of its own."""
    check_scored(columns, old, new, ("the reference file", "the current file"))
    if not columns:
        return old, new, {}
    given = {
        f"{side}_scores": {column: table[column].to_numpy() for column in columns}
        for side, table in (("reference", old), ("current", new))
    }
    return old.drop(columns=columns), new.drop(columns=columns), given


def _labels(old: pd.DataFrame, new: pd.DataFrame, target: str | None) -> tuple[str | None, list[str]]:
    """Return the label column where the reference has it, or else what to leave out of the new rows."""
    if target is None:
        return None, []
    if target not in old.columns:
        return None, [target] if target in new.columns else []
    missing = int(old[target].isna().sum())
    if missing:
        got = f"got {missing:,} without"
        raise InputError(
            f"--target must have a label in every row of the reference, {got}; drop or label them, or use --exclude."
        )
    return target, []
