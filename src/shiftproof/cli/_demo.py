"""`shiftproof demo`: the main job on real data that comes with the package."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from shiftproof.cli._audit import BARRED, Report
from shiftproof.cli._job import Job
from shiftproof.core import Phrase, fault

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.auditing import Verification

# Ten folds would take twice as long and say the same.
_FOLDS = 5
_STORY = (
    "A bank called its customers to sell deposits. Seven models were built on {}the calls of 2009. "
    "Can they be trusted on {}?"
)
_CHANGED = "A bank's calls: models of 2009 in the world of 2010"
_SAME = "A bank's calls: models of one half of 2009 on the other half"


def demo(
    *,
    out: Path = Path("shiftproof-demo"),
    no_shift: bool = False,
    json: Path | None = None,
) -> int:
    """Build seven models on a bank's phone calls of 2009 and see how they do in 2010.

    What cross-validation estimates, what shiftproof says about 2010 without
    labels, and what is true. The data are real (UCI Bank Marketing, 45,211
    calls in time order) and part of the package; nothing is downloaded.

    [dim]shiftproof demo --out shiftproof-demo[/dim]

    What it says if nothing changed:

    [dim]shiftproof demo --no-shift[/dim]

    Parameters
    ----------
    out : FOLDER
        Write the page and the figure to this folder.
    no_shift
        Show data without a shift: one half of the calls of 2009 against the other half.
    """
    from shiftproof import plots
    from shiftproof.auditing import audit
    from shiftproof.panel import default_models

    if out.exists() and not out.is_dir():
        raise fault("--out", "be a folder", Phrase(f"the file {str(out)!r}"), "choose another path")
    job = Job(out=out / "report.html", json=json)
    old, new = _calls(no_shift=no_shift)
    tables = (old.drop(columns="label"), old["label"], new.drop(columns="label"))
    with job.listening():
        with job.stages(barred=BARRED) as on_stage:
            result = audit(default_models(), *tables, cv=_FOLDS, on_stage=on_stage)
        verification = result.verify(new["label"])
        if result.detection is not None:
            plots.save_figure(result.detection.plot_features(most=6), out / "features.png")
            job.wrote("figure", out / "features.png")
    report = Report(result, verification, _SAME if no_shift else _CHANGED)
    return job.end(report, partial(_show, verification=verification, no_shift=no_shift))


def _show(console: Console, report: Report, *, verification: Verification, no_shift: bool) -> None:
    """Print the story: what was asked, the verdict, and what the labels say."""
    from shiftproof.cli._show_audit import show_changes, show_verification
    from shiftproof.reporting import print_verdict

    result = report.audit
    console.print(_STORY.format(*(("half of ", "the other half") if no_shift else ("", "those of 2010"))))
    console.print()
    print_verdict(console, result.headline, result.tone, [reason.text for reason in result.reasons])
    console.print("So far nobody has looked at the labels of these calls. Here they are:\n")
    show_verification(console, verification)
    if not no_shift:
        console.print("\nNothing was wrong with the cross-validation. The world changed:")
        show_changes(console, result)


def _calls(*, no_shift: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the calls of two years, or two halves of the first."""
    from shiftproof.data import load_demo

    if not no_shift:
        return load_demo(year=2009), load_demo(year=2010)
    # By chance alone some halves differ more than others: with seed 0 the interval just reaches the tolerance.
    calls = load_demo(year=2009).sample(frac=1, random_state=1).reset_index(drop=True)
    half = len(calls) // 2
    return calls[:half], calls[half:].reset_index(drop=True)
