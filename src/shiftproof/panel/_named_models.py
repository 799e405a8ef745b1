"""Classifiers by name: those of a dict, or named after their classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.base import is_regressor

from shiftproof.core import InputError, Phrase, fault, unknown_name
from shiftproof.panel._inputs import check_different
from shiftproof.panel._models import default_models


def named_models(models: Any) -> dict[str, Any]:
    """Return classifiers by name; refuse what cannot be one."""
    named = named_entries(models, "models")
    if not named:
        raise fault("models", "hold at least one classifier", Phrase("none"), "sp.default_models() returns seven")
    for name, model in named.items():
        place = f"models[{name!r}]" if isinstance(models, Mapping) else "models"
        if isinstance(model, str):
            raise _named_by_text(model)
        if isinstance(model, type):
            raise fault(place, "be an estimator", model, f"write {model.__name__}(), with parentheses")
        if (
            not hasattr(model, "fit")
            and not hasattr(model, "predict_proba")
            and not hasattr(model, "decision_function")
        ):
            rule = "be a classifier with fit, or with predict_proba and classes_"
            raise fault(place, rule, model, "if you only have scores, use sp.Panel.from_scores")
    # One among several is left out with a warning; if all are, the errors of their fits would say less.
    if all(map(_flaw, named.values())):
        name, model = next(iter(named.items()))
        kind = type(_last_step(model)).__name__
        which = f"models[{name!r}] ({kind})" if isinstance(models, Mapping) else kind
        raise InputError(f"{which} is not a classifier: {_flaw(model)}; pass a classifier", argument="models")
    return named


def _flaw(model: object) -> str:
    """Return why a model cannot be a classifier, before it is fitted; empty if it can."""
    if _is_regressor(model):
        return "it predicts numbers"
    scores = any(hasattr(model, name) for name in ("predict", "predict_proba", "decision_function"))
    transforms = not scores and hasattr(model, "transform")
    return "it has neither predict_proba nor decision_function" if transforms else ""


def _is_regressor(model: object) -> bool:
    """Return whether a model says that it predicts numbers; classifiers of other libraries may say nothing."""
    # Anything that gives probabilities or decision values can be used.
    if hasattr(model, "predict_proba") or hasattr(model, "decision_function"):
        return False
    try:
        return bool(is_regressor(model))
    except Exception:  # scikit-learn asks the model for its tags, which may be broken
        return False


def named_entries(given: Any, argument: str) -> dict[str, Any]:
    """Return estimators by name: those of a dict, or made from their classes."""
    if not isinstance(given, Mapping):
        return named_by_class(given if isinstance(given, (list, tuple)) else [given])
    named = {str(name): value for name, value in given.items()}
    check_different(given, argument)
    return named


def _named_by_text(name: str) -> InputError:
    """Return the error for a model that is given by its name, as on the command line."""
    known = list(default_models())
    if name in known:
        return fault("models", "be classifiers", name, f"write sp.default_models(only=[{name!r}])")
    return unknown_name("models", "be classifiers, such as sp.default_models(only=['lr'])", name, known)


def named_by_class(models: Sequence[Any]) -> dict[str, Any]:
    """Name estimators after their classes, pipelines after their last step, repeats with a number."""
    named: dict[str, Any] = {}
    for model in models:
        last = _last_step(model)
        base = name = (last if isinstance(last, type) else type(last)).__name__
        times = 1
        while name in named:
            times += 1
            name = f"{base} {times}"
        named[name] = model
    return named


def _last_step(model: object) -> Any:
    steps = getattr(model, "steps", None)
    return _last_step(steps[-1][1]) if steps else model
