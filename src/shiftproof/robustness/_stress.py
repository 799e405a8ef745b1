"""The verb: fit once, shift the test rows in every way of the papers, and compare the models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from shiftproof.core import (
    Interval,
    Phrase,
    Seed,
    check_count,
    check_flag,
    check_fraction,
    fault,
    generator,
    suggests_arguments,
)
from shiftproof.panel import as_features, take
from shiftproof.robustness._envelope import Envelope, make_envelope
from shiftproof.robustness._features import FeatureShifts, TableDistance
from shiftproof.robustness._judge import Verdicts
from shiftproof.robustness._measure import Refusals, Sampling, measure_all
from shiftproof.robustness._omissions import left_out_cells
from shiftproof.robustness._result import Stress
from shiftproof.robustness._rows import BASE, TableShift, model_cells, model_shifts, table_cells, table_shifts
from shiftproof.robustness._subject import Subject, make_subject
from shiftproof.simulation import FAMILIES, Cell, Family, Grid

# The largest values that measures of sensitivity can take.
_HIGHEST = {"accuracy": 1.0, "auc": 1.0, "hellinger": math.sqrt(2)}


class GridOptions(TypedDict):
    """Which shifts are made, as for `Grid`."""

    families: Sequence[Family]
    features: Sequence[object] | None
    shares: Sequence[float]
    strengths: Sequence[float]
    prevalences: Sequence[float]
    random_state: int


@dataclass(frozen=True, kw_only=True)
class StressOptions:
    """How outcomes are judged; see `stress`."""

    tolerance: float
    level: float
    alpha: float
    by_class: bool = False

    def __post_init__(self) -> None:
        check_fraction(self.level, "level", hint="0.9 means 90%")
        check_fraction(self.alpha, "alpha")
        check_fraction(self.tolerance, "tolerance", hint="0.05 means five points of accuracy")


@suggests_arguments
def stress(
    models: object,
    X: object = None,
    y: object = None,
    *,
    split: tuple[float, float, float] = (0.5, 0.2, 0.3),
    families: Sequence[Family] = FAMILIES[:-1],
    features: Sequence[object] | None = None,
    shares: Sequence[float] = (0.25, 0.5),
    strengths: Sequence[float] = (0.25, 0.5, 1.0, 2.0),
    prevalences: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
    bootstraps: int = 100,
    by_class: bool = False,
    tolerance: float = 0.05,
    pos_label: object = None,
    level: float = 0.9,
    alpha: float = 0.05,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Stress:
    """Measure models under shifts that have not happened yet: the whole grid of Cieslak and Chawla (2007, 2009).

    The rows are split into training, validation and test rows. Each model is fitted once. Then the test rows are
    shifted in every way of `shiftproof.simulation.Grid`, and the models' measures on the shifted rows are compared with
    those without a shift.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        As in `shiftproof.cross_fit`. With a panel nothing is fitted: its tested rows are split 40:60 into validation
        and test rows, and altered rows are scored by the model of their own fold.
    X : table of any library or array
        The features; with a panel, the rows it was made from.
    y : sequence of labels
        Not needed with a panel.
    split : tuple of three floats
        The shares of training, validation and test rows; each class is split in the same shares.
    families, features, shares, strengths, prevalences
        The shifts to make, as in `shiftproof.simulation.Grid`; the base (no shift) is always included.
    bootstraps : int
        Number of resamples of the test rows, for intervals and for the papers' Friedman test; at least 20.
    by_class : bool
        Whether to compare the features within each class as well, which needs the labels of the test rows. A change of
        class proportions alone makes no feature fail within a class (2009, figure 14).
    tolerance : float
        How much the accuracy may change within a model's envelope.
    pos_label : label, optional
        The positive class; by default the second of two. With more than two classes, the class whose share shifts and
        whose scores are compared; by default, no prior shifts are made, and the largest probability is compared.
    level : float
        The coverage of the intervals.
    alpha : float
        The significance level of the tests: of each feature, and of the differences between models.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of split, shifts and resamples.
    n_jobs : int, optional
        Number of fits or rounds of scoring to run in parallel; each runs on one thread.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal, after a second.

    Returns
    -------
    Stress
        With `to_frame()`, `cells`, `sensitivity`, `ranking`, `envelope`, `summary()`, figures and `save("page.html")`.

    Notes
    -----
    Shifts that only drop rows need no new scores. A model that does not accept a table with a masked feature has no
    figures for it, and the summary says so. The intervals apply to these fitted models and test rows drawn like these:
    another training set would give different models. The Friedman test compares bootstraps of one set of predictions,
    as in the papers. These are not independent evidence, so p goes to 0 as the number of bootstraps grows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models, families = {"bayes": GaussianNB()}, ["mar", "offset"]
    >>> result = stress(models, X[:, :3], y, families=families, shares=[0.5], strengths=[1, 2])
    >>> print(result.to_frame()[["model", "shift", "accuracy", "accuracy_change"]].round(2).to_string(index=False))
    model       shift  accuracy  accuracy_change
    bayes        base      0.88             0.00
    bayes      MAR 50      0.91             0.03
    bayes offset 1 sd      0.78            -0.10
    bayes offset 2 sd      0.59            -0.29
    """
    options = StressOptions(tolerance=tolerance, level=level, alpha=alpha, by_class=check_flag(by_class, "by_class"))
    bootstraps = check_count(bootstraps, "bootstraps", least=20, hint="100 is usual")
    if X is None:
        raise fault("X", "be given", hint="shifts are made in the table of features")
    # One seed each for the split, the shifts and the resamples: more of one does not change the rest.
    seeds = generator(random_state).integers(2**31 - 1, size=3).tolist()
    shifts: GridOptions = {
        "families": _with_base(families),
        "features": features,
        "shares": shares,
        "strengths": strengths,
        "prevalences": prevalences,
        "random_state": seeds[1],
    }
    data = as_features(X)
    # A grid of one row refuses wrong shifts before anything is fitted.
    Grid(take(data.data, np.zeros(1, dtype=np.intp)), **shifts)
    subject = make_subject(
        models, data, y, split=split, pos_label=pos_label, seed=seeds[0], n_jobs=n_jobs, progress=progress
    )
    sampling = Sampling(bootstraps=bootstraps, seed=seeds[2], n_jobs=n_jobs, progress=progress)
    return _stress_subject(subject, shifts, sampling, options)


def _stress_subject(subject: Subject, shifts: GridOptions, sampling: Sampling, options: StressOptions) -> Stress:
    """Shift the test rows of a subject, measure its models on them, and compare the models."""
    positive = subject.positive_label
    # As objects of Python, like the positive label: NumPy turns dates of days and of seconds into different ones.
    labels = subject.panel.classes_[subject.codes].tolist()
    grid = Grid(subject.table(subject.test), labels, pos_label=positive, **shifts)
    _require_shifts(grid)
    outcomes, refusals = measure_all(subject, grid, sampling)
    # The base needs no new scores, so every model has an outcome for it.
    _require_outcomes(refusals, len(outcomes) - len(subject.names))
    distances = FeatureShifts(subject, options.alpha)
    # The same for all models, so once for each table.
    tables = {cell: distances.of(grid.make(cell)) for cell in grid.cells}
    verdicts = Verdicts(outcomes, grid.cells, BASE, options.level, options.alpha)
    return Stress(
        models=subject.names,
        rows=model_shifts(verdicts, subject.names),
        cell_rows=model_cells(verdicts, subject.names),
        tables=table_shifts(tables),
        table_cells=table_cells(tables),
        class_tables=_class_tables(subject, grid, options.alpha) if options.by_class else (),
        sensitivity={name: _sensitivity(verdicts, name) for name in subject.names},
        ranking=verdicts.leads(subject.names),
        envelope={name: _envelope(verdicts, name, tables, options.tolerance) for name in subject.names},
        left_out=left_out_cells(refusals),
        skipped=grid.skipped,
        untested=distances.left_out,
        failures=dict(subject.panel.failures),
        sizes=subject.sizes,
        baseline=float(np.bincount(subject.codes).max() / len(subject.codes)),
        score="the largest probability" if subject.positive is None else f"the probability of {positive!r}",
        classes=tuple(subject.panel.classes_.tolist()),
        positive=positive,
        bootstraps=sampling.bootstraps,
        level=options.level,
        alpha=options.alpha,
    )


def _class_tables(subject: Subject, grid: Grid, alpha: float) -> tuple[TableShift, ...]:
    """Compare the features within each class that both the training and the test rows have."""
    tables: list[TableShift] = []
    for code, label in enumerate(subject.panel.classes_.tolist()):
        if (subject.codes == code).any() and (subject.panel.y[subject.reference] == code).any():
            distances = FeatureShifts(subject, alpha, code=code)
            tables += table_shifts({cell: distances.of(grid.make(cell)) for cell in grid.cells}, label)
    return tuple(tables)


def _with_base(families: Sequence[Family]) -> Sequence[Family]:
    """Put the base first, which every shift is compared with; `Grid` refuses what is not a list."""
    is_list = isinstance(families, Sequence) and not isinstance(families, str)
    return ("base", *(family for family in families if family != "base")) if is_list else families


def _require_shifts(grid: Grid) -> None:
    if len(grid) > 1:
        return
    if grid.skipped:
        raise fault(
            "families",
            "include a shift that can be applied",
            Phrase(f"none ({grid.skipped[0]})"),
            "choose other shifts",
        )
    raise fault("families", "name a shift other than 'base'", list(grid.families), "leave it out to get all")


def _require_outcomes(refusals: Refusals, shifted: int) -> None:
    if not shifted:
        (model, _), reason = next(iter(refusals.items()))
        hint = "choose other families, or models that accept missing values"
        raise fault("models", "be able to score a shifted table", Phrase(f"{model!r} with ", reason.phrase), hint)


def _sensitivity(verdicts: Verdicts, model: str) -> dict[str, dict[str, Interval]]:
    """Return the sensitivity index by family and measure, and over all shifts as ``overall``."""
    cells = verdicts.scored_cells(model)
    # `index` averages by shift, so families of many cells do not dominate the overall index.
    by_family: dict[str, list[Cell]] = {"overall": cells}
    for cell in cells:
        by_family.setdefault(cell.family, []).append(cell)
    return {
        family: {
            measure: verdicts.interval(verdicts.index(model, of_family, measure), 0.0, highest)
            for measure, highest in _HIGHEST.items()
        }
        for family, of_family in by_family.items()
    }


def _envelope(verdicts: Verdicts, model: str, tables: Mapping[Cell, TableDistance], tolerance: float) -> Envelope:
    cells = verdicts.scored_cells(model)
    return make_envelope(
        model,
        np.array([verdicts.change(model, [cell], "accuracy")[0] for cell in cells]),
        np.array([tables[cell].hellinger for cell in cells]),
        np.array([tables[cell].failing for cell in cells]),
        base=tables[BASE].hellinger,
        tolerance=tolerance,
    )
