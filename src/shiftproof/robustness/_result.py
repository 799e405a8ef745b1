"""What `stress` found: every model under every shift, who stands, and how far one may go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from shiftproof._version import __version__
from shiftproof.core import Failure, Interval, Phrase, check_choice, counted, listed, plain
from shiftproof.reporting import PagedResult
from shiftproof.robustness._envelope import Envelope
from shiftproof.robustness._judge import Lead
from shiftproof.robustness._words import CALLED, shift_name, stress_words
from shiftproof.simulation import FAMILIES, Cell, Family, Skipped, shift_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.plots import Ranges
    from shiftproof.reporting import Page
    from shiftproof.robustness._page import StressSections

#: The mean, the lowest and the highest of several values.
Range = tuple[float, float, float]

# The share of failing features from which the papers presume a shift.
_PAPERS_RULE = 0.3


@dataclass(frozen=True, kw_only=True)
class ModelShift:
    """One model under one shift, over all features in turn: a row of `Stress.to_frame`."""

    model: str
    family: Family
    strength: float
    n_cells: int
    accuracy: Interval
    change: Interval
    lowest: float
    highest: float
    auc: float
    auc_change: float
    brier: float
    brier_change: float
    score_hellinger: float
    score_hellinger_change: float
    kruskal: Range
    friedman: Range

    @property
    def shift(self) -> str:
        """What a chart calls the shift."""
        return shift_label(self.family, self.strength)


@dataclass(frozen=True, kw_only=True)
class ModelCell:
    """One model in one cell of the grid: a row of `Stress.cells`."""

    model: str
    cell: Cell
    n: int
    accuracy: float
    change: Interval
    auc: float
    auc_change: float
    brier: float
    brier_change: float
    score_hellinger: float
    score_hellinger_change: float
    kruskal: float
    friedman: float


@dataclass(frozen=True, kw_only=True)
class TableCell:
    """The features in one cell of the grid against the training rows."""

    cell: Cell
    failing: float
    hellinger: float
    skew: float
    change: float


@dataclass(frozen=True, kw_only=True)
class TableShift:
    """The features under one shift against the training rows, over all cells."""

    family: Family
    strength: float
    failing: Range
    hellinger: Range
    skew: float
    change: float

    @property
    def shift(self) -> str:
        """What a chart calls the shift."""
        return shift_label(self.family, self.strength)


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Cells of one family that a model could not score, and what it said."""

    model: str
    family: str
    n_cells: int
    reason: Failure


