"""`shiftproof compare`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shiftproof.cli._completion import complete_column, complete_method
from shiftproof.cli._job import Job
from shiftproof.cli._options import Json
from shiftproof.cli._show_compare import show_comparison
from shiftproof.core import InputError

_PAGE = "comparison.html"


class Ranking(StrEnum):
    """What becomes of the average ranks of a data set."""

    average = "average"
    rerank = "rerank"


class PostHoc(StrEnum):
    """What decides which methods differ."""

    nemenyi = "nemenyi"
    dunn = "bonferroni-dunn"
    wilcoxon = "wilcoxon-holm"


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
            help="Compare all others with this one, chosen beforehand.",
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
            help="The column of prevalences; by default prevalence, where there is one.",
            autocompletion=complete_column,
        ),
    ] = None,
    fold_column: Annotated[
        str | None,
        typer.Option(
            metavar="COL",
            help="The column of folds, which are averaged; by default fold, where there is one.",
            autocompletion=complete_column,
        ),
    ] = None,
    higher_is_better: Annotated[
        bool, typer.Option("--higher-is-better", help="The losses are scores, such as accuracies.")
    ] = False,
    ranking: Annotated[
        Ranking, typer.Option(help="Average the ranks over the prevalences of a data set, or rank these once more.")
    ] = Ranking.average,
    posthoc: Annotated[
        PostHoc | None,
        typer.Option(
            help="What decides which methods differ; by default nemenyi, with --control bonferroni-dunn, and of two "
            "methods wilcoxon-holm."
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Probability of any false difference.")] = 0.05,
    rope: Annotated[float, typer.Option(help="The largest difference of losses that does not matter.")] = 0.01,
    seed: Annotated[int, typer.Option(help="Seed of the Bayesian probabilities.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", help="Write an HTML page here; into a folder also every figure."),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write every figure into this folder, as SVG.")
    ] = None,
    json: Json = None,
) -> int:
    """Say which method is the best over many data sets, and which differences are more than chance.

    Methods are ranked on each data set, or on each data set at each
    prevalence, and the ranks are averaged. The tests count data sets, not
    rows: with few of them, large differences cannot be told from chance, and
    the answer says how large one must be.

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
                ranking=ranking.value,
                posthoc=None if posthoc is None else posthoc.value,
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
        job.page(found.save)
    job.end(found.to_dict, lambda console: show_comparison(console, found))
    return 0


def _places(out: Path | None, figures: Path | None) -> tuple[Path | None, Path | None]:
    """Say where the page goes and where the figures go; a folder takes both."""
    if figures is not None and figures.exists() and not figures.is_dir():
        raise InputError(f"--figures must name a folder, got the file {str(figures)!r}; choose another place.")
    if out is None or out.suffix.lower() in (".html", ".htm"):
        return out, figures
    if not out.is_dir() and (out.suffix or out.is_file()):
        raise InputError(f"--out must end in .html or name a folder, got the file {str(out)!r}; choose another place.")
    return out / _PAGE, figures or out
