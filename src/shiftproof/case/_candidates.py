"""What selecting and estimating start from: the scores of all models for labelled and new data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._blocks import Calibrated, OneHot, equal_weights
from shiftproof.core import Codes, Floats, Rows
from shiftproof.counting import Calibration, Labelled, learn_calibration
from shiftproof.shift import ShiftKind

if TYPE_CHECKING:
    from shiftproof.panel import Panel


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """The scores of every model: out of fold for the labelled rows, and for the new rows.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The classes of the labelled rows, 0 to k - 1.
    folds : ndarray of shape (repeats, n)
        The fold in which each row was tested; -1 if none.
    repeats : mapping of str to ndarray of shape (repeats, n, k)
        Out-of-fold probabilities per model; NaN where no fold tested the row.
    new : mapping of str to ndarray of shape (m, k)
        Probabilities of the new rows, by the models that will be used.
    comparable : mapping of str to ndarray of shape (m, k)
        Probabilities of the new rows that are made as those of the labelled rows were.
    shift : ShiftKind
        The type of shift between the two tables.
    rows : ndarray of shape (n,), or slice
        The numbers of these rows among all labelled rows, which the type of shift is about; a slice if it is all.
    base : ndarray of shape (n,)
        The weight of each labelled row; they add up to 1.
    groups : ndarray of shape (n,), optional
        Which rows belong together, such as those of one customer.
    without_forest : bool
        Whether to leave out the forest behind the type of shift.
    drawn : ndarray of row numbers, optional
        The rows of a sample, if the type of shift is about a sample.
    """

    codes: Codes
    folds: NDArray[np.int64]
    repeats: Mapping[str, Floats]
    new: Mapping[str, Floats]
    comparable: Mapping[str, Floats]
    shift: ShiftKind
    rows: NDArray[np.intp] | slice
    base: Floats
    groups: NDArray[np.int64] | None = None
    without_forest: bool = False
    drawn: Rows | None = None

    @classmethod
    def of(
        cls,
        panel: Panel,
        new: Mapping[str, Floats],
        comparable: Mapping[str, Floats],
        shift: ShiftKind,
        *,
        drawn: Rows | None = None,
    ) -> Candidates:
        """Return the candidates of a panel: its rows that were tested."""
        # A holdout, or folds in time, leave rows that no model was tested on; else nothing is copied.
        tested = slice(None) if panel.tested.all() else np.flatnonzero(panel.tested)
        codes = panel.y[tested]
        base = equal_weights(len(codes))
        if panel.sample_weight is not None:
            base = panel.sample_weight[tested] / panel.sample_weight[tested].sum()
        return cls(
            codes=codes,
            folds=panel.folds[:, tested],
            repeats={name: panel.fold_probabilities[name][:, tested] for name in new},
            new=dict(new),
            comparable=dict(comparable),
            shift=shift,
            rows=tested,
            base=base,
            groups=None if panel.groups is None else panel.groups[tested],
            # The forest's folds do not keep groups together, and it scored no rows but those of a sample.
            without_forest=panel.groups is not None or drawn is not None,
            drawn=drawn,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.repeats)

    @property
    def n(self) -> int:
        """How many labelled rows there are."""
        return len(self.codes)

    @property
    def m(self) -> int:
        """How many new rows there are."""
        return len(next(iter(self.new.values())))

    @property
    def k(self) -> int:
        """How many classes there are."""
        return int(next(iter(self.new.values())).shape[1])

    @cached_property
    def old(self) -> dict[str, Floats]:
        """The out-of-fold probabilities of the first repeat that tested the row: a mean would be of a better model."""
        if len(self.folds) == 1:
            return {name: each[0] for name, each in self.repeats.items()}
        first = (self.folds >= 0).argmax(axis=0)
        return {name: each[first, np.arange(self.n)] for name, each in self.repeats.items()}

    @cached_property
    def calibrated(self) -> dict[str, Calibrated]:
        """The new rows' probabilities by each model alone, calibrated on the labelled rows, of shape (m, k)."""
        # A class without tested rows teaches nothing: the probabilities stay as they are.
        if not np.bincount(self.codes, minlength=self.k).all():
            return {name: Calibrated(new, Calibration(1.0, np.zeros(self.k))) for name, new in self.new.items()}
        return {
            name: Calibrated(self.new[name], learn_calibration(Labelled(old, self.codes).with_weights(self.base)))
            for name, old in self.old.items()
        }

    def among_all(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers of some of these rows among all labelled rows."""
        return rows if isinstance(self.rows, slice) else self.rows[rows]

    @property
    def labels(self) -> OneHot:
        """The labels as probabilities, of shape (n, k)."""
        return OneHot(self.codes, self.k)

    @cached_property
    def prevalence(self) -> Floats:
        """The class proportions among the labelled rows."""
        return np.bincount(self.codes, weights=self.base, minlength=self.k).astype(float)

    @property
    def weights(self) -> Floats:
        """Weights that make the labelled rows look like the new ones, cut at ten times the mean; they add up to 1."""
        # Without the cut a few rows would decide everything; the cut costs a small bias.
        if self.drawn is None:
            # Only rows behind the type of shift have weights, and the mean is theirs.
            weighted = max(self.n, 1) * len(self.shift.drawn.rows) / self.shift.drawn.n
            found = np.minimum(self.shift.weights[self.rows], 10 / weighted) * (self.base * self.n)
        else:
            found = np.zeros(self.n)
            found[self.drawn] = np.minimum(self.shift.weights, 10 / len(self.drawn))
        total = float(found.sum())
        # All the weight may lie on rows that no fold tested.
        return found / total if total > 0 else self.base

    @cached_property
    def reference(self) -> tuple[Floats, Floats] | None:
        """The scores of the forest behind the type of shift, for both tables; None if some rows have none."""
        if self.without_forest:
            return None
        shift = self.shift
        # Of a table that was drawn from, most rows have none; whether tested rows do is looked at if all new ones do.
        if not shift.new_drawn.all_scored:
            return None
        old, new = shift.reference_scores[self.rows], shift.current_scores
        return None if np.isnan(old).any() else (old, new)
