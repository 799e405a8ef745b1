"""What a selection and an estimate of performance say: numbers, headlines, summaries, notes and the texts of pages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shiftproof.case import FEWEST_NEW, KINDS, either_text, precedents, prior_weight, too_few_rows, unknowable
from shiftproof.core import Interval, Note, Phrase, Text, counted, listed, percent, sentence, share, shown
from shiftproof.measures import measure_name
from shiftproof.selection.rivals._words import joined
from shiftproof.selection.rivals._words import note_text as rivals_note_text

if TYPE_CHECKING:
    from shiftproof.selection._baseline import MajorityBaseline
    from shiftproof.selection._estimate_result import Estimated, Performance
    from shiftproof.selection._plan import LabelPlan
    from shiftproof.selection._range import OutsideRange
    from shiftproof.selection._select_result import Selection

#: Written as numbers; all other measures are shares.
NUMBERS = ("auc", "brier", "profit")
# Above this nobody should read another digit: what cannot be seen without labels leaves room for doubt.
_OVER = 0.99
# What estimates without labels rest on: whether the type of shift is known, by their confidence.
_KNOWN = {"high": "corrected for {kind} shift", "medium": "corrected for probable {kind} shift"}
_UNCHANGED = {"high": "nothing visible changed", "medium": "probably nothing changed"}
_UNKNOWN = "the type of shift is unclear"
_TOO_DIFFERENT = "the new data are too different to determine the type of shift"
# Probabilities as close to a half as this are written as 50%.
_EVEN = 0.005
# What shifts did to other people's models was measured in these.
_IN_PRECEDENTS = ("accuracy", "error")
# So many columns, and so many models, are named in a sentence.
_NAMED = 3
# A correction by past errors is not worth a sentence below this share of the interval's width.
_HARDLY_MOVED = 0.05

BLIND = "If the link between features and label changed (concept shift), only labels can show it."
#: What each type of shift means for the new data.
TYPES = {
    "none": "nothing changed",
    "prior": "only the class proportions changed",
    "covariate": "the mix of inputs changed",
}
WHAT_REVERSE_TESTING_DOES = (
    "Each model labels the new rows. Learners are trained on these labels and tested on the labelled rows: good labels "
    "make good learners."
)
HOW_ROWS_ARE_DRAWN = (
    "They are drawn at random, with more from where the models are less certain; rows picked by hand would bias "
    "the estimate."
)
HOW_TO_GET_ROWS = (
    "To get the rows, call plan() on this result in Python, or pass --plan FILE to shiftproof audit or select."
)
_PLAN_FOR_AN_ESTIMATE = (
    "To get an estimate, label some new rows: plan() lists them; on the command line, use --plan FILE."
)
_VALIDATED_ONLY = "The validated figures apply only to data like the labelled rows."
ALL_LABELLED = "every new row already has a label, so there is nothing to plan"
# By the code of a note.
_SENTENCES = {
    "measure undefined": "the {detail} of {subject} is not defined: it divides by zero",
}
# Why ReverseTesting was skipped, by the detail of its note.
_SKIPPED = {
    "quick": "a quick audit skips it",
    "not requested": "it is switched off",
    "deployed models": "it would refit deployed models",
    "one model": "there is only one model",
    "threshold": "it does not support thresholds",
    "no models or features": "it needs models to fit, and the features of both tables",
}


def written(value: float, measure: str) -> str:
    """Write a measure: shares in per cent, areas, losses and profits as numbers; empty if it is not defined.

    Examples
    --------
    >>> written(0.8768, "accuracy"), written(0.8768, "auc"), written(-12.345, "profit"), written(float("nan"), "f1")
    ('87.7%', '0.877', '-12.3', '')
    """
    if value != value:
        return ""
    if measure in NUMBERS:
        # Rounding errors of zero are zero.
        return f"{0.0 if abs(value) < 1e-9 else value:.3g}" if measure == "profit" else f"{value:.3f}"
    return percent(value)


def believed(probability: float) -> str:
    """Write a probability in per cent; nothing is ever certain, and NaN is empty.

    Examples
    --------
    >>> believed(0.624), believed(1.0), believed(0.0), believed(float("nan"))
    ('62%', '>99.9%', '<0.1%', '')
    """
    # So far off 0 and 1 that `share` writes <0.1% and >99.9%.
    return share(float(np.clip(probability, 4e-4, 1 - 4e-4)))


def called(measure: str) -> str:
    """Return the name of a measure in a sentence.

    Examples
    --------
    >>> called("brier"), called("accuracy")
    ('Brier score', 'accuracy')
    """
    return measure_name(measure)


def note_text(note: Note) -> Phrase:
    """Return the sentence of a note, without its full stop.

    Examples
    --------
    >>> str(note_text(Note(code="measure undefined", subject="'nb'", detail="precision")))
    "the precision of 'nb' is not defined: it divides by zero"
    """
    if note.code == "ReverseTesting skipped":
        return Phrase(_SKIPPED[note.detail])
    return rivals_note_text(note, _SENTENCES)


def outside_text(outside: OutsideRange) -> str:
    """Return how many new rows lie outside the range of the labelled rows."""
    named = listed(outside.columns, most=_NAMED)
    return f"{share(outside.share)} of the new rows have a feature outside the range of the labelled rows ({named})."


def selection_headline(result: Selection, *, advised: bool = True) -> str:
    """Return which model to use, how likely it beats its closest rival, and which models ReverseTesting prefers.

    If using it is not advised, the best model is only named.
    """
    best, rival = result.best, result.rival
    if rival is None:
        return f"{best} is the only model."
    if result.refused:
        ranks = f"{best}, then {result.ranking[1]} (of {len(result.names)} models)"
        return f"Best guess: {ranks}{_second_opinion(result)}. Don't rely on this ranking."
    likely = result.probability_over(rival)
    # Exactly half: the two decide every row alike. "Use it, 50% likely to be better" would be no advice.
    if abs(likely - 0.5) < _EVEN:
        how = "equally good" if abs(likely - 0.5) < 1e-9 else f"about equally good ({best} is 50% likely to be better)"
        return f"{best} and {rival} are {how}{_second_opinion(result)}."
    how = f" ({_likely(likely, result)} to beat {rival})" if np.isfinite(likely) else f", ranked above {rival}"
    if likely < 0.5:
        # The likeliest best model of several may lose more often than not against one of them.
        chance = share(result.probabilities[best])
        how = f" ({chance} likely to be the best of {len(result.names)} models; {rival} may be as good)"
    lead = "Use" if advised else "The best of these models is"
    return f"{lead} {best}{how}{_second_opinion(result)}."


def _likely(probability: float, result: Selection) -> str:
    if probability > _OVER:
        return "over 99% likely"
    return f"{'only ' if result.contenders else ''}{share(probability)} likely"


def _second_opinion(result: Selection) -> str:
    """Return which models ReverseTesting has as winners, and whether the best one is among them."""
    reverse = result.reverse
    if reverse is None:
        return ""
    if result.best not in reverse.names or len(reverse.names) < 2:
        return "; ReverseTesting could not compare it"
    winners = reverse.order[0]
    if len(winners) == len(reverse.names):
        return "; ReverseTesting is undecided"
    # ReverseTesting goes by accuracy or benefit, which may order models differently.
    by = "" if result.measure in ("accuracy", "error", "profit") else ", by accuracy,"
    if result.best not in winners:
        return f"; ReverseTesting{by} prefers {joined(winners)}"
    tied = [name for name in winners if name != result.best]
    return f"; ReverseTesting{by} agrees" + (f", but finds {joined(tied)} as good" if tied else "")


def selection_summary(result: Selection) -> Phrase:
    """Return which model to use and how sure that is, the cautions, and what it cost."""
    figure = (
        f"the {called(result.measure)} of {result.best} is {written(result.validated[result.best], result.measure)}"
    )
    if result.measure == "accuracy":
        majority = percent(result.training[result.majority])
        figure += f" (always answering {shown(result.majority)}: {majority})"
    words: list[Text] = [selection_headline(result), *result.concerns]
    elsewhere = "" if result.refused else "; `estimate_performance` estimates it on the new data"
    words += [f"On the labelled data {figure}{elsewhere}.", *_as_good(result)]
    words += [sentence(note_text(note)) for note in result.notes]
    return Phrase.joined(" ", [*words, f"{cost_text(result)}."])


def _as_good(result: Selection) -> list[str]:
    """Name the models that may be as good as the best one, if the method says how sure it is."""
    if not result.contenders or not result.method_says:
        return []
    return [f"{listed(list(result.contenders))} may be as good."]


def joint_summary(selection: Selection, performance: Performance) -> Phrase:
    """Return what a selection and an estimate of the same models say together, each thing once."""
    if performance.refused:
        # What refuses one speaks against the other.
        return selection_summary(selection)
    words: list[Text] = [*selection.concerns, *_as_good(selection), performance_summary(performance)]
    words += [sentence(note_text(note)) for note in selection.notes if note not in performance.notes]
    return Phrase.joined(" ", [*words, f"{cost_text(selection)}."])


def cost_text(result: Selection) -> str:
    """Return what a selection cost."""
    of_which = f", {result.reverse_fits:,} of them for ReverseTesting" if result.reverse_fits else ""
    return f"{counted(result.fits, 'fit')} in {result.seconds:.1f} s{of_which}"


def ranking_text(result: Selection) -> str:
    """Return what the scores of a ranking are."""
    if result.concerns:
        why = "so far from the labelled data" if result.shift.refused else "with so few new rows"
        return f"Don't rely on this order: {why}, it is a guess."
    # Only our own method has intervals that a reader could compare the score with.
    if not result.method_says:
        return f"Ranked with the method {result.method!r}, which does not say how certain the order is."
    return (
        "Models are ordered by their ranking score, a simpler estimate. It leaves out most of the correction for the "
        "shift, because the correction makes comparisons noisy."
    )


def order_text(result: Selection) -> str:
    """Return how to read the probabilities that one model is better than another."""
    words = [
        "Each cell is the probability that the model in its row is better on the new data than the model in its column."
    ]
    if result.contenders:
        verb = "is" if len(result.contenders) == 1 else "are"
        words.append(f"{joined(result.contenders)} {verb} not clearly worse than {result.best}.")
    return " ".join(words)


def refusal(result: Performance) -> tuple[str, ...]:
    """Return why nothing is estimated; empty if something is."""
    if not result.any_refused:
        return ()
    if unknowable(result.shift, result.assume):
        outside = () if result.outside_range is None else (outside_text(result.outside_range),)
        assumed = ("You assumed that only the class proportions changed, but more did.",)
        return (*(outside if result.shift.refused else assumed), *result.shift.reasons)
    return (too_few_rows(result.n_new),) if result.n_new < FEWEST_NEW else ()


def performance_headline(result: Performance) -> str:
    """Return in one sentence what to expect."""
    if result.refused:
        return f"No estimate: {result.refusal_text}"
    first, ranking = result.measures[0], result.ranking
    models = [f"{model} {_span(result.interval(model, first), first)}" for model in ranking[:_NAMED]]
    more = f" and {len(ranking) - _NAMED} more" if len(ranking) > _NAMED else ""
    return f"Estimated {called(first)} on the new data: {', '.join(models)}{more}; {grounds_text(result)}."


# What the caller assumed, in place of what the data show.
_ASSUMED = {
    "no drift": "assuming no drift",
    "prior shift": "assuming that only the class proportions changed",
}


def grounds_text(result: Performance) -> str:
    """Return what the estimates rest on: labels of new rows, or a change that is more or less clear.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> shift = SimpleNamespace(kind="prior")
    >>> grounds_text(SimpleNamespace(labelled=(), assume="natural", confidence="high", shift=shift))
    'corrected for prior shift'
    """
    if len(result.labelled):
        return f"corrected with {counted(len(result.labelled), 'label')} of new rows"
    if result.assume != "natural":
        return _ASSUMED[result.assume]
    kind = result.shift.kind
    if kind not in KINDS:
        return _TOO_DIFFERENT if kind == "too different" else _UNKNOWN
    return (_UNCHANGED if kind == "none" else _KNOWN).get(result.confidence, _UNKNOWN).format(kind=kind)


def _span(interval: Interval, measure: str) -> str:
    ends = f"{written(interval.low, measure)} to {written(interval.high, measure)}"
    return f"{written(interval.estimate, measure)} ({ends})"


def performance_summary(result: Performance) -> Phrase:
    """Return what to expect, the validated figure, how sure that is, and why."""
    words: list[Text] = [performance_headline(result)]
    if not result.refused:
        first, model = result.measures[0], result.ranking[0]
        validated = written(result.estimates[model][first].validated, first)
        words.append(f"On the labelled data, the {called(first)} of {model} is {validated}.")
        if first == "accuracy":
            words.append(_baseline(result.baseline))
        if len(result.labelled):
            words.append(f"{counted(len(result.labelled), 'label')} of new rows were used.")
        words += [both_text(result, model), drift_text(result, model), past_text(result, model)]
        words.append(f"Type of shift: {result.shift.kind}. {' '.join(result.shift.reasons)}")
    words += [sentence(note_text(note)) for note in result.notes]
    if result.refused:
        words.append(_PLAN_FOR_AN_ESTIMATE)
    # With labels a concept shift would have shown.
    return Phrase.joined(" ", filter(None, words if len(result.labelled) else [*words, BLIND]))


def both_text(result: Performance, model: str, measure: str | None = None) -> str:
    """Return both answers where the data cannot tell if nothing but the class proportions changed; else empty."""
    measure = result.measures[0] if measure is None else measure
    pair = result.estimates[model][measure].either
    return "" if pair is None else either_text(pair, partial(written, measure=measure))


def drift_text(result: Performance, model: str, measure: str | None = None) -> str:
    """Return how much of a model's interval is sampling and how much allows for drift; empty without an allowance."""
    measure = result.measures[0] if measure is None else measure
    estimated = result.estimates[model][measure]
    if result.refused or not estimated.drift > 0:
        return ""
    width, sampling = shown_width(estimated.interval, measure), estimated.sampling_width
    # The rest of what is written, so that the parts add up.
    drift = estimated.drift_width if measure in NUMBERS else width - round(sampling, 3)
    parts = f"{_width(sampling, measure)} for sampling error and {_width(drift, measure)} for drift"
    return f"The interval for {model} is {_width(width, measure)} wide: {parts}."


