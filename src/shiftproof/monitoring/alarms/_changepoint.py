"""Since when: the range of batches with which a change most likely began."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from shiftproof.monitoring.alarms._evidence import Experts, log_mean

Floats = NDArray[np.float64]

_SHARE = 0.9


def begin_range(log_e: Floats, experts: Experts) -> tuple[int, int, int]:
    """Return the first, last and likeliest batch with which a change began.

    A change that began with batch s has the weight ``sum_k pi_k prod_{i >= s} e_ki``, averaged over columns. The
    range contains the likeliest batches that have 90% of the weight together.

    Parameters
    ----------
    log_e : array, shape (T, E)
        Logarithms of the bets on each batch, the last one last.
    experts : Experts
        Their weights.
    """
    since = np.cumsum(log_e[::-1], axis=0)[::-1] + experts.log_weights
    columns = [slice(*ends) for ends in zip(experts.starts[:-1], experts.starts[1:], strict=True)]
    by_column = np.stack([logsumexp(since[:, column], axis=1) for column in columns], axis=1)
    weight = np.array([log_mean(row) for row in by_column])
    share = np.exp(weight - logsumexp(weight))
    order = np.argsort(-share, kind="stable")
    likely = order[: int(np.searchsorted(np.cumsum(share[order]), _SHARE)) + 1]
    return int(likely.min()), int(likely.max()), int(order[0])
