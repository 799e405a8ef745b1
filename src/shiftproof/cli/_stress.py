"""`shiftproof stress`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._evaluate import features_and_labels, known_label
from shiftproof.cli._options import MODELS, names
from shiftproof.cli._show import consoles, show_note, show_stress, write_json
from shiftproof.core import ShiftproofWarning


def stress(
    data: Annotated[Path, typer.Argument(help="Labelled rows: CSV, CSV.gz or Parquet.")],
    target: Annotated[str, typer.Option(metavar="COL", help="The label column.")],
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The positive class of two; by default the second when sorted.")
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help=f"{MODELS}; by default all seven."),
    ] = None,
    families: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The shifts, joined by commas: mcar (rows lost at random), mar (rows lost by a feature), mnar (and "
            "that feature hidden), offset (a feature moves), prior (the classes change balance), soft (rows thinned "
            "by a feature); by default all but soft.",
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(metavar="COLS", help="The features to shift, joined by commas; by default all, one at a time."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="A column to leave out; may be repeated.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="By how much the accuracy may change where it is said to hold.")
    ] = 0.02,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the split, the shifts and the resamples.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON here; - for standard output.")] = None,
) -> int:
    """Say how models bear shifts that have not happened yet, and which of them to trust when the world changes.

    Half of the rows train each model once. The others are shifted in many
    ways, one feature at a time: rows lost at random or by a feature's value,
    a feature hidden or moved, another balance of the classes. The most
    accurate model today need not be the one that bears these best.

    [dim]shiftproof stress customers.csv --target churned[/dim]
    [dim]shiftproof stress customers.csv --target churned --models lr,forest[/dim]
    [dim]  --families mar,offset --features age,income --out page.html[/dim]
    """
    from shiftproof.data import read
    from shiftproof.panel import default_models
    from shiftproof.robustness import stress as run

    output, progress = consoles()
    chosen = default_models(only=names(models))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShiftproofWarning)
        with progress.status("reading"):
            X, y = features_and_labels(read(data), target, exclude or [])
            check_columns("--features", names(features) or [], X.columns)
        settings: dict[str, Any] = {} if families is None else {"families": names(families)}
        result = run(
            chosen,
            X,
            y,
            features=names(features),
            tolerance=tolerance,
            pos_label=known_label(positive, y),
            level=level,
            random_state=seed,
            **settings,
        )
        if out is not None:
            with progress.status("writing the page"):
                result.save(out)
    for words in dict.fromkeys(str(warning.message) for warning in caught):
        show_note(progress, words)
    if json is not None:
        write_json(result.to_dict(), json)
    if json != "-":
        show_stress(output, result)
    if out is not None:
        progress.print(f"page: {out}", highlight=False, markup=False, soft_wrap=True)
    return 0
