"""`shiftproof quantify`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._completion import complete_column, complete_models, complete_quantifier
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._options import (
    MODELS,
    Exclude,
    Json,
    Length,
    Level,
    Out,
    Seed,
    Split,
    Target,
    Time,
    Train,
    Trust,
)
from shiftproof.cli._show import show_quantification
from shiftproof.cli._tables import Cut, check_scored, features_and_labels, known_label, read_pair
from shiftproof.core import InputError, without_columns

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.quantification import Quantification


class FailOn(StrEnum):
    """What makes the command leave with 1."""

    broken = "broken"
    unsure = "unsure"


def quantify(
    train: Train,
    target: Target,
    new: Annotated[
        Path | None,
        typer.Argument(
            metavar="NEW",
            help="The rows to count, with the same columns; labels are not looked at. Left out with --split.",
        ),
    ] = None,
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The class to tell first; by default the second of two.")
    ] = None,
    models: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"{MODELS}. The one with the lowest Brier score counts.",
            autocompletion=complete_models,
        ),
    ] = "lr,boost",
    trust: Trust = None,
    score_column: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="A column of probabilities of the second label in both files, by a model that was trained on neither: "
            "nothing is fitted then.",
            autocompletion=complete_column,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Combined, or another: 'adjusted count', 'expectation maximization' ...",
            autocompletion=complete_quantifier,
        ),
    ] = "combined",
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="A column of dates, or of at most 200 values: the shares of each period, too.",
            autocompletion=complete_column,
        ),
    ] = None,
    every: Length = None,
    time: Time = None,
    split: Split = None,
    exclude: Exclude = None,
    folds: Annotated[int | None, typer.Option(help="Folds of the cross-validation; by default 10.")] = None,
    level: Level = 0.9,
    unchecked: Annotated[
        bool, typer.Option("--no-check", help="Do not ask the features whether more than the shares changed.")
    ] = False,
    seed: Seed = 0,
    out: Out = None,
    json: Json = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            metavar="WHAT",
            help="Leave with 1 if more than the classes' shares changed, so that the figures should not be believed "
            "(broken), or if that cannot be ruled out (unsure).",
        ),
    ] = None,
) -> int:
    """Say how many rows of each class are among rows that nobody has labelled, and whether to believe it.

    Counting what a classifier says is wrong as soon as the classes' shares
    change. Here each model scores rows that it never saw, so that its errors
    are known and allowed for. That holds as long as each class still looks as
    it did: scores and features are checked for it, and the answer is "do not
    believe it" where they say otherwise.

    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]  --by date --every month --out page.html[/dim]

    With the scores of a deployed model:

    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p[/dim]
    """
    from shiftproof.quantification import quantify as run

    job = Job(out=out, json=json)
    if every is not None and by is None:
        raise InputError(f"--every must come with --by, got {every.value!r} alone; name the column of dates.")
    with job.listening(but=("do not believe",)):  # the answer itself says so
        chosen = choose_models(models, trust)
        with job.stage("reading"):
            pair = read_pair(train, new, Cut(time, split), keep=by, target=target)
            left_out = [name for name in exclude or [] if name != time]
            check_columns("--exclude", left_out, dict.fromkeys([*pair.old.columns, *pair.new.columns]))
            check_columns("--by", [by] if by is not None else [], pair.new.columns)
            X, y = features_and_labels(pair.old, target, [name for name in left_out if name in pair.old.columns])
            rows = pair.new.drop(columns=[name for name in [target, *left_out] if name in pair.new.columns])
        label = known_label(positive, y)
        panel: Any
        if score_column is not None:
            panel, X, rows = _scored(X, y, rows, score_column)
        else:
            panel = chosen.panel(without_columns(X, [by] if by else []), y, folds=folds, random_state=seed)
        with job.stage("counting, and checking what that takes for granted"):
            result = run(
                panel,
                X,
                y,
                rows,
                method=method,
                by=by,
                every=None if every is None else every.value,
                check=not unchecked,
                pos_label=label,
                level=level,
                random_state=seed,
            )
        job.page(result.save)
    job.end(result.to_dict, lambda console: show_quantification(console, result))
    return int(fail_on is not None and _fails(result, fail_on))


def _fails(result: Quantification, fail_on: FailOn) -> bool:
    unsure = result.assumption in ("cannot tell", "not checked") or not result.informative
    return result.assumption == "broken" or (fail_on is FailOn.unsure and unsure)


def _scored(X: pd.DataFrame, y: pd.Series[Any], rows: pd.DataFrame, column: str) -> tuple[Any, Any, Any]:
    """Take a deployed model's probabilities out of both tables; features may be left for the check, or none."""
    from shiftproof.panel import Panel

    check_scored([column], X, rows, ("TRAIN", "NEW"))
    panel = Panel.from_scores(y, {column: X[column]}, new={column: rows[column]})
    features, new_features = X.drop(columns=column), rows.drop(columns=column)
    return panel, features if features.shape[1] else None, new_features if new_features.shape[1] else None
