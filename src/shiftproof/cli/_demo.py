"""`shiftproof demo`: the main job on real data that comes with the package."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from shiftproof.cli._show import consoles, show_detection
from shiftproof.core import InputError, Interval, ShiftproofWarning

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.evaluation import Evaluation
    from shiftproof.reporting import Section

_FOLDS = 5


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder for the page and the figure.")] = Path(
        "shiftproof-demo"
    ),
) -> None:
    """Build seven models on a bank's phone calls of 2009 and see what becomes of them in 2010.

    Cross-validation's promise, what came instead, and what changed between
    the two years, on a page. The data are real (UCI Bank Marketing, 45,211
    calls in time order) and come with the package; nothing is fetched.

    [dim]shiftproof demo --out shiftproof-demo[/dim]
    """
    from shiftproof import plots, reporting
    from shiftproof.data import load_demo
    from shiftproof.detection import detect
    from shiftproof.evaluation import evaluate
    from shiftproof.panel import cross_fit, default_models

    output, progress = consoles()
    if out.exists() and not out.is_dir():
        raise InputError(f"--out must be a folder, got the file {str(out)!r}; name another place.")
    old, new = load_demo(year=2009), load_demo(year=2010)
    X, X_new = old.drop(columns="label"), new.drop(columns="label")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)
        with progress.status("cross-fitting seven models on the calls of 2009 (half a minute)"):
            panel = cross_fit(default_models(), X, old["label"], cv=_FOLDS, progress=False)
            claimed = evaluate(panel, measures=["accuracy", "auc", "brier"])
            came = truth(claimed, X_new, new["label"])
        with progress.status("comparing the calls of 2009 with those of 2010"):
            changed = detect(X, X_new, panel=panel)
            page = changed.to_page(title="A bank's calls: models of 2009 in the world of 2010")
            page = replace(page, sections=[_promise(claimed, came), *page.sections])
            report = reporting.save(page, out / "report.html")
            figure = plots.save_figure(changed.plot_features(most=6), out / "features.png")
    output.print("A bank called its customers to sell deposits. Seven models were built on the")
    output.print("calls of 2009. What they promise by cross-validation, and what came in 2010:\n")
    _show_promise(output, claimed, came)
    output.print("\nNothing was wrong with the cross-validation. The world changed:\n")
    show_detection(output, changed, most=20)
    output.print()
    output.print(f"report: {report}", highlight=False, markup=False, soft_wrap=True)
    output.print(f"figure: {figure}", highlight=False, markup=False, soft_wrap=True)


def truth(claimed: Evaluation, X_new: pd.DataFrame, y_new: pd.Series[Any]) -> dict[str, Interval]:
    """Return the accuracy that every model turned out to have."""
    from shiftproof.measures import measure

    codes = [claimed.panel.classes_.tolist().index(label) for label in y_new.tolist()]
    return {name: measure("accuracy", codes, scores) for name, scores in claimed.panel.apply(X_new).items()}


def _show_promise(console: Console, claimed: Evaluation, came: dict[str, Interval]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name in ("model", "accuracy promised", "accuracy in 2010"):
        table.add_column(name, no_wrap=True)
    for name in claimed.ranking:
        table.add_row(name, str(claimed.estimates[name]["accuracy"]), f"[bold red]{came[name]}[/bold red]")
    console.print(table)


def _promise(claimed: Evaluation, came: dict[str, Interval]) -> Section:
    from shiftproof import plots
    from shiftproof.reporting import Section

    figure = plots.own_figure(size=(8.0, 1.0 + 0.34 * len(claimed.ranking)))
    promised = [claimed.estimates[name]["accuracy"] for name in claimed.ranking]
    plots.interval_rows(
        claimed.ranking,
        [each.estimate for each in promised],
        [each.low for each in promised],
        [each.high for each in promised],
        truths=[came[name].estimate for name in claimed.ranking],
        xlabel="accuracy: promised by cross-validation on 2009 (line: 95 %), and what came in 2010 (cross)",
        ax=figure.subplots(),
    )
    return Section(
        title="What cross-validation promised, and what came",
        text="Every line is an honest interval for calls like those of 2009. The calls of 2010 were not like them.",
        figures=[("Accuracy promised and accuracy that came, per model", plots.svg(figure, name="promise"))],
        columns=("model", "promised", "came"),
        rows=[(name, str(claimed.estimates[name]["accuracy"]), str(came[name])) for name in claimed.ranking],
    )
