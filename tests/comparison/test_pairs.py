from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from tests.comparison.cases import FOUR_TREES, comparison_of, losses

import shiftproof as sp
from shiftproof.comparison._pairs import PostHoc, groups_of, smallest_wilcoxon
from shiftproof.stats import bergmann_hommel, hochberg, holm, hommel, shaffer, wilcoxon

ADJUSTMENTS = {"holm": holm, "hochberg": hochberg, "hommel": hommel, "shaffer": shaffer, "bergmann": bergmann_hommel}


def test_a_pair_has_what_the_tests_say_of_its_data_sets() -> None:
    frame = losses()
    means = frame.pivot_table(index="dataset", columns="method", values="loss")
    ranks, se = comparison_of().ranks, (4 * 5 / (6 * 9)) ** 0.5
    raw = []
    for pair in comparison_of().compared:
        assert ranks[pair.first] <= ranks[pair.second]
        difference = means[pair.second] - means[pair.first]
        raw.append(wilcoxon(difference).p_value)
        assert pair.wilcoxon == pytest.approx(scipy.stats.wilcoxon(difference).pvalue)
        walsh = np.add.outer(difference.to_numpy(), difference.to_numpy())[np.triu_indices(9)] / 2
        assert pair.difference.estimate == pytest.approx(np.median(walsh))
        gap = ranks[pair.second] - ranks[pair.first]
        expected = scipy.stats.studentized_range.sf(gap / se * 2**0.5, 4, np.inf)
        assert pair.adjusted["nemenyi"] == pytest.approx(expected, abs=1e-11)
        assert pair.ranks == pytest.approx(2 * scipy.stats.norm.sf(gap / se))
        assert np.isnan(pair.adjusted["bonferroni-dunn"])
        assert pair.better + pair.equivalent + pair.worse == pytest.approx(1)
        assert pair.dataset_wins + pair.dataset_losses + pair.dataset_ties == 9
        assert pair.wins + pair.losses + pair.ties == 27
        assert pair.differ == (pair.p_value <= 0.05)
    compared = comparison_of().compared
    by_rank = [pair.ranks for pair in compared]
    for name, adjust in ADJUSTMENTS.items():
        assert [pair.adjusted[f"wilcoxon-{name}"] for pair in compared] == pytest.approx(adjust(raw).tolist())
        assert [pair.adjusted[f"ranks-{name}"] for pair in compared] == pytest.approx(adjust(by_rank).tolist())


def test_demsars_example_with_a_control() -> None:
    # Demšar (2006), section 3.2.2: C4.5 against three others by their ranks; Holm and Hochberg reject two at 0.05.
    result = sp.compare(FOUR_TREES, lower_is_better=False, control="C4.5", posthoc="ranks-holm")
    own = {pair.second: pair for pair in result.compared if pair.first == "C4.5"}
    alone = {name: round(pair.ranks, 3) for name, pair in own.items()}
    assert alone == {"C4.5+m+cf": 0.016, "C4.5+m": 0.019, "C4.5+cf": 0.608}
    differ = {"C4.5+m+cf": True, "C4.5+m": True, "C4.5+cf": False}
    assert {name: pair.differ for name, pair in own.items()} == differ
    assert {name: pair.adjusted["ranks-hochberg"] <= 0.05 for name, pair in own.items()} == differ
    # Bonferroni-Dunn, in one step, finds only the first.
    assert [name for name, pair in own.items() if pair.adjusted["bonferroni-dunn"] <= 0.05] == ["C4.5+m+cf"]


@pytest.mark.parametrize("posthoc", ["ranks-holm", "ranks-hochberg", "ranks-hommel", "ranks-shaffer", "ranks-bergmann"])
def test_stepwise_tests_of_ranks_decide(posthoc: PostHoc) -> None:
    result = comparison_of(posthoc=posthoc)
    assert result.rejected
    for pair in result.compared:
        assert pair.p_value == pair.adjusted[posthoc]
        assert pair.differ == (pair.p_value <= 0.05)
    z = scipy.stats.norm.isf(0.05 / 6 / 2)
    assert result.decisive_difference == pytest.approx(z * (4 * 5 / (6 * 9)) ** 0.5)
    # Nemenyi's is one step, which never finds more than Holm's here.
    assert set(result.best) <= set(comparison_of().best)


def test_with_a_control_stepwise_tests_count_its_pairs() -> None:
    result = comparison_of(control="fair", posthoc="ranks-hommel")
    compared = [pair for pair in result.compared if pair.first == "fair"]
    assert [pair.p_value for pair in compared] == pytest.approx(hommel([pair.ranks for pair in compared]).tolist())
    assert all(np.isnan(pair.adjusted["ranks-shaffer"]) for pair in result.compared)
    assert result.decisive_difference == pytest.approx(scipy.stats.norm.isf(0.05 / 3 / 2) * (4 * 5 / (6 * 9)) ** 0.5)


def test_with_a_control_only_its_pairs_are_decided() -> None:
    result = comparison_of(control="fair")
    for pair in result.compared:
        decided = pair.first == "fair"
        assert pair.second != "fair"
        assert np.isnan(pair.p_value) == (not decided)
        assert np.isnan(pair.adjusted["wilcoxon-holm"]) == (not decided)
        assert not np.isnan(pair.adjusted["nemenyi"])
        assert decided or not pair.differ
    # the group of the best is then found by Nemenyi's test
    assert result.best == comparison_of().best


def test_wilcoxon_holm_needs_no_friedman_test() -> None:
    result = comparison_of(posthoc="wilcoxon-holm")
    for pair in result.compared:
        assert pair.p_value == pair.adjusted["wilcoxon-holm"]
        assert pair.differ == (pair.p_value <= 0.05)
    assert "ranks" not in result.headline.replace("ranks first", "").replace("ranks worse", "")


def test_after_a_friedman_test_that_does_not_reject_nothing_differs() -> None:
    # a draw in which two lie a critical difference apart, though the test of all does not reject
    result = sp.compare(np.random.default_rng(11).random((5, 8)), alpha=0.3, rope=0)
    assert not result.rejected
    assert result.pairs()["nemenyi"].min() <= 0.3
    assert not result.pairs()["differ"].any()
    assert result.headline.startswith("No evidence that the 8 methods differ")


def test_groups_are_the_longest_runs() -> None:
    def differ(pairs: list[tuple[int, int]], size: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        table = np.zeros((size, size), dtype=bool)
        for one, other in pairs:
            table[one, other] = table[other, one] = True
        return table

    assert groups_of(differ([], 4)) == [(0, 3)]
    assert groups_of(differ([(0, 3)], 4)) == [(0, 2), (1, 3)]
    assert groups_of(differ([(0, 1), (1, 2), (0, 2)], 3)) == []
    assert groups_of(differ([(1, 2)], 4)) == [(0, 1), (2, 3)]


def test_the_smallest_p_value_is_reached() -> None:
    for n in (4, 6, 9):
        assert smallest_wilcoxon(n, 1) == wilcoxon(np.arange(1, n + 1)).p_value
