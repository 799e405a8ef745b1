"""How results look in a terminal."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from shiftproof.cli._terminal import plain_table, show_columns, show_line, sized, text
from shiftproof.cli._words import tame

if TYPE_CHECKING:
    from shiftproof.core import Interval
    from shiftproof.evaluation import Evaluation
    from shiftproof.quantification import PeriodShares, Quantification
    from shiftproof.robustness import Envelope, Stress
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
    order = sorted(result.models, key=lambda name: -_today(result, name).estimate)
    cells = {
        "accuracy today": [str(_today(result, name)) for name in order],
        **{_family(family): [_under(result, name, family) for name in order] for family in result.families},
        "sensitivity index": [str(result.sensitivity[name]["overall"]["accuracy"]) for name in order],
        "holds to": [_reach(result.envelope[name]) for name in order],
    }
    show_columns(console, [text(console, name) for name in order], cells)
    within = f"{100 * result.envelope[result.best].tolerance:g} points"
    told = (
        "Under a family of shifts: mean accuracy, then the worst. Sensitivity index: the mean change of accuracy. "
        f"Holds to: the mean Hellinger distance of the features up to which accuracy stays within {within}."
    )
    console.print(text(console, told, "dim"))
    console.print()
    for question, lead in result.ranking.items():
        noise = f", within noise of {', '.join(lead.within_noise)}" if lead.within_noise else ""
        console.print(Text.assemble((question, "bold"), ": ", text(console, f"{lead.model} ({lead.value}){noise}")))
    console.print()
    console.print(text(console, result.summary()))


def _reach(envelope: Envelope) -> str:
    return "nowhere" if envelope.never else f"{'all, ' if envelope.always else ''}{envelope.hellinger:.2f}"


def _today(result: Stress, model: str) -> Interval:
    return next(row.accuracy for row in result.rows if row.model == model and row.family == "base")


def _family(family: str) -> str:
    return family.upper() if family in ("mcar", "mar", "mnar") else family


def _under(result: Stress, model: str, family: str) -> str:
    """Write mean and worst accuracy; a dash where the model could score none of these tables."""
    rows = [row for row in result.rows if row.model == model and row.family == family]
    if not rows:
        return "–"
    mean = sum(row.accuracy.estimate for row in rows) / len(rows)
    return f"{mean:.3f}, {min(row.lowest for row in rows):.3f}"


def show_quantification(console: Console, result: Quantification) -> None:
    """Print the share of each class with its interval, the course over time, and the sentences."""
    from shiftproof.core import percent

    broken = result.assumption == "broken"
    table = plain_table()
    table.add_column("class", overflow="fold", min_width=6, max_width=32)
    table.add_column("labelled", justify="right", no_wrap=True)
    table.add_column("new rows", no_wrap=True)
    table.add_column(f"{result.level:.0%} interval", no_wrap=True)
    table.add_column("other methods", no_wrap=True)
    for label, interval in result.prevalence.items():
        table.add_row(
            text(console, str(label), "bold" if label == result.positive else ""),
            text(console, percent(result.training[label])),
            sized(console, interval.estimate, percent(interval.estimate), "red" if broken else "green"),
            text(console, span(interval.low, interval.high)),
            text(console, span(*result.range[label])),
        )
    console.print(table)
    console.print()
    if result.periods:
        _show_course(console, result)
    words = {"broken": "BROKEN", "fits": "FITS", "cannot tell": "TAKE CARE", "not checked": "TAKE CARE"}
    style = {"broken": "bold red", "fits": "green"}.get(result.assumption, "yellow")
    said = words[result.assumption]
    if not (result.informative or broken):
        said, style = "CANNOT SAY", "dim"
    console.print(text(console, said, style), text(console, result.summary()), sep="  ")


def _show_course(console: Console, result: Quantification) -> None:
    from shiftproof.core import percent

    def cells(period: PeriodShares) -> list[Text]:
        interval = period.prevalence.get(result.positive)
        if interval is None:
            return [text(console, "–"), text(console, "–"), text(console, "–")]
        return [
            sized(console, interval.estimate, percent(interval.estimate), ""),
            text(console, span(interval.low, interval.high)),
            text(console, span(*period.others[result.positive])),
        ]

    table = plain_table()
    table.add_column(result.every or str(result.by), overflow="fold", min_width=7, max_width=24)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column(f"share of {tame(str(result.positive))}", overflow="fold")
    table.add_column(f"{result.level:.0%} interval", no_wrap=True)
    table.add_column("other methods", no_wrap=True)
    for period in result.periods:
        table.add_row(text(console, period.name), text(console, f"{period.n_rows:,}"), *cells(period))
    console.print(table)
    console.print()


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
