"""Cieslak and Chawla (2007, 2009), *fractures*: tables and figures of both papers over their grid of shifts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._fractures_claims import claims_of_distances, claims_of_features, claims_of_tests
from shiftproof.experiments._fractures_runs import (
    ALPHA,
    KS_TESTS,
    MODELS,
    NATURAL,
    SETS,
    failures_by_class,
    feature_failures,
    score_tests,
    source_of,
)
from shiftproof.experiments._pictures import draw_shifts
from shiftproof.experiments._report import PaperFigure, PaperTable, Reproduction
from shiftproof.experiments._thesis import Statement, statement_table
from shiftproof.stats import mean_phi, skewness

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TITLE = "Fractures (Cieslak and Chawla 2007 and 2009)"
QUICK = ("phoneme", "estate")
SELECTIONS = ("MCAR 25", "MCAR 50", "MAR 25", "MAR 50", "MNAR 25", "MNAR 50")
BIASES = ("base", *SELECTIONS)
OFFSETS = ("offset 0.25 sd", "offset 0.5 sd", "offset 1 sd", "offset 2 sd")
#: Table 2 of 2007 (and 2009): proportion of features failing the KS test, in the order of BIASES.
TABLE_2 = {
    "estate": (0.000, 0.000, 0.007, 0.125, 0.174, 0.083, 0.136),
    "mammography": (0.000, 0.028, 0.028, 1.000, 1.000, 1.000, 1.000),
    "oil": (0.000, 0.004, 0.005, 0.266, 0.397, 0.252, 0.386),
    "page": (0.300, 0.190, 0.100, 0.560, 0.590, 0.511, 0.544),
    "pendigits": (0.000, 0.004, 0.027, 0.461, 0.523, 0.425, 0.492),
    "phoneme": (0.000, 0.000, 0.000, 0.520, 0.600, 0.400, 0.500),
    "satimage": (0.000, 0.000, 0.000, 0.875, 1.000, 0.871, 1.000),
    "segment": (0.053, 0.022, 0.033, 0.421, 0.446, 0.395, 0.421),
}
#: What the papers print for Compustat, which the bank replaces here.
COMPUSTAT = (0.400, 0.367, 0.347, 0.552, 0.672, 0.529, 0.655)
#: Table 3: mean phi, in the order of SELECTIONS.
TABLE_3 = {
    "estate": (0.000, 0.000, 0.175, 0.128, 0.104, 0.057),
    "mammography": (0.000, 0.000, 0.000, 0.000, 0.000, 0.000),
    "oil": (0.001, 0.004, 0.554, 0.388, 0.476, 0.400),
    "page": (0.114, 0.156, 0.461, 0.399, 0.554, 0.479),
    "pendigits": (0.000, 0.069, 0.405, 0.362, 0.453, 0.412),
    "phoneme": (0.000, 0.000, 0.467, 0.349, 0.783, 0.650),
    "satimage": (0.000, 0.000, 0.037, 0.000, 0.051, 0.014),
    "segment": (0.002, 0.009, 0.311, 0.235, 0.235, 0.249),
}
#: What stands behind the plus-minus sign in Table 3; the paper does not say what it is.
TABLE_3_SPREAD = {
    "estate": (0.000, 0.000, 0.021, 0.016, 0.013, 0.007),
    "mammography": (0.000, 0.000, 0.000, 0.000, 0.000, 0.000),
    "oil": (0.000, 0.000, 0.004, 0.002, 0.003, 0.003),
    "page": (0.028, 0.014, 0.069, 0.054, 0.069, 0.052),
    "pendigits": (0.000, 0.006, 0.003, 0.020, 0.001, 0.013),
    "phoneme": (0.000, 0.000, 0.016, 0.026, 0.069, 0.074),
    "satimage": (0.000, 0.000, 0.001, 0.000, 0.001, 0.000),
    "segment": (0.000, 0.001, 0.003, 0.011, 0.014, 0.006),
}
#: Table 5 of 2007, Table 6 of 2009: skew of the mean Hellinger distances.
TABLE_5 = {
    "estate": (-0.195, -0.055, -0.349, -0.618, -0.715, -1.115),
    "mammography": (0.634, 0.466, -0.332, -0.021, -0.179, 0.274),
    "oil": (0.957, 0.911, 0.868, 1.007, 1.131, 1.183),
    "page": (-0.609, -0.253, -0.239, -0.137, -0.103, -0.060),
    "pendigits": (-0.271, -0.836, -0.283, -0.413, -0.161, -0.295),
    "phoneme": (-0.171, 0.049, -0.095, -0.002, 0.527, 0.448),
    "satimage": (-0.097, -0.127, -0.008, -0.025, 0.010, -0.001),
    "segment": (-0.656, -0.445, 0.134, 0.092, 0.306, 0.272),
}
#: Where 2009 finds accuracies conserved under other class proportions; Compustat is the fourth.
ROBUST = ("estate", "oil", "phoneme")
#: The families of shifts, with the figures of 2009 that show their p-values: of Friedman's test and of Kruskal-Wallis.
FAMILIES = {"selection": (6, 9), "offset": (7, 10), "prior": (8, 11)}


def _cells(scope: Scope) -> list[GridCell]:
    sets = QUICK if scope.quick else SETS
    cells = []
    for seed in range(scope.seeds):
        for dataset in (*sets, NATURAL):
            key, data = {"dataset": dataset, "seed": seed}, (source_of(dataset),)
            slow = {"satimage": 20.0, "pendigits": 6.0, "oil": 6.0}.get(dataset, 1.0)
            cells.append(GridCell(feature_failures, key, data, effort=slow))
            cells.append(GridCell(failures_by_class, key, data, effort=0.2))
            if dataset != NATURAL:
                cells.append(GridCell(score_tests, key, data, effort=2 * slow**0.5))
    return cells


def _report(rows: Mapping[str, pd.DataFrame], _scope: Scope) -> Reproduction:
    """Lay every table beside the printed one, and draw the figures."""
    tested, scores, classes = rows["feature-failures"], rows["score-tests"], rows["failures-by-class"]
    by_test = {name: tested[tested["test"] == name] for name in KS_TESTS}
    features, theirs = by_test["two-sided"], by_test["one-sided"]
    failing = _means(features, "failing")
    distances = _means(features, "hellinger")
    changes = distances.div(distances["base"], axis=0) - 1
    priors = [name for name in failing.columns if str(name).startswith("P(")]
    phis = phi_frame(theirs)
    sets = [name for name in failing.index if name != NATURAL]
    statements = [
        *_statements(by_test, scores, distances, failing),
        *claims_of_tests(scores),
        *claims_of_features(_means(theirs, "failing").loc[sets], phis[phis["dataset"] != NATURAL], _by_class(classes)),
        *claims_of_distances(changes.loc[sets]),
    ]
    tables = [
        _beside(
            "table-2", "Table 2: proportion of features failing the one-sided KS test (printed)",
            _means(theirs, "failing"), TABLE_2, BIASES,
        ),
        _beside(
            "table-3", "Table 3: mean of equation 8 as printed (printed)",
            _means(phis, "as printed"), TABLE_3, SELECTIONS,
        ),
        _beside(
            "table-3-spread", "Table 3: standard error of this mean over the pairs (printed spread)",
            _means(phis, "standard error"), TABLE_3_SPREAD, SELECTIONS,
        ),
        PaperTable(
            name="gaps", title="Mean gap to the printed cells under MAR and MNAR, by test and by formula",
            frame=_gaps(by_test),
        ),
        _plain("table-4", "2009, Table 4: features failing KS under offsets", failing[["base", *OFFSETS]]),
        _plain("moved", "How often the shifted feature fails", _means(features, "moved fails")[list(OFFSETS)]),
        _beside(
            "table-5", "Table 5 (2009: 6): skew of the mean Hellinger distances over the shifted features (printed)",
            skew_table(features), TABLE_5, SELECTIONS,
        ),
        _plain("hellinger", "Mean Hellinger distance to the training rows", distances[[*BIASES, *OFFSETS]]),
        _plain("figures-5-15-16", "Figures 5, 15, 16: its relative change", changes[[*SELECTIONS, *OFFSETS]]),
        _plain("figure-13", "Figure 13: proportion of features failing against P(+)", failing[["base", *priors]]),
        _plain("figure-14", "Figure 14: the same within each class", _by_class(classes)),
        _plain("figure-17", "Figure 17: relative change of the Hellinger distance against P(+)", changes[priors]),
        *_p_value_tables(scores),
        statement_table(statements, "statements", "What the papers say", "the papers say"),
    ]  # fmt: skip
    return Reproduction(title=TITLE, tables=tables, figures=_figures(scores, failing, changes, classes, priors))


def _means(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Average a column over seeds and shifted features: one row per set, one column per shift, in their order."""
    known = rows[rows[column].notna()]
    table = known.groupby(["dataset", "shift"], sort=False)[column].mean().reset_index()
    wide = table.pivot_table(index="dataset", columns="shift", values=column, sort=False)
    order = [name for name in dict.fromkeys(rows["shift"]) if name in wide.columns]
    return wide[order]


