"""`shiftproof evaluate`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_known_measure, complete_models
from shiftproof.cli._job import Job
from shiftproof.cli._models import choose_models
from shiftproof.cli._tables import LabelledFile, known_label
from shiftproof.core import InputError


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
    balance: bool = False,
    learning_curve: bool = False,
    level: float = 0.9,
    alpha: float = 0.05,
    machines: options.Machines,
    seed: int = 0,
    job: Job,
    everything: bool = False,
) -> int:
    """Say how good each model is on rows it has not seen, with intervals, and which differences are noise.

    Each model is fitted once per fold, unless it is already fitted, and every
    row is scored by a model that has not seen it. By default there are seven
    models, from logistic regression to boosted trees. The figures apply to data
    like these; [bold]shiftproof detect[/bold] shows whether your new data are
    similar.

    [dim]shiftproof evaluate customers.csv --target churned[/dim]
    [dim]shiftproof evaluate customers.csv --target churned --models lr,forest[/dim]
    [dim]  --measure auc --cost FP=1,FN=5 --exclude date --out page.html[/dim]

    Parameters
    ----------
    measure : NAME
        The measure to rank models by: accuracy, error, precision, recall, f1, g_mean, balanced_accuracy, auc,
        average_precision, three_point_average_precision, brier, log_loss, calibration_error, or profit (with --cost).
        Default: accuracy, or profit with --cost.
    balance
        Fit on the same number of rows from each class. Probabilities are converted back to the class proportions of
        LABELLED.
    learning_curve
        Also fit the models on fewer rows and say whether more labelled rows would help. Takes about three times as
        long.
    everything : --all
        Print every measure, not just the main ones.
    time : COL
        A column of times: models are tested only on rows that are later than their training rows.
    """
    from shiftproof.cli._show import show_evaluation
    from shiftproof.evaluation import evaluate as run
    from shiftproof.evaluation import learning_curve as run_fewer

    if learning_curve and time is not None:
        raise InputError(
            "--learning-curve and --time cannot be used together, because folds in time have different sizes; "
            "leave out one of them"
        )
    # A wrong cost is refused before files are read and models are fitted.
    benefit = options.benefit_of(cost)
    with job.listening(), machines.working():
        chosen = choose_models(models, trust)
        fitting = {"--time": time, "--groups": groups, "--folds": folds}
        chosen.refuse({**fitting, "--balance": balance or None, "--learning-curve": learning_curve or None})
        X, y = file.read(job, exclude, {"--time": time, "--groups": groups})
        how: dict[str, Any] = {
            "measure": measure,
            "benefit": benefit,
            "pos_label": known_label(file.positive, y.unique().tolist()),
            "threshold": threshold,
            "level": level,
            "cv": chosen.cv(folds),
            "groups": groups,
            "balance": balance,
            "random_state": seed,
        }
        result = run(chosen.models, X, y, alpha=alpha, time=time, **how)
        if learning_curve:
            result = replace(result, learning=run_fewer(chosen.models, X, y, **how))
    return job.end(result, partial(show_evaluation, everything=everything))
