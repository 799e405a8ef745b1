"""The estimates of other methods, shown beside ours."""

from __future__ import annotations

from shiftproof.case import Case
from shiftproof.selection.rivals._interface import Setting
from shiftproof.selection.rivals._methods import RIVALS

# Those that fit nothing and ask for no folds of their own.
_CHEAP = (
    "cross-validation",
    "difference of confidences",
    "average thresholded confidence",
    "calibrated confidence",
    "adjusted prevalence",
    "posterior pool",
    "corrected pool",
)


def cheap_guesses(case: Case) -> dict[str, dict[str, float]]:
    """Return the accuracy of each model on the new rows by each method that costs nothing more.

    None of them knows thresholds, so there are none with one.
    """
    if case.options.threshold is not None:
        return {}
    setting = case.once(Setting.of)
    guesses = {name: RIVALS[name].guess(setting).accuracies.tolist() for name in _CHEAP}
    return {
        model: {name: accuracies[place] for name, accuracies in guesses.items()}
        for place, model in enumerate(setting.candidates.names)
    }