@dataclass(frozen=True, eq=False, kw_only=True)
class Stress(PagedResult):
    """How models bear shifts that have not happened yet.

    Attributes
    ----------
    models : tuple of str
        The models.
    rows : tuple of ModelShift
        Each model under each shift.
    cell_rows : tuple of ModelCell
        Each model in each cell, feature by feature.
    tables, table_cells : tuples of TableShift and of TableCell
        How far the features were from the training rows; the feature that is masked (MNAR) does not count.
    sensitivity : mapping of model to mapping of family to mapping of measure to Interval
        The sensitivity index: the mean absolute change of ``accuracy``, ``auc`` and of the scores' Hellinger distance
        (``hellinger``) against the test rows without a shift; for each family, and for all shifts as ``overall``.
        Cells of one shift are averaged first, so that many features do not outweigh the other shifts. Rows lost at
        random change nothing but by noise: their index says how much noise is in the others.
    ranking : mapping of str to Lead
        Who is ``most accurate`` (without a shift), ``most robust`` (least overall index of accuracy) and the ``best
        compromise`` (highest accuracy if no shift and each family of shifts are all equally likely); each with the
        models that cannot be told from it.
    envelope : mapping of model to Envelope
        How far the features may move before the accuracy does.
    left_out : tuple of LeftOut
        Cells that a model could not score.
    skipped : tuple of Skipped
        Cells that could not be made, with the reason.
    untested : mapping of str to str
        Features that no test can be made of, and what they are.
    failures : mapping of str to Failure
        Models that could not be fitted.
    sizes : mapping of str to int
        Training, validation and test rows.
    score : str
        Which score Kruskal-Wallis and Hellinger compare between validation and shifted test rows.
    classes, positive
        The labels, and the positive one, or None.
    bootstraps, level, alpha
        As given.
    """

    models: tuple[str, ...]
    rows: tuple[ModelShift, ...]
    cell_rows: tuple[ModelCell, ...]
    tables: tuple[TableShift, ...]
    table_cells: tuple[TableCell, ...]
    sensitivity: Mapping[str, Mapping[str, Mapping[str, Interval]]]
    ranking: Mapping[str, Lead]
    envelope: Mapping[str, Envelope]
    left_out: tuple[LeftOut, ...]
    skipped: tuple[Skipped, ...]
    untested: Mapping[str, str]
    failures: Mapping[str, Failure]
    sizes: Mapping[str, int]
    score: str
    classes: tuple[Any, ...]
    positive: Any
    bootstraps: int
    level: float
    alpha: float

    @property
    def best(self) -> str:
        """The best compromise."""
        return self.ranking["best compromise"].model

    @property
    def families(self) -> tuple[Family, ...]:
        """The families of shifts that were made, the base aside."""
        made = {table.family for table in self.tables}
        return tuple(family for family in FAMILIES if family in made and family != "base")

    @property
    def cells(self) -> pd.DataFrame:
        """Every model in every cell, one row each, with what the features show there."""
        import pandas as pd

        tables = {table.cell: table for table in self.table_cells}
        rows = [
            {
                "model": row.model,
                "shift": row.cell.label,
                **asdict(row.cell),
                **{each.name: getattr(row, each.name) for each in fields(row) if each.name not in _NESTED},
                **_ends("accuracy_change", row.change),
                "features_failing": tables[row.cell].failing,
                "features_hellinger": tables[row.cell].hellinger,
                "features_skew": tables[row.cell].skew,
                "features_change": tables[row.cell].change,
            }
            for row in self.cell_rows
        ]
        return pd.DataFrame(rows).rename(columns={"kruskal": "kruskal_p", "friedman": "friedman_p"})

    @property
    def unmade(self) -> dict[str, str]:
        """What of the grid could not be made, and why, the many in a few words."""
        joined: dict[tuple[str, str], list[str | None]] = {}
        for each in self.skipped:
            joined.setdefault((each.family, each.reason), []).append(each.feature)
        found = {}
        for (family, reason), features in joined.items():
            named = [name for name in dict.fromkeys(features) if name is not None]
            by = f" by {listed(named, most=3)}" if named else ""
            found[f"{counted(len(features), 'table')} of {shift_name(family)}{by}"] = reason
        return found

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model and shift, averaged over the features."""
        import pandas as pd

        return pd.DataFrame([self._row(row) for row in self.rows])

    def shifts_frame(self) -> pd.DataFrame:
        """Return one row per shift: share of failing features, mean Hellinger distance, its skew and change."""
        import pandas as pd

        rows = [
            {
                "shift": table.shift,
                "family": table.family,
                "strength": table.strength,
                **_three("failing", table.failing),
                **_three("hellinger", table.hellinger),
                "skew": table.skew,
                "change": table.change,
            }
            for table in self.tables
        ]
        return pd.DataFrame(rows)

    def sensitivity_frame(self) -> pd.DataFrame:
        """Return one row per model, family and measure: the sensitivity index with its interval."""
        import pandas as pd

        rows = [
            {"model": model, "family": family, "measure": measure, **interval.to_dict()}
            for model, families in self.sensitivity.items()
            for family, measures in families.items()
            for measure, interval in measures.items()
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "shiftproof": __version__,
            "summary": self.summary(),
            "models": list(self.models),
            "ranking": {
                question: {**plain(lead), "beyond_noise": lead.beyond_noise} for question, lead in self.ranking.items()
            },
            "envelope": {model: envelope.to_dict() for model, envelope in self.envelope.items()},
            "sensitivity": plain(self.sensitivity),
            "rows": plain(self.to_frame().to_dict("records")),
            "shifts": plain(self.shifts_frame().to_dict("records")),
            "cells": plain(self.cells.to_dict("records")),
            "left_out": plain(self.left_out),
            "skipped": plain(self.skipped),
            "untested": dict(self.untested),
            "failures": {name: str(why) for name, why in self.failures.items()},
            "sizes": dict(self.sizes),
            "score": self.score,
            "classes": plain(self.classes),
            "positive": plain(self.positive),
            "bootstraps": self.bootstraps,
            "level": self.level,
            "alpha": self.alpha,
        }

    def summary(self) -> str:
        """Say who is accurate, who is robust, what of it is noise, and how far the accuracy holds."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which errors of models are marked as sensitive."""
        return stress_words(self)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw each model's accuracy today and its range under each family of shifts, the most accurate first."""
        from shiftproof import plots

        order = sorted(self.models, key=lambda name: -self._base(name).accuracy.estimate)
        families = {}
        for family in self.families:
            held = [[row for row in self.rows if row.model == name and row.family == family] for name in order]
            families[CALLED[family]] = (
                [min((row.lowest for row in rows), default=float("nan")) for rows in held],
                [_mean([row.accuracy.estimate for row in rows]) for rows in held],
                [max((row.highest for row in rows), default=float("nan")) for rows in held],
            )
        today = [self._base(name).accuracy.estimate for name in order]
        return plots.accuracy_ranges(
            order, today, families, xlabel="accuracy: today, and from the worst to the best shifted test set", ax=ax
        )

    def plot_p_values(
        self,
        which: Literal["kruskal", "friedman"] = "kruskal",
        *,
        family: Family | Sequence[Family] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the p-values over the features as the papers do (2009, figures 6 to 11), a cluster of models per shift.

        Parameters
        ----------
        which : {"kruskal", "friedman"}
            Scores of validation against shifted test rows, or bootstrapped accuracies of both.
        family : str or sequence of str, optional
            The families to draw beside the base; by default all.
        ax : Axes, optional
            Where to draw.
        """
        from shiftproof import plots

        check_choice(which, "which", ("kruskal", "friedman"))
        wanted = [family] if isinstance(family, str) else list(family or self.families)
        for each in wanted:
            check_choice(each, "family", self.families)
        tables = [table for table in self.tables if table.family in ("base", *wanted)]
        ranges = {}
        for model in self.models:
            held = {(row.family, row.strength): getattr(row, which) for row in self.rows if row.model == model}
            ranges[model] = _columns([held.get((table.family, table.strength), _NOTHING) for table in tables])
        named = {"kruskal": "Kruskal-Wallis p of the scores", "friedman": "Friedman p of bootstrapped accuracies"}
        return plots.p_value_ranges(
            [table.shift for table in tables], ranges, alpha=self.alpha, ylabel=named[which], ax=ax
        )

    def plot_failing(self, *, ax: Axes | None = None) -> Axes:
        """Draw the share of features that fail their test under each shift (2007, table 2)."""
        from shiftproof import plots

        return plots.shift_bars(
            [table.shift for table in self.tables],
            _columns([table.failing for table in self.tables]),
            xlabel=f"share of features failing at {self.alpha:g}; the line: range over the features shifted; "
            "dashed: the papers' 30%",
            mark=_PAPERS_RULE,
            ax=ax,
        )

    def plot_hellinger(self, *, ax: Axes | None = None) -> Axes:
        """Draw the change of the mean Hellinger distance against the base (2007, figure 5; 2009, figures 15 to 17)."""
        from shiftproof import plots

        base = self.tables[0].hellinger[0]
        return plots.shift_bars(
            [table.shift for table in self.tables],
            _columns([tuple(value - base for value in table.hellinger) for table in self.tables]),
            xlabel="mean Hellinger distance to the training rows, less that of the base; the line: range over features",
            ax=ax,
        )

    def sections(self) -> StressSections:
        """Return the parts of the page, to be shown elsewhere."""
        from shiftproof.robustness._page import stress_sections

        return stress_sections(self)

    def to_page(self, *, title: str = "How the models bear shifts that have not happened yet") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.robustness._page import stress_page

        return stress_page(self, title)

    def _base(self, model: str) -> ModelShift:
        return next(row for row in self.rows if row.model == model and row.family == "base")

    @staticmethod
    def _row(row: ModelShift) -> dict[str, Any]:
        return {
            "model": row.model,
            "shift": row.shift,
            "family": row.family,
            "strength": row.strength,
            "n_cells": row.n_cells,
            "accuracy": row.accuracy.estimate,
            "low": row.accuracy.low,
            "high": row.accuracy.high,
            **_ends("accuracy_change", row.change),
            "accuracy_lowest": row.lowest,
            "accuracy_highest": row.highest,
            "auc": row.auc,
            "auc_change": row.auc_change,
            "brier": row.brier,
            "brier_change": row.brier_change,
            "score_hellinger": row.score_hellinger,
            "score_hellinger_change": row.score_hellinger_change,
            **_three("kruskal_p", row.kruskal),
            **_three("friedman_p", row.friedman),
            "level": row.accuracy.level,
            "method": row.accuracy.method,
        }


_NESTED = ("model", "cell", "change")
_NOTHING: Range = (float("nan"),) * 3


def _ends(name: str, interval: Interval) -> dict[str, float]:
    return {name: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _three(name: str, values: Range) -> dict[str, float]:
    return {f"{name}_mean": values[0], f"{name}_min": values[1], f"{name}_max": values[2]}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _columns(ranges: Sequence[Sequence[float]]) -> Ranges:
    """Turn (mean, lowest, highest) of each place into lowest, mean and highest of all places."""
    mean, low, high = (list(values) for values in zip(*ranges, strict=True))
    return low, mean, high