def _beside(
    name: str, title: str, ours: pd.DataFrame, theirs: Mapping[str, Sequence[float]], shifts: Sequence[str]
) -> PaperTable:
    """Return our figures with the printed ones in brackets, their means, and the bank beside Compustat where known."""
    sets = [name for name in SETS if name in ours.index]
    rows = []
    for dataset in sets:
        both = zip(shifts, theirs[dataset], strict=True)
        rows.append([dataset, *(f"{ours[shift][dataset]:.3f} ({said:.3f})" for shift, said in both)])
    means = [(float(ours.loc[sets, shift].mean()), float(np.mean([theirs[d][at] for d in sets])))
             for at, shift in enumerate(shifts)]  # fmt: skip
    rows.append(["**mean**", *(f"{one:.3f} ({other:.3f})" for one, other in means)])
    rows.append(["**mean gap**", *(f"{gap:.3f}" for gap in _gap(ours.loc[sets], theirs, shifts).mean())])
    if NATURAL in ours.index:
        said = COMPUSTAT if theirs is TABLE_2 else ()
        cells = [
            f"{ours[shift][NATURAL]:.3f}" + (f" ({said[at]:.3f})" if said else "") for at, shift in enumerate(shifts)
        ]
        rows.append(["bank, for Compustat", *cells])
    return PaperTable(name=name, title=title, frame=pd.DataFrame(rows, columns=["set", *shifts]))


