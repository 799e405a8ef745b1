"""Tables that need not fit into memory, as commands name them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._cut import Cut, check_columns
from shiftproof.core import InputError

if TYPE_CHECKING:
    from shiftproof.core import Table


@dataclass(frozen=True, eq=False, kw_only=True)
class TablesElsewhere:
    """Two tables of which at least one is not in memory.

    Parameters
    ----------
    old, new : Table
        Whose columns are read when they are needed.
    """

    old: Table
    new: Table

    @classmethod
    def of(cls, reference: Path, new: Path | None, cut: Cut, by: str | None) -> TablesElsewhere | None:
        """Open what is not a small file; None if both are, or if one file is split."""
        from shiftproof.core import open_table
        from shiftproof.data import is_elsewhere, open_rows

        if new is None or not (is_elsewhere(reference) or is_elsewhere(new)):
            return None
        given = {"--by": by, "--missing": cut.missing, "--time": cut.time}
        refused = next((option for option, value in given.items() if value), None)
        if refused:
            raise InputError(f"{refused} needs tables that fit into memory; leave it out, or name two smaller files")
        return cls(old=open_table(open_rows(reference), "REFERENCE"), new=open_table(open_rows(new), "NEW"))

    def inputs(self, exclude: list[str], *, scores: list[str], target: str | None) -> dict[str, Any]:
        """Return tables, scores and labels as `detect` takes them; scores and labels are not compared as features."""
        columns = [*dict.fromkeys([*self.old.names, *self.new.names])]
        check_columns("--exclude", exclude, columns)
        check_columns("--target", target, columns)
        for table in (self.old, self.new):
            check_columns("--score-column", scores, table.names)
        labels = target if target in self.old.names else None
        # A column of scores leaves the tables below, so that the verb would not find it.
        left_out = [name for name in exclude if name not in scores]
        left_out += [target] if target is not None and labels is None else []
        given: dict[str, Any] = {"reference": self.old.without(scores), "current": self.new.without(scores)}
        if scores:
            sides = {"reference_scores": self.old, "current_scores": self.new}
            given |= {side: {name: table.column(name).floats() for name in scores} for side, table in sides.items()}
        return given | {"reference_labels": labels, "exclude": left_out}
