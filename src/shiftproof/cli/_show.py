"""How results look in a terminal."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.console import Console

from shiftproof.cli._terminal import show_columns, show_line, text

if TYPE_CHECKING:
    from shiftproof.evaluation import Evaluation
    from shiftproof.quantification import Quantification
    from shiftproof.robustness import Stress
    from shiftproof.selection import LabelPlan, Performance, Selection

#: The measures that are shown unless all are asked for.
MAIN_MEASURES = ("accuracy", "auc", "f1", "brier", "profit")


def show_evaluation(console: Console, result: Evaluation, *, everything: bool = False) -> None:
    """Print models by measures with their intervals, in as many tables as the width asks for, then the verdict."""
    computed = list(result.estimates[result.best])
    shown = [name for name in computed if everything or name in MAIN_MEASURES or name == result.measure]
    shown.sort(key=lambda name: name != result.measure)  # what ranks comes first
    cells = {name.replace("_", " "): [str(result.estimates[model][name]) for model in result.ranking] for name in shown}
    names = [text(console, model, "" if model in result.within_noise else "dim") for model in result.ranking]
    show_columns(console, names, cells)
    console.print(text(console, result.summary()))


def show_stress(console: Console, result: Stress) -> None:
    """Print models by families of shifts, who leads, how far each holds, and the sentences."""
    from shiftproof.reporting import print_section

    print_section(console, result.sections().overview)
    for question, lead in result.ranking.items():
        noise = f", within noise of {', '.join(lead.within_noise)}" if lead.within_noise else ""
        show_line(console, question, f"{lead.model} ({lead.value}){noise}")
    console.print()
    console.print(text(console, result.summary()))


def show_quantification(console: Console, result: Quantification) -> None:
    """Print the share of each class with its interval, the course over time, and the sentences."""
    from shiftproof.reporting import print_section

    sections = result.sections()
    print_section(console, sections.shares, text=False)
    if sections.course is not None:
        print_section(console, sections.course, text=False)
    broken = result.assumption == "broken"
    words = {"broken": "BROKEN", "fits": "FITS", "cannot tell": "TAKE CARE", "not checked": "TAKE CARE"}
    style = {"broken": "bold red", "fits": "green"}.get(result.assumption, "yellow")
    label = words[result.assumption]
    if not (result.informative or broken):
        label, style = "CANNOT SAY", "dim"
    console.print(text(console, label, style), text(console, result.summary()), sep="  ")


def span(low: float, high: float) -> str:
    """Write an interval of shares."""
    from shiftproof.core import percent

    return f"{percent(low)} – {percent(high)}"


def show_selection(console: Console, result: Selection, expected: Performance) -> None:
    """Print which model to use, then one line per model: what to expect of it, and who is for it."""
    from shiftproof.selection import believed, note_text

    tones = {"good": "bold green", "care": "bold yellow", "bad": "bold red"}
    console.print(text(console, result.headline, tones.get(result.tone, "bold")))
    console.print()
    cells = {
        "rank": [str(rank) for rank, _ in enumerate(result.ranking, 1)],
        f"expected {result.measure}": [expected_words(expected, name, result.measure) for name in result.ranking],
        **_by_rival(result),
        "cross-validation": [measured_words(result.validated[name], result.measure) for name in result.ranking],
        "best": [believed(result.probabilities[name]) or "–" for name in result.ranking],
    }
    if result.reverse is not None:
        wins, others = result.reverse.wins, len(result.reverse.names) - 1
        cells["ReverseTesting"] = [f"{wins[name]} of {others}" if name in wins else "–" for name in result.ranking]
    unsure = {result.best, *result.contenders}
    show_columns(console, [text(console, name, "" if name in unsure else "dim") for name in result.ranking], cells)
    said = [f"Expected: with its {expected.level:.0%} interval. Best: how likely it is the best of them."]
    said += [f"ReverseTesting: pairs won, of {others}."] if result.reverse is not None else []
    if result.reverse_skipped is not None:
        said.append(f"ReverseTesting was left out: {note_text(result.reverse_skipped)}.")
    if _disagree(result, expected):
        said.append("Ranks compare the models; estimates look at each alone, and may order them otherwise.")
    console.print(text(console, " ".join(said), "dim"))
    console.print()


def show_performance(console: Console, result: Performance) -> None:
    """Print what kind of shift there is, and how far the estimates can be believed."""
    show_line(console, "kind of shift", result.shift.summary())
    if result.refused:
        refused = "no estimate is given; what cross-validation claims says nothing about these rows."
        show_line(console, "refused", refused, "bold red")
    else:
        style = {"high": "bold green", "medium": "bold yellow", "low": "bold red"}.get(result.confidence, "bold")
        used = f", with the labels of {len(result.labelled):,} new rows" if len(result.labelled) else ""
        show_line(console, "confidence in the estimates", f"{result.confidence}{used}.", style)


def show_next(console: Console, result: Selection, plan: LabelPlan | None, how: str) -> None:
    """Print what was not as it should be, what it cost, and what to do next."""
    from shiftproof.core import counted
    from shiftproof.selection import note_text

    for note in result.notes:
        show_line(console, "note", f"{note_text(note)}.")
    of = f", {result.reverse_fits:,} of them for ReverseTesting" if result.reverse_fits else ""
    show_line(console, "cost", f"{counted(result.fits, 'fit')} in {result.seconds:.1f} s{of}.")
    if plan is not None and plan.expected_width >= plan.width:  # never where there is no interval yet
        told = f"labels of {counted(len(plan.rows), 'row')} would not make the interval of {plan.model} narrower."
        show_line(console, "to know better", told)
    elif plan is not None:
        show_line(console, "to know better", f"{plan.summary()} {how}")


def _by_rival(result: Selection) -> dict[str, list[str]]:
    """Give what ranks, where that is another method than the one behind the estimates."""
    if result.method_says or len(result.names) < 2:
        return {}
    return {f"by {result.method}": [measured_words(result.scores[name], result.measure) for name in result.ranking]}


def expected_words(result: Performance, model: str, measure: str) -> str:
    """Write what is expected of a model, with its interval, or that it was refused."""
    found = result.interval(model, measure)
    if found.estimate != found.estimate:
        return "refused"
    estimate, low, high = (measured_words(value, measure) for value in (found.estimate, found.low, found.high))
    return f"{estimate} ({low} – {high})"


def measured_words(value: float, measure: str) -> str:
    """Write a value as its measure is written."""
    from shiftproof.selection import written

    return written(value, measure)


def _disagree(result: Selection, expected: Performance) -> bool:
    """Tell whether estimates order the models otherwise than the ranking does."""
    falling = -1 if result.measure in ("error", "brier") else 1
    values = [falling * expected.interval(name, result.measure).estimate for name in result.ranking]
    return any(after > before for before, after in pairwise(values))
