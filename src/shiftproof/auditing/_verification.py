"""What was said, what was true, and which intervals held."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.auditing._verdict import sentence
from shiftproof.core import counted, percent, plain, shown
from shiftproof.reporting import Page, PagedResult
from shiftproof.selection import SOFT_MEASURES, called, written

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.auditing._result import Audit

# Measures whose differences are told in points.
_SHARES = ("accuracy", "error", "precision", "recall", "f1")
# Numbers that were rounded on their way are still inside.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One number that was promised, expected or refused, and what came.

    Attributes
    ----------
    about : str
        The model, or the label whose share was estimated.
    measure : str
        What was measured; "share" for the share of a class.
    validated : float
        What held for the labelled rows: cross-validation's value, or the class's share there.
    estimate, low, high : float
        What was expected on the new rows; NaN where that was refused.
    truth : float
        What came.
    believed : bool
        Whether the audit stood by the estimate; a share that it said not to believe it did not.
    """

    about: str
    measure: str
    validated: float
    estimate: float
    low: float
    high: float
    truth: float
    believed: bool = True

    @property
    def refused(self) -> bool:
        """Whether there was no interval to hold."""
        return math.isnan(self.low)

    @property
    def held(self) -> bool | None:
        """Whether the truth lies within the interval; None where there is none, or no truth."""
        if self.refused or math.isnan(self.truth):
            return None
        return self.low - _ROUNDING <= self.truth <= self.high + _ROUNDING


