"""How a monitor looks in a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console

from shiftproof.cli._words import as_option, in_terminal
from shiftproof.core import Argument, Phrase, Sensitive, percent
from shiftproof.reporting import STYLES, print_section, print_verdict, styled

if TYPE_CHECKING:
    from shiftproof.cli._monitor import Added
    from shiftproof.monitoring import Baseline, MonitorStatus

# Batches and incidents that are shown unless all are requested.
_FEW = 12
# The arguments of a baseline, as options of init.
_OPTIONS = {"labels": "--target", "scores": "--score-column", "time": "--time"}


def show_added(console: Console, added: Added) -> None:
    """Print a line for each batch, and all that is known of one that raised an alarm or came alone."""
    from shiftproof.monitoring import periods_words

    detailed = [update for update in added.updates if update.opened or len(added.updates) == 1]
    for update in added.updates:
        style = STYLES[update.tone] if update.opened else ""
        console.print(styled(console, str(update.line), style))
        if update in detailed:
            console.print(styled(console, words(update.details)))
    # Details say why no alarm can be raised yet; batches without details say it here.
    for sentence in periods_words(added.updates[-1].terms) if added.updates and not detailed else ():
        console.print(styled(console, sentence))
    if not added.updates:
        console.print("No new batches.")


def show_created(console: Console, status: MonitorStatus, *, baseline: Baseline) -> None:
    """Print what a monitor watches, and from when on accuracy counts as harm."""
    from shiftproof.monitoring import batches_text, floor_words

    known = f"was created before and has {batches_text(status.n_batches)}" if status.n_batches else "is ready"
    print_verdict(console, f"The monitor {status.terms.name!r} {known}.", "good")
    console.print(styled(console, words(baseline.words())))
    if status.terms.floor is not None:
        floor = f"Harm: accuracy below {percent(status.terms.floor)}, the floor."
        console.print(styled(console, " ".join([floor, *floor_words(status.terms)])))


def show_status(console: Console, status: MonitorStatus, *, everything: bool = False) -> None:
    """Print the answer, the alarms, incidents and the last batches."""
    print_verdict(console, status.headline, status.tone)
    console.print(styled(console, words(status.details, command=" to monitor init")))
    console.print()
    sections = status.sections()
    for section in (sections.alarms, sections.segments, sections.incidents, sections.labels, sections.batches):
        if section is not None:
            shown = section if everything else replace(section, rows=section.rows[:_FEW])
            print_section(console, shown, text=False)
            if len(shown.rows) < len(section.rows):
                console.print(f"{len(section.rows) - len(shown.rows)} more; --all shows them.", style="dim")


def show_acknowledged(console: Console, status: MonitorStatus, *, number: int, accepted: bool) -> None:
    """Print that an incident is closed, and then the status."""
    normal = "data that arrive from now on count as normal, and " if accepted else ""
    console.print(f"Incident {number} is closed; {normal}its alarm restarts.", highlight=False)
    console.print()
    show_status(console, status)


def words(phrase: Phrase, *, command: str = "") -> str:
    """Write a phrase with the arguments of a baseline as options of monitor init, before the name of the command."""
    return in_terminal(Phrase(*(_option(part, command) for part in phrase.parts)))


def _option(part: str | Sensitive | Argument, command: str) -> str | Sensitive | Argument | Phrase:
    if not isinstance(part, Argument) or part.name not in (*_OPTIONS, "exclude"):
        return part
    return Phrase(_OPTIONS.get(part.name) or as_option(part), command)
