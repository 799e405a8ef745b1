"""What an audit estimated beside what is actually the case, and which intervals contain it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shiftproof.auditing._verification_words import verification_headline, verification_summary
from shiftproof.auditing._words import IN_POINTS
from shiftproof.core import Interval, plain, shown
from shiftproof.panel import known_label_array
from shiftproof.reporting import Page, PagedResult
from shiftproof.selection import SOFT_MEASURES

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._verdict import Verdict

# Numbers that were rounded on their way are still inside.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Claim:
    """One figure that was validated and estimated or refused, and its actual value.

    Attributes
    ----------
    about : str
        The model, or the label whose share was estimated.
    measure : str
        What was measured; "share" for the share of a class.
    validated : float
        The figure on the labelled data: cross-validation's, or the class's share.
    estimate, low, high : float
        The estimate for the new data; NaN if that was refused.
    actual : float
        The actual value on the new data.
    believed : bool
        Whether the audit stood by the estimate. It does not stand by a share that it says not to believe, nor by one
        whose interval is so wide that it says nothing.
    """

    about: str
    measure: str
    validated: float
    estimate: float
    low: float
    high: float
    actual: float
    believed: bool = True

    @property
    def refused(self) -> bool:
        """Whether there is no interval."""
        return math.isnan(self.low)

    @property
    def covered(self) -> bool | None:
        """Whether the interval contains the actual value; None if there is no interval, or no actual value."""
        if self.refused or math.isnan(self.actual):
            return None
        return self.low - _ROUNDING <= self.actual <= self.high + _ROUNDING


@dataclass(frozen=True, eq=False, kw_only=True)
class Verification(PagedResult):
    """What an audit estimated, compared with the actual values.

    Attributes
    ----------
    claims : tuple of Claim
        The estimate and the actual value of every model and measure, then of every class share.
    verdict : str
        The verdict of the audit.
    best : str
        The model that the audit recommended.
    measure : str
        The measure that models were judged by.
    level : float
        The nominal coverage of the intervals.
    refusal : str
        Why no performance was estimated; else empty.
    deployed : bool
        Whether the validated figures are from deployed models on labelled data, not from cross-validation.
    harmful_loss : float
        The loss that counts as harm.
    positive, majority : str
        The class whose share is reported first, and the class that the baseline always answers.
    n_new, n_actual : int
        Number of new rows, and of new rows with a label. The actual values are computed on the rows with a label.
    """

    claims: tuple[Claim, ...]
    verdict: Verdict
    best: str
    measure: str
    level: float
    refusal: str
    deployed: bool
    harmful_loss: float
    positive: str
    majority: str
    n_new: int
    n_actual: int

    @property
    def models(self) -> tuple[Claim, ...]:
        """The claims about models, by the measure that ranks them, in the order of the ranking."""
        return tuple(claim for claim in self.claims if claim.measure == self.measure)

    @property
    def shares(self) -> tuple[Claim, ...]:
        """The claims about class proportions."""
        return tuple(claim for claim in self.claims if claim.measure == "share")

    @property
    def baseline(self) -> Claim:
        """The estimated and the actual share of the baseline's class: the accuracy of always answering that class."""
        return next(claim for claim in self.shares if claim.about == self.majority)

    @property
    def most_frequent(self) -> Claim:
        """The same of the class that is actually the most frequent; of equally frequent ones that of the baseline."""
        return max(self.shares, key=lambda claim: (claim.actual, claim.about == self.majority))

    @property
    def covered_models(self) -> list[bool]:
        """Whether the interval contains the actual value, for every model and measure with an estimate."""
        return [claim.covered for claim in self.claims if claim.measure != "share" and claim.covered is not None]

    @property
    def covered_shares(self) -> list[bool]:
        """Whether the interval contains the actual value, for every class share that the audit did not refuse."""
        return [claim.covered for claim in self.shares if claim.believed and claim.covered is not None]

    @property
    def recommended(self) -> Claim:
        """The claim about the recommended model."""
        return next(claim for claim in self.models if claim.about == self.best)

    @property
    def covered(self) -> bool | None:
        """Whether the interval of the recommended model contains the actual value; None if one of them is missing."""
        return self.recommended.covered

    @property
    def loss(self) -> float:
        """The actual loss of the recommended model: how much worse it is than its validated figure."""
        return self._sign * (self.recommended.validated - self.recommended.actual)

    @property
    def harmed(self) -> bool:
        """Whether the actual loss of the recommended model is above the tolerance."""
        # NaN, where the measure is not defined, compares false: harm that cannot be shown is none.
        return self.loss > self.harmful_loss

    @property
    def beaten(self) -> bool:
        """Whether always answering the most frequent class is actually better than the recommended model."""
        if self.measure not in ("accuracy", "error"):
            return False
        share = self.most_frequent.actual
        return self._sign * ((1 - share if self.measure == "error" else share) - self.recommended.actual) > _ROUNDING

    @property
    def actual_best(self) -> str:
        """The model that is actually the best."""
        known = [claim for claim in self.models if not math.isnan(claim.actual)]
        # If the measure is defined for no model, the first of the ranking stands in.
        return max(known or self.models, key=lambda claim: self._sign * claim.actual).about

    @property
    def regret(self) -> float:
        """How much worse the recommended model actually is than the best one."""
        actual = {claim.about: claim.actual for claim in self.models}
        return abs(actual[self.actual_best] - actual[self.best])

    @property
    def chose_best(self) -> bool:
        """Whether no other model would have been better."""
        # Two models that decide alike are equally good up to rounding.
        return self.actual_best == self.best or self.regret < _ROUNDING

    @property
    def in_points(self) -> bool:
        """Whether differences of the measure are given in percentage points."""
        return self.measure in IN_POINTS

    @property
    def _sign(self) -> int:
        return 1 if SOFT_MEASURES[self.measure].higher_is_better else -1

    def to_frame(self) -> pd.DataFrame:
        """Return one row per claim: ``about, measure, validated, estimate, low, high, actual, believed, covered``."""
        import pandas as pd

        # `covered` is a property, which `asdict` leaves out.
        return pd.DataFrame([asdict(claim) | {"covered": claim.covered} for claim in self.claims])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self._plain_fields("claims", "refusal", "deployed", "harmful_loss", "positive", "majority") | {
            "actual_best": self.actual_best,
            "regret": plain(self.regret),
            "covered": self.covered,
            "claims": [plain(claim) | {"covered": claim.covered} for claim in self.claims],
        }

    @property
    def headline(self) -> str:
        """The recommended model's actual value, and whether its interval contains it."""
        return verification_headline(self)

    def summary(self) -> str:
        """Return the estimates, the actual values, and how many intervals contain them."""
        return verification_summary(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw every model's validated figure, its estimate and its actual value."""
        from shiftproof import plots

        models = self.models
        return plots.expected_intervals(
            [claim.about for claim in models],
            [claim.estimate for claim in models],
            [claim.low for claim in models],
            [claim.high for claim in models],
            [claim.validated for claim in models],
            truths=[claim.actual for claim in models],
            xlabel=self.measure,
            ax=ax,
        )

    def to_page(self, *, title: str = "What the audit estimated, and what actually happened") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.auditing._page import verification_page

        return verification_page(self, title)


def verify(audit: Audit, y_new: object) -> Verification:
    """Compare an audit's estimates with the labels that new rows have."""
    performance, counts = audit.performance, audit.quantification
    actual = performance.truth(y_new)
    claims = [
        Claim(model, measure, one.validated, *_figures(one.interval), actual[model][measure])
        for model in audit.selection.ranking
        for measure, one in performance.estimates[model].items()
    ]
    _, known = known_label_array(y_new, "y_new")
    labels = known.tolist()
    # The audit itself says that such a share cannot be estimated, or leaves it out because it says nothing ("0% to
    # 100%"); a refused audit has none at all.
    believed = counts.usable and not audit.refused
    for label in counts.prevalence:
        share = labels.count(label) / len(labels)
        figures = (math.nan,) * 3 if audit.refused else _figures(counts.prevalence[label])
        claims.append(Claim(shown(label), "share", counts.training[label], *figures, share, believed))
    return Verification(
        claims=tuple(claims),
        verdict=audit.verdict,
        best=audit.best,
        measure=audit.measure,
        level=performance.level,
        refusal=performance.refusal_text,
        deployed=audit.deployed,
        harmful_loss=audit.harmful_loss,
        positive=shown(counts.positive),
        majority=shown(performance.baseline.label),
        n_new=performance.n_new,
        n_actual=len(labels),
    )


def _figures(interval: Interval) -> tuple[float, float, float]:
    return interval.estimate, interval.low, interval.high
