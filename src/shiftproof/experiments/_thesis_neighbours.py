"""Chapter 5 of the thesis: quantification by nearest neighbours, against Forman's methods, on 24 problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from shiftproof.comparison import Comparison
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._pictures import draw_shifts
from shiftproof.experiments._report import PaperFigure, PaperTable, Reproduction
from shiftproof.experiments._thesis import (
    Statement,
    apart,
    apart_from,
    compared,
    critical_values,
    first_ranks,
    losses_of,
    method_table,
    problem_table,
    rank_figures,
    statement_table,
    usual_statements,
)
from shiftproof.experiments._thesis_open import power_table, similar_estimates, similarity_table
from shiftproof.experiments._thesis_runs import (
    ALPHA_1,
    OURS,
    PROBLEMS,
    combined_estimates,
    libsvm_agreement,
    machine_estimates,
    neighbour_estimates,
    reversed_estimates,
    source_of,
)
from shiftproof.quantification import class_weights

TITLE = "Quantification by nearest neighbours (thesis, chapter 5)"
QUICK = ("iris.1", "iris.2", "haberman")
#: The methods of the thesis that weigh neighbours.
WEIGHTED = ("PWK", "PWKa")
#: What chapter 5 says about PWKa against others: wins minus losses in 264 cells, and mean difference of AE in points.
DUELS = {"PWK": (None, 0.26), "KNN": (78, 2.28), "Max": (29, 2.09), "BL": (200, 23.97)}
#: The weights of Table 5.1, for training prevalences of 50, 60, … 90 and 99%, by alpha.
TABLE_5_1 = {
    1: (1.00, 0.67, 0.43, 0.25, 0.11, 0.01),
    2: (1.00, 0.82, 0.65, 0.50, 0.33, 0.10),
    3: (1.00, 0.87, 0.75, 0.63, 0.48, 0.22),
    4: (1.00, 0.90, 0.81, 0.71, 0.58, 0.32),
    5: (1.00, 0.92, 0.84, 0.76, 0.64, 0.40),
}
PREVALENCES_5_1 = (0.50, 0.60, 0.70, 0.80, 0.90, 0.99)


def _cells(scope: Scope) -> list[GridCell]:
    """Return the runs of all problems; those that tune a machine within folds within folds take nearly all the time."""
    problems = QUICK if scope.quick else tuple(PROBLEMS)
    cells = []
    for seed in range(scope.seeds):
        for problem in problems:
            key, data = {"problem": problem, "seed": seed}, (source_of(problem),)
            size = PROBLEMS[problem][0] * PROBLEMS[problem][1]
            cells += [
                GridCell(neighbour_estimates, key, data, effort=1 + size / 20_000),
                GridCell(similar_estimates, key, data, effort=1 + size / 20_000),
                GridCell(machine_estimates, {**key, "tune": True}, data, effort=10 + size / 100),
                GridCell(combined_estimates, key, data, effort=1 + size / 20_000),
            ]
        if not scope.quick:
            cells.append(GridCell(reversed_estimates, {"problem": "ctg.1", "seed": seed}, ("ctg",), effort=4))
    cells += [GridCell(libsvm_agreement, {"problem": problem}, (source_of(problem),)) for problem in problems]
    return cells


def _report(rows: Mapping[str, pd.DataFrame], _scope: Scope) -> Reproduction:
    """Lay the chapter's tables and statements beside what is found here."""
    neighbours = rows["neighbour-estimates"]
    theirs = neighbours[neighbours["method"] != ALPHA_1]
    losses = losses_of([theirs, rows["machine-estimates"], rows["combined-estimates"]])
    by_ae, by_kld = compared(losses, "AE"), compared(losses, "KLD")
    table = method_table(losses, by_ae, by_kld)
    statements = [
        *usual_statements(by_ae, 2.7654, len(PROBLEMS)),
        *_statements(table, by_ae, by_kld),
        *_statements_by_prevalence(by_ae),
        _training_prevalence(losses),
        _theorem(neighbours),
    ]
    if "reversed-estimates" in rows:
        statements.append(_reversed(rows["reversed-estimates"]))
    tables = [
        PaperTable(name="table-4.2", title="Table 4.2: critical values of post-hoc tests", frame=critical_values()),
        PaperTable(name="table-5.1", title="Table 5.1: weights of PWK-alpha", frame=weight_table(), digits=2),
        PaperTable(name="table-5.2", title="Table 5.2: the problems", frame=problem_table(losses)),
        PaperTable(name="methods", title="Errors and ranks, nested rates", frame=table.reset_index(), digits=4),
        PaperTable(name="libsvm", title="Our machine beside libsvm", frame=_agreement(rows["libsvm-agreement"])),
        PaperTable(
            name="similarity",
            title="Mean absolute error with equal votes and with votes weighted by similarity",
            frame=similarity_table(neighbours, rows["similar-estimates"]),
            digits=4,
        ),
        PaperTable(
            name="power",
            title="How often tests find differences, by the number of test prevalences",
            frame=power_table(by_ae),
            digits=3,
        ),
        statement_table(statements, "statements", "What the thesis says of chapter 5", "the thesis says"),
    ]
    return Reproduction(title=TITLE, tables=tables, figures=_figures(by_ae, by_kld, losses))


