"""Quantifiers by nearest neighbours: votes, counted and adjusted."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from shiftproof.core import (
    Codes,
    Floats,
    Seed,
    check_choice,
    check_count,
    check_flag,
    fault,
    is_number,
    seed_number,
    shown,
)
from shiftproof.counting import METHODS, Labelled, Method, RowScores
from shiftproof.counting._samples import Places
from shiftproof.panel import check_lengths, encode_labels, fold_pairs
from shiftproof.quantification._quantifier import Quantifier
from shiftproof.quantification._scored import ProtocolRows, Scored, check_folds, fewer_folds
from shiftproof.quantification.neighbors._search import Points, Search
from shiftproof.quantification.neighbors._votes import (
    CRITERIA,
    Alpha,
    Criterion,
    Poll,
    best,
    class_weights,
    vote_shares,
    voted,
)

# Sec. 5.2.4.
KS, ALPHAS = (1, 3, 5, 7, 11, 15, 25, 35, 45), (1, 2, 3, 4, 5)
# Enas and Choi (1986), by sec. 5.1.1: powers of the number of labelled rows.
POWERS = {"n^(2/8)": 2 / 8, "n^(3/8)": 3 / 8}


@dataclass(eq=False, repr=False)
class NearestNeighbors(Quantifier):
    r"""Count the votes of the k nearest labelled rows, and correct the count for their error rates (KNN).

    The distance is Euclidean; of rows at the same distance, the first ones count as nearer. A tied vote goes to the
    first of the tied classes: with two classes, to the negative one. The count is adjusted by eq. 3.1,
    :math:`p'' = (p' - fpr)/(tpr - fpr)`, as in `AdjustedCount`.

    Parameters
    ----------
    k : int, sequence of int, "tune", "n^(2/8)" or "n^(3/8)"
        The number of neighbours that vote. If several are given, the one with the highest G-mean (the geometric mean of
        the classes' recalls) is used; if tied, the smallest. "tune" means 1, 3, 5, 7, 11, 15, 25, 35 and 45, up to the
        number of rows. "n^(2/8)" and "n^(3/8)" are rules of thumb for n labelled rows (Enas and Choi 1986), rounded.
    rates : {"loo", "cv"}
        How tpr and fpr are estimated: by leaving out one row at a time, or by folds, as in the thesis.
    tuning : {"loo", "2x5"}
        How k is chosen: by leaving out one row at a time, or by five folds, repeated twice, as in the thesis.
    criterion : {"g-mean", "max", "x", "t50"}
        What k is chosen by: the G-mean, as in the thesis, or for two classes a rule for thresholds: the largest tpr -
        fpr (as `ThresholdMax`), the smallest gap between fpr and 1 - tpr (`ThresholdX`), or tpr nearest to 1/2
        (`Threshold50`).
    similarity : bool
        Whether a neighbour's vote is weighted by its similarity 1/(1 + d/D), d being its distance and D that of the
        farthest of the k (eq. 5.2; the thesis leaves it out).
    scale : bool
        Whether to prepare the rows with `TablePreparer`, which accepts any table and scales numbers to mean 0 and
        standard deviation 1. Otherwise numbers are used as they are, as in the thesis. Rows are prepared once, all
        together, without using labels.
    cv : int or splitter
        The folds for ``rates="cv"``; fewer if the rarest class has fewer rows.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and intervals.
    n_jobs : int, optional
        Number of threads that look for neighbours; it does not affect the results.

    Attributes
    ----------
    k_ : int
        The number of neighbours that vote.
    classes_, labelled_, learned_, prevalence_, notes_
        As for every `Quantifier`; the scores are each class's share of the votes.

    Notes
    -----
    Neighbours are searched for only once: the same list serves every k, leaving out single rows, and leaving out folds.
    A note says if k is above the size of the smallest class (Hand and Vinciotti 2003).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["no", "yes"], [300, 100])
    >>> X = rng.normal(size=(400, 2)) + 1.5 * (y == "yes")[:, None]
    >>> y_new = np.repeat(["no", "yes"], [50, 150])
    >>> X_new = rng.normal(size=(200, 2)) + 1.5 * (y_new == "yes")[:, None]
    >>> quantifier = NearestNeighbors().fit(X, y)
    >>> quantifier.k_
    11
    >>> quantifier.predict(X_new).round(2)
    array([0.28, 0.72])
    """

    _method: ClassVar[str] = "nearest neighbors"
    k: int | Sequence[int] | str = "tune"
    _: KW_ONLY
    rates: Literal["loo", "cv"] = "loo"
    tuning: Literal["loo", "2x5"] = "loo"
    criterion: Criterion = "g-mean"
    similarity: bool = False
    scale: bool = True
    cv: Any = 10
    random_state: Seed = 0
    n_jobs: int | None = None

    @property
    def method(self) -> Method:
        """The adjusted count, applied to the classes that win the votes."""
        rates = check_choice(self.rates, "rates", ["loo", "cv"])
        adjusted = METHODS["adjusted count"].having(rates="pooled" if rates == "loo" else "folds")
        return replace(adjusted, name=self._method)

    def share_key(self) -> Hashable:
        """Return how rows are prepared; quantifiers that prepare rows in the same way share one search."""
        return "neighbors", bool(self.scale)

    def score_labelled(self, X: object, y: object) -> Labelled:
        """Find the neighbours of every labelled row among the others, and let them vote."""
        self._require_labels(y)
        self._check_columns(X, first=True)
        self._points = Points(X, scale=self.scale)
        classes, codes = encode_labels(y)
        check_lengths(len(self._points.rows), "label", "y", len(codes))
        self.classes_ = classes
        search = Search(self._points.rows, self.n_jobs)
        labelled = self._learn(search, classes, codes)
        # Candidates of labelled rows are large, and new rows need none of them.
        search.forget()
        return labelled

    def score_apart(self, members: Mapping[str, Quantifier], rows: ProtocolRows, X_new: object) -> dict[str, Scored]:
        """Search for neighbours once for all members, with their largest k."""
        points = Points(rows.X, scale=self.scale)
        search = Search(points.rows, rows.n_jobs)
        copies = {
            name: cast(NearestNeighbors, member.copied(random_state=rows.seed)) for name, member in members.items()
        }
        labelled = {name: copy._learn(search, rows.classes, rows.codes) for name, copy in copies.items()}
        # The nearest k are the first of more, so that one search serves all members.
        queries = points(X_new)
        nearest = search.of(queries, max(copy.k_ for copy in copies.values()))
        return {name: (labelled[name], copy._votes(queries, nearest)) for name, copy in copies.items()}

    def _learn(self, search: Search, classes: NDArray[Any], codes: Codes) -> Labelled:
        """Choose k and weights, and give the votes on labelled rows by others."""
        notes: list[str] = []
        names = [shown(label) for label in classes.tolist()]
        _check_rarest(codes, names)
        ks, alphas = _known_ks(self.k, len(codes)), self._alphas()
        polls, folds = self._rate_polls(classes, codes, notes)
        trials = self._tuning_polls(classes, codes, notes) if len(ks) * len(alphas) > 1 else []
        most = min(poll.most for poll in (*polls, *trials))
        # A k of one's own is refused; the usual ones are cut to what there is.
        if max(ks) > most and not isinstance(self.k, str):
            raise fault("k", f"be at most {most}, the number of rows left to vote", max(ks), "give fewer, or more rows")
        ks = [number for number in ks if number <= most]
        # One search at the largest k; smaller ones are its beginnings.
        search.widen(max(poll.reach(max(ks)) for poll in (*polls, *trials)))
        similarity = check_flag(self.similarity, "similarity")
        check_choice(self.criterion, "criterion", list(CRITERIA))
        if len(names) > 2 and self.criterion != "g-mean":
            raise fault("criterion", f"be 'g-mean' for {len(names)} classes", self.criterion, "the others are for two")
        self.k_, self._alpha = ks[0], alphas[0]
        if trials:
            chosen = best(search, codes, trials, ks, alphas, similarity=similarity, criterion=self.criterion)
            self.k_, self._alpha = chosen
        self._search, self._codes = search, codes
        counts = np.bincount(codes)
        # Hand and Vinciotti (2003): more neighbours than the rarest class has rows outvote it.
        if self.k_ > counts.min():
            rarest = f"the {counts.min()} rows of class {names[counts.argmin()]}"
            alike = self._alpha == math.inf
            why = ", which can hardly win a vote" if alike else "; fewer neighbours are usually advised"
            notes.append(f"k is {self.k_}, above {rarest}{why}")
        votes = np.zeros((len(codes), len(names)))
        for poll in polls:
            votes[poll.rows] = poll.shares(search, codes, self.k_, self._alpha, similarity=similarity)
        # Rows that no fold tested have no votes.
        tested = folds >= 0
        return Labelled(voted(votes[tested]), codes[tested], folds[tested], names, notes)

    def predict_scores(self, scores: ArrayLike | RowScores) -> Floats:
        """Estimate the class proportions from shares of votes, shape (m, k); a tied vote goes to the first class."""
        shares = scores if isinstance(scores, RowScores) else voted(RowScores(scores).probabilities)
        return super().predict_scores(shares)

    def score_new(self, X: object) -> RowScores:
        """Let the nearest labelled rows vote."""
        check_is_fitted(self, "learned_")
        self._check_columns(X, first=False)
        queries = self._points(X)
        return self._votes(queries, self._search.of(queries, self.k_))

    def _votes(self, queries: Floats, nearest: Places) -> RowScores:
        """Give each class's share of the votes, for neighbours of shape (m, k or more)."""
        weights, nearest = class_weights(np.bincount(self._codes), self._alpha), nearest[:, : self.k_]
        distances = self._search.distances(queries, nearest) if self.similarity else None
        return voted(vote_shares(self._codes[nearest], weights, distances))

    def _alphas(self) -> list[Alpha]:
        """Give the weightings to choose from."""
        return [math.inf]

    def _rate_polls(self, classes: NDArray[Any], codes: Codes, notes: list[str]) -> tuple[list[Poll], Codes]:
        """Give the polls that rates are found by, and each row's fold; -1 where no fold tests it."""
        if check_choice(self.rates, "rates", ["loo", "cv"]) == "loo":
            return [Poll.leave_one_out(codes)], np.zeros(len(codes), np.int64)
        check_folds(self.cv)
        cv, fewer = fewer_folds(classes[codes], self.cv)
        notes += fewer
        pairs = fold_pairs(np.zeros((len(codes), 1)), classes[codes], cv=cv, random_state=self.random_state)
        folds = np.full(len(codes), -1)
        polls = []
        for number, (train, test) in enumerate(pairs):
            # A splitter that repeats itself tests a row again.
            first = test[folds[test] < 0]
            folds[first] = number
            polls.append(Poll.fold(codes, train, first))
        return polls, folds

    def _tuning_polls(self, classes: NDArray[Any], codes: Codes, notes: list[str]) -> list[Poll]:
        """Give the polls that k and weights are chosen by."""
        from sklearn.model_selection import RepeatedStratifiedKFold

        if check_choice(self.tuning, "tuning", ["loo", "2x5"]) == "loo":
            return [Poll.leave_one_out(codes)]
        folds, fewer = fewer_folds(classes[codes], 5)
        notes += fewer
        splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=2, random_state=seed_number(self.random_state))
        return [Poll.fold(codes, train, test) for train, test in splitter.split(np.zeros(len(codes)), codes)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class ProportionWeightedNeighbors(NearestNeighbors):
    r"""Count the votes of the k nearest labelled rows, with less weight for larger classes (PWK, PWK-alpha).

    .. math:: w_c = 1 - \frac{N_c}{S}, \qquad w_c^{(\alpha)} = \left(\frac{N_c}{M}\right)^{-1/\alpha}

    (eq. 5.5 and 5.4) where class c has :math:`N_c` of S rows, and the smallest class has M. With two classes,
    :math:`\alpha = 1` gives the same predictions as eq. 5.5 (Theorem 5.1). The larger :math:`\alpha` is, the nearer the
    weights are to the equal weights of `NearestNeighbors`. Leaving out one row at a time uses the same weights as for
    new rows; each fold uses the weights of its own training rows, as in the thesis. If the class sizes are in a simple
    ratio, votes that are tied with the weights of all rows go to one side in a fold, and rates by folds are biased.
    Everything else is as in `NearestNeighbors`.

    Parameters
    ----------
    k : int, sequence of int, "tune", "n^(2/8)" or "n^(3/8)"
        The number of neighbours that vote, as for `NearestNeighbors`.
    alpha : float of at least 1, sequence of such, "tune" or None
        None uses the weights of eq. 5.5, a number those of eq. 5.4. If several are given, one is chosen together with
        k; "tune" means 1, 2, 3, 4 and 5.
    rates, tuning, criterion, similarity, scale, cv, random_state, n_jobs
        As for `NearestNeighbors`.

    Attributes
    ----------
    k_ : int
        The number of neighbours that vote.
    alpha_ : float or None
        The alpha of the weights; None for eq. 5.5.
    classes_, labelled_, learned_, prevalence_, notes_
        As for every `Quantifier`; the scores are each class's share of the weighted votes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["no", "yes"], [300, 100])
    >>> X = rng.normal(size=(400, 2)) + 1.5 * (y == "yes")[:, None]
    >>> y_new = np.repeat(["no", "yes"], [50, 150])
    >>> X_new = rng.normal(size=(200, 2)) + 1.5 * (y_new == "yes")[:, None]
    >>> quantifier = ProportionWeightedNeighbors(alpha="tune").fit(X, y)
    >>> quantifier.k_, quantifier.alpha_
    (25, 1)
    >>> quantifier.predict(X_new).round(2)
    array([0.22, 0.78])
    >>> print(quantifier.predict_interval(X_new)[1])
    0.780 [0.671, 0.883]
    """

    _method = "proportion-weighted neighbors"
    alpha: float | Sequence[float] | str | None = None

    @property
    def alpha_(self) -> Alpha:
        """The alpha of the weights; None for eq. 5.5."""
        check_is_fitted(self, "learned_")
        return self._alpha

    def _alphas(self) -> list[Alpha]:
        if self.alpha is None:
            return [None]
        several = _several(self.alpha, "alpha", ALPHAS)
        for value in several:
            if not is_number(value) or not value >= 1:
                raise fault("alpha", "be a number of at least 1", value, "None uses the weights of eq. 5.5")
        return sorted(set(several))


def _several(value: object, name: str, usual: Sequence[Any]) -> list[Any]:
    """Give the values to choose from: those that are usual, those given, or the one."""
    if isinstance(value, str):
        if value != "tune":
            raise fault(name, "be a number, several, or 'tune'", value, f"{name}='tune' chooses by G-mean")
        return list(usual)
    if not isinstance(value, (Sequence, np.ndarray)):
        return [value]
    if not len(value):
        raise fault(name, "name at least one number to choose from", value, f"{name}='tune' has the usual ones")
    return list(value)


def _known_ks(k: object, n: int) -> list[int]:
    """Give the numbers of neighbours to choose from, rising, for n labelled rows.

    Examples
    --------
    >>> _known_ks("n^(2/8)", 400), _known_ks("n^(3/8)", 400)
    ([4], [9])
    """
    if isinstance(k, str) and k in POWERS:
        # n is at least 4, two rows of each of two classes, so that k is at least 1.
        return [round(n ** POWERS[k])]
    return sorted({check_count(number, "k", least=1, hint="15 is usual") for number in _several(k, "k", KS)})


def _check_rarest(codes: Codes, names: list[str]) -> None:
    counts = np.bincount(codes, minlength=len(names))
    rarest = int(counts.argmin())
    if counts[rarest] < 2:
        rule = "have at least 2 rows, so that one can vote on the other"
        raise fault(f"class {names[rarest]}", rule, int(counts[rarest]), "drop the class, or merge it with another")
