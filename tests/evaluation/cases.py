"""Panels of scores, made by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import shiftproof as sp

Y = np.tile([0, 1], 100)
# Wrong in every tenth row, and in every third one.
GOOD = np.where(np.arange(200) % 10 == 0, 1 - Y, Y) * 0.8 + 0.1
FAIR = np.where(np.arange(200) % 3 == 0, 1 - Y, Y) * 0.6 + 0.2


def panel() -> sp.Panel:
    """Return the scores of two models in five folds."""
    scores = sp.Panel.from_scores(Y, {"good": GOOD, "fair": FAIR})
    return replace(scores, folds=np.arange(200)[None] // 40, fold_sizes=((160, 40),) * 5)


def evaluation(**options: Any) -> sp.Evaluation:
    """Evaluate both models."""
    return sp.evaluate(panel(), **options)
