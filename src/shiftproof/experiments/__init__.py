"""Do the experiments of the sources give the same again? Each is a grid of cells that can be stopped and resumed."""

from shiftproof.experiments._experiment import CELLS as CELLS
from shiftproof.experiments._experiment import RUN as RUN
from shiftproof.experiments._experiment import Experiment as Experiment
from shiftproof.experiments._experiment import Reproduced as Reproduced
from shiftproof.experiments._experiment import reproduce as reproduce
from shiftproof.experiments._names import NAMES as NAMES
from shiftproof.experiments._names import find_experiment as find_experiment
from shiftproof.experiments._report import as_markdown as as_markdown
from shiftproof.experiments._report import read_table as read_table
from shiftproof.experiments._runner import CellProgress as CellProgress
from shiftproof.experiments._sources import DataSources as DataSources
