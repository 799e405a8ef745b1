"""The pages of a selection and of an estimate of performance, and both on one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.case import FOREST
from shiftproof.core import Note, Phrase, Text, counted, percent, sentence, share
from shiftproof.reporting import Figure, Page, Section, Sections
from shiftproof.selection._estimate_result import draw_estimates
from shiftproof.selection._words import (
    ALL_LABELLED,
    HOW_ROWS_ARE_DRAWN,
    HOW_TO_GET_ROWS,
    TYPES,
    WHAT_REVERSE_TESTING_DOES,
    believed,
    called,
    cost_text,
    interval_text,
    joint_summary,
    note_text,
    order_text,
    ranking_text,
    weights_decide,
    why_text,
    written,
)
from shiftproof.shift import evidence_rows

if TYPE_CHECKING:
    from shiftproof.selection._estimate_result import Estimated, Performance
    from shiftproof.selection._plan import LabelPlan
    from shiftproof.selection._select_result import Selection
    from shiftproof.selection.rivals._reverse_result import ReverseTest


@dataclass(frozen=True, kw_only=True)
class SelectionSections(Sections):
    """The parts of a selection's page."""

    which: Section
    order: Section | None
    reverse: Section
    others: Section | None
    how: Section


@dataclass(frozen=True, kw_only=True)
class PerformanceSections(Sections):
    """The parts of the page of an estimate."""

    expected: Section
    why: Section
    others: Section | None
    labels: Section


def selection_sections(result: Selection, *, shift_explained: bool = False) -> SelectionSections:
    """Lay out which model to use, how sure the order is, and what others say of it.

    Parameters
    ----------
    result : Selection
        What to lay out.
    shift_explained : bool
        Whether the page explains the type of shift elsewhere.
    """
    return SelectionSections(
        which=_which(result),
        order=_order(result),
        reverse=_reverse(result.reverse, result.reverse_skipped),
        others=None if result.concerns else _others(result.others, result.ranking),
        how=_how(result, shift_explained=shift_explained),
    )


def performance_sections(
    result: Performance, *, models: Sequence[str] | None = None, plan: LabelPlan | None = None
) -> PerformanceSections:
    """Lay out what to expect, why, the estimates of other methods, and what labels would bring.

    Parameters
    ----------
    result : Performance
        What to lay out.
    models : sequence of str, optional
        The order of the models; by default the result's own.
    plan : LabelPlan, optional
        Which rows to label; by default for the best model's interval.
    """
    models = result.names if models is None else models
    plan = result.plan() if plan is None and not result.all_labelled else plan
    drawn = "" if plan is None or plan.expected_width == 0 else HOW_ROWS_ARE_DRAWN
    how = " ".join(filter(None, [drawn, HOW_TO_GET_ROWS]))
    labels = sentence(ALL_LABELLED) if plan is None else f"{plan.summary()} {how}"
    return PerformanceSections(
        expected=_expected(result, models),
        why=_why(result, models),
        others=None if result.refused else _others(result.others, models),
        labels=Section(title="Which rows to label", anchor="labels", text=labels),
    )


def selection_page(result: Selection, title: str) -> Page:
    """Compose the page of a selection."""
    facts = _facts(result) | {"method": result.method, "measure": result.measure, "shiftproof": __version__}
    return _page(result, title, selection_sections(result), facts)


def performance_page(result: Performance, title: str) -> Page:
    """Compose the page of an estimate."""
    return _page(result, title, performance_sections(result), _facts(result) | _estimate_facts(result))


def _page(result: Selection | Performance, title: str, sections: Sections, facts: dict[str, object]) -> Page:
    headline, words = result.headline, result.words()
    return Page(title=title, verdict=headline, tone=result.tone, summary=words, sections=tuple(sections), facts=facts)


def joint_page(selection: Selection, performance: Performance, title: str) -> Page:
    """Lay out both answers about the same models: the selection first, then what to expect; nothing twice."""
    choice = selection_sections(selection, shift_explained=True)
    plan = None if performance.all_labelled else performance.plan(model=selection.best)
    estimate = performance_sections(performance, models=selection.ranking, plan=plan)
    return Page(
        title=title,
        verdict=selection.headline,
        tone=selection.tone,
        summary=joint_summary(selection, performance),
        sections=[
            section
            for section in (
                choice.which,
                estimate.expected,
                estimate.labels,
                choice.order,
                choice.reverse,
                estimate.why,
                choice.others,
                choice.how,
            )
            if section is not None
        ],
        facts=_facts(selection)
        | {"method": selection.method, "ranked by": selection.measure}
        | _estimate_facts(performance),
    )


