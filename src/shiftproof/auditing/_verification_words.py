"""What a verification says: what was estimated, what is actually the case, and whether the verdict was right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shiftproof.core import percent
from shiftproof.selection import called, points_apart, written

if TYPE_CHECKING:
    from shiftproof.auditing._verdict import Verdict
    from shiftproof.auditing._verification import Claim, Verification

# Whether a verdict was right, by the verdict and whether the model loses more than the tolerance.
_JUDGED: Mapping[tuple[Verdict, bool], str] = {
    ("trust", False): "Trusting it was right.",
    ("trust", True): "Trusting it was wrong: {lost}.",
    ("check first", False): "{best} can be used: {kept}.",
    ("check first", True): "The check was needed: {lost}.",
    ("do not trust", False): "This time the warning was not needed.",
    ("do not trust", True): "The warning was needed.",
    ("cannot tell", False): "{best} can be used: {kept}. Only labels could show this.",
    ("cannot tell", True): "The caution was needed: {lost}.",
}


def verification_summary(checked: Verification, *, below_headline: bool = False) -> str:
    """Return the estimates, the actual values, and how many intervals contain them.

    Below the headline, which has the actual value, only the verdict on the recommended model is said.
    """
    model = _judged(checked) if below_headline else _recommended(checked)
    parts = [_rows_with_labels(checked), model, _intervals(checked), _positive(checked)]
    return " ".join(filter(None, [*parts, _choice(checked)]))


def _judged(checked: Verification) -> str:
    """Say whether the verdict was right; empty if the measure is not defined."""
    if not written(checked.recommended.actual, checked.measure):
        return ""
    if checked.beaten and not checked.harmed:
        better = f"always answering {checked.most_frequent.about} would have been better"
        if checked.verdict == "do not trust":
            return f"The warning was needed: {better}."
        return f"{checked.best} {_kept(checked).removeprefix('it ')}, but {better}."
    return _JUDGED[checked.verdict, checked.harmed].format(best=checked.best, lost=_lost(checked), kept=_kept(checked))


def _rows_with_labels(checked: Verification) -> str:
    if checked.n_actual == checked.n_new:
        return ""
    rows = f"{checked.n_actual:,} of {checked.n_new:,} new rows"
    return f"Actual values are those of the {rows} that have a label. All new rows may differ from them by chance."


def _recommended(checked: Verification) -> str:
    claim, name, best = checked.recommended, called(checked.measure), checked.best
    validated, actual = written(claim.validated, checked.measure), written(claim.actual, checked.measure)
    before = f"Cross-validation estimated {validated} {name} for {best}"
    if checked.deployed:
        before = f"{best} had {validated} {name} on the labelled data"
    is_actual = f"is {actual}" if actual else "is not defined"
    words = f"{before}; the actual {name} {is_actual}{_actual_baseline(checked)}."
    judged = f" {_judged(checked)}".rstrip()
    if claim.refused:
        return f"{words} The audit gave no estimate; its verdict was {checked.verdict!r}.{judged}"
    ends = f"{written(claim.low, checked.measure)} to {written(claim.high, checked.measure)}"
    if claim.covered is None:
        return words
    contains = "contains" if claim.covered else "does not contain"
    return f"{words} The estimated interval, {ends}, {contains} it.{judged}"


def _lost(checked: Verification) -> str:
    """Say how much the recommended model lost, more than the tolerance."""
    loss, limit = _loss_and_tolerance(checked)
    return f"{checked.best} lost {loss}, more than the tolerance of {limit}"


def _kept(checked: Verification) -> str:
    """Say that the recommended model lost no more than the tolerance, with figures where there is a loss."""
    if not checked.loss > 0:
        return f"it is not worse than {'on the labelled data' if checked.deployed else 'in cross-validation'}"
    loss, limit = _loss_and_tolerance(checked)
    return f"it lost {loss}, within the tolerance of {limit}"


def _loss_and_tolerance(checked: Verification) -> tuple[str, str]:
    loss, limit = checked.loss, checked.harmful_loss
    if not checked.in_points:
        return f"{loss:.3g}", f"{limit:.3g}"
    points = points_apart(checked.recommended.validated, checked.recommended.actual)
    return f"{points:.1f} points", f"{100 * limit:.3g}"


def verification_headline(checked: Verification) -> str:
    """Say what the recommended model actually has, and whether the interval contains it."""
    claim, name = checked.recommended, called(checked.measure)
    actual = written(claim.actual, checked.measure)
    if not actual:
        return f"The actual {name} of {checked.best} is not defined on these labels."
    words = f"Actual {name} of {checked.best}: {actual}{_actual_baseline(checked)}"
    if claim.covered is None:
        return f"{words}. There was no estimate."
    ends = f"{written(claim.low, checked.measure)} to {written(claim.high, checked.measure)}"
    return f"{words}. The interval, {ends}, {'contains' if claim.covered else 'does not contain'} it."


def _actual_baseline(checked: Verification) -> str:
    if checked.measure not in ("accuracy", "error"):
        return ""
    # The audit's baseline, and a class that has turned out to be more frequent.
    answers = dict.fromkeys((checked.baseline, checked.most_frequent))
    error = checked.measure == "error"
    figures = [f"{one.about}: {percent(1 - one.actual if error else one.actual)}" for one in answers]
    return f" (always answering {', '.join(figures)})"


def _intervals(checked: Verification) -> str:
    """Return how many intervals contain the actual value, of models and of class proportions apart."""
    kinds = {"for performance": checked.covered_models, "for class proportions": checked.covered_shares}
    known = {noun: covered for noun, covered in kinds.items() if covered}
    every = [one for covered in known.values() for one in covered]
    if not every:
        return ""
    level = f"{checked.level:.0%}"
    if all(every) and len(every) > 1:
        parts = ", ".join(f"{len(covered):,} {noun}" for noun, covered in known.items())
        return f"All {len(every):,} intervals ({level}; {parts}) contain the actual value."
    first, *others = (f"{sum(covered):,} of {len(covered):,} {noun}" for noun, covered in known.items())
    parts = " and ".join([first.replace(" for ", " intervals for ", 1), *others])
    return f"{parts} contain the actual value ({level} intervals)."


def _positive(checked: Verification) -> str:
    claim: Claim = next(claim for claim in checked.shares if claim.about == checked.positive)
    rows = "new rows" if checked.n_actual == checked.n_new else "new rows with a label"
    actual = f"{percent(claim.actual)} of the {rows} belong to class {claim.about}"
    if claim.refused:
        return f"{actual}."
    ends = f"{percent(claim.low)} to {percent(claim.high)}"
    estimated = f"the estimated interval, {ends}, {'contains' if claim.covered else 'does not contain'} this share"
    if not claim.believed:
        estimated = f"the audit did not rely on its interval, {ends}"
    return f"{actual}; {estimated}."


def _choice(checked: Verification) -> str:
    if len(checked.models) < 2:
        return ""
    if checked.chose_best:
        return f"{checked.best} was the best choice."
    # Differences of AUC, Brier score and profit are not percentage points.
    lost = f"{100 * checked.regret:.1f} points" if checked.in_points else f"{checked.regret:.3g}"
    return f"{checked.actual_best} would have been better than {checked.best} by {lost}."
