"""The pages of a selection and of an estimate of performance, and both on one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import InputError, Note, Phrase, counted, percent, share
from shiftproof.reporting import Figure, Page, Section, Sections
from shiftproof.selection._words import believed, note_text, written

if TYPE_CHECKING:
    from shiftproof.selection._estimate_result import Estimated, Performance
    from shiftproof.selection._select_result import Selection
    from shiftproof.selection.rivals._reverse_result import ReverseTest
    from shiftproof.shift import ShiftKind

_WAYS = {
    "none": "nothing changed",
    "prior": "only the shares of the classes changed",
    "covariate": "other rows came in",
}


@dataclass(frozen=True, kw_only=True)
class SelectionSections(Sections):
    """The parts of a selection's page."""

    which: Section
    order: Section
    reverse: Section
    others: Section
    how: Section


@dataclass(frozen=True, kw_only=True)
class PerformanceSections(Sections):
    """The parts of the page of an estimate."""

    expected: Section
    why: Section
    others: Section
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
        others=_others(result.others, result.ranking),
        how=_how(result, shift_explained=shift_explained),
    )


def performance_sections(
    result: Performance, *, models: Sequence[str] | None = None, model: str | None = None
) -> PerformanceSections:
    """Lay out what to expect, why, what others say, and what labels would bring for a model's interval.

    Parameters
    ----------
    result : Performance
        What to lay out.
    models : sequence of str, optional
        The order of the models; by default the result's own.
    model : str, optional
        The model whose interval labels are to narrow.
    """
    models = result.names if models is None else models
    return PerformanceSections(
        expected=_expected(result, models),
        why=_why(result, models),
        others=_others(result.others, models),
        labels=_labels(result, model),
    )


def selection_page(result: Selection, title: str) -> Page:
    """Compose the page of a selection."""
    return Page(
        title=title,
        verdict=result.headline,
        tone=result.tone,
        summary=result.words(),
        sections=tuple(selection_sections(result)),
        facts=_facts(result) | {"method": result.method, "measure": result.measure, "shiftproof": __version__},
    )


def performance_page(result: Performance, title: str, *, model: str | None = None) -> Page:
    """Compose the page of an estimate."""
    return Page(
        title=title,
        verdict=result.headline,
        tone=result.tone,
        summary=result.words(),
        sections=tuple(performance_sections(result, model=model)),
        facts=_facts(result) | _estimate_facts(result),
    )


