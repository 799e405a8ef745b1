"""Sentences about detections and timelines."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import Phrase, Sensitive, Text, counted, effect, listed, p_words, share, shown
from shiftproof.detection._features import EFFECT, MATERIAL, FeatureShift, Verdict
from shiftproof.detection._scores import MATERIAL_SCORES
from shiftproof.detection._suspicion_words import suspected, suspicion_texts
from shiftproof.stats import ContinuousRecord, NominalRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shiftproof.detection._result import Detection
    from shiftproof.detection._scores import ScoreShift
    from shiftproof.detection._timeline import Timeline
    from shiftproof.stats import Record

#: Caveat of every answer without labels.
INVISIBLE = "If the link between features and label changed (concept shift), only labels can show it."
# A sentence with more columns than these is not read.
_MOST_NAMED = 5
# Smaller changes of a share or of a rank are "much the same".
_LEVEL = 0.05
# Values are spread more or less widely if the middle half of them reaches over this part more or less.
_SPREAD = 0.1
_DIRECTIONS = {
    "number": (("higher", "high values"), ("lower", "low values")),
    "date": (("later", "late dates"), ("earlier", "early dates")),
    "duration": (("longer", "long durations"), ("shorter", "short durations")),
}
_SAME = "much the same"
_UNCLEAR = "no clear change"
_NO_VALUES = "no values in one table"
_KINDS = {
    "none": "",
    "prior": "it looks like prior shift, a change of class proportions only",
    "covariate": "it looks like covariate shift, a different mix of inputs",
    "unclear": "the type of shift is unclear",
    "too different": "the new data are too different to say whether this is prior or covariate shift",
}


def detection_words(result: Detection) -> Phrase:
    """Say what changed, how certain that is, and which columns and models were left out."""
    about: list[Text] = [finding(result), *_later_dates(result), *suspicion_texts(result.suspicions)]
    return Phrase.joined(" ", [*about, _assurance(result), *_omissions(result)])


def feature_note(row: FeatureShift, record: Record | None) -> Text:
    """Return the note of a test, sensitive where it names categories that the reference does not have."""
    unseen = isinstance(record, NominalRecord) and row.test == "chi-square" and 0 in record.counts_reference
    return Sensitive(row.note) if row.note and unseen else row.note


def score_note(row: ScoreShift) -> Text:
    """Return the note of a model's scores, sensitive where it holds the error of a model that failed."""
    return Phrase("could not score the new rows: ", Sensitive(row.note)) if row.failed else row.note


def category_names(record: NominalRecord, *, redact: bool = False) -> tuple[Any, ...]:
    """Return the categories of a record, or numbers for them from the most frequent to the rarest."""
    if not redact:
        return record.categories
    order = np.argsort(-(record.counts_reference + record.counts_current), kind="stable")
    # The inverse permutation: the rank of each category.
    return tuple(f"category {rank}" for rank in (np.argsort(order) + 1).tolist())


def what_happened(result: Detection, feature: str) -> Text:
    """Say in a few words how a feature changed, its missing and infinite values included."""
    parts: list[Text] = [suspected(result.suspicions, feature)]
    for row in result.rows:
        if row.feature != feature:
            continue
        if row.test == "presence":
            return "absent from the new data"
        if row.test in ("ks", "chi-square"):
            parts.append(observed(result.records[feature], shifted=row.shifted))
        elif row.shifted and row.test == "missing":
            parts.append(f"missing: {share(row.missing_reference)} before, {share(row.missing_current)} now")
        elif row.shifted:
            parts.append("infinite values: a different share than before")
    changed = [part for part in parts if part not in ("", _SAME, _UNCLEAR, _NO_VALUES)]
    return Phrase.joined("; ", changed) if changed else _UNCLEAR if _UNCLEAR in parts else _SAME


def observed(record: Record, *, shifted: bool) -> Text:
    """Say how a feature changed as far as a test has shown it: a visible difference may be chance."""
    words = described(record, differs=shifted)
    return words if shifted or words in (_SAME, _NO_VALUES) else _UNCLEAR