def _estimate_facts(result: Performance) -> dict[str, object]:
    return {
        "labels of new rows": f"{len(result.labelled):,}",
        "positive class": result.positive,
        "level of the intervals": result.level,
        "shiftproof": __version__,
    }


def _facts(result: Selection | Performance) -> dict[str, object]:
    return {"labelled rows": f"{result.n_labelled:,}", "new rows": f"{result.n_new:,}"}


def _which(result: Selection) -> Section:
    measure, reverse = result.measure, result.reverse
    draw = partial(plots.drawn_svg, result.plot, plots.expected_size(len(result.names)), "which")
    frame = result.to_frame()
    columns: dict[str, Sequence[object]] = {
        "model": frame["model"].tolist(),
        "rank": frame["rank"].tolist(),
        "validated": [written(value, measure) for value in frame["validated"]],
        f"score ({called(measure)})": [written(value, measure) for value in frame["score"]],
        "probability of being best": [believed(value) for value in frame["probability_best"]],
        f"probability that {result.best} is better": [believed(value) for value in frame["best_beats"]],
    }
    # The scores are guesses, which a reader would take for estimates.
    if result.concerns:
        columns = {head: columns[head] for head in ("model", "rank", "validated")}
    # Without ReverseTesting the column would be empty.
    if reverse is not None:
        columns["ReverseTesting wins"] = [str(reverse.wins.get(name, "")) for name in result.ranking]
    return Section(
        title="Which model",
        anchor="which",
        text=ranking_text(result),
        figures=[] if result.concerns else [Figure(f"{measure} of each model, ranking score and validated", draw)],
        columns=tuple(columns),
        rows=[*zip(*columns.values(), strict=True)],
    )


def _order(result: Selection) -> Section | None:
    # One model, or a method that does not say how sure it is, has no matrix to draw.
    if len(result.names) < 2 or not result.method_says or result.concerns:
        return None
    draw = partial(plots.drawn_svg, result.plot_order, plots.order_size(len(result.names)), "order")
    return Section(
        title="How certain is the order?",
        anchor="order",
        text=order_text(result),
        figures=[Figure("Probability that one model is better than another", draw)],
        folded=True,
    )


def _reverse(reverse: ReverseTest | None, skipped: Note | None) -> Section:
    title, anchor, text = "What ReverseTesting says", "reverse", Phrase(WHAT_REVERSE_TESTING_DOES, " ")
    if reverse is None:
        why = Phrase() if skipped is None else Phrase("It was skipped: ", note_text(skipped), ".")
        return Section(title=title, anchor=anchor, text=text + why, folded=True)
    size = len(reverse.names)
    # In inches; taller for more models, so that their names do not overlap.
    high = 3.9 + 0.25 * max(size - 4, 0)
    matrix = partial(plots.drawn_svg, reverse.plot, (4.0 + 0.62 * size, 1.9 + 0.42 * size), "reverse")
    arrows = partial(plots.drawn_svg, reverse.plot_tournament, (1.38 * high, high), "tournament")
    return Section(
        title=title,
        anchor=anchor,
        text=text + reverse.words(),
        figures=[
            Figure("How well learners do when trained on each model's labels", matrix),
            Figure("Which model beats which in ReverseTesting", arrows),
        ],
        folded=True,
    )


def _others(others: Mapping[str, Mapping[str, float]], models: Sequence[str]) -> Section:
    """Lay out one row per method, with the model that it would choose of several."""
    several, rows = len(models) > 1, []
    for method in next(iter(others.values()), {}):
        accuracies = [others[model][method] for model in models]
        # NaN: the method says nothing of this model.
        known = [(value, model) for value, model in zip(accuracies, models, strict=True) if value == value]
        choice = max(known, key=lambda pair: pair[0])[1] if known else ""
        # Guesses are not cut, so that they order models; a reader expects a share.
        estimates = (percent(float(np.clip(value, 0, 1))) for value in accuracies)
        rows.append((method, *([choice] * several), *estimates))
    chosen = ", and the model that each would choose" if several else ""
    return Section(
        title="What other methods say",
        anchor="others",
        text=(
            f"Accuracy on the new data as estimated by other methods{chosen}. These estimates have no intervals; "
            "cross-validation assumes that nothing changed."
        ),
        columns=("method", *(["would choose"] * several), *models),
        rows=rows,
        folded=True,
    )


