"""`shiftproof evaluate`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_column
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._show import show_evaluation
from shiftproof.cli._tables import check_columns, features_and_labels, known_label


def evaluate(
    data: options.Data,
    target: options.Target,
    positive: options.Positive = None,
    models: options.Models = None,
    trust: options.Trust = None,
    measure: options.LabelledMeasure = None,
    cost: options.Cost = None,
    folds: options.Folds = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="A time column: test only on rows later than those of the training.",
            autocompletion=complete_column,
        ),
    ] = None,
    groups: options.Groups = None,
    exclude: options.Exclude = None,
    threshold: options.Threshold = None,
    level: options.Level = 0.9,
    alpha: options.Alpha = 0.05,
    seed: options.Seed = 0,
    out: options.Out = None,
    redact: options.Redact = False,
    json: options.Json = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every measure, not only the main ones.")] = False,
) -> int:
    """Say how good each model is on rows it never saw, with intervals, and which differences are noise.

    Each model is fitted once per fold; every row is scored by a model that
    never saw it. By default there are seven models, from logistic regression
    to boosted trees. The figures apply to new data like these: whether
    tomorrow's data are is what [bold]shiftproof detect[/bold] answers.

    [dim]shiftproof evaluate customers.csv --target churned[/dim]
    [dim]shiftproof evaluate customers.csv --target churned --models lr,forest[/dim]
    [dim]  --measure auc --cost FP=1,FN=5 --exclude date --out page.html[/dim]
    """
    from shiftproof.data import read
    from shiftproof.evaluation import evaluate as run
    from shiftproof.measures import Benefit

    job = Job(out=out, json=json)
    benefit = None if cost is None else Benefit.from_cost(cost)
    with job.listening():
        chosen = choose_models(models, trust)
        for option, value in (("--time", time), ("--groups", groups), ("--folds", folds)):
            chosen.refuse(option, value)
        with job.stage("reading"):
            X, y = features_and_labels(read(data), target, exclude or [])
            check_columns("--time", time, X.columns)
            check_columns("--groups", groups, X.columns)
        cv = 10 if folds is None else folds
        how: dict[str, Any] = {"cv": cv, "time": time, "groups": groups, "random_state": seed}
        result = run(
            chosen.panel(X, y) if chosen.fitted else chosen.models,
            X,
            y,
            measure=measure,
            benefit=benefit,
            pos_label=known_label(positive, y),
            threshold=threshold,
            level=level,
            alpha=alpha,
            **({} if chosen.fitted else how),
        )
        job.page(lambda path: result.save(path, redact=redact))
    job.end(result.to_dict, lambda console: show_evaluation(console, result, everything=everything))
    return 0
