"""How results look in a terminal."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from shiftproof.detection import Detection, FeatureShift

STYLES = {"shifted": "bold red", "negligible": "yellow", "no shift": "green", "cannot say": "dim"}
_BAR = 12


def consoles() -> tuple[Console, Console]:
    """Return the console for results and the one for progress, on standard output and standard error."""
    return Console(soft_wrap=False), Console(stderr=True)


def write_json(result: dict[str, Any], where: str) -> None:
    """Write a result as JSON to a file, or to standard output for ``-``."""
    from shiftproof.reporting import write_whole

    text = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if where == "-":
        sys.stdout.write(text)
    else:
        write_whole(where, text)


def show_detection(console: Console, result: Detection, *, most: int) -> None:
    """Print the table of tests, the verdict and the sentences."""
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name in ("feature", "kind"):
        table.add_column(name, overflow="fold", max_width=32)
    table.add_column("size of change", no_wrap=True)
    table.add_column("q-value", justify="right", no_wrap=True)
    table.add_column("missing", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in result.rows[:most]:
        table.add_row(*_cells(row))
    console.print(table)
    if len(result.rows) > most:
        console.print(Text(f"… and {len(result.rows) - most} more tests; --all shows them.", style="dim"))
    for row in result.rows[:most]:
        if row.note:
            console.print(Text(f"{row.label}: {row.note}", style="dim"))
    console.print()
    console.print(Text(result.verdict.upper(), style=STYLES[result.verdict]), Text(result.summary()), sep="  ")


def _cells(row: FeatureShift) -> tuple[Text, ...]:
    filled = 0 if row.effect != row.effect else min(round(row.effect * _BAR), _BAR)
    name = {"ks": "KS", "chi-square": "Hellinger", "missing": "missing", "infinite": "infinite"}.get(row.test, "")
    size = Text("█" * filled + "·" * (_BAR - filled), style=STYLES[row.verdict])
    size.append(f" {row.effect:.2f} {name}" if row.effect == row.effect else " –")
    q = "–" if row.q_value != row.q_value else "<1e-16" if row.q_value < 1e-16 else f"{row.q_value:.2g}"
    missing = f"{row.missing_reference:.0%} → {row.missing_current:.0%}"
    quiet = row.missing_reference == row.missing_current == 0
    return (
        Text(row.label),
        Text(row.kind, style="dim"),
        size,
        Text(q),
        Text("–" if quiet else missing, style="dim" if quiet else ""),
        Text(row.verdict, style=STYLES[row.verdict]),
    )
