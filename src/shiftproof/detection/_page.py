"""The page of a detection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.detection._features import EFFECT, FeatureShift
from shiftproof.reporting import Page, Section, Tone, chance, share

if TYPE_CHECKING:
    from shiftproof.detection._detection import Detection

TONES: dict[str, Tone] = {"shifted": "bad", "negligible": "care", "no shift": "good", "cannot say": "unknown"}
HEADLINES = {
    "shifted": "The data have shifted",
    "negligible": "Significant, but negligible",
    "no shift": "No shift seen",
    "cannot say": "Cannot say",
}
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
        sections=[_sizes(result), _worst(result), _table(result)],
        facts={
            "reference rows": f"{result.n_reference:,}",
            "current rows": f"{result.n_current:,}",
            "false discovery rate": result.alpha,
            "features failing at .05 (papers' rule: .30)": result.failing_share,
            "mean Hellinger distance": result.hellinger_mean,
            "skew of the Hellinger distances": result.hellinger_skew,
            **{f"not tested: {name}": reason for name, reason in result.left_out.items()},
            "shiftproof": __version__,
        },
    )


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
