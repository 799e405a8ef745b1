"""What every test of this package returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class TestResult:
    """A test statistic, its p-value and how the two were computed.

    Parameters
    ----------
    statistic : float
        The test statistic.
    p_value : float
        Between 0 and 1.
    method : str
        The test and how its p-value was found, such as ``"sign test, exact"``.
    note : str
        What the reader should also know, such as how many zeros were left out; usually empty.

    Examples
    --------
    >>> TestResult(statistic=8.0, p_value=0.109375, method="sign test, exact").p_value
    0.109375
    """

    statistic: float
    p_value: float
    method: str
    note: str = ""

    # The name starts with "Test", so pytest would collect the class.
    __test__: ClassVar[bool] = False
