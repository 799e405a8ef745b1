"""The verb: measure models with fewer training rows, to see whether more would help."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import columns_aside, warn_of_columns_aside
from shiftproof.core import (
    Codes,
    Phrase,
    Rows,
    Seed,
    ShiftproofWarning,
    check_count,
    fault,
    generator,
    is_number,
    is_texts,
    seed_number,
    suggests_arguments,
    warn,
    without_columns,
)
from shiftproof.evaluation._evaluate import check_measure, evaluate
from shiftproof.evaluation._learning_result import LearningCurve
from shiftproof.evaluation._result import Evaluation
from shiftproof.evaluation._setup import Setup
from shiftproof.measures import MEASURES, Benefit, BenefitMatrix
from shiftproof.panel import Panel, cross_fit, encode_labels, fold_pairs
from shiftproof.stats import SchemeComparison, corrected_resampled_t

_FOLDS = 10
# By default each size is twice the one before.
_SIZES, _FEWEST_ROWS, _FEWEST_PER_CLASS = 5, 20, 5


@suggests_arguments
def learning_curve(
    models: object,
    X: object,
    y: object,
    *,
    sizes: Sequence[float] | None = None,
    measure: str | None = None,
    benefit: Benefit | BenefitMatrix | None = None,
    table: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    level: float = 0.9,
    cv: object = None,
    groups: object = None,
    sample_weight: object = None,
    balance: bool = False,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> LearningCurve:
    """Measure each model after fitting it on fewer rows, and say whether more labelled rows would help.

    In every fold of a cross-validation, models are fitted on nested, stratified parts of the training rows, and always
    tested on the same rows. The largest size is the cross-validation itself.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, or estimator
        Candidates, as in `shiftproof.cross_fit`.
    X : table of any library or array; y : sequence of labels
        The labelled rows.
    sizes : sequence of int or float, optional
        Numbers of training rows, or shares of the largest (0.5); by default five sizes, each twice the one before.
    measure : str, optional
        A name in `shiftproof.measures.MEASURES`; by default "accuracy", or "profit" with a benefit.
    benefit, table, pos_label, threshold, level
        As in `shiftproof.evaluate`.
    cv, groups, sample_weight, balance, random_state, n_jobs, progress
        As in `shiftproof.cross_fit`, with its defaults. With `balance`, balanced rows are drawn from each part.

    Returns
    -------
    LearningCurve
        With `to_frame()`, `improving`, `summary()`, `plot()` and `save("page.html")`.

    Notes
    -----
    Intervals are computed as in `shiftproof.evaluate`. The gain of the last step is tested on the differences between
    the folds (corrected resampled t test). With the default sizes this takes about twice the time of one
    cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> curve = learning_curve({"tree": DecisionTreeClassifier(random_state=0)}, X, y, sizes=[0.1, 0.3, 1.0], cv=5)
    >>> print(curve.to_frame()[["model", "size", "estimate"]].round(2).to_string(index=False))
    model  size  estimate
     tree    46      0.91
     tree   136      0.91
     tree   455      0.93
    """
    if measure is None:
        measure = "accuracy" if benefit is None else "profit"
    # Before anything is fitted.
    check_measure(measure, benefit)
    _refuse_panels(models)
    actual = benefit.actual_columns if isinstance(benefit, Benefit) else frozenset()
    aside = columns_aside(models, X, None, hidden={*actual, *([groups] if isinstance(groups, str) else [])})
    warn_of_columns_aside(aside, X, adjustable=False)
    features = without_columns(X, {*actual, *aside})
    # One seed for all sizes, also of a generator.
    seed = seed_number(random_state)
    folds = _FOLDS if cv is None else cv
    pairs = fold_pairs(features, y, cv=folds, groups=groups, random_state=seed)
    codes = encode_labels(y)[1]
    chosen = _sizes(sizes, min(len(train) for train, _ in pairs), int(codes.max()) + 1)
    orders = nested_orders([train for train, _ in pairs], codes, generator(seed))
    found: dict[int, Evaluation] = {}
    with _once():
        for size in chosen:
            panel = cross_fit(
                models,
                features,
                y,
                cv=[(np.sort(order[:size]), test) for order, (_, test) in zip(orders, pairs, strict=True)],
                groups=groups,
                sample_weight=sample_weight,
                balance=balance,
                random_state=seed,
                n_jobs=n_jobs,
                progress=progress,
                refit=False,
            )
            found[size] = evaluate(
                panel,
                # Others would be computed in vain.
                measures=[measure if measure in MEASURES else "accuracy"],
                measure=measure,
                benefit=benefit,
                table=X if benefit is not None and table is None and not is_texts(X) else table,
                pos_label=pos_label,
                threshold=threshold,
                level=level,
            )
    return _curve(found)


def _curve(found: dict[int, Evaluation]) -> LearningCurve:
    *_, before, last = found
    ranking, measure = found[last].ranking, found[last].measure
    return LearningCurve(
        names=ranking,
        sizes=tuple(found),
        # A model may fail with few rows: it has no value there.
        estimates={
            name: {size: each.estimates[name][measure] for size, each in found.items() if name in each.estimates}
            for name in ranking
        },
        gains={name: _gain(found[before], found[last], name) for name in ranking},
        measure=measure,
        level=found[last].level,
        higher_is_better=measure == "profit" or MEASURES[measure].higher_is_better,
        n_tested=int(found[last].panel.tested.sum()),
        n_fits=sum(each.panel.n_fits for each in found.values()),
    )


def _gain(before: Evaluation, last: Evaluation, name: str) -> SchemeComparison | None:
    """Compare the last two sizes of a model by their folds; None where one of them is missing."""
    if name not in before.estimates:
        return None
    more, fewer = (_setup(each).fold_values(name, last.measure) for each in (last, before))
    differences = (more - fewer)[np.isfinite(more - fewer)]
    if len(differences) < 2:
        return None
    n_train, n_test = np.mean(last.panel.fold_sizes, axis=0).tolist()
    return corrected_resampled_t(
        differences,
        n_train=n_train,
        n_test=n_test,
        level=last.level,
        names=("more rows", "fewer rows"),
        higher_is_better=last.measure == "profit" or MEASURES[last.measure].higher_is_better,
    )


def _setup(result: Evaluation) -> Setup:
    return Setup(
        panel=result.panel,
        positive=result.positive,
        threshold=result.threshold,
        level=result.level,
        benefit=result.benefit,
        table=result.table,
    )


def nested_orders(parts: Sequence[Rows], codes: Codes, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Put the training rows of each fold in an order of which every beginning has the classes in proportion.

    Examples
    --------
    >>> codes = np.repeat([0, 1], [8, 4])
    >>> order = nested_orders([np.arange(12)], codes, np.random.default_rng(0))[0]
    >>> codes[order][:3].tolist(), codes[order][:6].sum()
    ([0, 1, 0], np.int64(2))
    """
    orders = []
    for rows in parts:
        drawn = rng.permutation(rows)
        place = np.empty(len(drawn))
        for code in np.unique(codes[drawn]):
            own = np.flatnonzero(codes[drawn] == code)
            place[own] = (np.arange(len(own)) + 0.5) / len(own)
            # One row of each class comes first, so that the smallest part has them all.
            place[own[0]] = code - len(codes)
        orders.append(drawn[np.argsort(place, kind="stable")])
    return orders


