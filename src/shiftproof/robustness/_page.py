"""The page of a stress test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Sensitive, chance
from shiftproof.reporting import Figure, Page, Section, Sections
from shiftproof.robustness._words import (
    family_words,
    shift_name,
    shift_text,
    stress_headline,
    stress_words,
    unmade_name,
)
from shiftproof.simulation import Family

if TYPE_CHECKING:
    from shiftproof.robustness._envelope import Envelope
    from shiftproof.robustness._result import Stress


_TESTS: Mapping[Literal["kruskal", "friedman"], str] = {
    "kruskal": "Kruskal-Wallis p-values of the scores",
    "friedman": "Friedman p-values of bootstrapped accuracies",
}
# The papers' three figures.
_GROUPS: Mapping[str, tuple[Family, ...]] = {
    "rows are lost": ("mcar", "mar", "mnar", "soft"),
    "a feature moves": ("offset",),
    "class proportions change": ("prior",),
}


@dataclass(frozen=True, kw_only=True)
class StressSections(Sections):
    """The parts of the page of a stress test."""

    overview: Section
    accuracy: Section
    envelopes: Section
    sensitivity: Section
    visibility: Section
    features: Section
    shifts: Section


def stress_sections(result: Stress) -> StressSections:
    """Lay out the answer, the envelopes, the sensitivity, the papers' figures and the full table."""
    return StressSections(
        overview=_overview(result),
        accuracy=_accuracy(result),
        envelopes=_envelopes(result),
        sensitivity=_sensitivity(result),
        visibility=_p_values(result),
        features=_features(result),
        shifts=_table(result),
    )


def stress_page(result: Stress, title: str) -> Page:
    """Compose the page of a stress test."""
    return Page(
        title=title,
        verdict=stress_headline(result),
        tone="unknown",
        summary=stress_words(result, below_headline=True),
        sections=tuple(stress_sections(result)),
        facts={
            **{f"{part} rows": f"{size:,}" for part, size in result.sizes.items()},
            # A page has room for about a dozen labels.
            "classes": ", ".join(map(str, result.classes[:12])),
            "positive class": result.positive,
            "score compared": result.score,
            "resamples": result.bootstraps,
            "level of the intervals": result.level,
            "significance level of the feature tests": result.alpha,
            **{f"left out: {name}": why.phrase for name, why in result.failures.items()},
            **{f"not tested: {name}": kind for name, kind in result.untested.items()},
            **{f"skipped: {unmade_name(shifts)}": Sensitive(shifts.reason) for shifts in result.unmade},
            "shiftproof": __version__,
        },
    )


def _overview(result: Stress) -> Section:
    """Lay out models by families of shifts, the most accurate first."""
    unshifted = {row.model: row.accuracy for row in result.rows if row.family == "base"}
    order = sorted(result.models, key=lambda name: -unshifted[name].estimate)
    points = f"{100 * result.envelope[result.best].tolerance:g} points"
    return Section(
        title="At a glance",
        anchor="overview",
        text=(
            "Accuracy without a shift and, for each family of shifts, the mean accuracy and the worst. "
            f"{family_words(result.families)}. Sensitivity index: the mean absolute change in accuracy. Limit: the "
            f"mean Hellinger distance of the features up to which accuracy changes by at most {points}."
        ),
        columns=("model", "no shift", *map(shift_name, result.families), "sensitivity index", "limit"),
        rows=[
            (
                name,
                str(unshifted[name]),
                *(_under(result, name, family) for family in result.families),
                str(result.sensitivity[name]["overall"]["accuracy"]),
                _reach(result.envelope[name]),
            )
            for name in order
        ],
    )


def _under(result: Stress, model: str, family: str) -> str:
    """Write mean and worst accuracy; nothing where the model could score none of these tables."""
    rows = [row for row in result.rows if row.model == model and row.family == family]
    if not rows:
        return ""
    # Strengths of a family have the same weight, as in the ranking.
    mean = sum(row.accuracy.estimate for row in rows) / len(rows)
    return f"{mean:.3f}, {min(row.lowest for row in rows):.3f}"


def _reach(envelope: Envelope) -> str:
    return "nowhere" if envelope.never else f"{'all, ' if envelope.always else ''}{envelope.hellinger:.2f}"


