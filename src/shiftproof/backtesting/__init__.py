"""What would we have said of the past, and what was true?

The labelled past is replayed period by period: models of the rows before a period, an estimate for the period without
its labels, and then its labels.
"""

from shiftproof.backtesting._backtest import backtest as backtest
from shiftproof.backtesting._replay import FOLDS as FOLDS
from shiftproof.backtesting._result import Backtest as Backtest
from shiftproof.backtesting._timing import read_time as read_time
