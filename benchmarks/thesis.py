"""Chapters 5 and 6 of Barranquero's thesis (2013) in one command: its 24 problems, its methods, its statistics.

Usage::

    python benchmarks/thesis.py [--data ../shared/data] [--chapter 5 6] [--seeds 3] [--workers 2]
        [--keep .bench-thesis] [--out .bench-thesis/tables] [--problems iris.1 iris.2 …] [--nested]
        [--no-figures] [--with-class]

with `--data` a folder of CSV files, the label in the last column ``label``. What is done is kept in the folder
`--keep`, one Parquet file per problem and seed, so that a run that was stopped, however rudely, goes on where it was;
the tables are the same whatever the number of workers. `--out` gets the figures of both chapters, all losses, and the
tables that are printed.

Ten folds, each at 0, 10, … 100% positives; the error is against the share that a sample really has; folds (and
seeds) are averaged before ranking. Beside the ten methods of each chapter stands our default, which takes no part in
the ranks. Rates of methods with a classifier come from the scores of the other folds' rows, which makes their errors
3 to 8% larger than nested folds do; neighbours are nested, at no cost. ``--nested`` nests all, as the thesis did,
with eleven times the fits. The label CLASS of ctg, which gives away the other, is left out; ``--with-class`` keeps
it, as the thesis seems to have done.

What was kept for other data or another version is not read; after a change of the library's code, empty the folder.
"""

from __future__ import annotations

import os

# Before anything imports NumPy: workers share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import shiftproof as sp
from shiftproof.comparison import Comparison
from thesis_runs import CHAPTERS, OURS, PROBLEMS, Unit, read_units, run_units

#: The methods of the thesis that correct by eq. 3.1 with nearest neighbours.
WEIGHTED = ("PWK", "PWKa")
#: What chapter 5 says of PWKa against others: wins less losses in 264 cells, and mean difference of AE in points.
DUELS = {"PWK": (None, 0.26), "KNN": (78, 2.28), "Max": (29, 2.09), "BL": (200, 23.97)}


class Statement(NamedTuple):
    """What the thesis says, what came here, and whether that is the same."""

    thesis: str
    here: str
    holds: bool


def losses_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Give one row per data set, prevalence, method and fold, with both losses; seeds count as folds."""
    true, told = frame["true"].to_numpy(), frame["estimated"].to_numpy()
    return pd.DataFrame(
        {
            "dataset": frame["dataset"],
            "prevalence": frame["prevalence"].round(2),
            "method": frame["method"],
            "fold": frame["seed"] * 100 + frame["fold"],
            "AE": np.abs(true - told),
            "KLD": sp.losses.kld(true, told, sample_size=frame["size"].to_numpy()),
        }
    )


def compared(losses: pd.DataFrame, loss: str, ranking: str = "average") -> Comparison:
    """Compare the thesis's methods by their cross-validated losses."""
    return sp.compare(cells_of(losses, loss), loss_column=loss, ranking=ranking)


def cells_of(losses: pd.DataFrame, loss: str) -> pd.DataFrame:
    """Average folds: 264 or 242 cells of every method of the thesis."""
    theirs = losses[losses["method"] != OURS]
    return theirs.groupby(["dataset", "prevalence", "method"], sort=False, as_index=False)[loss].mean()


def table_of(losses: pd.DataFrame, by_ae: Comparison, by_kld: Comparison) -> pd.DataFrame:
    """Give every method's errors and ranks; the spread is over cells."""
    cells = losses.groupby(["method", "dataset", "prevalence"], sort=False)[["AE", "KLD"]].mean()
    by_method = cells["AE"].groupby("method")
    table = pd.DataFrame(
        {
            "mean AE": by_method.mean(),
            "quartile 1": by_method.quantile(0.25),
            "median": by_method.median(),
            "quartile 3": by_method.quantile(0.75),
            "largest": by_method.max(),
            "rank by AE": pd.Series(by_ae.ranks),
            "mean KLD": cells["KLD"].groupby("method").mean(),
            "rank by KLD": pd.Series(by_kld.ranks),
        }
    )
    return table.rename_axis("method").sort_values("mean AE")


def apart(found: Comparison, one: str, other: str) -> bool:
    """Tell whether two methods differ by Nemenyi's test."""
    return bool(found.differ[found.methods.index(one), found.methods.index(other)])


