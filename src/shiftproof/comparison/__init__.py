"""Which of several methods is the best over many data sets, and which differences are more than chance?"""

from shiftproof.comparison._compare import compare as compare
from shiftproof.comparison._pairs import FoldPair as FoldPair
from shiftproof.comparison._pairs import MethodPair as MethodPair
from shiftproof.comparison._result import Comparison as Comparison
