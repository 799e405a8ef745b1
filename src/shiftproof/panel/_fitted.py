"""Check whether a model is already fitted, and warn before fitting it again."""

from __future__ import annotations

from collections.abc import Mapping

from shiftproof.core import RefittedModel, warn

_AS_IT_IS = "cv='prefit'"


def is_fitted(model: object) -> bool:
    """Return whether a model can score rows as it is.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> is_fitted(GaussianNB()), is_fitted(GaussianNB().fit([[0], [1]], [0, 1]))
    (False, True)
    """
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(model, "fit"):
        return True
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    except (AttributeError, TypeError):  # not derived from scikit-learn's classes, which is fine
        return _knows_classes(model)
    return True


def warn_refitted(named: Mapping[str, object], use: str = _AS_IT_IS) -> None:
    """Warn about models that were fitted before, and are about to be cloned and fitted again.

    Parameters
    ----------
    named : mapping of str to estimator
        The models by name.
    use : str
        What to pass instead so that the models are used as they are.
    """
    refitted = [name for name, model in named.items() if _loses_its_fit(model)]
    if refitted:
        warn(RefittedModel(refitted, use))


def _loses_its_fit(model: object) -> bool:
    """Return whether cloning a model discards what it has learnt."""
    from sklearn.base import BaseEstimator
    from sklearn.utils import get_tags

    usual = BaseEstimator.__sklearn_clone__
    # Frozen estimators survive cloning, for which they have a method of their own.
    if not hasattr(model, "fit") or getattr(type(model), "__sklearn_clone__", usual) is not usual:
        return False
    # scikit-learn calls a stateless estimator fitted from the start, so check for learnt classes, too.
    if not is_fitted(model) or not _knows_classes(model):
        return False
    try:
        return bool(get_tags(model).requires_fit)
    except (AttributeError, TypeError):  # no tags: the classes are all there is to go by
        return True


def _knows_classes(model: object) -> bool:
    # Some libraries have an empty `classes_` before fit.
    classes = getattr(model, "classes_", None)
    return classes is not None and len(classes) > 0
