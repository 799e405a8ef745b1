"""All sentences about a quantification."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shiftproof.case import (
    BY_LABELS,
    FEWEST_LABELS,
    FEWEST_NEW,
    ROUTED_POOL,
    either_text,
    note_text,
    too_few_rows,
    unknowable,
)
from shiftproof.core import Interval, Note, Phrase, Sensitive, Text, counted, percent, sentence, shown
from shiftproof.counting import NONE_QUALIFIES

if TYPE_CHECKING:
    from shiftproof.quantification._result import PeriodShares, Quantification
    from shiftproof.shift import ShiftKind

# At most 3 classes are named beside the one that is reported first.
_MOST_CLASSES = 3
# 200 simulations cannot give a smaller p-value than about this.
_LEAST_P = 0.005
#: Why features were not checked, if the user did not want them to be.
SKIPPED = "skipped, as requested"
#: What to do where nothing can be estimated.
LABEL_SOME = (
    "For an estimate, label some new rows drawn at random, and pass their labels: labels in Python, --labels on the "
    "command line."
)
# Shares outside of these are those of unstable equations.
_FARTHEST = -1.0, 2.0


def headline(result: Quantification) -> str:
    """Return the answer in a few words."""
    interval, label = result.prevalence[result.positive], shown(result.positive)
    if result.refused:
        return f"The share of class {label} in the new data cannot be estimated"
    if not result.informative:
        return f"The scores cannot show how many rows are in class {label}"
    return f"{_share(interval)} of the new rows are in class {label}"


def summary(result: Quantification) -> Phrase:
    """Say what the class proportions are, how sure that is, whether to believe it, and what other methods give."""
    sentences: list[Text]
    if result.refused:
        sentences = [_answer(result), *result.refusal, LABEL_SOME]
    elif result.n_labels:
        sentences = [_answer(result), *_other_classes(result), *([] if result.all_labelled else [_labels_text(result)])]
    else:
        both = _either(result)
        known = [both] if both else [_belief(result)]
        sentences = [_answer(result), *_other_classes(result), *known, _other_methods(result)]
    if result.periods:
        sentences.append(_course(result))
    return Phrase.joined(" ", [*sentences, *(sentence(note_clause(note)) for note in _asked_for(result))])


def _asked_for(result: Quantification) -> list[Note]:
    """Return the notes without the fallback of a method that the user did not choose."""
    if result.alone:
        return [note for note in result.notes if note.code != "method"]
    return [note for note in result.notes if not (result.pooled and NONE_QUALIFIES in note.detail)]


def refusal_sentences(result: Quantification, *, chosen: bool = False) -> tuple[str, ...]:
    """Say why nothing can be estimated; nothing if something can.

    An interval that allows for natural drift holds unless the new data are another kind of data, or too few to tell;
    any other one holds only if nothing but the class proportions changed. Who chose a method may count few rows. What
    labels show is estimated all the same.
    """
    if result.n_new < FEWEST_NEW and not chosen:
        return (too_few_rows(result.n_new),)
    if result.assume == "prior shift":
        return result.concerns
    if result.shift is None or not unknowable(result.shift, result.assume):
        return ()
    return (str(sentence(_too_different(result.shift))),)


def concern_sentences(result: Quantification) -> list[str]:
    """Say what shows that more than the class proportions changed; nothing where no check failed."""
    concerns = _impossible_counts(result)
    if result.mixture_rejected:
        p_value = mixture_p(result)
        p = f"p {p_value}" if p_value.startswith("<") else f"p = {p_value}"
        distance = f"KS distance {result.fit.distance:.2f}, {p}"
        concerns.append(f"no mix of the classes could produce these scores ({distance})")
    if result.shift is not None and result.shift.kind == "too different":
        concerns.append(_too_different(result.shift))
    elif result.shift is not None and result.shift.kind == "covariate":
        concerns.append("a change of the class proportions does not explain how the features changed (covariate shift)")
    return [str(sentence(words)) for words in concerns]


def _too_different(shift: ShiftKind) -> str:
    return f"the new data are too different from the labelled data. {' '.join(shift.reasons)}"


def mixture_p(result: Quantification) -> str:
    """Write how often chance alone gives scores as far from any mix of the classes."""
    return f"< {_LEAST_P:g}" if result.fit.p_value <= _LEAST_P else f"{result.fit.p_value:.2g}"


def model_fact(result: Quantification) -> str:
    """Name what the model is for: the estimate may use all models, counting methods use one."""
    return "model for counting methods" if result.pooled else "model"


def how_estimated(result: Quantification) -> str:
    """Say what made the estimates, and what an interval holds."""
    if result.alone:
        return (
            f"The estimate rests on {counted(result.n_labels, 'label')} of new rows. For the other rows, it uses the "
            "scores of the models, corrected with the labels of rows that have similar scores."
        )
    if result.pooled:
        made = (
            "The estimate joins two: the mean of the models' calibrated probabilities, and a count that assumes that "
            "only the class proportions changed. The more the data look like that, the more the count weighs."
        )
    else:
        made = (
            f"The method {result.method.removesuffix(' and labels')!r} was applied to the scores of {result.model!r}."
        )
    holds = (
        "An interval contains all shares that could have produced the estimate, if only the class proportions changed."
    )
    if result.n_labels:
        holds = f"It was then corrected with {counted(result.n_labels, 'label')} of new rows."
    elif result.assume == "natural":
        holds = "The intervals allow for natural drift, as measured on pairs of real tables."
    elif result.assume == "no drift":
        holds = "The intervals assume that the link between features and label did not change."
    return f"{made} {holds}"


def what_is_assumed(result: Quantification) -> str:
    """Say what methods assume, and what the checks say of it."""
    who = "Counting methods" if result.pooled else "All methods"
    checked = " ".join(result.concerns)
    if not checked:
        checked = (
            "Without labels, it cannot be determined whether this is the case."
            if result.assumption == "cannot tell"
            else "None of the checks that work without labels contradicts this."
        )
    allowed = ""
    if result.n_labels:
        allowed = " With labels of new rows, the estimate does not need this assumption."
    elif result.assume == "natural" and not result.refused:
        allowed = " The intervals do not assume that only the class proportions changed."
    same = "each class looks the same as before"
    return f"{who} assume that {same}, and that only the class proportions changed. {checked}{allowed}"


def note_clause(note: Note) -> Phrase:
    """Write a note of a quantification in words, without a full stop."""
    if note.code in ("model left out", "model cannot score"):
        # The error of a model may quote a cell.
        return Phrase(f"{note.subject!r} was left out: ", Sensitive(note.detail))
    return Phrase(note.shown_detail) if note.code == "method" else note_text(note)


def legend(result: Quantification) -> str:
    """Name the estimate in a plot."""
    return f"{method_called(result.method)}, {result.level:.0%} interval"


def method_called(method: str) -> str:
    """Return what a page calls a method: our own needs no name, as every other is called by its."""
    return "estimate" if method.startswith(ROUTED_POOL) or method == BY_LABELS else method


def _answer(result: Quantification) -> str:
    interval, label = result.prevalence[result.positive], shown(result.positive)
    rows, verb = counted(result.n_new, "new row"), "is" if result.n_new == 1 else "are"
    what = f"{percent(interval.estimate)} of {rows} {verb} in class {label}"
    before = f"{percent(result.training[result.positive])} of the labelled rows"
    if result.refused:
        # Otherwise the reasons, which come next, say that the new data are too different, or too few.
        assumed = ": all methods assume that only the class proportions changed, which is not the case here"
        assumed = assumed if result.assume == "prior shift" and result.concerns else ""
        return f"The share of class {label} in the new data cannot be estimated{assumed}."
    if result.all_labelled:
        return f"The label of every new row is known: {what}."
    span = f"{result.level:.0%} interval {percent(interval.low)} to {percent(interval.high)}"
    if not result.informative:
        return f"The scores cannot show how many of {rows} are in class {label} ({span})."
    if result.alone and result.shift is None:
        return f"About {what} ({span})."
    answer = f"About {what} ({span}), compared with {before}."
    if result.assume != "natural" or result.n_labels:
        return answer
    low, high = map(percent, result.errors[result.positive].ends_by_sampling(interval))
    return f"{answer} Sampling alone would give {low} to {high}; the rest of the interval allows for natural drift."


def _other_classes(result: Quantification) -> list[str]:
    """Name the other classes that changed most, where there are more than two."""
    if len(result.classes) == 2:
        return []

    def change(label: object) -> float:
        return abs(result.prevalence[label].estimate - result.training[label])

    # The largest changes first: with many classes the rest hardly moved.
    others = sorted((label for label in result.classes if label != result.positive), key=change, reverse=True)
    changes = [
        f"of class {shown(label)} went from {percent(result.training[label])} to {_share(result.prevalence[label])}"
        for label in others[:_MOST_CLASSES]
    ]
    return [f"The share {'; that '.join(changes)}."]


def _average(result: Quantification, periods: list[PeriodShares], each: str) -> str:
    """Say why the periods average to another figure than the whole; empty if they do not."""
    rows = [period.n_rows for period in periods]
    shares = [period.prevalence[result.positive].estimate for period in periods]
    together = percent(sum(n * share for n, share in zip(rows, shares, strict=True)) / sum(rows))
    whole = percent(result.prevalence[result.positive].estimate)
    if result.refused or together == whole:
        return ""
    how = "for its own type of shift" if result.assume == "natural" and result.pooled else "separately"
    return f" Each {each} is estimated {how}, so together they average to {together}, not {whole}."


def _either(result: Quantification) -> str:
    """Say both answers where the data cannot tell which is right."""
    if result.either is None or result.refused:
        return ""
    one, other = (shares[result.positive] for shares in result.either)
    return either_text((one, other), percent)


def _labels_text(result: Quantification) -> str:
    rests = "rests on" if result.alone else "was corrected with"
    labels = counted(result.n_labels, "label")
    return (
        f"The estimate {rests} {labels} of new rows. If these rows were drawn at random, it is valid whatever changed."
    )


def _other_methods(result: Quantification) -> str:
    low, high = result.range[result.positive]
    plain = result.others.get("classify and count", {}).get(result.positive)
    counting = "" if plain is None else f"; plain counting, which is biased, gives {percent(plain)}"
    # The pool of all models does not assume what methods that count do.
    those = (
        "Methods that correct for class proportions alone"
        if result.pooled
        else "Other methods that correct for a change"
    )
    # With one digit they may all be the same.
    span = " to ".join(dict.fromkeys((percent(low), percent(high))))
    return f"{those} give {span}{counting}."


def _belief(result: Quantification) -> Text:
    if result.assumption == "broken":
        known = [] if result.refused else ["More than the class proportions changed; the interval allows for that."]
        return " ".join([*known, *result.concerns])
    if result.shift is None and result.unchecked == SKIPPED:
        return (
            "The estimate assumes that only the class proportions changed. As requested, the features were not used to "
            "check this: if anything else changed, the figure can be far off."
        )
    if result.shift is None:
        checked = "Only the scores could be used to check whether only the class proportions changed"
        return Phrase(f"{checked}; nothing in them speaks against it (", result.unchecked, ").")
    if result.assume == "prior shift":
        return "You assumed that only the class proportions changed; nothing in the data speaks against it."
    if result.assumption == "cannot tell":
        reasons = " ".join(result.shift.reasons)
        return f"Caution: it cannot be determined whether only the class proportions changed. {reasons}"
    if result.shift.kind == "none":
        if result.periods:
            return "No shift was found over all new rows together."
        return "No shift was found, and nothing speaks against the figures."
    return "Changed class proportions alone explain the difference (prior shift)."


def impossible_share(value: float) -> str:
    """Write a share outside 0 to 1 in whole per cent; far outside, the digits say nothing.

    Examples
    --------
    >>> impossible_share(1.394), impossible_share(40.0)
    ('139%', 'far more than 100%')
    """
    if _FARTHEST[0] <= value <= _FARTHEST[1]:
        return f"{value:.0%}"
    return "far less than 0%" if value < 0 else "far more than 100%"


def _impossible_counts(result: Quantification) -> list[str]:
    """Name the adjusted counts that leave 0 to 1 by more than chance explains, the farthest first."""
    codes = [result.classes.index(result.positive)] if len(result.classes) == 2 else range(len(result.classes))
    outside = [count for count in result.unclipped if count.outside and count.code in codes]
    if not outside:
        return []
    # One figure is enough to refute the assumption; the others are only named.
    worst = max(outside, key=lambda count: max(-count.value, count.value - 1))
    also = [count.method for count in outside if count is not worst and count.code == worst.code]
    too = f". The same is true of {' and '.join(f'the {name}' for name in also)}" if also else ""
    label = shown(result.classes[worst.code])
    counted = f"the {worst.method} of class {label} is {impossible_share(worst.value)}, which is impossible"
    beyond = f" and too far {'below 0%' if worst.value < 0 else 'above 100%'} to be chance"
    # Far outside, no digits are written, and the words say it already.
    return [f"{counted}{beyond if _FARTHEST[0] <= worst.value <= _FARTHEST[1] else ''}{too}"]


def _course(result: Quantification) -> Phrase:
    periods = [period for period in result.periods if period.prevalence]
    estimated = [period for period in periods if not math.isnan(period.prevalence[result.positive].estimate)]
    if not estimated:
        label, by = shown(result.positive), shown(result.by)
        return Phrase(f"The share of class {label} cannot be estimated for any value of {by} either.") + _undated(
            result
        )
    lead, words = f"By {result.every}, the", ("goes from {} in ", ", the first, to {} in ", ", the last")
    if result.every is None:
        # Groups have no first and last one.
        estimated.sort(key=lambda period: period.prevalence[result.positive].estimate)
        of = f"for {result.by} "
        lead, words = "The", (f"is lowest, {{}}, {of}", f" and highest, {{}}, {of}", "")
    first, last = estimated[0], estimated[-1]
    begin, end = result.period_name(first), result.period_name(last)
    shares = [_share(period.prevalence[result.positive]) for period in (first, last)]
    label, by = shown(result.positive), shown(result.by)
    verb, middle = (text.format(share) for text, share in zip(words[:2], shares, strict=True))
    course = Phrase(f"{lead} share of class {label} {verb}", begin, middle, end, f"{words[2]}.")
    each = result.every or "group"
    # A course needs two periods.
    if len(estimated) == 1 < len(periods):
        course = Phrase(f"The share of class {label} for {by} ", begin, f" is {shares[0]}.")
    elif len(periods) == 1:
        course = Phrase(f"All rows with a value of {by} are from ", begin, ".")
    else:
        course += _average(result, estimated, each)
    if result.n_labels and not result.all_labelled:
        course += f" Only a {each} with at least {FEWEST_LABELS} labels of its own uses them."
    if refused := len(periods) - len(estimated):
        course += f" {counted(refused, each)} cannot be estimated, because of too few labels."
    return course + _undated(result)


def _undated(result: Quantification) -> str:
    if not result.n_undated:
        return ""
    verb = "is" if result.n_undated == 1 else "are"
    return f" {counted(result.n_undated, 'row')} without a value of {shown(result.by)} {verb} not in any period."


def _share(interval: Interval) -> str:
    """Write a share with its interval."""
    return f"{percent(interval.estimate)} ({percent(interval.low)} to {percent(interval.high)})"
