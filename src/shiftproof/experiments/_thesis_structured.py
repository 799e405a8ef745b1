"""Chapter 6 of the thesis: machines that minimise a loss of the whole confusion table, on 22 problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from shiftproof.comparison import Comparison
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._report import PaperFigure, PaperTable, Reproduction
from shiftproof.experiments._thesis import (
    Statement,
    apart,
    apart_from,
    compared,
    first_ranks,
    losses_of,
    method_table,
    rank_figures,
    statement_table,
    usual_statements,
)
from shiftproof.experiments._thesis_program import program_estimates
from shiftproof.experiments._thesis_runs import (
    PROBLEMS,
    combined_estimates,
    machine_estimates,
    source_of,
    structured_estimates,
)
from shiftproof.losses import perfect_quantifiers, q_measure, surface

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Losses of the whole confusion table (thesis, chapter 6)"
#: Chapter 6 leaves out two "because they are too simple".
TOO_SIMPLE = ("acute.a", "acute.b")
#: How the structured machines are solved: exactly, with C = 1 in eq. 6.6 or per row, or as SVM-perf does.
SOLVED = {
    "equation-6.6": "eq. 6.6 solved exactly, C = 1",
    "per-row": "the same with C = 1 per row, as in other support vector machines",
    "svm-perf": "by SVM-perf with its defaults",
}
QUICK = ("iris.2", "iris.3", "wine.1", "wine.2", "wine.3", "sonar", "haberman", "transfusion", "balance.2", "cmc.2")
#: These problems make "all weights zero" the optimum of 1 - Q.
COLLAPSE = ("balance.2", "cmc.2", "cmc.3")
Q_METHODS = ("Q0.5", "Q1", "Q2")
#: The rows of each class in figures 6.2 to 6.7.
BALANCED, UNBALANCED = (1000, 1000), (100, 1000)


def _cells(scope: Scope) -> list[GridCell]:
    problems = QUICK if scope.quick else [name for name in PROBLEMS if name not in TOO_SIMPLE]
    cells = []
    for seed in range(scope.seeds):
        for problem in problems:
            key, data = {"problem": problem, "seed": seed}, (source_of(problem),)
            effort = 1 + PROBLEMS[problem][0] / 1000
            cells.append(GridCell(combined_estimates, key, data, effort=effort))
            cells.append(GridCell(machine_estimates, {**key, "tune": False}, data, effort=effort))
            cells.append(GridCell(program_estimates, key, data, effort=effort))
            cells += [
                GridCell(structured_estimates, {**key, "cost": cost}, data, effort=effort)
                for cost in ("equation 6.6", "per row")
            ]
    return cells


def _report(rows: Mapping[str, pd.DataFrame], _scope: Scope) -> Reproduction:
    """Lay the chapter's statements beside what is found here, however the machines are solved."""
    tables: list[PaperTable] = [
        PaperTable(name="table-6.1", title="Table 6.1: two perfect quantifiers", frame=conflict_table(), digits=2)
    ]
    figures = [PaperFigure(name="figure-6.1", title="Two conflicting perfect quantifiers", draw=_draw_conflict)]
    figures += _surfaces()
    machines, structured = rows["machine-estimates"], rows["structured-estimates"]
    # BL belongs to chapter 5.
    same = [machines[machines["method"] != "BL"], rows["combined-estimates"]]
    collapses = []
    for name, words in SOLVED.items():
        own = structured[structured["cost"] == name.replace("-", " ")]
        losses = losses_of([rows["program-estimates"] if name == "svm-perf" else own, *same])
        by_ae, by_kld = compared(losses, "AE"), compared(losses, "KLD")
        table = method_table(losses, by_ae, by_kld)
        statements = [
            *usual_statements(by_ae, 2.8883, len(PROBLEMS) - len(TOO_SIMPLE)),
            *_statements(table, by_ae, by_kld),
            *_like_counting(by_ae),
        ]
        title = f"Errors and ranks: {words}"
        tables.append(PaperTable(name=f"methods-{name}", title=title, frame=table.reset_index(), digits=4))
        tables.append(
            statement_table(statements, f"statements-{name}", f"What the thesis says: {words}", "the thesis says")
        )
        figures += [
            PaperFigure(name=f"{each.name}-{name}", title=f"{each.title}: {words}", draw=each.draw)
            for each in rank_figures(by_ae, by_kld, "6.8", "6.9")
        ]
        collapses.append(_collapses(losses).assign(solved=words))
    collapsed = pd.concat(collapses)[["solved", "problems", *Q_METHODS]]
    title = "Largest errors where 1 - Q collapses, and elsewhere"
    tables.append(PaperTable(name="collapse", title=title, frame=collapsed, digits=2))
    return Reproduction(title=TITLE, tables=tables, figures=figures)


