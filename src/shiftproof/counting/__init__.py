"""How many rows of each class are there, by their scores? Scores in, class proportions out; rows are never seen."""

from shiftproof.counting._assumption import MixtureFit as MixtureFit
from shiftproof.counting._assumption import Unclipped as Unclipped
from shiftproof.counting._assumption import mixture_fit as mixture_fit
from shiftproof.counting._assumption import unclipped as unclipped
from shiftproof.counting._bootstrap import RESAMPLES as RESAMPLES
from shiftproof.counting._bootstrap import SPREAD_ONLY as SPREAD_ONLY
from shiftproof.counting._bootstrap import bootstrap_intervals as bootstrap_intervals
from shiftproof.counting._calibration import Calibration as Calibration
from shiftproof.counting._calibration import learn_calibration as learn_calibration
from shiftproof.counting._expectation import MANY_CLASSES as MANY_CLASSES
from shiftproof.counting._expectation import Ascent as Ascent
from shiftproof.counting._expectation import Maximized as Maximized
from shiftproof.counting._learned import Learned as Learned
from shiftproof.counting._method import METHODS as METHODS
from shiftproof.counting._method import Method as Method
from shiftproof.counting._method import named_method as named_method
from shiftproof.counting._samples import Labelled as Labelled
from shiftproof.counting._samples import RowScores as RowScores
from shiftproof.counting._samples import Samples as Samples
from shiftproof.counting._thresholds import NONE_QUALIFIES as NONE_QUALIFIES
