"""The shared-score engine: one cross-fit per classifier and data set serves every quantifier and sample."""

from __future__ import annotations

import numbers
from collections import ChainMap
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Codes,
    Failure,
    Floats,
    InputError,
    MethodCaution,
    Phrase,
    Seed,
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    check_label,
    check_row_order,
    fault,
    generator,
    unknown_name,
    warn,
)
from shiftproof.counting import Samples
from shiftproof.counting._samples import Places
from shiftproof.data import ColumnTypes
from shiftproof.panel import (
    as_features,
    check_lengths,
    encode_known,
    encode_labels,
    fold_pairs,
    named_entries,
    run_all,
    take,
)
from shiftproof.quantification._protocols import PROTOCOLS, Drawn, SampleProtocol
from shiftproof.quantification._quantifier import Quantifier, check_quantifier, naming
from shiftproof.quantification._scored import ProtocolRows, Scored, check_folds, fewer_folds

if TYPE_CHECKING:
    import pandas as pd


def run_protocol(
    quantifiers: object,
    X: object,
    y: object = None,
    protocol: SampleProtocol | str = "thesis",
    *,
    cv: object = 10,
    test: object = None,
    nested: bool = False,
    pos_label: object = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Test quantifiers on samples with known prevalences.

    Quantifiers with the same classifier share its scores: the classifier is fitted once per fold, whatever the number
    of quantifiers. Each quantifier estimates all samples at once. Nearest-neighbour quantifiers share the search for
    neighbours.

    Parameters
    ----------
    quantifiers : dict of str to Quantifier, list of Quantifiers, or Quantifier
        The quantifiers to test; they are not changed. Their classifiers and options are used, but folds and seeds are
        those given here. Nearest-neighbour quantifiers look for the neighbours of a fold's rows in the other folds.
        They also choose k and estimate rates on the other folds; folds for this follow the quantifier's own settings.
    X : table, or dict of str to pairs (X, y)
        The features of labelled rows; or several data sets by name, which are tested in parallel.
    y : sequence of labels
        The classes, if X is one data set.
    protocol : SampleProtocol, or "thesis", "artificial", "simplex" or "natural"
        Which samples are drawn: `ThesisProtocol`, `ArtificialPrevalence`, `UniformSimplex`, `NaturalPrevalence`.
    cv : int or splitter
        Folds, as for `cross_fit`; fewer if the rarest class has fewer rows.
    test : None, float, or pair (X, y)
        Where samples come from. By default, from each fold in turn: samples are drawn from its rows, scored by the
        model that never saw them, and the quantifier learns from the scores of the other folds' rows. With a number,
        this share of the rows is held out (stratified by class), and samples come from it. With a pair, samples come
        from these rows. In both cases, folds are used for learning only.
    nested : bool
        Whether to cross-fit again within the training rows of each fold, as the thesis did, instead of using the scores
        of the other folds' rows: k (k + 1) fits instead of k. Not available with `test`.
    pos_label : label, optional
        With two classes, the class to report; by default the second in sorted order.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and samples.
    n_jobs : int, optional
        Number of data sets to test in parallel, or of fits if there is only one data set.
    progress : bool, optional
        Whether to show a progress bar on standard error; by default only on a terminal, and after a second.

    Returns
    -------
    DataFrame
        One row per data set, fold, sample, method and class (with two classes, only the positive one): ``dataset``,
        ``fold``, ``prevalence`` (as requested), ``method``, ``true`` (the actual share in the sample), ``estimated``,
        then ``label``, ``sample`` (its number in the fold) and ``size``.

    Notes
    -----
    Without `test` and `nested`, quantifiers learn from scores of the other folds' rows. The models that made these
    scores were also fitted on the tested fold's rows and labels. This does not make any method look better: on seven
    data sets of the thesis, mean absolute errors were 3 to 8% larger than with `nested`, for all methods alike.

    Examples
    --------
    >>> from shiftproof.quantification import AdjustedCount, ClassifyAndCount
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["no", "yes"], [500, 300])
    >>> X = rng.normal(size=(800, 2)) + (y == "yes")[:, None]
    >>> frame = run_protocol([ClassifyAndCount(), AdjustedCount()], X, y, cv=5)
    >>> error = (frame["estimated"] - frame["true"]).abs()
    >>> error.groupby(frame["method"]).mean().round(3)
    method
    AdjustedCount       0.061
    ClassifyAndCount    0.142
    dtype: float64
    """
    import pandas as pd

    if check_flag(nested, "nested") and test is not None:
        raise fault("nested", "be left out with test, which is held out already", nested, "leave out one of the two")
    # cv='prefit' would test models on rows that they may have seen.
    check_folds(cv, "every classifier is refitted")
    plan = _TestPlan(_named(quantifiers), _known(protocol), cv, test, nested, pos_label)
    sets = _data_sets(X, y, test)
    # A seed per data set, so that results do not depend on the order in which they finish.
    seeds = generator(random_state).integers(2**31 - 1, size=len(sets)).tolist()
    if len(sets) == 1:
        return _run_one(plan, sets[0], seeds[0], n_jobs, progress)
    tasks = [(plan, data, seed, None, False) for data, seed in zip(sets, seeds, strict=True)]
    frames = run_all(_run_one, tasks, n_jobs=n_jobs, progress=progress, doing="testing on data sets")
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined


@dataclass(frozen=True, eq=False)
class _TestPlan:
    """What to test, and how."""

    quantifiers: Mapping[str, Quantifier]
    protocol: SampleProtocol
    cv: Any
    test: Any
    nested: bool
    pos_label: Any

    def groups(self) -> list[tuple[Quantifier, dict[str, Quantifier]]]:
        """Give the quantifiers that share scores, group by group, with the one that scores for all of a group."""
        # Scoring is what takes time; methods that share scores are nearly free.
        groups: dict[Hashable, dict[str, Quantifier]] = {}
        for name, quantifier in self.quantifiers.items():
            groups.setdefault(quantifier.share_key(), {})[name] = quantifier
        return [(next(iter(members.values())), members) for members in groups.values()]


#: One fold: the classes of the rows to sample from, and for each quantifier what to learn from and its scores of them.
_Trial = tuple[Codes, Mapping[str, Scored]]


def _run_one(
    plan: _TestPlan, data: tuple[str, Any, Any], seed: int, n_jobs: int | None, progress: bool | None
) -> pd.DataFrame:
    """Test all quantifiers on one data set."""
    import pandas as pd

    name, X, y = data
    # With many data sets the reader must know which one a warning or an error is about.
    prefix = f"data set {name!r}: " if name else ""
    try:
        features = as_features(X)
        classes, codes = encode_labels(y)
        check_lengths(features.n_rows, "label", "y", len(codes))
        check_row_order(X, y, "y")
        reported = _reported(classes, plan.pos_label)
        how: dict[str, Any] = {"cv": plan.cv, "seed": seed, "n_jobs": n_jobs, "progress": progress}
        trials = _trials(plan, ProtocolRows(X=features.data, codes=codes, classes=classes, **how), prefix)
        # One generator for all folds; every quantifier sees the same samples.
        rng = np.random.default_rng(seed)
        frames = []
        for fold, (pool, scores) in enumerate(trials):
            drawn = _checked_draw(plan.protocol, pool, len(classes), rng)
            estimates = {}
            for method, quantifier in plan.quantifiers.items():
                labelled, new = scores[method]
                with naming(method):
                    samples = Samples(new, drawn.rows, drawn.offsets)
                    estimates[method] = quantifier.method.learn(labelled).estimate(samples)
            columns = _columns(pool, drawn, estimates, classes, reported)
            frames.append(pd.DataFrame({"dataset": name, "fold": fold, **columns}))
    except InputError as error:
        if not name:
            raise
        raise InputError(prefix, error.clause, near=error.near) from error
    joined: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return joined


def _trials(plan: _TestPlan, rows: ProtocolRows, prefix: str) -> list[_Trial]:
    """Score every row by what never saw it, and lay out the folds."""
    if plan.test is None and not plan.nested:
        return _within(plan, _with_folds(rows, prefix))
    trials: list[_Trial] = []
    for train, pool_X, pool in _held_out(plan, rows, prefix):
        # The folds of what is left to learn from, which may have fewer rows of the rarest class.
        learnt = _with_folds(train, prefix)
        scores: dict[str, Scored] = {}
        for scorer, members in plan.groups():
            scores |= scorer.score_apart(members, learnt, pool_X)
        trials.append((pool, scores))
    return trials


def _checked_draw(protocol: SampleProtocol, pool: Codes, n_classes: int, rng: np.random.Generator) -> Drawn:
    """Draw samples, and refuse those of a protocol of one's own that do not fit the classes."""
    name = f"{type(protocol).__name__}.draw"
    with naming(name):
        drawn = protocol.draw(pool, n_classes, rng)
    if not isinstance(drawn, Drawn) or drawn.wanted.shape != (len(drawn.offsets) - 1, n_classes):
        got = Phrase(f"shape {drawn.wanted.shape}") if isinstance(drawn, Drawn) else drawn
        raise fault(name, f"give the prevalences of {n_classes} classes for every sample", got, "see ThesisProtocol")
    return drawn


