"""What the class proportions of the new data allow an accuracy to be, given what the model answers.

If a model answers class c in a share `q` of the rows and the class has a share `p`, its accuracy is within ``1 - q`` of
`p`: only rows that get another answer can make a difference. Both figures stand on one page, so they must not exclude
each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from shiftproof.core import Codes, Floats, Interval


def answer_shares(decisions: Codes, k: int) -> Floats:
    """Return the share of rows to which each of k classes is the answer.

    Examples
    --------
    >>> answer_shares(np.array([0, 0, 0, 1]), 3)
    array([0.75, 0.25, 0.  ])
    """
    return np.bincount(decisions, minlength=k) / len(decisions)


def within_reach(accuracy: Interval, answers: Floats, shares: Mapping[int, Interval]) -> Interval:
    """Move an accuracy as little as it takes to agree with the class proportions.

    The accuracy of a model that gives one answer to all rows becomes that class's share, with the same interval.

    Parameters
    ----------
    accuracy : Interval
        The estimated accuracy of a model.
    answers : ndarray of shape (k,)
        The share of the new rows to which each class is the model's answer.
    shares : mapping of int to Interval
        The class proportions of the new rows, by number of the class; empty if they are not known.

    Examples
    --------
    A model that gives another answer to 5% of the rows is at most 5 points better than the highest share of the class.

    >>> estimate = Interval(estimate=0.9, low=0.8, high=0.95, level=0.9, method="routed pool")
    >>> share = replace(estimate, estimate=0.8, low=0.78, high=0.82)
    >>> moved = within_reach(estimate, np.array([0.95, 0.05]), {0: share})
    >>> print(f"{moved.estimate:.2f} ({moved.low:.2f} to {moved.high:.2f})")
    0.87 (0.80 to 0.95)
    """
    estimate = accuracy.estimate
    for code, share in shares.items():
        others = 1 - float(answers[code])
        if others == 0:
            return share
        # By the ends of the share: what it is estimated at may be off by as much as its interval is wide.
        estimate = min(max(estimate, share.low - others, 0.0), share.high + others, 1.0)
    # The ends stay: clipped by those of the shares, they would contain fewer of the actual values.
    low, high = min(accuracy.low, estimate), max(accuracy.high, estimate)
    return replace(accuracy, estimate=estimate, low=low, high=high)


def opposite(interval: Interval) -> Interval:
    """Return the interval of an error from that of an accuracy, or the other way around.

    Examples
    --------
    >>> opposite(Interval(estimate=0.75, low=0.5, high=1.0, level=0.9, method="t")).high
    0.5
    """
    return replace(interval, estimate=1 - interval.estimate, low=1 - interval.high, high=1 - interval.low)
