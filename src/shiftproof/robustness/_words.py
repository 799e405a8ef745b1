"""The sentences of a stress test, and the names of the families of shifts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING

from shiftproof.core import Phrase, Sensitive, Text, counted, listed, shown

if TYPE_CHECKING:
    from shiftproof.robustness._omissions import UnmadeShifts
    from shiftproof.robustness._result import Stress

#: The usual names of the families.
CALLED: Mapping[str, str] = {
    "base": "no shift",
    "mcar": "rows lost at random",
    "mar": "rows lost by a feature",
    "mnar": "rows lost, feature hidden",
    "offset": "a feature moves",
    "prior": "classes change balance",
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
    """Write which cells are missing from the grid, such as "2 tables of MAR by 'zip'"."""
    by = f" by {listed(shifts.features, most=3)}" if shifts.features else ""
    return f"{counted(shifts.n_cells, 'table')} of {shift_name(shifts.family)}{by}"


def stress_words(result: Stress) -> Phrase:
    """Return which models are accurate and robust, what is noise, and how far the features may move, in words."""
    sizes = result.sizes
    words: list[Text] = [
        *(_alone(result) if len(result.models) == 1 else _compared(result)),
        _sentence(result.envelope[result.best].summary()),
        *_omissions(result),
        f"{sizes['test']:,} test rows, {sizes['validation']:,} validation rows: {_noise(result)}; the "
        "intervals apply to these fitted models; p-values of bootstrapped accuracies (Friedman) are not "
        "independent evidence.",
        "If the link between features and label changed (concept shift), no grid covers it.",
    ]
    return Phrase.joined(" ", words)


def _alone(result: Stress) -> list[str]:
    """Describe the one model."""
    # In the order of `Verdicts.leads`.
    today, changed, expected = (result.ranking[question].value for question in result.ranking)
    return [
        f"The accuracy of {shown(result.best)} is {today} without a shift and changes by {changed} on average over "
        f"{_sets(result)}; its mean over today and all shifts is {expected}."
    ]


def _compared(result: Stress) -> list[str]:
    """Return which model leads, and whether that is noise, in one sentence."""
    robust = f"{{who}} is the most robust: its accuracy changes by {{value}} on average over {_sets(result)}"
    compromise = "{who} is the best compromise: its mean accuracy over today and all shifts is {value}"
    words = [_lead_words(result, "most accurate", "{who} is the most accurate without a shift ({value})")]
    # Models may have failed on different shifts.
    if math.isnan(result.ranking["most robust"].value.estimate):
        return [*words, "No shifted test set was scored by all models, so none can be called the most robust."]
    return [*words, _lead_words(result, "most robust", robust), _lead_words(result, "best compromise", compromise)]


def _lead_words(result: Stress, question: str, words: str) -> str:
    lead = result.ranking[question]
    claim = words.format(who=shown(lead.model), value=lead.value)
    if lead.runner_up is None:
        return f"{claim}."
    if lead.beyond_noise:
        return f"{claim}, and ahead of {shown(lead.runner_up)} by more than noise."
    return f"{claim}, within noise of {listed(lead.within_noise, most=3)}."


def _sets(result: Stress) -> str:
    return counted(sum(table.cell.family != "base" for table in result.table_cells), "shifted test set")


def _noise(result: Stress) -> str:
    """Return which changes of the best model's accuracy in one shifted test set are typically noise."""
    # Half the width of an interval of a change: what must be exceeded to be more than noise.
    widths = [
        row.change.width / 2 for row in result.cell_rows if row.model == result.best and row.cell.family != "base"
    ]
    return f"changes under {100 * median(widths):.1f} points in one test set are noise"


def _omissions(result: Stress) -> list[Text]:
    """Return which tables models could not score, and which could not be made; reasons may quote cells."""
    words: list[Text] = [
        Phrase(
            f"{shown(cells.model)} could not score {counted(cells.n_cells, 'table')} of {shift_name(cells.family)} (",
            cells.reason.phrase,
            "); rankings leave these out.",
        )
        for cells in result.left_out
    ]
    words += [
        Phrase(f"{shown(name)} failed and was left out: ", why.phrase, ".") for name, why in result.failures.items()
    ]
    return words + [
        Phrase(f"Not made: {unmade_name(shifts)} (", Sensitive(shifts.reason), ").") for shifts in result.unmade
    ]


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
