"""How do I read my table, and what is each of its columns? Files, kinds of columns, periods, the demo table."""

from shiftproof.data._demo import load_demo as load_demo
from shiftproof.data._elsewhere import is_elsewhere as is_elsewhere
from shiftproof.data._elsewhere import open_rows as open_rows
from shiftproof.data._kinds import LEFT_OUT as LEFT_OUT
from shiftproof.data._kinds import Kind as Kind
from shiftproof.data._kinds import feature_kinds as feature_kinds
from shiftproof.data._kinds import is_called_identifier as is_called_identifier
from shiftproof.data._kinds import joint_kinds as joint_kinds
from shiftproof.data._order import is_month as is_month
from shiftproof.data._periods import Every as Every
from shiftproof.data._periods import PeriodCut as PeriodCut
from shiftproof.data._periods import Piece as Piece
from shiftproof.data._periods import cut_evenly as cut_evenly
from shiftproof.data._periods import cut_periods as cut_periods
from shiftproof.data._read import read as read
from shiftproof.data._read import read_rows as read_rows
from shiftproof.data._types import ColumnTypes as ColumnTypes