def _with_folds(rows: ProtocolRows, prefix: str) -> ProtocolRows:
    """Make fewer folds where the rarest class has fewer rows, with a warning."""
    cv, notes = fewer_folds(rows.labels, rows.cv)
    for words in notes:
        warn(MethodCaution("", Phrase(prefix, words)))
    return replace(rows, cv=cv)


def _within(plan: _TestPlan, rows: ProtocolRows) -> list[_Trial]:
    """Let every fold be tested by what the others teach."""
    pairs = fold_pairs(rows.X, rows.labels, cv=rows.cv, random_state=rows.seed)
    folds = np.full(len(rows.codes), -1, dtype=np.intp)
    for number, (_, tested) in enumerate(pairs):
        # A splitter that repeats itself tests a row again; its first fold counts.
        folds[tested] = np.where(folds[tested] < 0, number, folds[tested])
    # A time-ordered splitter never tests its first rows.
    used = np.unique(folds[folds >= 0])
    if len(used) < 2:
        raise fault("cv", "make at least two folds, each tested in turn", len(used), "give test=0.5 to hold rows out")
    rows = replace(rows, cv=pairs)
    by_group = [scorer.score_in_turn(members, rows, folds) for scorer, members in plan.groups()]
    return [(rows.codes[folds == fold], dict(ChainMap(*scores))) for fold, *scores in zip(used, *by_group, strict=True)]


