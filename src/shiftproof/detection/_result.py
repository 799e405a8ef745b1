"""The result of `detect`: tests, verdict, tables and charts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.core import InputError, Phrase, Text, check_count, fault, listed, plain, share
from shiftproof.detection._baseline import HellingerBaseline
from shiftproof.detection._features import MATERIAL, SHORT_EFFECT, FeatureShift, MultivariateShift, Verdict
from shiftproof.detection._groups import Association
from shiftproof.detection._inputs import Omission
from shiftproof.detection._scores import ScoreShift
from shiftproof.detection._suspicion_words import suspicion_text
from shiftproof.detection._suspicions import Suspicion
from shiftproof.detection._words import advice, category_names, detection_words, finding
from shiftproof.reporting import PagedResult
from shiftproof.shift import ShiftKind
from shiftproof.stats import ContinuousRecord, Record, skewness

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from shiftproof.detection._page import DetectionSections
    from shiftproof.reporting import Page

#: The papers' own rule (2007, sec. 5): a data set is biased when this share of its features fails at 0.05.
PAPER_SHARE, PAPER_ALPHA = 0.30, 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class Detection(PagedResult):
    """The changes between two tables, the largest first.

    Attributes
    ----------
    rows : tuple of FeatureShift
        One per test; `to_frame` shows them as a table.
    records : mapping of str to Record
        The sufficient record of every feature compared.
    left_out : mapping of str to Omission
        Columns that were not tested, each with its reason.
    n_reference, n_current : int
        Number of reference rows and of new rows.
    alpha : float
        The false discovery rate of each stage.
    scores : tuple of ScoreShift
        The results of stage one, one per model, the most changed first; empty without scores.
    score_records : mapping of str to mapping of label to ContinuousRecord
        The sufficient records of each model's scores.
    multivariate : MultivariateShift or None
        How well a classifier can tell new rows from reference rows; None with `multivariate=False`.
    kind : ShiftKind or None
        The type of shift, with the evidence; None without labels of the reference rows.
    kind_reason : str or Sensitive
        Why the type of shift was not determined; empty if it was.
    baseline : HellingerBaseline or None
        The mean Hellinger distance that chance alone gives.
    association : Association or None
        Which features fail together, from shifts injected into the reference; None if no feature shifted.
    suspicions : tuple of Suspicion
        Columns that look mishandled rather than changed: swapped, in another unit, or coded differently.
    """

    rows: tuple[FeatureShift, ...]
    records: Mapping[str, Record]
    left_out: Mapping[str, Omission]
    n_reference: int
    n_current: int
    alpha: float
    scores: tuple[ScoreShift, ...] = ()
    score_records: Mapping[str, Mapping[Any, ContinuousRecord]] = field(default_factory=dict)
    multivariate: MultivariateShift | None = None
    kind: ShiftKind | None = None
    kind_reason: Text = ""
    baseline: HellingerBaseline | None = None
    association: Association | None = None
    suspicions: tuple[Suspicion, ...] = ()

    @property
    def shifted(self) -> bool:
        """Whether scores, any feature, or all features together changed, each after correction for many tests.

        Columns that look mishandled count as changed.
        """
        return bool(self.suspicions) or any(part.shifted for part in self.parts)

    @property
    def material(self) -> bool:
        """Whether any change is also large enough to matter."""
        return bool(self.suspicions) or any(part.material for part in self.parts)

    @property
    def p_value(self) -> float:
        """The p-value of stage one: the smallest over the models, corrected for their number; NaN without scores."""
        # The smallest q-value is the one that decides whether any model's scores changed.
        return min((row.q_value for row in self.scores if not math.isnan(row.q_value)), default=math.nan)

    @property
    def shift_kind(self) -> str:
        """The type of shift: "none", "prior", "covariate", "unclear" or "too different"."""
        # Without labels nothing can be said; None would have to be handled by every caller.
        return "unclear" if self.kind is None else self.kind.kind

    @property
    def advice(self) -> tuple[str, ...]:
        """Features to look into: those without values, and those that changed without their usual partners."""
        return advice(self)

    @property
    def verdict(self) -> Verdict:
        """The answer: "shifted", "negligible", "no shift" or "cannot tell"."""
        if self.material:
            return "shifted"
        if self.shifted:
            return "negligible"
        # One test with enough power is enough to say that nothing was seen.
        verdicts = {row.verdict for row in self.value_rows} | {row.verdict for row in self.scores}
        return "no shift" if "no shift" in verdicts else "cannot tell"

    @property
    def features(self) -> tuple[str, ...]:
        """The materially shifted features, the largest change first."""
        # A feature may have several rows: its values, its missing values, its infinities.
        return tuple(dict.fromkeys(row.feature for row in self.rows if row.material))

    @property
    def shown_rows(self) -> tuple[FeatureShift, ...]:
        """The rows to show to people: if a column has no values on one side, only the row of its missing share.

        Its values cannot be compared, and "cannot tell" beside "shifted" would read as a contradiction.
        """
        return tuple(
            row
            for row in self.rows
            if row.test in ("missing", "presence") or (row.missing_reference == 1) == (row.missing_current == 1)
        )

    @property
    def suspects(self) -> tuple[str, ...]:
        """The columns that look mishandled: swapped, in another unit, or coded differently."""
        return tuple(dict.fromkeys(name for suspicion in self.suspicions for name in suspicion.features))

    @property
    def failing_share(self) -> float:
        """The share of features whose test fails at 0.05, not corrected for many tests: the measure of the papers."""
        # Uncorrected for the number of tests, as in the papers, so that figures can be compared with theirs.
        tested = [row for row in self.value_rows if not math.isnan(row.p_value)]
        return sum(row.p_value < PAPER_ALPHA for row in tested) / len(tested) if tested else math.nan

    @cached_property
    def hellinger_mean(self) -> float:
        """The mean Hellinger distance over the features."""
        distances = self._distances
        return float(distances.mean()) if len(distances) else math.nan

    @cached_property
    def hellinger_skew(self) -> float:
        """The skewness of the Hellinger distances over the features: large if few features carry the change."""
        return float(skewness(self._distances))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per test, the largest change first."""
        import pandas as pd

        # By name, so that a frame without rows has its columns too.
        names = list(FeatureShift.__dataclass_fields__)
        return pd.DataFrame([asdict(row) for row in self.rows], columns=names)

    def scores_frame(self) -> pd.DataFrame:
        """Return stage one: one row per model, the most changed first."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.scores], columns=list(ScoreShift.__dataclass_fields__))

    def to_dict(self) -> dict[str, Any]:
        """Return verdict, sizes, settings and rows as plain values; undefined numbers are null."""
        return {
            "shiftproof": __version__,
            "verdict": self.verdict,
            "shifted": self.shifted,
            "material": self.material,
            "summary": self.summary(),
            "n_reference": self.n_reference,
            "n_current": self.n_current,
            "alpha": self.alpha,
            "failing_share": plain(self.failing_share),
            # A NaN compares as False, so that nothing tested fails no rule.
            "fails_paper_rule": bool(self.failing_share >= PAPER_SHARE),
            "hellinger_mean": plain(self.hellinger_mean),
            "hellinger_skew": plain(self.hellinger_skew),
            "p_value": plain(self.p_value),
            "shift_kind": self.shift_kind,
            "scores": [plain(row) for row in self.scores],
            "multivariate": plain(self.multivariate),
            "kind": None if self.kind is None else self.kind.to_dict(),
            "kind_reason": str(self.kind_reason),
            "hellinger_baseline": plain(self.baseline),
            "groups": [] if self.association is None else [plain(group) for group in self.association.groups],
            "advice": list(self.advice),
            "suspicions": [
                plain(suspicion) | {"text": str(suspicion_text(suspicion))} for suspicion in self.suspicions
            ],
            "left_out": dict(self.left_out),
            "rows": [plain(row) for row in self.rows],
        }

    @property
    def finding(self) -> str:
        """The changes, in one sentence."""
        return finding(self)

    def summary(self) -> str:
        """Say what changed and how certain this is, then which columns and models were left out."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which values from the data are marked as sensitive."""
        return detection_words(self)

    def plot(self, *, most: int = 30, ax: Axes | None = None) -> Axes:
        """Draw the sizes of all changes, relative to the limits from which they matter."""
        from shiftproof import plots

        return plots.effect_bars(
            [row.label for row in self.rows],
            [row.effect for row in self.rows],
            [row.grade for row in self.rows],
            thresholds=[MATERIAL[row.test] for row in self.rows],
            most=check_count(most, "most", least=1),
            ax=ax,
        )

    def plot_feature(self, feature: str, *, redact: bool = False, ax: Axes | None = None) -> Axes:
        """Draw one feature, old against new; redacted, without numbers on its axis or names of its categories."""
        from shiftproof import plots

        if feature not in self.records:
            hint = f"choose one of {listed(self.records)}"
            raise fault("feature", "be a feature that was compared", feature, hint)
        record = self.records[feature]
        row = next(row for row in self.value_rows if row.feature == feature)
        size = "" if math.isnan(row.effect) else f" · {SHORT_EFFECT[row.test]} {row.effect:.2f}"
        if any(other.feature == feature and other.test == "missing" and other.shifted for other in self.rows):
            size += f" · missing {share(row.missing_reference)} → {share(row.missing_current)}"
        if isinstance(record, ContinuousRecord):
            edges = _edges(record)
            counts = record.view_reference, record.view_current
            # Redacted, the axis has no numbers: its ends are cells of the data.
            style: dict[str, Any] = {"scale": record.family, "redact": redact, "ax": ax}
            return plots.histogram_pair(edges, *counts, title=f"{feature}{size}", **style)
        counts = record.counts_reference, record.counts_current
        names = category_names(record, redact=redact)
        return plots.category_pair(names, *counts, title=f"{feature}{size}", ax=ax)

    def plot_ks(self, feature: str, *, redact: bool = False, ax: Axes | None = None) -> Axes:
        """Draw both distribution functions of a feature of numbers or dates, with their largest distance marked."""
        from shiftproof import plots

        record = self._continuous(feature)
        return plots.ks_plot(
            (record.steps_reference, record.n),
            (record.steps_current, record.m),
            at=record.d_at,
            distance=record.d,
            title=feature,
            scale=record.family,
            redact=redact,
            ax=ax,
        )

    def plot_scores(
        self, model: str | None = None, *, label: Any = None, redact: bool = False, ax: Axes | None = None
    ) -> Axes:
        """Draw the distribution functions of one model's scores, by default of the one that changed most."""
        from shiftproof import plots

        if not self.score_records:
            raise InputError("there are no scores to plot; pass scores or a panel to detect")
        scored = [row for row in self.scores if row.model in self.score_records]
        row = next((row for row in scored if model in (None, row.model)), None)
        if row is None:
            raise fault("model", "be a model that was compared", model, f"choose one of {listed(self.score_records)}")
        records = self.score_records[row.model]
        # By default the class whose scores changed most, as in the table.
        label = row.label if label is None else label
        if label not in records:
            raise fault("label", "be a class that has scores", label, f"choose one of {listed(records)}")
        record = records[label]
        return plots.ks_plot(
            (record.steps_reference, record.n),
            (record.steps_current, record.m),
            at=record.d_at,
            distance=record.d,
            title=f"score of {row.model}" + (f" for class {label}" if label != "" else ""),
            redact=redact,
            ax=ax,
        )

    def plot_features(self, *, most: int = 9) -> Figure:
        """Draw the features that changed most as small multiples, old against new."""
        from shiftproof import plots

        most = check_count(most, "most", least=1)
        names = list(dict.fromkeys(row.feature for row in self.rows if row.feature in self.records))[:most]
        return plots.small_multiples([partial(_paint, self, name) for name in names])

    def sections(
        self,
        *,
        features: Sequence[str] | None = None,
        key: tuple[str, str] = ("reference", "new"),
        more: Mapping[str, Mapping[str, object]] | None = None,
    ) -> DetectionSections:
        """Return the parts of the page, for use in another page; see `detection_sections`."""
        from shiftproof.detection._page import detection_sections

        return detection_sections(self, features=features, key=key, more=more)

    def to_page(self, *, title: str = "What changed between the two tables") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.detection._page import detection_page

        return detection_page(self, title)

    def _continuous(self, feature: str) -> ContinuousRecord:
        record = self.records.get(feature)
        if not isinstance(record, ContinuousRecord):
            names = [name for name, other in self.records.items() if isinstance(other, ContinuousRecord)]
            hint = f"choose one of {listed(names)}" if names else "no such feature was compared"
            raise fault("feature", "be a numeric or date feature that was compared", feature, hint)
        return record

    @property
    def parts(self) -> list[FeatureShift | ScoreShift | MultivariateShift]:
        """Everything that was tested: features, scores, and all features together."""
        together = [] if self.multivariate is None else [self.multivariate]
        return [*self.rows, *self.scores, *together]

    @property
    def value_rows(self) -> list[FeatureShift]:
        """The rows about the values themselves: one per feature that was compared."""
        return [row for row in self.rows if row.test in ("ks", "chi-square")]

    @property
    def _distances(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        distances = np.array([row.hellinger for row in self.value_rows], dtype=np.float64)
        return distances[~np.isnan(distances)]


def _paint(result: Detection, name: str, ax: Axes) -> None:
    result.plot_feature(name, ax=ax)


def _edges(record: ContinuousRecord) -> np.ndarray[Any, np.dtype[np.float64]]:
    low, high = record.view_low, record.view_high
    if math.isnan(low):
        low, high = 0.0, 1.0
    elif low == high:  # a constant: one bar of some width
        low, high = low - 0.5, high + 0.5
    share = np.linspace(0.0, 1.0, len(record.view_reference) + 1)
    return low * (1 - share) + high * share  # no difference, which can overflow
