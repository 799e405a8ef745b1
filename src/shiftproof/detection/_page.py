"""The page of a detection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Phrase, chance, counted, p_words, share
from shiftproof.detection._features import SHORT_EFFECT, FeatureShift
from shiftproof.detection._result import Detection
from shiftproof.detection._words import (
    change_size,
    detection_words,
    feature_note,
    observed,
    picture_axis,
    score_note,
    what_happened,
)
from shiftproof.reporting import MOST_ROWS, Detail, Drawing, Figure, Page, Section, Sections, Tone, cell
from shiftproof.shift import evidence_rows
from shiftproof.stats import ContinuousRecord

if TYPE_CHECKING:
    from shiftproof.detection._scores import ScoreShift
    from shiftproof.stats import Record

TONES: dict[str, Tone] = {"shifted": "bad", "negligible": "care", "no shift": "good", "cannot tell": "unknown"}
HEADLINES = {
    "shifted": "The data have shifted",
    "negligible": "Significant, but negligible",
    "no shift": "No shift seen",
    "cannot tell": "Cannot tell",
}
# Nobody looks at more than two rows of charts.
_SCORES_DRAWN = 6
# The features that a reader sees first; the others are folded away.
_FEATURES_OPEN = 6
# A page of more charts is slow to open; every feature has its small picture in the table.
_FEATURES_DRAWN = 24
# A chart that is legible on a phone, and fits three to four times beside each other elsewhere.
_SIZE = (3.2, 2.1)
# A picture as small as a word has room for so many categories; the rare ones are drawn as one.
_MOST_CATEGORIES = 16
# More columns that were not tested are only counted.
_MOST_NOT_TESTED = 20
_COLUMNS = (
    "feature",
    "what happened",
    "before, now",
    Detail("type"),
    "verdict",
    Detail("measure"),
    "size",
    Detail("low (95%)"),
    Detail("high (95%)"),
    "q\N{NON-BREAKING HYPHEN}value",
    Detail("missing before"),
    Detail("missing now"),
    Detail("smallest detectable change (80% power)"),
    Detail("note"),
)


@dataclass(frozen=True, kw_only=True)
class DetectionSections(Sections):
    """The parts of a detection's page."""

    scores: Section | None
    changes: Section
    kind: Section
    together: Section | None
    sizes: Section
    features: Section
    groups: Section | None
    tests: Section


def detection_sections(
    result: Detection,
    *,
    features: Sequence[str] | None = None,
    key: tuple[str, str],
    more: Mapping[str, Mapping[str, object]] | None = None,
) -> DetectionSections:
    """Lay out the scores and the features that changed most; then the evidence, folded.

    Parameters
    ----------
    result : Detection
        What to lay out.
    features : sequence of str, optional
        The order of the features; by default those first that changed most.
    key : pair of str
        What the reference and the new table are called.
    more : mapping of str to mapping of str to object, optional
        Further columns of the features that changed most, by their heads: a cell for each feature.
    """
    return DetectionSections(
        scores=_scores(result, key),
        changes=_changes(result, features, key, more or {}),
        kind=_kind(result),
        together=_together(result, key),
        sizes=_sizes(result),
        features=_features(result, key),
        groups=_groups(result),
        tests=_table(result, key),
    )


def detection_page(result: Detection, title: str) -> Page:
    """Compose the page of a detection."""
    return Page(
        title=title,
        verdict=HEADLINES[result.verdict],
        tone=TONES[result.verdict],
        summary=detection_words(result),
        sections=tuple(result.sections()),
        head={"reference": counted(result.n_reference, "row"), "new data": counted(result.n_current, "row")},
        facts={
            "false discovery rate": result.alpha,
            "share of features with p below 0.05 (a warning sign above 0.30)": result.failing_share,
            "mean Hellinger distance": result.hellinger_mean,
            **_expected(result),
            "skewness of the Hellinger distances": result.hellinger_skew,
            **_not_tested(result),
            "shiftproof": __version__,
        },
    )


def _changes(
    result: Detection,
    features: Sequence[str] | None,
    key: tuple[str, str],
    more: Mapping[str, Mapping[str, object]],
) -> Section:
    """Lay out what happened to the features that changed most, with a small picture of each."""
    # What looks wrong is to be read first, however small the change.
    names = list(dict.fromkeys([*result.suspects, *(row.feature for row in result.rows)]))
    names = names if features is None else list(features)
    rows = [
        (
            name,
            what_happened(result, name),
            _picture(result.records.get(name)),
            *(cells.get(name, "") for cells in more.values()),
        )
        for name in names[:_FEATURES_OPEN]
    ]
    columns = ("feature", "what happened", "frequency of values", *more)
    return Section(title="What changed", anchor="changes", columns=columns, rows=rows, key=key)


