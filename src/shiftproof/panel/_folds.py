"""Which rows train and which are tested: stratified, repeated, grouped and time-ordered folds."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Argument,
    Column,
    InputError,
    Phrase,
    Rows,
    Seed,
    Sensitive,
    as_table,
    check_count,
    counted,
    fault,
    generator,
    is_missing,
    library_of,
    listed,
    refuse_identifiers,
    seed_number,
    shown,
    similar,
    unknown_name,
)
from shiftproof.panel._inputs import Features, check_lengths, label_array

# As many folds are usual, and suggested where the given number is too large.
_USUAL_FOLDS = 10


@dataclass(frozen=True, eq=False)
class Split:
    """One fit: its place, the rows it learns from and the rows it is tested on."""

    repeat: int
    fold: int
    train: Rows
    test: Rows


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample:
    """The labelled rows, and what decides how they may be split."""

    features: Features
    labels: NDArray[Any]
    classes: NDArray[Any]
    codes: NDArray[np.int64]
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None


def make_splits(sample: Sample, cv: object, repeats: int, random_state: Seed) -> list[Split]:
    """Lay out all fits; see `cross_fit` for the kinds of folds."""
    repeats = check_count(repeats, "repeats", least=1)
    if isinstance(cv, numbers.Number):
        k = check_count(cv, "cv", least=2, hint="10 is usual")
        if sample.time is not None:
            return _time_splits(sample, k, repeats)
        _check_rarest(sample, k)
        if sample.groups is not None:
            _check_groups(sample, k)
        pairs = [pair for seed in _seeds(repeats, random_state) for pair in _stratified(sample, k, seed)]
        return _number_splits(pairs, len(sample.codes))
    if sample.time is not None:
        raise fault(
            "cv",
            "be a number of blocks if time is given",
            Phrase(f"a {type(cv).__name__}"),
            "leave time out to use your own splitter",
        )
    if repeats != 1:
        raise fault("repeats", "be 1 with a splitter of your own", repeats, "let the splitter do the repeating")
    pairs = _user_splits(sample, cv)
    for train, test in pairs:
        _check_groups_apart(sample, train, test)
    return _number_splits(pairs, len(sample.codes))


def fold_table(splits: list[Split], n_rows: int) -> NDArray[np.int64]:
    """Return the fold that tests each row, per repeat; -1 where none does."""
    table = np.full((splits[-1].repeat + 1, n_rows), -1, dtype=np.int64)
    # Rows stay -1 where a splitter leaves them out, as the first block in time does.
    for split in splits:
        table[split.repeat, split.test] = split.fold
    return table


def along_rows(values: object, name: str, X: object, n_rows: int) -> NDArray[Any] | None:
    """Return groups as codes, one per row; a name means a column of X."""
    if values is None:
        return None
    if isinstance(values, str):
        values = _named_column(values, name, X).values
    # As text, so that groups of mixed types can be sorted.
    codes = np.unique(label_array(values, name).astype(str), return_inverse=True)[1]
    check_lengths(n_rows, "entry", name, len(codes))
    return codes


def _named_column(column: str, argument: str, X: object) -> Column:
    table = as_table(X)
    if column not in table.names:
        raise unknown_name(argument, "name a column of X, or have one entry per row", column, table.names)
    return table.column(column)


def time_order(values: object, X: object, n_rows: int) -> NDArray[Any] | None:
    """Return moments as numbers, one per row; a name means a column of X."""
    if values is None:
        return None
    if not hasattr(values, "__len__"):
        raise fault("time", "be the name of a column, or one moment per row", values, "pass numbers or dates")
    column: Column = (
        _named_column(values, "time", X) if isinstance(values, str) else as_table({"time": values}).column("time")
    )
    check_lengths(n_rows, "moment", "time", len(column))
    if not column.ordered:
        example = next((cell for cell in column.cells() if not is_missing(cell)), None)
        got = Phrase(f"{column.contents} such as ", Sensitive(shown(example)))
        raise fault("time", "hold numbers or dates", got, "write dates as 2010-01-31")
    moments, missing = column.numbers()
    missing += int((moments != moments).sum())  # NaN in an array is not counted as missing by the column
    if missing:
        raise fault("time", "be known for every row", Phrase(f"{missing} missing"), "drop those rows first")
    return moments


def _seeds(repeats: int, random_state: Seed) -> list[int]:
    """Return one seed per repeat; a single one is the user's own, so that scikit-learn makes the same folds."""
    if repeats == 1 and isinstance(random_state, numbers.Integral):
        return [seed_number(random_state)]
    drawn: list[int] = generator(random_state).integers(2**31 - 1, size=repeats).tolist()
    return drawn


