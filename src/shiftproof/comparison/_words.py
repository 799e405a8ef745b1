"""The sentences of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shiftproof.comparison._pairs import POSTHOC, MethodPair, smallest_wilcoxon
from shiftproof.core import Phrase, Sensitive, Text, counted, listed, p_words, share, shown

if TYPE_CHECKING:
    from shiftproof.comparison._result import Comparison

#: The names of the post-hoc tests in sentences.
TESTS = {name: "-".join(map(str.capitalize, name.split("-"))) for name in POSTHOC}


def headline(result: Comparison) -> Text:
    """Return the answer in one sentence."""
    first, (leading, lead) = shown(result.methods[0]), _leading(result)
    if result.friedman is None:
        only = result.datasets[0]
        where = Phrase(Sensitive(shown(only)), ", the only data set") if only else Phrase("the only data set")
        return Phrase(f"{leading} {lead} on ", where, "; one data set cannot show whether this is true for others.")
    if len(result.methods) == 2 and result.by_losses:
        return _two(result)
    if result.control is not None:
        return _beside_control(result)
    rest = "" if result.by_losses else f"; {power(result)}"
    test = f"({TESTS[result.posthoc]})"
    ranked = test if result.by_losses else f"in average rank {test}"
    if not result.by_losses and not result.rejected:
        return (
            f"No evidence that the {len(result.methods)} methods differ ({_friedman(result)}); {leading} {lead}{rest}."
        )
    if len(result.best) == 1:
        # Wilcoxon's test looks at losses, which may contradict the ranks.
        ahead = [pair.second for pair in result.compared if pair.first == result.methods[0] and _lead(result, pair) < 0]
        if ahead:
            return f"{first} ranks first, but the losses of {listed(ahead)} are lower by more than chance explains."
        how = "is worse" if result.by_losses else "ranks worse"
        return f"{first} is best: every other method {how} by more than chance explains {test}{rest}."
    if len(result.best) == len(result.methods):
        nobody = f"No evidence that {first}, which ranks first, differs from any other method {ranked}"
        return f"{nobody}{_although(result)}{rest}."
    others, differ = listed(result.best[1:]), "differs" if len(result.best) == 2 else "differ"
    return f"{leading} {lead}; no evidence that {others} {differ} from {first} {ranked}{rest}."


def power(result: Comparison) -> str:
    """Return which difference this many data sets can show, in words."""
    sets, most = counted(len(result.datasets), "data set"), len(result.methods) - 1
    ranks = f"{result.decisive_difference:.{1 if result.decisive_difference >= 1 else 2}f} ranks"
    # Ranks of k methods differ by k - 1 at most.
    if result.decisive_difference > most:
        return f"{sets} cannot show any difference: it would take {ranks}, but the maximum is {most}"
    return f"{sets} can only show differences of {ranks} or more"


def sentences(result: Comparison) -> list[Text]:
    """Return all sentences of the summary, the answer first."""
    words: list[Text] = [headline(result)]
    if result.friedman is not None:
        clear = result.control is not None or len(result.best) < len(result.methods)
        if result.rejected and clear and not result.by_losses:
            words.append(f"The methods differ ({_friedman(result)}).")
        words.append(_bayes(result))
        if len(result.places) > len(result.datasets):
            made = "averaged per data set" if result.ranking == "average" else "averaged and ranked again per data set"
            once = f"the tests count each of the {len(result.datasets):,} data sets once"
            words.append(f"Ranks at each prevalence are {made}; {once}.")
    elif result.compared_by_folds:
        apart = sum(pair.p_holm <= result.alpha for pair in result.compared_by_folds)
        of = counted(len(result.compared_by_folds), "pair")
        verb = "differs" if apart == 1 else "differ"
        words.append(f"On this data set, {apart} of {of} {verb} (corrected resampled t test on its folds, Holm).")
    return [*words, *_warnings(result)]


def probable(part: float) -> str:
    """Write a simulated probability, never as 0 or 1; an empty text for NaN.

    Examples
    --------
    >>> probable(0.0), probable(1.0), probable(0.273), probable(float("nan"))
    ('<0.1%', '>99.9%', '27%', '')
    """
    # Some ten thousand draws cannot show less.
    return "" if part != part else share(min(max(part, 1e-4), 1 - 1e-4))


def _two(result: Comparison) -> str:
    (pair,) = result.compared
    p_value = p_words(pair.wilcoxon)
    sets = counted(len(result.datasets), "data set")
    if not pair.differ:
        return (
            f"No evidence that {shown(pair.first)} and {shown(pair.second)} differ over {sets} (Wilcoxon, {p_value})."
        )
    better, worse = (pair.first, pair.second) if pair.difference.estimate > 0 else (pair.second, pair.first)
    return f"{shown(better)} is better than {shown(worse)} over {sets} (Wilcoxon, {p_value})."


def _beside_control(result: Comparison) -> str:
    pairs = [pair for pair in result.compared if pair.first == result.control]
    better = [pair.second for pair in pairs if pair.differ and _lead(result, pair) > 0]
    worse = [pair.second for pair in pairs if pair.differ and not _lead(result, pair) > 0]
    alike = [pair for pair in pairs if not pair.differ]
    control, ranked = shown(result.control), "" if result.by_losses else " by average rank"
    rest = "" if result.by_losses else f"; {power(result)}"
    test = f"({TESTS[result.posthoc]})"
    if not (better or worse):
        if not result.by_losses and not result.rejected:
            test = f"({TESTS[result.posthoc]} after {_friedman(result)})"
        return f"No evidence that {control} differs from {listed(pair.second for pair in alike)}{ranked} {test}{rest}."
    sides = [f"{side} than {listed(names)}" for side, names in (("better", better), ("worse", worse)) if names]
    others = ""
    if len(alike) == 1:
        others = f"; its difference from {shown(alike[0].second)} is not significant ({p_words(alike[0].p_value)})"
    elif alike:
        others = f"; its differences from {listed(pair.second for pair in alike)} are not significant"
    return f"{control} is {' and '.join(sides)}{ranked} {test}{others}{rest}."


def _leading(result: Comparison) -> tuple[str, str]:
    """Name the methods with the lowest average rank, and say that they rank first."""
    ranks = result.ranks
    lowest = min(ranks.values())
    # Average ranks of tied methods may differ by rounding.
    names = [name for name, rank in ranks.items() if rank - lowest < 1e-9]
    return listed(names), "ranks first" if len(names) == 1 else "rank first"


def _lead(result: Comparison, pair: MethodPair) -> float:
    """Return by how much the first leads in what the post-hoc test compares: losses, or ranks."""
    return pair.difference.estimate if result.by_losses else pair.rank_difference


def _friedman(result: Comparison) -> str:
    return "" if result.iman_davenport is None else f"Iman-Davenport, {p_words(result.iman_davenport.p_value)}"


def _although(result: Comparison) -> str:
    return f", although not all methods are equal ({_friedman(result)})" if result.rejected else ""


def _bayes(result: Comparison) -> str:
    """Return how probable it is that the first, or the control, is better than the next enough to matter."""
    first = result.control or result.methods[0]
    pair = next(pair for pair in result.compared if pair.first == first)
    # Of the pairs with the first, that with the second-ranked method comes first.
    # It may show a difference that average ranks do not show, which must not read as a contradiction.
    by = "" if result.by_losses else "By losses instead of ranks, "
    more = f" by more than {result.rope:g}" if result.rope else ""
    chance = f"with a probability of {probable(pair.better)} (Bayesian signed-rank test)"
    better = f"{by}{shown(first)} is better than {shown(pair.second)}{more} {chance}"
    if not result.rope:
        return f"{better}."
    return (
        f"{better}; the difference is smaller with {probable(pair.equivalent)}, and {shown(first)} is worse{more} with "
        f"{probable(pair.worse)}."
    )


def _warnings(result: Comparison) -> list[str]:
    if result.friedman is None or not result.by_losses:
        return []
    tests = sum(pair.p_value == pair.p_value for pair in result.compared)
    # Where all p-values are as small, Hochberg and Hommel need not multiply any of them.
    first = 1 if result.posthoc in ("wilcoxon-hochberg", "wilcoxon-hommel") else tests
    least = smallest_wilcoxon(len(result.datasets), first)
    if least <= result.alpha:
        return []
    return [f"So few data sets cannot show a difference at level {result.alpha:g}: p is never below {least:.2g}."]
