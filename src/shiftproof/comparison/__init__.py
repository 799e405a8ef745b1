"""Which of several methods is the best over many data sets, and which differences are more than chance?"""

from shiftproof.comparison._compare import compare
from shiftproof.comparison._pairs import FoldPair, Pair
from shiftproof.comparison._result import Comparison

__all__ = ["Comparison", "FoldPair", "Pair", "compare"]
