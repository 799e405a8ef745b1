"""What an audit says: headline and reasons; `_verdict` decides which."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from shiftproof.auditing._changes import MOST
from shiftproof.auditing._figures import amount_text, interval_text, majority_text, span, validated_text
from shiftproof.auditing._next_step import what_to_do
from shiftproof.case import either_text
from shiftproof.core import (
    Phrase,
    chance_percent,
    counted,
    listed,
    p_words,
    percent,
    sentence,
    share,
    shown,
)
from shiftproof.detection import change_size
from shiftproof.quantification import impossible_share
from shiftproof.selection import (
    BLIND,
    SOFT_MEASURES,
    both_text,
    called,
    drift_text,
    grounds_text,
    history_text,
    past_text,
    points_apart,
    written,
)
from shiftproof.shift import NEW_VALUES, SURE

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._without import NewValues
    from shiftproof.shift import ShiftKind

TITLE = "Can this classifier be trusted on the new data?"
#: Measures whose differences are written in percentage points.
IN_POINTS = ("accuracy", "error", "precision", "recall", "f1")
# A model that differs from the baseline in fewer rows than this cannot be much better, so the sentence says how few.
_FEW_ANSWERS = 0.1
# A model that is ranked above one whose estimate is better by less than this needs no explanation, and figures that
# differ by less are not called too optimistic.
_WORTH_ASKING = 0.005
# Chances nearer to 0 or 1 need no explanation.
_RARE = 0.01
# A model that is so unlikely to beat the baseline on the labelled data is worse.
_HARDLY = 0.1
# A p-value below this is often called significant.
_LOOKS_LIKE_A_SIGN = 0.05
# From this share on all values are new, up to rounding; so many columns with new values are named.
_ONLY, _NAMED = 0.9995, 3
_ACCOUNTED = " The estimates take this into account."
# There is no sentence for "too different" here: `_too_different` says what makes the data so.
_TYPES = {
    "none": "No shift is visible between labelled and new data ({p}).",
    "prior": "Prior shift: the class proportions changed, and there is no {clear}sign of any other change ({p})."
    + _ACCOUNTED,
    "covariate": "Covariate shift: the mix of {inputs} changed, and there is no {clear}sign of any other change ({p})."
    + _ACCOUNTED,
    "unclear": "The data changed ({p}), but the type of shift is unclear, so the estimates may be off.",
}
_WEAK_SIGNS = "There are weak signs of a change ({p}); the type of shift is unclear, so the estimates may be off."


def scored_how(audit: Audit) -> str:
    """Return how the scores of the labelled rows were made."""
    if audit.deployed:
        return "Nothing was fitted: these are deployed models, which must not have been trained on the labelled rows."
    panel = audit.evaluation.panel
    if panel.n_copied:
        copied = percent(panel.n_copied / len(panel.y))
        return f"Every model was fitted once per fold, but {copied} of the rows have an exact copy in another fold."
    return "Every model was fitted once per fold, and every row was scored by models fitted without it."


def validated_by(audit: Audit) -> str:
    """Return whose figure stands beside the estimates: deployed models were not cross-validated."""
    return "the labelled data" if audit.deployed else "cross-validation"


def headline(audit: Audit) -> str:
    """Return the verdict in one sentence or two."""
    best, name = audit.best, called(audit.measure)
    if audit.verdict == "cannot tell":
        return f"Cannot tell whether to trust {best} on the new data: {_too_little_known(audit)}"
    # Figures that can be believed may still speak against the model.
    but = f" But {best} is {_how_much_better(audit)} than always answering {majority_text(audit)}."
    but = but if audit.no_better else ""
    if audit.verdict == "check first":
        figures = amount_text(interval_text(audit), audit.measure)
        expect = f"expect {figures} from {best} on the new data; {validated_text(audit)}."
        if audit.performance.all_labelled:
            expect = f"the actual {name} of {best} on the new data is {interval_text(audit)}; {validated_text(audit)}."
        if audit.only_copies:
            return f"Check first: all new rows are exact copies of labelled rows. If that is right, {expect}{but}"
        return f"Check first: {expect}{chance_text(audit)}{but}"
    if audit.verdict == "trust" and audit.no_better:
        # "Trust it, it is useless" would be no advice: the figures hold, and speak against the model.
        figure = f"{_new_figure(audit)}; {validated_text(audit)}."
        return f"Trust the figures for {best} on the new data: {figure}{chance_text(audit)}{but}"
    if audit.verdict == "trust":
        return f"Trust {best} on the new data: {_new_figure(audit)}; {validated_text(audit)}.{chance_text(audit)}"
    if audit.reversed:
        return f"Do not trust {best} on the new data: its scores seem to be for the other class."
    then = sentence(f"{validated_text(audit)}; {_new_figure(audit, where='on the new data ')}")
    sure = audit.losses[0] > audit.harmful_loss or math.isnan(audit.loss_chance)
    why = lost(audit) if sure else f"the chance that {loses(audit)} is {chance_percent(audit.loss_chance)}"
    return f"Do not trust {best} on the new data: {why}. {then}"


def chance_text(audit: Audit) -> str:
    """Return the chance of a loss above the tolerance, to follow other sentences; empty where labels tell."""
    if audit.performance.all_labelled:
        return ""
    if math.isnan(audit.loss_chance):
        return f" No chance of a loss is known for {called(audit.measure)}."
    return f" The chance that {loses(audit)} is {chance_percent(audit.loss_chance)}."


def what_chance_means(audit: Audit) -> str:
    """Return what a reader can do with the chance of a loss."""
    # Of a chance near 0 or 1 nobody asks what it means.
    if not _RARE < audit.loss_chance < 1 - _RARE or audit.performance.all_labelled:
        return ""
    chance = chance_percent(audit.loss_chance)
    return (
        f"A chance of {chance} means: of 100 models with this chance, about {round(100 * audit.loss_chance)} lose more "
        "than the tolerance. If such a loss would cost more than labelling some new rows, label them first."
    )


def loses(audit: Audit) -> str:
    """Return "it loses more than 5 points": the loss that counts as harm."""
    if audit.measure == "profit":
        return f"it loses more than {percent(audit.tolerance)} of what decisions are worth"
    points = f"more than {100 * audit.tolerance:.3g} points"
    if audit.measure in IN_POINTS and audit.measure != "error":
        return f"it loses {points}"
    worse = "falls" if SOFT_MEASURES[audit.measure].higher_is_better else "rises"
    by = points if audit.measure == "error" else f"more than {audit.tolerance:.3g}"
    return f"its {called(audit.measure)} {worse} by {by}"


def _new_figure(audit: Audit, *, where: str = "") -> str:
    """Return what to expect of the recommended model, or what it actually has."""
    if audit.performance.all_labelled:
        return f"its actual {called(audit.measure)} {where}is {interval_text(audit)}"
    return f"{where}expect {interval_text(audit) if where else amount_text(interval_text(audit), audit.measure)}"


def lost(audit: Audit) -> str:
    """Return how much worse the recommended model gets, as far as the interval leaves open."""
    name, known = called(audit.measure), audit.performance.all_labelled
    if audit.measure in IN_POINTS:
        # Of the figures as they are written, so that readers who subtract them find the same.
        ends = (points_apart(audit.validated, end) for end in (audit.interval.low, audit.interval.high))
        points = span(*(f"{size:.1f}" for size in sorted(ends)))
        if audit.measure == "error":
            return f"its error {'is' if known else 'is expected to be'} {points} points higher"
        return f"it loses {points} points of {name}" if known else f"expect a loss of {points} points of {name}"
    by = span(*(f"{size:.3g}" for size in audit.losses))
    return f"its {name} {'is' if known else 'is expected to be'} worse by {by}"


def _too_little_known(audit: Audit) -> str:
    """Return why nothing can be said: biased labels, too different or too few rows, no value."""
    name = called(audit.measure)
    if audit.labels_biased:
        return "the labelled new rows are not a random sample."
    if audit.refused and audit.shift.refused:
        but = "and" if math.isnan(audit.validated) else "but"
        different = "the new data are too different from the labelled data for an estimate"
        return f"{validated_text(audit, unit=f' {name}')}, {but} {different}."
    if audit.refused and audit.performance.assume == "prior shift":
        return "you assumed that only the class proportions changed, but more did."
    refusal = audit.performance.refusal_text
    return f"its {name} cannot be estimated. {refusal}" if refusal else f"its {name} is not defined."


def _new_values_text(one: NewValues) -> Phrase:
    column = shown(one.column)
    if not str(one.values):
        return Phrase(f"{column} is empty")
    some = f"{share(one.share)} of the values of {column} are new"
    return Phrase(f"{column} has only new values" if one.share > _ONLY else some, " (", one.values, ")")


def order_text(audit: Audit) -> str:
    """Return why a model is ranked above another one whose estimate is better; empty if none is."""
    ranking, sign = audit.selection.ranking, 1 if SOFT_MEASURES[audit.measure].higher_is_better else -1
    values = {model: sign * audit.performance.interval(model, audit.measure).estimate for model in ranking}
    # Readers ask first why the recommended model is not the one with the best estimate. NaN compares false.
    ahead = [(ranking[0], model) for model in sorted(ranking, key=lambda model: -values[model])]
    pairs = [*ahead, *pairwise(ranking)]
    # Below half a point nobody would ask; a profit has the unit of its benefit.
    least = 0.0 if audit.measure == "profit" else _WORTH_ASKING
    above, below = next(((one, other) for one, other in pairs if values[other] - values[one] > least), ("", ""))
    if not above:
        return ""
    why = "the ranking uses a simpler estimate, because the full correction makes comparisons noisy"
    return f"{above} is ranked above {below} although its estimate is worse: {why}."


def estimate_text(audit: Audit) -> str:
    """Return what to expect, how that compares with the validated figure, and what the baseline has."""
    past = history_text(audit.performance, audit.best, audit.measure)
    both = both_text(audit.performance, audit.best, audit.measure)
    return " ".join(filter(None, [_point_estimate(audit), both, _baseline(audit), _second(audit), past]))


def _point_estimate(audit: Audit) -> str:
    """Return the estimate and what it rests on; its interval and the validated figure where the headline lacks them."""
    value = amount_text(written(audit.interval.estimate, audit.measure), audit.measure)
    grounds = grounds_text(audit.performance)
    if audit.labels_biased or audit.reversed:
        # These headlines are about something else.
        estimate = f"Expect {value} from {audit.best} on the new data"
        if audit.labels_biased:
            estimate = f"If these labels were a random sample, the estimate for {audit.best} would be {value}"
        return f"{estimate} ({interval_text(audit)}; {grounds}); {validated_text(audit)}."
    if audit.performance.all_labelled:
        estimate = "The label of every new row is known."
    else:
        estimate = f"The best estimate for {audit.best} is {value} ({grounds})."
    least, most = audit.losses
    # Said only if the whole interval clearly lies on one side of the validated figure.
    slight = _WORTH_ASKING if audit.measure in IN_POINTS else 0.0
    off = "too optimistic" if least > slight else "too pessimistic" if most < -slight else ""
    whose = "The figure on the labelled data" if audit.deployed else "Cross-validation"
    return f"{estimate} {whose} is {off}." if off else estimate


def how_wide_text(audit: Audit) -> str:
    """Return what makes the interval of the recommended model wide, and what shifts of this size did elsewhere."""
    about = audit.performance, audit.best, audit.measure
    # The reason above has said what the user's own past shows.
    elsewhere = "" if history_text(*about) else past_text(*about)
    return " ".join(filter(None, [drift_text(*about), elsewhere]))


def _baseline(audit: Audit) -> str:
    """Return what always answering the most frequent class has, on the new data where that is known."""
    # A model that is no better has a reason of its own; labels that were chosen say nothing about frequencies.
    if not audit.judged_by_accuracy or audit.no_better or audit.labels_biased:
        return ""
    where = "labelled rows" if audit.new_baseline is None else "new rows"
    always = f"Always answering {majority_text(audit)}{_newly_frequent(audit)}"
    return f"{always} {_right_for(audit)} {_baseline_figure(audit)} of the {where}."


def _newly_frequent(audit: Audit) -> str:
    """Return why the baseline is this class, where another one is most frequent in the labelled data."""
    training, label = audit.performance.training, audit.performance.baseline.label
    return "" if training[label] == max(training.values()) else ", the most frequent class of the new data,"


def _baseline_figure(audit: Audit) -> str:
    """Write the baseline's accuracy or error with its interval; without one where only the labelled rows' is known."""
    baseline = audit.performance.baseline
    if audit.new_baseline is None:
        return percent(1 - baseline.validated if audit.measure == "error" else baseline.validated)
    new = baseline.interval_of(audit.measure)
    ends = "" if audit.performance.all_labelled else f" ({span(percent(new.low), percent(new.high))})"
    return f"{percent(new.estimate)}{ends}"


def _second(audit: Audit) -> str:
    """Return the measure beside the accuracy where one class is so frequent that accuracy says little."""
    second = audit.second_measure
    if second is None:
        return ""
    estimated = audit.performance.estimates[audit.best][second]
    if math.isnan(estimated.interval.estimate):
        return ""
    ends = span(written(estimated.interval.low, second), written(estimated.interval.high, second))
    source = "labelled data" if audit.deployed else "cross-validation"
    validated = written(estimated.validated, second) or "not defined"
    name = called(second)
    return f"{name[0].upper()}{name[1:]}: {ends} ({source} {validated})."


def no_better_text(audit: Audit) -> str:
    """Return that the recommended model does not beat the majority class, which share that has, and why."""
    where = "on the labelled data" if audit.new_baseline is None else "on the new data"
    baseline = f"always answering {majority_text(audit)}"
    # The baseline of a profit is compared by rows, and has no figure.
    has = (
        f"{_newly_frequent(audit) or ','} which {_right_for(audit)} {_baseline_figure(audit)} of the rows"
        if audit.judged_by_accuracy
        else ""
    )
    words = f"{audit.best} is {_how_much_better(audit)} {where} than {baseline}{has}."
    if audit.judged_by_accuracy and audit.verdict in ("trust", "check first"):
        # The headline has said that the model is no better; here is how good the baseline is.
        frequent = _newly_frequent(audit)
        rows = "the labelled rows" if audit.new_baseline is None else "the new rows"
        words = (
            f"{baseline[0].upper()}{baseline[1:]}{frequent} {_right_for(audit)} {_baseline_figure(audit)} of {rows}."
        )
    others = audit.performance.baseline.other_answers[audit.best]
    if audit.new_baseline is None or others > _FEW_ANSWERS:
        return words
    few = f"answers differently for only {percent(others)} of the new rows"
    return f"{words} {audit.best} {few if others else 'gives this answer for every new row'}."


def _right_for(audit: Audit) -> str:
    return "would be wrong for" if audit.measure == "error" else "would be right for"


def _how_much_better(audit: Audit) -> str:
    """Return "worse", "no better" or "not clearly better", as the figures beside it say."""
    if audit.new_baseline is None and audit.beats_baseline < _HARDLY:
        return "worse"
    return "not clearly better" if audit.seems_better else "no better"


def refused_text(audit: Audit) -> str:
    """Return what is validated, and that the new data allow no estimate."""
    name = called(audit.measure)
    validated = str(sentence(f"{validated_text(audit, unit=f' {name}')} for {audit.best}"))
    if audit.deployed and not math.isnan(audit.validated):
        validated = f"On the labelled data, the {name} of {audit.best} is {written(audit.validated, audit.measure)}."
    applies = "That applies only to data like the labelled rows."
    if math.isnan(audit.validated):
        applies = ""  # a figure for the new data would have nothing to be compared with
    elif audit.refused and audit.shift.refused:
        # The headline has the validated figure; another reason says what makes the data too different.
        whose = "The figure on the labelled data" if audit.deployed else "Cross-validation's estimate"
        validated, applies = f"{whose} applies only to data like the labelled rows.", ""
    return " ".join(filter(None, [validated, _baseline(audit), applies]))


def features_text(audit: Audit) -> str:
    """Return how many features shifted enough to matter."""
    detection = audit.detection
    if detection is None:
        return ""
    tested = len({row.feature for row in detection.rows})
    total = counted(tested, "feature")
    unsure = {row.feature for row in detection.value_rows if row.verdict == "cannot tell"}
    if detection.verdict == "cannot tell" or (len(unsure) == tested and not detection.features):
        fewest = counted(min(detection.n_reference, detection.n_current), "row")
        return f"With only {fewest}, a shift in the {total} could not be detected."
    if not detection.features:
        return f"None of {total} shifted enough to matter."
    worst = detection.rows[0]
    shifted, size = len(detection.features), change_size(worst)
    which = f"{'All' if shifted == tested > 1 else f'{shifted} of'} {total}"
    if shifted == 1:
        return f"{which} shifted enough to matter: {shown(worst.feature)} ({size})."
    return f"{which} shifted enough to matter, {shown(worst.feature)} the most ({size})."


def shown_changes(audit: Audit, rows: int) -> str:
    """Return which of the shifted features so many rows show; empty if they show all."""
    shifted = 0 if audit.detection is None else len(audit.detection.features)
    if not shifted and audit.detection is not None and audit.detection.verdict == "cannot tell":
        return "With so few rows, these differences may be chance." if rows else ""
    if not shifted:
        return "These changed most, none of them enough to matter." if rows else ""
    if shifted == rows:
        return ""
    if shifted < rows and audit.detection is not None:
        return f"Only {listed(audit.detection.features)} changed enough to matter."
    return f'These are the {rows} most important of {shifted} changes; all are under "Every feature".'


def order_of_changes(audit: Audit) -> str:
    """Return why the features are in this order; empty if nothing is known of how much the model relies on them."""
    if not audit.importance or audit.detection is None:
        return ""
    order = f"Features are sorted by the size of the change and by how much {audit.best} relies on them"
    largest = audit.detection.rows[0].feature
    if audit.changes[0] == largest:
        return f"{order}."
    where = "not listed first" if largest in audit.changes[:MOST] else "not listed"
    return f"{order}, so {shown(largest)}, which changed most, is {where}."


def scores_text(audit: Audit) -> str:
    """Return how the scores, or all features together, changed."""
    return "" if audit.detection is None else audit.detection.finding


def type_of_shift_text(audit: Audit) -> str:
    """Return the type of shift, with the p-value of the test that it passed."""
    p_value = p_of_type(audit.shift)
    # A reader takes a p-value below 0.05 for a sign; a type is rejected below 0.01.
    weak = audit.shift.kind == "unclear" and audit.shift.p_none >= SURE
    words = _WEAK_SIGNS if weak else _TYPES[audit.shift.kind]
    # Of scores alone, nothing else is known.
    inputs = "scores" if audit.detection is None else "inputs"
    words = words.format(inputs=inputs, p=p_words(p_value), clear="clear " if p_value < _LOOKS_LIKE_A_SIGN else "")
    # Nothing takes into account what is not estimated.
    return words.removesuffix(_ACCOUNTED) if audit.refused else words


def p_of_type(shift: ShiftKind) -> float:
    """Return the p-value behind a type of shift: that nothing else changed, or else that nothing changed at all."""
    return {"prior": shift.p_prior, "covariate": shift.p_covariate}.get(shift.kind, shift.p_none)


def too_different_text(audit: Audit) -> Phrase:
    """Return what makes the new data too different, and in which columns values are new."""
    evidence = audit.shift.evidence
    outside = f"{share(evidence.outside)} of new rows have no similar labelled row"
    if everywhere := share(evidence.outside) == "100%":
        outside = "no new row has a similar labelled row"
    signs = {
        f"only {share(evidence.resembling)} of the labelled rows resemble them": (
            evidence.weights_too_uneven and not everywhere
        ),
        outside: evidence.too_many_outside,
        "features are correlated differently in the new data": evidence.correlated_differently,
        _newest(audit): evidence.values_are_new and evidence.new_values > NEW_VALUES,
        "many of their values are new": evidence.values_are_new and evidence.new_values <= NEW_VALUES,
    }
    columns = Phrase.joined("; ", map(_new_values_text, audit.new_values[:_NAMED]))
    # The columns are named below, with their values.
    seen = [sign for sign, applies in signs.items() if applies and sign]
    covered = "don't cover" if audit.refused else "hardly cover"
    allowed = "" if audit.refused else " The interval allows for that."
    why = f"The labelled data {covered} the new data"
    if not seen:
        return Phrase(f"{why}: ", columns, f".{allowed}")
    *others, last = seen
    signs_seen = f"{', '.join(others)}{' and ' if others else ''}{last}"
    named = Phrase(" ", columns, ".") if columns else Phrase()
    return Phrase(f"{why}: {signs_seen}.{allowed}", named)


def _newest(audit: Audit) -> str:
    """Return which column the labelled data do not cover; empty if the columns with new values are named next."""
    newest, listed_next = audit.shift.newest, {one.column for one in audit.new_values[:_NAMED]}
    if newest in listed_next:
        return ""
    if not newest:
        return "nearly all values of a column are new"
    return f"{share(audit.shift.evidence.new_values)} have a new or missing value in {shown(newest)}"


def labels_instead_text(audit: Audit) -> str:
    """Return that the estimates rest on labels of new rows."""
    labels = counted(len(audit.performance.labelled), "label")
    return f"The labelled data hardly cover the new data; the estimates rest mostly on {labels} of new rows."


def could_hide_text(audit: Audit) -> str:
    """Return how large a shift could hide."""
    points = 100 * audit.shift.evidence.reach_of_shares
    return (
        f"No shift is visible ({p_words(audit.shift.p_none)}), but with so few rows only a large one would be: a class "
        f"proportion could change by up to {points:.0f} points without a sign."
    )


def share_text(audit: Audit) -> str:
    """Return the positive class's share."""
    counts = audit.quantification
    now, before = counts.prevalence[counts.positive], percent(counts.training[counts.positive])
    ends = f"{percent(now.low)} to {percent(now.high)}"
    new = f"An estimated {percent(now.estimate)} of the new rows are in class {shown(counts.positive)} ({ends})"
    answer = f"{new}, compared with {before} of the labelled rows."
    if counts.either is None:
        return answer
    one, other = (shares[counts.positive] for shares in counts.either)
    return f"{answer} {either_text((one, other), percent)}"


