"""The verb: fit once, shift the test rows in every way the papers did, and see who stands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shiftproof.core import Failure, Interval, Phrase, Seed, check_count, check_fraction, fault, generator
from shiftproof.panel import as_features, take
from shiftproof.robustness._envelope import Envelope, make_envelope
from shiftproof.robustness._features import FeatureShifts, TableDistance
from shiftproof.robustness._judge import Verdicts, by_shift
from shiftproof.robustness._measure import Refusals, measure_all
from shiftproof.robustness._result import LeftOut, ModelCell, ModelShift, Stress, TableCell, TableShift
from shiftproof.robustness._subject import make_subject
from shiftproof.simulation import FAMILIES, Cell, Family, Grid

_BASE = Cell("base")


def stress(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    split: tuple[float, float, float] = (0.5, 0.2, 0.3),
    families: Sequence[Family] = FAMILIES[:-1],
    features: Sequence[Any] | None = None,
    shares: Sequence[float] = (0.25, 0.5),
    strengths: Sequence[float] = (0.25, 0.5, 1.0, 2.0),
    prevalences: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
    bootstraps: int = 100,
    tolerance: float = 0.05,
    pos_label: Any = None,
    level: float = 0.9,
    alpha: float = 0.05,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Stress:
    """Say how models bear shifts that have not happened yet: the whole grid of Cieslak and Chawla (2007, 2009).

    The rows are split into training, validation and test rows. Each model is fitted once; then the test rows are
    shifted in every way of `shiftproof.simulation.Grid`, and what the models do there is compared with what they do
    without a shift.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        As in `shiftproof.cross_fit`. With a panel nothing is fitted: its tested rows are split 40:60 into validation
        and test rows, and altered rows are scored by the model of their own fold.
    X : table of any library or array
        The features; with a panel those it was made from.
    y : sequence of labels
        Not needed with a panel.
    split : tuple of three floats
        The shares of training, validation and test rows, classes in equal shares.
    families, features, shares, strengths, prevalences
        Which shifts, as in `shiftproof.simulation.Grid`; the base is always there.
    bootstraps : int
        Resamples of the test rows, for intervals and for the papers' Friedman test; at least 20.
    tolerance : float
        By how much the accuracy may change inside a model's envelope.
    pos_label : label, optional
        The positive class; by default the second of two. Of several classes, the one whose share shifts and whose
        scores are compared; without it no prior shifts are made, and the largest probability is compared.
    level : float
        The coverage of the intervals.
    alpha : float
        The significance level of the tests: of each feature, and of the differences between models.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of split, shifts and resamples.
    n_jobs : int, optional
        Fits, and rounds of scoring, at a time; each runs on one thread.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal, after a second.

    Returns
    -------
    Stress
        With `to_frame()`, `cells`, `sensitivity`, `ranking`, `envelope`, `summary()`, figures and `save("page.html")`.

    Notes
    -----
    Shifts that only drop rows need no new scores. A model that cannot take a table with a masked feature has no
    figures there, and the summary says so. The intervals are about these fitted models on test rows drawn like these:
    another training set would give other models. The p-values of the Friedman test are of bootstraps of one set of
    predictions, as in the papers; these are no independent evidence, so p goes to 0 as their number grows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = stress({"bayes": GaussianNB()}, X[:, :3], y, families=["mar", "offset"], shares=[0.5], strengths=[1, 2])
    >>> print(found.to_frame()[["model", "shift", "accuracy", "accuracy_change"]].round(2).to_string(index=False))
    model       shift  accuracy  accuracy_change
    bayes        base      0.88             0.00
    bayes      MAR 50      0.91             0.03
    bayes offset 1 sd      0.78            -0.10
    bayes offset 2 sd      0.59            -0.29
    """
    level = check_fraction(level, "level", hint="0.9 means 90%")
    alpha = check_fraction(alpha, "alpha")
    bootstraps = check_count(bootstraps, "bootstraps", least=20, hint="100 is usual")
    tolerance = check_fraction(tolerance, "tolerance", hint="0.05 means five points of accuracy")
    seeds = generator(random_state).integers(2**31 - 1, size=3).tolist()
    if X is None:
        raise fault("X", "be given", None, "shifts are made in the table of features")
    data = as_features(X)
    shifts: dict[str, Any] = {
        "families": ("base", *(each for each in families if each != "base")) if _is_list(families) else families,
        "features": features,
        "shares": shares,
        "strengths": strengths,
        "prevalences": prevalences,
        "random_state": seeds[1],
    }
    Grid(take(data.data, np.zeros(1, dtype=np.intp)), **shifts)  # refuses what is wrong before anything is fitted
    subject = make_subject(
        models, X, y, data=data, split=split, pos_label=pos_label, seed=seeds[0], n_jobs=n_jobs, progress=progress
    )
    positive = None if subject.positive is None else subject.panel.classes_.tolist()[subject.positive]
    grid = Grid(subject.table(subject.test), subject.panel.classes_[subject.codes], pos_label=positive, **shifts)
    _require_shifts(grid)
    outcomes, refusals = measure_all(
        subject, grid, bootstraps=bootstraps, seed=seeds[2], n_jobs=n_jobs, progress=progress
    )
    _require_outcomes(refusals, len(outcomes) - len(subject.names))
    distances = FeatureShifts(subject, alpha)
    tables = {cell: distances.of(grid.make(cell)) for cell in grid.cells}
    verdicts = Verdicts(outcomes, grid.cells, _BASE, level, alpha)
    return Stress(
        models=subject.names,
        rows=_rows(verdicts, subject.names),
        cell_rows=_cells(verdicts, subject.names),
        tables=_table_rows(tables),
        table_cells=_table_cells(tables),
        sensitivity={name: _sensitivity(verdicts, name) for name in subject.names},
        ranking=verdicts.leads(subject.names),
        envelope={name: _envelope(verdicts, name, tables, tolerance) for name in subject.names},
        left_out=_left_out(refusals),
        skipped=grid.skipped,
        untested=distances.left_out,
        failures=dict(subject.panel.failures),
        sizes={
            "training": len(subject.reference),
            "validation": len(subject.validation),
            "test": len(subject.test),
        },
        score="the largest probability" if subject.positive is None else f"the probability of {positive!r}",
        classes=tuple(subject.panel.classes_.tolist()),
        positive=positive,
        bootstraps=bootstraps,
        level=level,
        alpha=alpha,
    )


def _is_list(families: Any) -> bool:
    return not isinstance(families, str) and isinstance(families, Sequence)


def _require_shifts(grid: Grid) -> None:
    if len(grid) > 1:
        return
    if grid.skipped:
        raise fault("families", "hold a shift that can be made", Phrase(f"none ({grid.skipped[0]})"), "choose others")
    raise fault("families", "name a shift besides the base", list(grid.families), "leave it out to get all")


def _require_outcomes(refusals: Refusals, shifted: int) -> None:
    if not shifted:
        (model, _), reason = next(iter(refusals.items()))
        hint = "choose other families, or models that take missing values"
        raise fault("models", "be able to score a shifted table", Phrase(f"{model!r} with ", reason.phrase), hint)


def _rows(verdicts: Verdicts, models: Sequence[str]) -> tuple[ModelShift, ...]:
    found = []
    for model in models:
        for cells in by_shift([verdicts.base, *verdicts.has(model)]).values():
            kruskal = [verdicts.outcomes[model, cell].kruskal for cell in cells]
            friedman = [verdicts.outcomes[model, cell].friedman for cell in cells]
            found.append(
                ModelShift(
                    model=model,
                    family=cells[0].family,
                    strength=cells[0].strength,
                    n_cells=len(cells),
                    accuracy=verdicts.accuracy(model, cells),
                    change=verdicts.interval(verdicts.change(model, cells, "accuracy"), -1.0, 1.0),
                    lowest=float(min(verdicts.values(model, cell, "accuracy")[0] for cell in cells)),
                    highest=float(max(verdicts.values(model, cell, "accuracy")[0] for cell in cells)),
                    **_points(verdicts, model, cells),
                    kruskal=_range(kruskal),
                    friedman=_range(friedman),
                )
            )
    return tuple(found)


def _points(verdicts: Verdicts, model: str, cells: Sequence[Cell]) -> dict[str, float]:
    """Return the other measures and their changes, which the table gives without intervals."""
    found = {}
    for measure, name in (("auc", "auc"), ("brier", "brier"), ("hellinger", "score_hellinger")):
        found[name] = float(verdicts.mean(model, cells, measure)[0])
        found[f"{name}_change"] = float(verdicts.change(model, cells, measure)[0])
    return found


def _range(values: Sequence[float]) -> tuple[float, float, float]:
    return float(np.mean(values)), float(min(values)), float(max(values))


def _cells(verdicts: Verdicts, models: Sequence[str]) -> tuple[ModelCell, ...]:
    return tuple(
        ModelCell(
            model=model,
            cell=cell,
            n=verdicts.outcomes[model, cell].n,
            change=verdicts.interval(verdicts.change(model, [cell], "accuracy"), -1.0, 1.0),
            accuracy=float(verdicts.values(model, cell, "accuracy")[0]),
            **_points(verdicts, model, [cell]),
            kruskal=verdicts.outcomes[model, cell].kruskal,
            friedman=verdicts.outcomes[model, cell].friedman,
        )
        for model in models
        for cell in [verdicts.base, *verdicts.has(model)]
    )


def _table_cells(tables: Mapping[Cell, TableDistance]) -> tuple[TableCell, ...]:
    base = tables[_BASE].hellinger
    return tuple(
        TableCell(
            cell=cell, failing=each.failing, hellinger=each.hellinger, skew=each.skew, change=each.hellinger - base
        )
        for cell, each in tables.items()
    )


def _table_rows(tables: Mapping[Cell, TableDistance]) -> tuple[TableShift, ...]:
    found = []
    for cells in by_shift(list(tables)).values():
        of_cells = [tables[cell] for cell in cells]
        hellinger = _range([each.hellinger for each in of_cells])
        found.append(
            TableShift(
                family=cells[0].family,
                strength=cells[0].strength,
                failing=_range([each.failing for each in of_cells]),
                hellinger=hellinger,
                skew=_known_mean([each.skew for each in of_cells]),
                change=hellinger[0] - tables[_BASE].hellinger,
            )
        )
    return tuple(found)


def _known_mean(values: Sequence[float]) -> float:
    known = [value for value in values if value == value]
    return float(np.mean(known)) if known else math.nan


def _sensitivity(verdicts: Verdicts, model: str) -> dict[str, dict[str, Interval]]:
    cells = verdicts.has(model)
    held: dict[str, list[Cell]] = {"overall": cells}
    for cell in cells:
        held.setdefault(cell.family, []).append(cell)
    highest = {"accuracy": 1.0, "auc": 1.0, "hellinger": math.sqrt(2)}
    return {
        name: {
            measure: verdicts.interval(verdicts.index(model, some, measure), 0.0, most)
            for measure, most in highest.items()
        }
        for name, some in held.items()
    }


def _envelope(verdicts: Verdicts, model: str, tables: Mapping[Cell, TableDistance], tolerance: float) -> Envelope:
    cells = verdicts.has(model)
    return make_envelope(
        model,
        np.array([verdicts.change(model, [cell], "accuracy")[0] for cell in cells]),
        np.array([tables[cell].hellinger for cell in cells]),
        np.array([tables[cell].failing for cell in cells]),
        base=tables[_BASE].hellinger,
        tolerance=tolerance,
    )


def _left_out(refusals: Refusals) -> tuple[LeftOut, ...]:
    """Join the cells that a model could not score, by family and reason."""
    counts: dict[tuple[str, str, Failure], int] = {}
    for (model, cell), reason in refusals.items():
        counts[model, cell.family, reason] = counts.get((model, cell.family, reason), 0) + 1
    return tuple(LeftOut(model=m, family=f, n_cells=n, reason=r) for (m, f, r), n in counts.items())