def described(record: Record, *, differs: bool = False) -> Text:
    """Say in words what a picture of a feature, before and now, shows; `differs` if a test has seen a change."""
    if not record.n or not record.m:
        return _NO_VALUES
    if isinstance(record, ContinuousRecord):
        return _described_numbers(record, differs=differs)
    # Shares, because the two tables rarely have the same number of rows.
    before, now = record.counts_reference / record.n, record.counts_current / record.m
    apart = now - before
    most = int(np.abs(apart).argmax())
    unseen = float(now[record.counts_reference == 0].sum())
    # Many rare new values, none of which is frequent.
    if unseen > max(abs(apart[most]), _LEVEL):
        return f"{share(unseen)} of the values never occurred before"
    if abs(apart[most]) < _LEVEL and not differs:
        return _SAME
    category = Sensitive(shown(record.categories[most]), str(category_names(record, redact=True)[most]))
    shares = f"{share(float(before[most]))} before, {share(float(now[most]))} now"
    return Phrase(category, f" is {'more' if apart[most] > 0 else 'less'} frequent: {shares}")


def _described_numbers(record: ContinuousRecord, *, differs: bool) -> Text:
    if record.family == "number" and _has_two_values(record):
        return _described_flag(record, differs=differs)
    higher = record.rank_sum / (record.n * record.m)  # from -1, all lower, to 1
    before, now = (_quantile(steps, 0.5) for steps in (record.steps_reference, record.steps_current))
    # Ranks and medians may disagree, for example if the spread changed as well.
    if abs(higher) >= _LEVEL and (now - before) * higher >= 0:
        return _direction(record, higher > 0, before, now)
    if not differs:
        return _SAME
    before, now = (
        _quantile(steps, 0.75) - _quantile(steps, 0.25) for steps in (record.steps_reference, record.steps_current)
    )
    if abs(now - before) <= _SPREAD * before:
        return "distributed differently"
    return "spread more widely" if now > before else "spread less widely"


def _has_two_values(record: ContinuousRecord) -> bool:
    """Return whether a column has two values only, such as 0 and 1."""
    between = record.bins_reference[1:-1].any() or record.bins_current[1:-1].any()
    steps = np.concatenate([record.steps_reference, record.steps_current])
    return not between and record.low < record.high and bool(np.isin(steps, (record.low, record.high)).all())


def _described_flag(record: ContinuousRecord, *, differs: bool) -> Text:
    """Say how often the higher of two values occurs."""
    before, now = float(record.bins_reference[-1] / record.n), float(record.bins_current[-1] / record.m)
    if abs(now - before) < _LEVEL and not differs:
        return _SAME
    value = Sensitive(_number(record.high), "the higher value")
    return Phrase(value, f" is {'more' if now > before else 'less'} frequent: {share(before)} before, {share(now)} now")


def _direction(record: ContinuousRecord, higher: bool, before: float, now: float) -> Text:
    """Say that values are higher or lower, with medians that agree."""
    than_before, more = _DIRECTIONS[record.family][0 if higher else 1]
    # Dates and durations are stored as microseconds, which nobody reads.
    readable = record.family == "number"
    # Medians that are equal as written must not stand beside "higher".
    if now == before or (readable and _number(now) == _number(before)):
        value = Sensitive(f": {_number(now)}", "") if readable else ""
        return Phrase(f"more {more} (median unchanged", value, ")")
    if not readable:
        return f"{than_before} than before"
    return Phrase(than_before, Sensitive(f": median {_number(before)} before, {_number(now)} now", " than before"))


def picture_axis(record: Record) -> Text:
    """Say what the width of a small picture spans: a range of numbers or dates, or categories in order."""
    if not isinstance(record, ContinuousRecord):
        return "most frequent first"
    low, high = record.view_low, record.view_high
    if low != low or record.family == "duration":
        return ""
    if record.family == "date":
        # Microseconds since 1970.
        ends = [str(np.datetime64(int(end), "us").astype("datetime64[D]")) for end in (low, high)]
    else:
        ends = [_number(low), _number(high)]
    return Sensitive(" to ".join(dict.fromkeys(ends)), "")


def _number(value: float) -> str:
    """Write a value of the data with three digits, a large one with all that it has before the point.

    Examples
    --------
    >>> _number(54_321.6), _number(0.12345), _number(3e12)
    ('54,322', '0.123', '3e+12')
    """
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.3g}"