def _agreement(rows: pd.DataFrame) -> pd.DataFrame:
    """Return for each C on how many problems libsvm ends, and how many rows both machines then predict alike."""
    ended = rows.groupby("C")["agree"].agg(["count", "mean", "min"]).reset_index()
    return ended.set_axis(["C", "problems on which libsvm ends", "mean agreement", "lowest"], axis=1)


def weight_table() -> pd.DataFrame:
    """Return Table 5.1: the weight of a class by its share of the training rows (eq. 5.4), and the printed one."""
    rows = []
    for alpha, printed in TABLE_5_1.items():
        counts = [np.array([round(1000 * share), round(1000 * (1 - share))]) for share in PREVALENCES_5_1]
        ours = [float(class_weights(each, alpha)[0]) for each in counts]
        rows.append([alpha, *(f"{one:.2f} ({other:.2f})" for one, other in zip(ours, printed, strict=True))])
    return pd.DataFrame(rows, columns=["alpha", *(f"{share:.0%}" for share in PREVALENCES_5_1)])


def _statements(table: pd.DataFrame, by_ae: Comparison, by_kld: Comparison) -> Iterator[Statement]:
    """Give the statements of sections 5.3.1 to 5.3.4."""
    order, ranks = list(by_ae.methods), by_ae.ranks
    yield Statement("PWKa and PWK have the best ranks", first_ranks(by_ae, 3), {*order[:2]} == {*WEIGHTED})
    yield Statement(
        "PWKa and PWK are better than CC, AC, MS, T50, BL",
        "; ".join(apart_from(by_ae, one) for one in WEIGHTED),
        all(apart(by_ae, one, other) for one in WEIGHTED for other in ("CC", "AC", "MS", "T50", "BL")),
    )
    yield Statement(
        "PWKa and PWK do not differ from KNN, Max, X",
        ", ".join(f"{m} {ranks[m]:.2f}" for m in ("KNN", "Max", "X")),
        not any(apart(by_ae, one, other) for one in WEIGHTED for other in ("KNN", "Max", "X")),
    )
    yield Statement(
        "neither AC nor T50 differs from BL",
        ", ".join(f"{m} {ranks[m]:.2f}" for m in ("AC", "T50", "BL")),
        not apart(by_ae, "AC", "BL") and not apart(by_ae, "T50", "BL"),
    )
    yield Statement("BL and T50 rank last", ", ".join(order[-2:]), {*order[-2:]} == {"BL", "T50"})
    theirs = table.drop(index=OURS)["mean AE"]
    yield Statement(
        "PWK and PWKa have the lowest mean error",
        ", ".join(f"{name} {value:.4f}" for name, value in theirs.head(3).items()),
        {*theirs.index[:2]} == {*WEIGHTED},
    )
    quartile, most = table.loc[[*WEIGHTED], "quartile 3"].max(), table.loc[[*WEIGHTED], "largest"].max()
    yield Statement("their third quartiles are below 15%", f"{quartile:.1%}", bool(quartile < 0.15))
    yield Statement("their largest errors are below 45%", f"{most:.1%}", bool(most < 0.45))
    for other, (lead, difference) in DUELS.items():
        wins, points = _duel(by_ae, other)
        said = f"{'' if lead is None else f'{lead} more wins than losses, '}lower AE by {difference:.2f} points"
        # Both signs have to be the same; the figures themselves are of other folds.
        same = (lead is None or wins > 0) and points > 0
        yield Statement(f"PWKa against {other}: {said}", f"{wins:+d} net wins, {points:.2f} points", same)
    yield Statement("PWKa and PWK also rank first by KLD", first_ranks(by_kld, 3), {*by_kld.methods[:2]} == {*WEIGHTED})


def _duel(found: Comparison, other: str) -> tuple[int, float]:
    """Return wins minus losses, and the mean difference of AE in points, of PWKa against another."""
    cells = pd.DataFrame(found.losses, columns=list(found.methods))
    more = cells[other] - cells["PWKa"]
    return int((more > 0).sum() - (more < 0).sum()), 100 * float(more.mean())