def _expected(result: Detection) -> dict[str, object]:
    if result.baseline is None:
        return {}
    return {
        "mean Hellinger distance without a shift": result.baseline.mean,
        "95th percentile of the mean without a shift": result.baseline.high,
        "skewness of the distances without a shift": result.baseline.skew,
    }


def _not_tested(result: Detection) -> dict[str, object]:
    named = dict(list(result.left_out.items())[:_MOST_NOT_TESTED])
    more = len(result.left_out) - len(named)
    words = {"label": "it is the label", "score": "it is a score"}
    facts: dict[str, object] = {f"not tested: {name}": words.get(why, why) for name, why in named.items()}
    return facts | {"not tested": f"{more:,} more"} if more else facts


def _score_row(row: ScoreShift) -> tuple[object, ...]:
    size = f"{row.ks:.2f}" if row.ks == row.ks else ""
    return (row.model, row.label, row.verdict, size, row.mean_reference, row.mean_current, chance(row.q_value),
            score_note(row))  # fmt: skip


def _scores(result: Detection, key: tuple[str, str]) -> Section | None:
    if not result.scores:
        return None
    # A model that failed has no scores to draw.
    drawn = [row for row in result.scores if row.model in result.score_records][:_SCORES_DRAWN]
    columns = ("model", "class", "verdict", "size (KS)", "mean before", "mean now", "q-value", "note")
    rows = [_score_row(row) for row in result.scores]
    # Most models have nothing to note.
    kept = [place for place in range(len(columns)) if any(cell(row[place]) for row in rows)]
    return Section(
        title="Scores of the models",
        anchor="scores",
        text="Each model's scores on both tables, compared by rank (Kruskal-Wallis). This is valid only for models "
        f"that were not trained on these rows. {_corrected(result)}",
        figures=[
            Figure(
                f"Distribution functions of the scores of {row.model}, before and now, at most {row.ks:.2f} apart",
                partial(plots.drawn_svg, partial(result.plot_scores, row.model), _SIZE, f"score-{number}"),
                partial(plots.drawn_svg, partial(result.plot_scores, row.model, redact=True), _SIZE, f"score-{number}"),
            )
            for number, row in enumerate(drawn)
        ],
        grid=True,
        key=key if drawn else (),
        columns=[columns[place] for place in kept],
        rows=[[row[place] for place in kept] for row in rows],
    )


def _corrected(result: Detection) -> str:
    models = len(result.score_records)
    # One model needs no correction.
    return f"Corrected for {models:,} models, {p_words(result.p_value)}." if models > 1 else ""


def _together(result: Detection, key: tuple[str, str]) -> Section | None:
    check = result.multivariate
    # With too few rows for folds the classifier was not trained.
    if check is None or math.isnan(check.p_value):
        return None
    can, others = "can" if check.shifted else "cannot", "reference" if key[0] == "reference" else "labelled"
    text = (
        f"A classifier {can} tell new rows from {others} rows: on rows that it was not trained on, its AUC is "
        f"{check.auc} (0.5 is chance; {p_words(check.q_value).replace('p', 'q', 1)})"
        f"{f', {check.note}' if check.note else ''}."
    )
    return Section(title="All features together", anchor="together", text=text, folded=True)


def _kind(result: Detection) -> Section:
    title, anchor = "Type of shift", "kind"
    if result.kind is None:
        text = Phrase("The type of shift cannot be determined: ", result.kind_reason, ".")
        return Section(title=title, anchor=anchor, text=text)
    columns = ("question", "answer", "value", "limit")
    return Section(
        title=title,
        anchor=anchor,
        text=result.kind.finding,
        columns=columns,
        rows=evidence_rows(result.kind),
        folded=True,
    )


def _groups(result: Detection) -> Section | None:
    if result.association is None or not result.association.groups:
        return None
    text = (
        "These features usually change together. To find such groups, we removed rows with high values of one feature "
        "(the upper quarter) and checked which other features changed too. " + " ".join(result.advice)
    )
    return Section(
        title="Features that change together",
        anchor="groups",
        text=text,
        columns=("features", "lowest correlation between their changes"),
        rows=[(", ".join(group.features), group.phi) for group in result.association.groups],
        folded=True,
    )


