"""The interface of a rival method: what it may look at, what it returns, and how it needs models fitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from shiftproof.case import Candidates, Case, Fitting, Routes, find_routes
from shiftproof.core import Floats, InputError, Seed, fault, generator
from shiftproof.panel import Panel, as_features, holdout, take
from shiftproof.selection.rivals._words import panel_text, plan_text


@dataclass(frozen=True, eq=False, kw_only=True)
class Setting:
    """The data that a rival may use.

    Parameters
    ----------
    candidates : Candidates
        The scores of the models for labelled and new data.
    X : table of n rows, optional
        The features of the labelled rows `candidates.rows`, in that order.
    X_new : table of m rows, optional
        The features of the new rows.
    panel : Panel, optional
        The models, for rivals that look at their training errors.
    found : Routes, optional
        The routes for the three types of shift, if already computed.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed for rivals that use random numbers.
    n_jobs : int, optional
        Number of fits to run in parallel.
    """

    candidates: Candidates
    X: Any = None
    X_new: Any = None
    panel: Panel | None = None
    found: Routes | None = None
    random_state: Seed = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        sizes = (("X", self.X, self.candidates.n), ("X_new", self.X_new, self.candidates.m))
        for name, table, rows in sizes:
            got = rows if table is None else as_features(table, name).n_rows
            if got != rows:
                raise fault(
                    name, f"have {rows:,} rows, one per row with scores", got, "leave out rows that were never tested"
                )

    @classmethod
    def of(cls, case: Case) -> Setting:
        """Create the setting of a case; with features only if they can be aligned with the scores."""
        candidates, tables = case.candidates, case.tables
        X = None if tables.X is None else take(tables.X, candidates.rows)
        return cls(
            candidates=candidates,
            X=X,
            X_new=tables.X_new,
            panel=case.panel,
            found=case.prospect.routes,
            random_state=case.seed,
            n_jobs=case.n_jobs,
        )

    @property
    def models(self) -> Panel:
        """The refitted models, which have seen the labelled rows."""
        if self.panel is None or self.X is None or not has_training(self.panel):
            raise InputError("training error needs the models and X; pass the models, X and y")
        return self.panel

    @cached_property
    def routes(self) -> Routes:
        """The routes for the three types of shift, and how likely each is."""
        return self.found if self.found is not None else find_routes(self.candidates)


def has_training(panel: Panel) -> bool:
    """Return whether the models of a panel were fitted on all of its rows."""
    return panel.origin == "cross-fitted" and bool(panel.scorers)


@dataclass(frozen=True, eq=False, kw_only=True)
class Guess:
    """The estimates of a rival.

    Attributes
    ----------
    accuracies : ndarray of shape (l,)
        One per model, in the order of `Candidates.names`. They are not clipped to 0 and 1, so they still rank the
        models.
    notes : tuple of str
        What the user should know about the estimates.
    extra : mapping of str to float
        Other figures, such as the effective number of rows.
    """

    accuracies: Floats
    notes: tuple[str, ...] = ()
    extra: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class CrossFitPlan:
    """How to cross-fit models.

    Parameters
    ----------
    folds : int, optional
        The number of folds; None for one fold per row.
    repeats : int
        Number of times to repeat the split.
    held_out : float, optional
        The share of rows to hold out in a single split, instead of folds.

    Examples
    --------
    >>> plan = CrossFitPlan(folds=10, repeats=5)
    >>> print(plan)
    10 folds, 5 times
    >>> plan.fitting([0, 1] * 100)
    {'cv': 10, 'repeats': 5}
    """

    folds: int | None = None
    repeats: int = 1
    held_out: float | None = None

    def __str__(self) -> str:
        return plan_text(self)

    def fitting(self, y: object, random_state: Seed = 0) -> Fitting:
        """Return the arguments of `cross_fit` that make these folds for these labels."""
        from sklearn.model_selection import LeaveOneOut

        if self.held_out is not None:
            # A splitter of scikit-learn takes a number, not a generator.
            seed = random_state if isinstance(random_state, int) else int(generator(random_state).integers(2**31))
            return {"cv": holdout(test_size=self.held_out, random_state=seed)}
        if self.folds is None:
            return {"cv": LeaveOneOut()}
        # There cannot be more folds than rows.
        most = len(y) if isinstance(y, Sized) else self.folds
        return {"cv": min(self.folds, most), "repeats": self.repeats}

    def is_met(self, panel: Panel) -> bool:
        """Return whether a panel was fitted with this plan; the number of rows held out may differ by one.

        Examples
        --------
        >>> panel = Panel.from_scores([0, 1, 0, 1], {"old": [0.2, 0.9, 0.1, 0.5]})
        >>> CrossFitPlan(folds=10, repeats=5).is_met(panel)
        False
        """
        folds, tested = panel.n_folds, int(panel.tested.sum())
        if panel.deployed or panel.n_repeats != self.repeats:
            return False
        if self.held_out is not None:
            # Splitters round the number of rows held out up or down.
            return folds == 1 and abs(tested - self.held_out * len(panel.y)) <= 1
        return tested == len(panel.y) and folds == (len(panel.y) if self.folds is None else self.folds)


@dataclass(frozen=True)
class Rival:
    """One method that estimates the accuracy of each model on new data.

    Parameters
    ----------
    name : str
        The name of the method, as in `RIVALS`.
    guess : callable
        Called with a `Setting`; returns a `Guess`.
    description : str
        What the method does, in one line.
    plan : CrossFitPlan, optional
        How the models must be cross-fitted; None if any folds will do.
    needs_training : bool
        Whether the method uses errors on the training rows, which scores and deployed models do not have.
    """

    name: str
    guess: Callable[[Setting], Guess]
    description: str
    plan: CrossFitPlan | None = None
    needs_training: bool = False

    def folds(self, y: object, random_state: Seed = 0) -> Fitting | None:
        """Return the folds that the rival needs for these labels; None if any folds will do."""
        return None if self.plan is None else self.plan.fitting(y, random_state)

    def check(self, panel: Panel) -> None:
        """Refuse a panel that was not fitted as this rival needs.

        Examples
        --------
        >>> panel = Panel.from_scores([0, 1, 0, 1], {"old": [0.2, 0.9, 0.1, 0.5]})
        >>> from shiftproof.selection import RIVALS
        >>> RIVALS["leave-one-out"].check(panel)
        Traceback (most recent call last):
            ...
        shiftproof.core._errors.InputError: 'leave-one-out' needs models fitted with one fold per row, got \
scores only; pass the models instead of a panel.
        """
        if self.needs_training and not has_training(panel):
            hint = "pass the models instead of a panel"
            raise InputError(f"{self.name!r} needs models that were fitted on all labelled rows, got none; {hint}")
        if self.plan is not None and not self.plan.is_met(panel):
            got = panel_text(panel)
            hint = "pass the models instead of a panel"
            raise InputError(f"{self.name!r} needs models fitted with {self.plan}, got {got}; {hint}")
