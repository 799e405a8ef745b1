"""The tables that Fan and Davidson (2006) print, and what follows from their own figures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

LEARNERS = ("DT", "NB", "LR", "SVM")
PAIRS = tuple(combinations(LEARNERS, 2))
Accuracies = Mapping[str, tuple[float, ...]]

#: Tables 1, 3 and 5: accuracies of DT, NB, LR and SVM on newsgroups, in per cent.
NEWS_TEST: Accuracies = {
    "Christ-Sales": (92.1, 87.7, 92.0, 91.6),
    "Mac-Hardware": (81.6, 78.9, 89.3, 76.4),
    "Baseball-Hoc": (84.3, 75.4, 88.6, 73.9),
    "MidEast-Elec": (85.6, 82.8, 92.2, 78.3),
    "MidEast-Guns": (79.7, 89.3, 89.7, 78.6),
    "Auto-Space": (85.7, 83.2, 89.4, 79.6),
}
NEWS_CV: Accuracies = {
    "Christ-Sales": (91.5, 88.1, 91.7, 91.5),
    "Mac-Hardware": (85.0, 80.0, 89.2, 75.8),
    "Baseball-Hoc": (85.7, 76.8, 87.7, 73.5),
    "MidEast-Elec": (91.5, 80.8, 92.2, 75.4),
    "MidEast-Guns": (87.2, 89.3, 90.2, 78.7),
    "Auto-Space": (89.5, 84.2, 91.5, 79.7),
}
NEWS_LOO: Accuracies = {
    "Christ-Sales": (92.1, 87.8, 91.9, 91.5),
    "Mac-Hardware": (85.3, 80.6, 89.3, 75.7),
    "Baseball-Hoc": (86.4, 76.3, 87.5, 87.3),
    "MidEast-Elec": (92.0, 80.5, 92.0, 92.4),
    "MidEast-Guns": (87.8, 89.3, 90.2, 90.2),
    "Auto-Space": (89.6, 84.1, 91.5, 91.7),
}
#: Tables 4 and 13: the orders by cross-validation, which ReverseTesting repeats. SVM and DT tie in Table 3.
NEWS_CV_ORDERS = {
    "Christ-Sales": ("LR", "SVM", "DT", "NB"),
    "Mac-Hardware": ("LR", "DT", "NB", "SVM"),
    "Baseball-Hoc": ("LR", "DT", "NB", "SVM"),
    "MidEast-Elec": ("LR", "DT", "NB", "SVM"),
    "MidEast-Guns": ("LR", "NB", "DT", "SVM"),
    "Auto-Space": ("LR", "DT", "NB", "SVM"),
}
#: Table 6: the orders by leave-one-out.
NEWS_LOO_ORDERS = {
    "Christ-Sales": ("DT", "LR", "SVM", "NB"),
    "Mac-Hardware": ("LR", "DT", "NB", "SVM"),
    "Baseball-Hoc": ("LR", "SVM", "DT", "NB"),
    "MidEast-Elec": ("SVM", "LR", "DT", "NB"),
    "MidEast-Guns": ("SVM", "LR", "NB", "DT"),
    "Auto-Space": ("SVM", "LR", "DT", "NB"),
}
#: Tables 7, 8 and 9: accuracies on the biased UCI sets.
UCI_TEST: Accuracies = {
    "Breast": (98.9, 98.5, 98.0, 99.0),
    "Iris": (92.0, 88.0, 84.0, 66.0),
    "Pima": (73.5, 72.4, 75.0, 72.0),
    "Vote": (97.0, 91.8, 97.8, 99.3),
    "Wine": (55.6, 55.6, 72.2, 66.7),
}
UCI_CV: Accuracies = {
    "Breast": (94.4, 95.7, 96.6, 96.7),
    "Iris": (92.9, 94.0, 93.9, 86.9),
    "Pima": (72.6, 76.9, 77.7, 77.3),
    "Vote": (95.3, 91.2, 92.0, 94.4),
    "Wine": (72.2, 75.3, 71.6, 77.7),
}
UCI_LOO: Accuracies = {
    "Breast": (94.8, 95.8, 96.8, 96.8),
    "Iris": (92.4, 93.9, 94.5, 86.4),
    "Pima": (69.2, 76.8, 77.8, 77.0),
    "Vote": (95.1, 90.8, 93.2, 94.5),
    "Wine": (74.6, 76.8, 71.1, 77.5),
}
#: Table 10: which of two classifiers is better on the test set, in the order of PAIRS.
UCI_PAIRS = {
    "Breast": ("DT", "DT", "SVM", "NB", "SVM", "SVM"),
    "Iris": ("DT", "DT", "DT", "NB", "NB", "LR"),
    "Pima": ("DT", "LR", "DT", "LR", "NB", "LR"),
    "Vote": ("DT", "LR", "SVM", "LR", "SVM", "SVM"),
    "Wine": ("DT", "LR", "SVM", "LR", "SVM", "LR"),
}
#: Tables 11 and 12 (ten-fold cross-validation, leave-one-out) and 14 (ReverseTesting, None where undecided).
UCI_CV_PAIRS = {
    "Breast": ("NB", "LR", "SVM", "NB", "SVM", "SVM"),
    "Iris": ("NB", "LR", "DT", "NB", "NB", "LR"),
    "Pima": ("NB", "LR", "SVM", "LR", "SVM", "LR"),
    "Vote": ("DT", "DT", "DT", "LR", "SVM", "SVM"),
    "Wine": ("NB", "DT", "SVM", "NB", "SVM", "SVM"),
}
UCI_LOO_PAIRS = {
    **UCI_CV_PAIRS,
    "Breast": ("NB", "LR", "SVM", "LR", "SVM", "SVM"),
    "Iris": ("NB", "LR", "DT", "LR", "NB", "LR"),
}
UCI_REVERSE_PAIRS: Mapping[str, tuple[str | None, ...]] = {
    "Breast": ("DT", "DT", "SVM", None, "SVM", None),
    "Iris": ("DT", "DT", "DT", "NB", "NB", "LR"),
    "Pima": ("DT", None, "DT", "LR", "NB", "LR"),
    "Vote": ("DT", "DT", "SVM", "LR", "SVM", "SVM"),
    "Wine": ("DT", "DT", "SVM", "LR", "SVM", "LR"),
}
#: Tables 15 and 16: totals on the test sets and by ten times ten-fold cross-validation, in the order of COST_LEARNERS.
COST_LEARNERS = ("bNB", "uDT", "cDT", "RDT")
COST_TEST = {"Donate": (11334, 12577, 14424, 14567), "CCF": (412303, 537903, 691044, 712314)}
COST_CV = {"Donate": (129, 112, 135, 127), "CCF": (601434, 574123, 589416, 612434)}
#: The summary of section 5: entries, and errors of ten-fold, leave-one-out and ReverseTesting.
SUMMARY = {"Newsgroup": (20, 3, 15, 3), "biased UCI": (30, 13, 15, 5)}


def winner(accuracies: tuple[float, ...], pair: tuple[str, str]) -> str | None:
    """Return which of two learners is more accurate; None if both are the same.

    Examples
    --------
    >>> winner(UCI_TEST["Iris"], ("DT", "NB")), winner(UCI_TEST["Wine"], ("DT", "NB"))
    ('DT', None)
    """
    one, other = (accuracies[LEARNERS.index(name)] for name in pair)
    return None if one == other else pair[0] if one > other else pair[1]


def pair_errors(estimates: Accuracies) -> int:
    """Count the pairs of Table 10 that the figures of another table order differently; a tie is an error.

    Examples
    --------
    The paper counts 13 errors of cross-validation and 15 of leave-one-out:

    >>> pair_errors(UCI_CV), pair_errors(UCI_LOO)
    (14, 16)
    """
    return sum(
        winner(estimates[name], pair) != right
        for name, truths in UCI_PAIRS.items()
        for pair, right in zip(PAIRS, truths, strict=True)
    )


def order(accuracies: tuple[float, ...]) -> tuple[str, ...]:
    """Return the learners by falling accuracy; those that tie in the order of the columns."""
    return tuple(sorted(LEARNERS, key=lambda name: -accuracies[LEARNERS.index(name)]))


def order_errors(orders: Mapping[str, tuple[str, ...]], truths: Mapping[str, tuple[str, ...]]) -> tuple[int, int]:
    """Return how many places of the orders are wrong, and how many orders.

    Examples
    --------
    The paper says that leave-one-out orders 5 of 6 newsgroup sets wrongly, and counts 20 entries:

    >>> truths = {name: order(figures) for name, figures in NEWS_TEST.items()}
    >>> order_errors(NEWS_LOO_ORDERS, truths), sum(map(len, truths.values()))
    ((15, 4), 24)
    """
    wrong = [sum(a != b for a, b in zip(orders[name], truth, strict=True)) for name, truth in truths.items()]
    return sum(wrong), sum(map(bool, wrong))


def possible_sizes(accuracies: tuple[float, ...], most: int) -> list[int]:
    """Return the numbers of rows, up to `most`, of which all printed accuracies can be shares.

    Examples
    --------
    Leave-one-out on Wine was run on 142 rows: all 178 without the 36 of the test set. A quarter was not removed.

    >>> possible_sizes(UCI_LOO["Wine"], 178), 36 in possible_sizes(UCI_TEST["Wine"], 178)
    ([142], True)
    """

    def fits(n: int) -> bool:
        shares = ((value, int(value * n / 100)) for value in accuracies)
        return all(value in (round(100 * k / n, 1), round(100 * (k + 1) / n, 1)) for value, k in shares)

    return [n for n in range(10, most) if fits(n)]