def _gap(ours: pd.DataFrame, theirs: Mapping[str, Sequence[float]], shifts: Sequence[str]) -> pd.DataFrame:
    """Return how far our figures are from the printed ones."""
    printed = pd.DataFrame({name: dict(zip(shifts, theirs[name], strict=True)) for name in ours.index}).T
    return (ours[list(shifts)] - printed).abs()


def _gaps(by_test: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the mean gap to Tables 2 and 3 where rows are lost depending on a feature: one row per KS test."""
    rows = []
    for test, features in by_test.items():
        phis = phi_frame(features)
        both = ((_means(features, "failing"), TABLE_2, BIASES), (_means(phis, "as printed"), TABLE_3, SELECTIONS),
                (_means(phis, "phi"), TABLE_3, SELECTIONS))  # fmt: skip
        gaps = [_gap(ours.drop(index=NATURAL, errors="ignore"), theirs, shifts) for ours, theirs, shifts in both]
        rows.append([test, *(float(gap[list(SELECTIONS[2:])].to_numpy().mean()) for gap in gaps)])
    return pd.DataFrame(rows, columns=["KS test", "Table 2", "Table 3, equation 8", "Table 3, ordinary phi"])


def _plain(name: str, title: str, table: pd.DataFrame) -> PaperTable:
    """Return one of our tables, with the mean of the papers' sets."""
    theirs = table.loc[[each for each in table.index if each != NATURAL]]
    named = pd.concat([table, pd.DataFrame({"**mean**": theirs.mean()}).T]).rename_axis("set").reset_index()
    return PaperTable(name=name, title=title, frame=named)


def phi_frame(features: pd.DataFrame) -> pd.DataFrame:
    """Return the mean phi of all pairs of features for each set, seed and selection, by both formulas.

    The masked feature of an MNAR experiment can neither fail nor stand: the experiment does not count for its pairs.
    """
    rows = []
    for (dataset, seed, shift), part in features.groupby(["dataset", "seed", "shift"], sort=False):
        if shift not in SELECTIONS:
            continue
        names = part["features"].iloc[0].split("\t")
        failed = np.array([[name in each.split("\t") for name in names] for each in part["failed"]], dtype=float)
        failed[part["masked"].to_numpy()[:, None] == np.array(names)] = np.nan
        printed = mean_phi(failed, form="printed")
        rows.append((dataset, seed, shift, mean_phi(failed).mean, printed.mean, printed.standard_error))
    return pd.DataFrame(rows, columns=["dataset", "seed", "shift", "phi", "as printed", "standard error"])


def skew_table(features: pd.DataFrame) -> pd.DataFrame:
    """Return the skew of the distances over the shifted features, averaged over seeds."""
    groups = features.groupby(["dataset", "seed", "shift"], sort=False)["hellinger"]
    skews = groups.agg(lambda distances: float(skewness(distances))).reset_index()
    return _means(skews, "hellinger")


def _by_class(classes: pd.DataFrame) -> pd.DataFrame:
    """Return the proportion of features failing within the negatives and the positives, averaged over sets."""
    theirs = classes[classes["dataset"] != NATURAL]
    named = theirs.assign(dataset=theirs["class"].map({0: "negatives", 1: "positives"}))
    return _means(named, "failing")


def _family(shift: str) -> str:
    return "offset" if shift in OFFSETS else "prior" if shift.startswith("P(") else "selection"


def _ranges(scores: pd.DataFrame, column: str, shifts: Sequence[str]) -> dict[str, tuple[Any, Any, Any]]:
    """Return the lowest, mean and highest p-value over sets of each model, after averaging over seeds and features."""
    by_set = scores.groupby(["model", "shift", "dataset"])[column].mean().groupby(["model", "shift"])
    ends = {what: by_set.agg(what).to_dict() for what in ("min", "mean", "max")}
    return {
        model: tuple(np.array([ends[what][model, shift] for shift in shifts]) for what in ("min", "mean", "max"))  # type: ignore[misc]
        for model in MODELS
    }


def _p_value_tables(scores: pd.DataFrame) -> Iterator[PaperTable]:
    """Yield the p-values of both tests as means with their range over sets, and the accuracies."""
    shifts = list(dict.fromkeys(scores["shift"]))
    for column, name in (("friedman_p_mean", "Friedman"), ("kruskal_p_mean", "Kruskal-Wallis")):
        ranges = _ranges(scores, column, shifts)
        rows = [
            [shift, *(f"{mean[at]:.3f} [{low[at]:.3f}, {high[at]:.3f}]" for low, mean, high in ranges.values())]
            for at, shift in enumerate(shifts)
        ]
        title = f"{name}: mean p-value, and its range over the sets (figures 2, 3 and 6 to 11)"
        yield PaperTable(name=name.lower(), title=title, frame=pd.DataFrame(rows, columns=["shift", *ranges]))
    accuracy = scores.groupby(["shift", "model"], sort=False)["accuracy"].mean().reset_index()
    wide = accuracy.pivot_table(index="shift", columns="model", values="accuracy", sort=False)[list(MODELS)]
    yield PaperTable(name="accuracy", title="Mean accuracy", frame=wide.reset_index())


def _statements(
    by_test: Mapping[str, pd.DataFrame], scores: pd.DataFrame, distances: pd.DataFrame, failing: pd.DataFrame
) -> Iterator[Statement]:
    """Give what both papers conclude."""
    shifts = list(dict.fromkeys(scores["shift"]))
    highest = {
        model: high[shifts.index("MNAR 50")]
        for model, (_, _, high) in _ranges(scores, "friedman_p_mean", shifts).items()
    }
    here = "highest p: " + ", ".join(f"{model} {value:.2f}" for model, value in highest.items())
    said = "at MNAR 50, all classifiers fail Friedman's test on all sets at 85% confidence"
    yield Statement(said, here, max(highest.values()) < 0.15)
    yield _less_sensitive(scores)
    both = scores[["friedman_p_mean", "kruskal_p_mean"]].dropna()
    found = float(spearmanr(both.iloc[:, 0], both.iloc[:, 1]).statistic)
    said = "the p-values of Kruskal-Wallis and Friedman are quite correlated"
    yield Statement(said, f"rank correlation {found:.2f}", found > 0.5)
    moved = scores[scores["shift"].isin(OFFSETS)].groupby("model")["friedman_p_mean"].mean()
    here = "mean p: " + ", ".join(f"{model} {value:.2f}" for model, value in moved.sort_values(ascending=False).items())
    yield Statement("the SVM is the most resilient to offsets (Friedman)", here, bool(moved.idxmax() == "svm"))
    fails = {test: float(features["moved fails"].mean()) for test, features in by_test.items()}
    here = "; ".join(f"{test}: in {share:.1%} of cases" for test, share in fails.items())
    yield Statement("KS detects an offset, however small it is", here, fails["two-sided"] > 0.95)
    theirs = distances.loc[[name for name in distances.index if name != NATURAL]].mean()
    order = [theirs["MCAR 50"], theirs["MNAR 50"], theirs["MAR 50"]]
    here = ", ".join(f"{name} {value:.3f}" for name, value in zip(("MCAR", "MNAR", "MAR"), order, strict=True))
    yield Statement("Hellinger distances order MCAR < MNAR < MAR", here, order == sorted(order))
    sets = [name for name in distances.index if name not in (NATURAL, "oil")]
    skewed = skew_table(by_test["two-sided"]).loc[sets, list(SELECTIONS)]
    share = float((skewed < 0).to_numpy().mean())
    yield Statement(
        "the skew of the distances is typically negative, except on oil", f"{share:.0%} negative", share > 0.5
    )
    yield _least_near_natural(distances)
    yield _priors_before_offsets(distances)
    yield _keeps_accuracy(scores)
    natural = float(failing["base"].to_dict()[NATURAL])
    yield Statement(
        "time alone makes features fail (40% of those of Compustat)", f"{natural:.0%} of the bank's", natural > 0.2
    )


def _less_sensitive(scores: pd.DataFrame) -> Statement:
    biased = scores[scores["shift"].isin(["MAR 25", "MAR 50", "MNAR 25", "MNAR 50"])]
    means = biased.groupby("model")["friedman_p_mean"].mean().to_dict()
    here = "mean p: " + ", ".join(f"{model} {means[model]:.2f}" for model in MODELS)
    holds = min(means["tree"], means["knn"]) > max(means["svm"], means["nb"])
    return Statement(
        "trees and nearest neighbours are less sensitive to MAR and MNAR than SVM and naive Bayes", here, holds
    )


def _least_near_natural(distances: pd.DataFrame) -> Statement:
    """Check that the distance is smallest where P(+) is nearest to the set's own."""
    priors = [name for name in distances.columns if str(name).startswith("P(")]
    near = 0
    sets = [name for name in distances.index if name != NATURAL]
    for name in sets:
        values = distances.loc[name, priors].dropna()
        least = float(str(values.idxmin()).split()[-1])
        near += least <= 0.3
    here = f"at P(+) of at most 0.3 on {near} of {len(sets)} sets"
    return Statement("the Hellinger distance is smallest near the natural P(+)", here, near == len(sets))


def _priors_before_offsets(distances: pd.DataFrame) -> Statement:
    """Check that the Hellinger distance shows other class proportions better than one feature that moved."""
    theirs = distances.loc[[name for name in distances.index if name != NATURAL]]
    changes = {name: float((theirs[name] / theirs["base"] - 1).mean()) for name in ("P(+) 0.70", "offset 2 sd")}
    here = ", ".join(f"{name} {change:+.0%}" for name, change in changes.items())
    said = "Hellinger distances reveal changed class proportions but may miss an offset"
    return Statement(said, here, changes["P(+) 0.70"] > changes["offset 2 sd"])


def _keeps_accuracy(scores: pd.DataFrame) -> Statement:
    """Check on which sets naive Bayes stands where most rows are positive (section 4.1.3 of 2009)."""
    own = scores[(scores["model"] == "nb") & scores["shift"].isin(["P(+) 0.50", "P(+) 0.60", "P(+) 0.70"])]
    highest = own.groupby(["dataset", "shift"])["friedman_p_mean"].mean().groupby("dataset").max()
    stands = [str(name) for name, p_value in highest.items() if p_value > ALPHA]
    said = "at P(+) of 0.5 to 0.7, naive Bayes keeps its accuracy only on some of estate, oil, phoneme (Friedman)"
    return Statement(said, "on " + (", ".join(stands) or "none"), bool(stands) and {*stands} <= {*ROBUST})


def _figures(
    scores: pd.DataFrame, failing: pd.DataFrame, changes: pd.DataFrame, classes: pd.DataFrame, priors: Sequence[str]
) -> list[PaperFigure]:
    """Return figures 2, 3 and 5 of 2007, which 2009 repeats as 6, 9 and 15, and figures 2 to 17 of 2009 but for 12."""
    title = "Figures 2 to 5 of 2009: rows lost depending on a feature, a shifted feature, changed class proportions"
    figures = [PaperFigure(name="figure-02-05", title=title, draw=draw_shifts)]
    shifts = list(dict.fromkeys(scores["shift"]))
    for family, numbers in FAMILIES.items():
        own = [shift for shift in shifts if shift == "base" or _family(shift) == family]
        tests = (("friedman_p_mean", "Friedman"), ("kruskal_p_mean", "Kruskal-Wallis"))
        for number, (column, test) in zip(numbers, tests, strict=True):
            draw = partial(_draw_ranges, scores, column, own, test)
            title = f"Figure {number} of 2009: p-values of {test}, {family}, range over sets"
            figures.append(PaperFigure(name=f"figure-{number:02}", title=title, draw=draw))
    lines: list[tuple[int, str, Callable[[], Axes]]] = [
        (13, "features failing KS", partial(_draw_lines, failing[priors], "features failing KS")),
        (14, "features failing KS within a class", partial(_draw_lines, _by_class(classes)[list(priors)], "failing")),
        (15, "change of Hellinger, selection", partial(_draw_lines, changes[list(SELECTIONS)], "relative change")),
        (16, "change of Hellinger, offsets", partial(_draw_lines, changes[list(OFFSETS)], "relative change")),
        (17, "change of Hellinger, P(+)", partial(_draw_lines, changes[priors], "relative change")),
    ]
    return sorted(
        [*figures, *(PaperFigure(name=f"figure-{n}", title=f"Figure {n} of 2009: {t}", draw=d) for n, t, d in lines)],
        key=lambda figure: figure.name,
    )


def _draw_ranges(scores: pd.DataFrame, column: str, shifts: Sequence[str], test: str) -> Axes:
    from shiftproof.plots import p_value_ranges

    return p_value_ranges(shifts, _ranges(scores, column, shifts), ylabel=f"p-value of {test}")


def _draw_lines(table: pd.DataFrame, ylabel: str) -> Axes:
    """Draw one line per set over the shifts."""
    from shiftproof.plots import PALETTE, own_axes

    axes = own_axes(None, size=(8.0, 3.8))
    for place, (name, values) in enumerate(table.iterrows()):
        axes.plot(
            range(len(values)), values.to_numpy(), marker="o", color=PALETTE[place % len(PALETTE)], label=str(name)
        )
    axes.set_xticks(range(table.shape[1]), [str(name) for name in table.columns], rotation=30, ha="right")
    axes.set_ylabel(ylabel)
    axes.legend(fontsize="small", ncols=3)
    return axes


EXPERIMENT = Experiment(name="fractures", title=TITLE, cells=_cells, report=_report, seeds=5)
