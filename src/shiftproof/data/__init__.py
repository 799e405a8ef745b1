"""How do I get my table in, and what is each of its columns?

`read` takes files and names the line that is broken, `feature_kinds` tells amounts from categories and from columns
that cannot be compared, `cut_periods` cuts rows by a date, and `load_demo` has a table with a real shift to try
everything on.
"""

from shiftproof.data._demo import load_demo as load_demo
from shiftproof.data._kinds import LEFT_OUT as LEFT_OUT
from shiftproof.data._kinds import Kind as Kind
from shiftproof.data._kinds import feature_kinds as feature_kinds
from shiftproof.data._kinds import joint_kinds as joint_kinds
from shiftproof.data._periods import Every as Every
from shiftproof.data._periods import PeriodCut as PeriodCut
from shiftproof.data._periods import Piece as Piece
from shiftproof.data._periods import cut_periods as cut_periods
from shiftproof.data._read import read as read
