"""What the paper counts and what its own cells give."""

from __future__ import annotations

from shiftproof.experiments import _reverse_printed as printed


def test_the_paper_counts_13_and_15_errors_where_its_cells_have_14_and_16() -> None:
    assert printed.pair_errors(printed.UCI_CV) == 14
    assert printed.pair_errors(printed.UCI_LOO) == 16
    starred = {
        name: sum(said != right for said, right in zip(table[name], printed.UCI_PAIRS[name], strict=True))
        for table in (printed.UCI_CV_PAIRS,)
        for name in printed.UCI_PAIRS
    }
    assert sum(starred.values()) == printed.SUMMARY["biased UCI"][1] == 13


def test_table_11_has_one_entry_that_table_8_contradicts() -> None:
    wrong = [
        (name, pair)
        for name, table in printed.UCI_CV_PAIRS.items()
        for pair, said in zip(printed.PAIRS, table, strict=True)
        if printed.winner(printed.UCI_CV[name], pair) != said
    ]
    assert wrong == [("Breast", ("NB", "LR"))]


def test_newsgroups_have_24_entries_and_four_wrong_orders() -> None:
    truths = {name: printed.order(each) for name, each in printed.NEWS_TEST.items()}
    assert sum(map(len, truths.values())) == 24
    assert printed.order_errors(printed.NEWS_LOO_ORDERS, truths) == (15, 4)


def test_leave_one_out_was_run_on_all_training_rows() -> None:
    assert printed.possible_sizes(printed.UCI_LOO["Wine"], 178) == [142]
    sizes = printed.possible_sizes(printed.UCI_LOO["Pima"], 768)
    assert 500 in sizes
    assert 375 not in sizes
