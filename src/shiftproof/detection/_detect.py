"""The verb: compare two tables, their scores first, then every feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.case import Case, in_one_thread
from shiftproof.core import Note, SameTables, Seed, check_flag, check_fraction, generator, suggests_arguments, warn
from shiftproof.detection._baseline import hellinger_baseline
from shiftproof.detection._features import FeatureShift, absent_row, feature_rows, judge
from shiftproof.detection._groups import Association, associate
from shiftproof.detection._inputs import Inputs, Sources
from shiftproof.detection._links import Links
from shiftproof.detection._result import Detection
from shiftproof.detection._scores import compare_scores
from shiftproof.detection._suspicions import suspicions
from shiftproof.stats import Record

if TYPE_CHECKING:
    from shiftproof.panel import Panel


@suggests_arguments
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
    """Detect whether the data of a classifier have changed, in which features, and what type of shift it is.

    Stage one compares the distributions of the models' scores (Kruskal-Wallis), where scores or a panel are given.
    Stage two compares every feature: numbers and dates with Kolmogorov-Smirnov, categories with chi-square, missing
    values (and infinities) separately; a classifier that tries to tell new rows from reference rows detects changes
    that no single feature shows. The false discovery rate is `alpha` in each stage. A change is *material* if it is
    significant and large: a KS or Hellinger distance of 0.1, a change of the missing share of 0.05. With labels of the
    reference rows, the type of shift is determined as well.

    Parameters
    ----------
    reference, current : table of any library, 2-D array, dict of columns, list of dicts, or path of a file
        The rows a model was built or validated on, and the new rows. Neither table is changed. Tables that are not in
        memory, such as folders of Parquet files and queries of polars, DuckDB, Ibis or Spark, stay where they are.
    reference_scores, current_scores : array-like of shape (n,) or (n, k), dict from model to such, or column name
        Probabilities from 0 to 1 of both tables' rows, by the same model, which must not have been trained on any of
        them: scores on training rows differ even without a shift.
    reference_labels : sequence of labels, or column name, optional
        The labels of the reference rows, for the type of shift. A column that is named here is not used as a feature.
    panel : Panel, optional
        A panel from `cross_fit` on the reference rows, instead of scores and labels.
    alpha : float, default 0.05
        The level of the false discovery rate.
    kinds : dict from column to kind, optional
        Kinds to override: "continuous", "nominal" or "date"; columns of kind "text" and "identifier" are not tested.
    exclude : sequence of str, optional
        Columns to leave out, such as a time stamp, which always changes.
    multivariate : bool, default True
        Whether to train the classifier that tries to tell new rows from reference rows (on at most 2,000 of each).
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of all samples, folds and trees.
    n_jobs : int, optional
        Number of threads; by default one per core.

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
    A column that is missing from the current table counts as a change; a column that is new or cannot be tested is in
    `Detection.left_out`. Columns that look swapped, in another unit or coded differently are in `Detection.suspicions`.
    With too few rows the verdict is "cannot tell", with the smallest change that could have been detected. Only labels
    of the new rows can show concept shift, a change of P(y|x).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> old = {"age": rng.normal(40, 10, 500), "job": rng.choice(["a", "b"], 500)}
    >>> new = {"age": rng.normal(46, 10, 500), "job": rng.choice(["a", "b"], 500)}
    >>> result = detect(old, new)
    >>> result.verdict, result.features
    ('shifted', ('age',))
    >>> print(result.summary())
    1 of 2 features shifted enough to matter; 'age' changed most (KS distance 0.25).
    500 reference rows, 500 new rows, 3 tests, false discovery rate 5% (Benjamini-Hochberg).
    If the link between features and label changed (concept shift), only labels can show it.

    With scores, stage one compares their distributions first:

    >>> old_scores, new_scores = (1 / (1 + np.exp(4 - table["age"] / 10)) for table in (old, new))
    >>> result = detect(old, new, old_scores, new_scores)
    >>> print(f"{result.p_value:.1e}")
    3.7e-18
    """
    alpha = check_fraction(alpha, "alpha")
    check_flag(multivariate, "multivariate")
    sources = Sources(
        reference=reference,
        current=current,
        reference_scores=reference_scores,
        current_scores=current_scores,
        labels=reference_labels,
        panel=panel,
        kinds=kinds,
        exclude=exclude,
    )
    inputs = Inputs.of(sources, random_state=random_state, n_jobs=n_jobs)
    # With scores of its own for the same rows, a second model is compared with the first.
    if reference_scores is None and inputs.case.tables.same_rows:
        warn(SameTables())
    return _detect(inputs, alpha=alpha, multivariate=multivariate)


@in_one_thread
def detect_case(case: Case, *, alpha: float) -> Detection:
    """Compare the tables of a case."""
    return _detect(Inputs.of_case(case), alpha=check_fraction(alpha, "alpha"), multivariate=True)


def _detect(inputs: Inputs, *, alpha: float, multivariate: bool) -> Detection:
    case = inputs.case
    records = case.tables.records
    # The forest takes part in the correction for many tests, so it must have run before anything is judged.
    rows, together = judge(_untested_rows(inputs, records), alpha, records, case.domain if multivariate else None)
    scores, score_records = compare_scores(inputs.pairs, alpha, inputs.failures)
    shift = case.feature_shift
    # One generator for both simulations: the second goes on where the first stopped.
    rng = generator(case.seed)
    return Detection(
        rows=tuple(rows),
        records=records,
        left_out=inputs.left_out,
        n_reference=inputs.case.tables.all_rows[0].n_rows,
        n_current=inputs.case.tables.all_rows[1].n_rows,
        alpha=alpha,
        scores=scores,
        score_records=score_records,
        multivariate=together,
        kind=None if isinstance(shift, Note) else shift,
        # Why there is no type of shift, which a page says in its place.
        kind_reason=shift.shown_detail if isinstance(shift, Note) else "",
        baseline=hellinger_baseline(records.values(), rng),
        association=_association(inputs, rows, rng),
        suspicions=suspicions(records, _links(inputs, records)),
    )


def _links(inputs: Inputs, records: Mapping[str, Record]) -> Callable[[], Links]:
    # A generator of its own: what it draws must not change the simulations.
    return cache(lambda: Links(inputs.old, inputs.new, records, generator(inputs.case.seed)))


def _untested_rows(inputs: Inputs, records: Mapping[str, Record]) -> list[FeatureShift]:
    """List the rows of stage two: all tests of the compared columns, then the lost columns."""
    rows = [row for name, record in records.items() for row in feature_rows(name, inputs.kinds[name], record)]
    return rows + [absent_row(name, kind, inputs.old.column(name)) for name, kind in inputs.absent.items()]


def _association(inputs: Inputs, rows: Sequence[FeatureShift], rng: np.random.Generator) -> Association | None:
    """Return which features fail together, the most to blame first; None where no feature shifted."""
    # Without a shift nothing has to be explained, and the experiments would cost more than the tests.
    if not any(row.shifted for row in rows):
        return None
    # Lost columns have no values to shift in an experiment.
    blamed = list(dict.fromkeys(row.feature for row in rows if row.feature in inputs.kinds))
    return associate(inputs.old, inputs.kinds, blamed, rng)
