"""How every public verb is called with the parts of a call, and which figures it returns."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from tests.hostile._call import ROWS, Call, Tiny, plain

import shiftproof as sp
from shiftproof import quantification, selection, shift, simulation

Figures = tuple[float, ...]
Case = TypeVar("Case")

# Labels may be numbers, and a time is never the same twice.
_NO_FIGURES = {"label", "labels", "classes", "positive", "pos_label", "seconds", "stages", "versions", "fingerprints"}


@dataclass(frozen=True)
class Verb:
    """A public function or method.

    Parameters
    ----------
    function : callable
        Whose signature says which options the verb takes.
    run : callable
        Calls it with the parts of a call, and with the options that it takes.
    names : mapping of str to str
        The parts of a call that it takes, and what its errors call them.
    defaults : mapping
        Options that make it quick.
    estimator : bool
        Whether it is an estimator, which refuses what scikit-learn's own refuse, in their words.
    """

    function: Callable[..., Any]
    run: Callable[[Call, dict[str, Any]], Any]
    names: Mapping[str, str]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    estimator: bool = False

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of the options that it takes."""
        return frozenset(inspect.signature(self.function).parameters)

    def __call__(self, call: Call) -> Answer:
        """Call the verb; keep what it warns of."""
        options = {name: value for name, value in self.defaults.items() if name in self.parameters}
        options |= {name: value for name, value in call.options.items() if name in self.parameters}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = self.run(call, options)
            figures = tuple(figures_of(result))
        return Answer(result, figures, tuple(warning.message for warning in caught))


@dataclass(frozen=True)
class Answer:
    """What a verb returned, its figures, and the warnings it gave."""

    result: Any
    figures: Figures
    warnings: tuple[Warning | str, ...]

    @property
    def warned(self) -> set[str]:
        """The classes of the warnings."""
        return {type(warning).__name__ for warning in self.warnings}


def figures_of(result: Any) -> Iterator[float]:
    """Give every figure of a result in order; labels, row counts and times are none."""
    if isinstance(result, sp.Panel):
        for name in result.names:
            yield from result.out_of_fold[name].ravel().tolist()
            yield from np.ravel(result.new_scores.get(name, ())).tolist()
    elif isinstance(result, sp.Interval):
        yield from (result.estimate, result.low, result.high)
    elif isinstance(result, pd.DataFrame):
        for name in result.columns:
            if name not in _NO_FIGURES and result[name].dtype.kind == "f":
                yield from result[name].tolist()
    elif isinstance(result, np.ndarray):
        yield from result.astype(float).ravel().tolist()
    elif hasattr(result, "to_dict"):
        yield from _numbers(result.to_dict())
    else:
        yield from _numbers(result)


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key not in _NO_FIGURES:
                yield from _numbers(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, (np.ndarray, pd.DataFrame, sp.Interval)):
        yield from figures_of(value)
    elif isinstance(value, (float, np.floating)):
        yield float(value)


# The fewest folds, trees and resamples that give figures.
_QUICK: dict[str, Any] = {
    "cv": 2,
    "n_resamples": 20,
    "resamples": 20,
    "quick": True,
    "reverse": False,
    "bootstraps": 20,
}
# Two sizes of training rows, however few rows there are.
_QUICK |= {"sizes": (0.5, 1.0)}
_QUICK |= {"families": ("base", "mcar"), "shares": (0.25,), "multivariate": False, "check": False}
_LEARNING = {"models": "models", "X": "X", "y": "y"}
_WITH_NEW = {**_LEARNING, "new": "X_new"}
_COMPARING = {"X": "reference", "new": "current", "y": "reference_labels"}


def _learning(function: Callable[..., Any]) -> Verb:
    return Verb(function, lambda call, options: function(call.models, call.X, call.y, **options), _LEARNING, _QUICK)


def _with_new(function: Callable[..., Any]) -> Verb:
    def run(call: Call, options: dict[str, Any]) -> Any:
        return function(call.models, call.X, call.y, call.new, **options)

    return Verb(function, run, _WITH_NEW, _QUICK)


def _one_model(function: Callable[..., Any]) -> Verb:
    def run(call: Call, options: dict[str, Any]) -> Any:
        # The model that matters: a faulty one stands last, beside the good ones.
        named = call.models if isinstance(call.models, dict) else {}
        model = named.get("bad", named.get("m", call.models))
        return function(model, call.X, call.y, **options)

    return Verb(function, run, _LEARNING, _QUICK)