def _how(result: Selection, *, shift_explained: bool = False) -> Section:
    # The models that count most come first.
    pool = dict(sorted(result.pool.items(), key=lambda member: -member[1]))
    rows: list[tuple[str, Text]] = [("type of shift", result.shift.kind)]
    # None of the types fits data that are too different.
    if not result.shift.refused:
        likely = {TYPES.get(kind, kind): part for kind, part in result.likely.items()}
        rows.append(("weight of each type of shift in the ranking", _parts(likely)))
    helper = "; shiftproof fits the helper forest itself" if FOREST in pool else ""
    rows.append(("weight of each model in the average of all models", f"{_parts(pool)}{helper}"))
    rehearsal = result.rehearsal
    if rehearsal is not None and rehearsal.pairs:
        right = f"{share(rehearsal.right)} of {counted(rehearsal.pairs, 'pair')}, in {rehearsal.times} trials"
        rows.append(("trial runs on artificially shifted labelled rows: pairs of models ranked correctly", right))
        rows.append(
            (
                "size of the errors in these trials, compared with what was expected (1: as expected)",
                f"{rehearsal.scale:.2f}",
            )
        )
    # A page that explains the shift says elsewhere how long everything took.
    cost = [] if shift_explained else [("cost", cost_text(result))]
    return Section(
        title="How we know",
        anchor="how",
        text="" if shift_explained else result.shift.finding,
        columns=("item", "result"),
        rows=[*rows, *cost, *(("note", note_text(note)) for note in result.notes)],
        folded=True,
    )


def _parts(shares: Mapping[str, float]) -> str:
    return "; ".join(f"{name} {believed(part)}" for name, part in shares.items())


def _expected(result: Performance, models: Sequence[str]) -> Section:
    first, estimates = result.measures[0], result.estimates
    columns: tuple[str, ...] = ("model", "measure", "validated", "estimate", f"{result.level:.0%} interval")
    rows = [
        (model, called(measure), *_cells(estimates[model], measure)) for measure in result.measures for model in models
    ]
    if result.refused:
        columns = ("model", *(f"validated {called(measure)}" for measure in result.measures))
        rows = [(name, *(written(one.validated, of) for of, one in estimates[name].items())) for name in models]
    # Drawn in the order of the table beside it.
    plot = partial(draw_estimates, {model: estimates[model][first] for model in models}, first)
    draw = partial(plots.drawn_svg, plot, plots.expected_size(len(models)), "expected")
    return Section(
        title="What to expect",
        anchor="expected",
        text=interval_text(result),
        # Without estimates the validated figures would be all that there is to draw.
        figures=[] if result.refused else [Figure(f"Estimated {first} of each model", draw)],
        beside=not result.refused,
        columns=columns,
        rows=rows,
    )


def _cells(estimates: Mapping[str, Estimated], measure: str) -> tuple[str, ...]:
    one = estimates[measure]
    validated = written(one.validated, measure)
    if one.refused:
        return validated, "no estimate", ""
    low, high = (written(end, measure) for end in (one.interval.low, one.interval.high))
    return validated, written(one.interval.estimate, measure), f"{low} to {high}" if low else ""


def _why(result: Performance, models: Sequence[str]) -> Section:
    """Lay out what each type of shift would mean; if nothing is estimated, what makes the data too different."""
    first = result.measures[0]
    if result.refused:
        columns: tuple[str, ...] = ("question", "answer", "value", "limit")
        rows: list[tuple[str, ...]] = [*evidence_rows(result.shift)]
    else:
        weighted = weights_decide(result)
        columns = ("if", *(["weight"] * weighted), *models)
        by_model = [result.estimates[model][first].ways for model in models]
        rows = [
            (TYPES.get(kind, kind), *([believed(part)] * weighted), *(written(ways[kind], first) for ways in by_model))
            for kind, part in result.likely.items()
        ]
    return Section(title="Why", anchor="why", text=why_text(result), columns=columns, rows=rows, folded=True)
