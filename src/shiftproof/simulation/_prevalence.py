"""Samples of rows with given class proportions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Floats,
    InputError,
    Phrase,
    Rows,
    Seed,
    as_table,
    check_count,
    check_label,
    check_share,
    fault,
    generator,
    is_missing,
    is_number,
    listed,
    shown,
)

_HINT = "0.2 means 20%"


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels as codes: the sorted classes, and the place of each row's class."""

    classes: tuple[Any, ...]
    codes: NDArray[np.intp]

    def place(self, label: object, name: str = "label") -> int:
        """Return the place of a class that the user named."""
        return check_label(label, self.classes, name)

    def against_rest(self, place: int) -> Labels:
        """Return two classes: 1 is the given class, 0 the rest."""
        return Labels((f"not {self.classes[place]}", self.classes[place]), (self.codes == place).astype(np.intp))


def read_labels(y: Any, n_rows: int | None = None) -> Labels:
    """Read labels of any type, without missing values.

    Examples
    --------
    >>> labels = read_labels(["no", "yes", "no"])
    >>> labels.classes, labels.codes.tolist()
    (('no', 'yes'), [0, 1, 0])
    """
    if isinstance(y, (str, bytes, Mapping, Set)) or not hasattr(y, "__len__"):
        raise fault("y", "be labels, one per row", y, "pass a list, an array or a series")
    if (y.ndim if hasattr(y, "ndim") else np.ndim(y)) != 1:
        raise fault("y", "have one dimension", Phrase(f"shape {np.shape(y)}"), "pass one column or a flat list")
    cells = as_table({"y": y}, "y").column("y").cells()
    if not cells:
        raise fault("y", "hold at least one label", 0, "check the filter or the file it came from")
    missing = sum(map(is_missing, cells))
    if missing:
        raise fault("y", "have no missing labels", missing, "drop those rows first")
    if n_rows is not None and len(cells) != n_rows:
        got = Phrase(f"{len(cells):,} for {n_rows:,} rows")
        raise fault("y", "have one label per row of X", got, "pass the labels of the same rows")
    try:
        classes = tuple(sorted(set(cells)))
    except TypeError:
        kinds = sorted({type(cell).__name__ for cell in cells})
        raise fault(
            "y", "hold labels of one type", Phrase(" and ".join(kinds)), "convert all of them to text"
        ) from None
    places = {label: place for place, label in enumerate(classes)}
    return Labels(classes, np.array([places[cell] for cell in cells], dtype=np.intp))


def at_prevalence(
    y: object,
    prevalence: float | Mapping[Any, float] | Sequence[float],
    *,
    size: int | None = None,
    label: object = None,
    random_state: Seed = 0,
) -> Rows:
    r"""Draw rows without replacement, with given class proportions.

    By default as many rows as possible are drawn: with :math:`n_c` rows of class c and shares :math:`p_c`, the
    scarcest class limits the sample to :math:`N = \min_c n_c/p_c`, and :math:`p_c N` rows of each class, rounded,
    are drawn.

    Parameters
    ----------
    y : sequence of labels
        The labels of n rows.
    prevalence : float, dict of label to share, or one share per class
        The share of `label`; or the shares of all classes, which sum to 1: by label (0 for classes that are not named),
        or in the sorted order of the labels.
    size : int, optional
        The number of rows; by default, as many as the prevalence allows.
    label : label, optional
        The class whose share a single number gives; by default the second of two.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    ndarray of intp
        Row numbers in rising order.

    Raises
    ------
    InputError
        If a class with a share above 0 has no rows, has too few rows for the size, or would get no row.

    Examples
    --------
    >>> y = np.array(["no"] * 90 + ["yes"] * 10)
    >>> rows = at_prevalence(y, 0.5)
    >>> len(rows), float((y[rows] == "yes").mean())
    (20, 0.5)
    >>> np.unique(y[at_prevalence(y, {"no": 0.9, "yes": 0.1}, size=50)], return_counts=True)[1].tolist()
    [45, 5]
    """
    labels = read_labels(y)
    if is_number(prevalence):
        place = _one_class(labels, label)
        share = check_share(prevalence, "prevalence", hint=_HINT)
        labels, shares = labels.against_rest(place), np.array([1 - share, share])
    else:
        if label is not None:
            hint = "a single number refers to one class"
            raise fault("label", "be left out with a prevalence for every class", label, hint)
        shares = _shares(labels, prevalence)
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    return draw(labels, _sizes(labels, counts, shares, size), generator(random_state))