def _detect(call: Call, options: dict[str, Any]) -> Any:
    return sp.detect(call.X, call.new, **{"reference_labels": call.y} | options)


def _detect_scores(call: Call, options: dict[str, Any]) -> Any:
    scores, new = call.scores, call.new_scores
    # Both sides have one column per class, or both are flat; the side that stayed plain follows the other.
    if not (_is_wide(scores) and _is_wide(new)):
        scores, new = (
            side[:, 1] if _is_wide(side) and isinstance(side, np.ndarray) else side for side in (scores, new)
        )
    return sp.detect(call.X, call.new, **{"reference_scores": scores, "current_scores": new} | options)


def _is_wide(scores: Any) -> bool:
    return np.ndim(scores) == 2


def _detect_by(call: Call, options: dict[str, Any]) -> Any:
    return sp.detect_by(call.X, call.new, **{"by": "c", "reference_labels": call.y} | options)


def _summarise(call: Call, options: dict[str, Any]) -> Any:
    return sp.Baseline.of(call.X, **{"labels": call.y} | options).summarise(call.new)


def _baseline_of_scores(call: Call, options: dict[str, Any]) -> Any:
    return sp.Baseline.of(call.X, **{"scores": call.scores, "labels": call.y} | options)


def _from_scores(call: Call, options: dict[str, Any]) -> Any:
    return sp.Panel.from_scores(call.y, {"m": call.scores}, new={"m": call.new_scores}, **options)


def _apply(call: Call, options: dict[str, Any]) -> Any:
    panel = sp.cross_fit(call.models, call.X, call.y, cv=2)
    return panel.apply(call.new, **options)


@cache
def _audited() -> sp.Audit:
    call = plain()
    return sp.audit(call.models, call.X, call.y, call.new, cv=2, quick=True)


def _verify(call: Call, options: dict[str, Any]) -> Any:
    return _audited().verify(call.y_new, **options)


def _plan(call: Call, options: dict[str, Any]) -> Any:
    return _audited().performance.plan(**{"count": 10} | options)


def _quantifier(kind: Callable[..., Any], *classifier: Any) -> Verb:
    def run(call: Call, options: dict[str, Any]) -> Any:
        return kind(*classifier, **options).fit(call.X, call.y).predict(call.new)

    return Verb(kind, run, {"X": "X", "y": "y", "new": "X"}, estimator=True)


def _run_protocol(call: Call, options: dict[str, Any]) -> Any:
    quantifier = quantification.ClassifyAndCount(Tiny())
    protocol = quantification.ArtificialPrevalence(size=10, prevalences=3, repeats=1)
    return quantification.run_protocol(quantifier, call.X, call.y, **{"protocol": protocol} | options)


def _shifted(function: Callable[..., Any], **arguments: Any) -> Verb:
    def run(call: Call, options: dict[str, Any]) -> Any:
        return np.asarray(function(call.X, **arguments | options)[1])

    return Verb(function, run, {"X": "X"})


def _by_class(function: Callable[..., Any], **defaults: Any) -> Verb:
    def run(call: Call, options: dict[str, Any]) -> Any:
        return np.asarray(function(call.X, call.y, **{"label": _positive(call)} | defaults | options)[1])

    return Verb(function, run, {"X": "X", "y": "y"})


def _positive(call: Call) -> Any:
    # A label as the hostile call writes it; where it cannot be taken from there, the plain one.
    row, labels = int(np.argmax(plain().y)), []
    with suppress(TypeError):
        labels = list(call.y)
    label = labels[row] if len(labels) > row else 1
    return label.as_py() if hasattr(label, "as_py") else label


def _backtest(call: Call, options: dict[str, Any]) -> Any:
    settings: dict[str, Any] = {"time": np.arange(ROWS), "measures": "accuracy"} | options
    # As few periods as can be replayed, unless the call says how to cut.
    settings |= {} if "every" in settings else {"periods": settings.get("periods", 3)}
    return sp.backtest(call.models, call.X, call.y, **settings)


