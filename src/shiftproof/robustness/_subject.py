"""The subject of a stress test: models, their scores of rows they never saw, and the parts of the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import Case, Fitting
from shiftproof.core import Argument, Floats, InputError, Rows, counted, fault, shown
from shiftproof.panel import (
    Features,
    Panel,
    encode_labels,
    named_models,
    take,
    three_way_split,
    warn_refitted,
)

# With a panel, the papers' 20:30 of validation and test rows (Cieslak and Chawla 2009).
_VALIDATION = 0.4
# With fewer rows the interval of an accuracy is as wide as its range.
_FEWEST = 10


@dataclass(frozen=True, eq=False)
class Rescorer:
    """One model's folds: each row is scored by the model of the fold that had tested it."""

    scorers: Sequence[Callable[[Any], Floats]]
    folds: NDArray[np.int64]
    n_classes: int

    def __call__(self, table: Any, rows: Rows) -> Floats:
        """Return probabilities of altered rows, whose numbers in the whole table are given."""
        folds = self.folds[rows]
        probabilities = np.empty((len(rows), self.n_classes))
        for fold, scorer in enumerate(self.scorers):
            own = np.flatnonzero(folds == fold)
            # Many models refuse a table without rows.
            if len(own):
                probabilities[own] = scorer(take(table, own))
        return probabilities


@dataclass(frozen=True, eq=False, kw_only=True)
class Subject:
    """Fitted models, and the rows that they are measured on.

    Parameters
    ----------
    panel : Panel
        The models with their scores; only the first repeat is used: the mean over repeats would be a different model.
    data : DataFrame or ndarray
        All rows in the form that the models expect.
    reference, validation, test : ndarray of intp
        The rows that features are compared with, that scores are compared with, and that are shifted.
    positive : int or None
        The place of the positive class; None with several classes if none was named.
    """

    panel: Panel
    data: Any
    reference: Rows
    validation: Rows
    test: Rows
    positive: int | None

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return self.panel.names

    @property
    def codes(self) -> NDArray[np.int64]:
        """The classes of the test rows."""
        return self.panel.y[self.test]

    @property
    def positive_label(self) -> object:
        """The label of the positive class, or None."""
        return None if self.positive is None else self.panel.classes_.tolist()[self.positive]

    @property
    def sizes(self) -> dict[str, int]:
        """How many rows each part has."""
        return {"training": len(self.reference), "validation": len(self.validation), "test": len(self.test)}

    def table(self, rows: Rows) -> Any:
        """Return rows with the columns that the models learnt from."""
        return take(self.data, rows)

    def probabilities(self, name: str, rows: Rows) -> Floats:
        """Return a model's probabilities for the original rows."""
        if self._calibrated_apart(name):
            # Scored again: a change must be due to the shift, not to two calibrations.
            return self.rescorer(name)(self.table(rows), rows)
        return np.asarray(self.panel.fold_probabilities[name][0][rows])

    def rescorer(self, name: str) -> Rescorer:
        """Return a scorer of altered rows for one model."""
        return Rescorer(self.panel.fold_scorers[name][0], self.panel.folds[0], len(self.panel.classes_))

    def _calibrated_apart(self, name: str) -> bool:
        """Return whether a deployed model's decision values were calibrated differently from those of altered rows."""
        return self.panel.origin == "prefit" and self.panel.fold_scorers[name][0][0].calibrator is not None


