"""The result of `stress`: every model under every shift, which model leads, and how far the features may move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import Failure, InputError, Interval, Phrase, plain
from shiftproof.reporting import PagedResult
from shiftproof.robustness._envelope import Envelope
from shiftproof.robustness._judge import Lead
from shiftproof.robustness._omissions import LeftOut, UnmadeShifts, unmade_shifts
from shiftproof.robustness._rows import ModelCell, ModelShift, Range, TableCell, TableShift
from shiftproof.robustness._words import stress_words
from shiftproof.simulation import FAMILIES, Family, Skipped

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.reporting import Page
    from shiftproof.robustness._figures import PValues
    from shiftproof.robustness._page import StressSections

# Fields of a cell's row that the frame spreads over several columns.
_NESTED = ("model", "cell", "change")


@dataclass(frozen=True, eq=False, kw_only=True)
class Stress(PagedResult):
    """How robust models are against shifts that have not happened yet.

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
    class_tables : tuple of TableShift
        The same within each class: shifted test rows compared with training rows of the same class; empty unless
        ``by_class=True``.
    sensitivity : mapping of model to mapping of family to mapping of measure to Interval
        The sensitivity index: the mean absolute change of ``accuracy``, ``auc`` and of the scores' Hellinger distance
        (``hellinger``) against the test rows without a shift; for each family, and for all shifts as ``overall``. Cells
        of one shift are averaged first, so shifts with many features have no more weight. Rows lost at random change
        the measures only by noise, so their index shows how much noise is in the other indices.
    ranking : mapping of str to Lead
        The model that is ``most accurate`` (without a shift), ``most robust`` (lowest overall index of accuracy) and
        the ``best compromise`` (highest accuracy if no shift and all families of shifts are equally likely); each with
        the models within noise of it.
    envelope : mapping of model to Envelope
        How far the features can shift before accuracy changes by more than the tolerance.
    left_out : tuple of LeftOut
        Cells that a model could not score.
    skipped : tuple of Skipped
        Cells that could not be made, with the reason; `unmade` groups them.
    untested : mapping of str to str
        Features that cannot be tested, with their kinds.
    failures : mapping of str to Failure
        Models that could not be fitted.
    sizes : mapping of str to int
        Number of training, validation and test rows.
    baseline : float
        The accuracy of always answering the most frequent class of the test rows without a shift.
    score : str
        The score that the Kruskal-Wallis test and the Hellinger distance compare between validation and shifted test
        rows.
    classes, positive
        The labels, and the positive label or None.
    bootstraps, level, alpha
        As given.
    """

    models: tuple[str, ...]
    rows: tuple[ModelShift, ...]
    cell_rows: tuple[ModelCell, ...]
    tables: tuple[TableShift, ...]
    table_cells: tuple[TableCell, ...]
    class_tables: tuple[TableShift, ...]
    sensitivity: Mapping[str, Mapping[str, Mapping[str, Interval]]]
    ranking: Mapping[str, Lead]
    envelope: Mapping[str, Envelope]
    left_out: tuple[LeftOut, ...]
    skipped: tuple[Skipped, ...]
    untested: Mapping[str, str]
    failures: Mapping[str, Failure]
    sizes: Mapping[str, int]
    baseline: float
    score: str
    classes: tuple[object, ...]
    positive: object
    bootstraps: int
    level: float
    alpha: float

    @property
    def best(self) -> str:
        """The best compromise."""
        return self.ranking["best compromise"].model

    @property
    def families(self) -> tuple[Family, ...]:
        """The families of shifts that were made, without the base."""
        # In the order of the papers, whatever the order that was given.
        made = {table.family for table in self.tables}
        return tuple(family for family in FAMILIES if family in made and family != "base")

    @property
    def cells(self) -> pd.DataFrame:
        """Every model in every cell, one row each, with the changes of the features."""
        import pandas as pd

        tables = {table.cell: table for table in self.table_cells}
        rows = [
            {
                "model": row.model,
                "shift": row.cell.label,
                **asdict(row.cell),
                **{field.name: getattr(row, field.name) for field in fields(row) if field.name not in _NESTED},
                **_ends("accuracy_change", row.change),
                "features_failing": tables[row.cell].failing,
                "features_hellinger": tables[row.cell].hellinger,
                "features_skew": tables[row.cell].skew,
                "features_change": tables[row.cell].change,
                "features_relative_change": tables[row.cell].relative_change,
            }
            for row in self.cell_rows
        ]
        return pd.DataFrame(rows).rename(columns={"kruskal": "kruskal_p", "friedman": "friedman_p"})

    @property
    def unmade(self) -> tuple[UnmadeShifts, ...]:
        """The shifts that could not be made, grouped by family and reason."""
        return unmade_shifts(self.skipped)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model and shift, averaged over the features."""
        import pandas as pd

        return pd.DataFrame([_shift_columns(row) for row in self.rows])

    def shifts_frame(self) -> pd.DataFrame:
        """Return one row per shift: share of failing features, mean Hellinger distance, its skew and change.

        ``relative_change`` is the change as a share of the distance without a shift.
        """
        import pandas as pd

        return pd.DataFrame([_table_columns(table) for table in self.tables])

    def classes_frame(self) -> pd.DataFrame:
        """Return the figures of `shifts_frame` within each class, one row per class and shift (2009, figure 14)."""
        import pandas as pd

        if not self.class_tables:
            raise InputError("figures by class were not computed; pass stress(..., by_class=True)")
        return pd.DataFrame([{"label": table.label, **_table_columns(table)} for table in self.class_tables])

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
            "by_class": plain(self.classes_frame().to_dict("records")) if self.class_tables else [],
            "cells": plain(self.cells.to_dict("records")),
            "left_out": plain(self.left_out),
            "skipped": plain(self.skipped),
            "untested": dict(self.untested),
            "failures": {name: str(why) for name, why in self.failures.items()},
            "sizes": dict(self.sizes),
            "baseline": self.baseline,
            "score": self.score,
            "classes": plain(self.classes),
            "positive": plain(self.positive),
            "bootstraps": self.bootstraps,
            "level": self.level,
            "alpha": self.alpha,
        }

    def summary(self) -> str:
        """Say which models are accurate and robust, which differences are noise, and how far the features can shift."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which errors of models are marked as sensitive."""
        return stress_words(self)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw each model's accuracy without a shift, and its range under each family of shifts."""
        from shiftproof.robustness._figures import draw_accuracy

        return draw_accuracy(self, ax)

    def plot_p_values(
        self,
        which: PValues = "kruskal",
        *,
        family: Family | Sequence[Family] | None = None,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the p-values over the features as in the papers (2009, figures 6 to 11), a cluster of models per shift.

        Parameters
        ----------
        which : {"kruskal", "friedman"}
            The test: "kruskal" compares the scores of validation and shifted test rows, "friedman" their bootstrapped
            accuracies.
        family : str or sequence of str, optional
            The families to draw in addition to the base; by default all.
        ax : Axes, optional
            The axes to draw on.
        """
        from shiftproof.robustness._figures import draw_p_values

        return draw_p_values(self, which, family, ax)

    def plot_failing(self, *, label: object = None, ax: Axes | None = None) -> Axes:
        """Draw the share of features that fail their test under each shift (2007, table 2).

        Parameters
        ----------
        label : label, optional
            Draw features within this class only (2009, figure 14); needs ``stress(..., by_class=True)``.
        ax : Axes, optional
            The axes to draw on.
        """
        from shiftproof.robustness._figures import draw_failing

        return draw_failing(self, label, ax)

    def plot_hellinger(self, *, relative: bool = True, ax: Axes | None = None) -> Axes:
        """Draw the change of the mean Hellinger distance against the base (2007, figure 5; 2009, figures 15 to 17).

        Parameters
        ----------
        relative : bool
            Whether to draw the change as a share of the distance without a shift, as in the papers, or as a difference.
        ax : Axes, optional
            The axes to draw on.
        """
        from shiftproof.robustness._figures import draw_hellinger

        return draw_hellinger(self, relative, ax)

    def sections(self) -> StressSections:
        """Return the parts of the page, for use in another page."""
        from shiftproof.robustness._page import stress_sections

        return stress_sections(self)

    def to_page(self, *, title: str = "How robust the models are against shifts that have not happened yet") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.robustness._page import stress_page

        return stress_page(self, title)


def _shift_columns(row: ModelShift) -> dict[str, object]:
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


def _table_columns(table: TableShift) -> dict[str, object]:
    return {
        "shift": table.shift,
        "family": table.family,
        "strength": table.strength,
        **_three("failing", table.failing),
        **_three("hellinger", table.hellinger),
        "skew": table.skew,
        "change": table.change,
        "relative_change": table.relative_change,
    }


def _ends(name: str, interval: Interval) -> dict[str, float]:
    return {name: interval.estimate, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _three(name: str, values: Range) -> dict[str, float]:
    return {f"{name}_mean": values[0], f"{name}_min": values[1], f"{name}_max": values[2]}
