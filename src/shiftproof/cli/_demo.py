"""`shiftproof demo`: the main job on real data that comes with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shiftproof.cli._show import consoles, show_detection


def demo(
    out: Annotated[Path, typer.Option(help="The folder for the page and the figure.")] = Path("shiftproof-demo"),
) -> None:
    """Compare a bank's phone calls of 2009 with those of 2010, and write a page about it.

    The data are real (UCI Bank Marketing, 45,211 calls in time order) and come with the package; nothing is fetched.

    [dim]shiftproof demo --out bank[/dim]
    """
    from shiftproof import plots
    from shiftproof.data import load_demo
    from shiftproof.detection import detect

    output, progress = consoles()
    with progress.status("comparing the calls of 2009 with those of 2010"):
        old, new = load_demo(year=2009), load_demo(year=2010)
        result = detect(old.drop(columns="label"), new.drop(columns="label"))
        page = result.save(out / "report.html")
        figure = plots.save_figure(result.plot_features(most=6), out / "features.png")
    output.print("A bank called its customers; a model was built on the calls of 2009.")
    output.print("Are those of 2010 of the same kind?\n")
    show_detection(output, result, most=20)
    output.print()
    output.print(f"report: {page}", highlight=False, markup=False, soft_wrap=True)
    output.print(f"figure: {figure}", highlight=False, markup=False, soft_wrap=True)
