"""`shiftproof stress`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._completion import complete_families
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._options import Data, Exclude, Json, Level, Models, Out, Target, Trust, names
from shiftproof.cli._show import show_stress
from shiftproof.cli._tables import features_and_labels, known_label


def stress(
    data: Data,
    target: Target,
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The positive class of two; by default the second when sorted.")
    ] = None,
    models: Models = None,
    trust: Trust = None,
    families: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="The shifts, joined by commas: mcar (rows lost at random), mar (rows lost by a feature), mnar (and "
            "that feature hidden), offset (a feature moves), prior (the classes change balance), soft (rows thinned "
            "by a feature); by default all but soft.",
            autocompletion=complete_families,
        ),
    ] = None,
    features: Annotated[
        str | None,
        typer.Option(metavar="COLS", help="The features to shift, joined by commas; by default all, one at a time."),
    ] = None,
    exclude: Exclude = None,
    tolerance: Annotated[
        float, typer.Option(help="By how much the accuracy may change where it is said to hold.")
    ] = 0.05,
    level: Level = 0.9,
    seed: Annotated[int, typer.Option(help="Seed of the split, the shifts and the resamples.")] = 0,
    out: Out = None,
    json: Json = None,
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
    from shiftproof.robustness import stress as run

    job = Job(out=out, json=json)
    with job.listening():
        chosen = choose_models(models, trust)
        with job.stage("reading"):
            X, y = features_and_labels(read(data), target, exclude or [])
            check_columns("--features", names(features) or [], X.columns)
        settings: dict[str, Any] = {} if families is None else {"families": names(families)}
        result = run(
            chosen.panel(X, y) if chosen.fitted else chosen.models,
            X,
            y,
            features=names(features),
            tolerance=tolerance,
            pos_label=known_label(positive, y),
            level=level,
            random_state=seed,
            **settings,
        )
        job.page(result.save)
    job.end(result.to_dict, lambda console: show_stress(console, result))
    return 0