def apart_from(found: Comparison, one: str) -> str:
    """Name the methods that one is significantly better than."""
    worse = [m for m in found.methods if apart(found, one, m) and found.ranks[m] > found.ranks[one]]
    return f"{one} > {', '.join(worse) or 'none'}"


def duel(found: Comparison, other: str) -> tuple[int, float]:
    """Give wins less losses, and the mean difference of AE in points, of PWKa against another."""
    cells = pd.DataFrame(found.losses, columns=list(found.methods))
    more = cells[other] - cells["PWKa"]
    return int((more > 0).sum() - (more < 0).sum()), 100 * float(more.mean())


def chapter_5(table: pd.DataFrame, by_ae: Comparison, by_kld: Comparison) -> Iterator[Statement]:
    """Lay the statements of chapter 5 beside what came here."""
    yield from usual(by_ae, 2.7654)
    order, ranks = list(by_ae.methods), by_ae.ranks
    yield Statement("PWKa and PWK have the best ranks", _first(by_ae, 3), {*order[:2]} == {*WEIGHTED})
    yield Statement(
        "PWKa and PWK are better than CC, AC, MS, T50, BL",
        "; ".join(apart_from(by_ae, one) for one in WEIGHTED),
        all(apart(by_ae, one, other) for one in WEIGHTED for other in ("CC", "AC", "MS", "T50", "BL")),
    )
    yield Statement(
        "no difference from KNN, Max, X",
        ", ".join(f"{m} {ranks[m]:.2f}" for m in ("KNN", "Max", "X")),
        not any(apart(by_ae, one, other) for one in WEIGHTED for other in ("KNN", "Max", "X")),
    )
    yield Statement(
        "neither AC nor T50 differ from BL",
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
    yield Statement("their third quartile is below 15%", f"{quartile:.1%}", quartile < 0.15)
    yield Statement("their largest error is below 45%", f"{most:.1%}", most < 0.45)
    for other, (lead, difference) in DUELS.items():
        found = duel(by_ae, other)
        said = f"{'' if lead is None else f'{lead}, '}{difference:.2f} points"
        # Two signs say the same; the figures themselves are of other folds.
        same = (lead is None or found[0] > 0) and found[1] > 0
        yield Statement(f"PWKa against {other}: {said}", f"{found[0]}, {found[1]:.2f} points", same)
    yield Statement("by KLD PWKa and PWK are first, too", _first(by_kld, 3), {*by_kld.methods[:2]} == {*WEIGHTED})


def chapter_6(table: pd.DataFrame, by_ae: Comparison, by_kld: Comparison) -> Iterator[Statement]:
    """Lay the statements of chapter 6 beside what came here."""
    yield from usual(by_ae, 2.8883)
    yield Statement("Max and Q2 have the best ranks by AE", _first(by_ae, 3), {*by_ae.methods[:2]} == {"Max", "Q2"})
    pairs = {
        (a, b) for a in by_ae.methods for b in by_ae.methods if apart(by_ae, a, b) and by_ae.ranks[a] < by_ae.ranks[b]
    }
    yield Statement(
        "the only difference by AE is Max from T50",
        ", ".join(f"{a} > {b}" for a, b in sorted(pairs)) or "none",
        pairs == {("Max", "T50")},
    )
    yield Statement("Q2 has the best rank by KLD", _first(by_kld, 3), by_kld.methods[0] == "Q2")
    good = ("Q2", "Q1", "Max", "NAS")
    yield Statement(
        "by KLD Q2, Q1, Max and NAS are better than T50",
        "; ".join(apart_from(by_kld, one) for one in good),
        all(apart(by_kld, one, "T50") for one in good),
    )
    most = table.loc[["Q0.5", "Q1", "Q2"], "largest"].max()
    yield Statement("no error of Q0.5, Q1, Q2 is above 70%", f"{most:.1%}", most <= 0.7)
    better = [name for name in ("Q0.5", "Q1", "Q2") if by_ae.ranks[name] < by_ae.ranks["NAS"]]
    yield Statement("Q2 is better than NAS", ", ".join(better) or "none is", "Q2" in better)


STATEMENTS = {5: chapter_5, 6: chapter_6}


def usual(by_ae: Comparison, difference: float) -> Iterator[Statement]:
    """Give what both chapters say first."""
    yield Statement("Friedman's hypothesis is rejected at 5%", f"p = {by_ae.friedman.p_value:.2g}", by_ae.rejected)
    here = sp.stats.critical_difference(len(by_ae.methods), len(by_ae.datasets))
    yield Statement(f"critical difference {difference}", f"{here:.4f}", abs(here - difference) < 5e-4)


def _first(found: Comparison, n: int) -> str:
    return ", ".join(f"{name} {found.ranks[name]:.2f}" for name in found.methods[:n])


def show(number: int, frame: pd.DataFrame, out: Path, *, figures: bool) -> None:
    """Print a chapter's table and statements, and write its figures."""
    losses = losses_of(frame)
    by_ae, by_kld = compared(losses, "AE"), compared(losses, "KLD")
    table = table_of(losses, by_ae, by_kld)
    statements = list(STATEMENTS[number](table, by_ae, by_kld))
    sets, seeds = frame["dataset"].nunique(), frame["seed"].nunique()
    lines = [
        f"# Chapter {number}: {sets} problems, {seeds} seeds, {len(by_ae.losses)} cells",
        table.round(4).to_string(na_rep="–"),
        f"By AE: {by_ae.headline}",
        f"By KLD: {by_kld.headline}",
        "The thesis says | here | reproduced",
        *(f"{each.thesis} | {each.here} | {'yes' if each.holds else 'NO'}" for each in statements),
    ]
    if seeds > 1:
        seed = losses["fold"] // 100
        by_seed = losses.assign(seed=seed).pivot_table(index="method", columns="seed", values="AE")
        lines += ["Mean AE by seed", by_seed.loc[table.index].round(4).to_string()]
    words = "\n\n".join(lines[:4]) + "\n\n" + "\n".join(lines[4:]) + "\n"
    print(f"\n{words}")
    folder = out / f"chapter-{number}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.txt").write_text(words, encoding="utf-8")
    table.to_csv(folder / "methods.csv")
    losses.to_parquet(folder / "losses.parquet", index=False)
    pd.DataFrame(statements).to_csv(folder / "statements.csv", index=False)
    for name, found in (("AE", by_ae), ("KLD", by_kld)) if figures else ():
        found.save_figures(folder / name)
        found.save(folder / f"{name}.html", title=f"Chapter {number} by {name}")