def past_text(result: Performance, model: str, measure: str | None = None) -> str:
    """Return how often intervals were right in the user's own past or, if nothing is known of it, elsewhere."""
    return history_text(result, model, measure) or precedents_text(result, measure)


def history_text(result: Performance, model: str, measure: str | None = None) -> str:
    """Return in how many past periods the interval contained the actual value; empty if no past is known."""
    measure, record = result.measures[0] if measure is None else measure, result.history
    covered, total = record.covered.get(measure, {}).get(model, (0, 0))
    # Labels of new rows measure what drift did.
    if result.refused or not total or len(result.labelled):
        return ""
    estimated = result.estimates[model][measure]
    words = f"In {covered} of {total} past {record.noun}s the interval contained the actual {called(measure)}."
    what_it_changes = _past_width(estimated, measure), _carried_text(estimated, measure), _familiar_text(result)
    return " ".join(filter(None, [words, *what_it_changes]))


def _past_width(estimated: Estimated, measure: str) -> str:
    """Say how wide the interval is with the user's own past and without; empty if that makes no difference."""
    without = estimated.without_past
    if without is None:
        return ""
    here, usual = (_width(shown_width(one, measure), measure) for one in (estimated.interval, without))
    return "" if here == usual else f"Adjusted to these results, the interval is {here} wide instead of {usual}."


