"""`shiftproof evaluate`."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_known_measure, complete_models
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._tables import LabelledFile, known_label


def evaluate(
    *,
    file: LabelledFile,
    models: Annotated[str | None, complete_models] = None,
    trust: list[str] | None = None,
    measure: Annotated[str | None, complete_known_measure] = None,
    cost: str | None = None,
    folds: int | None = None,
    time: str | None = None,
    groups: str | None = None,
    exclude: list[str] | None = None,
    threshold: float | None = None,
    level: float = 0.9,
    alpha: float = 0.05,
    machines: options.Machines,
    seed: int = 0,
    job: Job,
    everything: bool = False,
) -> int:
    """Say how good each model is on rows it never saw, with intervals, and which differences are noise.

    Each model is fitted once per fold; every row is scored by a model that
    never saw it. By default there are seven models, from logistic regression
    to boosted trees. The figures apply to new data like these;
    [bold]shiftproof detect[/bold] shows whether new data are like them.

    [dim]shiftproof evaluate customers.csv --target churned[/dim]
    [dim]shiftproof evaluate customers.csv --target churned --models lr,forest[/dim]
    [dim]  --measure auc --cost FP=1,FN=5 --exclude date --out page.html[/dim]

    Parameters
    ----------
    measure : NAME
        What ranks the models: accuracy, auc, f1, brier and others; default: accuracy, or profit with --cost.
    everything : --all
        Print every measure, not only the main ones.
    time : COL
        A time column: models are tested only on rows later than their training rows.
    """
    from shiftproof.cli._show import show_evaluation
    from shiftproof.evaluation import evaluate as run

    # A wrong cost is refused before files are read and models are fitted.
    benefit = options.benefit_of(cost)
    with job.listening(), machines.working():
        chosen = choose_models(models, trust)
        chosen.refuse({"--time": time, "--groups": groups, "--folds": folds})
        X, y = file.read(job, exclude, {"--time": time, "--groups": groups})
        result = run(
            chosen.models,
            X,
            y,
            measure=measure,
            benefit=benefit,
            pos_label=known_label(file.positive, y),
            threshold=threshold,
            level=level,
            alpha=alpha,
            cv=chosen.cv(folds),
            time=time,
            groups=groups,
            random_state=seed,
        )
    return job.end(result, partial(show_evaluation, everything=everything))