def _sizes(result: Detection) -> Section:
    size = (5.6, 1.1 + 0.26 * min(len(result.rows), 30))
    text = (
        "With many rows, even tiny changes are significant, so look at the size first. Numeric features are measured "
        "by the KS distance (0 to 1), categories by the Hellinger distance (0 to 1.41), missing values by the change "
        "in their share. A change matters if it reaches its threshold. Significant changes come first, ordered by "
        "size relative to the threshold."
    )
    words = "Size of each change, ordered by size relative to the threshold at which a change matters"
    figure = Figure(words, partial(plots.drawn_svg, result.plot, size, "effects"))
    return Section(title="The size of each change", anchor="sizes", text=text, figures=[figure], folded=True)


def _features(result: Detection, key: tuple[str, str]) -> Section:
    """Draw the features that changed most."""
    names = list(dict.fromkeys(row.feature for row in result.rows if row.feature in result.records))
    drawn = names[:_FEATURES_DRAWN]
    rest = f' The other {len(names) - len(drawn):,} are listed under "Every test".' if len(names) > len(drawn) else ""
    return Section(
        title="Feature by feature",
        anchor="features",
        text=f"How often each value occurs, for the features that changed most.{rest}",
        figures=[
            Figure(
                Phrase(f"{name}, before and now: ", what_happened(result, name)),
                partial(plots.drawn_svg, partial(result.plot_feature, name), _SIZE, f"feature-{number}"),
                partial(plots.drawn_svg, partial(result.plot_feature, name, redact=True), _SIZE, f"feature-{number}"),
            )
            for number, name in enumerate(drawn)
        ],
        grid=True,
        key=key,
        folded=True,
    )


def _table(result: Detection, key: tuple[str, str]) -> Section:
    # Rows are sorted by size; those that a page does not show need no picture.
    shown_rows = result.shown_rows[:MOST_ROWS]
    gaps = any(row.missing_reference or row.missing_current for row in shown_rows)
    rows = [_row(result, row, gaps=gaps) for row in shown_rows]
    # Empty columns, such as those of missing values if there are none, only take room.
    kept = [place for place in range(len(_COLUMNS)) if any(cell(row[place]) for row in rows)]
    return Section(
        title="Every test",
        anchor="tests",
        text="The small pictures show how often each value occurs; below each is its range, without extremes.",
        columns=[_COLUMNS[place] for place in kept],
        rows=[[row[place] for place in kept] for row in rows],
        hidden=len(result.shown_rows) - len(rows),
        key=key,
        sortable=True,
        folded=True,
    )


def _picture(record: Record | None) -> Drawing | str:
    """Draw a feature before and now; the words beside it say what it shows."""
    return "" if record is None else Drawing(plots.sparkline(*_counts(record)), "", picture_axis(record))


def _counts(record: Record) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what to draw: bins, or categories with the most frequent first and the rare ones as one."""
    if isinstance(record, ContinuousRecord):
        return record.view_reference, record.view_current
    order = np.argsort(-(record.counts_reference + record.counts_current), kind="stable")
    kept, rest = order[:_MOST_CATEGORIES], order[_MOST_CATEGORIES:]
    sides = [(side[kept], side[rest]) for side in (record.counts_reference, record.counts_current)]
    old, new = (np.append(first, others.sum()) if len(others) else first for first, others in sides)
    return old, new


def _row(result: Detection, row: FeatureShift, *, gaps: bool) -> tuple[object, ...]:
    """Return the cells of a test; the shares of missing values are empty if no feature has any."""
    record = result.records.get(row.feature)
    # Only the test of the values has a picture, not those of missing and infinite ones.
    of_values = row.test in ("ks", "chi-square") and record is not None
    return (
        row.feature,
        observed(record, shifted=row.shifted) if of_values and record is not None else _in_words(row),
        _picture(record) if of_values else "",
        row.kind,
        row.verdict,
        SHORT_EFFECT[row.test],
        row.effect,
        row.effect_low,
        row.effect_high,
        chance(row.q_value),
        share(row.missing_reference) if gaps else "",
        share(row.missing_current) if gaps else "",
        row.detectable,
        feature_note(row, record),
    )


def _in_words(row: FeatureShift) -> str:
    return "infinite values" if row.test == "infinite" else change_size(row)
