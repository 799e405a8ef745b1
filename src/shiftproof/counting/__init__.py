"""How many rows of each class are there, by their scores? Scores in, class proportions out; rows are never seen."""

from shiftproof.counting._assumption import MixtureFit, Unclipped, mixture_fit, unclipped
from shiftproof.counting._bootstrap import RESAMPLES, bootstrap_intervals
from shiftproof.counting._learned import Learned
from shiftproof.counting._method import METHODS, Method
from shiftproof.counting._samples import Labelled, Samples

__all__ = [
    "METHODS",
    "RESAMPLES",
    "Labelled",
    "Learned",
    "Method",
    "MixtureFit",
    "Samples",
    "Unclipped",
    "bootstrap_intervals",
    "mixture_fit",
    "unclipped",
]
