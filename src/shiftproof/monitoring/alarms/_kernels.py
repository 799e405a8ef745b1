"""The inner loops: a batch's counts as independent normal values, bets on them, and the growth of evidence.

Columns have different numbers of cells, so their arrays stand one after another: column ``j`` has the entries
``start[j]:start[j + 1]``. Where a column has K cells, it has K - 1 normal values.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Half-lives (in batches) and weights of the prior of the learnt bets.
HALF_LIVES = (2.0, 16.0, 64.0)
PRIORS = (4.0, 16.0, 64.0)
#: Sizes of a shift along a direction, in standard deviations of one row; each is tried with both signs.
SIZES = np.array([-1.6, -0.8, -0.4, -0.2, -0.1, -0.05, -0.025, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6])

_LOG_2PI = math.log(2 * math.pi)
_NEGLIGIBLE = 1e-17
# Above this variance the hypergeometric distribution is replaced by an Edgeworth expansion, up to this many
# standard deviations from the mean; beyond, its correction would turn around, and the tail is summed after all.
_SMOOTH_VARIANCE = 400.0
_SMOOTH_REACH = 6.0
_MOST_TERMS = 20_000


def _numbers(text: str) -> Floats:
    """Read numbers, so that a row of coefficients takes a line."""
    return np.array([float(number) for number in text.split()])


# log(n!) minus Stirling's formula, for n = 0 to 15.
_STIRLING = np.array(
    [0.0, *(math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.5 * _LOG_2PI for n in range(1, 16))]
)
# Wichura (1988), algorithm AS 241: rational approximations of the normal quantile, highest power first.
_CENTRE_UP = _numbers(
    "2.5090809287301226727e3 3.3430575583588128105e4 6.7265770927008700853e4 4.5921953931549871457e4 "
    "1.3731693765509461125e4 1.9715909503065514427e3 1.3314166789178437745e2 3.3871328727963666080e0"
)
_CENTRE_DOWN = _numbers(
    "5.2264952788528545610e3 2.8729085735721942674e4 3.9307895800092710610e4 2.1213794301586595867e4 "
    "5.3941960214247511077e3 6.8718700749205790830e2 4.2313330701600911252e1 1.0"
)
_TAIL_UP = _numbers(
    "7.74545014278341407640e-4 2.27238449892691845833e-2 2.41780725177450611770e-1 1.27045825245236838258e0 "
    "3.64784832476320460504e0 5.76949722146069140550e0 4.63033784615654529590e0 1.42343711074968357734e0"
)
_TAIL_DOWN = _numbers(
    "1.05075007164441684324e-9 5.47593808499534494600e-4 1.51986665636164571966e-2 1.48103976427480074590e-1 "
    "6.89767334985100004550e-1 1.67638483018380384940e0 2.05319162663775882187e0 1.0"
)
_FAR_UP = _numbers(
    "2.01033439929228813265e-7 2.71155556874348757815e-5 1.24266094738807843860e-3 2.65321895265761230930e-2 "
    "2.96560571828504891230e-1 1.78482653991729133580e0 5.46378491116411436990e0 6.65790464350110377720e0"
)
_FAR_DOWN = _numbers(
    "2.04426310338993978564e-15 1.42151175831644588870e-7 1.84631831751005468180e-5 7.86869131145613259100e-4 "
    "1.48753612908506148525e-2 1.36929880922735805310e-1 5.99832206555887937690e-1 1.0"
)


@kernel()
def _ratio(up: Floats, down: Floats, x: float) -> float:
    """Evaluate a ratio of two polynomials."""
    above, below = up[0], down[0]
    for power in range(1, len(up)):
        above = above * x + up[power]
        below = below * x + down[power]
    return float(above / below)


@kernel()
def normal_quantile(log_p: float) -> float:
    """Return the normal quantile of a probability that is given by its logarithm, however small."""
    if log_p > -2.59:  # 0.075 and more: the central formula wants the probability itself
        centred = math.exp(log_p) - 0.5
        if abs(centred) <= 0.425:
            return float(centred * _ratio(_CENTRE_UP, _CENTRE_DOWN, 0.180625 - centred * centred))
        root = math.sqrt(-math.log(-math.expm1(log_p)))
        return float(_ratio(_TAIL_UP, _TAIL_DOWN, root - 1.6))
    root = math.sqrt(-log_p)
    if root <= 5.0:
        return float(-_ratio(_TAIL_UP, _TAIL_DOWN, root - 1.6))
    if root <= 27.0:
        return float(-_ratio(_FAR_UP, _FAR_DOWN, root - 5.0))
    z = math.sqrt(-2.0 * log_p)
    for _ in range(6):  # the tail is phi(z)/z (1 - 1/z^2 ...): a fixed point that is reached at once
        z = math.sqrt(-2.0 * (log_p + math.log(z) - math.log1p((3.0 / (z * z) - 1.0) / (z * z))) - _LOG_2PI)
    return -z


@kernel()
def _stirling_error(n: float) -> float:
    """Return the logarithm of n! minus Stirling's formula."""
    if n <= 15.0:
        return float(_STIRLING[int(n)])
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n


