from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from shiftproof.losses._base import LossFigure


@dataclass(frozen=True, eq=False, kw_only=True)
class Drawn(LossFigure):
    values: Any

    def plot(self, ax: Any = None) -> Any:
        return ax

    def summary(self) -> str:
        return ""

    def to_frame(self) -> Any:
        return None


def test_loss_figure_to_dict_is_json() -> None:
    drawn = Drawn(values=np.array([0.5, 1.0]))
    assert json.loads(json.dumps(drawn.to_dict())) == {"values": [0.5, 1.0]}


def test_loss_figure_without_plot_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="plot"):
        LossFigure()  # type: ignore[abstract]
