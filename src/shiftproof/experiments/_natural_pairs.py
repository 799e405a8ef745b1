"""The rules of a natural pair: which rows of a table are labelled, and which are new."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from shiftproof.core import Rows

_RULES: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "between": lambda column, ends: column.between(*ends),
    "in": lambda column, values: column.isin(values),
    "not in": lambda column, values: ~column.isin(values),
}


def chosen_rows(table: pd.DataFrame, rule: Mapping[str, Any]) -> Rows:
    """Return the numbers of the rows that a rule chooses.

    Parameters
    ----------
    table : DataFrame
        The table that both sides of a pair come from.
    rule : mapping
        With the keys "column", "op" (such as "==" or "between") and "value".

    Examples
    --------
    >>> table = pd.DataFrame({"year": [2008, 2009, 2010]})
    >>> chosen_rows(table, {"column": "year", "op": "<", "value": 2010})
    array([0, 1])
    """
    return np.flatnonzero(_RULES[rule["op"]](table[rule["column"]], rule["value"]))
