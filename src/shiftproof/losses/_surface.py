"""A loss over all numbers of errors that a classifier can make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from shiftproof.core import Floats, Phrase, check_count, fault
from shiftproof.losses._base import LossFigure
from shiftproof.losses._inputs import check_tables
from shiftproof.losses._q_measure import q_measure
from shiftproof.losses._tables import CLASSIFICATION, LOSSES, QUANTIFICATION, chosen, evaluate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Best = Literal["highest", "lowest", "between"]
_KNOWN = {**CLASSIFICATION, **LOSSES, **QUANTIFICATION, "q_measure": q_measure}


@dataclass(frozen=True, eq=False, kw_only=True)
class Surface(LossFigure):
    """A loss or score over the numbers of false positives and false negatives.

    Parameters
    ----------
    name : str
        The name of the loss.
    positives, negatives : int
        The number of rows of each class.
    fp : ndarray of shape (n_fp,)
        Numbers of false positives, from 0 to all negatives.
    fn : ndarray of shape (n_fn,)
        Numbers of false negatives, from 0 to all positives.
    values : ndarray of shape (n_fn, n_fp)
        The loss for each pair; the first value is that of a classifier without errors.
    best : {"highest", "lowest", "between"}
        Whether the value without errors is the highest or lowest of all values, or in between.
    """

    name: str
    positives: int
    negatives: int
    fp: Floats
    fn: Floats
    values: Floats
    best: Best

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair of `fp` and `fn`."""
        import pandas as pd

        fn, fp = np.meshgrid(self.fn, self.fp, indexing="ij")
        return pd.DataFrame({"fp": fp.ravel(), "fn": fn.ravel(), "value": self.values.ravel()})

    def summary(self) -> str:
        """Return the range of the values, and the value without errors, in one sentence."""
        over = f"{self.name} over {self.positives:,} positives and {self.negatives:,} negatives"
        reach = f"from {self.values.min():.3g} to {self.values.max():.3g}"
        end = {"highest": ", the highest", "lowest": ", the lowest", "between": ""}[self.best]
        return f"{over}: {reach}; without errors {self.values[0, 0]:.3g}{end}."

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw filled contours with labelled lines, darker for better values, and the line where errors cancel."""
        from shiftproof.plots import loss_surface

        return loss_surface(self.fp, self.fn, self.values, best=float(self.values[0, 0]), title=self.name, ax=ax)


def surface(
    loss: str | Callable[..., Any], positives: int, negatives: int, *, points: int = 101, name: str | None = None
) -> Surface:
    """Compute a loss for every combination of false positives and false negatives (figures 6.2 to 6.7 of the thesis).

    Parameters
    ----------
    loss : str or callable
        The name of a loss or score of this package (``"kld"``, ``"nas"``, ``"q_measure"``, ...), one of ``"accuracy"``,
        ``"f1"``, ``"g_mean"``, ``"precision"``, ``"recall"`` and ``"specificity"``, or a function. A function with two
        arguments gets the true and the estimated prevalence; with four arguments, it gets TP, FP, FN and TN, as flat
        arrays. If it has an optional ``sample_size``, it also gets the number of rows.
    positives, negatives : int
        The number of rows of each class.
    points : int
        The maximum number of values for each type of error, evenly spaced from none to all; they may include fractions
        of a row.
    name : str, optional
        The name of the loss in the result; by default its own name.

    Returns
    -------
    Surface

    Examples
    --------
    >>> scores = surface("nas", positives=100, negatives=1000)
    >>> print(scores.summary())
    nas over 100 positives and 1,000 negatives: from 0 to 1; without errors 1, the highest.
    >>> surface(lambda tp, fp, fn, tn: fp + 5 * fn, 2, 3, name="cost").values
    array([[ 0.,  1.,  2.,  3.],
           [ 5.,  6.,  7.,  8.],
           [10., 11., 12., 13.]])
    """
    function = chosen(loss, "loss", _KNOWN)
    least = check_count(points, "points", least=2)
    fp = _errors(check_count(negatives, "negatives", least=1), least)
    fn = _errors(check_count(positives, "positives", least=1), least)
    missed, false_alarms = np.meshgrid(fn, fp, indexing="ij")
    # The last numbers are all positives and all negatives.
    tables = check_tables(fn[-1] - missed, false_alarms, missed, fp[-1] - false_alarms)
    values = evaluate(function, tables, "loss").reshape(tables.shape)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        where = f"FP = {fp[column]:g} and FN = {fn[row]:g}"
        raise fault("loss", "be finite everywhere", Phrase(f"{values[row, column]} at {where}"), "define it there")
    return Surface(
        name=name if name is not None else _name(loss),
        positives=int(fn[-1]),
        negatives=int(fp[-1]),
        fp=fp,
        fn=fn,
        values=values,
        best=_best(values),
    )


def _errors(rows: int, points: int) -> Floats:
    # Few rows: every whole number of errors, and no fractions.
    return np.linspace(0.0, rows, min(points, rows + 1))


def _best(values: Floats) -> Best:
    """Return which end is good: no classifier is better than the one without errors."""
    right = values[0, 0]
    if right >= values.max():
        return "highest"
    return "lowest" if right <= values.min() else "between"


def _name(loss: str | Callable[..., Any]) -> str:
    if isinstance(loss, str):
        return loss
    # A partial has no name.
    return str(getattr(getattr(loss, "func", loss), "__name__", type(loss).__name__))
