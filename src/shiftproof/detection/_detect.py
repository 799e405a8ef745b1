"""The verb: compare two tables, their scores first, then every feature."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shiftproof.core import (
    Argument,
    InputError,
    Phrase,
    Seed,
    Table,
    as_table,
    check_fraction,
    fault,
    generator,
    listed,
    unknown_name,
)
from shiftproof.data import LEFT_OUT, feature_kinds, joint_kinds, read
from shiftproof.detection._baseline import hellinger_baseline
from shiftproof.detection._features import absent_row, feature_rows, judge
from shiftproof.detection._groups import associate
from shiftproof.detection._inputs import given_scores, panel_scores
from shiftproof.detection._result import Detection
from shiftproof.detection._scores import compare_scores
from shiftproof.shift import domain_check, kind_of_shift
from shiftproof.stats import Scale, compare_tables

if TYPE_CHECKING:
    from shiftproof.panel import Panel


def detect(
    reference: Any,
    current: Any,
    reference_scores: Any = None,
    current_scores: Any = None,
    *,
    reference_labels: Any = None,
    panel: Panel | None = None,
    alpha: float = 0.05,
    kinds: Mapping[Any, str] | None = None,
    exclude: Sequence[Any] | None = None,
    multivariate: bool = True,
    random_state: Seed = 0,
    n_jobs: int | None = None,
) -> Detection:
    """Say whether a classifier's world has changed, where, and of which kind the change is.

    Stage one compares the distributions of the models' scores (Kruskal-Wallis), where scores or a panel are given.
    Stage two compares every feature: numbers and dates by Kolmogorov-Smirnov, categories by chi-square, missing values
    (and infinities) on their own; a classifier that tries to tell new rows from old ones sees what no single feature
    shows. False discoveries are held at `alpha` in each stage. A change is *material* if it is significant and large:
    a KS or Hellinger distance of .1, a change of the missing share of .05. With labels of the reference rows, the kind
    of the shift is told as well.

    Parameters
    ----------
    reference, current : table of any library, 2-D array, dict of columns, list of dicts, or path of a file
        The rows a model was built or validated on, and the new ones. Neither is changed.
    reference_scores, current_scores : array-like of shape (n,) or (n, k), dict from model to such, or column name
        Probabilities from 0 to 1 of both tables' rows, by the same model, which must not have been trained on any of
        them: training rows have other scores, without any shift.
    reference_labels : sequence of labels, or column name, optional
        The labels of the reference rows, for the kind of the shift. A column of the tables is left out of the features.
    panel : Panel, optional
        Of `cross_fit` on the reference rows, in place of scores and labels.
    alpha : float, default 0.05
        The level of the false discovery rate.
    kinds : dict from column to kind, optional
        What you know better: "continuous", "nominal" or "date"; "text" and "identifier" are not tested.
    exclude : sequence of str, optional
        Columns to leave out, such as a time stamp, which moves by itself.
    multivariate : bool, default True
        Whether to train the classifier of old against new rows (on at most 2,000 of each).
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of everything that is drawn.
    n_jobs : int, optional
        Threads; by default one per core.

    Returns
    -------
    Detection
        With `to_frame()`, `summary()`, `plot()`, `plot_features()`, `plot_ks()` and `save("page.html")`.

    Raises
    ------
    InputError
        If a side has no rows, the tables share no column, a column changed its type, or scores do not fit the rows.

    Notes
    -----
    Nothing is dropped in silence: a column that the current table lost is a finding, one that is new or cannot be
    tested is named in `Detection.left_out`. With too few rows the verdict is "cannot say", with the smallest change
    that could have been seen. A change of P(y|x), concept shift, is invisible without labels of the new rows.

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
    500 reference rows against 500, 3 tests, false discoveries held at 5 % (Benjamini-Hochberg);
    concept shift, a change of P(y|x), stays invisible without labels.

    With scores, stage one is asked first:

    >>> old_scores, new_scores = (1 / (1 + np.exp(4 - table["age"] / 10)) for table in (old, new))
    >>> found = detect(old, new, old_scores, new_scores)
    >>> print(f"{found.p_value:.1e}")
    3.7e-18
    """
    alpha = check_fraction(alpha, "alpha")
    _check_panel(panel)
    old_source, new_source = _loaded(reference), _loaded(current)
    old, new = as_table(old_source, "reference"), as_table(new_source, "current")
    _require_rows(old, "reference")
    _require_rows(new, "current")
    left_out = _excluded(exclude, old, new)
    left_out |= dict.fromkeys([name for name in (reference_scores, current_scores) if isinstance(name, str)], "score")
    labels, label_column = _labels(reference_labels, panel, old)
    left_out |= {label_column: "label"} if label_column is not None else {}
    failures: dict[str, str] = {}
    if panel is None:
        pairs = given_scores(reference_scores, current_scores, old, new, labels)
    elif reference_scores is not None or current_scores is not None:
        raise fault("reference_scores", "be left out with a panel, which has scores", hint="pass one of the two")
    else:
        known = panel.features_of(old_source, "reference") if panel.feature_names else old_source
        panel.matches(known, called=("reference", "reference_labels"))
        pairs, failures = panel_scores(panel, old_source, new_source, new.n_rows, random_state)
    present = {*old.names, *new.names}
    decided = joint_kinds(old, new, kinds=kinds, exclude=[name for name in left_out if name in present])
    old, new = old.without(left_out), new.without(left_out)
    if not decided:
        raise _nothing_shared(old, new, left_out)
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
    tested = {name: decided[name] for name in scales}
    check = domain_check(old, new, tested, random_state=random_state) if multivariate else None
    judged, together = judge(rows, alpha, records, check)
    scores, score_records = compare_scores(pairs, alpha, failures)
    blamed = list(dict.fromkeys(row.feature for row in judged if row.feature in scales))
    kind, untold = None, "no labels of the reference rows were given"
    if labels is not None:
        shared = old.only(tested), labels, new.only(tested)
        try:
            kind = kind_of_shift(*shared, kinds=tested, random_state=random_state, n_jobs=n_jobs)
        except InputError:  # tables and labels were checked above
            untold = "no feature varies"
    rng = generator(random_state)
    return Detection(
        rows=tuple(judged),
        records=records,
        left_out=left_out,
        n_reference=old.n_rows,
        n_current=new.n_rows,
        alpha=alpha,
        scores=scores,
        score_records=score_records,
        multivariate=together,
        kind=kind,
        kind_reason="" if kind is not None else untold,
        baseline=hellinger_baseline(records.values(), rng),
        association=associate(old, tested, blamed, rng) if any(row.shifted for row in judged) else None,
    )


def _check_panel(panel: Any) -> None:
    if panel is not None and not hasattr(panel, "fold_probabilities"):
        raise fault("panel", "be a Panel", type(panel).__name__, "make one by cross_fit or Panel.from_scores")


def _loaded(source: Any) -> Any:
    return read(source) if isinstance(source, (str, os.PathLike)) else source


def _labels(given: Any, panel: Panel | None, old: Table) -> tuple[Any, str | None]:
    """Return the labels of the reference rows, if they are known, and the column that they came from."""
    column = given if isinstance(given, str) else None
    if column is not None:
        if column not in old.names:
            raise unknown_name("reference_labels", "name a column of the reference", column, old.names)
        given = old.column(column).cells()
    if given is not None:
        from shiftproof.panel import encode_labels

        n_labels = len(encode_labels(given, "reference_labels")[1])
        if n_labels != old.n_rows:
            got = Phrase(f"{n_labels:,} for {old.n_rows:,}")
            raise fault("reference_labels", "have one label per reference row", got, "align the two")
    if panel is None:
        return given, column
    panel.matches(y=given, called=("reference", "reference_labels"))
    return panel.classes_[panel.y], column


def _require_rows(table: Table, name: str) -> None:
    if not table.names:
        raise fault(name, "have at least one column", table.names, "pass the features as columns")
    if not table.n_rows:
        raise fault(name, "hold at least one row", table.n_rows, "check the filter or the file it came from")


def _excluded(exclude: Sequence[Any] | None, old: Table, new: Table) -> dict[str, str]:
    if isinstance(exclude, str):
        raise fault("exclude", "be a list of column names", exclude, Phrase("write ", Argument("exclude", [exclude])))
    names = [str(name) for name in exclude or ()]
    unknown = [name for name in names if name not in old.names and name not in new.names]
    if unknown:
        raise unknown_name("exclude", "name columns of the tables", unknown[0], old.names)
    return dict.fromkeys(names, "excluded")


def _nothing_shared(old: Table, new: Table, left_out: Mapping[str, str]) -> InputError:
    if left_out and not old.names:
        return fault("exclude", "leave at least one column", Phrase(listed(left_out)), "leave fewer out")
    got = Phrase(f"{listed(old.names, most=3)} against {listed(new.names, most=3)}")
    return fault("reference and current", "share at least one column", got, "check the headers of both")
