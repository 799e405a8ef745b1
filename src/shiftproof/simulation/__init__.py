"""What if the world changed so? Shifts to inject into any table.

Each function returns a new table of the caller's type and the numbers of the rows that it kept; `Grid` makes the
papers' whole set of shifts, one at a time.
"""

from shiftproof.simulation._grid import FAMILIES, Cell, Family, Grid, Shifted, Skipped, shift_label
from shiftproof.simulation._prevalence import at_prevalence
from shiftproof.simulation._shifts import mar, mcar, mnar, offset, prior_shift, soft_selection
from shiftproof.simulation._tables import take_rows

__all__ = [
    "FAMILIES",
    "Cell",
    "Family",
    "Grid",
    "Shifted",
    "Skipped",
    "at_prevalence",
    "mar",
    "mcar",
    "mnar",
    "offset",
    "prior_shift",
    "shift_label",
    "soft_selection",
    "take_rows",
]
