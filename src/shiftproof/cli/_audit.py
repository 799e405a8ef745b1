"""`shiftproof audit`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shiftproof.cli import _options as options
from shiftproof.cli._job import Job
from shiftproof.cli._models import Chosen, choose_models
from shiftproof.cli._show_audit import show_audit, show_verification
from shiftproof.cli._tables import (
    Cut,
    Tables,
    check_columns,
    check_labels,
    known_label,
    read_pair,
    refuse_fitting,
    take_apart,
)
from shiftproof.core import Phrase, fault

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.auditing import Audit

#: The stages that show a bar of their own.
BARRED = ("cross-fitting", "selecting")


FailOn = Literal["shift", "harm", "unsure"]


def audit(
    train: options.Train,
    target: options.Target,
    new: options.New = None,
    positive: options.Positive = None,
    models: options.Models = None,
    trust: options.Trust = None,
    score_column: options.ScoreColumns = None,
    cost: options.Cost = None,
    measure: options.Measure = None,
    tolerance: options.Tolerance = 0.05,
    threshold: options.Threshold = None,
    time: options.Time = None,
    split: options.Split = None,
    exclude: options.Exclude = None,
    kind: options.Kinds = None,
    groups: options.Groups = None,
    folds: options.FoldsOrQuick = None,
    level: options.Level = 0.9,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look: five folds, fewer resamples, no ReverseTesting.")
    ] = False,
    no_reverse: options.NoReverse = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="NEW has the labels: the audit ignores them, then its estimates are compared with what is true.",
        ),
    ] = False,
    redact: options.Redact = False,
    seed: options.Seed = 0,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Write the report to this file.")] = Path("report.html"),
    no_page: Annotated[bool, typer.Option("--no-page", help="Write no report.")] = False,
    json: options.Json = None,
    fail_on: Annotated[
        FailOn | None,
        options.exit_if(
            "the new data differ enough to matter (shift), if the verdict is not to trust any model (harm), or if "
            "harm cannot be ruled out either: any verdict but 'trust' (unsure)"
        ),
    ] = None,
) -> int:
    """Say whether to trust a classifier on unlabelled data, with reasons, and write a report.

    Answers every question at once: what changed between the two files, which
    model is best on the new data, how accurate it is there, the proportion of
    each class, and what cannot be determined. The verdict is "trust", "trust
    with care" or "do not trust", with reasons.

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models lr,forest --cost FP=1,FN=5 --fail-on harm[/dim]

    One file, split at a date:

    [dim]shiftproof audit calls.csv --target churned --time date[/dim]
    [dim]  --split 2010-01-01[/dim]

    A deployed model: its scores in both files, or the model in a file.
    Nothing is fitted then:

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p[/dim]

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models model.skops[/dim]

    The labels have arrived, and NEW has them: which estimates were right?

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
            cut = Cut(time, split)
            pair = read_pair(train, new, cut, target=target)
            tables = take_apart(pair, target, cut.others(exclude), score_column or [])
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
                kinds=options.kinds_by_column(kind),
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
        job.note(f"NEW has a column {target!r}, which was not used; --verify compares it with the estimates.")

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
    """Return the labels of the new rows if --verify asks for them; every row must have one."""
    labels = tables.y_new
    if not wanted:
        return None
    if labels is None:
        got = Phrase(f"no column {target!r} there")
        raise fault("--verify", "find labels in NEW", got, "leave it out until they have arrived")
    missing = int(labels.isna().sum())
    if missing:
        got = Phrase(f"{missing:,} of {len(labels):,} without")
        raise fault("--verify", "find a label in every row of NEW", got, "drop these rows first")
    check_labels(enumerate(labels.tolist()), tables.y, "--verify")
    return labels


def _grouped(tables: Tables, groups: str | None) -> tuple[Tables, Any]:
    """Return the tables without the column of groups, and the groups: they must not be a feature."""
    if groups is None:
        return tables, None
    if tables.X is None or tables.X_new is None or tables.scores:
        raise fault("--groups", "be left out with --score-column", groups, "nothing is fitted")
    check_columns("--groups", groups, tables.X.columns)
    X, X_new = tables.X.drop(columns=groups), tables.X_new.drop(columns=groups)
    return replace(tables, X=X, X_new=X_new), tables.X[groups]


def _fails(result: Audit, fail_on: FailOn) -> bool:
    if fail_on == "shift":
        return result.changed
    return result.verdict == "do not trust" or (fail_on == "unsure" and result.verdict != "trust")