def no_count_text(audit: Audit) -> str:
    """Return that the share of the positive class cannot be estimated, and its share among the labelled rows."""
    counts = audit.quantification
    before = f"in the labelled data it is {percent(counts.training[counts.positive])}"
    return f"The share of class {shown(counts.positive)} in the new data cannot be estimated; {before}."


def impossible_count_text(audit: Audit) -> str:
    """Return which impossible share counting gives the positive class."""
    value = "" if audit.impossible_count is None else impossible_share(audit.impossible_count)
    return f"Counting class {shown(audit.quantification.positive)} fails: it gives {value}, which is impossible."


def unreliable_count_text(audit: Audit) -> str:
    """Return why the positive class cannot be counted."""
    counts = audit.quantification
    return f"The share of class {shown(counts.positive)} cannot be estimated reliably. {counts.concerns[0]}"


def not_compared(audit: Audit) -> str:
    """Return the columns that were left out of the comparison, and what they are; empty if there are none."""
    left_out = {} if audit.detection is None else audit.detection.left_out
    named = [f"{shown(name)} ({why})" for name, why in left_out.items()]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    # Deployed models and given scores rest on columns that only their makers know.
    features = () if audit.deployed else audit.evaluation.panel.feature_names
    used = [name for name in left_out if name in features]
    still = f"; models can still use {'it' if len(named) == 1 else listed(used, most=_NAMED)}" if used else ""
    return f"{', '.join(named[:_NAMED])}{more}{still}"


def left_out(audit: Audit) -> Phrase:
    """Return what was skipped and why; empty if nothing was."""
    parts = Phrase.joined("; ", (Phrase(f"{name} (", why, ")") for name, why in audit.left_out.items()))
    return Phrase("Left out: ", parts, ".") if parts else Phrase()


def summary(audit: Audit) -> str:
    """Return verdict, reasons, the next step, what was left out, and what cannot be seen without labels, one a line."""
    reasons = [f"{number}. {reason.text}" for number, reason in enumerate(audit.reasons, 1)]
    rest = [order_text(audit), f"Next: {what_to_do(audit)}", str(left_out(audit))]
    blind = "" if len(audit.performance.labelled) else BLIND
    return "\n".join(filter(None, [headline(audit), *reasons, *rest, blind]))