#: Every public verb, by the name that a user calls it by.
VERBS: dict[str, Verb] = {
    "evaluate": _learning(sp.evaluate),
    "learning_curve": _learning(sp.learning_curve),
    "cross_fit": _learning(sp.cross_fit),
    "leave_one_out": _one_model(sp.leave_one_out),
    "bootstrap_632": _one_model(sp.bootstrap_632),
    "stress": _learning(sp.stress),
    "select": _with_new(sp.select),
    "estimate_performance": _with_new(sp.estimate_performance),
    "quantify": _with_new(sp.quantify),
    "audit": _with_new(sp.audit),
    "backtest": Verb(sp.backtest, _backtest, {"models": "models", "X": "X", "y": "y"}, _QUICK),
    "detect": Verb(sp.detect, _detect, _COMPARING, {"multivariate": False}),
    "detect with scores": Verb(
        sp.detect,
        _detect_scores,
        {"X": "reference", "new": "current", "scores": "reference_scores", "new_scores": "current_scores"},
        {"multivariate": False},
    ),
    "detect_by": Verb(sp.detect_by, _detect_by, _COMPARING),
    "Baseline.summarise": Verb(sp.Baseline.of, _summarise, {"X": "reference", "new": "batch", "y": "labels"}),
    "Baseline.of scores": Verb(
        sp.Baseline.of, _baseline_of_scores, {"X": "reference", "scores": "scores", "y": "labels"}
    ),
    "compare": Verb(sp.compare, lambda call, options: sp.compare(call.results, **options), {"results": "results"}),
    "Panel.from_scores": Verb(sp.Panel.from_scores, _from_scores, {"y": "y", "scores": "scores", "new_scores": "new"}),
    "Panel.apply": Verb(sp.Panel.apply, _apply, _WITH_NEW),
    "Audit.verify": Verb(sp.Audit.verify, _verify, {"y_new": "y_new"}),
    "Performance.plan": Verb(sp.Performance.plan, _plan, {}),
    "run_protocol": Verb(quantification.run_protocol, _run_protocol, {"X": "X", "y": "y"}, {"cv": 2}),
    "ClassifyAndCount": _quantifier(quantification.ClassifyAndCount, Tiny()),
    "reverse_test": _with_new(selection.reverse_test),
    "rival_scores": Verb(
        selection.rival_scores,
        lambda call, options: selection.rival_scores(
            call.models, call.X, call.y, call.new, **{"rivals": ["difference of confidences"]} | options
        ),
        _WITH_NEW,
        _QUICK,
    ),
    "kind_of_shift": Verb(
        shift.kind_of_shift,
        lambda call, options: shift.kind_of_shift(call.X, call.y, call.new, **options),
        {"X": "X", "y": "y", "new": "X_new"},
    ),
    "mcar": _shifted(simulation.mcar, share=0.3),
    "mar": _shifted(simulation.mar, feature="a", share=0.3),
    "mnar": _shifted(simulation.mnar, feature="a", share=0.3),
    "offset": _shifted(simulation.offset, feature="a", strength=0.5),
    "soft_selection": _shifted(simulation.soft_selection, feature="a"),
    "joint_selection": _by_class(simulation.joint_selection, feature="a"),
    "prior_shift": _by_class(simulation.prior_shift, prevalence=0.3),
    "at_prevalence": Verb(
        simulation.at_prevalence,
        lambda call, options: simulation.at_prevalence(call.y, **{"prevalence": 0.3} | options),
        {"y": "y"},
    ),
}

#: `make soak` tries every case; the suite tries some of every family, always the same.
SOAKING = os.environ.get("HYPOTHESIS_PROFILE") == "explore"
#: Of a family of inputs that a verb answers, every nth is tried; verbs that take long have more turns to wait.
TURNS = dict.fromkeys(VERBS, 6)
TURNS |= dict.fromkeys(["audit", "rival_scores", "detect_by", "select", "quantify", "reverse_test"], 24)
TURNS |= dict.fromkeys(["backtest", "leave_one_out", "learning_curve", "estimate_performance", "stress"], 24)
TURNS |= dict.fromkeys(["evaluate", "detect", "kind_of_shift", "bootstrap_632", "ClassifyAndCount", "run_protocol"], 12)


@cache
def plain_answer(verb: str) -> Answer:
    """Return what a verb answers to the plain call."""
    return VERBS[verb](plain())


def every_nth(cases: Sequence[Case], turns: int, start: int) -> list[Case]:
    """Choose every nth case, at least one; soaking takes them all."""
    return list(cases) if SOAKING else list(cases[start % min(turns, len(cases)) :: turns])
