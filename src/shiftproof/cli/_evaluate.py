"""`shiftproof evaluate`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._completion import complete_column, complete_known_measure
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._options import Data, Exclude, Groups, Json, Level, Models, Out, Target, Threshold, Trust
from shiftproof.cli._show import show_evaluation
from shiftproof.cli._tables import features_and_labels, known_label


def evaluate(
    data: Data,
    target: Target,
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The positive class of two; by default the second when sorted.")
    ] = None,
    models: Models = None,
    trust: Trust = None,
    measure: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What ranks the models: accuracy, auc, f1, brier, ...",
            autocompletion=complete_known_measure,
        ),
    ] = "accuracy",
    cost: Annotated[
        str | None, typer.Option(metavar="FP=1,FN=5", help="What wrong decisions cost: adds the profit per row.")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Folds of the cross-validation; by default 10.")] = None,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="A time column: test only on what came later.", autocompletion=complete_column
        ),
    ] = None,
    groups: Groups = None,
    exclude: Exclude = None,
    threshold: Threshold = None,
    level: Level = 0.9,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    out: Out = None,
    json: Json = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every measure, not only the main ones.")] = False,
) -> int:
    """Say how good each model is on rows it never saw, with intervals, and which differences are noise.

    Each model is fitted once per fold; every row is scored by a model that
    never saw it. By default there are seven models, from logistic regression
    to boosted trees. The figures hold for new rows drawn like these: whether
    tomorrow's rows are is what [bold]shiftproof detect[/bold] answers.

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
            check_columns("--time", [time] if time is not None else [], X.columns)
            check_columns("--groups", [groups] if groups is not None else [], X.columns)
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
            **({} if chosen.fitted else how),
        )
        job.page(result.save)
    job.end(result.to_dict, lambda console: show_evaluation(console, result, everything=everything))
    return 0