def _held_out(plan: _TestPlan, rows: ProtocolRows, prefix: str) -> Iterator[tuple[ProtocolRows, Any, Codes]]:
    """Give, fold by fold, the rows to learn from, and the features and classes of those to sample."""
    test: Any = plan.test
    if plan.nested:
        check_count(rows.cv, "cv", least=2, hint="nested folds need a whole number")
        folds = _with_folds(rows, prefix).cv
        pairs = fold_pairs(np.zeros((len(rows.codes), 1)), rows.labels, cv=folds, random_state=rows.seed)
    elif isinstance(test, numbers.Real):
        pairs = [_share_held_out(rows, check_fraction(float(test), "test", hint="0.5 holds out half"))]
    elif isinstance(test, (tuple, list)) and len(test) == 2:
        pool = encode_known(test[1], rows.classes, "the y of test")
        check_lengths(as_features(test[0], "the X of test").n_rows, "label", "the y of test", len(pool))
        check_row_order(test[0], test[1], "test[1]", of="test[0]")
        ColumnTypes.of(rows.X).check(test[0])
        yield rows, test[0], pool
        return
    else:
        raise fault("test", "be a share of the rows, or a pair (X, y)", test, "0.5 holds out half")
    for train, rest in pairs:
        yield rows.take(train), take(rows.X, rest), rows.codes[rest]