@dataclass(frozen=True, eq=False, kw_only=True)
class Verification(PagedResult):
    """What an audit said, beside what came.

    Attributes
    ----------
    claims : tuple of Claim
        Of every model and measure, then of every class's share.
    verdict : str
        The audit's.
    best : str
        The model that it recommended.
    measure : str
        What models were judged by.
    level : float
        The nominal coverage of the intervals.
    refusal : str
        Why no performance was estimated; else empty.
    tolerance : float
        The loss that is harm.
    positive : str
        The class whose share was told first.
    claimant : str
        Who promised what held so far: cross-validation, or the labelled rows of deployed models.
    n_new : int
        New rows.
    """

    claims: tuple[Claim, ...]
    verdict: str
    best: str
    measure: str
    level: float
    refusal: str
    claimant: str
    tolerance: float
    positive: str
    n_new: int

    @property
    def models(self) -> tuple[Claim, ...]:
        """The claims about models by the measure that they were judged by, in the order of the ranking."""
        return tuple(claim for claim in self.claims if claim.measure == self.measure)

    @property
    def shares(self) -> tuple[Claim, ...]:
        """The claims about the classes' shares."""
        return tuple(claim for claim in self.claims if claim.measure == "share")

    @property
    def held(self) -> bool | None:
        """Whether the interval of the recommended model held; None where the estimate was refused."""
        return next(claim for claim in self.models if claim.about == self.best).held

    @property
    def really_best(self) -> str:
        """The model that turned out to be the best."""
        sign = 1 if SOFT_MEASURES[self.measure].higher_is_better else -1
        return max(self.models, key=lambda claim: -math.inf if math.isnan(claim.truth) else sign * claim.truth).about

    @property
    def regret(self) -> float:
        """How much worse the recommended model turned out to be than the best one."""
        of = {claim.about: claim.truth for claim in self.models}
        return abs(of[self.really_best] - of[self.best])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per claim: ``about, measure, validated, estimate, low, high, truth, held, believed``."""
        import pandas as pd

        names = ("about", "measure", "validated", "estimate", "low", "high", "truth", "held", "believed")
        return pd.DataFrame([{name: getattr(claim, name) for name in names} for claim in self.claims])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "shiftproof": __version__,
            "summary": self.summary(),
            "verdict": self.verdict,
            "best": self.best,
            "really_best": self.really_best,
            "regret": plain(self.regret),
            "held": self.held,
            "measure": self.measure,
            "level": self.level,
            "n_new": self.n_new,
            "claims": [plain(claim) | {"held": claim.held} for claim in self.claims],
        }

    def summary(self) -> str:
        """Say what was promised, what was expected, what came, and which intervals held."""
        return " ".join(filter(None, [self._recommended(), self._intervals(), self._shares(), self._choice()]))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw for every model what was validated, what was expected and what came."""
        from shiftproof import plots

        each = self.models
        return plots.expected_intervals(
            [claim.about for claim in each],
            [claim.estimate for claim in each],
            [claim.low for claim in each],
            [claim.high for claim in each],
            [claim.validated for claim in each],
            truths=[claim.truth for claim in each],
            xlabel=self.measure,
            ax=ax,
        )

    def to_page(self, *, title: str = "What the audit estimated, and what actually happened") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.auditing._page import verification_page

        return verification_page(self, title)

    def _recommended(self) -> str:
        claim = next(claim for claim in self.models if claim.about == self.best)
        promised, came = written(claim.validated, self.measure), written(claim.truth, self.measure)
        who = sentence(self.claimant)
        words = f"{who} promised {promised} {called(self.measure)} for {self.best}; {came or 'nothing'} came."
        if claim.refused:
            return f"{words} We refused to give a number and said {self.verdict!r}. {self._judged(claim)}".strip()
        ends = f"{written(claim.low, self.measure)} to {written(claim.high, self.measure)}"
        return f"{words} We expected {ends}: {'held' if claim.held else 'missed'}. {self._judged(claim)}".strip()

    def _judged(self, claim: Claim) -> str:
        """Say whether the verdict was right, where it was a plain one."""
        sign = 1 if SOFT_MEASURES[self.measure].higher_is_better else -1
        harmed = sign * (claim.validated - claim.truth) > self.tolerance
        if self.verdict == "do not trust":
            return "The warning was needed." if harmed else "This time the warning was not needed."
        return "The trust was misplaced." if self.verdict == "trust" and harmed else ""

    def _intervals(self) -> str:
        told = [claim for claim in self.claims if claim.measure != "share" and claim.held is not None]
        if not told:
            return ""
        held = sum(bool(claim.held) for claim in told)
        return (
            f"{held} of {counted(len(told), 'interval')} of models and measures held, at a level of {self.level:.0%}."
        )

    def _shares(self) -> str:
        claim = next(claim for claim in self.shares if claim.about == self.positive)
        ends = f"{percent(claim.low)} to {percent(claim.high)}"
        stood = f"we expected {ends}: {'held' if claim.held else 'missed'}"
        if not claim.believed:
            stood = f"the count gave {ends}, and we said not to believe it"
        return f"{percent(claim.truth)} of the new rows are {claim.about}; {stood}."

    def _choice(self) -> str:
        if len(self.models) < 2:
            return ""
        if self.really_best == self.best or self.regret < _ROUNDING:
            return f"{self.best} was the best choice."
        lost = f"{100 * self.regret:.1f} points" if self.measure in _SHARES else f"{self.regret:.3g}"
        return f"{self.really_best} would have been better than {self.best} by {lost}."


def verify(audit: Audit, y_new: Any) -> Verification:
    """Compare what an audit said with the labels that came."""
    performance, quantification = audit.performance, audit.quantification
    truths = performance.truth(y_new)
    claims = [
        Claim(
            about=model,
            measure=measure,
            validated=each.validated,
            estimate=each.interval.estimate,
            low=each.interval.low,
            high=each.interval.high,
            truth=truths[model][measure],
        )
        for model in audit.selection.ranking
        for measure, each in performance.estimates[model].items()
    ]
    labels = np.asarray(y_new, dtype=object).tolist()
    claims += [
        Claim(
            about=shown(label),
            measure="share",
            validated=quantification.training[label],
            estimate=interval.estimate,
            low=interval.low,
            high=interval.high,
            truth=sum(each == label for each in labels) / len(labels),
            believed=quantification.assumption != "broken",
        )
        for label, interval in quantification.prevalence.items()
    ]
    return Verification(
        claims=tuple(claims),
        verdict=audit.verdict,
        best=audit.best,
        measure=audit.measure,
        level=performance.level,
        refusal=performance.refusal_text,
        claimant=audit.findings.claimant,
        tolerance=audit.findings.too_much,
        positive=shown(quantification.positive),
        n_new=performance.n_new,
    )
