"""The inner loops that look for the worst contingency table of a loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from shiftproof.core import Floats, kernel

# The losses that `steepest` knows; of the Q-measure one for each sign of FP - FN.
F1, OVER, UNDER = 0, 1, 2


@kernel()
def below(margins: Floats, threshold: float) -> Any:
    """Count the values below the threshold, and add them up."""
    count, total = 0, 0.0
    for value in margins:
        if value < threshold:
            count += 1
            total += value
    return count, total


@kernel()
def mark(margins: Floats, count: int, threshold: float, marks: Floats) -> None:
    """Write 1 for the `count` lowest values and 0 for the others, the first of those equal to the threshold."""
    left = count
    for i in range(len(margins)):
        marks[i] = 1.0 if margins[i] < threshold else 0.0
        left -= margins[i] < threshold
    for i in range(len(margins)):
        if left <= 0:
            break
        if margins[i] == threshold:
            marks[i] = 1.0
            left -= 1


@kernel()
def table_loss(kind: int, p: int, q: int, sizes: tuple[float, float, float]) -> Any:
    """Return the loss with p positives and q negatives on the wrong side."""
    positives, most, share = sizes
    right = positives - p
    if kind == F1:
        return (p + q) / (right + positives + q)
    score = most - (q - p) if kind == OVER else most - (p - q)
    whole = share * right * most + (1.0 - share) * score * positives
    return 1.0 - right * score / whole if whole > 0.0 else 1.0


@kernel()
def steepest(kind: int, positive: Floats, negative: Floats, most: float, share: float) -> Any:
    """Return the largest ``loss(p, q) + positive[p] + negative[q]``, with its p and q, by divide and conquer.

    The second difference of the loss over p and q has one sign (it is a Monge array), so that the best q moves one way
    when p grows: down for F1 and OVER, up for UNDER. Rows are the shorter side, so that there are fewer levels.

    Parameters
    ----------
    kind : {F1, OVER, UNDER}
        The loss; OVER takes FP - FN for its absolute value, UNDER takes FN - FP.
    positive, negative : arrays of shape (P + 1,), (N + 1,)
        What is gained by so many positives or negatives on the wrong side.
    most : float
        The larger of P and N.
    share : float
        The weight of quantification in the Q-measure, from 0 to 1.
    """
    transposed = len(negative) < len(positive)
    rows, columns = (negative, positive) if transposed else (positive, negative)
    sizes = (len(positive) - 1.0, most, share)
    best, best_row, best_column = -np.inf, 0, 0
    # The stack holds one interval of rows, and of columns for them, per level of halving.
    stack = np.empty((128, 4), dtype=np.int64)
    stack[0] = 0, len(rows) - 1, 0, len(columns) - 1
    depth = 1
    while depth > 0:
        depth -= 1
        first, last, left, right = stack[depth]
        row = (first + last) // 2
        top, top_column = -np.inf, left
        # The best column of the middle row bounds those of the rows above and below it.
        for column in range(left, right + 1):
            p, q = (column, row) if transposed else (row, column)
            value = table_loss(kind, p, q, sizes) + columns[column]
            if value > top:
                top, top_column = value, column
        if top + rows[row] > best:
            best, best_row, best_column = top + rows[row], row, top_column
        if first < row:
            stack[depth, 0], stack[depth, 1] = first, row - 1
            stack[depth, 2], stack[depth, 3] = (left, top_column) if kind == UNDER else (top_column, right)
            depth += 1
        if row < last:
            stack[depth, 0], stack[depth, 1] = row + 1, last
            stack[depth, 2], stack[depth, 3] = (top_column, right) if kind == UNDER else (left, top_column)
            depth += 1
    if transposed:
        return best, best_column, best_row
    return best, best_row, best_column


@kernel()
def scan(losses: Floats, positive: Floats, negative: Floats) -> Any:
    """Return the largest ``losses[p, q] + positive[p] + negative[q]``, with its p and q."""
    best, best_p, best_q = -np.inf, 0, 0
    for p in range(len(positive)):
        for q in range(len(negative)):
            value = losses[p, q] + positive[p] + negative[q]
            if value > best:
                best, best_p, best_q = value, p, q
    return best, best_p, best_q
