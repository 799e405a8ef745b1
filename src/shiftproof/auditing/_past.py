"""Replay the labelled past for an audit: the same models, decisions and measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shiftproof.backtesting import FOLDS, Backtest, backtest
from shiftproof.case import DecisionOptions, Fitting, Running, is_panel
from shiftproof.core import Argument, Phrase, fault
from shiftproof.data import Every


def replay_past(
    models: object,
    X: object,
    y: object,
    time: object,
    *,
    every: Every | None,
    periods: int | None,
    options: DecisionOptions,
    measure: str,
    level: float,
    exclude: Sequence[object] | None,
    fitting: Fitting,
    running: Running,
) -> Backtest:
    """Return the backtest of what an audit was given."""
    if time is None:
        name, value = ("every", every) if every is not None else ("periods", periods)
        raise fault(name, Phrase("come with ", Argument("time")), value, "say when each labelled row was observed")
    cv: Any = fitting.get("cv")
    weights, groups = fitting.get("sample_weight"), fitting.get("groups")
    if is_panel(models):
        # A panel has its own, and none may be given with it.
        weights, groups = models.sample_weight, models.groups
    if is_panel(models) and not models.deployed:
        y = models.classes_[models.y] if y is None else y
        # Models that come with folds are cloned without a warning.
        models, cv = models.models, FOLDS
    return backtest(
        models,
        X,
        y,
        time,
        every=every,
        periods=periods,
        measure=measure,
        benefit=options.benefit,
        table=options.table,
        threshold=options.threshold,
        pos_label=options.pos_label,
        level=level,
        cv=cv,
        sample_weight=weights,
        groups=groups,
        exclude=exclude,
        **running,
    )
