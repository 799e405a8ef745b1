"""`shiftproof compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from shiftproof.cli._completion import complete_method
from shiftproof.cli._cut import read_file
from shiftproof.cli._files import check_outputs
from shiftproof.cli._job import Job
from shiftproof.cli._terminal import STANDARD_OUTPUT
from shiftproof.core import Phrase, fault

_PAGE = "comparison.html"
# Those of `shiftproof.comparison`, which is too slow to import for the help; mypy compares them.
_PostHoc = Literal[
    "nemenyi",
    "bonferroni-dunn",
    "ranks-holm",
    "ranks-hochberg",
    "ranks-hommel",
    "ranks-shaffer",
    "ranks-bergmann",
    "wilcoxon-holm",
    "wilcoxon-hochberg",
    "wilcoxon-hommel",
    "wilcoxon-shaffer",
    "wilcoxon-bergmann",
]


def compare(
    *,
    results: Path,
    control: Annotated[str | None, complete_method] = None,
    dataset_column: str = "dataset",
    method_column: str = "method",
    loss_column: str = "loss",
    prevalence_column: str | None = None,
    fold_column: str | None = None,
    higher_is_better: bool = False,
    ranking: Literal["average", "rerank"] = "average",
    posthoc: _PostHoc | None = None,
    spread: Literal["observed", "ranks"] = "observed",
    alpha: float = 0.05,
    rope: float = 0.01,
    seed: int = 0,
    out: Path | None = None,
    figures: Path | None = None,
    redact: bool = False,
    json: Path | None = None,
) -> int:
    """Say which method is best across many data sets, and which differences are more than chance.

    Methods are ranked on each data set, or on each data set at each prevalence,
    and the ranks are averaged. The tests count data sets, not rows. With few
    data sets only large differences can be detected; the result says how large.

    [dim]shiftproof compare losses.csv --loss-column AE --figures figures[/dim]
    [dim]shiftproof compare losses.csv --control ours --out page.html[/dim]
    [dim]shiftproof compare scores.parquet --loss-column accuracy[/dim]
    [dim]  --higher-is-better[/dim]

    Parameters
    ----------
    results : RESULTS
        A table with one row per data set and method (and prevalence, and fold), or with one row per data set and one
        column per method, or the table from sp.quantification.run_protocol: CSV, CSV.gz or Parquet.
    control : METHOD
        Compare all other methods with this one. Choose it before you see the losses.
    dataset_column : COL
        The column of data sets.
    method_column : COL
        The column of methods.
    loss_column : COL
        The column of losses.
    prevalence_column : COL
        The column of prevalences. Default: prevalence, if RESULTS has it.
    fold_column : COL
        The column of folds; losses are averaged over folds. Default: fold, if RESULTS has it.
    higher_is_better
        The loss column holds scores such as accuracies, for which higher is better.
    ranking : HOW
        How to make one rank per data set if methods are ranked at several prevalences: average their ranks (average),
        or rank the methods again by that average (rerank).
    posthoc : TEST
        The test that decides which methods differ: nemenyi, bonferroni-dunn, or pairwise tests corrected for multiple
        comparisons, such as wilcoxon-holm. Such a name has two parts: ranks or wilcoxon, then holm, hochberg, hommel,
        shaffer or bergmann. Default: nemenyi; bonferroni-dunn with --control; wilcoxon-holm for two methods.
    spread : HOW
        Which variance the Friedman test uses: observed (computed from the ranks of your results) or ranks (the
        textbook formula: the variance of the numbers 1 to k, for k methods). The second finds fewer differences if
        ranks are averaged over prevalences.
    rope : X
        Differences between losses up to this size do not matter.
    out : FILE|FOLDER
        Write an HTML page to this file. If it is a folder, also write every figure there.
    figures : FOLDER
        Write every figure to this folder, as SVG.
    """
    from shiftproof.cli._show import show_comparison
    from shiftproof.comparison import compare as run

    # Checked first: comparing many methods takes long.
    page, figures = _places(out, figures)
    check_outputs({"--out": page}, [results])
    job = Job(out=page, json=json, redact=redact)
    with job.listening():
        with job.stage("reading"):
            table = read_file(results)
        with job.stage("comparing"):
            result = run(
                table,
                control=control,
                ranking=ranking,
                posthoc=posthoc,
                spread=spread,
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
        if figures is not None:
            with job.stage("drawing"):
                result.save_figures(figures)
            job.wrote("figures", figures)
    return job.end(result, show_comparison)


def _places(out: Path | None, figures: Path | None) -> tuple[Path | None, Path | None]:
    """Return the paths of the page and of the figures; if --out is a folder, both go there."""
    if figures == STANDARD_OUTPUT:
        raise fault("--figures", "name a folder", "-", "only --json writes to standard output")
    if figures is not None and figures.exists() and not figures.is_dir():
        raise fault("--figures", "name a folder", Phrase(f"the file {str(figures)!r}"), "choose another path")
    if out is None or out.suffix.lower() in (".html", ".htm"):
        return out, figures
    if not out.is_dir() and (out.suffix or out.is_file()):
        raise fault("--out", "end in .html or name a folder", Phrase(f"the file {str(out)!r}"), "choose another path")
    return out / _PAGE, figures or out