def _statements(table: pd.DataFrame, by_ae: Comparison, by_kld: Comparison) -> Iterator[Statement]:
    """Give the statements of section 6.5."""
    yield Statement(
        "Max and Q2 have the best ranks by AE", first_ranks(by_ae, 3), {*by_ae.methods[:2]} == {"Max", "Q2"}
    )
    pairs = {
        (a, b) for a in by_ae.methods for b in by_ae.methods if apart(by_ae, a, b) and by_ae.ranks[a] < by_ae.ranks[b]
    }
    yield Statement(
        "by AE, only Max and T50 differ significantly",
        ", ".join(f"{a} > {b}" for a, b in sorted(pairs)) or "none",
        pairs == {("Max", "T50")},
    )
    yield Statement("Q2 has the best rank by KLD", first_ranks(by_kld, 3), by_kld.methods[0] == "Q2")
    good = ("Q2", "Q1", "Max", "NAS")
    yield Statement(
        "by KLD, Q2, Q1, Max and NAS are better than T50",
        "; ".join(apart_from(by_kld, one) for one in good),
        all(apart(by_kld, one, "T50") for one in good),
    )
    most = float(table.loc[[*Q_METHODS], "largest"].max())
    yield Statement("no error of Q0.5, Q1, Q2 is above 70%", f"largest error {most:.1%}", most <= 0.7)
    largest = {name: float(table["largest"].to_dict()[name]) for name in ("CC", "AC")}
    here = ", ".join(f"{name} {error:.0%}" for name, error in largest.items())
    yield Statement("CC and AC err by up to 100%", here, min(largest.values()) > 0.99)
    widths = (table["quartile 3"] - table["quartile 1"]).loc[[*Q_METHODS, "NAS"]]
    here = ", ".join(f"{name} {100 * width:.1f} points" for name, width in widths.to_dict().items())
    said = "the middle half of the errors is narrower for Q0.5, Q1 and Q2 than for NAS"
    yield Statement(said, here, bool(widths[[*Q_METHODS]].max() < widths["NAS"]))
    lowest = min(Q_METHODS, key=lambda name: by_ae.ranks[name])
    yield Statement("beta = 2 is a rule of thumb", f"best rank of the three: {lowest}", lowest == "Q2")
    better = [name for name in Q_METHODS if by_ae.ranks[name] < by_ae.ranks["NAS"]]
    yield Statement("Q2 is better than NAS", "better than NAS: " + (", ".join(better) or "none"), "Q2" in better)


def _like_counting(by_ae: Comparison) -> Iterator[Statement]:
    """Check that a machine for NAS behaves like plain counting: its errors correlate most with CC's."""
    cells = pd.DataFrame(by_ae.losses, columns=list(by_ae.methods))
    alike = {name: float(spearmanr(cells["NAS"], cells[name]).statistic) for name in cells if name != "NAS"}
    nearest = max(alike, key=lambda name: alike[name])
    here = f"errors of NAS and CC correlate {alike['CC']:.2f}; highest correlation: {nearest} ({alike[nearest]:.2f})"
    others = [name for name in ("AC", "Max", "X", "T50", "MS") if alike[name] >= alike["CC"]]
    yield Statement("NAS behaves like CC (sec. 6.2.3)", here, not others)


def _collapses(losses: pd.DataFrame) -> pd.DataFrame:
    """Return the largest errors of the Q machines on the problems whose optimum has no weights, and on the others."""
    cells = losses.groupby(["method", "dataset", "prevalence"], sort=False)["AE"].mean().reset_index()
    cells = cells[cells["method"].isin(Q_METHODS)]
    where = np.where(cells["dataset"].isin(COLLAPSE), ", ".join(COLLAPSE), "all others")
    return (
        cells.assign(problems=where)
        .pivot_table(index="problems", columns="method", values="AE", aggfunc="max")
        .reset_index()
    )


def _lines() -> Any:
    """Return rows like those of figure 6.1, where two lines count correctly but one of them misclassifies."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 14)
    X = rng.normal(size=(28, 2)) * 0.6 + np.where(y == 1, 1.0, -1.0)[:, None]
    return perfect_quantifiers(X, y, {"w1": [1.0, -1.0], "w2": [1.0, 1.0]})


def conflict_table() -> pd.DataFrame:
    """Return Table 6.1: NAS cannot choose between two perfect quantifiers, recall and Q can."""
    table: pd.DataFrame = _lines().to_frame()
    return table.rename(columns={"name": "line", "q_measure": "Q"})


def _draw_conflict() -> Axes:
    axes: Axes = _lines().plot()
    return axes


def _surfaces() -> list[PaperFigure]:
    """Return figures 6.2 to 6.7: every loss over false positives and false negatives, in two class proportions."""
    classification = ("accuracy", "f1", "g_mean", "precision", "recall", "specificity")
    quantification = ("absolute_error", "squared_error", "kld", "nas", "nss")
    figures = []
    for number, losses in ((2, classification), (4, quantification), (6, ("nas", *BETAS, "recall"))):
        for place, sizes in enumerate((BALANCED, UNBALANCED)):
            title = f"{', '.join(losses)} over false positives and false negatives, p = {sizes[0] / sum(sizes):.2g}"
            draw = partial(_draw_surfaces, losses, sizes)
            figures.append(PaperFigure(name=f"figure-6.{number + place}", title=title, draw=draw))
    return figures


def _q(tp: Any, fp: Any, fn: Any, tn: Any, *, beta: float) -> Any:
    return q_measure(tp, fp, fn, tn, beta=beta)


#: The Q-measures of figures 6.6 and 6.7.
BETAS = {f"Q{beta:g}": partial(_q, beta=beta) for beta in (2.0, 1.0, 0.5)}


def _draw_surfaces(losses: Sequence[str], sizes: tuple[int, int]) -> Figure:
    """Draw one loss beside the other."""
    from shiftproof.plots import own_figure

    figure = own_figure(size=(3.2 * len(losses), 3.0))
    for loss, ax in zip(losses, figure.subplots(1, len(losses)), strict=True):
        surface(BETAS.get(loss, loss), *sizes, points=41, name=loss).plot(ax=ax)
    return figure


EXPERIMENT = Experiment(name="thesis-structured", title=TITLE, cells=_cells, report=_report, seeds=1)