def _quantile(steps: NDArray[Any], part: float) -> float:
    """Return a quantile from order statistics at even steps."""
    return float(steps[round(part * (len(steps) - 1))])


def finding(result: Detection) -> str:
    """Say what changed in one sentence."""
    if not result.rows and not result.scores:
        return "Nothing could be tested."
    if result.verdict == "cannot tell":
        fewest = min(result.n_reference, result.n_current)
        few = "is too few" if fewest == 1 else "are too few"
        return f"{counted(fewest, 'row')} {few} to detect a shift; {_smallest_visible(result)}."
    if result.verdict == "no shift":
        return f"{_quiet(result)}; {_smallest_visible(result)}."
    significant = "Significant but negligible: " if result.verdict == "negligible" else ""
    kind = "" if result.kind is None or result.verdict == "negligible" else _KINDS[result.kind.kind]
    return "; ".join(filter(None, [significant + _changes(result), _worst(result), kind])) + "."


def _later_dates(result: Detection) -> list[str]:
    """Say that dates are later in every new row, which is usual and hides whether anything else changed."""
    later = [
        name
        for name, record in result.records.items()
        if isinstance(record, ContinuousRecord)
        and record.family == "date"
        and record.rank_sum == record.n * record.m > 0
    ]
    if not later or len(later) == len(result.records):
        return []
    this = "this column" if len(later) == 1 else "these columns"
    return [f"All new dates in {listed(later)} are later than before; exclude {this} to compare the others."]


def _changes(result: Detection) -> str:
    """Say which of the stages detected a change."""
    material = result.verdict == "shifted"
    total = len({row.feature for row in result.rows})
    # Features are counted, not tests: one feature may fail by its values and by its missing share.
    features = len({row.feature for row in result.rows if (row.material if material else row.shifted)})
    scores = [row for row in result.scores if (row.material if material else row.shifted)]
    enough = "enough to matter" if material else "none enough to matter"
    comma = "" if material else ","
    moved = _scores(result, len(scores)) if scores else ""
    if features and scores:
        return f"{moved} and {features} of {counted(total, 'feature')} changed{comma} {enough}"
    if features:
        hardly = "hardly did" if any(row.shifted for row in result.scores) else "did not"
        quiet = f", the scores {hardly} ({p_words(result.p_value)})" if result.score_records and not scores else ""
        return f"{features} of {counted(total, 'feature')} shifted{comma} {enough}{quiet}"
    if scores:
        return (
            f"{moved} but no single feature changed enough to matter"
            if material
            else f"{moved}, but not enough to matter"
        )
    if material and not any(part.material for part in result.parts):
        wrong = "looks wrong" if len(result.suspects) == 1 else "look wrong"
        return f"No feature changed enough to matter, but {listed(result.suspects)} {wrong}"
    auc = math.nan if result.multivariate is None else result.multivariate.auc.estimate
    distinguished = f"a classifier can tell new rows from reference rows (AUC {auc:.2f})"
    if not material:
        return f"{distinguished}, hardly"
    enough = " enough to matter" if any(row.shifted for row in result.rows) else ""
    together = ": they changed together" if total > 1 else ""
    return f"No single feature shifted{enough}, but {distinguished}{together}"


def _scores(result: Detection, count: int) -> str:
    most = result.scores[0]
    if len(result.score_records) == 1:
        return f"The scores shifted (KS distance {effect(most.ks, threshold=MATERIAL_SCORES)})"
    of = f"{count} of {len(result.score_records)} models"
    return f"The scores of {of} shifted ({shown(most.model)} the most, KS {effect(most.ks, threshold=MATERIAL_SCORES)})"


def _worst(result: Detection) -> str:
    worst = result.rows[0] if result.rows else None
    return f"{shown(worst.feature)} changed most ({change_size(worst)})" if worst is not None and worst.shifted else ""


def change_size(row: FeatureShift) -> str:
    """Say how large a change is: shares of missing values as they are, all else by its distance."""
    if row.test == "presence":
        return row.note
    if row.test == "missing":
        return f"missing {share(row.missing_reference)} before, {share(row.missing_current)} now"
    return f"{EFFECT[row.test]} {effect(row.effect, threshold=MATERIAL[row.test])}"


