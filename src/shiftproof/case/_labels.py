"""Labels that arrive for some of the new rows: strata by score, what they say, and which rows to label next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.case._blocks import RowWise, equal_weights, one_hot, range_over_classes
from shiftproof.case._prospect import Prospect
from shiftproof.case._soft import Decided, SoftMeasure, needs_positive
from shiftproof.case._words import note_text
from shiftproof.core import (
    Codes,
    Floats,
    LabelsOfOneClass,
    Note,
    Phrase,
    blocks,
    counted,
    fault,
    is_missing,
    shown,
    unknown_name,
    warn,
)

# Enough to part sure rows from unsure ones; every stratum needs labels of its own.
_STRATA = 5
# Three right of three may be one wrong of four: what no surprise in n labels leaves open, times n squared.
_SURPRISE = 2.5
# So many labels of the positive class and of the others are needed where a measure is about one of them.
_FEWEST_OF_CLASS = 5
# Labels of one class that a random sample has with a smaller probability were probably chosen by their label.
_HARDLY = 1e-3
# The scatter of labels in a stratum starts from what the posterior expects, which counts as so many labels.
_EXPECTED_SCATTER = 2
#: Fewer labels than this say nothing on their own.
FEWEST_LABELS = 10


@dataclass(frozen=True, eq=False)
class Known:
    """Rows of the new table whose labels are known.

    Attributes
    ----------
    rows : ndarray of shape (s,)
        Their numbers.
    codes : ndarray of shape (s,)
        Their classes.
    """

    rows: NDArray[np.intp]
    codes: Codes

    def __len__(self) -> int:
        """How many there are."""
        return len(self.rows)


def known_labels(labels: Any, classes: NDArray[Any], m: int) -> Known:
    """Read labels given for some new rows: by row number, or one per row with gaps.

    Examples
    --------
    >>> known_labels({2: "yes", 0: "no"}, np.array(["no", "yes"]), 3).rows
    array([0, 2])
    >>> known_labels([None, "yes", None], np.array(["no", "yes"]), 3).codes
    array([1])
    """
    given = label_pairs(labels, m)
    places = classes.tolist()
    # A class that no model knows cannot be scored.
    strange = [label for _, label in given if label not in places]
    if strange:
        raise unknown_name("labels", "be classes of y", strange[0], places)
    given.sort(key=lambda pair: pair[0])
    return Known(
        np.array([row for row, _ in given], dtype=np.intp),
        np.array([places.index(label) for _, label in given], dtype=np.int64),
    )


def label_pairs(labels: Any, m: int) -> list[tuple[int, Any]]:
    """Read the numbers of the rows that have a label, each with its label."""
    if isinstance(labels, Mapping):
        rows = list(labels)
        wrong = [row for row in rows if not _is_row(row) or not 0 <= row < m]
        if wrong:
            raise fault("labels", f"name rows of X_new, 0 to {m - 1:,}", wrong[0], "rows are counted from 0")
        return [(int(row), _plain(labels[row])) for row in rows if not is_missing(labels[row])]
    if isinstance(labels, str) or not hasattr(labels, "__len__"):
        raise fault(
            "labels",
            "be a dict that maps rows to labels, or one label per row",
            labels,
            "use None where a label is unknown",
        )
    values = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if len(values) != m:
        got = f"{len(values):,} for {m:,} rows"
        raise fault("labels", "have one entry per row of X_new", Phrase(got), "give a dict for some rows")
    return [(row, _plain(label)) for row, label in enumerate(values) if not is_missing(label)]


def _is_row(row: Any) -> bool:
    # True and False are integers in Python, but no row numbers.
    return isinstance(row, int | np.integer) and not isinstance(row, bool)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def enough(measure: SoftMeasure, positive: int, known: Known, m: int) -> bool:
    """Return whether labels say something of a measure: enough of them, or all there are."""
    if not len(known) or len(known) == m:
        return len(known) > 0
    positives = int((known.codes == positive).sum())
    rarer = min(positives, len(known) - positives)
    return len(known) >= FEWEST_LABELS and (not needs_positive(measure.name) or rarer >= _FEWEST_OF_CLASS)


def strata_of(posterior: RowWise) -> Codes:
    """Cut the rows into five strata of equal size by how sure the posterior is of them.

    Examples
    --------
    >>> sure = np.linspace(0.5, 1, 10)
    >>> strata_of(np.column_stack([sure, 1 - sure])).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    """
    m = len(posterior)
    sure, strata = np.empty(m), np.empty(m, dtype=np.int64)
    for rows in blocks(m):
        sure[rows] = reduce(np.maximum, posterior[rows].T)
    # Rows of equal score stay in their order, so that the strata are the same whenever they are asked for.
    order = np.argsort(sure, kind="stable")
    for rows in blocks(m):
        strata[order[rows]] = np.arange(rows.start, rows.stop) * min(_STRATA, m) // m
    return strata


def strata_by_score(scores: Sequence[Floats]) -> Codes | None:
    """Make a stratum of each combination of the models' scores, the least sure first; None if there are more than five.

    Examples
    --------
    >>> verdicts = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> strata_by_score([verdicts]).tolist()
    [1, 0, 1]
    >>> strata_by_score([np.random.default_rng(0).random((9, 2))])
    """
    # Of one model after the other, so that a million different scores are seen at the first.
    if any(score.shape[1] > 2 or len(np.unique(score[:, 0])) > _STRATA for score in scores):
        return None
    sure = np.mean([score.max(axis=1) for score in scores], axis=0)
    table = np.column_stack([sure, *(score[:, 0] for score in scores)])
    codes: Codes = np.unique(table, axis=0, return_inverse=True)[1]
    return codes if codes.max() < _STRATA else None


@dataclass(frozen=True, eq=False)
class Sampled:
    """What labels of some rows say of a measure on all rows, whatever shifted.

    Attributes
    ----------
    value, variance : float
        The estimate and its variance.
    freedom : float
        Degrees of freedom of that.
    """

    value: float
    variance: float
    freedom: float


def sampled(measure: SoftMeasure, decided: Decided, posterior: RowWise, strata: Codes, known: Known) -> Sampled | None:
    """Estimate a measure from the labels that are known; the posterior stands in for the others.

    Within each stratum the labelled rows must be a random sample, as `Performance.plan` draws them. The posterior's own
    error on them then corrects it, stratum by stratum; nothing else is taken for granted. Strata with fewer than two
    labels are joined with their neighbours.
    """
    estimate = sampled_all(measure, [decided], posterior, strata, known)
    # If every label is known, a measure that they leave undefined is undefined; else the models estimate it.
    if estimate is None or (not np.isfinite(estimate.values[0]) and len(known) < len(posterior)):
        return None
    return Sampled(float(estimate.values[0]), float(estimate.covariance[0, 0]), estimate.freedom)


@dataclass(frozen=True, eq=False)
class SampledAll:
    """The same for several models at once.

    Attributes
    ----------
    values, covariance : ndarrays of shapes (l,) and (l, l)
        The estimates and the covariance of their errors.
    freedom : float
        Degrees of freedom of that.
    """

    values: Floats
    covariance: Floats
    freedom: float


def sampled_all(
    measure: SoftMeasure, decided: Sequence[Decided], posterior: RowWise, strata: Codes, known: Known
) -> SampledAll | None:
    """Estimate a measure of several models from the labels that are known; None where they are too few.

    Values are NaN where the measure is not defined.
    """
    m, rows = len(posterior), known.rows
    if not enough(measure, decided[0].positive, known, m):
        return None
    joined = _joined(strata, known)
    sizes = np.bincount(joined)
    counts = np.bincount(joined[rows], minlength=len(sizes))
    # Every labelled row stands for its part of the stratum (Horvitz and Thompson 1952).
    weights = (sizes / np.maximum(counts, 1))[joined[rows]] / m
    probable = posterior[rows]
    labels = one_hot(known.codes, probable.shape[1])
    values, offs, steps, expected = [], [], [], []
    for model in decided:
        soft = measure.function(model, posterior, equal_weights(m))
        true = measure.function(model.take(rows), labels, weights)
        validated = measure.function(model.take(rows), probable, weights)
        # Difference estimator: the posterior over all rows, corrected by its error on the sample.
        values.append(soft.value + true.value - validated.value)
        offs.append((labels * true.influence - probable * validated.influence).sum(axis=1))
        steps.append(sum(float((range_over_classes(soft.at(part)) ** 2).sum()) for part in blocks(m)) / m)
        expected.append(_scatter(probable, true.influence))
    least = [least_variance(step, len(known), m) for step in steps]
    covariance, freedom = _errors(np.array(offs), np.array(expected), joined[rows], sizes)
    short = np.sqrt(np.maximum(least - np.diag(covariance), 0.0))
    return SampledAll(np.array(values), covariance + np.outer(short, short), freedom)


def _errors(off: Floats, expected: Floats, strata: Codes, sizes: Codes) -> tuple[Floats, float]:
    """Return the covariance of stratified means and its degrees of freedom.

    Parameters
    ----------
    off : ndarray of shape (l, s)
        What was measured of each labelled row, by model.
    expected : ndarray of shape (l, s, k)
        What `_scatter` returns for it.
    strata : ndarray of shape (s,)
        The strata of the labelled rows.
    sizes : ndarray of ints
        How many new rows each stratum has.
    """
    parts, squares = np.zeros((len(off), len(off))), 0.0
    for stratum, count in enumerate(np.bincount(strata, minlength=len(sizes)).tolist()):
        if count < 2:
            continue
        inside, share = strata == stratum, sizes[stratum] / sizes.sum()
        # A few labels often scatter less than their stratum does, so that the posterior's own doubt counts as well.
        doubt = np.einsum("irk,jrk->ij", expected[:, inside], expected[:, inside]) / count
        freedom = count - 1 + _EXPECTED_SCATTER
        scatter = ((count - 1) * np.atleast_2d(np.cov(off[:, inside])) + _EXPECTED_SCATTER * doubt) / freedom
        # Finite population: a stratum of which all labels are known leaves nothing open.
        part = share**2 * scatter / count * (1 - count / sizes[stratum])
        parts += part
        # Variances are NaN where a model's measure is not defined.
        squares += float(np.nansum(np.diag(part))) ** 2 / freedom
    total = float(np.nansum(np.diag(parts)))
    # Welch and Satterthwaite: the degrees of freedom of a sum of variances.
    return parts, max(total**2 / squares if squares > 0 else float(len(strata) - 1), 1.0)


def least_variance(squared_unit: float, count: int, m: int) -> float:
    """Return the least variance that labels leave: a sample without a single surprise does not prove there is none."""
    return _SURPRISE * squared_unit / count**2 * (1 - count / m)


def _scatter(posterior: Floats, influence: Floats) -> Floats:
    """Return rows whose products over classes are the covariances that the posterior expects, of shape (s, k)."""
    centre = (posterior * influence).sum(axis=1, keepdims=True)
    return np.asarray(np.sqrt(posterior) * (influence - centre))


def _joined(strata: Codes, known: Known) -> Codes:
    """Join strata with too few labels to their neighbours."""
    joined = strata.copy()
    while True:
        present = np.unique(joined)
        counts = {int(stratum): int((joined[known.rows] == stratum).sum()) for stratum in present}
        # A variance takes two labels.
        poor = [stratum for stratum, count in counts.items() if count < 2]
        if not poor or len(present) == 1:
            return joined
        place = list(present).index(poor[0])
        joined[joined == poor[0]] = present[place + 1] if place + 1 < len(present) else present[place - 1]


def few_labels(freedom: float, level: float = 0.9) -> float:
    """Return how many times the variance few labels scatter with, for intervals by a normal distribution."""
    return float(special.stdtrit(freedom, (1 + level) / 2) / special.ndtri((1 + level) / 2)) ** 2


def labels_notes(known: Known, *, used: bool) -> tuple[Note, ...]:
    """Note that labels could not be used, where there are some."""
    if used or not len(known):
        return ()
    return (Note(code="too few labels", subject=counted(len(known), "label"), detail=str(FEWEST_LABELS)),)


def leaves_verdicts_out(known: Known, verdicts: Codes) -> bool:
    """Return whether labels are missing for a verdict of which a random sample would hardly lack them.

    Examples
    --------
    >>> accepted = Known(np.arange(0, 100, 2), np.ones(50, dtype=np.int64))
    >>> leaves_verdicts_out(accepted, np.arange(100) % 2), leaves_verdicts_out(accepted, np.zeros(100, dtype=np.int64))
    (True, False)
    """
    counts = np.bincount(verdicts[known.rows], minlength=int(verdicts.max()) + 1)
    others = 1 - np.bincount(verdicts) / len(verdicts)
    # With fewer than two labels, a verdict is joined to another.
    return bool(((counts < 2) & (others ** len(known) < _HARDLY)).any())


def one_class_notes(known: Known, prospect: Prospect, classes: Sequence[object]) -> tuple[Note, ...]:
    """Note that all labels are of one class, if rows drawn at random would hardly all have it.

    Both must say so: the models, of these very rows, and the class proportions of the labelled data. New data that are
    nearly all of one class make the models nearly certain.
    """
    posterior = prospect.routes.posterior
    # Labels of all new rows are not a sample.
    if len(known) < FEWEST_LABELS or len(known) == len(posterior) or len(np.unique(known.codes)) > 1:
        return ()
    code = int(known.codes[0])
    by_models = float(special.xlogy(1, posterior[known.rows][:, code]).sum())
    by_share = float(special.xlogy(len(known), prospect.candidates.prevalence[code]))
    if max(by_models, by_share) >= math.log(_HARDLY):
        return ()
    labels = counted(len(known), "label")
    return (Note(code="labels of one class", subject=labels, detail=shown(classes[code])),)


def warn_of_one_class(notes: Sequence[Note]) -> None:
    """Warn of labels that are all of one class, if that was noted."""
    for note in notes:
        if note.code == "labels of one class":
            warn(LabelsOfOneClass(note_text(note), "."))
