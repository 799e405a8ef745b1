"""What natural shifts of a similar size did to other people's models.

The table beside this module has the results of benchmarks/real_shifts.py, never rows of its data: some licences forbid
more. ``make bench-real`` writes it.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from shiftproof.core import Floats
from shiftproof.shift import ShiftKind

# So many pairs of tables are looked at: enough for an average, few enough to resemble.
_NEAREST = 40
#: The columns of the table: whose data, how large the shift, and what was said and true of one model's accuracy.
COLUMNS = ("set", "pair", "model", "size", "validated", "estimate", "actual")


@dataclass(frozen=True, kw_only=True)
class Precedents:
    """Shifts between real tables that were about as large.

    Attributes
    ----------
    count, total : int
        How many pairs of tables these are, and of how many.
    validated_error, estimate_error : float
        By how much the figure on the labelled rows, and our estimate, missed the actual accuracy on average.
    """

    count: int
    total: int
    validated_error: float
    estimate_error: float


@cache
def _known() -> tuple[Floats, Floats, Floats]:
    """Return per pair: the size of the shift, and the mean errors of both figures over its models."""
    with resources.files("shiftproof.case").joinpath("natural_shifts.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    pairs: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        pairs.setdefault((row["set"], row["pair"]), []).append(row)
    sizes = np.array([float(models[0]["size"]) for models in pairs.values()])
    validated, estimated = (
        np.array([np.mean([abs(float(m[name]) - float(m["actual"])) for m in models]) for models in pairs.values()])
        for name in ("validated", "estimate")
    )
    return sizes, validated, estimated


def precedents(shift: ShiftKind) -> Precedents:
    """Return the natural shifts nearest in size to this one.

    The size is the entropy of the weights that make the labelled rows resemble the new ones.
    """
    sizes, validated, estimated = _known()
    # By roots, because most shifts are small and a few are very large.
    near = np.argsort(np.abs(np.sqrt(sizes) - np.sqrt(max(shift.evidence.entropy, 0.0))), kind="stable")[:_NEAREST]
    return Precedents(
        count=len(near),
        total=len(sizes),
        validated_error=float(validated[near].mean()),
        estimate_error=float(estimated[near].mean()),
    )
