"""What a comparison says, no more than it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shiftproof.comparison._pairs import MethodPair, smallest_wilcoxon
from shiftproof.core import counted, listed, p_words, share, shown

if TYPE_CHECKING:
    from shiftproof.comparison._result import Comparison

# A larger group that cannot be told apart is not called best.
_FEW = 3
#: How the post-hoc tests are called.
TESTS = {"nemenyi": "Nemenyi", "bonferroni-dunn": "Bonferroni-Dunn", "wilcoxon-holm": "Wilcoxon-Holm"}


def headline(found: Comparison) -> str:
    """Give the answer in one sentence."""
    first, (leading, lead) = shown(found.methods[0]), _leading(found)
    if found.friedman is None:
        where = f"{shown(found.datasets[0])}, the only data set"
        return f"{leading} {lead} on {where}; what it would be on others cannot be tested with one."
    if len(found.methods) == 2 and found.posthoc == "wilcoxon-holm":
        return _two(found)
    if found.control is not None:
        return _beside_control(found)
    rest = "" if found.posthoc == "wilcoxon-holm" else f"; {power(found)}"
    if found.posthoc != "wilcoxon-holm" and not found.rejected:
        return f"No evidence that the {len(found.methods)} methods differ ({_friedman(found)}); {leading} {lead}{rest}."
    if len(found.best) == 1:
        ahead = [pair.second for pair in found.compared if pair.first == found.methods[0] and _lead(found, pair) < 0]
        if ahead:
            return f"{first} ranks first, but the losses of {listed(ahead)} are lower by more than chance."
        how = "is worse" if found.posthoc == "wilcoxon-holm" else "ranks worse"
        return f"{first} is best: every other method {how} by more than chance{rest}."
    if len(found.best) == len(found.methods):
        return f"No evidence that {first}, which ranks first, differs from any other method{_although(found)}{rest}."
    if len(found.best) <= _FEW:
        return f"{listed(found.best)} are best; no evidence that they differ{rest}."
    others = listed(found.best[1:])
    return f"{leading} {lead}; no evidence that {others} differ from {first}{rest}."


def power(found: Comparison) -> str:
    """Say which difference so many data sets can show."""
    sets, most = counted(len(found.datasets), "data set"), len(found.methods) - 1
    ranks = f"{found.decisive_difference:.{1 if found.decisive_difference >= 1 else 2}f} ranks"
    if found.decisive_difference > most:
        return f"{sets} can show no difference, as it would take {ranks} of at most {most}"
    return f"{sets} can show a difference of {ranks}"


def sentences(found: Comparison) -> list[str]:
    """Give everything that should be said, the answer first."""
    words = [headline(found)]
    if found.friedman is not None:
        clear = found.control is not None or len(found.best) < len(found.methods)
        if found.rejected and clear and found.posthoc != "wilcoxon-holm":
            words.append(f"The methods differ ({_friedman(found)}).")
        words.append(_bayes(found))
        if len(found.places) > len(found.datasets):
            made = "averaged per data set" if found.ranking == "average" else "averaged and ranked again per data set"
            tests = f"{len(found.datasets):,} data sets, not {len(found.places):,} cells"
            words.append(f"Ranks at each prevalence are {made}; the tests count {tests}.")
    elif found.compared_by_folds:
        apart = sum(pair.p_holm <= found.alpha for pair in found.compared_by_folds)
        of = counted(len(found.compared_by_folds), "pair")
        words.append(f"By its folds, {apart} of {of} differ there (corrected resampled t, Holm).")
    return words + _warnings(found)


def probable(part: float) -> str:
    """Write a probability that was drawn: nothing is sure; nothing where there is none.

    Examples
    --------
    >>> probable(0.0), probable(1.0), probable(0.273), probable(float("nan"))
    ('<0.1%', '>99.9%', '27%', '')
    """
    return "" if part != part else share(min(max(part, 1e-4), 1 - 1e-4))


def _two(found: Comparison) -> str:
    (pair,) = found.compared
    told = p_words(pair.wilcoxon)
    sets = counted(len(found.datasets), "data set")
    if not pair.differ:
        return f"No evidence that {shown(pair.first)} and {shown(pair.second)} differ over {sets} (Wilcoxon, {told})."
    better, worse = (pair.first, pair.second) if pair.difference.estimate > 0 else (pair.second, pair.first)
    return f"{shown(better)} is better than {shown(worse)} over {sets} (Wilcoxon, {told})."


def _beside_control(found: Comparison) -> str:
    held: dict[str, list[str]] = {}
    for pair in found.compared:
        if pair.first == found.control:
            side = "better than" if _lead(found, pair) > 0 else "worse than"
            held.setdefault(side if pair.differ else "not told from", []).append(pair.second)
    parts = [f"is {side} {listed(held[side])}" for side in ("better than", "worse than") if side in held]
    if "not told from" in held:
        parts.append(f"shows no difference from {listed(held['not told from'])}")
    rest = "" if found.posthoc == "wilcoxon-holm" else f"; {power(found)}"
    test = TESTS[found.posthoc]
    if found.posthoc != "wilcoxon-holm" and not found.rejected:
        test = f"{test} after {_friedman(found)}"
    return f"{shown(found.control)} {' and '.join(parts)} ({test}){rest}."


def _leading(found: Comparison) -> tuple[str, str]:
    """Name the methods with the lowest average rank, and say that they rank first."""
    ranks = found.ranks
    lowest = min(ranks.values())
    names = [name for name, rank in ranks.items() if rank - lowest < 1e-9]
    return listed(names), "ranks first" if len(names) == 1 else "rank first"


def _lead(found: Comparison, pair: MethodPair) -> float:
    """Give by how much the first is ahead in what the post-hoc test looks at: the losses, or the ranks."""
    return pair.difference.estimate if found.posthoc == "wilcoxon-holm" else pair.rank_difference


def _friedman(found: Comparison) -> str:
    return "" if found.iman_davenport is None else f"Iman-Davenport, {p_words(found.iman_davenport.p_value)}"


def _although(found: Comparison) -> str:
    return f", although not all are alike ({_friedman(found)})" if found.rejected else ""


def _bayes(found: Comparison) -> str:
    """Tell how probable it is that the first, or the control, is better than the next by enough to matter."""
    first = found.control or found.methods[0]
    pair = next(pair for pair in found.compared if pair.first == first)
    ahead = f"{shown(first)} is better than {shown(pair.second)}"
    if not found.rope:
        return f"{ahead} with a probability of {probable(pair.better)} (Bayesian signed ranks)."
    return (
        f"{ahead} by more than {found.rope:g} with a probability of {probable(pair.better)}, worse by more with "
        f"{probable(pair.worse)}, and within {found.rope:g} of it with {probable(pair.equivalent)} (Bayesian signed "
        "ranks)."
    )


def _warnings(found: Comparison) -> list[str]:
    if found.friedman is None or found.posthoc != "wilcoxon-holm":
        return []
    tests = sum(pair.wilcoxon_holm == pair.wilcoxon_holm for pair in found.compared)
    least = smallest_wilcoxon(len(found.datasets), tests)
    if least <= found.alpha:
        return []
    return [f"So few data sets can show no difference at {found.alpha:g}: p is never below {least:.2g}."]
