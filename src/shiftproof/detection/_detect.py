"""The verb: compare two tables, feature by feature."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from shiftproof.core import InputError, Table, as_table, check_fraction, fault, listed
from shiftproof.data import LEFT_OUT, feature_kinds, joint_kinds, read
from shiftproof.detection._detection import Detection
from shiftproof.detection._features import absent_row, feature_rows, judge
from shiftproof.stats import Scale, compare_tables


def detect(
    reference: Any,
    current: Any,
    *,
    alpha: float = 0.05,
    kinds: Mapping[Any, str] | None = None,
    exclude: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> Detection:
    """Say which features changed between two tables, by how much, and whether it is worth a look.

    Numbers and dates are compared by Kolmogorov-Smirnov, categories by chi-square, missing values (and infinities)
    on their own; false discoveries are held at `alpha` over all tests. A change is *material* if it is significant
    and large: a KS or Hellinger distance of .1, a change of the missing share of .05.

    Parameters
    ----------
    reference, current : table of any library, 2-D array, dict of columns, list of dicts, or path of a file
        The rows a model was built or validated on, and the new ones. Neither is changed.
    alpha : float, default 0.05
        The level of the false discovery rate.
    kinds : dict from column to kind, optional
        What you know better: "continuous", "nominal" or "date"; "text" and "identifier" are not tested.
    exclude : sequence of str, optional
        Columns to leave out, such as a time stamp, which moves by itself.
    n_jobs : int, optional
        Threads; by default one per core.

    Returns
    -------
    Detection
        With `to_frame()`, `summary()`, `plot()`, `plot_features()` and `save("page.html")`.

    Raises
    ------
    InputError
        If a side has no rows, the tables share no column, or a column changed its type.

    Notes
    -----
    Nothing is dropped in silence: a column that the current table lost is a finding, one that is new or cannot be
    tested is named in `Detection.left_out`. With too few rows the verdict is "cannot say", with the smallest change
    that could have been seen.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> old = {"age": rng.normal(40, 10, 500), "job": rng.choice(["a", "b"], 500)}
    >>> new = {"age": rng.normal(46, 10, 500), "job": rng.choice(["a", "b"], 500)}
    >>> found = detect(old, new)
    >>> found.verdict, found.features
    ('shifted', ('age',))
    >>> print(found.summary())
    1 of 2 features shifted by enough to matter; 'age' changed most (KS distance 0.25).
    500 reference rows against 500, 2 tests, false discoveries held at 5 % (Benjamini-Hochberg).
    """
    alpha = check_fraction(alpha, "alpha")
    old, new = _table(reference, "reference"), _table(current, "current")
    _require_rows(old, "reference")
    _require_rows(new, "current")
    left_out = _excluded(exclude, old, new)
    decided = joint_kinds(old, new, kinds=kinds, exclude=list(left_out))
    old, new = old.without(left_out), new.without(left_out)
    if not decided:
        raise InputError(_nothing_shared(old, new, left_out))
    left_out |= {name: kind for name, kind in decided.items() if kind in LEFT_OUT}
    left_out |= {name: "absent from the reference" for name in new.names if name not in old.names}
    scales: dict[str, Scale] = {
        name: "nominal" if kind == "nominal" else "continuous" for name, kind in decided.items() if name not in left_out
    }
    records = compare_tables(old.only(scales), new, scales=scales, n_jobs=n_jobs)
    rows = [row for name, record in records.items() for row in feature_rows(name, decided[name], record)]
    lost = old.without(new.names)
    theirs = {name: kind for name, kind in (kinds or {}).items() if str(name) in lost.names}
    rows += [absent_row(name, kind, new.n_rows) for name, kind in feature_kinds(lost, kinds=theirs, warn=False).items()]
    return Detection(
        rows=tuple(judge(rows, alpha, records)),
        records=records,
        left_out=left_out,
        n_reference=old.n_rows,
        n_current=new.n_rows,
        alpha=alpha,
    )


def _table(source: Any, name: str) -> Table:
    return as_table(read(source) if isinstance(source, (str, os.PathLike)) else source, name)


def _require_rows(table: Table, name: str) -> None:
    if not table.names:
        raise fault(name, "have at least one column", table.names, "pass the features as columns")
    if not table.n_rows:
        raise fault(name, "hold at least one row", table.n_rows, "check the filter or the file it came from")


def _excluded(exclude: Sequence[Any] | None, old: Table, new: Table) -> dict[str, str]:
    if isinstance(exclude, str):
        raise fault("exclude", "be a list of column names", exclude, f"write exclude=[{exclude!r}]")
    names = [str(name) for name in exclude or ()]
    unknown = [name for name in names if name not in old.names and name not in new.names]
    if unknown:
        raise fault("exclude", "name columns of the tables", unknown[0], f"there is {listed(old.names, most=8)}")
    return dict.fromkeys(names, "excluded")


def _nothing_shared(old: Table, new: Table, left_out: Mapping[str, str]) -> str:
    if left_out and not old.names:
        return f"exclude must leave at least one column, got {listed(left_out)}; leave fewer out."
    return (
        f"reference and current must share at least one column, got {listed(old.names, most=3)} against "
        f"{listed(new.names, most=3)}; check the headers of both."
    )
