"""`shiftproof detect`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_column
from shiftproof.cli._job import Job
from shiftproof.cli._show_detection import show_detection, show_timeline
from shiftproof.cli._tables import Cut, check_columns, check_scored, read_pair
from shiftproof.core import Phrase, fault, shown

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.detection import Detection


FailOn = Literal["shift", "changed", "unsure"]


def detect(
    reference: Annotated[
        Path,
        typer.Argument(metavar="REFERENCE", help="Rows the model was built or validated on: CSV, CSV.gz or Parquet."),
    ],
    current: Annotated[
        Path | None,
        typer.Argument(metavar="CURRENT", help="New rows, with the same columns. Leave it out with --split."),
    ] = None,
    score_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help=f"{options.SCORES_HELP}: compared first, and not used as a feature. Repeat it for several models.",
            autocompletion=complete_column,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="The label column, which is not compared. With labels in the reference, the type of shift can be "
            "determined; --exclude only leaves the column out.",
            autocompletion=complete_column,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Split the new rows into periods by this column, dates or at most 200 values, and compare each with "
            "the reference. --fail-on then looks at the last period that has rows.",
            autocompletion=complete_column,
        ),
    ] = None,
    every: options.Every = None,
    time: options.Time = None,
    split: options.Split = None,
    exclude: options.Exclude = None,
    kind: options.Kinds = None,
    alpha: Annotated[float, typer.Option(metavar="P", help="False discovery rate of the tests.")] = 0.05,
    no_multivariate: Annotated[
        bool,
        typer.Option(
            "--no-multivariate",
            help="Skip the classifier of new against reference rows, which finds changes that no single feature "
            "shows. --by skips it anyway.",
        ),
    ] = False,
    seed: options.Seed = 0,
    out: options.Out = None,
    redact: options.Redact = False,
    json: options.Json = None,
    fail_on: Annotated[
        FailOn | None,
        options.exit_if(
            "a feature or score changed enough to matter (shift), if any changed significantly (changed), or if one "
            "changed enough to matter or there are too few rows to say (unsure). 'Cannot say' fails only with unsure. "
            "With --by only the last period that has rows counts"
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every test, not only the first 20, and every period.")
    ] = False,
) -> int:
    """Say which features and scores changed between two tables, by how much, and whether it matters.

    Scores are compared first, if the files have them: a change there affects
    the users of a model most. Then every feature is tested: numbers by
    Kolmogorov-Smirnov, categories by chi-square, missing values separately;
    the false discovery rate is controlled over all tests. With too few rows
    the verdict is "cannot say": the command fails on that only with
    [bold]--fail-on unsure[/bold].

    [dim]shiftproof detect january.csv february.parquet --exclude date[/dim]
    [dim]  --fail-on shift --out page.html[/dim]

    With a model's scores, and labels in the reference:

    [dim]shiftproof detect validation.csv new.csv --score-column p[/dim]
    [dim]  --target churned[/dim]

    One file, split at a date:

    [dim]shiftproof detect calls.csv --time date --split 2010-01-01[/dim]

    Since when? One line per month:

    [dim]shiftproof detect validation.csv new.csv --by date --every month[/dim]
    """
    from shiftproof.core import counted
    from shiftproof.detection import detect as compare
    from shiftproof.detection import detect_by

    job = Job(out=out, json=json)
    options.require_by(every, by)
    with job.listening():
        with job.stage("reading") as status:
            cut = Cut(time, split)
            pair = read_pair(reference, current, cut, keep=by, called="CURRENT", target=target)
            old, new = pair.old, pair.new
            columns = [*dict.fromkeys([*old.columns, *new.columns])]
            check_columns("--exclude", cut.others(exclude), columns)
            # Scores are taken out of both tables below.
            left_out = [name for name in cut.others(exclude) if name not in (score_column or [])]
            check_columns("--target", target, columns)
            check_columns("--by", by, new.columns)
            old, new, scores = _scores(old, new, score_column or [])
            labels, untold = _labels(old, new, target)
            settings: dict[str, Any] = {"alpha": alpha, "kinds": options.kinds_by_column(kind), "random_state": seed}
            settings |= scores | {"reference_labels": labels, "exclude": [*left_out, *untold]}
            status.update(f"comparing {len(old):,} with {counted(len(new), 'row')}")
            result = None if by is not None else compare(old, new, **settings, multivariate=not no_multivariate)
        found: Any = result
        if by is not None:
            found = detect_by(old, new, by, every=every, **settings)
        job.page(lambda path: found.save(path, redact=redact))
    if target is not None and labels is None:
        job.note(f"the reference has no column {shown(target)}, so the type of shift cannot be determined.")

    def show(console: Console) -> None:
        if result is not None:
            show_detection(console, result, most=len(result.rows) if everything else 20)
        else:
            show_timeline(console, found, everything=everything)

    job.end(found.to_dict, show)
    return int(fail_on is not None and _fails(result or found.latest.detection, fail_on))


def _fails(result: Detection, fail_on: FailOn) -> bool:
    if fail_on == "changed":
        return result.shifted
    return result.material or (fail_on == "unsure" and result.verdict == "cannot say")


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
        got = Phrase(f"{missing:,} without")
        hint = "drop or label them, or use --exclude"
        raise fault("--target", "have a label in every row of the reference", got, hint)
    return target, []