def _familiar_text(result: Performance) -> str:
    """Say why data are estimated that would be refused without the user's own past."""
    if not result.shift.evidence.familiar:
        return ""
    return f"The new data differ a lot from the labelled data, but no more than past {result.history.noun}s did."


def _carried_text(estimated: Estimated, measure: str) -> str:
    """Say that errors of past estimates were carried on; empty if they hardly moved this one."""
    carried = estimated.carried
    if abs(carried) < _HARDLY_MOVED * estimated.interval.width:
        return ""
    were, moved = ("high", "lowered") if carried > 0 else ("low", "raised")
    return f"Past estimates were too {were}, so this one was {moved} by {_width(abs(carried), measure)}."


def precedents_text(result: Performance, measure: str | None = None) -> str:
    """Return what shifts of this size did to other people's models; empty where that was not measured."""
    measure = result.measures[0] if measure is None else measure
    if result.refused or result.assume != "natural" or len(result.labelled) or measure not in _IN_PRECEDENTS:
        return ""
    known = precedents(result.shift)
    errors = f"{100 * known.validated_error:.1f} points on average, our estimate by {100 * known.estimate_error:.1f}"
    return (
        f"In the {known.count} of {known.total} natural shifts that are closest in size to this one, cross-validation "
        f"was off by {errors}."
    )


