"""`shiftproof demo`: three acts on real data that comes with the package."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._audit import BARRED, Report
from shiftproof.cli._demo_acts import Act, next_year, rich_customers, same_year
from shiftproof.cli._demo_words import act_lines, closing_lines, opening
from shiftproof.cli._job import Job
from shiftproof.core import Phrase, fault

if TYPE_CHECKING:
    from rich.console import Console

    from shiftproof.plots import ActRow
    from shiftproof.reporting import Section


def demo(
    *,
    out: Path = Path("shiftproof-demo"),
    no_shift: bool = False,
    seed: int = 0,
    json: Path | None = None,
) -> int:
    """Show what shiftproof does, in three steps.

    Three models are trained on a bank's phone calls. What does
    cross-validation estimate, what does shiftproof say about new calls, and
    which is right? The data are real (UCI Bank Marketing, 17,482 calls from
    2009 and 2010) and come with the package; nothing is downloaded.

    [dim]shiftproof demo --out shiftproof-demo[/dim]

    To see what it says when nothing has changed:

    [dim]shiftproof demo --no-shift[/dim]

    Parameters
    ----------
    out : FOLDER
        Write the report and the chart to this folder.
    no_shift
        Use data without a shift: compare one half of the calls from 2009 with the other half.
    """
    from shiftproof import plots
    from shiftproof.reporting import as_picture, write_whole

    if out.exists() and not out.is_dir():
        raise fault("--out", "be a folder", Phrase(f"the file {str(out)!r}"), "choose another path")
    job = Job(out=out / "report.html", json=json)
    with job.listening():
        with job.stages(barred=BARRED) as begin:
            report, first = (same_year if no_shift else rich_customers)(seed, begin)
            acts = (first,) if no_shift else (first, *next_year(first.model, seed, begin))
        result = Demo(report, acts, seed)
        write_whole(out / "acts.svg", as_picture(result.chart(), plots.acts_words(result.rows)))
        job.wrote("chart", out / "acts.svg")
    return job.end(result, _show)


@dataclass(frozen=True, eq=False)
class Demo:
    """The acts, and the report of the first."""

    report: Report
    acts: tuple[Act, ...]
    seed: int

    @property
    def rows(self) -> list[ActRow]:
        """The acts as rows of the chart."""
        return [act.row(number) for number, act in enumerate(self.acts, 1)]

    def chart(self) -> str:
        """Draw the acts below each other."""
        from shiftproof import plots

        return plots.drawn_svg(partial(plots.acts_chart, self.rows), plots.acts_size(len(self.acts)), "acts")

    def save(self, path: Path, *, redact: bool) -> object:
        """Write the report of the first act, and how the others ended."""
        from shiftproof.reporting import save

        page = self.report.page()
        if len(self.acts) > 1:
            # After the answer, which is one printed page, and after what changed.
            place = next((at for at, section in enumerate(page.sections) if section.folded), len(page.sections))
            page = replace(page, sections=[*page.sections[:place], self._all_acts(), *page.sections[place:]])
        return save(page, path, redact=redact)

    def _all_acts(self) -> Section:
        from shiftproof import plots
        from shiftproof.reporting import Figure, Section

        return Section(
            title="All acts of the demo",
            anchor="acts",
            text=(
                "This report covers the first act. The other acts use calls from 2010, first without labels, "
                "then with labels for a few of them."
            ),
            figures=[Figure(plots.acts_words(self.rows), self.chart)],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all acts and the audit of the first as plain values."""
        acts = [act.to_dict() for act in self.acts]
        return {"seed": self.seed, "acts": acts, "audit": self.report.to_dict()}


def _show(console: Console, result: Demo) -> None:
    """Print each act: the question, the answer, the truth."""
    from rich.text import Text

    console.print(opening(result.acts))
    for number, act in enumerate(result.acts, 1):
        console.print()
        console.print(Text(f"{number}. {act.heading}", style="bold"))
        for line in act_lines(act):
            console.print(Text(line))
    console.print()
    for line in closing_lines(result.acts, result.seed):
        console.print(Text(line))
