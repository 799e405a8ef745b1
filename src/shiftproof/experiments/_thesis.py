"""J. Barranquero's thesis (Oviedo, 2013): what the reports of chapters 5 and 6 have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from shiftproof.comparison import Comparison, compare
from shiftproof.experiments._report import PaperFigure, PaperTable
from shiftproof.experiments._thesis_runs import OURS, PROBLEMS
from shiftproof.losses import kld
from shiftproof.stats import critical_difference, critical_value

if TYPE_CHECKING:
    from collections.abc import Callable

THESIS = "Barranquero (2013)"
#: Table 4.2 as printed: critical values of Nemenyi's and of Bonferroni-Dunn's test for 2 to 10 methods.
TABLE_4_2 = {
    ("Nemenyi", 0.05): (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164),
    ("Nemenyi", 0.10): (1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920),
    ("Bonferroni-Dunn", 0.05): (1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773),
    ("Bonferroni-Dunn", 0.10): (1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539),
}


class Statement(NamedTuple):
    """What a source says, what is the case here, and whether that is the same."""

    said: str
    here: str
    holds: bool


def statement_table(statements: Iterable[Statement], name: str, title: str, said: str) -> PaperTable:
    """Return statements as a table; `said` stands above what the source says."""
    rows = [(each.said, each.here, "yes" if each.holds else "**no**") for each in statements]
    frame = pd.DataFrame(rows, columns=[said, "here", "the same"])
    return PaperTable(name=name, title=title, frame=frame)


def losses_of(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return one row per data set, prevalence, method and fold, with both losses; seeds count as folds."""
    frame = pd.concat(frames, ignore_index=True)
    true, estimated = frame["true"].to_numpy(), frame["estimated"].to_numpy()
    return pd.DataFrame(
        {
            "dataset": frame["problem"],
            "prevalence": frame["prevalence"].round(2),
            "method": frame["method"],
            "fold": frame["seed"] * 100 + frame["fold"],
            "share": frame["share"],
            "AE": np.abs(true - estimated),
            "KLD": kld(true, estimated, sample_size=frame["size"].to_numpy()),
        }
    )


def compared(losses: pd.DataFrame, loss: str) -> Comparison:
    """Compare the thesis's methods by their cross-validated losses: folds are averaged before ranking."""
    theirs = losses[losses["method"] != OURS]
    # Sorted by the share of positives, the order of figure 5.5.
    theirs = theirs.sort_values("share", kind="stable")
    cells = theirs.groupby(["dataset", "prevalence", "method"], sort=False, as_index=False)[loss].mean()
    return compare(cells, loss_column=loss)


def method_table(losses: pd.DataFrame, by_ae: Comparison, by_kld: Comparison) -> pd.DataFrame:
    """Return every method's errors and ranks; the spread is over cells."""
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
    return table.rename_axis("method").sort_values("mean AE", kind="stable")


def apart(found: Comparison, one: str, other: str) -> bool:
    """Return whether two methods differ by Nemenyi's test."""
    return bool(found.differ[found.methods.index(one), found.methods.index(other)])


def apart_from(found: Comparison, one: str) -> str:
    """Name the methods that one is significantly better than."""
    worse = [m for m in found.methods if apart(found, one, m) and found.ranks[m] > found.ranks[one]]
    return f"{one} > {', '.join(worse) or 'no method'}"


def first_ranks(found: Comparison, n: int) -> str:
    """Name the methods that rank first, with their ranks."""
    return ", ".join(f"{name} {found.ranks[name]:.2f}" for name in found.methods[:n])


def usual_statements(by_ae: Comparison, difference: float, n_problems: int) -> Iterator[Statement]:
    """Give what both chapters say first; the critical difference is that of all problems of the chapter."""
    p_value = by_ae.friedman.p_value if by_ae.friedman is not None else float("nan")
    yield Statement("Friedman's null hypothesis is rejected at 5%", f"p = {p_value:.2g}", by_ae.rejected)
    here = critical_difference(len(by_ae.methods), n_problems)
    yield Statement(f"critical difference {difference}", f"{here:.4f}", abs(here - difference) < 5e-4)


def critical_values() -> pd.DataFrame:
    """Return Table 4.2 beside our critical values."""
    rows = []
    for (test, alpha), printed in TABLE_4_2.items():
        control = test == "Bonferroni-Dunn"
        for k, value in enumerate(printed, 2):
            ours = critical_value(k, alpha=alpha, test="bonferroni-dunn" if control else "nemenyi")
            same = "yes" if abs(ours - value) <= 0.001 + 1e-9 else "**no**"
            rows.append((test, alpha, k, f"{value:.3f}", f"{ours:.3f}", same))
    return pd.DataFrame(rows, columns=["test", "alpha", "methods", "thesis", "ours", "the same"])


def problem_table(losses: pd.DataFrame) -> pd.DataFrame:
    """Return Table 5.2 beside the problems that were run."""
    shares = losses.groupby("dataset")["share"].first()
    rows = [
        (name, size, attributes, f"{positives / size:.0%}", f"{shares[name]:.0%}")
        for name, (size, attributes, positives) in PROBLEMS.items()
        if name in shares
    ]
    return pd.DataFrame(rows, columns=["problem", "size", "attributes", "positives in the thesis", "positives here"])


def rank_figures(by_ae: Comparison, by_kld: Comparison, ae: str, kld: str) -> list[PaperFigure]:
    """Return box plots and rank diagrams by both losses, as figures 5.1, 5.2, 6.8 and 6.9 have them."""
    drawn: list[tuple[str, str, Callable[[], Any]]] = [
        (f"figure-{ae}a", "Absolute errors in all cells", by_ae.plot_losses),
        (f"figure-{ae}b", "Average ranks by absolute error", by_ae.plot),
        (f"figure-{kld}a", "Kullback-Leibler divergences in all cells", lambda: by_kld.plot_losses(log=True)),
        (f"figure-{kld}b", "Average ranks by Kullback-Leibler divergence", by_kld.plot),
    ]
    return [PaperFigure(name=name, title=title, draw=draw) for name, title, draw in drawn]
