"""What an audit was asked about: models, tables and how decisions are made, and the case that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from shiftproof.backtesting import Backtest
from shiftproof.case import Assume, Case, DecisionOptions, Fitting, Running, columns_aside, is_panel

# Half of the usual folds.
QUICK_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Question:
    """The arguments of `audit` that both the replayed past and the audit itself need."""

    models: object
    X: object
    y: object
    X_new: object
    _: KW_ONLY
    decisions: DecisionOptions
    kinds: Mapping[Any, str] | None
    exclude: Sequence[object] | None
    assume: Assume
    fitting: Fitting
    running: Running

    def excluded_in_past(self, time: object) -> Sequence[object] | None:
        """Return the columns that the past must not use: those that the audit does not.

        Only the audit sees which dates are later in the new data.
        """
        aside = columns_aside(self.models, self.X, self.X_new, kinds=self.kinds)
        # Times may also be given as values, which are compared with no name.
        left_out = [name for name in aside if not (isinstance(time, str) and name == time)]
        return [*(self.exclude or ()), *left_out] if left_out else self.exclude

    def case(self, past: Backtest | None, *, quick: bool) -> Case:
        """Cross-fit the models once, for every part of the audit."""
        return Case.of(
            *(self.models, self.X, self.y, self.X_new),
            purpose="an audit",
            new_required=True,
            options=self.decisions,
            assume=self.assume,
            exclude=self.exclude,
            # A panel was made without the time, or its models know it.
            hide=() if past is None or is_panel(self.models) else past.hidden,
            history=past,
            # None would mean that this verb has no such argument.
            kinds={} if self.kinds is None else self.kinds,
            own_folds={"cv": QUICK_FOLDS} if quick else None,
            **self.fitting,
            **self.running,
        )
