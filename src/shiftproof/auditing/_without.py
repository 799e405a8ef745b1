"""What an audit that was refused would say without the columns that make the new data too different."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shiftproof.core import Interval, Sensitive, plain


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
        The figure on the labelled data without these columns.
    """

    columns: tuple[str, ...]
    values: Mapping[str, Sensitive]
    model: str
    measure: str
    interval: Interval
    validated: float

    @property
    def refused(self) -> bool:
        """Whether nothing can be estimated without these columns either."""
        return self.interval.low != self.interval.low

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
