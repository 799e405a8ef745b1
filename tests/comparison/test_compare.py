"""The verb: the papers' numbers, scipy's, and what it says where there is little to say."""

from __future__ import annotations

import math
import os
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from tests.comparison.cases import FOUR_TREES, HOSTILE, comparison_of, losses

import shiftproof as sp
from shiftproof.comparison._ranks import dataset_ranks
from shiftproof.core import InputError
from shiftproof.stats import critical_difference, friedman, iman_davenport

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def trees(**settings: Any) -> sp.Comparison:
    return sp.compare(FOUR_TREES, lower_is_better=False, rope=0.01, **settings)


# --- the papers' numbers


def test_the_four_trees_of_demsar() -> None:
    result = trees()
    assert {name: round(rank, 3) for name, rank in result.ranks.items()} == {
        "C4.5+m+cf": 1.964,
        "C4.5+m": 2.0,
        "C4.5+cf": 2.893,
        "C4.5": 3.143,
    }
    # He prints 9.28 and 3.69, without the correction for ties.
    plain = 12 * 14 / 20 * (sum(rank**2 for rank in result.ranks.values()) - 25)
    assert plain == pytest.approx(9.28, abs=0.005)
    assert result.friedman is not None
    theirs = scipy.stats.friedmanchisquare(*FOUR_TREES.to_numpy().T)
    assert result.friedman.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert result.friedman.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    # section 3.2.2: at 0.05 Nemenyi's test finds no difference, at 0.10 that C4.5 is worse than both with m
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)
    assert result.best == result.methods
    larger = trees(alpha=0.10)
    assert larger.critical_difference == pytest.approx(1.12, abs=0.005)
    differ = larger.pairs().query("differ")[["first", "second"]].to_numpy().tolist()
    assert differ == [["C4.5+m+cf", "C4.5"], ["C4.5+m", "C4.5"]]
    assert larger.groups == ((0, 2), (2, 3))


def test_the_four_trees_beside_a_control() -> None:
    # section 3.2.2: against C4.5 at 0.10, 1.04; m and m+cf are better, cf shows no difference
    result = trees(control="C4.5", alpha=0.10)
    assert result.posthoc == "bonferroni-dunn"
    assert result.control_difference == pytest.approx(1.04, abs=0.005)
    words = "'C4.5' is worse than 'C4.5+m+cf' and 'C4.5+m' by average rank (Bonferroni-Dunn); its difference from "
    words += "'C4.5+cf' is not significant (p = 1); "
    assert result.headline == f"{words}14 data sets can only show differences of 1.0 ranks or more."
    chance = result.to_frame().set_index("method")["p_control"]
    assert math.isnan(chance["C4.5"])
    z = (3.142857 - 2.0) / math.sqrt(4 * 5 / (6 * 14))
    assert chance["C4.5+m"] == pytest.approx(6 * scipy.stats.norm.sf(z), rel=1e-5)


@pytest.mark.parametrize(("n", "printed"), [(24, 2.7654), (22, 2.8883)])
def test_the_critical_differences_of_the_thesis(n: int, printed: float) -> None:
    rng = np.random.default_rng(n)
    result = sp.compare(rng.random((n, 10)))
    assert result.critical_difference == pytest.approx(printed, abs=5e-4)


def test_absolute_errors_and_normalised_scores_rank_alike() -> None:
    @given(
        hnp.arrays(np.int64, (4, 3, 5), elements=st.integers(0, 60)),
        st.lists(st.integers(1, 39), min_size=3, max_size=3, unique=True),
    )
    @settings(max_examples=25)
    def check(errors: NDArray[np.int64], positives: list[int]) -> None:
        rows = [
            {
                "dataset": dataset,
                "method": method,
                "prevalence": positive / 40,
                "AE": errors[dataset, at, method] / 40,
                "NAS": 1 - errors[dataset, at, method] / max(positive, 40 - positive),
            }
            for dataset in range(4)
            for at, positive in enumerate(positives)
            for method in range(5)
        ]
        places = np.repeat(np.arange(4), 3)
        table = pd.DataFrame(rows)
        ranks = []
        for column, sign in (("AE", 1), ("NAS", -1)):
            values = sign * table[column].to_numpy().reshape(12, 5)
            ranks.append(dataset_ranks(values, places, "average"))
        assert ranks[0].tolist() == ranks[1].tolist()

    check()


