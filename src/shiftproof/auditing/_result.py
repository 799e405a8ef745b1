"""What `audit` found: the verdict, its reasons, and everything behind them."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.auditing._verdict import TONES, AuditReason, Findings, Verdict, decide, headline, reasons
from shiftproof.auditing._verification import Verification, verify
from shiftproof.core import InputError, Phrase, plain
from shiftproof.detection import Detection
from shiftproof.evaluation import Evaluation
from shiftproof.quantification import Quantification
from shiftproof.reporting import Page, PagedResult, Tone
from shiftproof.selection import LabelPlan, Performance, Selection

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: The form of `Audit.to_dict`, which docs/audit.schema.json describes; it changes when a key goes or changes meaning.
SCHEMA = 1
_TITLE = "May this classifier be trusted on the new rows?"
_BLIND = "A change of what makes a row positive (concept shift) cannot be seen without labels."
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One part of the work, and how long it took."""

    name: str
    seconds: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(PagedResult):
    """Whether classifiers may be trusted on rows that nobody has labelled.

    Attributes
    ----------
    evaluation : Evaluation
        How good the models are on rows like the labelled ones.
    detection : Detection or None
        What changed between the tables; None without features.
    selection : Selection
        Which model to use on the new rows.
    performance : Performance
        How good the models are there, or why that cannot be said.
    quantification : Quantification
        How many of each class there are among the new rows.
    measure : str
        What models are ranked and judged by.
    tolerance : float
        The loss against cross-validation's claim that is harm.
    left_out : mapping of str to Phrase
        What was not asked, and why.
    stages : tuple of Stage
        How long each part took.
    fits : int
        How many models were fitted.
    seed : int or None
        The seed, where it was a number.
    fingerprints : mapping of str to str
        Hashes of the data.
    """

    evaluation: Evaluation
    detection: Detection | None
    selection: Selection
    performance: Performance
    quantification: Quantification
    measure: str
    tolerance: float
    left_out: Mapping[str, Phrase]
    stages: tuple[Stage, ...]
    fits: int
    seed: int | None
    fingerprints: Mapping[str, str]

    @cached_property
    def findings(self) -> Findings:
        """What the verdict is made from."""
        return Findings(
            detection=self.detection,
            selection=self.selection,
            performance=self.performance,
            quantification=self.quantification,
            measure=self.measure,
            tolerance=self.tolerance,
            deployed=self.evaluation.panel.deployed,
        )

    @cached_property
    def verdict(self) -> Verdict:
        """The answer: "trust", "trust with care" or "do not trust"."""
        return decide(self.findings)

    @cached_property
    def reasons(self) -> tuple[AuditReason, ...]:
        """Why, in at most five sentences, those that weigh most first."""
        return reasons(self.findings, self.verdict)

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return headline(self.findings, self.verdict)

    @property
    def tone(self) -> Tone:
        """How the answer is to be taken."""
        return TONES[self.verdict]

    @property
    def best(self) -> str:
        """The model to use, if any."""
        return self.selection.best

    @cached_property
    def plan(self) -> LabelPlan | None:
        """Which new rows to label to learn most about the recommended model; None where all have labels."""
        try:
            return self.performance.plan(model=self.best, measure=self.measure)
        except InputError:
            return None

    @property
    def seconds(self) -> float:
        """How long everything took."""
        return sum(stage.seconds for stage in self.stages)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, the best first.

        The columns are ``model, measure, validated, estimate, low, high, refused, probability_best``: what
        cross-validation claims, what to expect on the new rows, and how likely the model is the best there.
        """
        import pandas as pd

        rows = []
        for model in self.selection.ranking:
            each = self.performance.estimates[model][self.measure]
            rows.append(
                {
                    "model": model,
                    "measure": self.measure,
                    "validated": each.validated,
                    "estimate": each.interval.estimate,
                    "low": each.interval.low,
                    "high": each.interval.high,
                    "refused": each.refused,
                    "probability_best": self.selection.probabilities[model],
                }
            )
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, in the form that `SCHEMA` numbers."""
        return {
            "schema": SCHEMA,
            "shiftproof": __version__,
            "verdict": self.verdict,
            "headline": self.headline,
            "best": self.best,
            "reasons": [plain(reason) for reason in self.reasons],
            "measure": self.measure,
            "tolerance": self.tolerance,
            "loss": plain(self.findings.loss),
            "models": plain(self.to_frame().to_dict("records")),
            "evaluation": self.evaluation.to_dict(),
            "detection": None if self.detection is None else self.detection.to_dict(),
            "selection": self.selection.to_dict(),
            "performance": self.performance.to_dict(),
            "quantification": self.quantification.to_dict(),
            "plan": None if self.plan is None else self.plan.to_dict(),
            "left_out": {name: str(why) for name, why in self.left_out.items()},
            "stages": [plain(stage) for stage in self.stages],
            "seconds": self.seconds,
            "fits": self.fits,
            "seed": self.seed,
            "fingerprints": dict(self.fingerprints),
            "versions": self.versions,
        }

    @property
    def versions(self) -> dict[str, str]:
        """What computed this."""
        return {"Python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}

    def summary(self) -> str:
        """Say the verdict, the reasons, what was left out, and what nobody can see."""
        lines = [self.headline, *(f"{at}. {reason.text}" for at, reason in enumerate(self.reasons, 1))]
        if self.left_out:
            told = "; ".join(f"{name} ({why})" for name, why in self.left_out.items())
            lines.append(f"Left out: {told}.")
        return "\n".join([*lines, _BLIND])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what to expect of every model, beside what cross-validation claims."""
        return self.performance.plot(self.measure, ax=ax)

    def verify(self, y_new: Any) -> Verification:
        """Compare what was said with what came, once the labels of the new rows are known.

        Parameters
        ----------
        y_new : sequence of labels
            One label per new row.

        Returns
        -------
        Verification
            With `claims`, `held`, `to_frame()`, `summary()` and `plot()`.
        """
        return verify(self, y_new)

    def to_page(self, *, title: str = _TITLE, verification: Verification | None = None) -> Page:
        """Return the result as a page for `shiftproof.reporting`.

        Parameters
        ----------
        title : str
            The heading.
        verification : Verification, optional
            What came, to be shown as well.
        """
        from shiftproof.auditing._page import audit_page

        return audit_page(self, title, verification=verification)

    def save(
        self,
        path: str | Path,
        *,
        title: str | None = None,
        redact: bool = False,
        verification: Verification | None = None,
    ) -> Path:
        """Write the report as one self-contained HTML page; see `to_page` and `PagedResult.save`."""
        from shiftproof import reporting

        return reporting.save(self.to_page(title=title or _TITLE, verification=verification), path, redact=redact)
