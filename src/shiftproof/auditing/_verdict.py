"""Decide on one of four verdicts, and choose its reasons: at most five, each with a number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shiftproof.auditing import _words
from shiftproof.auditing._next_step import DISTRUSTED_ABOVE, TRUSTED_BELOW, without_text
from shiftproof.case import FEWEST_NEW
from shiftproof.core import Phrase, Text, plain, sentence
from shiftproof.detection import suspicion_texts
from shiftproof.reporting import Tone
from shiftproof.selection import note_text, selection_headline
from shiftproof.shift import QUIET

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit

#: How far to believe a model on the new data.
Verdict = Literal["trust", "check first", "do not trust", "cannot tell"]
TONES: dict[Verdict, Tone] = {
    "trust": "good",
    "check first": "care",
    "do not trust": "bad",
    "cannot tell": "unknown",
}
#: Where the report shows what a reason rests on.
Topic = Literal["expect", "changed", "kind", "prevalence", "which", "how-we-know"]
# More reasons than this are not read.
_MOST = 5
# Bad news first: a reader who stops after one reason has read the one that decides.
_ORDER: tuple[Tone, ...] = ("bad", "care", "unknown", "good")
# Cautions about the labelled rows alone.
_REMARKS = ("copied rows",)
# A shift that the estimates correct for is neither good nor bad news.
_TYPE_TONES: dict[str, Tone] = {"none": "good", "unclear": "care"}


@dataclass(frozen=True)
class AuditReason:
    """One reason for a verdict.

    Attributes
    ----------
    words : str or Phrase
        Sentences, in which values of the user's data are marked; `text` has them as plain text.
    figure : float
        The number that it rests on; NaN if there is none.
    name : str
        What that number is.
    section : str
        The anchor of the section of the report that shows it.
    tone : {"good", "care", "bad", "unknown"}
        What it speaks for.
    """

    words: Text
    figure: float
    name: str
    section: Topic
    tone: Tone

    @property
    def text(self) -> str:
        """The sentences as plain text."""
        return str(self.words)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {"text": self.text} | {
            name: plain(getattr(self, name)) for name in ("figure", "name", "section", "tone")
        }


def decide(audit: Audit) -> Verdict:
    """Return the verdict: the first of these that applies.

    - "cannot tell": nothing is estimated, or the labels of new rows are not a random sample.
    - "do not trust": the model loses more than the tolerance with a chance above 0.5, or its scores seem to be for the
      other class.
    - "trust": that chance is below 0.1, the data are not odd, and no column looks mishandled.
    - "check first": everything else.
    """
    if audit.labels_biased:
        return "cannot tell"
    if audit.reversed:
        return "do not trust"
    if math.isnan(audit.loss):
        return "cannot tell"
    likely, unlikely = audit.loss_chance > DISTRUSTED_ABOVE, audit.loss_chance < TRUSTED_BELOW
    if math.isnan(audit.loss_chance):
        # Of some measures the chance is not known; then the interval decides.
        likely, unlikely = audit.losses[0] > audit.harmful_loss, audit.losses[1] <= audit.harmful_loss
    if likely:
        return "do not trust"
    return "trust" if unlikely and not (audit.cautions or audit.suspects) else "check first"


def reasons(audit: Audit) -> tuple[AuditReason, ...]:
    """Return at most five reasons, those that weigh most first."""
    every = [
        *_suspicions(audit),
        *_cautions(audit),
        *_estimate(audit),
        *_no_better(audit),
        *_remarks(audit),
        *_type_of_shift(audit),
        *_changes(audit),
        *_share(audit),
        *_model(audit),
    ]
    # The sort is stable: within a tone odd data come first, then the estimate, then what changed.
    return tuple(sorted(every, key=lambda reason: _ORDER.index(reason.tone)))[:_MOST]


def _suspicions(audit: Audit) -> Iterator[AuditReason]:
    """Yield one reason for all columns that look mishandled; nothing else is worth reading before they are checked."""
    if audit.detection is not None and audit.suspects:
        words = Phrase.joined(" ", suspicion_texts(audit.detection.suspicions))
        yield AuditReason(words, float(len(audit.suspects)), "columns that look mishandled", "changed", "bad")


def _cautions(audit: Audit) -> Iterator[AuditReason]:
    for note in audit.cautions:
        if note.code in _REMARKS:
            continue
        # These come before the estimate, which is worth nothing then.
        tone: Tone = "bad" if note.code in ("scores reversed", "labels of one class") else "care"
        yield AuditReason(str(sentence(note_text(note))), math.nan, note.code, "how-we-know", tone)


def _remarks(audit: Audit) -> Iterator[AuditReason]:
    """Yield cautions that hardly change the answer, and come after it."""
    for note in audit.cautions:
        if note.code in _REMARKS:
            yield AuditReason(str(sentence(note_text(note))), math.nan, note.code, "how-we-know", "care")


def _estimate(audit: Audit) -> Iterator[AuditReason]:
    if math.isnan(audit.loss):
        yield AuditReason(_words.refused_text(audit), audit.validated, f"validated {audit.measure}", "expect", "bad")
    else:
        text, figure = _words.estimate_text(audit), audit.interval.estimate
        tone = "bad" if audit.verdict == "cannot tell" else TONES[audit.verdict]
        yield AuditReason(text, figure, f"estimated {audit.measure}", "expect", tone)


def _no_better(audit: Audit) -> Iterator[AuditReason]:
    if audit.no_better and not audit.labels_biased:
        name = f"probability that {audit.best} beats the most frequent class"
        yield AuditReason(_words.no_better_text(audit), audit.beats_baseline, name, "expect", "care")


def _changes(audit: Audit) -> Iterator[AuditReason]:
    if audit.detection is None:
        return
    shifted = len(audit.detection.features)
    tone: Tone = "care" if audit.detection.material else "good"
    # No evidence is not good news.
    if audit.detection.verdict == "cannot tell":
        tone = "unknown"
    if audit.detection.material and not shifted:
        # The scores, or all features together, changed although no single feature did.
        p_value = audit.detection.p_value
        yield AuditReason(_words.scores_text(audit), p_value, "p-value of the scores", "changed", tone)
    else:
        yield AuditReason(_words.features_text(audit), float(shifted), "features shifted", "changed", tone)


def _type_of_shift(audit: Audit) -> Iterator[AuditReason]:
    shift, labels = audit.shift, len(audit.performance.labelled)
    # Without features the page has no section about the type of shift.
    section: Topic = "kind" if audit.detection is not None else "how-we-know"
    tone = _TYPE_TONES.get(shift.kind, "unknown")
    # Labels of new rows need no similar labelled rows, so being too different does not matter then.
    if shift.refused and audit.performance.all_labelled:
        return
    if shift.refused and labels:
        yield AuditReason(_words.labels_instead_text(audit), float(labels), "labels of new rows", section, "unknown")
    elif shift.refused:
        how_bad: Tone = "bad" if audit.refused else "care"
        yield AuditReason(_words.too_different_text(audit), shift.outside, "new rows outside", section, how_bad)
        if audit.without is not None:
            low = audit.without.interval.low
            offer = without_text(audit.without, panel_given=audit.panel_given)
            yield AuditReason(offer, low, "low end without columns", "expect", "care")
    elif audit.performance.n_new < FEWEST_NEW:
        return  # the missing estimate has the same reason, and names it
    elif shift.kind == "unclear" and audit.performance.all_labelled:
        return  # if every label is known, nothing can hide and no estimate can be off
    # Nothing is visible, but there are too few rows to rule a shift out.
    elif shift.kind == "unclear" and shift.p_none >= QUIET:
        reach = shift.evidence.reach_of_shares
        yield AuditReason(
            _words.could_hide_text(audit), reach, "change of a share that could go unnoticed", section, tone
        )
    else:
        name = f"p-value of {shift.kind if shift.kind in ('prior', 'covariate') else 'no'} shift"
        yield AuditReason(_words.type_of_shift_text(audit), _words.p_of_type(shift), name, section, tone)


def _share(audit: Audit) -> Iterator[AuditReason]:
    counts = audit.quantification
    label = counts.positive
    now, name = counts.prevalence[label], f"share of {label}"
    before = counts.training[label]
    if audit.performance.all_labelled:
        return  # what is known is not estimated
    if audit.refused:
        yield AuditReason(_words.no_count_text(audit), before, f"{name} in the labelled data", "prevalence", "care")
    elif not counts.refused and not counts.informative:
        return  # "0% to 100%" says nothing
    elif not counts.refused:
        # Changed class proportions are a fact, not a fault: the estimates correct for them.
        inside = now.low <= before <= now.high
        yield AuditReason(_words.share_text(audit), now.estimate, name, "prevalence", "good" if inside else "unknown")
    elif audit.impossible_count is not None:
        yield AuditReason(_words.impossible_count_text(audit), audit.impossible_count, name, "prevalence", "care")
    else:
        text = _words.unreliable_count_text(audit)
        yield AuditReason(text, before, f"{name} in the labelled data", "prevalence", "care")


def _model(audit: Audit) -> Iterator[AuditReason]:
    selection = audit.selection
    rival = selection.rival
    # With one model there is no choice to report, and biased labels say nothing about it.
    if rival is None or audit.labels_biased:
        return
    tone: Tone = "care" if selection.concerns else "good" if not selection.contenders else "unknown"
    if audit.refused:
        # The audit names a model all the same, so that it must not leave out that the ranking is a guess.
        tone = "bad"
    figure, name = selection.probability_over(rival), f"probability that {selection.best} beats {rival}"
    if selection.refused:
        figure, name = selection.validated[selection.best], f"validated {selection.measure} of {selection.best}"
    advised = audit.verdict == "trust" and not audit.no_better
    yield AuditReason(selection_headline(selection, advised=advised), figure, name, "which", tone)
