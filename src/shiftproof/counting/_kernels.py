"""The inner loops over many samples of one pool of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, kernel

Places = NDArray[np.intp]

# Loops stand where NumPy has a word, such as `diff`, or adds arrays: numba takes seconds to compile each of those, and
# whoever counts for the first time waits for it.

# Medians of more than 1,024 values look first at about 256 of them, evenly spaced.
_PROBES = 256
# Of the steps towards the likeliest mixture: how many at most, by how much the curvature's diagonal is enlarged, how
# likely a row is at least in each class, and by how much it may become less likely in one step.
_MOST_STEPS, _RIDGE, _LEAST, _VANISHED = 200, 1e-9, 1e-12, 1e-6


@kernel()
def sums(values: Floats, rows: Places, offsets: Places) -> Any:
    """Add up the rows of each sample, shape (S, d), for values of shape (N, d)."""
    n, d = len(offsets) - 1, values.shape[1]
    total = np.zeros((n, d))
    for s in range(n):
        for place in range(offsets[s], offsets[s + 1]):
            row = rows[place]
            for j in range(d):
                total[s, j] += values[row, j]
    return total


@kernel()
def _largest(offsets: Places) -> Any:
    """Return the number of rows of the largest sample."""
    largest = 0
    for s in range(len(offsets) - 1):
        largest = max(largest, offsets[s + 1] - offsets[s])
    return largest


@kernel()
def histograms(places: Places, n_bins: int, rows: Places, offsets: Places) -> Any:
    """Give the share of each sample's rows in each bin, shape (S, n_bins), for each row's bin, shape (N,)."""
    n = len(offsets) - 1
    shares = np.zeros((n, n_bins))
    for s in range(n):
        for place in range(offsets[s], offsets[s + 1]):
            shares[s, places[rows[place]]] += 1.0
        size = offsets[s + 1] - offsets[s]
        for j in range(n_bins):
            shares[s, j] /= size
    return shares


@kernel()
def interpolated(values: Floats, knots: Floats, heights: Floats) -> Any:
    """Interpolate between at least two rising knots, level beyond them: `numpy.interp`, several times faster.

    Equal steps from the first to the last knot lead near each value, so that the search has few knots left.
    """
    n, first, last = len(knots), knots[0], knots[-1]
    scale = n / (last - first)
    # How many knots lie before each step.
    starts = np.zeros(n + 2, dtype=np.intp)
    for knot in knots:
        starts[int((knot - first) * scale) + 1] += 1
    starts = np.cumsum(starts)
    found = np.empty(len(values))
    for i in range(len(values)):
        value = values[i]
        if value <= first or value >= last:
            found[i] = heights[0] if value <= first else heights[-1]
            continue
        step = int((value - first) * scale)
        low, high = starts[step], starts[step + 1]
        while low < high:
            middle = (low + high) // 2
            if knots[middle] <= value:
                low = middle + 1
            else:
                high = middle
        slope = (heights[low] - heights[low - 1]) / (knots[low] - knots[low - 1])
        found[i] = slope * (value - knots[low - 1]) + heights[low - 1]
    return found


@kernel()
def _middle(values: Floats, work: Floats) -> Any:
    """Return the median; `work` is as long as the values."""
    n = len(values)
    low, high = (n - 1) // 2, n // 2
    if n > 4 * _PROBES:
        # Few evenly spaced values tell between which bounds the median lies; only those between are sorted.
        probes = np.sort(values[:: n // _PROBES].copy())
        m = len(probes)
        floor, ceiling = probes[m * 46 // 100], probes[m * 54 // 100]
        below = inside = 0
        for i in range(n):
            value = values[i]
            work[inside] = value
            below += value < floor
            inside += (value >= floor) & (value <= ceiling)
        if below <= low and high < below + inside:
            ordered = np.sort(work[:inside])
            return (ordered[low - below] + ordered[high - below]) / 2
    ordered = np.sort(values)
    return (ordered[low] + ordered[high]) / 2


@kernel(error_model="numpy")
def sweep(places: Places, fpr: Floats, gap: Floats, rows: Places, offsets: Places) -> Any:
    """Return each sample's median over all thresholds of the adjusted count, shape (S,).

    Parameters
    ----------
    places : array of shape (N,)
        How many of the thresholds are at most the row's score.
    fpr, gap : arrays of shape (T,)
        The false positive rate at each threshold, rising, and how much the true positive rate is larger.
    rows, offsets : arrays of shape (R,), (S + 1,)
        The samples.
    """
    n, t = len(offsets) - 1, len(fpr)
    medians = np.empty(n)
    values, work = np.empty(t), np.empty(t + 1)
    counts = np.zeros(t + 1, dtype=np.int64)
    for s in range(n):
        size = offsets[s + 1] - offsets[s]
        counts[:] = 0
        for place in range(offsets[s], offsets[s + 1]):
            counts[places[rows[place]]] += 1
        above = 0
        for j in range(t - 1, -1, -1):
            above += counts[j + 1]
            values[j] = above
        for j in range(t):
            values[j] = (values[j] / size - fpr[j]) / gap[j]
        medians[s] = _middle(values, work)
    return medians


@kernel(error_model="numpy", fastmath={"reassoc", "contract"})
def mixtures(
    likelihoods: Floats, start: Floats, rows: Places, offsets: Places, tolerance: float, most_rounds: int
) -> Any:
    """Find each sample's likeliest mixture of the classes by expectation maximization, shape (S, k).

    Parameters
    ----------
    likelihoods : array of shape (N, k)
        How likely each row is in each class, up to a factor per row; no row is all zeros.
    start : array of shape (k,)
        Where to start; positive.
    rows, offsets : arrays of shape (R,), (S + 1,)
        The samples.
    tolerance, most_rounds : float, int
        Stop when no share changes by more than `tolerance`, or after `most_rounds`.
    """
    n, k = len(offsets) - 1, likelihoods.shape[1]
    shares = np.empty((n, k))
    for s in range(n):
        chosen = likelihoods[rows[offsets[s] : offsets[s + 1]]]
        now = start.copy()
        for _ in range(most_rounds):
            new = np.zeros(k)
            for likelihood in chosen:
                new += likelihood * (now / (now * likelihood).sum())
            new /= len(chosen)
            change = np.abs(new - now).max()
            now = new
            if change <= tolerance:
                break
        shares[s] = now
    return shares


@kernel(error_model="numpy", fastmath={"reassoc", "contract"})
def likeliest_of_two(likelihoods: Floats, start: float, rows: Places, offsets: Places) -> Any:
    """Find the share of the second class under which each sample is likeliest, shape (S,): where EM would end.

    The logarithm of the likelihood is concave in the share: its slope falls. The zero is found by Newton's steps where
    they stay inside the bracket, and by halving it where they do not.

    Parameters
    ----------
    likelihoods : array of shape (N, 2)
        How likely each row is in each class, up to a factor per row; no row is all zeros.
    start : float
        The share where all are equally likely.
    rows, offsets : arrays of shape (R,), (S + 1,)
        The samples.
    """
    n = len(offsets) - 1
    likeliest = np.empty(n)
    # With d = (second - first)/(second + first) each term of the slope is 2 d/(1 - d + 2 d q).
    contrast = np.empty(_largest(offsets))
    for s in range(n):
        size, farthest = offsets[s + 1] - offsets[s], 0.0
        for i in range(size):
            row = rows[offsets[s] + i]
            first, second = likelihoods[row, 0], likelihoods[row, 1]
            contrast[i] = (second - first) / (second + first)
            farthest = max(farthest, abs(contrast[i]))
        low, high, share = 0.0, 1.0, 0.5
        if farthest == 0.0:
            low = high = share = start
        for end in (0.0, 1.0):
            slope = 0.0
            for i in range(size):
                # A row that excludes the class makes the slope as good as infinite, and the end is none.
                slope += contrast[i] / max(1.0 - contrast[i] + 2.0 * contrast[i] * end, 1e-300)
            if end == 0.0 and slope < 0.0:
                high = share = 0.0
            elif end == 1.0 and slope > 0.0:
                low = share = 1.0
        for _ in range(100):
            if high - low < 1e-12:
                break
            slope = curve = 0.0
            for i in range(size):
                term = contrast[i] / (1.0 - contrast[i] + 2.0 * contrast[i] * share)
                slope += term
                curve += term * term
            if slope > 0.0:
                low = share
            else:
                high = share
            ahead = share + slope / (2.0 * curve) if curve > 0.0 else -1.0
            if not low < ahead < high:
                ahead = (low + high) / 2
            close = abs(ahead - share) < 1e-12
            share = ahead
            if close:
                break
        likeliest[s] = share
    return likeliest


@kernel(error_model="numpy")
def topsoe_minima(samples: Floats, negative: Floats, positive: Floats, rounds: int) -> Any:
    """Find the mixture of two histograms nearest to each sample's by Topsøe's distance: positive shares, (S,).

    The distance is convex in the share; the sign of its slope is bisected, by Newton's step where that stays inside.

    Parameters
    ----------
    samples : array of shape (S, b)
        The samples' histograms, each adding up to 1.
    negative, positive : arrays of shape (b,)
        The classes' histograms, not the same.
    rounds : int
        How many steps at most.
    """
    n, b = samples.shape
    nearest = np.empty(n)
    for s in range(n):
        low, high = 0.0, 1.0
        share = 0.5
        for _ in range(rounds):
            slope = curve = 0.0
            for j in range(b):
                step = positive[j] - negative[j]
                if step == 0.0:
                    continue
                mixed = negative[j] + share * step
                both = samples[s, j] + mixed
                if samples[s, j] == 0.0:
                    slope += step * 0.6931471805599453
                else:
                    slope += step * np.log(2.0 * mixed / both)
                    curve += step * step * samples[s, j] / (mixed * both)
            if slope > 0.0:
                high = share
            elif slope < 0.0:
                low = share
            else:
                break
            ahead = share - slope / curve if curve > 0.0 else -1.0
            # Also where the end of the interval is the answer, half way towards it is.
            if not low < ahead < high:
                ahead = (low + high) / 2
            close = abs(ahead - share) < 1e-9
            share = ahead
            if close:
                break
        nearest[s] = share
    return nearest


@kernel(error_model="numpy")
def _stationary(hessian: Floats, linear: Floats, members: Places) -> Any:
    """Return the stationary point among the free shares, and the multiplier for their sum behind it."""
    m = len(members)
    system, right = np.ones((m + 1, m + 1)), np.ones(m + 1)
    system[m, m] = 0.0
    for i in range(m):
        for j in range(m):
            system[i, j] = hessian[members[i], members[j]]
        right[i] = linear[members[i]]
    return np.linalg.solve(system, right)


@kernel(error_model="numpy")
def _move_to_minimum(hessian: Floats, linear: Floats, q: Floats, tolerance: float) -> None:
    """Move the shares q to where ``q @ hessian @ q / 2 - linear @ q`` is least, by active sets."""
    k = len(q)
    free, target = np.empty(k, dtype=np.bool_), np.empty(k)
    members = np.empty(k, dtype=np.intp)
    for c in range(k):
        free[c] = q[c] > 0.0
    entered = False
    # Each round frees or binds one share; no set of free shares comes back, and few are ever looked at.
    for _ in range(50 * k):
        m = 0
        for c in range(k):
            target[c] = 0.0
            if free[c]:
                members[m] = c
                m += 1
        solved, lowest = _stationary(hessian, linear, members[:m]), 0.0
        for i in range(m):
            target[members[i]] = solved[i]
            lowest = min(lowest, solved[i])
        # At first all that would be negative are bound at once; whatever should not have been is freed again below.
        if not entered and lowest < 0.0:
            total = 0.0
            for c in range(k):
                free[c] = free[c] and target[c] > 0.0
                q[c] = q[c] if free[c] else 0.0
                total += q[c]
            for c in range(k):
                q[c] /= total
            continue
        length, worst = 1.0, -1
        for c in range(k):
            if target[c] < 0.0 and q[c] / (q[c] - target[c]) < length:
                length, worst = q[c] / (q[c] - target[c]), c
        for c in range(k):
            q[c] += length * (target[c] - q[c])
        if worst >= 0:
            q[worst] = 0.0
            free[worst] = False
            continue
        least, enter = -tolerance, -1
        for c in range(k):
            pull = 0.0
            for e in range(k):
                pull += hessian[c, e] * q[e]
            slope = solved[m] - linear[c] + pull
            if not free[c] and slope < least:
                least, enter = slope, c
        if enter < 0:
            break
        free[enter] = entered = True


@kernel()
def simplex_minima(hessian: Floats, linear: Floats, tolerance: float) -> Any:
    """Minimise ``q @ hessian @ q / 2 - linear[s] @ q`` over shares q for each s; shape (S, k).

    Parameters
    ----------
    hessian : array of shape (k, k)
        Symmetric and positive definite.
    linear : array of shape (S, k)
        The linear term of each sample.
    tolerance : float
        Multipliers above minus this count as nonnegative.
    """
    minima = np.full(linear.shape, 1.0 / linear.shape[1])
    for s in range(len(linear)):
        _move_to_minimum(hessian, linear[s], minima[s], tolerance)
    return minima


@kernel(error_model="numpy", fastmath={"reassoc", "contract"})
def _mean_log_density(gathered: Floats, size: int, shares: Floats, densities: Floats, before: Floats) -> Any:
    """Return the mean logarithm of a mixture's densities of a sample's rows, and write the densities themselves.

    Where a row's density all but vanishes beside the one before, no quadratic tells the way back: that is -1e300.
    """
    for i in range(size):
        densities[i] = 0.0
    for c in range(len(shares)):
        if shares[c] > 0.0:
            for i in range(size):
                densities[i] += shares[c] * gathered[c, i]
    total = 0.0
    # One logarithm of a product of eight: it takes as long as many products, and eight densities never underflow.
    for start in range(0, size, 8):
        product = 1.0
        for i in range(start, min(start + 8, size)):
            if densities[i] < _VANISHED * before[i]:
                return -1e300
            product *= densities[i]
        total += np.log(product)
    return total / size


@kernel(error_model="numpy", fastmath={"reassoc", "contract"})
def _likelihood_step(gathered: Floats, size: int, shares: Floats, densities: Floats, scaled: Floats) -> Any:
    """Return the step to the maximum of the quadratic that the mean log density is like near some shares, (k,).

    A class without a share whose slope is no steeper than the mean one stays out: most do where many classes overlap.
    `scaled` is room for the likelihoods over the densities.
    """
    k, inside = len(shares), 0
    linear, members, now, inverse = np.empty(k), np.empty(k, dtype=np.intp), np.empty(k), np.empty(size)
    # Divided once, because a division takes as long as many products.
    for i in range(size):
        inverse[i] = 1.0 / densities[i]
    for c in range(k):
        added = 0.0
        for i in range(size):
            scaled[inside, i] = gathered[c, i] * inverse[i]
            added += scaled[inside, i]
        # The slopes, weighted by the shares, always average to 1.
        if shares[c] > 0.0 or added > size:
            linear[inside], members[inside], now[inside] = added / size, c, shares[c]
            inside += 1
    curvature = np.empty((inside, inside))
    for a in range(inside):
        for b in range(a + 1):
            added = 0.0
            for i in range(size):
                added += scaled[a, i] * scaled[b, i]
            curvature[a, b] = curvature[b, a] = added / size
        # Classes with the same scores make the curvature singular.
        curvature[a, a] *= 1.0 + _RIDGE
    for a in range(inside):
        for b in range(inside):
            linear[a] += curvature[a, b] * now[b]
    best, step = now[:inside].copy(), np.zeros(k)
    _move_to_minimum(curvature, linear[:inside], best, 1e-12)
    for a in range(inside):
        step[members[a]] = best[a] - now[a]
    return step


@kernel()
def _farthest(step: Floats) -> Any:
    """Return the largest change of a share."""
    farthest = 0.0
    for change in step:
        farthest = max(farthest, abs(change))
    return farthest


@kernel(error_model="numpy")
def likeliest_of_more(likelihoods: Floats, starts: Floats, rows: Places, offsets: Places, tolerance: float) -> Any:
    """Find each sample's likeliest mixture of more than two classes, shape (S, k): where EM would end.

    The mean log density is concave in the shares. Each step goes to the maximum of its quadratic model over the
    simplex, or part of the way there (sequential quadratic programming; Kim, Carbonetto, Stephens and Anitescu 2020).

    Parameters
    ----------
    likelihoods : array of shape (N, k)
        How likely each row is in each class, up to a factor per row; no row is all zeros.
    starts : array of shape (S, k)
        Where to start, positive; where several mixtures are equally likely, one near the start is found.
    rows, offsets : arrays of shape (R,), (S + 1,)
        The samples.
    tolerance : float
        Done where a step changes no share by more.
    """
    n, k = starts.shape
    shares, largest = starts.copy(), _largest(offsets)
    # One class after the other, so that the loops over a sample's rows run along memory.
    gathered, scaled = np.empty((k, largest)), np.empty((k, largest))
    densities, before = np.empty(largest), np.zeros(largest)
    for s in range(n):
        size = offsets[s + 1] - offsets[s]
        for i in range(size):
            row = rows[offsets[s] + i]
            # No row excludes a class for good, so that logarithms and slopes stay finite where a share is 0.
            least = 0.0
            for c in range(k):
                least = max(least, _LEAST * likelihoods[row, c])
            for c in range(k):
                gathered[c, i] = max(likelihoods[row, c], least)
        now = shares[s]
        for i in range(size):
            before[i] = 0.0
        reached = _mean_log_density(gathered, size, now, densities, before)
        for _ in range(_MOST_STEPS):
            step, old = _likelihood_step(gathered, size, now, densities, scaled), now.copy()
            densities, before = before, densities
            while True:
                for c in range(k):
                    now[c] = old[c] + step[c]
                value = _mean_log_density(gathered, size, now, densities, before)
                if value >= reached or _farthest(step) <= tolerance:
                    break
                for c in range(k):
                    step[c] /= 2.0
            reached = value
            if _farthest(step) <= tolerance:
                break
    return shares
