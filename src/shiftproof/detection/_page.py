"""The page of a detection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Phrase, Sensitive, Text, chance, counted, p_words, share, shown
from shiftproof.detection._features import EFFECT, FeatureShift
from shiftproof.detection._result import Detection, category_names
from shiftproof.detection._words import INVISIBLE, detection_words, feature_note, score_note
from shiftproof.reporting import MOST_ROWS, Drawing, Figure, Page, Section, Sections, Tone, cell
from shiftproof.stats import ContinuousRecord

if TYPE_CHECKING:
    from shiftproof.detection._scores import ScoreShift
    from shiftproof.stats import Record

TONES: dict[str, Tone] = {"shifted": "bad", "negligible": "care", "no shift": "good", "cannot say": "unknown"}
HEADLINES = {
    "shifted": "The data have shifted",
    "negligible": "Significant, but negligible",
    "no shift": "No shift seen",
    "cannot say": "Cannot say",
}
# Nobody looks at more than two rows of charts: the others are folded away.
_KS_PLOTS = 6
_FEATURES_OPEN = 6
# A page of more charts is slow to open; every feature has its small picture in the table.
_FEATURES_DRAWN = 24
# A chart that is legible on a phone, and fits three to four times beside each other elsewhere.
_SIZE = (3.2, 2.1)
# Smaller changes of a share or of a rank are described as "much the same".
_LEVEL = 0.05
# A picture as small as a word has room for so many categories; the rare ones are drawn as one.
_MOST_CATEGORIES = 16
# More columns that were not tested are only counted.
_MOST_NOT_TESTED = 20
_KEY = "Blue and filled: reference. Red: current."
_COLUMNS = (
    "feature",
    "old, new",
    "type",
    "verdict",
    "effect",
    "size",
    "low (95\N{NO-BREAK SPACE}%)",
    "high (95\N{NO-BREAK SPACE}%)",
    "q\N{NON-BREAKING HYPHEN}value",
    "missing before",
    "missing now",
    "visible from",
    "note",
)


@dataclass(frozen=True, kw_only=True)
class DetectionSections(Sections):
    """The parts of a detection's page."""

    scores: Section | None
    sizes: Section
    features: Section
    together: Section | None
    kind: Section
    kind_evidence: Section | None
    more_features: Section | None
    distributions: Section | None
    groups: Section | None
    tests: Section


def detection_sections(result: Detection) -> DetectionSections:
    """Lay out the sizes of the changes, the features that changed most and the type of shift; then evidence, folded."""
    return DetectionSections(
        scores=_scores(result),
        sizes=_sizes(result),
        features=_most_changed(result),
        together=_together(result),
        kind=_kind(result),
        kind_evidence=_kind_evidence(result),
        more_features=_more_features(result),
        distributions=_distributions(result),
        groups=_groups(result),
        tests=_table(result),
    )


def detection_page(result: Detection, title: str) -> Page:
    """Compose the page of a detection."""
    return Page(
        title=title,
        verdict=HEADLINES[result.verdict],
        tone=TONES[result.verdict],
        summary=detection_words(result),
        sections=tuple(detection_sections(result)),
        facts={
            "reference rows": f"{result.n_reference:,}",
            "current rows": f"{result.n_current:,}",
            "false discovery rate": result.alpha,
            "features failing at 0.05 (papers' rule: 0.30)": result.failing_share,
            "mean Hellinger distance": result.hellinger_mean,
            **_expected(result),
            "skew of the Hellinger distances": result.hellinger_skew,
            **_not_tested(result),
            "shiftproof": __version__,
        },
    )


def _expected(result: Detection) -> dict[str, object]:
    if result.baseline is None:
        return {}
    return {
        "mean Hellinger distance by chance": result.baseline.mean,
        "exceeded by chance in 5\N{NO-BREAK SPACE}%": result.baseline.high,
        "skew by chance": result.baseline.skew,
    }


def _not_tested(result: Detection) -> dict[str, object]:
    named = dict(list(result.left_out.items())[:_MOST_NOT_TESTED])
    more = len(result.left_out) - len(named)
    facts: dict[str, object] = {f"not tested: {name}": reason for name, reason in named.items()}
    return facts | {"not tested": f"{more:,} more"} if more else facts


def _score_row(row: ScoreShift) -> tuple[object, ...]:
    return (
        row.model,
        row.label,
        row.verdict,
        row.ks,
        row.higher,
        row.mean_reference,
        row.mean_current,
        chance(row.q_value),
        row.method or score_note(row),
    )