def _stratified(sample: Sample, k: int, seed: int) -> Iterable[tuple[Rows, Rows]]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if sample.groups is None else StratifiedGroupKFold
    splitter = kind(k, shuffle=True, random_state=seed)
    pairs: Iterable[tuple[Rows, Rows]] = splitter.split(np.zeros(len(sample.codes)), sample.codes, sample.groups)
    return pairs


def _number_splits(pairs: Iterable[tuple[Rows, Rows]], n: int) -> list[Split]:
    """Give folds and repeats their numbers: a repeat ends where a row would be tested for a second time."""
    splits: list[Split] = []
    tested = np.zeros(n, dtype=bool)
    repeat = fold = 0
    for train, test in pairs:
        if not len(test):  # a grouped fold can stay empty
            continue
        if tested[test].any():
            repeat, fold = repeat + 1, 0
            tested[:] = False
        splits.append(Split(repeat, fold, train, test))
        tested[test] = True
        fold += 1
    return splits


def _user_splits(sample: Sample, cv: object) -> list[tuple[Rows, Rows]]:
    n = len(sample.codes)
    # Text, columns and tables can be iterated, too, but hold no splits.
    no_splits = isinstance(cv, str) or library_of(cv) in ("pandas", "polars", "pyarrow")
    if hasattr(cv, "split") and not no_splits:
        pairs = list(cv.split(sample.features.data, sample.labels, sample.groups))
    elif isinstance(cv, Iterable) and not no_splits:
        pairs = list(cv)
    else:
        rule, near = (
            "be a whole number, a scikit-learn splitter or 'prefit'",
            similar(cv, ["prefit"] * isinstance(cv, str)),
        )
        raise InputError(argument="cv", rule=rule, got=cv, hint="" if near else "10 is usual", near=near)
    if not pairs:
        raise fault("cv", "make at least one split", pairs, "give pairs of training and test rows")
    rows = [_row_numbers(pair, n) for pair in pairs]
    if not any(len(test) for _, test in rows):
        raise fault("cv", "test at least one row", Phrase(counted(len(rows), "split")), "give training and test rows")
    for train, test in rows:
        learnt = np.unique(sample.codes[train])
        if len(test) and len(learnt) < 2:
            got = Phrase(
                f"only {listed([sample.classes.tolist()[code] for code in learnt])}" if len(learnt) else "none"
            )
            raise fault("cv", "train on at least two classes in every split", got, "use stratified folds")
    return rows


def _row_numbers(pair: Any, n: int) -> tuple[Rows, Rows]:
    try:
        train, test = map(np.asarray, pair)
    except (TypeError, ValueError):
        raise fault("cv", "make pairs of training and test rows", pair, "as a scikit-learn splitter does") from None
    # Masks are as common as row numbers; an empty part has no dtype to go by.
    train, test = (np.flatnonzero(part) if part.dtype == bool else part for part in (train, test))
    for part in (train, test):
        if part.ndim != 1 or (len(part) and part.dtype.kind not in "iu"):
            raise fault(
                "cv",
                "give row numbers",
                Phrase(f"values of type {part.dtype}"),
                "each split is a pair of arrays of whole numbers",
            )
    both = np.concatenate([train, test])
    if len(both) and (both.min() < 0 or both.max() >= n):
        raise fault("cv", f"give rows from 0 to {n - 1}", int(both.max()), "it seems to be made for another table")
    shared = np.intersect1d(train, test)
    if len(shared):
        hint = "scores on rows that a model was trained on are too optimistic"
        raise fault("cv", "keep the test rows out of the training rows", Phrase(f"row {shared[0]} in both"), hint)
    return train, test