def _baseline(baseline: MajorityBaseline) -> str:
    always = f"Always answering {shown(baseline.label)} is right for {percent(baseline.validated)} of the labelled rows"
    if baseline.interval.estimate != baseline.interval.estimate:
        return f"{always}."
    return f"{always}, and would be right for {_span(baseline.interval, 'accuracy')} of the new rows."


def interval_text(result: Performance) -> str:
    """Return what an interval contains, and what it comes from; of refused estimates what the figures apply to."""
    if result.refused:
        return _VALIDATED_ONLY
    rows = f"{result.n_new:,} new rows"
    if len(result.labelled):
        if result.all_labelled:
            return f"Computed from the labels of all {rows}."
        return f"Estimated from the scores of all {rows} and the labels of {len(result.labelled):,} of them."
    return (
        f"The {result.level:.0%} intervals are for the {rows}. Without labels, they rest on what is known about the "
        "shift."
    )


def why_text(result: Performance) -> str:
    """Return what the type of shift means for the estimates."""
    if result.refused:
        return result.shift.finding
    each = f"The table shows the {result.measures[0]} under each type of shift. {types_text(result)}"
    labels = " The labels of new rows were then combined with these." if len(result.labelled) else ""
    return f"{result.shift.finding} {each}{labels}"


def weights_decide(result: Performance) -> bool:
    """Return whether the probabilities of the types of shift alone weight their estimates."""
    return result.assume == "no drift"