def _scores(result: Detection) -> Section | None:
    if not result.scores:
        return None
    # A model that failed has no scores to draw.
    drawn = [row for row in result.scores if row.model in result.score_records][:_KS_PLOTS]
    text = (
        "Stage one compares the distributions of the scores in both tables by ranks (Kruskal-Wallis). This is valid "
        "only for models that were not trained on these rows. Corrected for "
        f"{counted(len(result.score_records), 'model')}, {p_words(result.p_value)}."
    )
    return Section(
        title="Scores first",
        anchor="scores",
        text=f"{text} {_KEY}" if drawn else text,
        figures=[
            Figure(
                f"Distribution functions of the scores of {row.model}, old and new, at most {row.ks:.2f} apart",
                partial(plots.drawn_svg, partial(result.plot_scores, row.model), _SIZE, f"score-{number}"),
                partial(plots.drawn_svg, partial(result.plot_scores, row.model, redact=True), _SIZE, f"score-{number}"),
            )
            for number, row in enumerate(drawn)
        ],
        grid=True,
        columns=("model", "class", "verdict", "KS", "new above old", "mean before", "mean now", "q-value", "test"),
        rows=[_score_row(row) for row in result.scores],
    )


def _distributions(result: Detection) -> Section | None:
    """Show the KS plots of the features that changed most."""
    changed = [row for row in result.rows if row.test == "ks" and row.shifted][:_KS_PLOTS]
    if not changed:
        return None
    return Section(
        title="Where the distributions differ",
        anchor="distributions",
        text="Distribution functions of the numeric features that shifted. D is the Kolmogorov-Smirnov distance. "
        + _KEY,
        figures=[
            Figure(
                f"Distribution functions of {row.feature}, old and new, at most {row.ks:.2f} apart",
                partial(plots.drawn_svg, partial(result.plot_ks, row.feature), _SIZE, f"ks-{number}"),
                partial(plots.drawn_svg, partial(result.plot_ks, row.feature, redact=True), _SIZE, f"ks-{number}"),
            )
            for number, row in enumerate(changed)
        ],
        grid=True,
        folded=True,
    )


def _together(result: Detection) -> Section | None:
    check = result.multivariate
    # With too few rows for folds the classifier was not trained.
    if check is None or math.isnan(check.p_value):
        return None
    verdict = "distinguishes them" if check.shifted else "does not distinguish them"
    text = (
        f"A classifier that was trained to distinguish new rows from old ones {verdict}: its area under the ROC curve "
        f"on rows that it never saw is {check.auc}, where 0.5 is chance; {p_words(check.q_value).replace('p', 'q', 1)}"
        f"{f' ({check.note})' if check.note else ''}."
    )
    return Section(title="All features together", anchor="together", text=text)


def _kind(result: Detection) -> Section:
    title, anchor = "Type of shift", "kind"
    if result.kind is None:
        text = Phrase("The type of shift cannot be determined: ", result.kind_reason, f". {INVISIBLE}")
        return Section(title=title, anchor=anchor, text=text)
    return Section(title=title, anchor=anchor, text=result.kind.summary())


def _kind_evidence(result: Detection) -> Section | None:
    if result.kind is None:
        return None
    frame = result.kind.to_frame()
    return Section(
        title="How the type of shift was determined",
        anchor="kind-evidence",
        columns=tuple(frame.columns),
        rows=[tuple(row) for row in frame.itertuples(index=False)],
        folded=True,
    )


def _groups(result: Detection) -> Section | None:
    if result.association is None or not result.association.groups:
        return None
    text = (
        "The upper quarter of each feature was dropped in turn from one half of the reference: these features then "
        "fail together (phi of 0.7 and more). " + " ".join(result.advice)
    )
    return Section(
        title="Features that fail together",
        anchor="groups",
        text=text,
        columns=("features", "smallest phi"),
        rows=[(", ".join(group.features), group.phi) for group in result.association.groups],
        folded=True,
    )


def _sizes(result: Detection) -> Section:
    size = (8.0, 1.1 + 0.26 * min(len(result.rows), 30))
    text = (
        "With many rows every change is significant, so look at its size first. Numeric features are measured by the "
        "KS distance, categories by the Hellinger distance, missing values by the change of their share. The mark is "
        "the size from which a change matters. Significant changes come first, by size relative to their mark."
    )
    words = "Sizes of the changes, ordered by how large each is relative to the size from which it matters"
    figure = Figure(words, partial(plots.drawn_svg, result.plot, size, "effects"))
    return Section(title="What changed", anchor="sizes", text=text, figures=[figure])