@kernel()
def _deviance(x: float, mean: float) -> float:
    """Return ``x log(x / mean) + mean - x`` without loss where x is near the mean (Loader 2000)."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total = (x - mean) * v
    term = 2.0 * x * v
    for j in range(1, 1000):
        term *= v * v
        longer = total + term / (2 * j + 1)
        if longer == total:
            break
        total = longer
    return total


@kernel()
def _log_binomial(x: float, n: float, p: float, q: float) -> float:
    """Return the logarithm of the binomial probability of x."""
    if x == 0.0:
        return n * math.log1p(-p) if p < 0.5 else n * math.log(q)
    if x == n:
        return n * math.log1p(-q) if q < 0.5 else n * math.log(p)
    errors = _stirling_error(n) - _stirling_error(x) - _stirling_error(n - x)
    root = _LOG_2PI + math.log(x) + math.log1p(-x / n)
    return float(errors - _deviance(x, n * p) - _deviance(n - x, n * q) - 0.5 * root)


@kernel()
def _log_hypergeometric(x: float, drawn: float, marked: float, every: float) -> float:
    """Return the logarithm of the probability of x marked ones among those drawn."""
    p, q = drawn / every, (every - drawn) / every
    inside = _log_binomial(x, marked, p, q) + _log_binomial(drawn - x, every - marked, p, q)
    return float(inside - _log_binomial(drawn, every, p, q))


@kernel()
def _log_tail(x: float, drawn: float, marked: float, every: float, share: float, up: bool) -> float:
    """Return the logarithm of the tail beyond x plus a share of the probability of x, summed outward."""
    total, term, y = share, 1.0, x
    for _ in range(_MOST_TERMS):
        if up:
            term *= (marked - y) * (drawn - y) / ((y + 1.0) * (every - marked - drawn + y + 1.0))
            y += 1.0
        else:
            term *= y * (every - marked - drawn + y) / ((marked - y + 1.0) * (drawn - y + 1.0))
            y -= 1.0
        total += term
        if term <= _NEGLIGIBLE * total:
            break
    return float(_log_hypergeometric(x, drawn, marked, every) + math.log(total))


@kernel()
def hypergeometric_z(x: int, drawn: int, marked: int, every: int, uniform: float) -> float:
    """Turn a hypergeometric count into a standard normal value, with the help of a uniform one.

    Parameters
    ----------
    x : int
        The marked ones among those drawn.
    drawn, marked, every : int
        How many are drawn, how many are marked, and how many there are.
    uniform : float
        Between 0 and 1: it spreads the probability of ``x`` evenly, so that the result is exactly normal.
    """
    mean = drawn * (marked / every) if every > 0 else 0.0
    variance = mean * (1.0 - marked / every) * (every - drawn) / (every - 1.0) if every > 1 else 0.0
    if variance <= 0.0:
        return float(normal_quantile(math.log(uniform)))
    if variance > _SMOOTH_VARIANCE:
        sd = math.sqrt(variance)
        standard = (x - 0.5 + uniform - mean) / sd
        if abs(standard) <= _SMOOTH_REACH:
            skew = (1.0 - 2.0 * marked / every) * (1.0 - 2.0 * drawn / every) / sd
            return standard - skew * (standard * standard - 1.0) / 6.0
    up = x > mean
    share = 1.0 - uniform if up else uniform
    z = normal_quantile(_log_tail(float(x), float(drawn), float(marked), float(every), share, up))
    return float(-z if up else z)


@kernel()
def hypergeometric_draw(drawn: int, marked: int, every: int, uniform: float) -> int:
    """Turn a uniform number into a hypergeometric one: the marked ones among those drawn.

    The uniform number is used up value by value from the mode outward, which takes a few standard deviations of steps.
    """
    low, high = max(0, drawn + marked - every), min(drawn, marked)
    if low == high:
        return low
    mode = min(max((drawn + 1) * (marked + 1) // (every + 2), low), high)
    neither = every - marked - drawn  # of those not drawn, unmarked ones if no marked one were drawn
    below = above = mode
    p_below = p_above = math.exp(_log_hypergeometric(float(mode), float(drawn), float(marked), float(every)))
    rest = uniform - p_above
    while rest > 0.0 and (below > low or above < high):
        if above < high:
            p_above *= (marked - above) / (above + 1.0) * ((drawn - above) / (neither + above + 1.0))
            above += 1
            rest -= p_above
            if rest <= 0.0:
                return above
        if below > low:
            p_below *= below / (marked - below + 1.0) * ((neither + below) / (drawn - below + 1.0))
            below -= 1
            rest -= p_below
            if rest <= 0.0:
                return below
    return mode


@kernel()
def split_rows(counts: Ints, sizes: Ints, uniforms: Floats, parts: Ints) -> None:
    """Split the rows of every column at random into parts, each as large as all parts before it together.

    Parameters
    ----------
    counts : array of int, shape (J, K)
        Rows in each cell.
    sizes : array of int, shape (J,)
        The number of cells of each column.
    uniforms : array
        One number between 0 and 1 for each part but the first and each cell but the last, one column after another.
    parts : array of int, shape (P, J, K)
        Written to: the rows of each part. If rows cannot be halved, the later part has one more.
    """
    position = 0
    for column in range(len(sizes)):
        last = sizes[column] - 1
        # One by one: numba takes two seconds to compile the assignment of a whole row.
        for cell in range(counts.shape[1]):
            parts[0, column, cell] = counts[column, cell]
        for part in range(len(parts) - 1, 0, -1):
            every = parts[0, column].sum()
            drawn = every - every // 2
            for cell in range(last + 1):
                marked = parts[0, column, cell]
                taken = drawn
                if cell < last:
                    taken = hypergeometric_draw(drawn, marked, every, uniforms[position])
                    position += 1
                parts[part, column, cell] = taken
                parts[0, column, cell] -= taken
                drawn -= taken
                every -= marked


@kernel()
def normal_values(start: Ints, pool: Ints, counts: Ints, uniforms: Floats, z: Floats) -> None:
    """Write a batch's counts as independent standard normal values, one less than there are cells per column.

    Cell by cell, its count is hypergeometric given the counts of all cells before it and the totals of pool and
    batch; whatever these totals are, the values are N(0, I) (Rosenblatt).
    """
    for column in range(len(start) - 1):
        drawn = every = 0
        for cell in range(start[column], start[column + 1]):
            drawn += counts[cell]
            every += counts[cell] + pool[cell]
        for cell in range(start[column], start[column + 1] - 1):
            marked = counts[cell] + pool[cell]
            z[cell - column] = hypergeometric_z(counts[cell], drawn, marked, every, uniforms[cell - column])
            drawn -= counts[cell]
            every -= marked


@kernel()
def project(start: Ints, directions: Ints, vectors: Floats, z: Floats, rows: Floats, tilts: Floats) -> None:
    """Write how far a batch lies along given directions: ``sqrt(rows) h.z``.

    Parameters
    ----------
    start, directions : array of int, shape (J + 1,)
        Where each column's cells and directions begin.
    vectors : array
        The unit vectors h of each column's directions, one after another.
    z, rows : array
        Normal values, and the effective number of rows per column.
    tilts : array
        Written to: one number for each direction.
    """
    entry = 0
    for column in range(len(start) - 1):
        first, last = start[column] - column, start[column + 1] - column - 1
        for direction in range(directions[column], directions[column + 1]):
            along = 0.0
            for position in range(first, last):
                along += vectors[entry] * z[position]
                entry += 1
            tilts[direction] = math.sqrt(rows[column]) * along


@kernel()
def bet_on_directions(directions: Ints, experts: Ints, tilts: Floats, rows: Floats, log_e: Floats) -> None:
    """Write the logarithms of the bets on given directions: ``size tilt - size^2 rows / 2``.

    Parameters
    ----------
    directions, experts : array of int, shape (J + 1,)
        Where each column's directions and experts begin.
    tilts, rows : array
        What `project` wrote, and the effective number of rows per column: sums over seasons, if there are several.
    log_e : array
        Written to: the first experts of each column.
    """
    for column in range(len(directions) - 1):
        expert = experts[column]
        for direction in range(directions[column], directions[column + 1]):
            for size in SIZES:
                log_e[expert] = size * tilts[direction] - 0.5 * size * size * rows[column]
                expert += 1


@kernel()
def bet_as_learnt(start: Ints, z: Floats, rows: Floats, moved: Floats, seen: Floats, log_e: Floats) -> None:
    """Write the logarithms of the bets on what earlier batches showed, then learn from this one.

    Parameters
    ----------
    start : array of int, shape (J + 1,)
        Where each column's cells begin.
    z, rows : array
        Normal values, and the effective number of rows per column.
    moved : array, shape (3, number of normal values)
        Discounted sums of ``sqrt(rows) z`` for each half-life; updated.
    seen : array, shape (3, J)
        Discounted sums of ``rows``; updated.
    log_e : array, shape (J, 3)
        Written to.
    """
    for column in range(len(start) - 1):
        first, last = start[column] - column, start[column + 1] - column - 1
        n = rows[column]
        for learner in range(len(HALF_LIVES)):
            keep = 2.0 ** (-1.0 / HALF_LIVES[learner])
            weight = PRIORS[learner] * (last - first) + seen[learner, column]
            variance = 1.0 + n / weight
            total = 0.0
            for position in range(first, last):
                gap = z[position] - math.sqrt(n) * moved[learner, position] / weight
                total += z[position] * z[position] - gap * gap / variance
                moved[learner, position] = keep * moved[learner, position] + math.sqrt(n) * z[position]
            seen[learner, column] = keep * seen[learner, column] + n
            log_e[column, learner] = 0.5 * (total - (last - first) * math.log(variance))


@kernel()
def grow(log_s: Floats, log_e: Floats, log_start: float) -> None:
    """Let every expert's wealth grow: ``S <- e (S + start)``, all given by their logarithms."""
    for expert in range(len(log_s)):
        high, low = max(log_s[expert], log_start), min(log_s[expert], log_start)
        log_s[expert] = log_e[expert] + high + math.log1p(math.exp(low - high))


@kernel()
def mix(log_s: Floats, log_weights: Floats, experts: Ints, rest: float) -> Floats:
    """Return the logarithm of each column's evidence: the weighted wealth of its experts, and what is still kept.

    Parameters
    ----------
    log_s, log_weights : array, shape (E,)
        The experts' wealth, and their weights within their column.
    experts : array of int, shape (J + 1,)
        Where each column's experts begin.
    rest : float
        What is kept for starts to come.
    """
    evidence = np.empty(len(experts) - 1)
    log_rest = math.log(rest) if rest > 0.0 else -math.inf
    for column in range(len(experts) - 1):
        highest = log_rest
        for expert in range(experts[column], experts[column + 1]):
            highest = max(highest, log_weights[expert] + log_s[expert])
        if highest == -math.inf:  # before the first batch there is no run length
            evidence[column] = highest
            continue
        total = math.exp(log_rest - highest)
        for expert in range(experts[column], experts[column + 1]):
            total += math.exp(log_weights[expert] + log_s[expert] - highest)
        evidence[column] = highest + math.log(total)
    return evidence
