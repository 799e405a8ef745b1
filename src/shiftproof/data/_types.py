"""What the columns of labelled rows hold, to refuse new rows in which a column holds something else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from shiftproof.core import Nature, as_table, check_comparable, is_texts, nature
from shiftproof.data._kinds import LEFT_OUT, feature_kinds


@dataclass(frozen=True, eq=False)
class ColumnTypes:
    """The type of each column that can be compared, small enough to keep without the rows.

    A classifier takes True for 1 and a date for a large number, and answers all the same.

    Parameters
    ----------
    natures : mapping of str to (Nature, bool)
        Of each column what it holds, and whether its values are categories.

    Examples
    --------
    >>> types = ColumnTypes.of({"visits": [2, 5], "smoker": [True, False]})
    >>> types.check({"visits": [3.0], "smoker": [1]})
    >>> types.check({"visits": [True], "smoker": [True]})
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: column 'visits' holds numbers in the labelled data (such as 2) and booleans in \
the new data (such as True); convert one of them.
    """

    natures: Mapping[str, tuple[Nature, bool]]

    @classmethod
    def of(cls, labelled: object) -> Self:
        """Look at the columns of labelled rows; identifiers and free text are left out."""
        if _has_no_columns(labelled):
            return cls({})
        table = as_table(labelled)
        kinds = feature_kinds(table, warn=False)
        return cls(
            {
                name: (nature(table.column(name)), kind == "nominal")
                for name, kind in kinds.items()
                if kind not in LEFT_OUT
            }
        )

    def check(self, new: object) -> None:
        """Refuse new rows in which a column holds another type of values; a column without values passes."""
        if not self.natures or _has_no_columns(new):
            return
        table = as_table(new)
        for name, (before, nominal) in self.natures.items():
            if name not in table.names:
                continue
            after = table.column(name)
            # Numbers with a few texts, as spreadsheets have them, are for each model to take or to refuse.
            mixed = "mixed" in (before.family, after.family)
            sides = {"reference": "the labelled data", "current": "the new data"}
            check_comparable(f"column {name!r}", before, after, nominal=nominal or mixed, **sides)


def _has_no_columns(rows: object) -> bool:
    """Return whether these are texts or a sparse matrix, which is known by its method: SciPy is slow to import."""
    return is_texts(rows) or hasattr(rows, "tocsr")
