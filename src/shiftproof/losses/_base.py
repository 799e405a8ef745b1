"""The base of the figures of this package."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shiftproof.core import Result, plain_fields

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class LossFigure(Result):
    """Numbers that are computed once and can be drawn."""

    def to_dict(self) -> dict[str, Any]:
        """Return every field as plain values that ``json.dumps`` accepts."""
        return plain_fields(self)

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw on `ax`, or on new axes, and return the axes."""
