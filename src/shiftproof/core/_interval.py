"""An estimate with its interval and the name of its method."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from shiftproof.core._checks import check_fraction, fault
from shiftproof.core._phrases import Phrase


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An estimate with its confidence interval.

    Parameters
    ----------
    estimate, low, high : float
        The point estimate and the two ends, ``low <= high``.
    level : float
        The nominal coverage, such as 0.95.
    method : str
        How the interval was made, such as ``"wilson"``.

    Examples
    --------
    >>> interval = Interval(estimate=0.75, low=0.732, high=0.767, level=0.8, method="wilson")
    >>> print(interval)
    0.750 [0.732, 0.767]
    >>> 0.74 in interval
    True
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str

    def __post_init__(self) -> None:
        check_fraction(self.level, "level", hint="0.95 means 95%")
        if not (self.low <= self.high or math.isnan(self.low) or math.isnan(self.high)):
            raise fault("low", "not be above high", Phrase(f"{self.low:g} above {self.high:g}"), "swap the two ends")

    @property
    def width(self) -> float:
        """The distance between the two ends."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.estimate:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the five fields as plain values."""
        return asdict(self)
