from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from tests.comparison.cases import comparison_of, losses

import shiftproof as sp
from shiftproof.comparison._pairs import groups_of, smallest_wilcoxon
from shiftproof.stats import holm, wilcoxon


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
        assert pair.nemenyi == pytest.approx(expected, abs=1e-11)
        assert np.isnan(pair.bonferroni_dunn)
        assert pair.better + pair.equivalent + pair.worse == pytest.approx(1)
        assert pair.dataset_wins + pair.dataset_losses + pair.dataset_ties == 9
        assert pair.wins + pair.losses + pair.ties == 27
        assert pair.differ == (pair.p_value <= 0.05)
    assert [pair.wilcoxon_holm for pair in comparison_of().compared] == pytest.approx(holm(raw).tolist())


def test_with_a_control_only_its_pairs_are_decided() -> None:
    result = comparison_of(control="fair")
    for pair in result.compared:
        decided = pair.first == "fair"
        assert pair.second != "fair"
        assert np.isnan(pair.p_value) == (not decided)
        assert np.isnan(pair.wilcoxon_holm) == (not decided)
        assert not np.isnan(pair.nemenyi)
        assert decided or not pair.differ
    # the group of the best is then found by Nemenyi's test
    assert result.best == comparison_of().best


def test_wilcoxon_holm_needs_no_friedman_test() -> None:
    result = comparison_of(posthoc="wilcoxon-holm")
    for pair in result.compared:
        assert pair.p_value == pair.wilcoxon_holm
        assert pair.differ == (pair.wilcoxon_holm <= 0.05)
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