def _share_held_out(rows: ProtocolRows, share: float) -> tuple[Places, Places]:
    """Split the rows, stratified by class, into those to learn from and a share to sample."""
    from sklearn.model_selection import train_test_split

    try:
        train, rest = train_test_split(
            np.arange(len(rows.codes)), test_size=share, stratify=rows.codes, random_state=rows.seed
        )
    except ValueError as error:
        rule = Phrase("leave rows of every class on both sides: ", Failure.of(error).detail)
        raise fault("test", rule) from None
    return train, rest


def _columns(
    pool: Codes, drawn: Drawn, estimates: dict[str, Floats], classes: NDArray[Any], reported: list[int]
) -> dict[str, NDArray[Any]]:
    """Lay out the estimates of one fold: method by method, sample by sample, class by class."""
    n, k, methods = len(drawn.wanted), len(reported), len(estimates)
    # The actual share of the rows; the requested one may differ by rounding.
    true = drawn.prevalences(pool)[:, reported].ravel()
    return {
        "prevalence": np.tile(drawn.wanted[:, reported].ravel(), methods),
        "method": np.repeat(list(estimates), n * k),
        "true": np.tile(true, methods),
        "estimated": np.concatenate([shares[:, reported].ravel() for shares in estimates.values()]),
        "label": np.tile(classes[reported], n * methods),
        "sample": np.tile(np.repeat(np.arange(n), k), methods),
        "size": np.tile(np.repeat(np.diff(drawn.offsets), k), methods),
    }


def _reported(classes: NDArray[Any], pos_label: object) -> list[int]:
    """Give the classes that have rows in the frame: all, or of two the positive one."""
    labels = classes.tolist()
    if pos_label is None:
        return [1] if len(labels) == 2 else list(range(len(labels)))
    if len(labels) > 2:
        raise fault("pos_label", f"be left out for {len(labels)} classes", pos_label, "all of them are reported")
    return [check_label(pos_label, labels)]


def _named(quantifiers: object) -> dict[str, Quantifier]:
    named = named_entries(quantifiers, "quantifiers")
    if not named:
        raise fault("quantifiers", "hold at least one quantifier", quantifiers, "such as Combined()")
    return {name: check_quantifier(value, f"quantifiers[{name!r}]") for name, value in named.items()}


def _known(protocol: SampleProtocol | str) -> SampleProtocol:
    if isinstance(protocol, str):
        return PROTOCOLS[check_choice(protocol, "protocol", list(PROTOCOLS))]
    rule = "be a protocol or the name of one"
    if isinstance(protocol, type):
        raise fault("protocol", rule, protocol, f"write {protocol.__name__}()")
    if not hasattr(protocol, "draw"):
        raise unknown_name("protocol", rule, protocol, list(PROTOCOLS))
    return protocol


def _data_sets(X: Any, y: object, test: object) -> list[tuple[str, Any, Any]]:
    """Give the name, the features and the labels of each data set; a single one has no name."""
    if y is not None:
        return [("", X, y)]
    pairs = isinstance(X, Mapping) and all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in X.values())
    if not pairs or not X:
        raise fault("y", "be given with X", hint="or give X as a dict of names to pairs (X, y)")
    if len(X) > 1 and test is not None and not isinstance(test, numbers.Real):
        raise fault("test", "be a share if there are several data sets", test, "0.5 holds out half")
    return [(name, *pair) for name, pair in named_entries(X, "X").items()]
