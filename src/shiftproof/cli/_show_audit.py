"""How an audit looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from shiftproof.cli._show import expected_words, measured_words, span
from shiftproof.cli._terminal import show_columns, show_line, text

if TYPE_CHECKING:
    from shiftproof.auditing import Audit, Claim, Verification
    from shiftproof.detection import Detection
    from shiftproof.quantification import Quantification

TONES = {"good": "bold green", "care": "bold yellow", "bad": "bold red"}
_MOST_FEATURES = 5
_COVERED = {True: "covered", False: "missed", None: "–"}


def show_audit(console: Console, result: Audit) -> None:
    """Print the verdict, its reasons, what to expect of each model, and what else was found or left out."""
    from shiftproof.selection import believed

    show_verdict(console, result)
    selection, performance = result.selection, result.performance
    measure, names = result.measure, selection.ranking
    cells = {
        f"{measure} validated": [
            measured_words(performance.estimates[name][measure].validated, measure) for name in names
        ],
        "expected there": [expected_words(performance, name, measure) for name in names],
    }
    if len(names) > 1:
        cells["best"] = [believed(selection.probabilities[name]) or "–" for name in names]
    unsure = {selection.best, *selection.contenders}
    show_columns(console, [text(console, name, "" if name in unsure else "dim") for name in names], cells)
    on = "on the labelled rows" if result.evaluation.panel.deployed else "by cross-validation"
    told = f"Claimed: {on}. Expected there: on the new rows, with its {performance.level:.0%} interval."
    best = " Best: how likely it is the best of them." if len(names) > 1 else ""
    console.print(text(console, told + best, "dim"))
    console.print()
    show_line(console, f"share of {result.quantification.positive!r}", _share(result.quantification))
    show_blame(console, result)
    for part, why in result.left_out.items():
        show_line(console, "left out", f"{part}, as {why}.")
    spent = ", ".join(f"{stage.name} {stage.seconds:.1f} s" for stage in result.stages)
    show_line(console, "time", f"{result.seconds:.1f} s; {spent}.")


def show_blame(console: Console, result: Audit) -> None:
    """Print which features changed most, where there are features."""
    named = [] if result.detection is None else _to_blame(result.detection)
    if named:
        more = f" and {len(named) - _MOST_FEATURES} more" if len(named) > _MOST_FEATURES else ""
        show_line(console, "to blame", f"{', '.join(named[:_MOST_FEATURES])}{more}.")
    elif result.detection is not None:
        show_line(console, "features", "none changed by enough to matter.")


def show_verdict(console: Console, result: Audit) -> None:
    """Print the verdict in its colour, and its reasons."""
    console.print(text(console, result.headline, TONES.get(result.tone, "bold")))
    console.print()
    table = Table.grid(padding=(0, 1))
    for number, reason in enumerate(result.reasons, 1):
        table.add_row(f"{number}.", text(console, reason.text))
    console.print(table)
    console.print()


def show_verification(console: Console, found: Verification) -> None:
    """Print what was validated and expected of every model, and the actual figures."""
    measure = found.measure
    cells = {
        f"{measure} validated": [measured_words(claim.validated, measure) for claim in found.models],
        "expected": ["refused" if claim.refused else _ends(claim, measure) for claim in found.models],
        "actual": [measured_words(claim.actual, measure) for claim in found.models],
        "the interval": [_COVERED[claim.covered] for claim in found.models],
    }
    show_columns(console, [text(console, claim.about) for claim in found.models], cells)
    console.print(text(console, found.summary()))


def _ends(claim: Claim, measure: str) -> str:
    return f"{measured_words(claim.low, measure)} – {measured_words(claim.high, measure)}"


def _share(result: Quantification) -> str:
    from shiftproof.core import percent

    interval = result.prevalence[result.positive]
    before = percent(result.training[result.positive])
    if result.assumption == "broken":
        return f"cannot be told, as more changed than the shares of the classes; {before} of the labelled rows."
    ends = span(interval.low, interval.high)
    return f"{percent(interval.estimate)} ({ends}) of the new rows, {before} of the labelled ones."


def _to_blame(result: Detection) -> list[str]:
    """Name the features that changed by enough to matter, the worst first, and by how much."""
    from shiftproof.core import effect
    from shiftproof.detection import EFFECT

    rows = [row for row in result.rows if row.verdict == "shifted"]
    return [f"{row.label} ({EFFECT[row.test]} {effect(row.effect)})" for row in rows]
