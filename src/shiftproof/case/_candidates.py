"""Everything that selecting and estimating start from: what the models say of labelled and of new rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from shiftproof.case._soft import Codes, Floats, one_hot
from shiftproof.core import InputError, Phrase, Seed, fault
from shiftproof.panel import Panel, as_features, is_texts, scoring
from shiftproof.shift import ShiftKind, kind_of_shift


@dataclass(frozen=True, eq=False, kw_only=True)
class Candidates:
    """What every model says of the labelled rows, by models that never saw them, and of the new ones.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        The classes of the labelled rows, 0 to k - 1.
    folds : ndarray of shape (repeats, n)
        Which fold tested the row; -1 where none did.
    repeats : mapping of str to ndarray of shape (repeats, n, k)
        Out-of-fold probabilities per model; NaN where no fold tested the row.
    new : mapping of str to ndarray of shape (m, k)
        Probabilities of the new rows, by the models that will be used.
    comparable : mapping of str to ndarray of shape (m, k)
        Probabilities of the new rows that are made as those of the labelled rows were.
    shift : ShiftKind
        What lies between the two tables.
    rows : ndarray of shape (n,)
        Where the labelled rows stand among those that the kind of shift was asked of.
    base : ndarray of shape (n,)
        What each labelled row counts; they add up to 1.
    groups : ndarray of shape (n,), optional
        Which rows belong together, such as those of one customer.
    without_forest : bool
        Whether to leave out the forest behind the kind of shift.
    """

    codes: Codes
    folds: NDArray[np.int64]
    repeats: Mapping[str, Floats]
    new: Mapping[str, Floats]
    comparable: Mapping[str, Floats]
    shift: ShiftKind
    rows: NDArray[np.intp]
    base: Floats
    groups: NDArray[np.int64] | None = None
    without_forest: bool = False

    @classmethod
    def of(
        cls, panel: Panel, new: Mapping[str, Floats], comparable: Mapping[str, Floats], shift: ShiftKind
    ) -> Candidates:
        """Take what a panel holds of the rows that were tested."""
        tested = np.flatnonzero(panel.tested)
        base = np.ones(len(tested)) if panel.sample_weight is None else panel.sample_weight[tested]
        return cls(
            codes=panel.y[tested],
            folds=panel.folds[:, tested],
            repeats={name: panel.fold_probabilities[name][:, tested] for name in panel.names},
            new=dict(new),
            comparable=dict(comparable),
            shift=shift,
            rows=tested,
            base=base / base.sum(),
            groups=None if panel.groups is None else panel.groups[tested],
            # The forest's folds do not keep groups together.
            without_forest=panel.groups is not None,
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
        first = (self.folds >= 0).argmax(axis=0)
        return {name: each[first, np.arange(self.n)] for name, each in self.repeats.items()}

    @cached_property
    def labels(self) -> Floats:
        """The labels as probabilities, of shape (n, k)."""
        return one_hot(self.codes, self.k)

    @cached_property
    def prevalence(self) -> Floats:
        """The shares of the classes among the labelled rows."""
        return np.bincount(self.codes, weights=self.base, minlength=self.k).astype(float)

    @cached_property
    def weights(self) -> Floats:
        """Weights that make the labelled rows look like the new ones, cut at ten times the mean; they add up to 1."""
        found = np.minimum(self.shift.weights[self.rows], 10 / max(self.n, 1)) * (self.base * self.n)
        total = float(found.sum())
        return found / total if total > 0 else self.base

    @cached_property
    def reference(self) -> tuple[Floats, Floats] | None:
        """What the forest behind the kind of shift says of both; nothing where it was not asked of every row."""
        if self.without_forest:
            return None
        old, new = self.shift.reference_scores[self.rows], self.shift.current_scores
        return None if np.isnan(old).any() or np.isnan(new).any() else (old, new)

    def only(self, name: str) -> Candidates:
        """Keep one model."""
        return replace(
            self,
            repeats={name: self.repeats[name]},
            new={name: self.new[name]},
            comparable={name: self.comparable[name]},
        )


def gather(
    panel: Panel,
    X: Any,
    X_new: Any,
    *,
    purpose: str,
    shift: ShiftKind | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
) -> tuple[Candidates, tuple[str, ...]]:
    """Score the new rows in both ways, ask for the kind of shift, and note what was not as it should be."""
    new, comparable = _new_scores(panel, X_new, purpose, random_state)
    notes = [f"{name!r} was left out: {why}" for name, why in panel.failures.items()]
    if shift is None:
        shift, why = _shift(panel, X, X_new, comparable, random_state=random_state, n_jobs=n_jobs)
        notes += why
    elif not isinstance(shift, ShiftKind):
        raise fault("shift", "be what kind_of_shift gives", shift, "leave it out to find it here")
    if panel.groups is not None:
        notes.append("the kind of shift was told as if all rows were on their own, without regard to groups")
    sizes, known = (len(panel.y), len(next(iter(new.values())))), (shift.n_reference, shift.n_current)
    if sizes != known:
        got = f"one of {known[0]:,} and {known[1]:,} rows for {sizes[0]:,} and {sizes[1]:,}"
        raise fault("shift", "be about these tables", Phrase(got), "leave it out")
    return Candidates.of(panel, new, comparable, shift), tuple(notes)


def _new_scores(
    panel: Panel, X_new: Any, purpose: str, random_state: Seed
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    if panel.new_scores:
        scores = {name: panel.new_scores[name] for name in panel.names if name in panel.new_scores}
        absent = [name for name in panel.names if name not in scores]
        if absent:
            raise fault(
                "new", "have scores of every model", Phrase(f"none of {absent[0]!r}"), "give it to Panel.from_scores"
            )
        sizes = {len(each) for each in scores.values()}
        if X_new is not None:
            sizes.add(as_features(X_new, "X_new").n_rows)
        if len(sizes) > 1:
            got = " and ".join(f"{size:,}" for size in sorted(sizes))
            raise InputError(f"new scores and X_new must have equally many rows, got {got}; align them")
        return scores, scores
    if X_new is None:
        raise fault("X_new", "be given, or the panel have scores of new rows", None, "pass the rows without labels")
    panel.require_models(purpose)
    if not as_features(X_new, "X_new").n_rows:
        raise fault("X_new", "hold at least one row", 0, "check the filter or the file it came from")
    with scoring("X_new"):
        size = as_features(X_new, "X_new").n_rows
        once = panel.draw_folds(size, random_state=random_state)[:1]
        comparable = panel.apply_by_fold(X_new, folds=once) if panel.fold_scorers and (once >= 0).all() else {}
        new = panel.apply(X_new) if panel.scorers else comparable
    return new, comparable or new


def _shift(
    panel: Panel, X: Any, X_new: Any, new: Mapping[str, Floats], *, random_state: Seed, n_jobs: int | None
) -> tuple[ShiftKind, list[str]]:
    """Ask the features for the kind of shift; where there are none, ask the scores."""
    labels = panel.classes_[panel.y]
    absent = " and ".join(name for name, table in (("X", X), ("X_new", X_new)) if table is None)
    why = f"without {absent} there are no features to compare" if absent else ""
    if any(is_texts(table) or sparse.issparse(table) for table in (X, X_new) if table is not None):
        why = "texts and sparse matrices are not compared feature by feature"
    if not why:
        try:
            return kind_of_shift(X, labels, X_new, random_state=random_state, n_jobs=n_jobs), []
        except InputError as error:
            why = str(error.clause)
    if not panel.tested.all():
        hint = "pass X and X_new as tables, or models that were tested on every row"
        raise InputError(f"the kind of shift needs features that can be compared: {why}; {hint}")
    # Both sides were scored alike, so scores can be compared as any feature can.
    old, now = (_columns(panel, scores) for scores in (panel.out_of_fold, new))
    found = kind_of_shift(old, labels, now, random_state=random_state, n_jobs=n_jobs)
    return found, [f"the kind of shift was told from the scores alone: {why}"]


def _columns(panel: Panel, scores: Mapping[str, Floats]) -> dict[str, Floats]:
    """Give scores as features; the last class's follows from the others'."""
    return {f"{name}, {code}": each[:, code] for name, each in scores.items() for code in range(1, len(panel.classes_))}