def _quiet(result: Detection) -> str:
    total = len({row.feature for row in result.rows})
    unsure = len({row.feature for row in result.value_rows if row.verdict == "cannot tell"})
    scores = "the scores or in " if result.score_records else ""
    if not unsure:
        return f"No shift seen in {scores}{counted(total, 'feature')}"
    if unsure == total:
        few = f"Too few rows to see a shift in {counted(total, 'feature')}"
        return f"No shift seen in the scores. {few}" if result.score_records else few
    return f"No shift seen in {scores}{total - unsure} of {counted(total, 'feature')}, and for {unsure} we cannot tell"


def _smallest_visible(result: Detection) -> str:
    """Name the change that would have been seen in every feature that is called quiet, or in the best one."""
    quiet = [row for row in result.value_rows if row.verdict == "no shift"]
    # If no feature is quiet, the best test tells how much could have been seen at all.
    visible = quiet or [row for row in result.value_rows if not math.isnan(row.detectable)]
    if not visible:
        return "even a complete change could not be detected"
    chosen = (max if quiet else min)(visible, key=lambda row: row.detectable)
    return f"the smallest detectable shift is a {EFFECT[chosen.test]} of {chosen.detectable:.2f} (80% power)"


def _assurance(result: Detection) -> str:
    tests = sum(not math.isnan(part.p_value) for part in result.parts)
    rows = f"{counted(result.n_reference, 'reference row')}, {counted(result.n_current, 'new row')}"
    level = f"false discovery rate {100 * result.alpha:g}% (Benjamini-Hochberg)"
    return f"{rows}, {counted(tests, 'test')}, {level}. {INVISIBLE}"


def _omissions(result: Detection) -> list[Text]:
    words: list[Text] = [
        Phrase(f"{shown(row.model)} ", score_note(row), ".") for row in result.scores if math.isnan(row.p_value)
    ]
    return [*words, *filter(None, [_untested(result)])]


def _untested(result: Detection, *apart: str) -> str:
    """Name the columns that were not tested, apart from scores, labels and those given."""
    columns = {name: why for name, why in result.left_out.items() if why not in ("score", "label")}
    named = [f"{shown(name)} ({why})" for name, why in columns.items() if name not in apart]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return f"Not tested: {', '.join(named[:_MOST_NAMED])}{more}." if named else ""


def advice(result: Detection) -> tuple[str, ...]:
    """Say which features to look into: those without values, and those that changed without their usual partners."""
    empty = {row.feature: None for row in result.rows if row.missing_current == 1 > row.missing_reference}
    fix = [f"{shown(feature)} has no values in the new data; check where it comes from." for feature in empty]
    if result.association is None:
        return tuple(fix)
    # A column that lost its values changed, whatever a test of so few values says.
    shifted = list(dict.fromkeys([row.feature for row in result.rows if row.shifted] + list(empty)))
    # A change too small to matter is not worth following, but its feature cannot be said not to have changed either.
    material = {row.feature for row in result.rows if row.material}
    return *fix, *(
        f"{shown(feature)} changed and {shown(partner)} did not, although the two usually change together "
        f"(correlation of their changes {phi:.2f}): check the source of {shown(feature)}."
        for feature, (partner, phi) in result.association.substitutes(shifted).items()
        if feature in material and feature not in empty
    )


def timeline_words(result: Timeline) -> Phrase:
    """Say how many periods shifted, since when, what changed most, and how many false alarms to expect."""
    rest = _kinds_over_time(result), _unsure(result), _alarms(result), INVISIBLE, _omitted_rows(result)
    assert result.latest.detection is not None  # noqa: S101 - it has rows
    untested = _untested(result.latest.detection, result.by)
    return Phrase.joined(" ", filter(None, [_finding_over_time(result), _last_period(result), *rest, untested]))


