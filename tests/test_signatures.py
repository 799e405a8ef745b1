"""A parameter that several verbs take has one name, one default and one meaning."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp
from shiftproof.detection import detect_by

VERBS = {
    verb.__name__: verb
    for verb in (
        sp.cross_fit,
        sp.evaluate,
        sp.learning_curve,
        sp.detect,
        detect_by,
        sp.stress,
        sp.select,
        sp.estimate_performance,
        sp.quantify,
        sp.compare,
        sp.audit,
        sp.backtest,
    )
}
#: The verbs that fit models unless they get a Panel.
FITTING = ("cross_fit", "evaluate", "stress", "select", "estimate_performance", "quantify", "audit", "backtest")
#: The verbs that decide between classes, so that a rule for decisions matters to them.
DECIDING = ("evaluate", "select", "estimate_performance", "audit")


class Shared(NamedTuple):
    """A parameter, its default, its meaning, and the verbs that must have it."""

    default: object
    meaning: str
    required: tuple[str, ...] = ()
    exceptions: dict[str, object] = {}  # noqa: RUF012 - read only


SHARED = {
    "level": Shared(0.9, "coverage of the intervals", (*DECIDING[:1], "stress", *DECIDING[2:], "quantify")),
    "assume": Shared("natural", "what may have changed", ("select", "estimate_performance", "audit", "quantify")),
    "alpha": Shared(0.05, "significance level of the tests", ("evaluate", "detect", "detect_by", "stress", "audit")),
    "random_state": Shared(0, "seed of everything random", tuple(VERBS)),
    "n_jobs": Shared(None, "parallel jobs", tuple(name for name in VERBS if name != "compare")),
    "progress": Shared(None, "whether to show a progress bar", FITTING),
    "measure": Shared(None, "what ranks the models", ("evaluate", "select", "audit")),
    "measures": Shared(None, "what is estimated of each model"),
    # detect_by is about nothing but this column, and takes it by position.
    "by": Shared(None, "a column that splits the new rows", ("quantify",), {"detect_by": inspect.Parameter.empty}),
    "every": Shared(None, "length of a period of `by` or `time`", ("quantify", "detect_by", "backtest", "audit")),
    "periods": Shared(None, "how many periods of equal counts", ("backtest", "audit")),
    "tolerance": Shared(0.05, "the largest acceptable change of the measure", ("stress", "audit")),
    "benefit": Shared(None, "what decisions are worth", DECIDING),
    "table": Shared(None, "where the benefit finds its columns", DECIDING),
    "new_table": Shared(None, "the same for the new rows", DECIDING[1:]),
    "threshold": Shared(None, "the probability from which a row is decided positive", DECIDING),
    "pos_label": Shared(None, "the positive class", (*DECIDING, "stress", "quantify")),
    "labels": Shared(None, "known labels of some new rows", DECIDING[1:]),
    "kinds": Shared(None, "what a column is", ("detect", "detect_by", "audit")),
    "exclude": Shared(None, "columns to leave out", ("detect", "detect_by", "audit")),
    "reverse": Shared(True, "whether to run ReverseTesting", ("select", "audit")),
    "method": Shared(None, "the algorithm that answers", ("select", "quantify")),
    # None means ten folds, and five with quick=True; a panel has its own.
    "cv": Shared(None, "folds or a splitter", ("cross_fit", *DECIDING)),
    # stress refuses weights, and takes groups by a Panel: its three parts are drawn row by row.
    "sample_weight": Shared(None, "weights of the labelled rows", ("cross_fit", *DECIDING)),
    "groups": Shared(None, "rows that belong together", ("cross_fit", *DECIDING)),
    "balance": Shared(False, "as many training rows of every class", ("cross_fit", "evaluate")),
    "time": Shared(None, "when each labelled row was observed", ("cross_fit", "evaluate")),
}


def parameters(verb: str) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(VERBS[verb]).parameters)


@pytest.mark.parametrize("name", SHARED)
def test_shared_parameters_have_one_default(name: str) -> None:
    shared = SHARED[name]
    defaults: dict[str, Any] = {verb: parameters(verb)[name].default for verb in VERBS if name in parameters(verb)}
    assert defaults == {verb: shared.exceptions.get(verb, shared.default) for verb in defaults}
    assert {*shared.required} <= {*defaults}, f"{name}, {shared.meaning}, is missing"


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_optional_is_given_by_name(verb: str) -> None:
    # detect_by and backtest are about nothing but one column.
    about = {"detect_by": "by", "backtest": "time"}
    named = [name for name in parameters(verb) if name in SHARED and name != about.get(verb)]
    assert all(parameters(verb)[name].kind is inspect.Parameter.KEYWORD_ONLY for name in named)


@pytest.mark.parametrize("verb", VERBS)
def test_every_parameter_is_documented(verb: str) -> None:
    documented = inspect.getdoc(VERBS[verb]) or ""
    section = documented.partition("Parameters\n---")[2].partition("\n\nReturns\n")[0]
    assert [name for name in parameters(verb) if name not in section] == []


def test_a_parameter_of_several_verbs_is_in_the_table() -> None:
    tables = {"models", "X", "y", "X_new", "reference", "current", "reference_scores", "current_scores"}
    own = tables | {"reference_labels", "panel", "multivariate", "shift", "repeats"}
    verbs_of: dict[str, set[str]] = {}
    for verb in VERBS:
        for name in parameters(verb):
            verbs_of.setdefault(name, set()).add(verb)
    unlisted = {name for name, verbs in verbs_of.items() if len(verbs) > 1} - {*SHARED} - own
    assert unlisted == set()


SWITCHES = [
    (verb, name) for verb in VERBS for name, given in parameters(verb).items() if isinstance(given.default, bool)
]


@pytest.mark.parametrize(("verb", "switch"), SWITCHES)
def test_a_switch_refuses_words(verb: str, switch: str) -> None:
    """The text "no" would count as yes."""
    table = pd.DataFrame({"x": np.arange(60.0) % 7, "label": np.arange(60) % 2})
    models, X, y, X_new = GaussianNB(), table[["x"]], table["label"], table[["x"]][::-1]
    losses = {"a": {"m": 0.1, "n": 0.2}, "b": {"m": 0.2, "n": 0.3}}
    given: dict[str, tuple[Any, ...]] = {
        **dict.fromkeys(VERBS, (models, X, y, X_new)),
        **dict.fromkeys(("cross_fit", "evaluate", "learning_curve", "stress"), (models, X, y)),
        "detect": (X, X_new),
        "detect_by": (X, X_new, "x"),
        "compare": (losses,),
    }
    call: Any = VERBS[verb]
    with pytest.raises(sp.InputError, match=rf"^{switch} must be True or False, got 'no'"):
        call(*given[verb], **{switch: "no"})