def types_text(result: Performance) -> str:
    """Return how the estimates under each type of shift become one, and why none of them is cross-validation's."""
    final = "The final estimate combines the estimates in the table, with the weights shown."
    if not weights_decide(result):
        final = (
            f"The final estimate counts the one for prior shift with {percent(prior_weight(result.shift))}. The rest "
            "is the mean of three: the one for covariate shift, and what the probabilities of all models together, "
            "and of each model alone, lead one to expect."
        )
        if result.shift.kind == "none":
            final = "No shift is visible, so the final estimate is the one for no shift."
    if result.assume == "prior shift":
        final = "The final estimate is the one for prior shift, as you assumed."
    same = (
        "All estimates use the scores of the new rows, so even without a change they can differ from cross-validation."
    )
    return f"{final} {same}"


def plan_text(plan: LabelPlan) -> str:
    """Return how many rows to label, what for, and what that brings."""
    what = f"the {called(plan.measure)} of {plan.model}"
    goal = ""
    if plan.tolerance is not None:
        # An interval that is narrow enough already may still rest on too much.
        narrow = plan.width <= 2 * plan.tolerance
        goal = f" to check {what}" if narrow else f" to know {what} to within {_width(plan.tolerance, plan.measure)}"
    about = "its interval" if goal else f"the interval for {what}"
    wide = f"about {_width(plan.expected_width, plan.measure)} wide"
    then = f"with these labels it would be {wide}"
    now = f"{about} is {_width(plan.width, plan.measure)} wide"
    rows = counted(len(plan.rows), "row")
    if plan.expected_width == 0:
        which = "the other" if plan.labelled else "the only new" if len(plan.rows) == 1 else "all"
        rows = rows.removeprefix("1 ") if len(plan.rows) == 1 else rows
        return f"Label {which} {rows}; {what} is then known exactly."
    if plan.labelled:
        more, total = counted(len(plan.rows), "more row"), len(plan.rows) + plan.labelled
        rows = f"{more} ({total:,} with the {plan.labelled:,} that have a label)"
    if plan.width != plan.width:
        if goal:
            return f"Label {rows}{goal}. Without {'more ' if plan.labelled else ''}labels there is no estimate."
        return f"Label {rows}: there is no interval for {what} yet; {then}."
    # Few labels may widen an interval that rests on much else.
    if plan.expected_width > 1.01 * plan.width > 0:
        rests = f"with labels, it rests on fewer assumptions and would be {wide}"
        return f"Label {rows}{goal}: {now} without them; {rests}."
    return f"Label {rows}{goal}: {now}; {then}."


def points_apart(one: float, other: float) -> float:
    """Return the difference of two shares in percentage points, as a reader of the figures would find it.

    Examples
    --------
    >>> f"{points_apart(0.8346, 0.6154):.1f} points from {percent(0.6154)} to {percent(0.8346)}"
    '22.0 points from 61.5% to 83.5%'
    """
    return abs(round(100 * round(one, 12), 1) - round(100 * round(other, 12), 1))


def shown_width(interval: Interval, measure: str) -> float:
    """Return how wide an interval is between its ends as they are written."""
    return interval.width if measure in NUMBERS else points_apart(interval.low, interval.high) / 100


def _width(width: float, measure: str) -> str:
    """Write how wide an interval is: of shares in percentage points."""
    return written(width, measure) if measure in NUMBERS else f"{100 * width:.1f} points"
