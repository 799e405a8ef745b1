"""`shiftproof detect`."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from shiftproof.cli import _options as options
from shiftproof.cli._cut import Cut, check_columns, refuse_excluded_target, refuse_gaps
from shiftproof.cli._elsewhere import TablesElsewhere
from shiftproof.cli._job import Job
from shiftproof.cli._tables import check_scored, check_two_classes
from shiftproof.core import counted, shown

if TYPE_CHECKING:
    from shiftproof.core import Table
    from shiftproof.detection import Detection

# What people call the label column.
_TARGETS = ("class", "label", "labels", "outcome", "target", "y")

# A label that is not called so has at most so many classes.
_MOST_CLASSES = 10

# What the help calls the first table, which needs no labels.
_FIRST = "REFERENCE"

FailOn = Literal["shift", "changed", "unsure"]


def detect(
    *,
    reference: Path,
    new: Path | None = None,
    score_column: list[str] | None = None,
    target: str | None = None,
    by: str | None = None,
    every: options.Every | None = None,
    cut: Cut,
    kind: list[str] | None = None,
    alpha: float = 0.05,
    no_multivariate: bool = False,
    seed: int = 0,
    job: Job,
    fail_on: list[FailOn] | None = None,
    everything: bool = False,
) -> int:
    """Say which features and scores changed between two tables, by how much, and whether it matters.

    Scores are compared first, if the files have them, because decisions depend
    on them. Then every feature is tested: numbers with Kolmogorov-Smirnov,
    categories with chi-square, missing values separately. The false discovery
    rate is controlled over all tests. With too few rows the verdict is "cannot
    tell"; only [bold]--fail-on unsure[/bold] makes the command fail on that.

    [dim]shiftproof detect january.csv february.parquet --exclude date[/dim]
    [dim]  --fail-on shift --out page.html[/dim]

    With a model's scores, and labels in the first file:

    [dim]shiftproof detect validation.csv new.csv --score-column p[/dim]
    [dim]  --target churned[/dim]

    One file, split at a date:

    [dim]shiftproof detect calls.csv --time date --split 2010-01-01[/dim]

    To see when it began, with one line per month:

    [dim]shiftproof detect validation.csv new.csv --by date --every month[/dim]

    Parameters
    ----------
    score_column : COL
        A column in both files with a deployed model's probabilities of the positive class. The model must not have been
        trained on either file. Scores are compared first and are not used as a feature. With --target, only for two
        classes. Can be repeated.
    reference : REFERENCE
        The rows to compare NEW with: a model's labelled data, or any earlier rows. Labels are needed only to determine
        the type of shift. CSV, CSV.gz or Parquet; a folder or a quoted pattern of Parquet files; or
        duckdb://FILE?table=NAME. Large tables are not loaded in full.
    new : NEW
        New rows, with the same columns. Leave this out with --split.
    target : COL
        The label column, which is not compared. If REFERENCE has labels, the type of shift is determined too.
    exclude : COL
        A column to leave out of the comparison; can be repeated.
    by : COL
        Split the new rows into periods by this column (dates, or at most 200 distinct values), and compare each period
        with REFERENCE. --fail-on then looks at the last period that has rows.
    alpha : P
        False discovery rate of the tests.
    no_multivariate
        Skip the test of all features together. It finds changes that no single feature shows.
        --by always skips it.
    everything : --all
        Print every test, not just the first 20, and every period.
    fail_on : WHAT
        Exit with status 1 on: shift (a feature or score changed enough to matter), changed (any significant change),
        or unsure (shift, or too few rows to tell). With --by, only the last period that has rows counts. Separate
        several with commas.
    """
    from shiftproof.cli._show_detection import show_detection, show_timeline
    from shiftproof.core import open_table
    from shiftproof.detection import detect as compare
    from shiftproof.detection import detect_by

    options.require_by(every, by)
    with job.listening():
        with job.stage("reading"):
            settings = _inputs(reference, new, cut, scores=score_column or [], target=target, by=by)
        old, current = (open_table(settings[side]) for side in ("reference", "current"))
        settings |= {"alpha": alpha, "kinds": options.kinds_by_column(kind), "random_state": seed}
        # Periods are compared one after another, with a progress bar of their own.
        if by is not None:
            timeline = detect_by(**settings, by=by, every=every)
        else:
            with job.stage(f"comparing {old.n_rows:,} with {counted(current.n_rows, 'row')}"):
                result = compare(**settings, multivariate=not no_multivariate)
    if target is None and (column := _probable_target(old, current, [*cut.excluded, *(score_column or ())])):
        option = f"--target {shlex.quote(column)}"
        job.note(f"{shown(column)} is compared as if it were a feature; if it is the label, pass {option}.")
    if target is not None and settings["reference_labels"] is None:
        job.note(f"{_FIRST} has no column {shown(target)}, so the type of shift cannot be determined.")
    if by is not None:
        show = partial(show_timeline, everything=everything)
        if fail_on is not None:
            latest = timeline.latest
            job.note(f"--fail-on looks at the last {timeline.noun} that has rows: {latest.name} ({latest.verdict}).")
        return job.end(timeline, show, failure=options.failure(fail_on, failures(timeline.latest.detection)))
    show = partial(show_detection, everything=everything)
    return job.end(result, show, failure=options.failure(fail_on, failures(result)))


def failures(result: Detection | None) -> dict[FailOn, str]:
    """Say why each condition of --fail-on is met; an empty text if it is not, and nothing at all without rows."""
    if result is None:
        return {}
    shift = "a feature or score changed enough to matter" if result.material else ""
    return {
        "shift": shift,
        "changed": "a feature or score changed significantly" if result.shifted else "",
        "unsure": shift or ("there are too few rows to tell" if result.verdict == "cannot tell" else ""),
    }


def _probable_target(old: Table, new: Table, left_out: list[str]) -> str:
    """Return the column that is probably the label; empty if there is none.

    It is called so, or it is the only one that NEW lacks, where labels are not known yet; of several that NEW lacks,
    the only one with a few values.
    """
    names = [name for name in old.names if name not in left_out]
    called = [name for name in names if name.casefold() in _TARGETS]
    lost = [name for name in names if name not in new.names]
    if len(lost) > 1:
        lost = [name for name in lost if 1 < len(old.column(name).counts()[0]) <= _MOST_CLASSES]
    return (called or (lost if len(lost) == 1 else []) or [""])[0]


def _inputs(
    reference: Path, newer: Path | None, cut: Cut, *, scores: list[str], target: str | None, by: str | None
) -> dict[str, Any]:
    """Return tables, scores and labels as the verbs take them; scores and labels are not compared as features."""
    exclude, elsewhere = cut.excluded, TablesElsewhere.of(reference, newer, cut, by)
    if elsewhere is not None:
        return elsewhere.inputs(exclude, scores=scores, target=target)
    pair = cut.read(reference, newer, keep=by, target=target, called=_FIRST)
    old, new = pair.old, pair.new
    columns = [*dict.fromkeys([*old.columns, *new.columns])]
    check_columns("--exclude", exclude, columns)
    check_columns("--target", target, columns)
    refuse_excluded_target(target, exclude)
    check_columns("--by", by, new.columns)
    check_scored(scores, old, new, called=_FIRST)
    # A column of scores leaves the tables below, so that the verbs would not find it.
    left_out = [name for name in exclude if name not in scores]
    # New rows may have labels that REFERENCE lacks; they are not features either.
    labels = target if target in old.columns else None
    if target is not None and labels is None:
        left_out.append(target)
    if labels is not None:
        hint = f"drop or label these rows first, or pass --exclude {shlex.quote(labels)} instead of --target"
        refuse_gaps("--target", old[labels], hint, of=_FIRST)
        check_two_classes(
            scores, labels, old[labels].unique().tolist(), f"pass --exclude {shlex.quote(labels)} instead of --target"
        )
    tables = {"reference": old, "current": new}
    inputs: dict[str, Any] = {side: table.drop(columns=scores) for side, table in tables.items()}
    if scores:
        # Each column is a model of its own.
        inputs |= {
            f"{side}_scores": {name: table[name].to_numpy() for name in scores} for side, table in tables.items()
        }
    return inputs | {"reference_labels": labels, "exclude": left_out}