def _check_groups_apart(sample: Sample, train: Rows, test: Rows) -> None:
    """Refuse a splitter that puts rows of one group on both sides."""
    if sample.groups is None:
        return
    shared = np.intersect1d(np.asarray(sample.groups)[train], np.asarray(sample.groups)[test])
    if len(shared):
        hint = "use a splitter that supports groups, such as GroupKFold, or a number"
        raise fault(
            "cv", "keep the rows of a group together", Phrase(f"{counted(len(shared), 'group')} on both sides"), hint
        )


def _check_rarest(sample: Sample, k: int) -> None:
    counts = np.bincount(sample.codes, minlength=len(sample.classes))
    rarest = int(counts.argmin())
    count, label = int(counts[rarest]), shown(sample.classes.tolist()[rarest])
    if count < 2:
        refuse_identifiers(len(counts), len(sample.codes))
        hint = "drop the class, or merge it with another"
        raise InputError(f"class {label} must have at least 2 rows for cross-validation, got {count}; {hint}")
    if count < k:
        few = f"class {label} has only {counted(count, 'row')}, too few for {k:,} folds; pass "
        # The folds may be the default, which the user never named; the class is what is wrong.
        raise InputError(few, Argument("cv", min(count, _USUAL_FOLDS)), ", or add rows of that class", argument="cv")


def _check_groups(sample: Sample, k: int) -> None:
    group_codes = np.asarray(sample.groups)
    groups = np.unique(group_codes)
    if len(groups) < k:
        hint = (
            Phrase("pass ", Argument("cv", min(len(groups), _USUAL_FOLDS)))
            if len(groups) > 1
            else "leave out the groups, or use a column with more values"
        )
        few = f"there {'are' if len(groups) > 1 else 'is'} only {counted(len(groups), 'group')}"
        raise InputError(f"{few}, too few for {k:,} folds; ", hint, argument="cv")
    for code, label in enumerate(sample.classes.tolist()):
        within = np.unique(group_codes[sample.codes == code])
        if len(within) < 2:
            hint = "otherwise a fold that tests it leaves none to train on"
            raise InputError(f"class {shown(label)} must occur in at least 2 groups, got {len(within)}; {hint}")


def _time_splits(sample: Sample, k: int, repeats: int) -> list[Split]:
    """Cut time into k + 1 blocks; each but the first is tested by a model of all blocks before it."""
    if repeats != 1:
        raise fault("repeats", "be 1 with time-ordered folds", repeats, "time can be split in only one way")
    if sample.groups is not None:
        both = Argument("groups"), " and ", Argument("time"), " cannot be used together; leave out "
        raise InputError(*both, Argument("groups"), argument="groups")
    blocks = _time_blocks(sample.time, k + 1)  # type: ignore[arg-type]
    splits = []
    for block in range(1, k + 1):
        train = np.flatnonzero(blocks < block)
        seen = np.unique(sample.codes[train])
        if len(seen) < 2:
            label = shown(sample.classes.tolist()[seen[0]])
            hint = "give fewer folds, so that the first block is longer"
            raise InputError(
                f"the first {counted(len(train), 'row')} in time must hold two classes, got only {label}; {hint}"
            )
        splits.append(Split(0, block - 1, train, np.flatnonzero(blocks == block)))
    return splits


def _time_blocks(moments: NDArray[Any], n_blocks: int) -> NDArray[np.int64]:
    """Cut into blocks of about the same size; rows of one moment stay together."""
    distinct, place, counts = np.unique(moments, return_inverse=True, return_counts=True)
    if len(distinct) < n_blocks:
        right = "check that it is the right column"
        hint = Phrase("pass ", Argument("cv", len(distinct) - 1)) if len(distinct) > 2 else right
        moments_text = counted(len(distinct), "different moment")
        few = f" has only {moments_text}, too few for {n_blocks - 1:,} folds, which need at least {n_blocks:,}; "
        raise InputError(Argument("time"), few, hint, argument="cv")
    until = np.cumsum(counts)
    starts = [0]
    for left in range(n_blocks - 1, 0, -1):
        done = until[starts[-1] - 1] if starts[-1] else 0
        target = done + (until[-1] - done) / (left + 1)
        # The end nearest to the target, with a moment left for this block and for each to come.
        end = int(np.abs(until - target).argmin()) + 1
        starts.append(min(max(end, starts[-1] + 1), len(distinct) - left))
    return np.searchsorted(starts, place, side="right").astype(np.int64) - 1
