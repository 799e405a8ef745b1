"""What an audit says: headline, reasons and what came of its estimates; `_verdict` decides which of them apply."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from shiftproof.core import Phrase, counted, effect, percent, sentence, share, shown
from shiftproof.detection import EFFECT
from shiftproof.selection import BLIND, called, written

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._verdict import Verdict
    from shiftproof.auditing._verification import Claim, Verification

TITLE = "Can this classifier be trusted on the new data?"
WHAT_TO_DO: Mapping[Verdict, str] = {
    "trust": "Nothing that can be seen without labels speaks against using it on the new data.",
    "trust with care": "It can be used on the new data; the reasons below say what to watch.",
    "do not trust": 'Label some new rows before using it: see "Which rows to label".',
}
# There is no sentence for "too different" here: `_too_different` says what makes the data so.
_TYPES = {
    "none": "No shift is visible between labelled and new data ({p}).",
    "prior": "Prior shift ({p}): only the class proportions changed. The estimates correct for this.",
    "covariate": "Covariate shift ({p}): the mix of inputs changed; the rules linking them to the label apparently did "
    "not. The estimates correct for this.",
    "unclear": "The type of shift is unclear ({p}), so the estimates may be off.",
}


def scored_how(audit: Audit) -> str:
    """Return how the scores of the labelled rows were made."""
    if audit.deployed:
        return "Nothing was fitted: these are deployed models, which must not have been trained on the labelled rows."
    panel = audit.evaluation.panel
    if panel.n_copied:
        copied = percent(panel.n_copied / len(panel.y))
        return f"Every model was fitted once per fold, but {copied} of the rows have an exact copy in another fold."
    return "Every model was fitted once per fold, and every row scored by models that never saw it."


def validated_by(audit: Audit) -> str:
    """Return whose figure stands beside the estimates: deployed models were not cross-validated."""
    return "the labelled data" if audit.deployed else "cross-validation"


def _validated(audit: Audit, *, unit: bool = True) -> str:
    value = written(audit.validated, audit.measure)
    figure = f"{value} {called(audit.measure)}" if unit else value
    return f"on the labelled data it is {figure}" if audit.deployed else f"cross-validation estimates {figure}"


def _ends(audit: Audit) -> str:
    interval = audit.interval
    return f"{written(interval.low, audit.measure)} to {written(interval.high, audit.measure)}"


def headline(audit: Audit) -> str:
    """Return the verdict in one sentence, or two where nothing can be estimated."""
    best, name = audit.best, called(audit.measure)
    # Not because of a shift: too few new rows, or a measure that divides by zero.
    if math.isnan(audit.loss) and not audit.shift.refused:
        return f"Do not trust {best} yet: {_undefined(audit)}"
    if math.isnan(audit.loss):
        why = f"the new data are too different to estimate {name}"
        return f"Do not trust {best} on the new data: {_validated(audit)}, but {why}."
    if audit.verdict == "do not trust":
        return f"Do not trust {best} on the new data: {_validated(audit)}, but on the new data expect {_ends(audit)}."
    if audit.verdict == "trust with care":
        return f"Trust with care: expect {_ends(audit)} {name} from {best} on the new data."
    # Even the greatest loss that the interval leaves open is a gain.
    as_good = "at least as good as" if audit.losses[1] < 0 else "as good as"
    return f"Trust {best} on the new data: expect {_ends(audit)} {name}, {as_good} {_source_says(audit)}."


def _source_says(audit: Audit) -> str:
    return "on the labelled data" if audit.deployed else "cross-validation estimates"


def _undefined(audit: Audit) -> str:
    """Return why there is no estimate although the labelled data cover the new data."""
    cannot = f"its {called(audit.measure)} on the new data cannot be estimated."
    refusal = audit.performance.refusal_text
    return f"{cannot} {refusal}" if refusal else f"its {called(audit.measure)} on the new data is not defined."


def estimate_text(audit: Audit) -> str:
    """Return what to expect, and how that compares with the validated figure."""
    interval, (least, most) = audit.interval, audit.losses
    # Said only if the whole interval lies on one side of the validated figure.
    off = ", which is too optimistic" if least > 0 else ", which is too pessimistic" if most < 0 else ""
    value = f"{written(interval.estimate, audit.measure)} {called(audit.measure)}"
    sure = f"({_ends(audit)}, {audit.performance.confidence} confidence)"
    return f"Expect {value} from {audit.best} on the new data {sure}; {_validated(audit, unit=False)}{off}."


def refused_text(audit: Audit) -> str:
    """Return what is validated, and that the new data allow no estimate."""
    validated = sentence(f"{_validated(audit)} for {audit.best}")
    applies = f"That applies to data like the labelled rows; {called(audit.measure)} on the new data"
    # If the data are too different, another reason says so.
    why = "" if audit.shift.refused or not audit.performance.refusal else f" {audit.performance.refusal_text}"
    return f"{validated} {applies} cannot be estimated.{why}"


def features_text(audit: Audit) -> str:
    """Return how many features shifted by enough to matter."""
    detection = audit.detection
    if detection is None:
        return ""
    total = counted(len({row.feature for row in detection.rows}), "feature")
    if not detection.features:
        return f"None of {total} shifted by enough to matter."
    worst = detection.rows[0]
    most = f"{shown(worst.feature)} most ({EFFECT[worst.test]} {effect(worst.effect)})"
    return f"{len(detection.features)} of {total} shifted by enough to matter, {most}."


def scores_text(audit: Audit) -> str:
    """Return how the scores, or all features together, changed."""
    return "" if audit.detection is None else audit.detection.finding


def type_of_shift_text(audit: Audit) -> str:
    """Return the type of shift."""
    p = audit.shift.p_none
    # More digits of a tiny p-value would say nothing more.
    return _TYPES[audit.shift.kind].format(p="p < 0.001" if p < 1e-3 else f"p = {p:.2g}")


def too_different_text(audit: Audit) -> str:
    """Return what makes the new data too different."""
    evidence = audit.shift.evidence
    signs = {
        "only a few labelled rows resemble them": evidence.weights_too_uneven,
        f"{share(evidence.outside)} of new rows have no similar labelled row": evidence.too_many_outside,
        "their features are correlated differently": evidence.correlated_differently,
    }
    return f"The labelled data don't cover the new data: {' and '.join(sign for sign, seen in signs.items() if seen)}."


def labels_instead_text(audit: Audit) -> str:
    """Return that the estimates rest on labels of new rows."""
    labels = counted(len(audit.performance.labelled), "label")
    return f"The labelled data don't cover the new data; the estimates rest on {labels} of new rows."


def could_hide_text(audit: Audit) -> str:
    """Return how large a shift could hide."""
    points = 100 * audit.shift.evidence.reach_of_shares
    return (
        f"No shift is visible (p = {audit.shift.p_none:.2g}), but with so few rows one could hide: a class proportion "
        f"may have changed by up to {points:.0f} points."
    )


def share_text(audit: Audit) -> str:
    """Return the positive class's share."""
    counts = audit.quantification
    now, before = counts.prevalence[counts.positive], percent(counts.training[counts.positive])
    ends = f"{percent(now.low)} to {percent(now.high)}"
    new = f"{percent(now.estimate)} of the new rows ({ends})"
    return f"Class {shown(counts.positive)} makes up {new}, and {before} of the labelled rows."


