"""Replay the labelled past for an audit: the same models, decisions and measures."""

from __future__ import annotations

import warnings
from typing import Any

from shiftproof.auditing._question import Question
from shiftproof.backtesting import FOLDS, Backtest, backtest
from shiftproof.case import is_panel, names_scores
from shiftproof.core import Argument, CopiedRows, InputError, Phrase, fault
from shiftproof.data import Every


def replay_past(
    question: Question, time: object, *, every: Every | None, periods: int | None, measure: str, level: float
) -> Backtest:
    """Return the backtest of what an audit was asked about."""
    models, y, decisions = question.models, question.y, question.decisions
    if question.assume != "natural":
        given = Argument("assume", question.assume)
        raise InputError(Argument("time"), " cannot be used with ", given, "; leave one out")
    if names_scores(models):
        hint = "pass a table in memory, and a Panel of its scores"
        raise fault("time", "be left out with columns of scores", Phrase("some"), hint)
    if time is None:
        name, value = ("every", every) if every is not None else ("periods", periods)
        raise fault(name, Phrase("come with ", Argument("time")), value, "say when each labelled row was observed")
    cv: Any = question.fitting.get("cv")
    weights, groups = question.fitting.get("sample_weight"), question.fitting.get("groups")
    exclude = question.excluded_in_past(time)
    if is_panel(models):
        # A panel has its own, and none may be given with it.
        weights, groups = models.sample_weight, models.groups
    if is_panel(models) and not models.deployed:
        y = models.classes_[models.y] if y is None else y
        # Models that come with folds are cloned without a warning.
        models, cv = models.models, FOLDS
    with warnings.catch_warnings():
        # The audit warns of copies among all rows, those of single periods say no more.
        warnings.simplefilter("ignore", CopiedRows)
        return backtest(
            *(models, question.X, y, time),
            every=every,
            periods=periods,
            measure=measure,
            benefit=decisions.benefit,
            table=decisions.table,
            threshold=decisions.threshold,
            pos_label=decisions.pos_label,
            level=level,
            cv=cv,
            sample_weight=weights,
            groups=groups,
            exclude=exclude,
            **question.running,
        )
