"""How a comparison of methods looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from shiftproof.cli._terminal import show_columns, show_line, text

if TYPE_CHECKING:
    from shiftproof.comparison import Comparison


def show_comparison(console: Console, found: Comparison) -> None:
    """Print one line per method, those that cannot be told from the first not dimmed, then the tests and the answer."""
    from shiftproof.core import chance, p_words

    table = found.to_frame()
    cells = {
        "average rank": [f"{rank:.2f}" for rank in table["average_rank"]],
        "wins": [f"{number:,}" for number in table["wins"]],
        "losses": [f"{number:,}" for number in table["losses"]],
        "ties": [f"{number:,}" for number in table["ties"]],
        f"mean {found.measure}": [f"{loss:.4g}" for loss in table["mean_loss"]],
    }
    if found.control is not None:
        cells["p against the control"] = [chance(p) or "–" for p in table["p_control"]]
    names = [text(console, name, "" if name in found.best else "dim") for name in found.methods]
    show_columns(console, names, cells, head="method")
    if found.friedman is not None and found.iman_davenport is not None:
        chi, f = found.friedman, found.iman_davenport
        told = f"chi-square {chi.statistic:.2f}, {p_words(chi.p_value)}; Iman-Davenport F {f.statistic:.2f}, "
        show_line(console, "Friedman", f"{told}{p_words(f.p_value)}")
        console.print()
    console.print(text(console, found.summary()))