def impossible_count_text(audit: Audit) -> str:
    """Return which impossible share the positive class would have."""
    # Whole per cent: an impossible figure has no digits worth reading.
    value = "" if audit.impossible_count is None else f"{audit.impossible_count:.0%}"
    cannot = f"The share of class {shown(audit.quantification.positive)} cannot be estimated"
    return f"{cannot}: the corrected count is {value}, which is impossible."


def unreliable_count_text(audit: Audit) -> str:
    """Return why the positive class's share cannot be estimated."""
    counts = audit.quantification
    return f"The share of class {shown(counts.positive)} cannot be estimated. {counts.concerns[0]}"


def left_out(audit: Audit) -> Phrase:
    """Return what was skipped and why; empty if nothing was."""
    parts = Phrase.joined("; ", (Phrase(f"{name} (", why, ")") for name, why in audit.left_out.items()))
    return Phrase("Left out: ", parts, ".") if parts else Phrase()


def summary(audit: Audit) -> str:
    """Return verdict, reasons, what was left out, and what nobody can see, one a line."""
    reasons = [f"{number}. {reason.text}" for number, reason in enumerate(audit.reasons, 1)]
    return "\n".join(filter(None, [headline(audit), *reasons, str(left_out(audit)), BLIND]))


def verification_summary(checked: Verification) -> str:
    """Return what was estimated, what is actually the case, and which intervals contain it."""
    parts = [_rows_with_labels(checked), _recommended(checked), _intervals(checked), _positive(checked)]
    return " ".join(filter(None, [*parts, _choice(checked)]))