def make_subject(
    models: object,
    data: Features,
    y: object,
    *,
    split: tuple[float, float, float],
    pos_label: object,
    seed: int,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Subject:
    """Fit the models on the first part of the split, or take those of a panel."""
    rng = np.random.default_rng(seed)
    fitting: Fitting = {"refit": False}
    parts = None
    if isinstance(models, Panel):
        _check_panel(models)
    else:
        parts = _fitted_parts(models, y, split, rng)
        # One fold: trained on the first part, tested on the two others.
        fitting["cv"] = [(parts[0], np.sort(np.concatenate(parts[1:])))]
    case = Case.of(
        models,
        data.data,
        y,
        purpose="stressing a model",
        random_state=seed,
        n_jobs=n_jobs,
        progress=progress,
        **fitting,
    )
    panel = case.panel
    reference, validation, test = _panel_parts(panel, rng) if parts is None else parts
    # Groups and moments are columns of X that no model learnt from.
    extra = [name for name in data.names if name not in panel.feature_names]
    several = len(panel.classes_) > 2 and pos_label is None
    return Subject(
        panel=panel,
        data=data.without(extra).data,
        reference=reference,
        validation=validation,
        test=test,
        positive=None if several else panel.positive(pos_label),
    )


def _fitted_parts(
    models: object, y: object, split: tuple[float, float, float], rng: np.random.Generator
) -> tuple[Rows, Rows, Rows]:
    """Split the rows for models that are to be fitted."""
    if y is None:
        raise InputError("y is missing; call stress(models, X, y), or pass a Panel", argument="y")
    parts = _split(y, split, rng)
    _check_parts(*encode_labels(y), parts[1:])
    warn_refitted(named_models(models), "stress(cross_fit(models, X, y, cv='prefit'), X)")
    return parts


def _split(y: object, split: tuple[float, float, float], rng: np.random.Generator) -> tuple[Rows, Rows, Rows]:
    try:
        # Errors must name the argument of `stress`.
        parts = three_way_split(y, shares=split, random_state=rng)
    except InputError as error:
        raise error.renamed("shares", "split") from None
    except (TypeError, ValueError):
        hint = "(0.5, 0.2, 0.3) is usual"
        raise fault("split", "be three shares above 0 that sum to 1", split, hint) from None
    return parts


def _check_panel(panel: Panel) -> None:
    """Refuse a panel whose models cannot score altered rows."""
    panel.require_models("stress")
    if not panel.fold_scorers:
        raise InputError("stress needs the models of the folds, not only scores; make the panel with cross_fit")
    if panel.sample_weight is not None:
        raise InputError("stress needs equally weighted rows, and the panel has weights; make it without them")


def _panel_parts(panel: Panel, rng: np.random.Generator) -> tuple[Rows, Rows, Rows]:
    """Split the tested rows of a panel into validation and test rows, classes in equal shares."""
    tested = np.flatnonzero(panel.folds[0] >= 0)
    chosen = []
    for code in range(len(panel.classes_)):
        rows = rng.permutation(tested[panel.y[tested] == code])
        chosen.append(rows[: round(_VALIDATION * len(rows))])
    validation = np.sort(np.concatenate(chosen))
    test = np.setdiff1d(tested, validation)
    _check_parts(panel.classes_, panel.y, (validation, test))
    # Every row but the shifted ones: the folds' models learnt from all parts of the table.
    return np.setdiff1d(np.arange(len(panel.y)), test), validation, test


def _check_parts(classes: NDArray[Any], codes: NDArray[np.int64], parts: Sequence[Rows]) -> None:
    """Refuse parts in which a class has no row, and parts that are too small."""
    # Counted over all rows, for the message.
    counts = np.bincount(codes, minlength=len(classes))
    for rows in parts:
        present = np.bincount(codes[rows], minlength=len(classes))
        # A deployed model may know classes that no row has.
        short = np.flatnonzero((present == 0) & (counts > 0))
        if len(short):
            label, has = shown(classes.tolist()[short[0]]), counted(int(counts[short[0]]), "row")
            hint = "add rows, or merge the class with another"
            raise InputError(f"class {label} has only {has}, but validation rows and test rows both need some; {hint}")
    fewest = min(map(len, parts))
    if fewest < _FEWEST:
        # Parts grow with the table.
        needed = math.ceil(_FEWEST * len(codes) / max(fewest, 1))
        hint = f"about {needed:,} are needed for {_FEWEST} rows in each part, and some hundreds are better"
        parts_of = f" has {len(codes):,} rows, too few for a validation and a test part; {hint}"
        raise InputError(Argument("X"), parts_of, argument="X")