def timeline_headline(result: Timeline) -> str:
    """Give the answer of a timeline in a few words."""
    count = sum(period.verdict == result.verdict for period in result.periods)
    of_all = f"{count} of {counted(len(result.periods), result.noun)}"
    headlines: dict[Verdict, str] = {
        "shifted": f"{of_all} shifted",
        "negligible": f"{of_all} shifted, but negligibly",
        "no shift": f"No shift seen in {of_all}",
        "cannot tell": "Cannot tell",
    }
    return headlines[result.verdict]


def _finding_over_time(result: Timeline) -> Text:
    total = counted(len(result.periods), result.noun) + ("" if result.every else f" of {shown(result.by)}")
    alike = [period for period in result.periods if period.verdict == result.verdict]
    if result.verdict == "cannot tell":
        return f"Cannot tell for any of {total}."
    if result.verdict == "no shift":
        return f"No shift seen in {len(alike)} of {total}."
    enough = "enough to matter" if result.verdict == "shifted" else "but none enough to matter"
    # The feature that is the worst in most periods, whatever the sizes, which vary with the rows.
    worst = Counter(period.worst.feature for period in alike if period.worst is not None)
    most = f"; {_most_often(worst, len(alike))}" if worst else ""
    # Of a single period nobody asks which was the first.
    several = len(alike) < len(result.periods) or len(alike) > 1
    first = Phrase(", the first being ", result.name(alike[0])) if several else ""
    return Phrase(f"{len(alike)} of {total} shifted {enough}", first, f"{most}.")


def _most_often(worst: Counter[str], periods: int) -> str:
    """Name the feature that changed most in the largest number of periods.

    Examples
    --------
    >>> _most_often(Counter({"age": 3, "job": 1}), 5), _most_often(Counter({"age": 2}), 2)
    ("'age' changed most in 3 of them", "'age' changed most in all of them")
    """
    feature, times = worst.most_common(1)[0]
    where = "" if periods == 1 else " in all of them" if times == periods else f" in {times:,} of them"
    return f"{shown(feature)} changed most{where}"


def _last_period(result: Timeline) -> Text:
    """Name the last period, which decides in a job, unless the calendar makes it plain."""
    if result.every or len(result.periods) == 1:
        return ""
    return Phrase(f"The last {result.noun} is ", result.name(result.latest), f" ({result.latest.verdict}).")


def _kinds_over_time(result: Timeline) -> str:
    """Count the types of the shifts that matter, where labels were given."""
    detections = [period.detection for period in result.periods if period.detection is not None]
    counts = Counter(detection.shift_kind for detection in detections if detection.kind and detection.material)
    kinds = ", ".join(f"{kind} in {times}" for kind, times in counts.most_common())
    return f"Type of shift: {kinds}." if kinds else ""


def _unsure(result: Timeline) -> str:
    if result.verdict == "cannot tell":
        return f"The largest has {counted(max(period.n_rows for period in result.periods), 'row')}."
    unsure = sum(period.verdict == "cannot tell" for period in result.periods)
    empty = sum(period.detection is None for period in result.periods)
    none = f", {empty} of them without rows" if empty else ""
    return f"For {unsure} we cannot tell (too few rows{none})." if unsure else ""


def _alarms(result: Timeline) -> str:
    tested = f"Each {result.noun} is tested on its own"
    unchanged, level = f"unchanged {result.noun}s", f"{100 * result.alpha:g}%"
    if not result.scored:
        return f"{tested} at {level}: about {_one_in(result.alpha)} {unchanged} would raise a false alarm."
    # Two families of tests, scores and features, each at the level.
    often = _one_in(min(2 * result.alpha, 1.0))
    return f"{tested}, scores and features at {level} each: up to {often} {unchanged} would raise a false alarm."


def _omitted_rows(result: Timeline) -> str:
    were = "was" if result.n_undated == 1 else "were"
    rows = counted(result.n_undated, "row")
    return f"{rows} without {shown(result.by)} {were} left out." if result.n_undated else ""


def _one_in(probability: float) -> str:
    """Say how often, in words where people do.

    Examples
    --------
    >>> _one_in(0.05), _one_in(0.1), _one_in(0.01)
    ('one in twenty', 'one in ten', 'one in 100')
    """
    times = round(1 / probability)
    return f"one in {({10: 'ten', 20: 'twenty'}).get(times, f'{times:,}')}"