def _accuracy(result: Stress) -> Section:
    # A bar for each family under each model.
    size = (8.0, 1.3 + (0.16 + 0.11 * len(result.families)) * len(result.models))
    rows = [
        (question, lead.model, str(lead.value), lead.runner_up, str(lead.lead or ""), _noise(lead.within_noise))
        for question, lead in result.ranking.items()
    ]
    return Section(
        title="Which model is robust",
        anchor="accuracy",
        text=(
            "The line across each row is the accuracy without a shift. Coloured bars reach from the worst to the best "
            "of the shifted test sets, with a dot at the mean."
        ),
        figures=[
            Figure(
                "Accuracy of every model without and with shifts",
                partial(plots.drawn_svg, result.plot, size, "accuracy"),
            )
        ],
        columns=("question", "model", "value", "second", "lead", "within noise"),
        rows=rows,
    )


def _noise(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


def _envelopes(result: Stress) -> Section:
    rows = [
        (
            name,
            "none" if envelope.never else envelope.hellinger,
            envelope.base_hellinger,
            envelope.seen_hellinger,
            envelope.failing,
        )
        for name, envelope in result.envelope.items()
    ]
    return Section(
        title="How far the features can move",
        anchor="envelopes",
        text=(
            "The mean Hellinger distance of the features, and the share of failing features, up to which accuracy "
            f"changed by at most {100 * result.envelope[result.best].tolerance:g} points in 95% of the shifted test "
            "sets."
        ),
        columns=("model", "limit", "without a shift", "largest seen", "limit of failing features"),
        rows=rows,
    )


def _sensitivity(result: Stress) -> Section:
    rows = [
        (
            model,
            str(indices["overall"]["accuracy"]),
            *(indices[family]["accuracy"].estimate if family in indices else None for family in result.families),
            indices["overall"]["auc"].estimate,
            indices["overall"]["hellinger"].estimate,
        )
        for model, indices in result.sensitivity.items()
    ]
    return Section(
        title="Sensitivity index",
        anchor="sensitivity",
        text=(
            "Mean absolute change in accuracy compared with the test rows without a shift, over all shifts and "
            "for each family; then the same for AUC and for the Hellinger distance of the scores, over all shifts. "
            "The index for rows lost at random (MCAR) is pure noise, and shows how much noise is in the others."
        ),
        columns=("model", "overall", *map(shift_name, result.families), "AUC", "Hellinger distance"),
        rows=rows,
    )


def _p_values(result: Stress) -> Section:
    figures = []
    for which, test in _TESTS.items():
        for group, families in _GROUPS.items():
            made = [family for family in families if family in result.families]
            if made:
                draw = partial(result.plot_p_values, which, family=made)
                name = f"{which}-{made[0]}"
                figures.append(Figure(f"{test}, {group}", partial(plots.drawn_svg, draw, (8.0, 3.3), name)))
    return Section(
        title="Can the shift be detected without labels?",
        anchor="visibility",
        text=f"Kruskal-Wallis compares {result.score} on validation rows and shifted test rows; it needs no labels. "
        "Friedman compares bootstrapped accuracies, which need labels. Bootstrap samples overlap, so they are not "
        "independent evidence. Each line spans the features that were shifted in turn, and a cross marks the mean.",
        figures=figures,
        folded=True,
    )


def _features(result: Stress) -> Section:
    # One bar per shift.
    size = (8.0, 1.0 + 0.24 * len(result.tables))
    return Section(
        title="What the features show",
        anchor="features",
        text="Training rows compared with shifted test rows. The feature that MNAR hides does not count.",
        figures=[
            Figure(
                "Share of features that fail their test",
                partial(plots.drawn_svg, result.plot_failing, size, "failing"),
            ),
            Figure(
                "Change in the mean Hellinger distance",
                partial(plots.drawn_svg, result.plot_hellinger, size, "hellinger"),
            ),
        ],
        columns=("shift", "failing", "Hellinger", "relative change", "skew"),
        rows=[
            (
                shift_text(table.family, table.strength),
                table.failing[0],
                table.hellinger[0],
                _change_text(table.relative_change),
                table.skew,
            )
            for table in result.tables
        ],
        folded=True,
    )


def _change_text(part: float) -> str:
    """Write a relative change in per cent, with its sign unless it rounds to 0%; an empty text for NaN."""
    return "" if part != part else "0%" if abs(part) < 0.005 else f"{part:+.0%}"


def _table(result: Stress) -> Section:
    rows = [
        (
            row.model,
            shift_text(row.family, row.strength),
            str(row.accuracy),
            str(row.change),
            row.auc,
            row.brier,
            row.score_hellinger,
            chance(row.kruskal[0]),
            chance(row.friedman[0]),
        )
        for row in result.rows
    ]
    columns = ("model", "shift", "accuracy", "change", "AUC", "Brier", "Hellinger", "Kruskal p", "Friedman p")
    return Section(
        title="Every model under every shift",
        anchor="shifts",
        text="Means over the features.",
        columns=columns,
        rows=rows,
        sortable=True,
        folded=True,
    )