def main() -> None:
    """Run what is not there yet, and print what came."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of the problems")
    parser.add_argument("--chapter", type=int, nargs="+", choices=sorted(CHAPTERS), default=sorted(CHAPTERS))
    parser.add_argument("--seeds", type=int, default=3, help="how often to draw folds and samples anew")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="problems at a time")
    parser.add_argument("--keep", type=Path, default=Path(".bench-thesis"), help="where results are kept")
    parser.add_argument("--out", type=Path, help="where tables and figures go; by default within --keep")
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=PROBLEMS, metavar="NAME")
    parser.add_argument("--nested", action="store_true", help="nest rates in each fold (12 minutes a seed)")
    parser.add_argument("--no-figures", action="store_true", help="write tables alone")
    parser.add_argument("--with-class", action="store_true", help="keep the label of ctg that gives away the other")
    asked = parser.parse_args()
    if not asked.data.is_dir():
        parser.error(f"--data must be a folder of data sets, got {str(asked.data)!r}; it holds iris.1.csv and others.")
    if len(asked.problems) < 2:
        parser.error(f"--problems must be at least two to compare methods over, got {asked.problems[0]}.")
    for number in asked.chapter:
        problems = [name for name in CHAPTERS[number].problems if name in asked.problems]
        units = [
            Unit(number, name, seed, asked.with_class, asked.nested) for seed in range(asked.seeds) for name in problems
        ]
        began = time.monotonic()
        run_units(units, asked.data, asked.keep, asked.workers, lambda words: print(words, file=sys.stderr, flush=True))
        print(f"chapter {number}: {time.monotonic() - began:.0f} s", file=sys.stderr)
        show(
            number,
            read_units(units, asked.data, asked.keep),
            asked.out or asked.keep / "tables",
            figures=not asked.no_figures,
        )


if __name__ == "__main__":
    main()
