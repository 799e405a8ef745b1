"""The sentences of a stress test, and the names of the families of shifts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING

from shiftproof.core import Phrase, Sensitive, Text, counted, listed, percent, share, shown

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


def shift_name(family: str) -> str:
    """Write the name of a family as the papers do.

    Examples
    --------
    >>> shift_name("mnar"), shift_name("offset")
    ('MNAR', 'offset')
    """
    return family.upper() if family in ("mcar", "mar", "mnar") else family


def unmade_name(shifts: UnmadeShifts) -> str:
    """Write which cells are missing from the grid, such as "2 tables of MAR for 'zip'"."""
    by = f" for {listed(shifts.features, most=3)}" if shifts.features else ""
    return f"{counted(shifts.n_cells, 'table')} of {shift_name(shifts.family)}{by}"


def stress_words(result: Stress) -> Phrase:
    """Return which model to use, how far the features may move, and what is noise, in words."""
    words: list[Text] = [
        *(_alone(result) if len(result.models) == 1 else _compared(result)),
        _limit(result),
        *_omissions(result),
        f"{result.sizes['test']:,} test rows: {_noise(result)}.",
        f"Intervals ({share(result.level)}) apply to these fitted models.",
        "None of these shifts changes the link between features and label (concept shift).",
    ]
    return Phrase.joined(" ", words)


def _alone(result: Stress) -> list[str]:
    """Describe the one model."""
    # In the order of `Verdicts.leads`.
    today, changed, expected = (result.ranking[question].value for question in result.ranking)
    return [
        f"The accuracy of {shown(result.best)} is {_accuracy(today)} today and {_accuracy(expected)} on average over "
        f"today and {_sets(result)}; it changes by {_points(changed)} on average."
    ]


def _compared(result: Stress) -> list[str]:
    """Return which model to use, which is the best today, and which changes least."""
    today, robust, best = result.ranking.values()
    best_today = f"best today: {_accuracy(today.value)}"
    # Models may have failed on different shifts.
    if math.isnan(robust.value.estimate):
        nobody = "No shifted test set was scored by all models, so no model can be called the most robust."
        return [f"{shown(today.model)} is {best_today}{_close(today)}.", nobody]
    average = f"best on average over today and {_sets(result)}: {_accuracy(best.value)}{_close(best)}"
    least = f"{shown(robust.model)} changes least: by {_points(robust.value)} on average{_close(robust)}."
    if today.model == best.model:
        return [f"Use {shown(best.model)}. It is {best_today}{_close(today)}; and {average}.", least]
    return [
        f"Use {shown(best.model)}. It is {average}.",
        f"{shown(today.model)} is {best_today}{_close(today)}.",
        least,
    ]


def _close(lead: Lead) -> str:
    """Return which models are as good as the first up to noise; empty if none is."""
    return f", within noise of {listed(lead.within_noise, most=3)}" if lead.within_noise else ""


def _limit(result: Stress) -> str:
    """Say how far features may move, and where to see how far they have."""
    envelope = result.envelope[result.best]
    bounded = not (envelope.never or envelope.always or math.isnan(envelope.seen_hellinger))
    return _sentence(f"{envelope.summary()}{'; detect measures this distance on new data' if bounded else ''}")


def _accuracy(value: Interval) -> str:
    """Write an accuracy with its interval.

    Examples
    --------
    >>> from shiftproof.core import Interval
    >>> _accuracy(Interval(estimate=0.83, low=0.808, high=0.852, level=0.9, method="wilson"))
    '83.0% (80.8% to 85.2%)'
    """
    return f"{percent(value.estimate)} ({percent(value.low)} to {percent(value.high)})"


def _points(change: Interval) -> str:
    return f"{100 * change.estimate:.1f} points"


def _sets(result: Stress) -> str:
    return counted(sum(table.cell.family != "base" for table in result.table_cells), "shifted test set")


def _noise(result: Stress) -> str:
    """Return which changes of the best model's accuracy in one shifted test set are typically noise."""
    # Half the width of an interval of a change: what must be exceeded to be more than noise.
    widths = [
        row.change.width / 2 for row in result.cell_rows if row.model == result.best and row.cell.family != "base"
    ]
    return f"changes below {100 * median(widths):.1f} points in one test set are noise"


def _omissions(result: Stress) -> list[Text]:
    """Return which tables models could not score, and which could not be made; reasons may quote cells."""
    words: list[Text] = [
        Phrase(
            f"{shown(cells.model)} could not score {counted(cells.n_cells, 'table')} of {shift_name(cells.family)} (",
            cells.reason.phrase,
            "); the rankings leave these out.",
        )
        for cells in result.left_out
    ]
    words += [
        Phrase(f"{shown(name)} failed and was left out: ", why.phrase, ".") for name, why in result.failures.items()
    ]
    return words + [
        Phrase(f"Skipped: {unmade_name(shifts)} (", Sensitive(shifts.reason), ").") for shifts in result.unmade
    ]


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
