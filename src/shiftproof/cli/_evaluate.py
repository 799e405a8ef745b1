"""`shiftproof evaluate`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._options import MODELS, names
from shiftproof.cli._show import consoles, show_evaluation, show_note, write_json
from shiftproof.core import InputError, ShiftproofWarning, listed

if TYPE_CHECKING:
    import pandas as pd


def evaluate(
    data: Annotated[Path, typer.Argument(help="Labelled rows: CSV, CSV.gz or Parquet.")],
    target: Annotated[str, typer.Option(metavar="COL", help="The label column.")],
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The positive class of two; by default the second when sorted.")
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help=f"{MODELS}; by default all seven."),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="MEASURE", help="What ranks the models: accuracy, auc, f1, brier, ...")
    ] = "accuracy",
    cost: Annotated[
        str | None, typer.Option(metavar="FP=1,FN=5", help="What wrong decisions cost: adds the profit per row.")
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 10,
    time: Annotated[
        str | None,
        typer.Option(metavar="COL", help="A time column: test only on what came later."),
    ] = None,
    groups: Annotated[
        str | None, typer.Option(metavar="COL", help="A column such as a customer's number: never on both sides.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="A column to leave out; may be repeated.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Decide positive from this probability on; by default the likelier class.")
    ] = None,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON here; - for standard output.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every measure, not only the main ones.")] = False,
) -> int:
    """Say how good each model is on rows it never saw, with intervals, and which differences are noise.

    Each model is fitted once per fold; every row is scored by a model that
    never saw it. By default there are seven models, from logistic regression
    to boosted trees. The figures hold for new rows drawn like these: whether
    tomorrow's rows are is what [bold]shiftproof detect[/bold] answers.

    [dim]shiftproof evaluate customers.csv --target churned[/dim]
    [dim]shiftproof evaluate customers.csv --target churned --models lr,forest[/dim]
    [dim]  --by auc --cost FP=1,FN=5 --exclude date --out page.html[/dim]
    """
    from shiftproof.data import read
    from shiftproof.evaluation import evaluate as run
    from shiftproof.measures import Benefit
    from shiftproof.panel import default_models

    output, progress = consoles()
    chosen = default_models(only=names(models))
    benefit = None if cost is None else Benefit.from_cost(cost)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShiftproofWarning)
        with progress.status("reading"):
            X, y = features_and_labels(read(data), target, exclude or [])
            check_columns("--time", [time] if time is not None else [], X.columns)
            check_columns("--groups", [groups] if groups is not None else [], X.columns)
        result = run(
            chosen,
            X,
            y,
            by=by,
            benefit=benefit,
            pos_label=known_label(positive, y),
            threshold=threshold,
            level=level,
            cv=folds,
            time=time,
            groups=groups,
            random_state=seed,
        )
        if out is not None:
            with progress.status("writing the page"):
                result.save(out)
    for warning in caught:
        show_note(progress, str(warning.message))
    if json is not None:
        write_json(result.to_dict(), json)
    if json != "-":
        show_evaluation(output, result, everything=everything)
    if out is not None:
        progress.print(f"page: {out}", highlight=False, markup=False, soft_wrap=True)
    return 0


def features_and_labels(frame: pd.DataFrame, target: str, exclude: list[str]) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Take the label column out of a table, and the columns to leave out."""
    check_columns("--target", [target], frame.columns)
    check_columns("--exclude", exclude, frame.columns)
    y = frame[target]
    if y.isna().any():
        got = f"got {int(y.isna().sum()):,} without"
        raise InputError(f"--target must have a label in every row, {got}; drop or label them first.")
    return frame.drop(columns=[target, *exclude]), y


def known_label(positive: str | None, y: pd.Series[Any]) -> Any:
    """Find the label that is written so; on a command line everything is text."""
    if positive is None:
        return None
    labels = {f"{label:g}" if isinstance(label, float) else str(label): label for label in y.unique().tolist()}
    if positive not in labels:
        raise InputError(f"--positive must be a label, got {positive!r}; there is {listed(sorted(labels), most=8)}.")
    return labels[positive]
