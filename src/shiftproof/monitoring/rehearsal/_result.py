"""What a rehearsal returns: alarms of the past, and how soon changes would have been detected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from shiftproof.core import Phrase
from shiftproof.monitoring._result import MonitorTerms
from shiftproof.monitoring.alarms import Level
from shiftproof.monitoring.rehearsal._replay import PastAlarm
from shiftproof.reporting import PagedResult, Tone

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.reporting import Page

#: What is put into the past.
Change = Literal["shift", "drop"]


@dataclass(frozen=True, kw_only=True)
class Delay:
    """After how many batches a change would have been detected.

    Attributes
    ----------
    change : {"shift", "drop"}
        A column moved away from the reference, or accuracy fell below the floor.
    size : float
        The distance from the reference, or how far below the floor.
    labels : int
        Labelled rows of each batch; 0 without.
    level : {"changed", "material", "harm"}
        The alarm.
    batches, late : float or None
        The median number of batches to the alarm and the 90% point, the changed batch being the first; None if fewer
        streams had an alarm.
    found : float
        The share of streams with an alarm within the horizon.
    horizon : int
        How many batches were simulated.
    """

    change: Change
    size: float
    labels: int = 0
    level: Level
    batches: float | None
    late: float | None
    found: float
    horizon: int

    @classmethod
    def of(
        cls,
        change: Literal["shift", "drop"],
        size: float,
        level: Level,
        firsts: Sequence[int],
        *,
        horizon: int,
        labels: int = 0,
    ) -> Delay:
        """Summarise the first alarms of several streams, 0 where there was none.

        Examples
        --------
        >>> delay = Delay.of("shift", 0.2, "material", [2, 3, 1, 0], horizon=40)
        >>> delay.batches, delay.late, delay.found
        (2.0, None, 0.75)
        """
        first = np.array(firsts, dtype=np.float64)
        first[first == 0] = math.inf
        median, late = (float(np.quantile(first, share, method="inverted_cdf")) for share in (0.5, 0.9))
        return cls(
            change=change,
            size=size,
            level=level,
            batches=median if math.isfinite(median) else None,
            late=late if math.isfinite(late) else None,
            found=float(np.isfinite(first).mean()),
            horizon=horizon,
            labels=labels,
        )


@dataclass(frozen=True, kw_only=True)
class SizeTrial:
    """How soon a shift would have been detected with batches of another size.

    Attributes
    ----------
    rows : int
        Rows of a batch, in the median.
    times : float
        How many batches of the past make one of these; below 1, part of one.
    delay : Delay
        Of *material*.
    """

    rows: int
    times: float
    delay: Delay

    @property
    def wait(self) -> float:
        """The median delay in batches of the past; infinite if the shift is not found."""
        return math.inf if self.delay.batches is None else self.delay.batches * self.times


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What a rehearsal recommends.

    Attributes
    ----------
    rows : int
        Rows of a batch.
    labels : int or None
        Labelled rows of each batch; None if harm is not watched.
    floor : float or None
        The accuracy below which there should be harm.
    """

    rows: int
    labels: int | None
    floor: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class MonitorRehearsal(PagedResult):
    """The alarms that a monitor would have raised in the past, and how soon it would have detected changes.

    Attributes
    ----------
    batches : tuple of str
        The batches of the past, in the order of time.
    rows : int
        The median number of rows of a batch.
    alarms : tuple of PastAlarm
        The alarms that the past itself raises; each is acknowledged immediately.
    below_floor : int or None
        Number of past batches whose actual accuracy was below the floor by more than chance; None without labels.
    shifts, drops : tuple of Delay
        How soon a change of one column and a drop of accuracy would have been detected.
    sizes : tuple of SizeTrial
        The same for batches of other sizes.
    advice : Advice
        What is recommended.
    terms : MonitorTerms
        What the monitor watches for.
    """

    batches: tuple[str, ...]
    rows: int
    alarms: tuple[PastAlarm, ...]
    below_floor: int | None
    shifts: tuple[Delay, ...]
    drops: tuple[Delay, ...]
    sizes: tuple[SizeTrial, ...]
    advice: Advice
    terms: MonitorTerms

    def to_frame(self) -> pd.DataFrame:
        """Return one row per change, number of labels and alarm."""
        import pandas as pd

        return pd.DataFrame([vars(delay) for delay in (*self.shifts, *self.drops)])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self._plain_fields()

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        from shiftproof.monitoring.rehearsal._words import headline

        return headline(self)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        return "care" if self.paging else "good"

    @property
    def paging(self) -> tuple[PastAlarm, ...]:
        """The alarms of the past that need attention: all but *changed*."""
        return tuple(alarm for alarm in self.alarms if alarm.level != "changed")

    def summary(self) -> str:
        """Say which alarms the past raises, how soon changes would have been detected, and what is recommended."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which names of batches are marked as sensitive."""
        return Phrase.joined(" ", [self.headline, self.details])

    @property
    def details(self) -> Phrase:
        """The sentences of `summary` after its headline."""
        from shiftproof.monitoring.rehearsal._words import detail_words

        return detail_words(self)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the delays of a drop of accuracy by the number of labels."""
        from shiftproof import plots

        known = [delay for delay in self.drops if delay.labels or delay.batches is not None]
        sizes = sorted({delay.size for delay in known})
        return plots.rehearsal_delays(
            {size: [(one.labels, one.batches, one.late) for one in known if one.size == size] for size in sizes}, ax=ax
        )

    def to_page(self, *, title: str | None = None) -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.monitoring.rehearsal._page import rehearsal_page

        return rehearsal_page(self, f"Rehearsal of monitor {self.terms.name!r}" if title is None else title)