def _rows_with_labels(checked: Verification) -> str:
    if checked.n_actual == checked.n_new:
        return ""
    rows = f"{checked.n_actual:,} of {checked.n_new:,} new rows"
    return f"Actual values are measured on the {rows} that have a label, so they vary by chance."


def _recommended(checked: Verification) -> str:
    claim, name, best = checked.recommended, called(checked.measure), checked.best
    validated, actual = written(claim.validated, checked.measure), written(claim.actual, checked.measure)
    source = "On the labelled data it was" if checked.deployed else "Cross-validation estimated"
    is_actual = f"is {actual}" if actual else "is not defined"
    words = f"{source} {validated} {name} for {best}; the actual {name} {is_actual}."
    if claim.refused:
        return f"{words} The audit gave no estimate and said {checked.verdict!r}.{_judged(checked)}"
    ends = f"{written(claim.low, checked.measure)} to {written(claim.high, checked.measure)}"
    contains = "contains" if claim.covered else "does not contain"
    return f"{words} The estimated interval, {ends}, {contains} it.{_judged(checked)}"


def _judged(checked: Verification) -> str:
    """Return whether a plain verdict was right; nothing of one in between."""
    # "Trust with care" is neither right nor wrong afterwards.
    if checked.verdict == "do not trust":
        return " The warning was needed." if checked.harmed else " This time the warning was not needed."
    return " The trust was misplaced." if checked.verdict == "trust" and checked.harmed else ""


def _intervals(checked: Verification) -> str:
    # Class proportions have a sentence of their own.
    known = [claim.covered for claim in checked.claims if claim.measure != "share" and claim.covered is not None]
    if not known:
        return ""
    return f"{sum(known)} of {counted(len(known), 'interval')} ({checked.level:.0%}) contained the actual value."


def _positive(checked: Verification) -> str:
    claim: Claim = next(claim for claim in checked.shares if claim.about == checked.positive)
    ends = f"{percent(claim.low)} to {percent(claim.high)}"
    estimated = f"the estimated interval, {ends}, {'contains' if claim.covered else 'does not contain'} that"
    if not claim.believed:
        estimated = f"the count gave {ends}, which the audit said not to believe"
    return f"{percent(claim.actual)} of the new rows are {claim.about}; {estimated}."


def _choice(checked: Verification) -> str:
    if len(checked.models) < 2:
        return ""
    if checked.chose_best:
        return f"{checked.best} was the best choice."
    # Differences of AUC, Brier score and profit are not percentage points.
    lost = f"{100 * checked.regret:.1f} points" if checked.in_points else f"{checked.regret:.3g}"
    return f"{checked.actual_best} would have been better than {checked.best} by {lost}."
