"""Columns that would only mislead: identifiers, free text, and dates of which the new ones are all later.

New rows have other customer numbers and later dates than the labelled rows, whatever else changed. A model that learns
from them extrapolates, and a comparison finds that all rows are new. The models of this package never need them; models
of the user's own may, so nothing is set aside for those.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from shiftproof.case._tables import Aside, is_table
from shiftproof.core import Argument, Column, ColumnsLeftOut, InputError, Phrase, Table, as_table, warn
from shiftproof.data import feature_kinds

# Above this share of later dates, with none that is earlier than all labelled ones, a column is about when rows came.
_MOSTLY_LATER = 0.5
#: Why a column of dates is set aside.
LATER: Final = "later in the new data"


def columns_aside(
    models: object, X: object, X_new: object, *, hidden: Iterable[str] = (), kinds: Mapping[Any, str] | None = None
) -> dict[str, Aside]:
    """Return the columns that neither models nor comparisons should use, each with the reason.

    Parameters
    ----------
    models : object
        What the verb was given: estimators, a panel, or None.
    X, X_new : table or None
        The labelled and the new data. Without new data, only identifiers and free text are set aside.
    hidden : iterable of str
        Columns that nobody sees anyway.
    kinds : mapping of column to kind, optional
        What the caller knows better about columns; a column that is named here is not set aside.

    Examples
    --------
    >>> import numpy as np
    >>> from shiftproof.panel import default_models
    >>> X = {"day": np.datetime64("2024-01-01") + np.arange(90), "age": np.arange(90) % 7}
    >>> X_new = {"day": np.datetime64("2024-05-01") + np.arange(30), "age": np.arange(30) % 7}
    >>> columns_aside(default_models(), X, X_new)
    {'day': 'later in the new data'}
    """
    X_new = X if X_new is None else X_new
    if not (has_scores_alone(models) or _prepares_tables(models)) or not (is_table(X) and is_table(X_new)):
        return {}
    try:
        aside = _found(as_table(X), as_table(X_new), {*hidden, *map(str, kinds or {})})
    except InputError:
        return {}  # tables that cannot be read are refused where they are compared, by their names
    # A table of nothing else is better compared than refused.
    shared = {*as_table(X).names} & {*as_table(X_new).names} - {*hidden}
    return aside if shared - {*aside} else {}


def _found(old: Table, new: Table, known: set[str]) -> dict[str, Aside]:
    names = [name for name in old.names if name in new.names and name not in known]
    aside: dict[str, Aside] = {}
    for name, kind in feature_kinds(old.only(names), warn=False).items():
        if kind == "date" and _only_later(old.column(name), new.column(name)):
            aside[name] = LATER
        elif kind in ("identifier", "text"):
            aside[name] = kind
    return aside


def _only_later(old: Column, new: Column) -> bool:
    if new.family != "date":
        return False
    before, after = old.floats(), new.floats()
    if np.isnan(before).all():
        return False
    later, earlier = np.mean(after > np.nanmax(before)), np.any(after < np.nanmin(before))
    return bool(later > _MOSTLY_LATER and not earlier)


def has_scores_alone(models: Any) -> bool:
    """Return whether this is a panel of scores, whose models are not at hand and see no table."""
    return hasattr(models, "fold_probabilities") and not models.scorers and not models.fold_scorers


def _prepares_tables(models: object) -> bool:
    """Return whether all models are made like those of the package, which take any table."""
    if models is None or hasattr(models, "fold_probabilities"):
        return False
    from shiftproof.panel import prepares_tables

    given = (
        models.values() if isinstance(models, Mapping) else models if isinstance(models, (list, tuple)) else [models]
    )
    return bool(given) and all(map(prepares_tables, given))


def warn_of_columns_aside(aside: Mapping[str, Aside], X: object, *, adjustable: bool, scored: bool = False) -> None:
    """Name the columns that were set aside and, where the verb takes `kinds`, how to use them anyway."""
    if not aside:
        return
    table = as_table(X)
    kinds = {name: "date" if why == LATER else "nominal" for name, why in aside.items()}
    kinds |= {name: "continuous" for name in aside if table.column(name).family == "number"}
    them = "it" if len(aside) == 1 else "them"
    usually = f"; with {them}, the new data usually look too different to estimate anything"
    hint = Phrase(f"to use {them} anyway, pass ", Argument("kinds", kinds), usually)
    warn(ColumnsLeftOut(aside, hint if adjustable else "", of="tests" if scored else "tests and models"))
