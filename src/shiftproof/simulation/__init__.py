"""What if the data changed like this? Shifts to inject into any table.

Each function returns a new table of the caller's type and the numbers of the rows that it kept; `Grid` makes the
papers' whole set of shifts, one at a time.
"""

from shiftproof.simulation._grid import FAMILIES as FAMILIES
from shiftproof.simulation._grid import Cell, Grid, Shifted, Skipped
from shiftproof.simulation._grid import Family as Family
from shiftproof.simulation._grid import shift_label as shift_label
from shiftproof.simulation._prevalence import at_prevalence
from shiftproof.simulation._shifts import joint_selection, mar, mcar, mnar, offset, prior_shift, soft_selection
from shiftproof.simulation._tables import take_rows as take_rows

__all__ = [
    "Cell",
    "Grid",
    "Shifted",
    "Skipped",
    "at_prevalence",
    "joint_selection",
    "mar",
    "mcar",
    "mnar",
    "offset",
    "prior_shift",
    "soft_selection",
]