def test_losses_and_scores_give_the_same_comparison() -> None:
    frame = losses()
    scored = sp.compare(frame.assign(loss=1 - frame["loss"]), lower_is_better=False)
    plain = comparison_of()
    assert scored.ranks == plain.ranks
    assert scored.best == plain.best
    drop = ["mean_loss", "median_loss"]
    assert scored.to_frame().drop(columns=drop).equals(plain.to_frame().drop(columns=drop))
    pd.testing.assert_frame_equal(scored.pairs(), plain.pairs(), check_exact=False, rtol=1e-9)
    np.testing.assert_allclose(scored.per_prevalence()["pivot_mdae"], plain.per_prevalence()["pivot_mdae"])


# --- ranks and tests


def test_ranks_are_averaged_per_data_set_and_tests_count_data_sets() -> None:
    frame, result = losses(), comparison_of()
    wide = frame.pivot_table(index=["dataset", "prevalence"], columns="method", values="loss")
    ranks = wide.rank(axis=1).groupby("dataset").mean()
    assert result.ranks == pytest.approx(ranks.mean().to_dict())
    assert list(result.ranks.values()) == sorted(result.ranks.values())
    assert result.critical_difference == critical_difference(4, 9)
    # by hand: the variance is that of the averaged ranks
    centred = ranks.to_numpy() - 2.5
    statistic = 3 * (centred.sum(axis=0) ** 2).sum() / (centred**2).sum()
    assert result.friedman is not None
    assert result.friedman.statistic == pytest.approx(statistic, rel=1e-12)
    assert result.friedman.p_value == pytest.approx(scipy.stats.chi2.sf(statistic, 3), rel=1e-9)


def test_reranking_is_the_classical_friedman_test() -> None:
    wide = losses().pivot_table(index=["dataset", "prevalence"], columns="method", values="loss")
    averages = wide.rank(axis=1).groupby("dataset").mean()
    result = comparison_of(ranking="rerank")
    theirs = scipy.stats.friedmanchisquare(*averages.to_numpy().T)
    assert result.friedman is not None
    assert result.friedman.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert result.friedman.p_value == pytest.approx(theirs.pvalue, rel=1e-12)


def test_the_order_of_rows_does_not_matter() -> None:
    frame = losses()
    shuffled = sp.compare(frame.sample(frac=1, random_state=1)).to_frame()
    pd.testing.assert_frame_equal(shuffled, comparison_of().to_frame())


def test_two_methods_are_compared_by_wilcoxon() -> None:
    frame = losses()[losses()["method"].isin(["good", "none"])]
    result = sp.compare(frame)
    means = frame.pivot_table(index="dataset", columns="method", values="loss")
    p = scipy.stats.wilcoxon(means["good"], means["none"]).pvalue
    assert result.posthoc == "wilcoxon-holm"
    assert result.compared[0].adjusted["wilcoxon-holm"] == pytest.approx(p)
    assert result.headline == f"'good' is better than 'none' over 9 data sets (Wilcoxon, p = {p:.2g})."
    assert result.best == ("good",)
    # of two methods, Friedman's statistic is that of the sign test
    assert result.friedman is not None
    assert result.friedman.statistic == pytest.approx((9 - 0) ** 2 / 9)


def test_few_data_sets_cannot_show_anything() -> None:
    rng = np.random.default_rng(0)
    table = rng.random((4, 2)) + np.array([0, 5])
    result = sp.compare(table)
    assert result.headline == "No evidence that 'x0' and 'x1' differ over 4 data sets (Wilcoxon, p = 0.12)."
    assert result.summary().endswith("So few data sets cannot show a difference at level 0.05: p is never below 0.12.")
    result = sp.compare(rng.random((2, 3)))
    assert "2 data sets cannot show any difference: it would take 2.3 ranks, but the maximum is 2" in result.headline


