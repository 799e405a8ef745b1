"""`shiftproof audit`."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._completion import complete_measure
from shiftproof.cli._job import Job
from shiftproof.cli._models import Chosen, choose_models
from shiftproof.cli._options import (
    Cost,
    Exclude,
    Groups,
    Json,
    Kinds,
    Level,
    Models,
    Positive,
    ScoreColumns,
    Seed,
    Split,
    Target,
    Threshold,
    Time,
    Train,
    Trust,
    kinds_of,
)
from shiftproof.cli._show_audit import show_audit, show_verification
from shiftproof.cli._tables import Cut, Tables, check_labels, known_label, read_pair, refuse_fitting, take_apart
from shiftproof.core import InputError

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.auditing import Audit

#: The stages that show a bar of their own.
BARRED = ("cross-fitting", "selecting")


class FailOn(StrEnum):
    """What makes the command leave with 1."""

    shift = "shift"
    harm = "harm"


def audit(
    train: Train,
    target: Target,
    new: Annotated[
        Path | None,
        typer.Argument(
            metavar="NEW",
            help="The rows to use a model on, with the same columns; labels are not looked at but by --verify. Left "
            "out with --split.",
        ),
    ] = None,
    positive: Positive = None,
    models: Models = None,
    trust: Trust = None,
    score_column: ScoreColumns = None,
    cost: Cost = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What models are judged by: accuracy, error, precision, recall, f1, auc, brier, or profit; by default "
            "accuracy, and profit with --cost.",
            autocompletion=complete_measure,
        ),
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="How much worse than claimed a model may be before it is not to be trusted.")
    ] = 0.05,
    threshold: Threshold = None,
    time: Time = None,
    split: Split = None,
    exclude: Exclude = None,
    kind: Kinds = None,
    groups: Groups = None,
    folds: Annotated[
        int | None, typer.Option(help="Folds of the cross-validation; by default 10, and 5 with --quick.")
    ] = None,
    level: Level = 0.9,
    quick: Annotated[
        bool, typer.Option("--quick", help="Five folds, fewer resamples, no ReverseTesting: a first look.")
    ] = False,
    no_reverse: Annotated[
        bool, typer.Option("--no-reverse", help="Do not ask ReverseTesting, which fits each pair of models.")
    ] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="NEW has the labels: hold them back during the audit, then say which of its claims came true.",
        ),
    ] = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help="Keep category values and extremes of numbers off the page; class labels stay, and --json is whole.",
        ),
    ] = False,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the report goes.")] = Path("report.html"),
    no_page: Annotated[bool, typer.Option("--no-page", help="Write no report.")] = False,
    json: Json = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            metavar="WHAT",
            help="Leave with 1 if the new rows differ by enough to matter (shift), or if the verdict is not to trust "
            "any model there (harm).",
        ),
    ] = None,
) -> int:
    """Say whether a classifier may be trusted on rows that nobody has labelled, why, and write it on a page.

    Everything at once: what changed between the two files, which model is
    the best on the new rows, how good it is there, how many rows of each
    class there are, and what of that cannot be known. The verdict is to
    trust, to trust with care, or not to trust, with its reasons.

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models lr,forest --cost FP=1,FN=5 --fail-on harm[/dim]

    One file, cut at a date:

    [dim]shiftproof audit calls.csv --target churned --time date[/dim]
    [dim]  --split 2010-01-01[/dim]

    A deployed model: its scores in both files, or the model in a file.
    Nothing is fitted then:

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p[/dim]

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models model.skops[/dim]

    The labels have come in, and stand in NEW: what of it was true?

    [dim]shiftproof audit labelled.csv new.csv --target churned --verify[/dim]
    """
    from shiftproof.auditing import audit as run
    from shiftproof.measures import Benefit

    job = Job(out=None if no_page else out, json=json)
    refuse_fitting(score_column, models, folds)
    benefit = None if cost is None else Benefit.from_cost(cost)
    with job.listening():
        chosen = Chosen({}) if score_column else choose_models(models, trust)
        for option, value in (("--folds", folds), ("--groups", groups)):
            chosen.refuse(option, value)
        with job.stage("reading"):
            pair = read_pair(train, new, Cut(time, split), target=target)
            tables = take_apart(pair, target, [name for name in exclude or [] if name != time], score_column or [])
        truth = _truth(tables, target, wanted=verify)
        tables, grouped = _grouped(tables, groups)
        with job.stages(barred=BARRED) as on_stage:
            result = run(
                tables.scored() if score_column else chosen.models,
                tables.X,
                tables.y,
                tables.X_new,
                cv="prefit" if chosen.fitted else folds,
                groups=grouped,
                kinds=kinds_of(kind or []),
                benefit=benefit,
                measure=measure,
                tolerance=tolerance,
                threshold=threshold,
                pos_label=known_label(positive, tables.y),
                level=level,
                quick=quick,
                reverse=not no_reverse,
                random_state=seed,
                on_stage=on_stage,
            )
        verification = None if truth is None else result.verify(truth)
        job.page(lambda path: result.save(path, redact=redact, verification=verification))
    for words in tables.notes:
        job.note(words)

    if truth is None and tables.y_new is not None and tables.y_new.notna().any():
        job.note(f"NEW has a column {target!r}, which was not looked at; --verify compares it with the answer.")

    def show(console: Console) -> None:
        show_audit(console, result)
        if verification is not None:
            console.print()
            show_verification(console, verification)

    def to_dict() -> dict[str, Any]:
        return result.to_dict() | ({} if verification is None else {"verification": verification.to_dict()})

    job.end(to_dict, show)
    return int(fail_on is not None and _fails(result, fail_on))


def _truth(tables: Tables, target: str, *, wanted: bool) -> pd.Series[Any] | None:
    """Hold the labels of the new rows back, where they are wanted; they must all be there."""
    labels = tables.y_new
    if not wanted:
        return None
    if labels is None:
        got = f"got no column {target!r} there"
        raise InputError(f"--verify must find labels in NEW, {got}; leave it out until they have come in.")
    missing = int(labels.isna().sum())
    if missing:
        got = f"got {missing:,} of {len(labels):,} without"
        raise InputError(f"--verify must find a label in every row of NEW, {got}; drop these rows first.")
    check_labels(enumerate(labels.tolist()), tables.y, "--verify")
    return labels


def _grouped(tables: Tables, groups: str | None) -> tuple[Tables, Any]:
    """Take the column that says which rows belong together out of the features."""
    if groups is None:
        return tables, None
    if tables.X is None or tables.X_new is None or tables.scores:
        raise InputError(f"--groups must be left out with --score-column, got {groups!r}; nothing is fitted.")
    check_columns("--groups", [groups], tables.X.columns)
    X, X_new = tables.X.drop(columns=groups), tables.X_new.drop(columns=groups)
    return replace(tables, X=X, X_new=X_new), tables.X[groups]


def _fails(result: Audit, fail_on: FailOn) -> bool:
    return result.findings.changed if fail_on is FailOn.shift else result.verdict == "do not trust"
