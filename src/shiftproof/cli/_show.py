"""How results look in a terminal. Commands import this only to print, as rendering takes long to import."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from shiftproof.core import counted, percent, shown
from shiftproof.evaluation import cell_text
from shiftproof.measures import measure_name
from shiftproof.reporting import STYLES, Section, Tone, print_section, print_verdict, styled
from shiftproof.selection import BLIND, believed, both_text, grounds_text, note_text, written

if TYPE_CHECKING:
    from shiftproof.backtesting import Backtest
    from shiftproof.comparison import Comparison
    from shiftproof.evaluation import Evaluation
    from shiftproof.quantification import Quantification
    from shiftproof.robustness import Stress
    from shiftproof.selection import LabelPlan, Performance, Selection
    from shiftproof.shift import ShiftKind

#: The measures that are shown unless all are requested.
MAIN_MEASURES = ("accuracy", "auc", "f1", "brier", "profit")
# Several sentences, which would be too loud in bold.
_STYLES: dict[Tone, str] = {"good": "", "care": "yellow", "bad": "red", "unknown": "dim"}


def show_line(console: Console, head: str, words: str, style: str = "bold") -> None:
    """Print a sentence after the topic that it is about."""
    console.print(Text.assemble((head, style), ": ", styled(console, words)))


def show_models(
    console: Console, names: Sequence[str], cells: Mapping[str, Sequence[str]], *, likely: Collection[str] | None = None
) -> None:
    """Print one line per model, dim for those that are clearly not the best, in tables that fit the width."""
    columns = list(cells.values())
    rows = [(name, *(column[number] for column in columns)) for number, name in enumerate(names)]
    faint = [number for number, name in enumerate(names) if likely is not None and name not in likely]
    print_section(console, Section(title="", columns=("model", *cells), rows=rows, faint=faint))


def show_comparison(console: Console, result: Comparison) -> None:
    """Print one line per method, dim where it differs from the first, then the answer."""
    # Its text explains a figure, which a terminal does not have.
    print_section(console, result.sections().ranks, text=False)
    console.print(styled(console, result.summary()))


def show_evaluation(console: Console, result: Evaluation, *, everything: bool = False) -> None:
    """Print each model's measures with their intervals, then the verdict."""
    computed = list(result.estimates[result.best])
    names = [name for name in computed if everything or name in MAIN_MEASURES or name == result.measure]
    names.sort(key=lambda name: name != result.measure)  # the measure that ranks comes first
    cells = {
        measure_name(name): [cell_text(result.estimates[model][name], name) for model in result.ranking]
        for name in names
    }
    show_models(console, result.ranking, cells, likely=result.within_noise)
    console.print(styled(console, result.summary()))
    if result.learning is not None:
        console.print()
        print_section(console, result.learning.section())


def show_stress(console: Console, result: Stress) -> None:
    """Print models by families of shifts, and the summary."""
    print_section(console, result.sections().overview)
    console.print(styled(console, result.summary()))


def show_backtest(console: Console, result: Backtest) -> None:
    """Print how often the intervals were right, then the models, every period and the summary."""
    print_verdict(console, result.headline, result.tone)
    sections = result.sections()
    print_section(console, sections.periods, text=False)
    if "baseline" in sections.periods.columns:
        words = "Baseline: the accuracy of always answering the class that was most frequent before."
        console.print(styled(console, words, "dim"))
        console.print()
    print_section(console, sections.models, text=False)
    console.print(styled(console, str(result.details)))


def show_quantification(console: Console, result: Quantification) -> None:
    """Print the answer, then the share of each class with its interval, and the course over time."""
    console.print(styled(console, result.summary(), _STYLES[result.tone]))
    console.print()
    sections = result.sections()
    for section in (sections.shares, sections.course):
        if section is not None:
            print_section(console, section, text=False)


def show_selection(console: Console, result: Selection, performance: Performance) -> None:
    """Print which model to use, then one line per model with the estimate and what ranks it."""
    print_verdict(console, result.headline, result.tone)
    names, measure = result.ranking, result.measure
    cells = {
        "rank": [str(rank) for rank, _ in enumerate(names, 1)],
        f"estimated {measure}": [estimate_text(performance, name, measure) for name in names],
    }
    # Rivals rank by figures of their own, which are not the estimates.
    if not result.method_says and len(names) > 1:
        cells[f"by {result.method}"] = [written(result.scores[name], measure) for name in names]
    cells["validated"] = [written(result.validated[name], measure) for name in names]
    if not result.concerns:
        cells["best"] = [believed(result.probabilities[name]) for name in names]
    if result.reverse is not None:
        wins, others = result.reverse.wins, len(result.reverse.names) - 1
        cells["ReverseTesting"] = [f"{wins[name]} of {others}" if name in wins else "" for name in names]
    show_models(console, names, cells, likely={result.best, *result.contenders})
    console.print(styled(console, " ".join(filter(None, _legend(result, performance))), "dim"))
    console.print()


