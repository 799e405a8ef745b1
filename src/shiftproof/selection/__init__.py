"""Which classifier is the best on unlabelled data, and how good is it?

Models are judged by the posterior of all of them together, corrected on the labelled data, along a route for each
type of shift. ReverseTesting and other methods are shown beside it.
"""

from shiftproof.case import SOFT_MEASURES as SOFT_MEASURES
from shiftproof.selection._baseline import MajorityBaseline
from shiftproof.selection._estimate import estimate_case as estimate_case
from shiftproof.selection._estimate import estimate_performance
from shiftproof.selection._estimate_result import Confidence, Estimated, Performance
from shiftproof.selection._measures import default_measure as default_measure
from shiftproof.selection._page import joint_page as joint_page
from shiftproof.selection._plan import LabelPlan
from shiftproof.selection._rehearsal import Rehearsal
from shiftproof.selection._select import SelectOptions as SelectOptions
from shiftproof.selection._select import find_rival as find_rival
from shiftproof.selection._select import select
from shiftproof.selection._select import select_case as select_case
from shiftproof.selection._select_result import Selection
from shiftproof.selection._words import BLIND as BLIND
from shiftproof.selection._words import NUMBERS as NUMBERS
from shiftproof.selection._words import believed as believed
from shiftproof.selection._words import both_text as both_text
from shiftproof.selection._words import called as called
from shiftproof.selection._words import drift_text as drift_text
from shiftproof.selection._words import grounds_text as grounds_text
from shiftproof.selection._words import history_text as history_text
from shiftproof.selection._words import note_text as note_text
from shiftproof.selection._words import past_text as past_text
from shiftproof.selection._words import points_apart as points_apart
from shiftproof.selection._words import selection_headline as selection_headline
from shiftproof.selection._words import types_text as types_text
from shiftproof.selection._words import written as written
from shiftproof.selection.rivals._interface import CrossFitPlan, Guess, Rival, Setting
from shiftproof.selection.rivals._learners import BinnedNaiveBayes, CurtailedTree, RandomTrees, cost_sensitive_models
from shiftproof.selection.rivals._methods import RIVALS, rival_scores
from shiftproof.selection.rivals._reverse import reverse_test
from shiftproof.selection.rivals._reverse_result import Judges, ReverseTest
from shiftproof.selection.rivals._training_error import structural_risk

__all__ = [
    "RIVALS",
    "BinnedNaiveBayes",
    "Confidence",
    "CrossFitPlan",
    "CurtailedTree",
    "Estimated",
    "Guess",
    "Judges",
    "LabelPlan",
    "MajorityBaseline",
    "Performance",
    "RandomTrees",
    "Rehearsal",
    "ReverseTest",
    "Rival",
    "Selection",
    "Setting",
    "cost_sensitive_models",
    "estimate_performance",
    "reverse_test",
    "rival_scores",
    "select",
    "structural_risk",
]
