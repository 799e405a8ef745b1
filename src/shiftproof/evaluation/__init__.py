"""What should I believe of my models now? Measured on rows they never saw, with intervals, and noise called noise."""

from shiftproof.evaluation._compare import compare_models
from shiftproof.evaluation._evaluate import evaluate
from shiftproof.evaluation._result import Evaluation

__all__ = ["Evaluation", "compare_models", "evaluate"]