def _most_changed(result: Detection) -> Section:
    return Section(
        title="Old against new",
        anchor="features",
        text=f"How often each value occurs, for the features that changed most. {_KEY}",
        figures=_feature_figures(result)[:_FEATURES_OPEN],
        grid=True,
    )


def _more_features(result: Detection) -> Section | None:
    figures = _feature_figures(result)
    if len(figures) <= _FEATURES_OPEN:
        return None
    drawn = min(len(figures), _FEATURES_DRAWN)
    rest = "" if drawn == len(figures) else f" The other {len(figures) - drawn:,} are in the table of all tests."
    return Section(
        title="More features, old against new",
        anchor="more-features",
        text=f"The {drawn - _FEATURES_OPEN} features that changed most after those above.{rest}",
        figures=figures[_FEATURES_OPEN:drawn],
        grid=True,
        folded=True,
    )


def _feature_figures(result: Detection) -> list[Figure]:
    """Return the chart of every feature, those that changed most first; none is drawn yet."""
    names = dict.fromkeys(row.feature for row in result.rows if row.feature in result.records)
    return [
        Figure(
            Phrase(f"{name}, old against new: ", _described(result.records[name])),
            partial(plots.drawn_svg, partial(result.plot_feature, name), _SIZE, f"feature-{number}"),
            partial(plots.drawn_svg, partial(result.plot_feature, name, redact=True), _SIZE, f"feature-{number}"),
        )
        for number, name in enumerate(names)
    ]


def _table(result: Detection) -> Section:
    # Rows are sorted by blame; those that a page does not show need no picture.
    rows = [_row(result, row) for row in result.rows[:MOST_ROWS]]
    # Empty columns, such as those of missing values if there are none, only take room.
    kept = [place for place in range(len(_COLUMNS)) if any(cell(row[place]) for row in rows)]
    return Section(
        title="Every test",
        anchor="tests",
        text=f"The small pictures show how often each value occurs. {_KEY}",
        columns=[_COLUMNS[place] for place in kept],
        rows=[[row[place] for place in kept] for row in rows],
        hidden=len(result.rows) - len(rows),
        sortable=True,
        folded=True,
    )


def _drawing(result: Detection, row: FeatureShift) -> Drawing | str:
    """Return the picture of a feature, which only the test of its values has, not that of missing ones."""
    if row.test not in ("ks", "chi-square"):
        return ""
    record = result.records[row.feature]
    return Drawing(plots.sparkline(*_counts(record)), _described(record))


def _counts(record: Record) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what to draw: bins, or categories with the most frequent first and the rare ones as one."""
    if isinstance(record, ContinuousRecord):
        return record.view_reference, record.view_current
    order = np.argsort(-(record.counts_reference + record.counts_current), kind="stable")
    kept, rest = order[:_MOST_CATEGORIES], order[_MOST_CATEGORIES:]
    sides = [(side[kept], side[rest]) for side in (record.counts_reference, record.counts_current)]
    old, new = (np.append(first, others.sum()) if len(others) else first for first, others in sides)
    return old, new


def _described(record: Record) -> Text:
    """Say in words what a picture of old against new shows; the numbers are in the same row."""
    n, m = record.n, record.m
    if not n or not m:
        return "no values on one side"
    if isinstance(record, ContinuousRecord):
        higher = record.rank_sum / (n * m)  # from -1, all lower, to 1
        return "much the same" if abs(higher) < _LEVEL else f"{'higher' if higher > 0 else 'lower'} than before"
    # Shares, because the two tables rarely have the same number of rows.
    apart = record.counts_current / m - record.counts_reference / n
    most = int(np.abs(apart).argmax())
    unseen = int(record.counts_current[record.counts_reference == 0].sum())
    # Many rare new values, none of which is frequent.
    if unseen / m > max(abs(apart[most]), _LEVEL):
        return f"{share(unseen / m)} of the new values do not occur in the reference"
    if abs(apart[most]) < _LEVEL:
        return "much the same"
    category = Sensitive(shown(record.categories[most]), str(category_names(record, redact=True)[most]))
    return Phrase(category, f" is {'more' if apart[most] > 0 else 'less'} frequent")


def _row(result: Detection, row: FeatureShift) -> tuple[object, ...]:
    return (
        row.feature,
        _drawing(result, row),
        row.kind,
        row.verdict,
        EFFECT[row.test].removesuffix(" distance"),
        row.effect,
        row.effect_low,
        row.effect_high,
        chance(row.q_value),
        _missing(row.missing_reference),
        _missing(row.missing_current),
        row.detectable,
        feature_note(row, result.records.get(row.feature)),
    )


def _missing(part: float) -> str:
    return share(part) if part else ""
