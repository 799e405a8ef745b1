"""What a detection says: what happened, and how sure that is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shiftproof.core import Phrase, Sensitive, Text, counted, p_words, share, shown
from shiftproof.detection._features import EFFECT, FeatureShift
from shiftproof.stats import NominalRecord

if TYPE_CHECKING:
    from shiftproof.detection._result import Detection
    from shiftproof.detection._scores import ScoreShift
    from shiftproof.stats import Record

_KINDS = {
    "none": "",
    "prior": "it looks like prior shift, other shares of the classes",
    "covariate": "it looks like covariate shift, other rows under the same rules",
    "unclear": "of which kind cannot be told",
    "too different": "it is too far from the reference to be prior or covariate shift",
}


def detection_words(result: Detection) -> Phrase:
    """Say what happened in one sentence, how sure it is in another, and what was left out, if anything was."""
    return Phrase.joined(" ", [finding(result), _assurance(result), *_omissions(result)])


def feature_note(row: FeatureShift, record: Record | None) -> Text:
    """Return the note of a test, sensitive where it names categories that the reference does not have."""
    unseen = isinstance(record, NominalRecord) and row.test == "chi-square" and 0 in record.counts_reference
    return Sensitive(row.note) if row.note and unseen else row.note


def score_note(row: ScoreShift) -> Text:
    """Return the note of a model's scores, sensitive where it holds the error of a model that failed."""
    failed = row.note and math.isnan(row.p_value)
    return Sensitive(row.note, "could not score the current rows") if failed else row.note


def finding(result: Detection) -> str:
    """Say what happened in one sentence."""
    if not result.rows and not result.scores:
        return "Nothing could be tested."
    if result.verdict == "cannot say":
        fewest = counted(min(result.n_reference, result.n_current), "row")
        return f"Cannot say with {fewest}; {_smallest_visible(result)}."
    if result.verdict == "no shift":
        return f"{_quiet(result)}; {_smallest_visible(result)}."
    significant = "Significant but negligible: " if result.verdict == "negligible" else ""
    kind = "" if result.kind is None or result.verdict == "negligible" else _KINDS[result.kind.kind]
    return "; ".join(filter(None, [significant + _changes(result), _worst(result), kind])) + "."


def _changes(result: Detection) -> str:
    """Say which of the stages found something."""
    material = result.verdict == "shifted"
    total = len({row.feature for row in result.rows})
    features = len({row.feature for row in result.rows if (row.material if material else row.shifted)})
    scores = [row for row in result.scores if (row.material if material else row.shifted)]
    enough = "by enough to matter" if material else "none by enough to matter"
    comma = "" if material else ","
    said = _scores(result, len(scores)) if scores else ""
    if features and scores:
        return f"{said} and {features} of {counted(total, 'feature')} did{comma} {enough}"
    if features:
        hardly = "hardly did" if any(row.shifted for row in result.scores) else "did not"
        quiet = f", the scores {hardly} ({p_words(result.p_value)})" if result.score_records and not scores else ""
        return f"{features} of {counted(total, 'feature')} shifted{comma} {enough}{quiet}"
    if scores:
        return (
            f"{said} but no single feature did by enough to matter" if material else f"{said}, not by enough to matter"
        )
    auc = math.nan if result.multivariate is None else result.multivariate.auc.estimate
    told = f"a classifier tells the new rows from the old ones (AUC {auc:.2f})"
    if not material:
        return f"{told}, hardly"
    enough = " by enough to matter" if any(row.shifted for row in result.rows) else ""
    together = ": they changed together" if total > 1 else ""
    return f"No single feature shifted{enough}, but {told}{together}"


def _scores(result: Detection, count: int) -> str:
    most = result.scores[0]
    if len(result.score_records) == 1:
        return f"The scores shifted (KS distance {most.ks:.2f})"
    of = f"{count} of {len(result.score_records)} models"
    return f"The scores of {of} shifted ({shown(most.model)} most, KS {most.ks:.2f})"


def _worst(result: Detection) -> str:
    worst = result.rows[0] if result.rows else None
    return f"{shown(worst.feature)} changed most ({_described(worst)})" if worst is not None and worst.shifted else ""


def _described(row: FeatureShift) -> str:
    if row.test == "presence":
        return row.note
    if row.test == "missing":
        return f"missing {share(row.missing_reference)} before, {share(row.missing_current)} now"
    return f"{EFFECT[row.test]} {row.effect:.2f}"


def _quiet(result: Detection) -> str:
    total = len({row.feature for row in result.rows})
    unsure = len({row.feature for row in result.value_rows if row.verdict == "cannot say"})
    scores = "the scores and in " if result.score_records else ""
    if not unsure:
        return f"No shift seen in {scores}{counted(total, 'feature')}"
    return f"No shift seen in {scores}{total - unsure} of {counted(total, 'feature')}, and for {unsure} we cannot say"


def _smallest_visible(result: Detection) -> str:
    """Name the change that would have been seen in every feature that is called quiet, or in the best one."""
    quiet = [row for row in result.value_rows if row.verdict == "no shift"]
    visible = quiet or [row for row in result.value_rows if not math.isnan(row.detectable)]
    if not visible:
        return "even a complete change could not be seen"
    chosen = (max if quiet else min)(visible, key=lambda row: row.detectable)
    return f"the smallest shift we could see is a {EFFECT[chosen.test]} of {chosen.detectable:.2f} (80% power)"


def _assurance(result: Detection) -> str:
    tests = sum(not math.isnan(part.p_value) for part in result.parts)
    sizes = f"{counted(result.n_reference, 'reference row')} against {result.n_current:,}, {counted(tests, 'test')}"
    held = f"false discoveries held at {100 * result.alpha:g}% (Benjamini-Hochberg)"
    return f"{sizes}, {held}; concept shift, a change of P(y|x), stays invisible without labels."


def _omissions(result: Detection) -> list[Text]:
    words: list[Text] = [
        Phrase(f"{shown(row.model)} ", score_note(row), ".") for row in result.scores if math.isnan(row.p_value)
    ]
    untested = {name: why for name, why in result.left_out.items() if why not in ("score", "label")}
    if untested:
        reasons = ", ".join(f"{shown(name)} ({reason})" for name, reason in list(untested.items())[:5])
        more = f" and {len(untested) - 5} more" if len(untested) > 5 else ""
        words.append(f"Not tested: {reasons}{more}.")
    return words