def _legend(result: Selection, performance: Performance) -> list[str]:
    """Explain the columns of a selection."""
    legend = [f"Estimates come with {performance.level:.0%} intervals."]
    if result.measure == "accuracy":
        baseline = performance.baseline
        always = f"always answering {shown(baseline.label)}: {percent(baseline.validated)}"
        new = baseline.interval.estimate
        also = f", estimated {percent(new)} of the new data" if new == new and not performance.refused else ""
        legend.append(f"Validated: on the labelled data ({always}{also}).")
        legend.append(both_text(performance, result.best, result.measure))
    if not result.concerns:
        legend.append("Best: probability of being the best model.")
    if result.reverse is not None:
        legend.append("ReverseTesting: pairs won.")
    # With --no-reverse, the user knows.
    if result.reverse_skipped is not None and result.reverse_skipped.detail != "not requested":
        legend.append(f"ReverseTesting was skipped: {note_text(result.reverse_skipped)}.")
    # For an error or a Brier score less is better.
    sign = -1 if result.measure in ("error", "brier") else 1
    values = [sign * performance.interval(name, result.measure).estimate for name in result.ranking]
    if any(after > before for before, after in pairwise(values)):
        legend.append("The ranking compares models with each other; estimates judge each model alone, so their order "
                      "may differ.")  # fmt: skip
    return legend


def shift_line(shift: ShiftKind, *, caveat: bool = True) -> tuple[str, str]:
    """Return what is said of the type of shift, after its label; without what labels alone can show if that is said."""
    words = shift.summary() if caveat else shift.summary().removesuffix(BLIND).rstrip()
    kind, colon, finding = words.partition(": ")
    # Such as "Covariate shift: the mix of inputs changed"; other sentences have no name before a colon.
    if not colon or not kind.lower().startswith(shift.kind):
        return "type of shift", words
    return "type of shift", f"{shift.kind}. {finding[0].upper()}{finding[1:]}"


def show_performance(console: Console, result: Performance) -> None:
    """Print what changed, and what the estimates rest on: a type of shift, or labels of new rows."""
    show_line(console, *shift_line(result.shift))
    if result.refused:
        words = "nothing is estimated; the validated figures do not apply to the new data."
        newest = result.shift.newest
        if newest and "new_values" in result.shift.evidence.foreign_by:
            words += f" If the models do not need {shown(newest)}, add --exclude {shlex.quote(newest)}."
        show_line(console, "refused", words, STYLES["bad"])
    else:
        style = {"high": "bold green", "medium": "bold yellow", "low": "bold red"}.get(result.confidence, "bold")
        words = grounds_text(result)
        if not len(result.labelled):
            low = result.confidence == "low"
            words = f"low confidence, because {words}" if low else f"{words} ({result.confidence} confidence)"
        show_line(console, "estimates", f"{words}.", style)


def show_next(console: Console, result: Selection, plan: LabelPlan | None, how: str) -> None:
    """Print notes and cost, and what to do next."""
    for note in result.notes:
        show_line(console, "note", f"{note_text(note)}.")
    reverse = f", {result.reverse_fits:,} of them for ReverseTesting" if result.reverse_fits else ""
    show_line(console, "time", f"{counted(result.fits, 'fit')} in {result.seconds:.1f} s{reverse}.")
    show_plan(console, plan, how)


def show_plan(console: Console, plan: LabelPlan | None, how: str, *, head: str = "next step") -> None:
    """Print which rows to label next, and how to use their labels."""
    if plan is not None:
        show_line(console, head, f"{plan.summary()} {how}")


def estimate_text(result: Performance, model: str, measure: str) -> str:
    """Write the estimate of a model with its interval, or that it was refused."""
    interval = result.interval(model, measure)
    if interval.estimate != interval.estimate:
        return "no estimate"
    estimate, low, high = (written(value, measure) for value in (interval.estimate, interval.low, interval.high))
    # Known labels leave no width.
    return estimate if interval.low == interval.high else f"{estimate} ({low} to {high})"


def share_text(result: Quantification) -> str:
    """Write the share of the positive class in the new data and in the labelled data."""
    interval, before = result.prevalence[result.positive], percent(result.training[result.positive])
    if result.refused:
        why = "the new data are too different from the labelled data"
        if result.assume == "prior shift":
            why = "more than the class proportions changed"
        return f"cannot be estimated, because {why}; it is {before} in the labelled data."
    ends = f"{percent(interval.low)} to {percent(interval.high)}"
    return f"{percent(interval.estimate)} ({ends}) of the new rows, compared with {before} of the labelled rows."
