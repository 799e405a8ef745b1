"""The page of a detection."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.detection._features import EFFECT, FeatureShift
from shiftproof.reporting import Page, Section, Tone, chance, counted, share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shiftproof.detection._detection import Detection

TONES: dict[str, Tone] = {"shifted": "bad", "negligible": "care", "no shift": "good", "cannot say": "unknown"}
HEADLINES = {
    "shifted": "The data have shifted",
    "negligible": "Significant, but negligible",
    "no shift": "No shift seen",
    "cannot say": "Cannot say",
}
# As many fit in two rows of small multiples.
_KS_PLOTS = 6
_COLUMNS = (
    "feature",
    "kind",
    "verdict",
    "effect",
    "size",
    "low (95\N{NO-BREAK SPACE}%)",
    "high (95\N{NO-BREAK SPACE}%)",
    "q-value",
    "missing before",
    "missing now",
    "visible from",
    "note",
)


def detection_page(result: Detection, title: str) -> Page:
    """Lay out verdict, sizes of the changes, the worst features and the full table."""
    return Page(
        title=title,
        verdict=HEADLINES[result.verdict],
        tone=TONES[result.verdict],
        summary=result.summary(),
        sections=[
            *_scores(result),
            _sizes(result),
            _worst(result),
            *_distributions(result),
            *_together(result),
            *_kind(result),
            *_groups(result),
            _table(result),
        ],
        facts={
            "reference rows": f"{result.n_reference:,}",
            "current rows": f"{result.n_current:,}",
            "false discovery rate": result.alpha,
            "features failing at .05 (papers' rule: .30)": result.failing_share,
            "mean Hellinger distance": result.hellinger_mean,
            **_expected(result),
            "skew of the Hellinger distances": result.hellinger_skew,
            **{f"not tested: {name}": reason for name, reason in result.left_out.items()},
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


def _scores(result: Detection) -> list[Section]:
    if not result.scores:
        return []
    most = result.scores[0]
    drawn = [row.model for row in result.scores if row.model in result.score_records][:_KS_PLOTS]
    figure = plots.small_multiples([partial(_paint_scores, result, model) for model in drawn])
    said = f"Distribution functions of the scores, {most.model} first, with the largest distance marked"
    text = (
        "Stage one: the distributions of the scores of both tables are compared by ranks (Kruskal-Wallis). That is "
        "like with like only if they are of models which were not trained on these rows. Corrected for "
        f"{counted(len(result.score_records), 'model')}, p {_equals(result.p_value)}."
    )
    return [
        Section(
            title="Scores first",
            text=text,
            figures=[(said, plots.svg(figure, name="scores"))] if drawn else [],
            columns=("model", "class", "verdict", "KS", "new above old", "mean before", "mean now", "q-value", "test"),
            rows=[
                (
                    row.model,
                    row.label,
                    row.verdict,
                    row.ks,
                    row.higher,
                    row.mean_reference,
                    row.mean_current,
                    chance(row.q_value),
                    row.method or row.note,
                )
                for row in result.scores
            ],
        )
    ]


def _equals(p: float) -> str:
    """Write a p-value after its name: "= 0.03", or "< 1e-16"."""
    told = chance(p)
    return told.replace("<", "< ") if told.startswith("<") else f"= {told}"


def _paint_scores(result: Detection, model: str, ax: Axes) -> None:
    result.plot_scores(model, ax=ax)


def _distributions(result: Detection) -> list[Section]:
    """Show the KS plots of the features that changed most."""
    names = [row.feature for row in result.rows if row.test == "ks" and row.shifted][:_KS_PLOTS]
    if not names:
        return []
    figure = plots.small_multiples([partial(_paint_ks, result, name) for name in names])
    return [
        Section(
            title="Where the distributions part",
            text="Distribution functions of the numbers that shifted, with the Kolmogorov-Smirnov distance D marked.",
            figures=[("Distribution functions with the largest distance marked", plots.svg(figure, name="ks"))],
        )
    ]


def _paint_ks(result: Detection, name: str, ax: Axes) -> None:
    result.plot_ks(name, ax=ax)


def _together(result: Detection) -> list[Section]:
    check = result.multivariate
    if check is None or math.isnan(check.p_value):
        return []
    verdict = "tells them apart" if check.shifted else "does not tell them apart"
    text = (
        f"A classifier that was trained to know new rows from old ones {verdict}: its area under the ROC curve on rows "
        f"that it never saw is {check.auc}, where .5 is chance; q {_equals(check.q_value)}"
        f"{f' ({check.note})' if check.note else ''}."
    )
    return [Section(title="All features together", text=text)]


def _kind(result: Detection) -> list[Section]:
    if result.kind is None:
        text = f"Cannot tell: {result.kind_reason}. Concept shift, a change of P(y|x), is invisible without labels."
        return [Section(title="Of which kind", text=text)]
    frame = result.kind.to_frame()
    rows = [tuple(row) for row in frame.itertuples(index=False)]
    return [Section(title="Of which kind", text=result.kind.summary(), columns=tuple(frame.columns), rows=rows)]


def _groups(result: Detection) -> list[Section]:
    if result.association is None or not result.association.groups:
        return []
    text = (
        "The upper quarter of each feature was dropped in turn from one half of the reference: these features then "
        "fail together (phi of .7 and more). " + " ".join(result.advice)
    )
    rows = [(", ".join(group.features), group.phi) for group in result.association.groups]
    return [Section(title="Features that fail together", text=text, columns=("features", "smallest phi"), rows=rows)]


def _sizes(result: Detection) -> Section:
    figure = plots.own_figure(size=(8.0, 1.1 + 0.26 * min(len(result.rows), 30)))
    result.plot(ax=figure.subplots())
    text = (
        "Effect before significance: with many rows everything is significant. "
        "Numbers are measured by the KS distance, categories by the Hellinger distance, "
        "missing values by the change of their share. Significant changes come first, by size relative to their mark."
    )
    said = "Sizes of the changes, ordered by how large each is relative to the size from which it is worth a look"
    return Section(title="What changed", text=text, figures=[(said, plots.svg(figure, name="effects"))])


def _worst(result: Detection) -> Section:
    drawn = plots.svg(result.plot_features(most=9), name="features")
    return Section(
        title="Old against new",
        text="The features that changed most. Filled: reference. Line or strong bar: current.",
        figures=[("Distributions of the features that changed most, reference against current", drawn)],
    )


def _table(result: Detection) -> Section:
    return Section(title="Every test", columns=_COLUMNS, rows=[_row(row) for row in result.rows])


def _row(row: FeatureShift) -> tuple[object, ...]:
    return (
        row.feature,
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
        row.note,
    )


def _missing(part: float) -> str:
    return share(part) if part else ""