def test_one_data_set_gets_ranks_and_no_test() -> None:
    frame = losses()[losses()["dataset"] == "set 0"]
    result = sp.compare(frame)
    assert result.friedman is None
    assert result.iman_davenport is None
    first = result.methods[0]
    words = (
        f"{first!r} ranks first on 'set 0', the only data set; one data set cannot show whether this is true for "
        "others."
    )
    assert result.summary() == words
    assert result.best == (first,)
    assert result.to_frame()["best"].tolist() == [True, False, False, False]
    assert result.groups == ()
    pairs = result.pairs()
    assert pairs[["nemenyi", "wilcoxon", "better", "p_value"]].isna().all(axis=None)
    assert not pairs["differ"].any()
    assert pairs["wins"].sum() > 0


def test_all_losses_equal_is_no_evidence() -> None:
    result = sp.compare(np.ones((6, 3)))
    assert list(result.ranks.values()) == [2, 2, 2]
    assert result.headline.startswith(
        "No evidence that the 3 methods differ (Iman-Davenport, p = 1); 'x0', 'x1' and 'x2' rank first;"
    )
    assert (result.to_frame()["ties"] == 12).all()


def test_equal_means_over_prevalences_are_no_difference() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1, but for rounding."""
    rows = [
        (f"set {at}", method, prevalence, loss)
        for at in range(6)
        for method, own in (("up", (0.1, 0.2, 0.3)), ("down", (0.3, 0.2, 0.1)))
        for prevalence, loss in enumerate(own)
    ]
    result = sp.compare(pd.DataFrame(rows, columns=["dataset", "method", "prevalence", "loss"]))
    (pair,) = result.compared
    assert (pair.wilcoxon, pair.mean_difference, pair.difference.estimate) == (1, 0, 0)


def test_two_data_sets_that_agree_are_little_evidence() -> None:
    """One of six orders comes up again by chance: the F approximation would give p = 0."""
    result = sp.compare(np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]))
    assert result.iman_davenport is not None
    assert result.iman_davenport.p_value == pytest.approx(1 / 6)
    assert not result.rejected
    assert result.headline.startswith(
        "No evidence that the 3 methods differ (Iman-Davenport, p = 0.17); 'x0' ranks first;"
    )


def test_an_alpha_that_is_no_level_is_told() -> None:
    with pytest.raises(InputError, match=r"^alpha must be at least 1e-15, got 1e-17; 0[.]05 means 5%[.]$"):
        sp.compare(np.ones((3, 2)), alpha=1e-17)


def test_perfect_agreement_is_no_error() -> None:
    result = sp.compare(np.arange(3) + np.zeros((8, 1)))
    assert result.iman_davenport is not None
    assert result.iman_davenport.p_value == pytest.approx(6.0**-7)
    assert result.methods == ("x0", "x1", "x2")
    assert result.to_dict()["iman_davenport"]["statistic"] is None


def test_hostile_names_are_only_names() -> None:
    rng = np.random.default_rng(0)
    result = sp.compare({f"set {at}": dict(zip(HOSTILE, rng.random(3), strict=True)) for at in range(6)})
    assert {*result.methods} == {*HOSTILE}
    assert "<b>" not in result._repr_html_()


# --- folds


def test_folds_are_tested_on_each_data_set() -> None:
    frame = losses(3, folds=5)
    result = sp.compare(frame)
    table = result.per_dataset()
    assert len(table) == 3 * 6
    row = table[(table["dataset"] == "set 1") & (table["first"] == "good") & (table["second"] == "none")]
    if row.empty:
        row = table[(table["dataset"] == "set 1") & (table["first"] == "fine") & (table["second"] == "none")]
    first = row["first"].item()
    folds = frame[frame["dataset"] == "set 1"].pivot_table(index="fold", columns="method", values="loss")
    d = folds["none"] - folds[first]
    t = d.mean() / math.sqrt((1 / 5 + 0.2 / 0.8) * d.var(ddof=1))
    assert row["difference"].item() == pytest.approx(d.mean())
    assert row["p_value"].item() == pytest.approx(2 * scipy.stats.t.sf(abs(t), 4))
    assert (table["p_holm"] >= table["p_value"]).all()
    smaller = sp.compare(frame, test_share=0.01).per_dataset()
    assert (smaller["p_value"] < table["p_value"]).all()
    averaged = frame.groupby(["dataset", "method", "prevalence"], as_index=False)["loss"].mean()
    assert sp.compare(averaged).ranks == result.ranks
    assert comparison_of().per_dataset().empty


def test_one_data_set_is_tested_by_its_folds() -> None:
    result = sp.compare(losses(1, folds=5))
    sentence = r"On this data set, \d of 6 pairs differ \(corrected resampled t test on its folds, Holm\)\.$"
    assert re.search(sentence, result.summary())


def test_a_single_fold_is_not_tested() -> None:
    assert sp.compare(losses(3, folds=1)).per_dataset().empty


# --- under the null hypothesis


def test_under_the_null_hypothesis_p_values_are_uniform_and_few_differences_significant() -> None:
    rng = np.random.default_rng(0)
    runs, n, k, prevalences = 400 * LONGER, 20, 5, 4
    places = np.repeat(np.arange(n), prevalences)
    p, alarms = np.empty((2, runs)), 0
    limit = critical_difference(k, n)
    for run in range(runs):
        # a data set favours a method at all its prevalences, so that cells depend on each other
        taste = np.repeat(rng.normal(size=(n, k)), prevalences, axis=0)
        ranks = dataset_ranks(taste + rng.normal(size=(n * prevalences, k)), places, "average")
        p[:, run] = friedman(ranks, ranked=True).p_value, iman_davenport(ranks, ranked=True).p_value
        alarms += np.ptp(ranks.mean(axis=0)) >= limit
    for values in p:
        for a in (0.05, 0.1, 0.5):
            error = 4 * math.sqrt(a * (1 - a) / runs)
            assert np.mean(values <= a) == pytest.approx(a, abs=error + 0.006)
    assert alarms / runs <= 0.05


def test_without_prevalences_nemenyi_keeps_its_level() -> None:
    rng = np.random.default_rng(1)
    runs, n, k = 1000 * LONGER, 24, 6
    ranks = rng.random((runs, n, k)).argsort(axis=2).argsort(axis=2) + 1
    spread = np.ptp(ranks.mean(axis=1), axis=1)
    share = float(np.mean(spread >= critical_difference(k, n)))
    assert 0.02 <= share <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


# --- what does not fit


@pytest.mark.parametrize(
    ("settings_", "sentence"),
    [
        (
            {"control": "god"},
            "control must be one of 'none', 'fair', 'good', 'fine'; got 'god'. Did you mean 'good'?",
        ),
        ({"ranking": "sum"}, "ranking must be one of 'average', 'rerank'; got 'sum'."),
        (
            {"posthoc": "bonferroni-dunn"},
            "posthoc='bonferroni-dunn' needs control; without a control, use 'nemenyi'.",
        ),
        (
            {"posthoc": "tukey"},
            "posthoc must be one of 'nemenyi', 'bonferroni-dunn', 'ranks-holm', 'ranks-hochberg', 'ranks-hommel', "
            "'ranks-shaffer', 'ranks-bergmann', 'wilcoxon-holm', 'wilcoxon-hochberg', 'wilcoxon-hommel', "
            "'wilcoxon-shaffer', 'wilcoxon-bergmann'; got 'tukey'.",
        ),
        (
            {"posthoc": "ranks-shaffer", "control": "fair"},
            "posthoc must be a test for a control, such as 'ranks-holm', got 'ranks-shaffer'; it compares all pairs.",
        ),
        ({"spread": "wide"}, "spread must be one of 'observed', 'ranks'; got 'wide'."),
        ({"alpha": 5}, "alpha must be a number strictly between 0 and 1, got 5; 0.05 means 5%."),
        ({"rope": -1}, "rope must be at least 0, got -1; give the largest difference that is too small to matter."),
        ({"test_share": 1}, "test_share must be a number strictly between 0 and 1, got 1; 0.1 for ten folds."),
    ],
)
def test_bad_settings_are_told_in_one_sentence(settings_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        sp.compare(losses(), **settings_)