def draw(labels: Labels, sizes: NDArray[np.intp], rng: np.random.Generator) -> Rows:
    """Draw the given number of rows of each class without replacement, in rising order."""
    # A prefix of one permutation: a smaller sample with the same seed is a part of a larger one.
    drawn = [rng.permutation(np.flatnonzero(labels.codes == code))[:size] for code, size in enumerate(sizes.tolist())]
    return np.sort(np.concatenate(drawn)).astype(np.intp, copy=False)


def largest_sizes(labels: Labels, shares: Floats) -> NDArray[np.intp]:
    """Return how many rows of each class the largest sample with these shares has."""
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    return _sizes(labels, counts, shares, None)


def _sizes(labels: Labels, counts: NDArray[np.intp], shares: Floats, size: int | None) -> NDArray[np.intp]:
    wanted = shares > 0
    with np.errstate(over="ignore"):  # a share may be as small as 5e-324
        most = float((counts[wanted] / shares[wanted]).min())
    if size is None:
        sizes = np.rint(shares * most).astype(np.intp)
        # A class that is wanted but rounds to no row would change the problem.
        lost = np.flatnonzero(wanted & (sizes == 0))
        if len(lost):
            raise _impossible_share(labels, int(lost[0]), counts, float(shares[lost[0]]))
        return sizes
    size = check_count(size, "size", least=1)
    exact = shares * size
    sizes = np.floor(exact).astype(np.intp)
    # Largest remainders: the sizes add up to the wanted size.
    sizes[np.argsort(sizes - exact, kind="stable")[: size - sizes.sum()]] += 1
    short = np.flatnonzero(sizes > counts)
    if len(short):
        place = int(short[0])
        of_class = f"{int(counts[place])} rows of {shown(labels.classes[place])}"
        hint = f"at most about {int(most):,} rows can have this prevalence"
        raise fault("size", f"not need more rows than the {of_class}", Phrase(f"{size:,}"), hint)
    return sizes


def _impossible_share(labels: Labels, place: int, counts: NDArray[np.intp], share: float) -> InputError:
    own, others = int(counts[place]), int(counts.sum() - counts[place])
    rows = f"{own:,} rows of {shown(labels.classes[place])} and {others:,} others"
    hint = "choose one nearer to the current share, or add rows"
    return fault("prevalence", f"be possible with {rows}", share, hint)


def _one_class(labels: Labels, label: object) -> int:
    if label is not None:
        return labels.place(label)
    if len(labels.classes) < 2:
        hint = "name the class with label"
        raise fault("y", "hold two classes", Phrase(f"only {listed(labels.classes)}"), hint)
    if len(labels.classes) > 2:
        hint = f"choose one of {listed(labels.classes)}, or give a share for each"
        raise fault("label", f"be given for {len(labels.classes)} classes", hint=hint)
    return 1


def _shares(labels: Labels, prevalence: Any) -> Floats:
    k = len(labels.classes)
    if isinstance(prevalence, Mapping):
        shares = np.zeros(k)
        for label, share in prevalence.items():
            shares[labels.place(label, "prevalence")] = check_share(share, "each prevalence", hint=_HINT)
    elif isinstance(prevalence, (str, bytes)) or not hasattr(prevalence, "__len__"):
        raise fault("prevalence", "be a share, a dict or one share per class", prevalence, "0.2 means 20%")
    else:
        shares = np.array([check_share(share, "each prevalence", hint=_HINT) for share in prevalence])
        if len(shares) != k:
            hint = f"one for each of {listed(labels.classes)}"
            raise fault("prevalence", f"have {k} shares", len(shares), hint)
    if abs(shares.sum() - 1) > 1e-9:
        raise fault("prevalence", "sum to 1", float(shares.sum()), "divide the shares by their sum")
    return np.asarray(shares / shares.sum())
