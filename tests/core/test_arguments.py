"""Arguments of verbs that are misspelt."""

from __future__ import annotations

import inspect
from typing import Any

import pandas as pd
import pytest

import shiftproof as sp
from shiftproof.core import suggests_arguments

VERBS = (
    *("audit", "backtest", "compare", "cross_fit", "detect", "detect_by", "estimate_performance", "evaluate"),
    *("quantify", "read", "select", "stress"),
)


@pytest.mark.parametrize(
    ("verb", "argument", "meant"),
    [("detect", "kind", "kinds"), ("audit", "seed_state", "random_state"), ("read", "column", "columns")],
)
def test_a_misspelt_argument_is_answered_with_the_one_meant(verb: str, argument: str, meant: str) -> None:
    sentence = rf"^{verb}\(\) got an unexpected keyword argument '{argument}'\. Did you mean '{meant}'\?$"
    with pytest.raises(TypeError, match=sentence):
        getattr(sp, verb)(None, **{argument: 1})


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_suggests_arguments_and_keeps_its_signature(verb: str) -> None:
    function = getattr(sp, verb)
    assert inspect.unwrap(function) is not function
    assert inspect.signature(function) == inspect.signature(inspect.unwrap(function))


def test_an_argument_like_no_other_gets_python_s_own_words() -> None:
    @suggests_arguments
    def count(rows: Any, *, kinds: Any = None) -> int:
        return len(rows)

    assert count([1], kinds=()) == 1
    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'zebra'$"):
        count([1], zebra=2)  # type: ignore[call-arg]


@pytest.mark.parametrize("verb", ["audit", "backtest", "cross_fit", "estimate_performance", "evaluate", "quantify"])
def test_a_table_where_models_come_first_is_refused(verb: str) -> None:
    table, y = pd.DataFrame({"a": [1.0, 2.0]}), [0, 1]
    with pytest.raises(sp.InputError) as caught:
        getattr(sp, verb)(table, y)
    first = "models must come first, got a table with 2 rows and 1 column; write "
    assert str(caught.value).startswith(f"{first}{verb}(models, X, y")
