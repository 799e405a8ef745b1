"""Which classifier is the best on rows that nobody has labelled, and how good is it there?

Models are judged by what all of them together say of the new rows, corrected on the labelled ones, by the kind of
shift between the two; ReverseTesting and other methods stand beside it.
"""

from shiftproof.selection._estimate import estimate_performance
from shiftproof.selection._judge import needs_positive
from shiftproof.selection._learners import BinnedNaiveBayes, CurtailedTree, RandomTrees, cost_sensitive_models
from shiftproof.selection._page import joint_page
from shiftproof.selection._performance import Confidence, Estimated, Performance
from shiftproof.selection._plan import LabelPlan
from shiftproof.selection._rehearsal import Rehearsal
from shiftproof.selection._reverse import reverse_test
from shiftproof.selection._reverse_test import Judges, ReverseTest
from shiftproof.selection._rival import Guess, Plan, Rival, Setting
from shiftproof.selection._rivals import RIVALS, rival_scores
from shiftproof.selection._select import select
from shiftproof.selection._selection import Selection
from shiftproof.selection._soft import MEASURES
from shiftproof.selection._words import believed, called, written

__all__ = [
    "MEASURES",
    "RIVALS",
    "BinnedNaiveBayes",
    "Confidence",
    "CurtailedTree",
    "Estimated",
    "Guess",
    "Judges",
    "LabelPlan",
    "Performance",
    "Plan",
    "RandomTrees",
    "Rehearsal",
    "ReverseTest",
    "Rival",
    "Selection",
    "Setting",
    "believed",
    "called",
    "cost_sensitive_models",
    "estimate_performance",
    "joint_page",
    "needs_positive",
    "reverse_test",
    "rival_scores",
    "select",
    "written",
]
