"""What other methods say, beside what we say."""

from __future__ import annotations

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


def cheap_guesses(setting: Setting) -> dict[str, dict[str, float]]:
    """Give the accuracy of each model on the new rows as each method has it that costs nothing more."""
    guesses = {name: RIVALS[name].guess(setting).accuracies.tolist() for name in _CHEAP}
    return {
        model: {name: accuracies[at] for name, accuracies in guesses.items()}
        for at, model in enumerate(setting.candidates.names)
    }
