"""What an evaluation says in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import Interval, Phrase, Text, is_number, p_words, percent, shown
from shiftproof.measures import Benefit, BenefitMatrix, measure_name

if TYPE_CHECKING:
    from shiftproof.evaluation._result import Evaluation

# How a page calls what a method's name is made of.
_METHODS = {
    "wilson": "Wilson",
    "delong": "DeLong",
    "nadeau-bengio over": "corrected for the overlap of training sets over",
}
# With fewer folds a test of their differences hardly ever finds one: 4 folds and 6 tests need 4.8 standard deviations.
_FEWEST_FOLDS = 5
#: Measures that are given in per cent, as those about new data do.
IN_PERCENT = ("accuracy", "error", "precision", "recall", "f1")
# Measures that are not shares of rows, so that differences are not in percentage points.
_NOT_IN_POINTS = ("log_loss", "brier", "profit")


def evaluation_words(result: Evaluation) -> Phrase:
    """Say which model is best, which differences are noise, and what these figures do not guarantee."""
    best, measure = result.estimates[result.best][result.measure], measure_name(result.measure)
    sentences: list[Text]
    if math.isnan(best.estimate):
        sentences = [f"No model has a {measure}: {best.method}."]
    else:
        value = value_text(best, result.measure)
        sentences = [f"{shown(result.best)} has the best {measure}: {value}."]
        if len(result.ranking) == 1:
            sentences = [f"The {measure} of {shown(result.best)} is {value}."]
        sentences += [*_baseline(result), *_differences(result)]
    sentences.append(_rows_and_classes(result))
    failures = result.panel.failures.items()
    sentences += [Phrase(f"{shown(name)} failed and was left out: ", why.phrase, ".") for name, why in failures]
    sentences.append("These figures apply to new data from the same source as these rows.")
    return Phrase.joined(" ", sentences)


def _baseline(result: Evaluation) -> list[str]:
    """Return what always answering the most frequent class has, and whether the best model beats it."""
    if result.measure == "profit" and (single := _single_profit(result)):
        label, profit = single
        return [f"Always answering {shown(label)} gives {profit:.3f}."]
    if result.measure != "accuracy":
        return []
    best, majority = result.estimates[result.best]["accuracy"], shown(result.majority)
    if best.low > result.baseline:
        return [f"Always answering {majority} is right for {percent(result.baseline)} of the rows."]
    better = "no better" if best.estimate <= result.baseline else "not clearly better"
    return [f"That is {better} than always answering {majority} ({percent(result.baseline)})."]


def _single_profit(result: Evaluation) -> tuple[Any, float] | None:
    """Return the best single answer for all rows, with its mean benefit; None if amounts differ from row to row."""
    shares, benefit = result.shares, result.benefit
    if isinstance(benefit, BenefitMatrix):
        labels = benefit.classes.tolist()
        worth = np.array([shares[label] for label in labels]) @ benefit.matrix
        return labels[int(worth.argmax())], float(worth.max())
    # Of several classes, no single one is the negative class.
    if not isinstance(benefit, Benefit) or len(shares) > 2:
        return None
    amounts = benefit.tp, benefit.fp, benefit.fn, benefit.tn
    if not all(map(is_number, amounts)):
        return None
    tp, fp, fn, tn = amounts
    labels = list(shares)
    label = labels[result.positive]
    share = shares[label]
    acting, resting = share * tp + (1 - share) * fp, share * fn + (1 - share) * tn
    return (label, acting) if acting >= resting else (labels[1 - result.positive], resting)


def _rows_and_classes(result: Evaluation) -> str:
    labels, total = result.panel.classes_.tolist(), len(result.panel.y)
    tested = int(result.panel.tested.sum())
    untested = f" ({total - tested:,} more were never tested)" if tested < total else ""
    if len(labels) == 2:
        classes = f"the positive class is {shown(labels[result.positive])}"
    else:
        classes = f"{len(labels)} classes; measures of one class, such as F1, are means over the classes"
    copied = result.panel.n_copied
    if copied:
        share = percent(copied / total)
        scored = f"{share} of them scored by models trained on exact copies, so models look better than they are"
    else:
        scored = "each scored by models fitted without it"
    if result.panel.balanced:
        scored += ", on the same number of rows per class"
    return f"{tested:,} rows{untested}, {scored}; {classes}."


def _differences(result: Evaluation) -> list[str]:
    """Name the models that may be as good, those without a test, and the first that is worse."""
    untested = [name for name, comparison in result.comparisons.items() if comparison is None]
    # The first is the best itself.
    alike = [name for name in result.within_noise[1:] if name not in untested]
    worse = [name for name in result.ranking if name not in result.within_noise]
    sentences = []
    if alike:
        several = len(alike) > 1
        sentences.append(_alike(result, ", ".join(map(shown, alike))) if several else _one_alike(result, alike[0]))
    if untested:
        measure = measure_name(result.measure)
        sentences.append(f"No test of {measure} is available for {', '.join(map(shown, untested))}.")
    # The others are worse still; the table shows by how much.
    return sentences + [_gap(result, name) for name in worse[:1]]


def _alike(result: Evaluation, names: str) -> str:
    """Say which models may be as good as the best, or that there are too few folds to show that they are not."""
    folds = len(result.panel.fold_sizes)
    # Deployed models have one fold, and are compared by their rows.
    if 1 < folds < _FEWEST_FOLDS:
        return f"{folds} folds are too few to show whether it is better than {names}; 10 is usual."
    return f"The difference from {names} may be noise."


def _one_alike(result: Evaluation, name: str) -> str:
    """Say by how much a single model differs that may be as good as the best."""
    comparison = result.comparisons[name]
    few = _alike(result, shown(name))
    if comparison is None or 1 < len(result.panel.fold_sizes) < _FEWEST_FOLDS:
        return few
    gap = difference_text(comparison.difference, result.measure, sign=1.0 if comparison.higher_is_better else -1.0)
    return f"The difference from {shown(name)}, {gap}, may be noise ({p_words(result.adjusted_p_values[name])})."


def _gap(result: Evaluation, name: str) -> str:
    comparison = result.comparisons[name]
    if comparison is None:
        return ""
    # A loss that is higher is worse, too: the gap is always positive.
    sign = 1.0 if comparison.higher_is_better else -1.0
    gap = difference_text(comparison.difference, result.measure, sign=sign)
    return f"{shown(name)} is worse by {gap} ({p_words(result.adjusted_p_values[name])})."


def value_text(value: Interval, measure: str) -> str:
    """Write a measure with its interval for a sentence.

    Examples
    --------
    >>> value = Interval(estimate=0.831, low=0.81, high=0.85, level=0.9, method="wilson")
    >>> value_text(value, "accuracy"), value_text(value, "auc")
    ('83.1% (81.0% to 85.0%)', '0.831 [0.810, 0.850]')
    """
    if measure not in IN_PERCENT:
        return str(value)
    ends = "" if math.isnan(value.low) else f" ({percent(value.low)} to {percent(value.high)})"
    return f"{percent(value.estimate)}{ends}"


def cell_text(value: Interval, measure: str) -> str:
    """Write a measure with its interval for a table, in the same unit as in sentences.

    Examples
    --------
    >>> value = Interval(estimate=0.831, low=0.81, high=0.85, level=0.9, method="wilson")
    >>> cell_text(value, "accuracy"), cell_text(value, "auc")
    ('83.1% [81.0%, 85.0%]', '0.831 [0.810, 0.850]')
    """
    if measure not in IN_PERCENT or math.isnan(value.estimate):
        return str(value)
    ends = "" if math.isnan(value.low) else f" [{percent(value.low)}, {percent(value.high)}]"
    return f"{percent(value.estimate)}{ends}"


def difference_text(difference: Interval, measure: str, *, sign: float = 1.0) -> str:
    """Write the difference of a measure with its interval, in percentage points where the measure is a share.

    Examples
    --------
    >>> gap = Interval(estimate=-0.021, low=-0.033, high=-0.009, level=0.9, method="t")
    >>> difference_text(gap, "accuracy", sign=-1), difference_text(gap, "brier")
    ('2.1 points [0.9, 3.3]', '-0.021 [-0.033, -0.009]')
    """
    # Changing the sign swaps the ends.
    low, high = sorted((sign * difference.low, sign * difference.high))
    size = sign * difference.estimate
    if measure in _NOT_IN_POINTS:
        return f"{size:.3f} [{low:.3f}, {high:.3f}]"
    return f"{100 * size:.1f} points [{100 * low:.1f}, {100 * high:.1f}]"


def method_text(method: str) -> str:
    """Write the name of an interval's method for people.

    Examples
    --------
    >>> method_text("wilson (nadeau-bengio over 10 folds)")
    'Wilson (corrected for the overlap of training sets over 10 folds)'
    """
    for name, words in _METHODS.items():
        method = method.replace(name, words)
    return method
