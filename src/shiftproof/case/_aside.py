"""Columns that would only mislead: identifiers, free text, and dates of which the new ones are all later.

New rows have other customer numbers and later dates than the labelled rows, whatever else changed. A model that learns
from them extrapolates, and a comparison finds that all rows are new. The models of this package never need them, and a
fitted model may know which columns it uses. Other models of the user's own may need any column, so nothing is set aside
for those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import numpy as np

from shiftproof.case._tables import Aside, is_table
from shiftproof.core import Argument, Column, ColumnsLeftOut, InputError, Phrase, Table, as_table, warn
from shiftproof.data import feature_kinds

if TYPE_CHECKING:
    from shiftproof.panel import Panel

# Above this share of later dates, with none that is earlier than all labelled ones, a column is about when rows came.
_MOSTLY_LATER = 0.5
# A day, perhaps with a time of day.
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:.*)?\Z")
#: Why a column of dates is set aside.
LATER: Final = "later in the new data"


def columns_aside(
    models: object,
    X: object,
    X_new: object,
    *,
    hidden: Iterable[str] = (),
    kinds: Mapping[Any, str] | None = None,
    fitted: bool = False,
) -> dict[str, Aside]:
    """Return the columns that neither models nor comparisons should use, each with the reason.

    Fitted models may use any of their columns, so that only columns that they do not use are returned.

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
    fitted : bool
        Whether the models are used as they are. Those of a panel always are.

    Examples
    --------
    >>> import numpy as np
    >>> from shiftproof.panel import default_models
    >>> X = {"day": np.datetime64("2024-01-01") + np.arange(90), "age": np.arange(90) % 7}
    >>> X_new = {"day": np.datetime64("2024-05-01") + np.arange(30), "age": np.arange(30) % 7}
    >>> columns_aside(default_models(), X, X_new)
    {'day': 'later in the new data'}
    """
    # Fitted models have their columns already, so without new rows there is nothing left to mislead.
    fitted = fitted or (is_panel(models) and not has_scores_alone(models))
    alone, X_new = X_new is None, X if X_new is None else X_new
    needed = None if (fitted and alone) or not (is_table(X) and is_table(X_new)) else _needed(models, fitted=fitted)
    if needed is None:
        return {}
    try:
        aside = _found(as_table(X), as_table(X_new), {*hidden, *map(str, kinds or {}), *needed})
    except InputError:
        return {}  # tables that cannot be read are refused where they are compared, by their names
    # A table of nothing else is better compared than refused.
    shared = {*as_table(X).names} & {*as_table(X_new).names} - {*hidden}
    return aside if shared - {*aside} else {}


def _found(old: Table, new: Table, known: set[str]) -> dict[str, Aside]:
    names = [name for name in old.names if name in new.names and name not in known]
    aside: dict[str, Aside] = {}
    for name, kind in feature_kinds(old.only(names), warn=False).items():
        before, after = old.column(name), new.column(name)
        if (kind == "date" and _only_later(before, after)) or (kind == "nominal" and only_later_texts(before, after)):
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


def only_later_texts(old: Column, new: Column) -> bool:
    """Return whether text columns hold dates such as 2026-05-31, of which most new ones are later and none is earlier.

    Readers of CSV files leave dates as text by default.
    """
    if (old.family, new.family) != ("text", "text"):
        return False
    before, after = old.counts()[0], new.counts()[0]
    if not before or not after or not all(map(_ISO_DATE.match, (*before, *after))):
        return False
    # Written in this way, dates sort as text.
    first, last = min(before), max(before)
    later = sum(count for value, count in after.items() if value > last)
    return later / len(new) > _MOSTLY_LATER and min(after) >= first


def is_panel(models: object) -> TypeGuard[Panel]:
    """Return whether models come as a panel, with their scores."""
    # By attribute: importing the class would import scikit-learn for tables that are compared without models.
    return hasattr(models, "fold_probabilities")


def has_scores_alone(panel: Panel) -> bool:
    """Return whether the models of a panel are not at hand, so that they see no table."""
    return not panel.scorers and not panel.fold_scorers


def _needed(models: Any, *, fitted: bool) -> frozenset[str] | None:
    """Return the columns that cannot be set aside because a model needs them; None if that is unknown."""
    if models is None:
        return None
    if is_panel(models) and has_scores_alone(models):
        return frozenset()
    from shiftproof.panel import columns_used, prepares_tables

    if is_panel(models):
        # The models of all folds were fitted with the same columns.
        of_folds = [repeats[0][0].estimator for repeats in models.fold_scorers.values()]
        estimators = [*models.models.values()] or of_folds
    elif isinstance(models, Mapping):
        estimators = list(models.values())
    else:
        estimators = list(models) if isinstance(models, (list, tuple)) else [models]
    if fitted:
        used = [columns_used(estimator) for estimator in estimators]
        known = [columns for columns in used if columns is not None]
        return frozenset().union(*known) if known and len(known) == len(used) else None
    return frozenset() if estimators and all(map(prepares_tables, estimators)) else None


def warn_of_columns_aside(aside: Mapping[str, Aside], X: object, *, adjustable: bool, scored: bool = False) -> None:
    """Name the columns that were set aside and, where the verb takes `kinds`, how to use them anyway."""
    if not aside:
        return
    table = as_table(X)
    usual = {"number": "continuous", "date": "date"}
    kinds = {name: usual.get(table.column(name).family, "nominal") for name in aside}
    them = "it" if len(aside) == 1 else "them"
    usually = f"; with {them}, the new data usually look too different to estimate anything"
    hint = Phrase(f"to use {them} anyway, pass ", Argument("kinds", kinds), usually)
    warn(ColumnsLeftOut(aside, hint if adjustable else "", of="tests" if scored else "tests and models"))
