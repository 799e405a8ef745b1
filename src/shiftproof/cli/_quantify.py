"""`shiftproof quantify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shiftproof.cli import _options as options
from shiftproof.cli._columns import check_columns
from shiftproof.cli._completion import complete_column, complete_models, complete_quantifier
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._show import show_quantification
from shiftproof.cli._tables import Cut, check_scored, features_and_labels, known_label, read_pair
from shiftproof.core import without_columns

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.quantification import Quantification


FailOn = Literal["broken", "unsure"]


def quantify(
    train: options.Train,
    target: options.Target,
    new: options.New = None,
    positive: options.Positive = None,
    models: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help=f"{options.MODELS_HELP}. The one with the lowest Brier score is used.",
            autocompletion=complete_models,
        ),
    ] = "lr,boost",
    trust: options.Trust = None,
    score_column: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help=f"{options.SCORES_HELP}. Nothing is fitted then.",
            autocompletion=complete_column,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How to count: combined, or another method, such as 'adjusted count' or 'expectation maximization'.",
            autocompletion=complete_quantifier,
        ),
    ] = "combined",
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="Also give the class proportions of each period of this column: dates, or at most 200 values.",
            autocompletion=complete_column,
        ),
    ] = None,
    every: options.Every = None,
    time: options.Time = None,
    split: options.Split = None,
    exclude: options.Exclude = None,
    folds: options.Folds = None,
    level: options.Level = 0.9,
    no_check: Annotated[
        bool,
        typer.Option("--no-check", help="Don't check by the features whether more than the class proportions changed."),
    ] = False,
    seed: options.Seed = 0,
    out: options.Out = None,
    json: options.Json = None,
    fail_on: Annotated[
        FailOn | None,
        options.exit_if(
            "more than the class proportions changed, so that the figures are unreliable (broken), or also if that "
            "cannot be ruled out (unsure)"
        ),
    ] = None,
) -> int:
    """Estimate the class proportions in unlabelled data, and say whether to believe the estimates.

    Counting a classifier's decisions is wrong as soon as the class proportions
    change. Here each model scores rows that it never saw, so that its errors
    are known and corrected for. This assumes that each class still looks as
    it did: scores and features are checked for that, and the answer is "do not
    believe it" if the check fails.

    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]  --by date --every month --out page.html[/dim]

    With the scores of a deployed model:

    [dim]shiftproof quantify labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p[/dim]
    """
    from shiftproof.quantification import quantify as run

    job = Job(out=out, json=json)
    options.require_by(every, by)
    with job.listening():
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
                every=every,
                check=not no_check,
                pos_label=label,
                level=level,
                random_state=seed,
            )
        job.page(result.save)
    job.end(result.to_dict, lambda console: show_quantification(console, result))
    return int(fail_on is not None and _fails(result, fail_on))


def _fails(result: Quantification, fail_on: FailOn) -> bool:
    unsure = result.assumption in ("cannot tell", "not checked") or not result.informative
    return result.assumption == "broken" or (fail_on == "unsure" and unsure)


def _scored(X: pd.DataFrame, y: pd.Series[Any], rows: pd.DataFrame, column: str) -> tuple[Any, Any, Any]:
    """Take a deployed model's probabilities out of both tables; features may be left for the check, or none."""
    from shiftproof.panel import Panel

    check_scored([column], X, rows, ("TRAIN", "NEW"))
    panel = Panel.from_scores(y, {column: X[column]}, new={column: rows[column]})
    features, new_features = X.drop(columns=column), rows.drop(columns=column)
    return panel, features if features.shape[1] else None, new_features if new_features.shape[1] else None
