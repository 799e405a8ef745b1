"""Perfect quantifiers that disagree about every row (section 6.1, figure 6.1 and Table 6.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import Floats, Phrase, check_matrix, check_vector, fault, listed, shown
from shiftproof.losses._base import LossFigure
from shiftproof.losses._q_measure import q_measure

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class PerfectQuantifiers(LossFigure):
    """Straight lines that each call the true number of rows positive.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
        The rows.
    y : ndarray of bool of shape (n,)
        Which rows are positive.
    names : tuple of str
        The names of the lines.
    directions : ndarray of shape (n_lines, 2)
        A line calls a row x positive where ``direction @ x > offset``.
    offsets : ndarray of shape (n_lines,)
        Halfway between the last row that is called positive and the first row that is not.
    tp : ndarray of shape (n_lines,)
        The number of positives that each line finds; it misses the rest, and calls equally many negatives positive.
    """

    X: Floats
    y: NDArray[np.bool_]
    names: tuple[str, ...]
    directions: Floats
    offsets: Floats
    tp: Floats

    def to_frame(self) -> pd.DataFrame:
        """Return one row per line: its contingency table, recall, NAS and Q-measure."""
        import pandas as pd

        # A line that calls the true number of rows positive has as many false positives as false negatives.
        wrong = self.y.sum() - self.tp
        cells = (self.tp, wrong, wrong, (~self.y).sum() - wrong)
        table = dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))
        # The ends of beta leave one of the two scores (eq. 6.2).
        scores = {"recall": q_measure(*cells, beta=0), "nas": q_measure(*cells, beta=math.inf)}
        return pd.DataFrame({"name": self.names} | table | scores | {"q_measure": q_measure(*cells)})

    def summary(self) -> str:
        """Return how many of the positives each line finds, in one sentence."""
        positives = int(self.y.sum())
        hits = "; ".join(f"{name} finds {tp:g}" for name, tp in zip(self.names, self.tp, strict=True))
        return f"Each line calls {positives} of {len(self.y)} rows positive, as many as there are: {hits} of them."

    def plot(self, ax: Axes | None = None, *, features: tuple[str, str] = ("", "")) -> Axes:
        """Draw the rows, the lines and, with arrows, their positive sides."""
        from shiftproof.plots import rule_lines

        labels = [f"{name}: finds {tp:g} of {int(self.y.sum())}" for name, tp in zip(self.names, self.tp, strict=True)]
        return rule_lines(self.X, self.y, labels, self.directions, self.offsets, features=features, ax=ax)


def perfect_quantifiers(X: ArrayLike, y: ArrayLike, directions: Mapping[str, ArrayLike]) -> PerfectQuantifiers:
    """Shift straight lines of given directions until each calls the true number of rows positive.

    All of them are perfect quantifiers of these rows: measures of counts give all lines the same value, but recall
    differs.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        The rows, two features.
    y : array-like of shape (n,)
        1 for positives, 0 for negatives; both must occur.
    directions : mapping of str to array-like of shape (2,)
        For each line, by name, the direction in which it calls rows positive.

    Returns
    -------
    PerfectQuantifiers

    Examples
    --------
    >>> lines = perfect_quantifiers([[0, 0], [1, 0], [2, 0]], [0, 0, 1], {"w1": [-1, 0], "w2": [1, 0]})
    >>> print(lines.to_frame().round(2).to_string(index=False))
    name  tp  fp  fn  tn  recall  nas  q_measure
      w1 0.0 1.0 1.0 1.0     0.0  1.0        0.0
      w2 1.0 0.0 0.0 2.0     1.0  1.0        1.0
    """
    rows, labels = check_matrix(X, "X", hint="give one row per case, with two columns"), check_vector(y, "y")
    if rows.shape[1] != 2:
        raise fault("X", "have two columns", rows.shape[1], "choose the two features to draw")
    if len(labels) != len(rows):
        raise fault("y", f"have as many values as X has rows, {len(rows)}", len(labels), "give one label per row")
    if {*labels.tolist()} != {0.0, 1.0}:
        raise fault(
            "y", "hold 0 and 1", Phrase(listed(np.unique(labels).tolist())), "mark the positive rows with y == label"
        )
    if not directions:
        raise fault("directions", "name at least one line", directions, "{'w': [1, 0]} is one")
    positive = labels == 1
    ways = {str(name): _direction(way, name) for name, way in directions.items()}
    lines = [_line(rows, positive, way, name) for name, way in ways.items()]
    return PerfectQuantifiers(
        X=rows,
        y=positive,
        names=tuple(ways),
        directions=np.array(list(ways.values())),
        offsets=np.array([offset for offset, _ in lines]),
        tp=np.array([tp for _, tp in lines]),
    )


def _direction(way: ArrayLike, name: object) -> Floats:
    array = check_vector(way, f"direction {shown(name)}")
    if len(array) != 2 or not array.any():
        raise fault(f"direction {shown(name)}", "hold two numbers that are not both 0", array.tolist(), "[1, 0] is one")
    return array


def _line(rows: Floats, positive: NDArray[np.bool_], way: Floats, name: str) -> tuple[float, float]:
    """Return the offset of a line and how many positives it finds."""
    scores = rows @ way
    called = int(positive.sum())
    # Both classes occur, so each side has a row.
    inside, outside = np.sort(scores)[::-1][called - 1 : called + 1]
    offset = (inside + outside) / 2
    # Also if two scores are so close that no float is between them.
    if not outside <= offset < inside:
        rule = f"set the {called} rows it puts first apart from the next"
        raise fault(f"direction {shown(name)}", rule, Phrase("rows that are tied"), "turn it a little")
    return float(offset), float((positive & (scores > offset)).sum())
