"""How many of each class are in rows that nobody has labelled? Estimated from scores, for many samples at once."""

from shiftproof.quantification._learned import Learned
from shiftproof.quantification._method import METHODS, Method
from shiftproof.quantification._samples import Labelled, Samples

__all__ = ["METHODS", "Labelled", "Learned", "Method", "Samples"]