def _sizes(sizes: Any, largest: int, n_classes: int) -> list[int]:
    """Return the numbers of training rows, ascending."""
    if sizes is None:
        fewest = max(_FEWEST_ROWS, _FEWEST_PER_CLASS * n_classes)
        halved = [round(largest / 2**step) for step in range(_SIZES)]
        chosen = sorted(size for size in halved if size >= fewest)
        if len(chosen) < 2:
            hint = f"{2 * fewest} training rows in each fold are enough"
            raise fault("X", "have enough rows for two sizes", Phrase(f"{largest:,} training rows"), hint)
        return chosen
    given = sizes if isinstance(sizes, Sequence | np.ndarray) and not isinstance(sizes, str) else [sizes]
    found = {_size(value, largest, n_classes) for value in given}
    if len(found) < 2:
        raise fault("sizes", "name at least two sizes", sizes, "write [0.25, 0.5, 1.0]")
    return sorted(found)


def _size(value: Any, largest: int, n_classes: int) -> int:
    if not is_number(value) or not value > 0:
        raise fault("sizes", "hold numbers of rows, or shares of them", value, "write [100, 200, 400] or [0.5, 1.0]")
    # A whole number counts rows, 1.0 is all of them.
    rows = round(value * largest) if isinstance(value, float) and value <= 1 else check_count(value, "sizes")
    if rows > largest:
        raise fault(
            "sizes", f"be at most {largest:,} (the number of training rows in a fold)", rows, "1.0 uses all of them"
        )
    if rows < n_classes:
        raise fault("sizes", f"be at least {n_classes}, one row per class", rows, "give larger ones")
    return rows


@contextmanager
def _once() -> Iterator[None]:
    """Give a warning once that every size would give."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in {str(warning.message): warning.message for warning in caught}.values():
        if isinstance(message, ShiftproofWarning):
            warn(message)
        else:  # of a library below, which knows no line of the caller's
            warnings.warn(message, stacklevel=4)


def _refuse_panels(models: object) -> None:
    if isinstance(models, Panel):
        raise fault(
            "models", "be estimators, which can be fitted on parts of the rows", Phrase("a Panel"), "pass the models"
        )
