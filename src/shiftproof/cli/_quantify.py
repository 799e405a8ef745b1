"""`shiftproof quantify`."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._evaluate import features_and_labels, known_label
from shiftproof.cli._options import MODELS, Length, names
from shiftproof.cli._show import consoles, show_note, show_quantification, write_json
from shiftproof.core import InputError, ShiftproofWarning, without_columns

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.quantification import Quantification


class FailOn(StrEnum):
    """What makes the command leave with 1."""

    broken = "broken"
    unsure = "unsure"


def quantify(
    train: Annotated[Path, typer.Argument(help="Labelled rows: CSV, CSV.gz or Parquet.")],
    new: Annotated[Path, typer.Argument(help="The rows to count, with the same columns; labels are not looked at.")],
    target: Annotated[str, typer.Option(metavar="COL", help="The label column.")],
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The class to tell first; by default the second of two.")
    ] = None,
    models: Annotated[
        str, typer.Option(metavar="NAMES", help=f"{MODELS}. The one with the lowest Brier score counts.")
    ] = "lr,boost",
    score_column: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="A column of probabilities of the second label in both files, by a model that was trained on neither: "
            "nothing is fitted then.",
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="Combined, or another: 'adjusted count', 'expectation maximization' ...")
    ] = "combined",
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="A column of dates, or of at most 200 values: the shares of each period, too."
        ),
    ] = None,
    every: Length = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="A column to leave out; may be repeated.")
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 10,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.9,
    unchecked: Annotated[
        bool, typer.Option("--no-check", help="Do not ask the features whether more than the shares changed.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON here; - for standard output.")] = None,
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
    from shiftproof.data import read
    from shiftproof.panel import cross_fit, default_models
    from shiftproof.quantification import quantify as run

    output, progress = consoles()
    if every is not None and by is None:
        raise InputError(f"--every must come with --by, got {every.value!r} alone; name the column of dates.")
    chosen: Any = default_models(only=names(models))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShiftproofWarning)
        with progress.status("reading"):
            old, rows = read(train), read(new)
            check_columns("--exclude", exclude or [], dict.fromkeys([*old.columns, *rows.columns]))
            check_columns("--by", [by] if by is not None else [], rows.columns)
            left_out = [name for name in exclude or [] if name in old.columns]
            X, y = features_and_labels(old, target, left_out)
            rows = rows.drop(columns=[name for name in [target, *(exclude or [])] if name in rows.columns])
            if score_column is not None:
                chosen, X, rows = _scored(X, y, rows, score_column)
        label = known_label(positive, y)
        if score_column is None:
            chosen = cross_fit(chosen, without_columns(X, [by] if by else []), y, cv=folds, random_state=seed)
        with progress.status("counting, and checking what that takes for granted"):
            result = run(
                chosen,
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
        if out is not None:
            with progress.status("writing the page"):
                result.save(out)
    told = dict.fromkeys(str(warning.message) for warning in caught)
    for words in told:
        if not words.startswith("do not believe"):  # the answer itself says so
            show_note(progress, words)
    if json is not None:
        write_json(result.to_dict(), json)
    if json != "-":
        show_quantification(output, result)
    if out is not None:
        progress.print(f"page: {out}", highlight=False, markup=False, soft_wrap=True)
    return int(fail_on is not None and _fails(result, fail_on))


def _fails(result: Quantification, fail_on: FailOn) -> bool:
    unsure = result.assumption in ("cannot tell", "not checked") or not result.informative
    return result.assumption == "broken" or (fail_on is FailOn.unsure and unsure)


def _scored(X: pd.DataFrame, y: pd.Series[Any], rows: pd.DataFrame, column: str) -> tuple[Any, Any, Any]:
    """Take a deployed model's probabilities out of both tables; features may be left for the check, or none."""
    from shiftproof.panel import Panel

    for name, table in (("TRAIN", X), ("NEW", rows)):
        if column not in table.columns:
            raise InputError(
                f"--score-column must name a column of both files, got {column!r}, which {name} lacks; "
                "score both by the same model."
            )
    panel = Panel.from_scores(y, {column: X[column]}, new={column: rows[column]})
    features, new_features = X.drop(columns=column), rows.drop(columns=column)
    return panel, features if features.shape[1] else None, new_features if new_features.shape[1] else None
