"""Fan and Davidson (2006), *ReverseTesting*: Tables 1 to 18 and the simulation of section 7."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from shiftproof.experiments import _reverse_printed as printed
from shiftproof.experiments._boolean_worlds import (
    CLAIM,
    ESTIMATES,
    SKEWS,
    VARIABLES,
    equation_three,
    reverse_testing_worlds,
)
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._pictures import draw_shifts
from shiftproof.experiments._report import PaperFigure, PaperTable, Reproduction
from shiftproof.experiments._reverse_claims import claims_of_bias, claims_of_tables
from shiftproof.experiments._reverse_costs import STAND_INS, cost_totals, cost_validated
from shiftproof.experiments._reverse_criteria import TWO_CLASSES, criteria, criteria_table
from shiftproof.experiments._reverse_printed import COST_LEARNERS, LEARNERS, PAIRS
from shiftproof.experiments._reverse_runs import (
    BLOCK,
    NEWS,
    UCI,
    left_out_accuracies,
    reverse_verdicts,
    source_of,
    true_accuracies,
    validated_accuracies,
)
from shiftproof.experiments._thesis import Statement, statement_table

TITLE = "ReverseTesting (Fan and Davidson 2006)"
#: The paper repeats ten-fold cross-validation 100 times.
REPEATS = 100
_RIGHT = "% right, undecided as half"
#: What each method of selection is called here and in the paper's tables.
SELECTORS = ("cross-validation", "leave-one-out", "training accuracy", "ReverseTesting", "ReverseTesting, all judges")


def _cells(scope: Scope) -> list[GridCell]:
    """Return the runs; newsgroups have one split, by date, so that more seeds only serve the other sets."""
    cells: list[GridCell] = []
    for dataset in (*NEWS, *UCI):
        data, large = (source_of(dataset),), 3 if dataset in NEWS else 1
        for seed in range(1 if dataset in NEWS else scope.seeds):
            key = {"dataset": dataset, "seed": seed}
            cells += [GridCell(true_accuracies, key, data), GridCell(reverse_verdicts, key, data, effort=large)]
            for block in range(1 if scope.quick else REPEATS // BLOCK):
                cells.append(GridCell(validated_accuracies, {**key, "block": block}, data, effort=large))
            # Of a thousand articles that takes a minute for each pair of newsgroups.
            for learner in () if scope.quick and dataset in NEWS else LEARNERS:
                cells.append(GridCell(left_out_accuracies, {**key, "learner": learner}, data, effort=4 * large))
    for dataset in STAND_INS:
        read: tuple[str, ...] = ("drift_bank",) if dataset == "calls" else ()
        for seed in range(scope.seeds):
            key = {"dataset": dataset, "seed": seed}
            cells.append(GridCell(cost_totals, key, read, effort=2))
            for repeat in range(1 if scope.quick else 10):
                cells.append(GridCell(cost_validated, {**key, "repeat": repeat}, read, effort=3))
    for dataset in TWO_CLASSES:
        for seed in range(scope.seeds):
            cells.append(GridCell(criteria, {"dataset": dataset, "seed": seed}, (source_of(dataset),), effort=4))
    return cells + _worlds(scope)


def _worlds(scope: Scope) -> list[GridCell]:
    """Return the simulations of section 7."""
    count, variables = (200, VARIABLES[:2]) if scope.quick else (4000, VARIABLES)
    cells = [
        GridCell(equation_three, {"k": k, "skew": skew, "estimates": kind, "count": count}, effort=k / 4)
        for k in variables
        for skew in SKEWS
        for kind in ESTIMATES
    ]
    asked = (40, (100,), SKEWS[1:2]) if scope.quick else (200, (100, 1000), SKEWS)
    return cells + [
        GridCell(reverse_testing_worlds, {"k": k, "skew": skew, "n": n, "count": asked[0]}, effort=3)
        for k in variables
        for skew in asked[2]
        for n in asked[1]
    ]


def _report(rows: Mapping[str, pd.DataFrame], _scope: Scope) -> Reproduction:
    """Lay every table beside the printed one."""
    figures = accuracy_frame(rows)
    pairs = pair_frame(figures, rows["reverse-verdicts"])
    accuracies = [
        *_accuracy_tables(figures, NEWS, (1, 3, 5), (printed.NEWS_TEST, printed.NEWS_CV, printed.NEWS_LOO)),
        *_order_tables(figures, rows["reverse-verdicts"]),
        *_accuracy_tables(figures, tuple(UCI), (7, 8, 9), (printed.UCI_TEST, printed.UCI_CV, printed.UCI_LOO)),
        *_pair_tables(pairs),
    ]
    tables = [
        *sorted(accuracies, key=lambda table: table.name),
        PaperTable(name="summary", title="Pairs ordered right, wrong or not at all", frame=_summary(pairs), digits=1),
        PaperTable(name="recount", title="The paper's own tables, counted again", frame=recount()),
        PaperTable(name="gaps", title="Estimated minus true accuracy, in points", frame=_gaps(figures), digits=1),
        *_cost_tables(rows["cost-totals"], rows["cost-validated"]),
        *_world_tables(rows["equation-three"], rows["reverse-testing-worlds"]),
    ]
    # Its sets are no part of scikit-learn.
    if "criteria" in rows:
        title = "AIC and BIC of logistic regression beside its log loss on rows left out"
        tables.append(PaperTable(name="criteria", title=title, frame=criteria_table(rows["criteria"])))
    frames = {table.name: table.frame for table in tables}
    said = [*_statements(figures, pairs), *claims_of_bias(figures, pairs, tuple(UCI)), *claims_of_tables(frames)]
    tables.append(statement_table(said, "statements", "What the paper says", "the paper says"))
    title = "Figure 1: what feature bias and class bias do to the rows"
    return Reproduction(
        title=TITLE, tables=tables, figures=[PaperFigure(name="figure-01", title=title, draw=draw_shifts)]
    )


def accuracy_frame(rows: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one row per data set, seed and learner: true accuracy, and that by each method, in per cent."""
    key = ["dataset", "seed", "learner"]
    truths = rows["true-accuracies"]
    validated = rows["validated-accuracies"].groupby(key, sort=False)["accuracy"].mean().rename("cross-validation")
    left_out = rows["left-out-accuracies"].set_index(key)["accuracy"].rename("leave-one-out")
    joined = truths.set_index(key).join([validated, left_out])
    named = joined.rename(columns={"training": "training accuracy"}).reset_index()
    columns = ["test", "cross-validation", "leave-one-out", "training accuracy"]
    return named.assign(**{column: 100 * named[column] for column in columns})


