"""How good are my models now? Measured on rows they never saw, with intervals, and differences that may be noise."""

from shiftproof.evaluation._evaluate import EvaluateOptions as EvaluateOptions
from shiftproof.evaluation._evaluate import evaluate as evaluate
from shiftproof.evaluation._evaluate import evaluate_case as evaluate_case
from shiftproof.evaluation._learning import learning_curve as learning_curve
from shiftproof.evaluation._learning_result import LearningCurve as LearningCurve
from shiftproof.evaluation._result import Evaluation as Evaluation
from shiftproof.evaluation._words import cell_text as cell_text