def joint_page(selection: Selection, performance: Performance, title: str) -> Page:
    """Lay out both answers about the same models: the selection first, then what to expect; nothing twice."""
    choice = selection_sections(selection, shift_explained=True)
    estimate = performance_sections(performance, models=selection.ranking, model=selection.best)
    return Page(
        title=title,
        verdict=selection.headline,
        tone=selection.tone,
        # What refuses one speaks against the other, and is said once.
        summary=selection.words() if performance.refused else Phrase(selection.words(), "\n\n", performance.words()),
        sections=[
            choice.which,
            estimate.expected,
            choice.order,
            choice.reverse,
            estimate.why,
            choice.others,
            estimate.labels,
            choice.how,
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
    wins = [] if reverse is None else [f"{reverse.wins[n]}" if n in reverse.wins else "" for n in result.ranking]
    words = f"By the method {result.method!r}. The score is what the ranking expects of each model on the new rows."
    if result.method_says:
        words += (
            " It leans less on the labelled rows than estimates with intervals do, and may differ a little from them."
        )
    if result.concerns:
        words = f"{words} Do not rely on it: so far from the labelled rows scores are guesses."
    return Section(
        title="Which model",
        anchor="which",
        text=words,
        figures=[
            Figure(
                f"{measure} of each model, expected and validated",
                partial(plots.drawn_svg, result.plot, plots.expected_size(len(result.names)), "which"),
            )
        ],
        columns=(
            "model", "rank", f"score ({measure})", "cross-validation", "probability best", "beats the next",
            *(["ReverseTesting wins"] if reverse is not None else []),
        ),
        rows=[
            (
                row["model"], row["rank"], written(row["score"], measure), written(row["cross_validation"], measure),
                believed(row["probability_best"]), believed(row["beats_next"]), *wins[at : at + 1],
            )
            for at, row in enumerate(result.to_frame().to_dict("records"))
        ],
    )  # fmt: skip


def _order(result: Selection) -> Section:
    head: dict[str, Any] = {"title": "How sure is the order", "anchor": "order"}
    if len(result.names) < 2:
        return Section(**head, text="There is one model only.")
    if not result.method_says:
        return Section(**head, text=f"The method {result.method!r} does not say how sure it is.")
    close = f" Not clearly worse than {result.best}: {_together(result.contenders)}." if result.contenders else ""
    return Section(
        **head,
        text="In each cell: how likely the model of the row is better than that of the column, on the new rows."
        + close,
        figures=[
            Figure(
                "Probability that one model is better than another",
                partial(plots.drawn_svg, result.plot_order, plots.order_size(len(result.names)), "order"),
            )
        ],
    )


def _reverse(reverse: ReverseTest | None, skipped: Note | None) -> Section:
    head: dict[str, Any] = {"title": "What ReverseTesting says", "anchor": "reverse"}
    what = (
        "Each model labels the new rows, learners learn from these labels, and are tested on the labelled rows: "
        "good labels make good learners."
    )
    if reverse is None:
        why = Phrase() if skipped is None else Phrase(" It was left out: ", note_text(skipped), ".")
        return Section(**head, text=Phrase(what, why))
    size = len(reverse.names)
    high = 3.9 + 0.25 * max(size - 4, 0)
    return Section(
        **head,
        text=Phrase(f"{what} ", reverse.words()),
        figures=[
            Figure(
                "How well learners do with the labels of each model",
                partial(plots.drawn_svg, reverse.plot, (4.0 + 0.62 * size, 1.9 + 0.42 * size), "reverse"),
            ),
            Figure(
                "Which model beats which in ReverseTesting",
                partial(plots.drawn_svg, reverse.plot_tournament, (1.38 * high, high), "tournament"),
            ),
        ],
    )


def _others(others: Mapping[str, Mapping[str, float]], models: Sequence[str]) -> Section:
    """Lay out one row per method, and whom it would choose."""
    methods = list(next(iter(others.values()), {}))
    rows = []
    for method in methods:
        said = {model: others[model][method] for model in models}
        known = {model: value for model, value in said.items() if value == value}
        choice = max(known, key=lambda model: known[model]) if known else ""
        rows.append((method, choice, *(percent(float(np.clip(value, 0, 1))) for value in said.values())))
    return Section(
        title="What other methods say",
        anchor="others",
        text="The accuracy on the new rows as other methods have it, and the model that each would choose. "
        "Cross-validation takes for granted that nothing changed.",
        columns=("method", "would choose", *models),
        rows=rows,
        folded=True,
    )


def _how(result: Selection, *, shift_explained: bool = False) -> Section:
    pool = dict(sorted(result.pool.items(), key=lambda each: -each[1]))
    spent = f", {result.reverse_fits:,} of them for ReverseTesting" if result.reverse_fits else ""
    likely = {_WAYS.get(kind, kind): part for kind, part in result.likely.items()}
    return Section(
        title="How we know",
        anchor="how",
        text="" if shift_explained else result.shift.summary(),
        columns=("what was looked at", "found"),
        rows=[
            ("kind of shift", result.shift.kind),
            ("how likely each kind was taken to be", _parts(likely)),
            ("what each model counts in the posterior that judges all", _parts(pool)),
            *_rehearsed(result),
            ("cost", f"{counted(result.fits, 'fit')} in {result.seconds:.1f} s{spent}"),
            *[("note", note_text(note)) for note in result.notes],
        ],
        folded=True,
    )


def _parts(shares: Mapping[str, float]) -> str:
    return "; ".join(f"{name} {believed(part)}" for name, part in shares.items())


def _rehearsed(result: Selection) -> list[tuple[str, str]]:
    rehearsal = result.rehearsal
    if rehearsal is None or not rehearsal.pairs:
        return []
    told = f"{share(rehearsal.right)} of {counted(rehearsal.pairs, 'pair')}"
    return [
        ("pairs ordered right on shifted halves of the labelled rows", f"{told}, in {rehearsal.times} rehearsals"),
        ("how much wider than their errors differences scatter there", f"{rehearsal.scale:.2f} times"),
    ]


def _expected(result: Performance, models: Sequence[str]) -> Section:
    first = result.measures[0]
    each = {model: result.estimates[model][first] for model in models}
    words = (
        f"An interval holds the {first} on the {result.n_new:,} new rows with {result.level:.0%} confidence, as far as "
        "can be known without their labels."
        if not len(result.labelled)
        else f"From the scores of all {result.n_new:,} new rows and the labels of {len(result.labelled):,} of them."
    )
    if result.refused:
        words = (
            f"No number is made up: {result.refusal_text} What cross-validation claims held for the labelled rows, and "
            "says nothing about these."
        )
    else:
        words += f" Confidence: {result.confidence}."
    columns: tuple[str, ...] = ("model", "measure", "expected", "from", "to", "cross-validation claims")
    rows = [(model, measure, *_told(result, model, measure)) for measure in result.measures for model in models]
    if result.refused:
        columns = ("model", *(f"validated {measure}" for measure in result.measures))
        rows = [(name, *(written(one.validated, of) for of, one in result.estimates[name].items())) for name in models]

    def draw(ax: Any) -> Any:
        return _intervals(each, first, ax)

    size = plots.expected_size(len(models))
    return Section(
        title="What to expect",
        anchor="expected",
        text=words,
        figures=[Figure(f"Expected {first} of each model", partial(plots.drawn_svg, draw, size, "expected"))],
        columns=columns,
        rows=rows,
    )


def _intervals(each: Mapping[str, Estimated], measure: str, ax: Any) -> Any:
    found = list(each.values())
    return plots.expected_intervals(
        list(each),
        [one.interval.estimate for one in found],
        [one.interval.low for one in found],
        [one.interval.high for one in found],
        [one.validated for one in found],
        xlabel=measure,
        ax=ax,
    )


def _told(result: Performance, model: str, measure: str) -> tuple[str, ...]:
    one = result.estimates[model][measure]
    ends = one.interval.low, one.interval.high
    expected = "refused" if one.refused else written(one.interval.estimate, measure)
    return (expected, *(written(end, measure) for end in ends), written(one.validated, measure))


def _why(result: Performance, models: Sequence[str]) -> Section:
    """Lay out what each kind of shift would mean; where nothing is estimated, why."""
    if result.refused:
        return Section(
            title="Why",
            anchor="why",
            text=result.shift.summary(),
            columns=("question", "answer", "value", "limit"),
            rows=_evidence(result.shift),
        )
    first = result.measures[0]
    weighed = " Then the labels of new rows were weighed against these." if len(result.labelled) else ""
    return Section(
        title="Why",
        anchor="why",
        text=f"{result.shift.summary()} Below: the {first} if the shift is of each kind. The estimate weighs them by "
        f"how likely they are.{weighed}",
        columns=("if", "how likely", *models),
        rows=[
            (
                _WAYS.get(kind, kind),
                believed(part),
                *(written(result.estimates[model][first].ways[kind], first) for model in models),
            )
            for kind, part in result.likely.items()
        ],
    )


def _evidence(shift: ShiftKind) -> list[tuple[Any, ...]]:
    return [(row.question, row.answer, row.value, row.limit) for row in shift.to_frame().itertuples()]


def _labels(result: Performance, model: str | None) -> Section:
    """Say how many labels would help; which rows, a file or `plan` says."""
    try:
        words = result.plan(model=model).summary()
    except InputError as error:
        words = str(error.phrase.capitalized())
    else:
        words += (
            " They are drawn at random, more of them where the models are less sure; rows picked by hand would not do. "
            "Which rows they are, plan says in Python, and shiftproof select --plan FILE on the command line."
        )
    return Section(title="Which rows to label", anchor="labels", text=words)


def _together(names: Sequence[str]) -> str:
    """Write names as people do, without quotes.

    Examples
    --------
    >>> _together(["tree"]), _together(["tree", "nb", "svm"])
    ('tree', 'tree, nb and svm')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
