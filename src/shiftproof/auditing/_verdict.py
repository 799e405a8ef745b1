"""The verdict: trust, trust with care, do not trust; and why, in at most five sentences with a number each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from shiftproof.case import FEWEST_NEW, too_few
from shiftproof.core import counted, effect, percent, share, shown
from shiftproof.detection import EFFECT
from shiftproof.reporting import Tone
from shiftproof.selection import SOFT_MEASURES, called, written
from shiftproof.shift import QUIET

if TYPE_CHECKING:
    from shiftproof.detection import Detection
    from shiftproof.quantification import Quantification
    from shiftproof.selection import Performance, Selection

#: How far to believe a model on the new rows.
Verdict = Literal["trust", "trust with care", "do not trust"]
TONES: dict[Verdict, Tone] = {"trust": "good", "trust with care": "care", "do not trust": "bad"}
#: Where the report shows what a reason rests on.
Topic = Literal["expect", "changed", "kind", "prevalence", "which", "how-we-know"]
_MOST = 5
_ORDER: tuple[Tone, ...] = ("bad", "care", "unknown", "good")


@dataclass(frozen=True, kw_only=True)
class AuditReason:
    """One reason for a verdict.

    Attributes
    ----------
    text : str
        A sentence.
    figure : float
        The number that it rests on; NaN where there is none.
    name : str
        What that number is.
    section : str
        The anchor of the section of the report that shows it.
    tone : {"good", "care", "bad", "unknown"}
        What it speaks for.
    """

    text: str
    figure: float
    name: str
    section: Topic
    tone: Tone


@dataclass(frozen=True, eq=False, kw_only=True)
class Findings:
    """What a verdict is made from."""

    detection: Detection | None
    selection: Selection
    performance: Performance
    quantification: Quantification
    measure: str
    tolerance: float
    deployed: bool = False

    @property
    def claimant(self) -> str:
        """Who claims what held so far: deployed models were not cross-validated."""
        return "the record on labelled rows" if self.deployed else "cross-validation"

    @property
    def best(self) -> str:
        """The model that is recommended."""
        return self.selection.best

    @property
    def loss(self) -> float:
        """How much worse than validated the recommended model is expected to be; NaN where that is refused."""
        return self._worse_by(self.performance.interval(self.best, self.measure).estimate)

    @property
    def losses(self) -> tuple[float, float]:
        """The least and the greatest loss that the interval leaves open."""
        interval = self.performance.interval(self.best, self.measure)
        ends = self._worse_by(interval.low), self._worse_by(interval.high)
        return min(ends), max(ends)

    @property
    def validated(self) -> float:
        """What cross-validation claims of the recommended model."""
        return self.performance.estimates[self.best][self.measure].validated

    @property
    def too_much(self) -> float:
        """The loss from which on it is harm: profits have no scale, so theirs is relative."""
        return self.tolerance * (abs(self.validated) if self.measure == "profit" else 1.0)

    @property
    def changed(self) -> bool:
        """Whether the tables differ by enough to matter."""
        if self.detection is not None:
            return self.detection.material
        shift = self.selection.shift
        return shift.p_none < QUIET or shift.kind in ("prior", "covariate", "too different")

    def _worse_by(self, value: float) -> float:
        return self.validated - value if SOFT_MEASURES[self.measure].higher_is_better else value - self.validated


def sentence(words: str) -> str:
    """Begin a sentence.

    Examples
    --------
    >>> sentence("cross-validation")
    'Cross-validation'
    """
    return f"{words[0].upper()}{words[1:]}"


def decide(found: Findings) -> Verdict:
    """Weigh what was found.

    Nothing is to be trusted where no estimate can be made, or where the recommended model surely loses more than the
    tolerance. Care is due where something changed, where it surely loses something, where harm cannot be ruled out, or
    where the kind of shift cannot be told.
    """
    least, most = found.losses
    if math.isnan(found.loss) or (least > 0 and found.loss > found.too_much):
        return "do not trust"
    if found.changed or least > 0 or most > found.too_much or found.performance.confidence == "low":
        return "trust with care"
    return "trust"


def headline(found: Findings, verdict: Verdict) -> str:
    """Say the verdict in one sentence."""
    claim = f"{written(found.validated, found.measure)} {called(found.measure)} of {found.best}"
    if math.isnan(found.loss) and not found.selection.shift.refused:
        return f"Do not trust yet: nothing can be said of the new rows{_undefined(found)}."
    if math.isnan(found.loss):
        return f"Do not trust: the {claim} that {found.claimant} claims cannot be carried over to the new rows."
    interval = found.performance.interval(found.best, found.measure)
    ends = f"{written(interval.low, found.measure)} to {written(interval.high, found.measure)}"
    if verdict == "do not trust":
        return f"Do not trust: {found.claimant} claims {claim}; on the new rows expect {ends}."
    if verdict == "trust with care":
        return f"Trust with care: {found.best} is expected to have {ends} {called(found.measure)} on the new rows."
    better = "at least " if found.losses[1] < 0 else ""
    promise = f"{better}what {found.claimant} claims, {ends} {called(found.measure)}"
    return f"Trust: {found.best} should do on the new rows {promise}."


def reasons(found: Findings, verdict: Verdict) -> tuple[AuditReason, ...]:
    """Give at most five reasons, those that weigh most first."""
    told = [*_expected(found, verdict), *_changed(found), *_kind(found), *_shares(found), *_model(found)]
    return tuple(sorted(told, key=lambda each: _ORDER.index(each.tone)))[:_MOST]


def _expected(found: Findings, verdict: Verdict) -> Iterator[AuditReason]:
    measure, best = found.measure, found.best
    claim = written(found.validated, measure)
    if math.isnan(found.loss):
        text = (
            f"{sentence(found.claimant)} claims {claim} {called(measure)} for {best}. That held for rows like the "
            f"labelled ones; of these no {called(measure)} can be given{_undefined(found)}."
        )
        yield AuditReason(text=text, figure=found.validated, name=f"validated {measure}", section="expect", tone="bad")
        return
    interval = found.performance.interval(best, measure)
    ends = f"{written(interval.low, measure)} to {written(interval.high, measure)}"
    least, most = found.losses
    carried = ", which does not carry over" if least > 0 else ", which is less" if most < 0 else ""
    text = (
        f"{best} is expected to have {written(interval.estimate, measure)} {called(measure)} on the new rows ({ends}, "
        f"{found.performance.confidence} confidence); {found.claimant} claims {claim}{carried}."
    )
    tone: Tone = "bad" if verdict == "do not trust" else "good" if verdict == "trust" else "care"
    yield AuditReason(text=text, figure=interval.estimate, name=f"expected {measure}", section="expect", tone=tone)


def _changed(found: Findings) -> Iterator[AuditReason]:
    detection = found.detection
    if detection is None:
        return
    total = len({row.feature for row in detection.rows})
    worst = detection.rows[0] if detection.rows else None
    if detection.features and worst is not None:
        text = (
            f"{len(detection.features)} of {counted(total, 'feature')} shifted by enough to matter, "
            f"{shown(worst.feature)} most ({EFFECT[worst.test]} {effect(worst.effect)})."
        )
        figure, name = float(len(detection.features)), "features shifted"
    elif detection.material:
        # Words about scores, or about all features together.
        text, figure, name = detection.finding, detection.p_value, "p-value of the scores"
    else:
        text = f"None of {counted(total, 'feature')} shifted by enough to matter."
        figure, name = 0.0, "features shifted"
    yield AuditReason(
        text=text, figure=figure, name=name, section="changed", tone="care" if detection.material else "good"
    )


_KINDS = {
    "none": "The tables do not differ, as far as can be seen",
    "prior": "The kind of shift is told: only the shares of the classes changed, which estimates allow for",
    "covariate": "The kind of shift is told: other rows came in under the same rules, which estimates allow for",
    "unclear": "The kind of shift cannot be told, so that estimates may be off",
    "too different": "The new rows are out of reach of the labelled ones, so that nothing can be inferred of them",
}
_KIND_TONES: dict[str, Tone] = {"none": "good", "unclear": "care", "too different": "bad"}


_TOO_FAR = {
    "entropy": "only few labelled rows look like them",
    "outside": "{outside} of them lie where there is no labelled row",
    "correlation_change": "their features go together otherwise",
}


def _undefined(found: Findings) -> str:
    """Say why there is no estimate where the rows are in reach."""
    if found.selection.shift.refused:
        return ""
    n_new = found.performance.n_new
    return f": {too_few(n_new)}" if n_new < FEWEST_NEW else ", as it is not defined"


def _kind(found: Findings) -> Iterator[AuditReason]:
    shift, labels = found.selection.shift, len(found.performance.labelled)
    if shift.refused and labels:
        rest = f"estimates rest on {counted(labels, 'label')} of theirs"
        text = f"The new rows are out of reach of the labelled ones; {rest}."
        figure, name = float(labels), "labels of new rows"
    elif shift.refused:
        limits = shift.to_frame().set_index("figure")["answer"]
        why = [words.format(outside=share(shift.outside)) for name, words in _TOO_FAR.items() if limits[name] == "yes"]
        text = f"{_KINDS[shift.kind]}: {' and '.join(why)}."
        figure, name = shift.outside, "new rows outside"
    elif shift.kind == "unclear" and shift.p_none >= QUIET:
        text = (
            f"No shift is seen (p = {shift.p_none:.2g}), but with so few rows one could hide: a class's share may have "
            f"moved by up to {100 * shift.evidence.reach_of_shares:.0f} points."
        )
        figure, name = shift.evidence.reach_of_shares, "change of a share that could hide"
    else:
        p = "p < 0.001" if shift.p_none < 1e-3 else f"p = {shift.p_none:.2g}"
        text, figure, name = f"{_KINDS[shift.kind]} ({p}).", shift.p_none, "p-value of no shift"
    section: Topic = "kind" if found.detection is not None else "how-we-know"
    tone = "unknown" if name == "labels of new rows" else _KIND_TONES.get(shift.kind, "unknown")
    yield AuditReason(text=text, figure=figure, name=name, section=section, tone=tone)


def _shares(found: Findings) -> Iterator[AuditReason]:
    counts = found.quantification
    label = counts.positive
    before, now = counts.training[label], counts.prevalence[label]
    tone: Tone = "good" if now.low <= before <= now.high else "unknown"
    figure = now.estimate
    text = (
        f"{percent(now.estimate)} of the new rows are {shown(label)} ({percent(now.low)} to {percent(now.high)}); of "
        f"the labelled ones it was {percent(before)}."
    )
    if counts.assumption == "broken" and len(found.performance.labelled):
        return  # counting uses no labels, which know better
    if counts.assumption == "broken":
        # The plainest sign: a corrected count that no table can have.
        outside = next((each for each in counts.unclipped if each.outside and counts.classes[each.code] == label), None)
        why = counts.concerns[0]
        if outside is not None:
            figure, why = (
                outside.value,
                f"Corrected for its errors, the count comes to {outside.value:.0%} of the rows.",
            )
        text, tone = f"How many are {shown(label)} cannot be counted. {why}", "care"
    yield AuditReason(text=text, figure=figure, name=f"share of {label}", section="prevalence", tone=tone)


def _model(found: Findings) -> Iterator[AuditReason]:
    selection = found.selection
    if len(selection.names) < 2:
        return
    second = selection.ranking[1]
    sure = float(selection.beats[selection.names.index(selection.best), selection.names.index(second)])
    tone: Tone = "care" if selection.concerns else "good" if not selection.contenders else "unknown"
    yield AuditReason(
        text=f"Which model: {selection.headline}",
        figure=sure,
        name=f"probability that {selection.best} beats {second}",
        section="which",
        tone=tone,
    )
