"""How do I get my table in, and what is each of its columns?

`read` takes files and names the line that is broken, `feature_kinds` tells amounts from categories and from columns
that cannot be compared, `cut_periods` cuts rows by a date, and `load_demo` has a table with a real shift to try
everything on.
"""

from shiftproof.data._demo import load_demo
from shiftproof.data._kinds import LEFT_OUT, Kind, feature_kinds, joint_kinds
from shiftproof.data._periods import Every, PeriodCut, Piece, cut_periods
from shiftproof.data._read import read

__all__ = [
    "LEFT_OUT",
    "Every",
    "Kind",
    "PeriodCut",
    "Piece",
    "cut_periods",
    "feature_kinds",
    "joint_kinds",
    "load_demo",
    "read",
]
