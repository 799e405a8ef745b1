"""Sentences about a backtest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shiftproof.backtesting._ages import ModelAge
from shiftproof.case import FEWEST_PERIODS, NO_RECORD
from shiftproof.case import note_text as case_note_text
from shiftproof.core import Interval, Note, Phrase, counted, percent, sentence, share
from shiftproof.reporting import Tone
from shiftproof.selection import NUMBERS, called, written

if TYPE_CHECKING:
    from shiftproof.backtesting._result import Backtest

# Fewer periods do not show how often intervals are right.
_ENOUGH = 3
# Allowances within this factor of those of natural drift elsewhere are about the same.
_SAME = 1.15
# So many periods that could not be replayed are named.
_NAMED = 3
_SENTENCES = {
    "no rows": "no rows",
    "too few rows": "{detail}",
    "too few of a class": "{detail}",
    "failed": "{detail}",
}


def note_text(note: Note) -> Phrase:
    """Return the sentence of a note, without its full stop.

    Examples
    --------
    >>> str(note_text(Note(code="too few rows", detail="3 rows, at least 20 are needed")))
    '3 rows, at least 20 are needed'
    """
    return case_note_text(note, _SENTENCES)


def points(size: float, measure: str) -> str:
    """Write a difference between two values of a measure.

    Examples
    --------
    >>> points(0.0213, "accuracy"), points(0.0213, "auc")
    ('2.1 points', '0.021')
    """
    return f"{_bare(size, measure)}{'' if measure in NUMBERS else ' points'}"


def backtest_headline(result: Backtest) -> str:
    """Say in how many periods the interval contained the actual value."""
    covered, total = result.counts(result.best)
    measure = called(result.measures[0])
    if not total:
        return f"The {measure} could not be estimated in any past {result.noun}."
    of_model = f" of {result.best}" if len(result.names) > 1 else ""
    return (
        f"In {covered} of {counted(total, f'past {result.noun}')} the actual {measure}{of_model} was inside our "
        f"{result.level:.0%} interval."
    )


def tone_of(result: Backtest) -> Tone:
    """Return "good" if the intervals contained the actual value about as often as they should."""
    covered, total = result.counts(result.best)
    if total < _ENOUGH:
        return "unknown"
    if result.coverage(model=result.best).high >= result.level:
        return "good"
    return "care" if covered * 2 >= total else "bad"


def backtest_words(result: Backtest, *, below_headline: bool = False) -> Phrase:
    """Say how often the intervals were right, how far estimates were off, and when models should be refitted.

    Below the headline, which says how often they were right, only their width is said.
    """
    first = _width(result) if below_headline else [_coverage(result)]
    parts = [*first, *_errors(result), *_drift(result), *_age(result)]
    skipped = _skipped(result)
    return Phrase.joined(" ", [*parts, *([skipped] if skipped else []), *_undated(result), *_notes(result)])


def _coverage(result: Backtest) -> str:
    """Repeat the headline, with the model that it is about and how wide its intervals are."""
    covered, total = result.counts(result.best)
    if not total:
        return backtest_headline(result)
    measure = result.measures[0]
    first = (
        f"In {covered} of {counted(total, f'past {result.noun}')} the actual {called(measure)} of {result.best} was "
        f"inside our {result.level:.0%} interval (mean width {points(result.width(result.best, measure), measure)})."
    )
    return " ".join([first, *_beside(result)])


def _width(result: Backtest) -> list[str]:
    """Say how wide intervals are; nothing if there was no estimate, which the headline says."""
    if not result.counts(result.best)[1]:
        return []
    measure = result.measures[0]
    wide = f"The intervals of {result.best} are {points(result.width(result.best, measure), measure)} wide on average."
    return [wide, *_beside(result)]


def _beside(result: Backtest) -> list[str]:
    """Say in how many periods there was no estimate, and how often intervals of all models were right."""
    words, refused = [], len(result.replayed) - result.counts(result.best)[1]
    if refused:
        words.append(f"In {counted(refused, f'more {result.noun}')}, there was no estimate.")
    if len(result.names) > 1:
        counts = [result.counts(name) for name in result.names]
        covered, total = (sum(numbers) for numbers in zip(*counts, strict=True))
        words.append(f"Over all models, {covered} of {total} intervals contained the actual value.")
    return words


def _errors(result: Backtest) -> list[str]:
    measure, model = result.measures[0], result.best
    validated, estimated = result.errors(model)
    if estimated != estimated:
        return []
    validated_by = "Cross-validation" if result.fits else "The figure on earlier rows"
    ours = points(estimated, measure)
    return [f"{validated_by} was off by {points(validated, measure)} on average, our estimate by {ours}."]


def _drift(result: Backtest) -> list[str]:
    measure = result.measures[0]
    # The record is used, and says something, from here on.
    if result.record.n_periods(measure) < FEWEST_PERIODS:
        return []
    factor = result.record.factor(measure)
    words = "These data drift about as much as other data sets, so intervals for new data assume the usual drift."
    if not 1 / _SAME <= factor <= _SAME:
        more, times = "less" if factor < 1 else "more", f"{factor:.2f} times the usual drift"
        words = f"These data drift {more} than other data sets, so intervals for new data assume {times}."
    # Both change the width of intervals, often in opposite directions.
    usual, chance = (share(record.break_chance(measure)) for record in (NO_RECORD, result.record))
    known = counted(result.record.n_periods(measure), f"past {result.noun}")
    return [words, f"With {known} known, they assume a lower chance of a sudden break: {chance} instead of {usual}."]


def _age(result: Backtest) -> list[str]:
    """Say when models should be refitted."""
    own = [one for one in result.ages if one.model == result.best]
    if not own:
        return []
    noun, measure = result.noun, result.aged_by
    first = result.refit_after(result.best)
    # The oldest age that is judged: few periods have a model that is much older.
    judged = [one for one in own if one.judged]
    if first is None and not judged:
        most = max(one.n_periods for one in own)
        scored = "1 was" if most == 1 else f"{most} were"
        needed = f"too few {noun}s were also scored by an older {result.best} ({scored}; {FEWEST_PERIODS} are needed)"
        return [f"Whether {result.best} gets worse with age cannot be determined: {needed}."]
    if first is None and judged[-1].as_good:
        old = f"when {counted(judged[-1].age, noun)} old, it is just as good as when just refitted"
        return [f"Refitting {result.best} every {noun} would not have helped: {old}."]
    if first is None:
        lost = f"when {counted(judged[-1].age, noun)} old, {_lost(judged[-1].loss, measure)}"
        return [f"Refitting {result.best} every {noun} would not clearly have helped: {lost}."]
    old = counted(first.age, noun)
    # Refitted every three quarters, a model serves a quarter at the ages 0, 1 and 2, and never at the age of 3.
    when = f"every {noun}" if first.age == 1 else f"before it is {old} old"
    return [
        f"When {old} old, {result.best} is {points(first.loss.estimate, measure)} worse in {called(measure)} than when "
        f"just refitted: refit it {when}."
    ]


def loss_words(loss: Interval, measure: str) -> str:
    """Write what an older model loses, with the interval, for a table.

    Examples
    --------
    >>> loss_words(Interval(estimate=0.011, low=-0.007, high=0.028, level=0.9, method="student"), "accuracy")
    '1.1 points (-0.7 to 2.8)'
    """
    return f"{points(loss.estimate, measure)} ({_bare(loss.low, measure)} to {_bare(loss.high, measure)})"


def compared_words(result: Backtest) -> str:
    """Say how many periods each age was compared in, and which ages are not judged."""
    noun = result.noun
    own = [one for one in result.ages if one.model == result.best]
    if not own:
        return ""
    words = f"{_aged(own[:1], noun)} were compared in {counted(own[0].n_periods, noun)}."
    few = [one for one in own if not one.judged]
    if few:
        words += f" {_aged(few, noun)} were compared in fewer than {FEWEST_PERIODS} {noun}s, too few to judge."
    return words


def _aged(ages: Sequence[ModelAge], noun: str) -> str:
    """Write models of some ages.

    Examples
    --------
    >>> loss = Interval(estimate=0.01, low=0, high=0.02, level=0.9, method="student")
    >>> _aged([ModelAge(model="lr", age=age, loss=loss, n_periods=2) for age in (4, 5)], "quarter")
    'Models 4 and 5 quarters old'
    """
    *most, last = (str(one.age) for one in ages)
    numbers = f"{', '.join(most)} and {last}" if most else last
    return f"Models {numbers} {noun}{'s' * (numbers != '1')} old"


def _lost(loss: Interval, measure: str) -> str:
    """Say how much worse or better an older model is, with the interval.

    Examples
    --------
    >>> _lost(Interval(estimate=-0.01, low=-0.03, high=0.01, level=0.9, method="student"), "accuracy")
    'it was 1.0 points better in accuracy (-1.0 to 3.0)'
    """
    sign = -1 if loss.estimate < 0 else 1
    low, high = sorted(sign * end for end in (loss.low, loss.high))
    ends = f"{_bare(low, measure)} to {_bare(high, measure)}"
    better = "better" if sign < 0 else "worse"
    return f"it was {points(abs(loss.estimate), measure)} {better} in {called(measure)} ({ends})"


def _bare(size: float, measure: str) -> str:
    return written(size, measure) if measure in NUMBERS else f"{100 * size:.1f}"


def _skipped(result: Backtest) -> Phrase:
    """Name the periods that could not be replayed."""
    skipped = [period for period in result.periods if period.skipped is not None]
    if not skipped:
        return Phrase()
    named = [
        Phrase(result.name(period), " (", note_text(period.skipped), ")")
        for period in skipped[:_NAMED]
        if period.skipped is not None
    ]
    more = f" and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
    head = f"{len(skipped)} of {counted(len(result.periods), result.noun)} could not be replayed: "
    return Phrase(head, Phrase.joined(", ", named), more, ".")


def _undated(result: Backtest) -> list[str]:
    if not result.n_undated:
        return []
    return [f"{counted(result.n_undated, 'row')} without a time {'was' if result.n_undated == 1 else 'were'} left out."]


def _notes(result: Backtest) -> list[Phrase]:
    return [sentence(note_text(note)) for note in result.notes]


def baseline_words(result: Backtest) -> str:
    """Say what the baseline is, with its mean."""
    known = [period.baseline for period in result.replayed]
    return (
        f"Always answering the class that was most frequent before would have been right for "
        f"{percent(sum(known) / len(known))} of the rows, averaged over the {result.noun}s."
    )
