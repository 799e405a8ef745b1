"""`shiftproof compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_column, complete_method
from shiftproof.cli._job import Job
from shiftproof.cli._show_compare import show_comparison
from shiftproof.core import Phrase, fault

_PAGE = "comparison.html"


def compare(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS",
            help="One row per data set and method (and prevalence, and fold), or one row per data set and one column "
            "per method: CSV, CSV.gz or Parquet.",
        ),
    ],
    control: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="Compare all other methods with this one, chosen before seeing the losses.",
            autocompletion=complete_method,
        ),
    ] = None,
    dataset_column: Annotated[
        str, typer.Option(metavar="COL", help="The column of data sets.", autocompletion=complete_column)
    ] = "dataset",
    method_column: Annotated[
        str, typer.Option(metavar="COL", help="The column of methods.", autocompletion=complete_column)
    ] = "method",
    loss_column: Annotated[
        str, typer.Option(metavar="COL", help="The column of losses.", autocompletion=complete_column)
    ] = "loss",
    prevalence_column: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="The column of prevalences; default: prevalence, if RESULTS has it.",
            autocompletion=complete_column,
        ),
    ] = None,
    fold_column: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="The column of folds, which are averaged; default: fold, if RESULTS has it.",
            autocompletion=complete_column,
        ),
    ] = None,
    higher_is_better: Annotated[
        bool, typer.Option("--higher-is-better", help="The losses are scores, such as accuracies: higher is better.")
    ] = False,
    ranking: Annotated[
        Literal["average", "rerank"],
        typer.Option(
            metavar="HOW",
            help="Average the ranks over the prevalences of a data set (average), or rank these averages once more "
            "(rerank).",
        ),
    ] = "average",
    posthoc: Annotated[
        Literal["nemenyi", "bonferroni-dunn", "wilcoxon-holm"] | None,
        typer.Option(
            metavar="TEST",
            help="The test that decides which methods differ: nemenyi, bonferroni-dunn or wilcoxon-holm; default: "
            "nemenyi, bonferroni-dunn with --control, and wilcoxon-holm for two methods.",
        ),
    ] = None,
    alpha: options.Alpha = 0.05,
    rope: Annotated[
        float, typer.Option(metavar="X", help="The largest difference between losses that does not matter.")
    ] = 0.01,
    seed: options.Seed = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", help="Write an HTML page here; into a folder also every figure."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every figure into this folder, as SVG.")
    ] = None,
    redact: options.Redact = False,
    json: options.Json = None,
) -> int:
    """Say which method is best over many data sets, and which differences are more than chance.

    Methods are ranked on each data set, or on each data set at each
    prevalence, and the ranks are averaged. The tests count data sets, not
    rows: with few data sets only large differences can be detected, and the
    answer says how large a difference must be.

    [dim]shiftproof compare losses.csv --loss-column AE --figures figures[/dim]
    [dim]shiftproof compare losses.csv --control ours --out page.html[/dim]
    [dim]shiftproof compare scores.parquet --loss-column accuracy[/dim]
    [dim]  --higher-is-better[/dim]
    """
    from shiftproof.comparison import compare as run
    from shiftproof.data import read

    page, drawn = _places(out, figures)
    job = Job(out=page, json=json)
    with job.listening():
        with job.stage("reading"):
            table = read(results)
        with job.stage("comparing"):
            found = run(
                table,
                control=control,
                ranking=ranking,
                posthoc=posthoc,
                alpha=alpha,
                rope=rope,
                lower_is_better=not higher_is_better,
                dataset_column=dataset_column,
                method_column=method_column,
                loss_column=loss_column,
                prevalence_column=prevalence_column,
                fold_column=fold_column,
                random_state=seed,
            )
        if drawn is not None:
            with job.stage("drawing"):
                found.save_figures(drawn)
            job.wrote("figures", drawn)
        job.page(lambda path: found.save(path, redact=redact))
    job.end(found.to_dict, lambda console: show_comparison(console, found))
    return 0


def _places(out: Path | None, figures: Path | None) -> tuple[Path | None, Path | None]:
    """Say where the page goes and where the figures go; a folder takes both."""
    if figures is not None and figures.exists() and not figures.is_dir():
        raise fault("--figures", "name a folder", Phrase(f"the file {str(figures)!r}"), "choose another place")
    if out is None or out.suffix.lower() in (".html", ".htm"):
        return out, figures
    if not out.is_dir() and (out.suffix or out.is_file()):
        raise fault("--out", "end in .html or name a folder", Phrase(f"the file {str(out)!r}"), "choose another place")
    return out / _PAGE, figures or out
