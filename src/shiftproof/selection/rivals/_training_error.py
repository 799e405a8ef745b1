"""Methods that judge a model by its errors on the rows it learnt from: as they are, or plus a bound by its capacity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from shiftproof.core import Floats, check_choice, check_fraction, fault, is_number, listed
from shiftproof.selection.rivals._interface import Guess, Rival, Setting
from shiftproof.stats import VCForm, vc_bound

_DESCRIPTION = "the training accuracy minus a bound from the VC dimension, for data that do not shift"


def training_accuracies(setting: Setting) -> Floats:
    """Return the share of labelled rows that each refitted model decides right, having learnt from them."""
    candidates, panel = setting.candidates, setting.models
    data = panel.features_of(setting.X, "X")
    return np.array(
        [
            float(candidates.base @ (panel.scorers[name](data).argmax(axis=1) == candidates.codes))
            for name in candidates.names
        ]
    )


def guess_training(setting: Setting) -> Guess:
    """Guess that a model is as accurate on new rows as on the rows it learnt from."""
    return Guess(accuracies=training_accuracies(setting))


def structural_risk(
    *, dimensions: Mapping[str, float] | None = None, form: VCForm = "vapnik", delta: float = 0.05
) -> Rival:
    r"""Create the rival that ranks models by the VC bound of their error (structural risk minimisation).

    Fan and Davidson (2006, section 3.2) list it along with cross-validation and leave-one-out. The accuracy is 1 minus
    `shiftproof.stats.vc_bound` of the training error. The bound assumes that nothing shifts. The accuracy is often
    below 0: it can rank models, but says little about how good they are.

    Parameters
    ----------
    dimensions : mapping of model to float, optional
        VC dimensions that you know, to use instead of those from :func:`vc_dimension`.
    form : {"vapnik", "printed"}
        Vapnik's bound, or the formula as printed in the paper.
    delta : float
        The probability that a bound fails.

    Returns
    -------
    Rival
        For `rival_scores`; `select` accepts rivals by their names in `RIVALS`.

    Notes
    -----
    If a model's dimension is unknown or at least the number of rows, the number of rows is used as its dimension. The
    bound then says nothing, and the model ranks behind most others. This applies to nearest neighbours, forests and
    boosting.

    Examples
    --------
    >>> from shiftproof.selection import rival_scores
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=4000)
    >>> X = rng.normal(size=(4000, 2)) + 1.5 * y[:, None]
    >>> rivals = ["training accuracy", structural_risk(), structural_risk(form="printed")]
    >>> rival_scores(LogisticRegression(), X, y, X, rivals=rivals)[["rival", "accuracy"]].round(4)
                             rival  accuracy
    0            training accuracy    0.8575
    1              structural risk    0.7694
    2  structural risk, as printed    0.7738
    """
    check_choice(form, "form", ("vapnik", "printed"))
    check_fraction(delta, "delta")
    known = dict(dimensions or {})
    for name, dimension in known.items():
        if not is_number(dimension) or not dimension > 0:
            raise fault(f"dimensions[{name!r}]", "be a number above 0", dimension, "d + 1 for a linear rule")
    return Rival(
        "structural risk" if form == "vapnik" else "structural risk, as printed",
        partial(_guess_risk, dimensions=known, form=form, delta=delta),
        _DESCRIPTION if form == "vapnik" else f"{_DESCRIPTION}; the formula as Fan and Davidson print it",
        needs_training=True,
    )


def _guess_risk(setting: Setting, *, dimensions: Mapping[str, float], form: VCForm, delta: float) -> Guess:
    n, panel, names = setting.candidates.n, setting.models, setting.candidates.names
    found = {name: dimensions.get(name, vc_dimension(panel.scorers[name].estimator)) for name in names}
    errors = 1 - training_accuracies(setting)
    accuracies = [
        # At most n: beyond that there is no bound.
        1 - vc_bound(float(error), n, min(n if h is None else h, n), delta=delta, form=form).bound
        for error, h in zip(errors, found.values(), strict=True)
    ]
    unknown = [name for name, h in found.items() if h is None or h >= n]
    notes = (f"no VC dimension below the number of rows is known for {listed(unknown)}",) if unknown else ()
    extra = {f"VC dimension of {name}": float(h) for name, h in found.items() if h is not None}
    return Guess(accuracies=np.array(accuracies), notes=notes, extra=extra)


def vc_dimension(estimator: Any) -> float | None:
    """Return the VC dimension of a fitted model's family, if it is simple enough to be known.

    Linear rules of d features have d + 1 (of k classes that for each); Gaussian naive Bayes is linear in the features
    and their squares, other naive Bayes in indicators of the categories. A tree counts its leaves, which is what it has
    if its splits were fixed, and less than for trees in general.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = np.arange(20.0).reshape(10, 2), [0, 1] * 5
    >>> vc_dimension(LogisticRegression().fit(X, y)), vc_dimension(KNeighborsClassifier(3).fit(X, y))
    (3.0, None)
    """
    if hasattr(estimator, "steps"):
        return vc_dimension(estimator.steps[-1][1])
    for attribute, count in _COUNTS.items():
        # Coefficients of a kernel are refused by the model itself.
        if hasattr(estimator, attribute):
            return float(count(estimator))
    return None


def _linear(coefficients: Any) -> int:
    # Coefficients may be sparse.
    shape: tuple[int, ...] = coefficients.shape
    rows, d = shape if len(shape) == 2 else (1, *shape)
    return rows * (d + 1)


def _mixed_bayes(model: Any) -> int:
    levels = sum(len(values) - 1 for values in model.values_)
    return 2 * len(model.numeric_) + int(levels) + 1


# What a model has learnt, and the dimension that follows.
_COUNTS: dict[str, Callable[[Any], int]] = {
    "coef_": lambda model: _linear(model.coef_),
    "feature_log_prob_": lambda model: np.shape(model.feature_log_prob_)[1] + 1,
    "theta_": lambda model: 2 * np.shape(model.theta_)[1] + 1,
    "numeric_": _mixed_bayes,
    "tree_": lambda model: model.get_n_leaves() if hasattr(model, "get_n_leaves") else model.tree_.get_n_leaves(),
}
