"""What makes new data too different, and what an audit would say without these columns.

A refusal that names no cause cannot be acted on. Often one column is the cause, such as a month that is new by nature:
without it, the rest of the data may well be covered.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from shiftproof.case import Case, Tables, only_later_texts, unknowable
from shiftproof.core import Column, Floats, InputError, Interval, Note, Sensitive, ShiftproofWarning, listed, plain
from shiftproof.selection import estimate_case
from shiftproof.shift import ShiftKind

# A few odd values are in every column; below this share of the new rows they explain nothing.
_WORTH_SAYING = 0.1
#: Above this share a column has mostly new values, so the labelled rows say nothing about it.
MOSTLY = 0.5
# So many new categories are named.
_NAMED = 3

#: What a column holds whose values only grow; empty if they do not.
Growing = Literal["", "dates", "numbers"]


@dataclass(frozen=True, kw_only=True)
class NewValues:
    """The values of a column that no labelled row has.

    Attributes
    ----------
    column : str
        The column.
    share : float
        The share of the new rows with such a value.
    values : Sensitive
        The values in words: the most frequent categories, or the side of the range that they lie on. Nothing if all
        new rows lack a value.
    growing : {"", "dates", "numbers"}
        What the column holds if its values only grow, so that new rows are bound to have new ones: dates of which
        nearly all are later, or numbers that rise from row to row.
    """

    column: str
    share: float
    values: Sensitive
    growing: Growing = ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"column": self.column, "share": self.share, "values": str(self.values), "growing": self.growing}


@dataclass(frozen=True, kw_only=True)
class Without:
    """The estimate for the recommended model if some columns are left out of the audit.

    Attributes
    ----------
    columns : tuple of str
        The columns to leave out, as `exclude` takes them.
    values : mapping of str to Sensitive
        The values of these columns that no labelled row has, in words; only of columns that have such values.
    model, measure : str
        Whose estimate it is: the recommended model, refitted without these columns.
    interval : Interval
        The estimate; NaN if it is refused without these columns too.
    validated : float
        The figure on the labelled data without these columns; NaN if nothing was refitted.
    fits : int
        How many models were fitted for it.
    """

    columns: tuple[str, ...]
    values: Mapping[str, Sensitive]
    model: str
    measure: str
    interval: Interval
    validated: float = math.nan
    fits: int = 0

    @property
    def refused(self) -> bool:
        """Whether nothing can be estimated without these columns either."""
        return math.isnan(self.interval.low)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "columns": list(self.columns),
            "values": {column: str(words) for column, words in self.values.items()},
            "model": self.model,
            "measure": self.measure,
            "interval": plain(self.interval),
            "validated": plain(self.validated),
            "refused": self.refused,
        }


def new_values(tables: Tables) -> tuple[NewValues, ...]:
    """Return the columns in which many new rows have values that no labelled row has, the worst first.

    Examples
    --------
    >>> labelled = {"month": ["jun", "jul", "jul"], "age": [20.0, 30.0, 40.0]}
    >>> new = {"month": ["aug", "aug", "jul"], "age": [30.0, 31.0, 32.0]}
    >>> new_values(Tables(labelled=labelled, new=new))[0].column
    'month'
    """
    if tables.not_compared:
        return ()
    columns = (_new_values_of(tables, name) for name in tables.tested)
    worth = (one for one in columns if one is not None and one.share >= _WORTH_SAYING)
    return tuple(sorted(worth, key=lambda one: -one.share))


def _new_values_of(tables: Tables, name: str) -> NewValues | None:
    old, new, record = tables.old, tables.current, tables.records[name]
    # To a model, "missing" in every row is a value that it has hardly seen.
    if record.missing_current == new.n_rows and record.missing_reference < old.n_rows:
        return NewValues(column=name, share=1.0, values=Sensitive(""))
    if tables.tested[name] == "nominal":
        growing: Growing = "dates" if only_later_texts(old.column(name), new.column(name)) else ""
        return replace(_new_categories(old.column(name), new.column(name)), growing=growing)
    return _new_numbers(old.column(name), new.column(name))


def _new_categories(old: Column, new: Column) -> NewValues:
    known = old.counts()[0]
    unknown = {value: count for value, count in new.counts()[0].items() if value not in known}
    most_first = sorted(unknown, key=lambda value: (-unknown[value], str(value)))
    words = listed(most_first, most=_NAMED)
    return NewValues(column=new.name, share=sum(unknown.values()) / len(new), values=Sensitive(words))


def _new_numbers(old: Column, new: Column) -> NewValues | None:
    # A column that changed from numbers to text has no range to leave.
    if not old.ordered or old.family != new.family:
        return None
    known, values = old.floats(), new.floats()
    if np.isnan(known).all():
        return None
    low, high = float(np.nanmin(known)), float(np.nanmax(known))
    below, above = float(np.mean(values < low)), float(np.mean(values > high))
    # Dates are microseconds here, which nobody reads.
    words = ("earlier", "later") if new.family == "date" else (f"below {low:g}", f"above {high:g}")
    if low == high and new.family != "date":
        words = (f"the labelled data have only {low:g}",) * 2
    sides = [word for word, share in zip(words, (below, above), strict=True) if share]
    growing: Growing = ""
    if above > MOSTLY and not below and new.family == "date":
        growing = "dates"
    elif above == 1 and _never_falls(np.append(known, values)):
        growing = "numbers"
    return NewValues(
        column=new.name, share=below + above, values=Sensitive(" or ".join(dict.fromkeys(sides))), growing=growing
    )


def _never_falls(values: Floats) -> bool:
    """Return whether no value is below the one before; infinite and missing ones have no difference."""
    return bool(np.isfinite(values).all() and (np.diff(values) >= 0).all())


def columns_to_try(case: Case, unknown: Sequence[NewValues]) -> tuple[NewValues, ...]:
    """Return the columns to leave out on trial: those with mostly new values, if models may be refitted.

    Columns that merely changed are not tried. Leaving them out one by one until the rest counts as covered gave
    intervals that missed the actual accuracy in 6 of 12 cases of monthly bank and electricity data.
    """
    # Folds in time cannot be repeated from their numbers alone.
    if case.panel.deployed or case.panel.time_ordered or not case.panel.scorers:
        return ()
    return tuple(one for one in unknown if one.share > MOSTLY)


def estimate_without(case: Case, trial: Sequence[NewValues], model: str, measure: str, level: float) -> Without | None:
    """Estimate the recommended model without these columns; None if that cannot be tried."""
    values = {one.column: one.values for one in trial}
    hidden = case.tables.hidden | frozenset(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)  # said already of all columns
        shift = _shift_without(case, hidden)
        if shift is None:
            return None
        nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=level, method="refused")
        without = Without(columns=tuple(values), values=values, model=model, measure=measure, interval=nothing)
        # Nothing is fitted for a second refusal.
        return without if unknowable(shift, case.assume) else _refitted(case, without, hidden, shift)


def _shift_without(case: Case, hidden: frozenset[str]) -> ShiftKind | None:
    """Return the type of shift in the other columns; None if none is left to compare."""
    tables = replace(case.tables, hidden=hidden)
    rest = Case(scored=None, tables=tables, labels=case.known_labels, seed=case.seed, n_jobs=case.n_jobs)
    return None if not tables.tested or isinstance(rest.feature_shift, Note) else rest.feature_shift


def _refitted(case: Case, without: Without, hidden: frozenset[str], shift: ShiftKind) -> Without | None:
    from sklearn.model_selection import PredefinedSplit

    panel, tables = case.panel, case.tables
    try:
        rest = Case.of(
            {without.model: panel.scorers[without.model].estimator},
            tables.labelled,
            case.known_labels,
            tables.new,
            purpose=case.purpose,
            options=case.options,
            hide=hidden,
            kinds={name: kind for name, kind in (tables.kinds_given or {}).items() if str(name) not in hidden},
            shift=shift,
            assume=case.assume,
            history=case.history if case.assume == "natural" else None,
            random_state=case.seed,
            n_jobs=case.n_jobs,
            progress=False,
            # The folds of the audit, so that the two figures differ by the columns alone.
            cv=PredefinedSplit(panel.folds[0]),
            sample_weight=panel.sample_weight,
            groups=panel.groups,
        )
        estimated = estimate_case(rest, measures=without.measure, shares={}, level=without.interval.level)
    except InputError:
        return None  # a pipeline may need the very column that was left out
    one = estimated.estimates[without.model][without.measure]
    return replace(without, interval=one.interval, validated=one.validated, fits=rest.n_fits)
