"""What a measure is called in a sentence."""

from __future__ import annotations

_NAMES = {
    "auc": "AUC",
    "brier": "Brier score",
    "f1": "F1",
    "g_mean": "G-mean",
    "three_point_average_precision": "three-point average precision",
}


def measure_name(measure: str) -> str:
    """Return the name of a measure as people write it.

    Examples
    --------
    >>> measure_name("brier"), measure_name("log_loss"), measure_name("accuracy")
    ('Brier score', 'log loss', 'accuracy')
    """
    return _NAMES.get(measure, measure.replace("_", " "))
