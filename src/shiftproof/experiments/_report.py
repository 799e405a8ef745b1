"""What an experiment gives: tables as CSV and Markdown, figures as SVG."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.reporting import write_whole

if TYPE_CHECKING:
    import pandas as pd

#: The file with all tables of an experiment.
ALL_TABLES = "tables.md"


@dataclass(frozen=True, eq=False, kw_only=True)
class PaperTable:
    """A table as it is published: texts in cells, so that every reader gets the same digits.

    Parameters
    ----------
    name : str
        The name of its file, without the ending.
    title : str
        What stands above it.
    frame : pandas.DataFrame
        Its rows. Its index is not shown.
    digits : int
        Decimals of floats.
    """

    name: str
    title: str
    frame: pd.DataFrame
    digits: int = 3

    @property
    def rows(self) -> list[list[str]]:
        """The header and the rows as texts."""
        columns = [str(name) for name in self.frame.columns]
        return [columns, *([self._text(value) for value in row] for row in self.frame.itertuples(index=False))]

    def _text(self, value: Any) -> str:
        if value is None or value != value:
            return "–"
        if isinstance(value, float):
            # No minus zero, which depends on rounding.
            return f"{round(value, self.digits) + 0.0:.{self.digits}f}"
        return str(value)

    def to_csv(self) -> str:
        """Return the table as CSV."""
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(self.rows)
        return buffer.getvalue()


@dataclass(frozen=True, eq=False, kw_only=True)
class PaperFigure:
    """A figure, which is drawn when it is written.

    Parameters
    ----------
    name : str
        The name of its file, without the ending.
    title : str
        What it shows.
    draw : callable
        Returns the figure or its axes.
    """

    name: str
    title: str
    draw: Callable[[], Any]


@dataclass(frozen=True, eq=False, kw_only=True)
class Reproduction:
    """What an experiment gives.

    Parameters
    ----------
    title : str
        What was run again.
    tables : sequence of PaperTable
        In the order in which the source has them.
    figures : sequence of PaperFigure
        In the same order.
    """

    title: str
    tables: Sequence[PaperTable]
    figures: Sequence[PaperFigure] = ()

    def to_markdown(self) -> str:
        """Return all tables as one page."""
        parts = [f"# {self.title}", *(f"## {each.title}\n\n{as_markdown(each.rows)}" for each in self.tables)]
        return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"

    def write(self, folder: Path) -> None:
        """Write every table and figure, and remove those of a run before that are no longer there."""
        from shiftproof.plots import save_figure

        wanted = {f"{each.name}.csv" for each in self.tables} | {f"{each.name}.svg" for each in self.figures}
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            if path.suffix in (".csv", ".svg") and path.name not in wanted:
                path.unlink()
        for table in self.tables:
            write_whole(folder / f"{table.name}.csv", table.to_csv())
        write_whole(folder / ALL_TABLES, self.to_markdown())
        for figure in self.figures:
            save_figure(figure.draw(), folder / f"{figure.name}.svg")


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Write rows of texts, the header first, as a table of Markdown.

    Examples
    --------
    >>> print(as_markdown([["set", "DT"], ["Iris", "92.0"]]), end="")
    | set | DT |
    |---|---|
    | Iris | 92.0 |
    """
    header, *body = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    lines = [header, ["---"] * len(header), *body]
    shown = ["|" + "|".join(row) + "|" if row is lines[1] else "| " + " | ".join(row) + " |" for row in lines]
    return "\n".join(shown) + "\n"


def read_table(path: Path) -> list[list[str]]:
    """Read a table that was written as CSV, the header first."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