def pair_frame(figures: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return one row per data set, seed and pair: the better one in truth and by each method.

    A text without letters stands for a tie or for no decision, None for a method that was not run.
    """
    rows = []
    for (dataset, seed), part in figures.groupby(["dataset", "seed"], sort=False):
        own = verdicts[(verdicts["dataset"] == dataset) & (verdicts["seed"] == seed)]
        by_learner = part.set_index("learner")
        for a, b in PAIRS:
            row: dict[str, Any] = {"dataset": dataset, "seed": seed, "first": a, "second": b}
            for column in ("test", "cross-validation", "leave-one-out", "training accuracy"):
                one, other = (float(by_learner[column].to_dict()[each]) for each in (a, b))
                row[column] = None if np.isnan(one) else "" if one == other else a if one > other else b
            for judges, name in (("pair", SELECTORS[3]), ("all", SELECTORS[4])):
                asked = own[(own["judges"] == judges) & (own["first"] == a) & (own["second"] == b)]
                row[name] = asked["winner"].iloc[0]
            rows.append(row)
    return pd.DataFrame(rows)


def _present(figures: pd.DataFrame, sets: Sequence[str], column: str = "test") -> list[str]:
    """Return the sets that a column has figures of."""
    known = set(figures.loc[figures[column].notna(), "dataset"])
    return [name for name in sets if name in known]


def _accuracy_tables(
    figures: pd.DataFrame, sets: Sequence[str], numbers: Sequence[int], theirs: Sequence[printed.Accuracies]
) -> Iterator[PaperTable]:
    """Yield accuracies on the test set, by cross-validation and by leave-one-out; the printed ones in brackets."""
    whose = "newsgroups" if sets == NEWS else "biased UCI sets"
    means = figures.groupby(["dataset", "learner"], sort=False).mean(numeric_only=True)
    for number, column, printed_table in zip(numbers, ("test", *SELECTORS[:2]), theirs, strict=True):
        values = means[column].to_dict()
        rows = []
        for name in _present(figures, sets, column):
            both = zip(LEARNERS, printed_table[name], strict=True)
            rows.append([name, *(f"{values[name, learner]:.1f} ({said:.1f})" for learner, said in both)])
        title = f"Table {number}: accuracy in per cent, {whose}, {'test set' if column == 'test' else column} (printed)"
        yield PaperTable(name=f"table-{number:02}", title=title, frame=pd.DataFrame(rows, columns=["set", *LEARNERS]))


def _order_tables(figures: pd.DataFrame, verdicts: pd.DataFrame) -> Iterator[PaperTable]:
    """Yield the orders of the learners on newsgroups, with a star where they differ from the true order."""
    first = figures[figures["seed"] == 0]
    values = {
        (str(name), column): tuple(part.set_index("learner")[column].to_dict()[each] for each in LEARNERS)
        for name, part in first.groupby("dataset", sort=False)
        for column in ("test", *SELECTORS[:2])
    }
    reverse = verdicts[(verdicts["judges"] == "pair") & (verdicts["seed"] == 0)]
    asked = (
        (2, "test", {name: printed.order(each) for name, each in printed.NEWS_TEST.items()}),
        (4, SELECTORS[0], printed.NEWS_CV_ORDERS),
        (6, SELECTORS[1], printed.NEWS_LOO_ORDERS),
        (13, SELECTORS[3], printed.NEWS_CV_ORDERS),
    )
    for number, column, theirs in asked:
        rows = []
        for name in _present(figures, NEWS, column if number < 13 else "test"):
            truth = printed.order(values[name, "test"])
            ours = (
                _by_wins(reverse[reverse["dataset"] == name]) if number == 13 else printed.order(values[name, column])
            )
            rows.append([name, _starred(ours, truth), _starred(theirs[name], printed.order(printed.NEWS_TEST[name]))])
        frame = pd.DataFrame(rows, columns=["set", "here", "printed"])
        title = f"Table {number}: order of accuracy, newsgroups, {'test set' if column == 'test' else column}"
        yield PaperTable(name=f"table-{number:02}", title=title, frame=frame)


def _by_wins(verdicts: pd.DataFrame) -> tuple[str, ...]:
    """Return the learners by wins minus losses; ties are in the order of the columns."""
    net = dict.fromkeys(LEARNERS, 0)
    for row in verdicts.to_dict("records"):
        if row["winner"]:
            net[row["winner"]] += 1
            net[row["first"] if row["winner"] == row["second"] else row["second"]] -= 1
    return tuple(sorted(LEARNERS, key=lambda name: -net[name]))


def _starred(order: Sequence[str], truth: Sequence[str]) -> str:
    return ", ".join(name if name == right else f"*{name}" for name, right in zip(order, truth, strict=True))


def _pair_tables(pairs: pd.DataFrame) -> Iterator[PaperTable]:
    """Yield Tables 10, 11, 12 and 14: who wins each of 30 pairs in the first split, with a star where that is wrong."""
    first = pairs[(pairs["seed"] == 0) & pairs["dataset"].isin(list(UCI))]
    theirs = {
        "test": (10, printed.UCI_PAIRS),
        SELECTORS[0]: (11, printed.UCI_CV_PAIRS),
        SELECTORS[1]: (12, printed.UCI_LOO_PAIRS),
        SELECTORS[3]: (14, printed.UCI_REVERSE_PAIRS),
    }
    rows = []
    for row in first.to_dict("records"):
        place = PAIRS.index((row["first"], row["second"]))
        right = printed.UCI_PAIRS[row["dataset"]][place]
        cells = [row["dataset"], f"{row['first']} or {row['second']}"]
        for column, (_, table) in theirs.items():
            said = table[row["dataset"]][place]
            cells.append(f"{_mark(row[column], row['test'])} ({_mark(said or '', right)})")
        cells[2] = f"{row['test'] or 'tie'} ({right})"
        rows.append(cells)
    columns = ["set", "pair", *(f"{column} (Table {number})" for column, (number, _) in theirs.items())]
    title = "Tables 10, 11, 12, 14: the better of two on biased UCI sets, first split (printed)"
    yield PaperTable(name="table-10-14", title=title, frame=pd.DataFrame(rows, columns=columns))


def _mark(winner: str, right: str) -> str:
    """Return who is called better, with a star if that is wrong; nothing is wrong about two that tie."""
    return f"{'*' if right and winner != right else ''}{winner or '??'}"


def _summary(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count errors of all splits; pairs that tie in truth are left out, and no decision counts on its own."""
    rows = []
    for whose, sets in (("newsgroups", NEWS), ("biased UCI", tuple(UCI)), ("both", (*NEWS, *UCI))):
        known = pairs[pairs["dataset"].isin(sets) & (pairs["test"] != "")]
        for name in SELECTORS:
            own = known[known[name].notna()]
            if own.empty:
                continue
            decided = own[own[name] != ""]
            right = (decided[name] == decided["test"]).sum()
            rows.append(
                (whose, name, len(own), int(right), int(len(decided) - right), len(own) - len(decided),
                 100 * float((right + (len(own) - len(decided)) / 2) / len(own)))
            )  # fmt: skip
    names = ["sets", "selector", "pairs", "right", "wrong", "undecided", _RIGHT]
    return pd.DataFrame(rows, columns=names)


def recount() -> pd.DataFrame:
    """Return what the paper counts, and what its own printed cells give."""
    truths = {name: printed.order(each) for name, each in printed.NEWS_TEST.items()}
    places, orders = printed.order_errors(printed.NEWS_LOO_ORDERS, truths)
    cells = sum(map(len, truths.values()))
    wrong = sum(
        said != right
        for name, rights in printed.UCI_PAIRS.items()
        for said, right in zip(printed.UCI_REVERSE_PAIRS[name], rights, strict=True)
    )
    cv, loo, total = printed.pair_errors(printed.UCI_CV), printed.pair_errors(printed.UCI_LOO), cells + 30
    rows = [
        ("entries in the newsgroup tables", "20", str(cells)),
        ("newsgroup orders that leave-one-out gets wrong", "5 of 6", f"{orders} of 6, {places} entries"),
        ("errors of cross-validation on 30 UCI pairs", "13", str(cv)),
        ("errors of leave-one-out on 30 UCI pairs", "15", f"{loo}, including a tie"),
        ("errors of ReverseTesting on 30 UCI pairs", "5", str(wrong)),
        ("correct overall: cross-validation", "68%", f"{(total - 3 - cv) / total:.0%}"),
        ("correct overall: leave-one-out", "40%", f"{(total - places - loo) / total:.0%}"),
        ("correct overall: ReverseTesting", "84%", f"{(total - 3 - wrong) / total:.0%}"),
        ("training rows of Wine in leave-one-out", "a quarter removed", _sizes("Wine", 178, 36)),
        ("training rows of Pima in leave-one-out", "a quarter removed", _sizes("Pima", 768, 268)),
    ]
    return pd.DataFrame(rows, columns=["what", "printed", "from the printed cells"])


def _sizes(name: str, rows: int, test: int) -> str:
    """Say how many rows the printed accuracies of leave-one-out may be shares of."""
    possible, train = printed.possible_sizes(printed.UCI_LOO[name], rows), rows - test
    words = {n: "possible" if n in possible else "impossible" for n in (train - round(0.25 * train), train)}
    return ", ".join(f"{n} rows {word}" for n, word in words.items())


def _gaps(figures: pd.DataFrame) -> pd.DataFrame:
    """Return how far each estimate is from the truth, and on how many sets all learners err in the same direction."""
    said = {("newsgroups", 0): "1.6 (0 to 7.5)", ("newsgroups", 1): "3.6 (0 to 14.1)"}
    said |= {("biased UCI", 0): "6.2 (0.6 to 20.9)", ("biased UCI", 1): "6.4 (0.4 to 21.2)"}
    rows = []
    for whose, sets in (("newsgroups", NEWS), ("biased UCI", tuple(UCI))):
        own = figures[figures["dataset"].isin(sets)]
        for place, name in enumerate(SELECTORS[:3]):
            gap = (own[name] - own["test"]).dropna()
            if gap.empty:
                continue
            size = gap.abs()
            by_split = gap.groupby([own["dataset"], own["seed"]])
            one_way = by_split.agg(lambda each: bool((each > 0).all() or (each < 0).all()))
            here = f"{size.mean():.1f} ({size.min():.1f} to {size.max():.1f})"
            same = f"{int(one_way.sum())} of {len(one_way)}"
            rows.append((whose, name, said.get((whose, place), "–"), here, float(gap.mean()), same))
    names = ["sets", "estimate", "printed: mean (range)", "here: mean (range)", "signed mean", "same direction"]
    return pd.DataFrame(rows, columns=names)


def _statements(figures: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[Statement]:
    """Give what the paper concludes."""
    counts = defaultdict(lambda: float("nan"), _summary(pairs).set_index(["sets", "selector"])[_RIGHT].to_dict())
    reverse, cv, loo, training = (SELECTORS[at] for at in (3, 0, 1, 2))
    both = ", ".join(f"{name} {counts['biased UCI', name]:.0f}%" for name in (reverse, cv, loo))
    best = counts["biased UCI", reverse] > max(counts["biased UCI", cv], counts["biased UCI", loo])
    yield Statement("with bias, ReverseTesting orders more pairs correctly than the other two", both, best)
    both = ", ".join(f"{name} {counts['newsgroups', name]:.0f}%" for name in (reverse, cv))
    yield Statement(
        "without bias, it is as good as cross-validation",
        both,
        counts["newsgroups", reverse] >= counts["newsgroups", cv],
    )
    own = figures[figures["dataset"].isin(list(UCI))]
    apart = float((own[training] - own[loo]).abs().mean())
    said = "training accuracy is almost the same as leave-one-out accuracy"
    yield Statement(said, f"{apart:.1f} points apart", apart < 1)
    gap = (own[cv] - own["test"]).groupby([own["dataset"], own["seed"]])
    one_way = gap.agg(lambda each: bool((each > 0).all() or (each < 0).all()))
    here = f"{int(one_way.sum())} of {len(one_way)} splits"
    said = "cross-validation errs in the same direction for all learners on four of five sets"
    yield Statement(said, here, bool(one_way.mean() >= 0.8))


def _cost_tables(totals: pd.DataFrame, validated: pd.DataFrame) -> Iterator[PaperTable]:
    """Yield the stand-ins for Tables 15 to 18."""
    means = validated.groupby(["dataset", "seed", "learner"], sort=False)["total"].mean().to_dict()
    rows, counts = [], []
    for (dataset, seed), part in totals.groupby(["dataset", "seed"], sort=False):
        truth = part.set_index("learner")["total"].to_dict()
        beats = part.set_index("learner")["beats"].to_dict()
        estimate = {name: means[dataset, seed, name] for name in COST_LEARNERS}
        for name, values in (("test (Table 15)", truth), ("cross-validation (Table 16)", estimate)):
            rows.append([dataset, seed, name, *(f"{values[each]:,.0f}" for each in COST_LEARNERS)])
        decided = {(a, b): a if b in beats[a].split() else b if a in beats[b].split() else ""
                   for at, a in enumerate(COST_LEARNERS) for b in COST_LEARNERS[at + 1 :]}  # fmt: skip
        for (a, b), said in decided.items():
            if truth[a] != truth[b]:
                right = a if truth[a] > truth[b] else b
                counted = a if estimate[a] > estimate[b] else b
                counts.append((dataset, counted == right, said == right, said == ""))
    yield PaperTable(
        name="table-15-16",
        title="Stand-ins for Tables 15 and 16: total benefit",
        frame=pd.DataFrame(rows, columns=["set", "draw", "total", *COST_LEARNERS]),
    )
    found = pd.DataFrame(counts, columns=["set", "cross-validation right", "ReverseTesting right", "undecided"])
    summed = found.groupby("set", sort=False).agg("sum").assign(pairs=found.groupby("set", sort=False).size())
    title = "Stand-ins for Tables 17 and 18: pairs in the right order (printed: 12 and 7 of 12)"
    yield PaperTable(name="table-17-18", title=title, frame=summed.reset_index())


def _world_tables(claims: pd.DataFrame, worlds: pd.DataFrame) -> Iterator[PaperTable]:
    """Yield how often equation 3 holds, and how right ReverseTesting is where its condition holds."""
    rows = []
    for kind, part in claims.groupby("estimates", sort=False):
        rows.append((kind, len(part), 100 * part["holds"].mean(), 100 * part["holds if clear"].mean(),
                     100 * part["holds"].min(), f"{int((part['holds'] >= CLAIM).sum())} of {len(part)}"))  # fmt: skip
    names = ["estimates", "settings", "holds in %", "if clearly different", "lowest setting", "settings at 99.9%+"]
    title = "Equation 3: the estimate that is nearer under P is nearer under Q (the paper: around 99.9%)"
    yield PaperTable(name="equation-3", title=title, frame=pd.DataFrame(rows, columns=names), digits=1)
    asked = []
    for skew, part in worlds.groupby("skew", sort=False):
        own = part[part["verdict"] != ""]
        shares = [100 * float((own["verdict"] == own[f"{what} under {where}"]).mean())
                  for what, where in (("nearer", "P"), ("nearer", "Q"), ("more accurate", "Q"))]  # fmt: skip
        asked.append((f"{skew:g}", len(part), 100 * (1 - len(own) / len(part)), *shares))
    truths = ("nearer under P (Obs. 7.1)", "nearer under Q", "more accurate (Cond. 4.1)")
    names = ["skew of the selection", "worlds", "undecided in %", *truths]
    title = "ReverseTesting in the simulation: how often the one that it prefers really is better, in per cent"
    yield PaperTable(name="observations", title=title, frame=pd.DataFrame(asked, columns=names), digits=1)


EXPERIMENT = Experiment(name="reverse-testing", title=TITLE, cells=_cells, report=_report, seeds=3)
