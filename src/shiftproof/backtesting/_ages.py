"""What models lose as they get older: those of earlier periods beside those that were just refitted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from shiftproof.case import FEWEST_PERIODS
from shiftproof.core import Floats, Interval

# A loss below this, in the unit of a share, is not worth a refit.
_WORTH_A_REFIT = 0.005


@dataclass(frozen=True, kw_only=True)
class ModelAge:
    """What one model loses at one age.

    Attributes
    ----------
    model : str
        Its name.
    age : int
        How many periods ago it was fitted last, beyond the model that it is compared with.
    loss : Interval
        How much worse it is than the model that was refitted just before the period, on the same rows.
    n_periods : int
        In how many periods the two were compared.
    """

    model: str
    age: int
    loss: Interval
    n_periods: int

    @property
    def judged(self) -> bool:
        """Whether there are enough periods to say something; two may agree by chance, and would leave no spread."""
        return self.n_periods >= FEWEST_PERIODS

    @property
    def worth_a_refit(self) -> bool:
        """Whether the model loses more than half a point, and more than by chance."""
        return self.judged and self.loss.low > 0 and self.loss.estimate >= _WORTH_A_REFIT

    @property
    def as_good(self) -> bool:
        """Whether a loss of half a point or more can be excluded."""
        return self.judged and self.loss.high < _WORTH_A_REFIT


def losses_by_age(
    values: Mapping[int, Mapping[str, Sequence[float]]], *, higher_is_better: bool, level: float
) -> tuple[ModelAge, ...]:
    """Compare the models of every period with those that were fitted later, in the periods that both were tested in.

    Parameters
    ----------
    values : mapping of int to mapping of str to sequence of float
        By the number of the period and by model: the measure of the models that were fitted just before this period,
        in this period and in those after it.
    higher_is_better : bool
        Whether the larger value wins.
    level : float
        The nominal coverage of the intervals.

    Examples
    --------
    >>> values = {1: {"lr": [0.8, 0.78, 0.7]}, 2: {"lr": [0.81, 0.75]}, 3: {"lr": [0.8]}}
    >>> for age in losses_by_age(values, higher_is_better=True, level=0.9):
    ...     print(age.age, age.loss, age.n_periods)
    1 0.040 [-0.023, 0.103] 2
    """
    sign = 1 if higher_is_better else -1
    ages = []
    for model in dict.fromkeys(name for of_period in values.values() for name in of_period):
        fresh = {place: of_period[model][0] for place, of_period in values.items() if model in of_period}
        oldest = max(len(of_period[model]) for of_period in values.values() if model in of_period)
        for age in range(1, oldest):
            losses = np.array(
                [
                    sign * (fresh[place + age] - of_period[model][age])
                    for place, of_period in values.items()
                    if age < len(of_period.get(model, ())) and place + age in fresh
                ]
            )
            losses = losses[~np.isnan(losses)]
            # One period says nothing about chance.
            if len(losses) > 1:
                ages.append(ModelAge(model=model, age=age, loss=_mean(losses, level), n_periods=len(losses)))
    return tuple(ages)


def _mean(values: Floats, level: float) -> Interval:
    """Return the mean with Student's interval."""
    mean = float(values.mean())
    half = float(stats.t.ppf((1 + level) / 2, len(values) - 1)) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return Interval(estimate=mean, low=mean - half, high=mean + half, level=level, method="student")