def _statements_by_prevalence(by_ae: Comparison) -> Iterator[Statement]:
    """Give the statements of section 5.3.5, which look at each test prevalence on its own."""
    cells = pd.DataFrame(by_ae.losses, columns=list(by_ae.methods))
    errors = cells.groupby(np.asarray(by_ae.prevalences, dtype=float)).mean()
    low, high = errors.index < 0.5, errors.index > 0.5
    wins = {name: (cells["PWKa"] - cells[name]).apply(np.sign) for name in by_ae.methods if name != "PWKa"}
    leads = pd.DataFrame(wins).groupby(np.asarray(by_ae.prevalences, dtype=float)).sum()
    best = [str(leads.loc[share].idxmax()) for share in (0.1, 0.2)]
    yield Statement(
        "CC does best against PWKa at 10% and 20% (wins minus losses)",
        "; ".join(f"{share:.0%}: {name}" for share, name in zip((0.1, 0.2), best, strict=True)),
        best == ["CC", "CC"],
    )
    gain = errors["CC"] - errors["AC"]
    yield Statement(
        "AC corrects CC above 50%, not below",
        f"{100 * gain[high].mean():+.1f} points above, {100 * gain[low].mean():+.1f} below",
        bool(gain[high].mean() > 0 > gain[low].mean()),
    )
    gain = errors["X"] - errors["Max"]
    yield Statement(
        "Max is better than X below 50%",
        f"{100 * gain[low].mean():+.1f} points below, {100 * gain[high].mean():+.1f} above",
        bool(gain[low].mean() > 0),
    )
    gain = errors["PWK"] - errors["PWKa"]
    yield Statement(
        "PWKa is better at low prevalences, PWK at high ones",
        f"{100 * gain[low].mean():+.2f} points below 50%, {100 * gain[high].mean():+.2f} above",
        bool(gain[low].mean() > 0 > gain[high].mean()),
    )
    worse = {(name, share) for name in by_ae.methods if name not in WEIGHTED for share in errors.index
             if errors.loc[share, name] < errors.loc[share, "PWKa"] and leads.loc[share, name] > 0}  # fmt: skip
    named = ", ".join(f"{name} at {share:.0%}" for name, share in sorted(worse)) or "none"
    yield Statement("only CC at 10% beats PWKa both in mean error and in wins", named, worse == {("CC", 0.1)})


def _training_prevalence(losses: pd.DataFrame) -> Statement:
    """Check that the share of positives in the training rows does not drive the error (figure 5.5)."""
    by_set = losses[losses["method"] == "PWKa"].groupby("dataset")[["share", "AE"]].mean()
    found = spearmanr(by_set["share"], by_set["AE"])
    said = "the training prevalence does not drive the error"
    return Statement(said, f"rank correlation {found.statistic:.2f}, p = {found.pvalue:.2f}", bool(found.pvalue > 0.05))


def _theorem(neighbours: pd.DataFrame) -> Statement:
    """Check Theorem 5.1 on every sample of every problem."""
    estimates = {name: rows["estimated"].to_numpy() for name, rows in neighbours.groupby("method")}
    difference = float(np.abs(estimates["PWK"] - estimates[ALPHA_1]).max())
    here = f"largest difference {difference:.1g} in {len(estimates['PWK']):,} samples"
    return Statement("PWK is PWKa at alpha = 1 (Theorem 5.1)", here, difference == 0)


def _reversed(rows: pd.DataFrame) -> Statement:
    """Compare T50 on ctg.1 with and without reversed labels; errors of a share are those of the other."""
    errors = rows.assign(error=(rows["estimated"] - rows["true"]).abs())
    errors = errors.pivot_table(index=["seed", "fold"], columns="method", values="error")
    means, gap = errors.mean(), errors["T50"] - errors["T50, reversed"]
    # Two standard errors over folds.
    alike = bool(abs(gap.mean()) < 2 * gap.std() / np.sqrt(len(gap)))
    here = f"error {means['T50']:.3f}, and {means['T50, reversed']:.3f} with reversed labels"
    return Statement("reversing the labels of ctg.1 makes no significant difference to T50", here, alike)


def _figures(by_ae: Comparison, by_kld: Comparison, losses: pd.DataFrame) -> list[PaperFigure]:
    """Return figures 2.2 and 2.3, and 5.1 to 5.5."""
    shares = losses.groupby("dataset")["share"].first()
    titled = losses.assign(dataset=losses["dataset"].map(lambda name: f"{name} ({shares[name]:.0%})"))
    bars = ("AC", "Max", "KNN", "PWKa")
    return [
        PaperFigure(
            name="figure-2.2-2.3",
            title="Figures 2.2 and 2.3: prior shift keeps P(x|y), covariate shift keeps P(y|x), other changes neither",
            draw=draw_shifts,
        ),
        *rank_figures(by_ae, by_kld, "5.1", "5.2"),
        PaperFigure(name="figure-5.3", title="Every method against PWKa", draw=lambda: by_ae.plot_pairs(pivot="PWKa")),
        PaperFigure(
            name="figure-5.4",
            title="Every method against PWKa, by test prevalence",
            draw=lambda: by_ae.plot_prevalences(pivot="PWKa"),
        ),
        PaperFigure(
            name="figure-5.5",
            title="Absolute errors on each problem, in the order of its share of positives",
            draw=lambda: compared(titled, "AE").plot_datasets(methods=bars),
        ),
    ]


EXPERIMENT = Experiment(name="thesis-neighbours", title=TITLE, cells=_cells, report=_report, seeds=1)
