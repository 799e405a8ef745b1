"""The sentences of a stress test, and the names of the families of shifts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import median
from typing import TYPE_CHECKING

from shiftproof.core import Phrase, Sensitive, Text, counted, listed, percent, sentence, share, shown
from shiftproof.simulation import Family, shift_label

if TYPE_CHECKING:
    from shiftproof.core import Interval
    from shiftproof.robustness._judge import Lead
    from shiftproof.robustness._omissions import UnmadeShifts
    from shiftproof.robustness._result import Stress

#: The usual names of the families.
CALLED: Mapping[str, str] = {
    "base": "no shift",
    "mcar": "rows lost at random",
    "mar": "rows lost by a feature",
    "mnar": "rows lost, feature hidden",
    "offset": "a feature moves",
    "prior": "class proportions change",
    "soft": "rows thinned by a feature",
}
# The terminal shows the distance only by period.
_MEASURE = "To measure this distance on new data, use detect with --json, or sp.detect(...).hellinger_mean."
# What a name does not say, as in the help of the command.
_EXPLAINED: Mapping[str, str] = {
    "mcar": "rows are lost at random",
    "mar": "rows with some values of a feature are lost",
    "mnar": "rows with some values of a feature are lost, and the models do not see that feature",
    "offset": "a feature's values are moved by a constant",
    "prior": "the class proportions change",
    "soft": "rows are dropped with a probability that depends on a feature",
}


def shift_name(family: str) -> str:
    """Write the name of a family: mechanisms of missing rows in capitals, as in the literature.

    Examples
    --------
    >>> shift_name("mnar"), shift_name("offset")
    ('MNAR', 'offset')
    """
    return family.upper() if family in ("mcar", "mar", "mnar") else family


def shift_text(family: Family, strength: float) -> str:
    """Write a shift for pages and figures; frames have the short names of the papers.

    Examples
    --------
    >>> shift_text("mar", 0.25), shift_text("prior", 0.02), shift_text("base", 0), shift_text("offset", 1)
    ('MAR 25%', '2% positive', 'no shift', 'offset 1 sd')
    """
    if family in ("mcar", "mar", "mnar"):
        return f"{shift_name(family)} {100 * strength:g}%"
    if family == "prior":
        return f"{100 * strength:g}% positive"
    return CALLED["base"] if family == "base" else shift_label(family, strength)


def family_words(families: Iterable[str]) -> str:
    """Explain the names of families of shifts."""
    return "; ".join(f"{shift_name(family)}: {_EXPLAINED.get(family, CALLED[family])}" for family in families)


def unmade_name(shifts: UnmadeShifts) -> str:
    """Write which cells are missing from the grid, such as "2 MAR test sets for 'zip'"."""
    by = f" for {listed(shifts.features, most=3)}" if shifts.features else ""
    return f"{_test_sets(shifts.n_cells, shifts.family)}{by}"


def stress_headline(result: Stress) -> str:
    """Return which model to use, with its accuracy on average."""
    average = f"{percent(result.ranking['best compromise'].value.estimate)} accuracy on average with and without shifts"
    return f"{'Use ' * (len(result.models) > 1)}{result.best}: {average}"


def stress_words(result: Stress, *, below_headline: bool = False) -> Phrase:
    """Return which model to use, unless the headline says it, how far the features may move, and what is noise."""
    use = "" if below_headline else f"Use {shown(result.best)}. "
    words: list[Text] = [
        *(_alone(result) if len(result.models) == 1 else _compared(result, use)),
        *_limit(result),
        *_omissions(result),
        f"With {result.sizes['test']:,} test rows, {_noise(result)}.",
        f"The {share(result.level)} intervals apply to these fitted models.",
        "None of these shifts changes the link between features and label (concept shift).",
    ]
    return Phrase.joined(" ", words)


def _alone(result: Stress) -> list[str]:
    """Describe the one model."""
    # In the order of `Verdicts.leads`.
    unshifted, changed, average = (result.ranking[question].value for question in result.ranking)
    return [
        f"Without a shift, the accuracy of {shown(result.best)} is {_unshifted(result, unshifted)}.",
        f"On average over {_sets(result)}, it is {_accuracy(average)}; it changes by {_points(changed)} on average.",
    ]


def _compared(result: Stress, use: str) -> list[str]:
    """Return which model to use, which is the best without a shift, and which changes least."""
    it = "It" if use else shown(result.best)
    unshifted, robust, average = result.ranking.values()
    most_accurate = f"the most accurate without a shift: {_unshifted(result, unshifted.value)}"
    # Models may have failed on different shifts.
    if math.isnan(robust.value.estimate):
        nobody = "No shifted test set was scored by all models, so no model can be called the most robust."
        return [f"{shown(unshifted.model)} is {most_accurate}{_also(unshifted)}.", nobody]
    on_average = f"the most accurate on average over {_sets(result)}: {_accuracy(average.value)}"
    least = f"{shown(robust.model)} changes least: by {_points(robust.value)} on average{_also(robust)}."
    if unshifted.model != average.model:
        return [
            f"{use}{it} is {on_average}{_also(average)}.",
            f"{shown(unshifted.model)} is {most_accurate}{_also(unshifted)}.",
            least,
        ]
    # One model leads twice, often before the same others: these are named once.
    twice = set(unshifted.within_noise) == set(average.within_noise)
    both = [f"Both times, {_rivals(average)}."] if twice and average.within_noise else []
    return [
        f"{use}{it} is {most_accurate}{'' if twice else _also(unshifted)}.",
        f"It is also {on_average}{'' if twice else _also(average)}.",
        *both,
        least,
    ]


def _also(lead: Lead) -> str:
    return f", but {_rivals(lead)}" if lead.within_noise else ""


def _rivals(lead: Lead) -> str:
    """Say which models are as good as the first up to noise."""
    return f"the difference from {listed(lead.within_noise, most=3)} is within noise"


def _limit(result: Stress) -> list[str]:
    """Say how far features may move, and where to see how far they have."""
    envelope = result.envelope[result.best]
    bounded = not (envelope.never or envelope.always or math.isnan(envelope.seen_hellinger))
    return [str(sentence(envelope.summary())), *([_MEASURE] * bounded)]


def _accuracy(value: Interval) -> str:
    """Write an accuracy with its interval.

    Examples
    --------
    >>> from shiftproof.core import Interval
    >>> _accuracy(Interval(estimate=0.83, low=0.808, high=0.852, level=0.9, method="wilson"))
    '83.0% (80.8% to 85.2%)'
    """
    return f"{percent(value.estimate)} ({percent(value.low)} to {percent(value.high)})"


def _unshifted(result: Stress, value: Interval) -> str:
    """Write an accuracy without a shift, with its interval and its baseline."""
    baseline = f"always answering the most frequent class: {percent(result.baseline)}"
    return f"{_accuracy(value).removesuffix(')')}; {baseline})"


def _points(change: Interval) -> str:
    return f"{100 * change.estimate:.1f} points"


def _sets(result: Stress) -> str:
    shifted = counted(sum(table.cell.family != "base" for table in result.table_cells), "shifted test set")
    return f"the original and {shifted}"


def _test_sets(number: int, family: str) -> str:
    return counted(number, f"{shift_name(family)} test set")


def _noise(result: Stress) -> str:
    """Return which changes of the best model's accuracy in one shifted test set are typically noise."""
    # Half the width of an interval of a change: what must be exceeded to be more than noise.
    widths = [
        row.change.width / 2 for row in result.cell_rows if row.model == result.best and row.cell.family != "base"
    ]
    return f"changes below {100 * median(widths):.1f} points in one test set are noise"


def _omissions(result: Stress) -> list[Text]:
    """Return which test sets models could not score, and which could not be made; reasons may quote cells."""
    words: list[Text] = [
        Phrase(
            f"{shown(cells.model)} could not score {_test_sets(cells.n_cells, cells.family)} (",
            cells.reason.phrase,
            "); the rankings leave these out.",
        )
        for cells in result.left_out
    ]
    words += [
        Phrase(f"{shown(name)} failed and was left out: ", why.phrase, ".") for name, why in result.failures.items()
    ]
    skipped = [Phrase(f"{unmade_name(shifts)} (", Sensitive(shifts.reason), ")") for shifts in result.unmade]
    return words + ([Phrase("Skipped: ", Phrase.joined("; ", skipped), ".")] if skipped else [])
