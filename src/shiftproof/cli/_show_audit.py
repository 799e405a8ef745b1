"""How an audit looks in a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.console import Console

from shiftproof.auditing import order_text, verification_summary, what_to_do
from shiftproof.cli._show import estimate_text, share_text, show_line, show_models, show_plan
from shiftproof.cli._words import in_terminal
from shiftproof.core import Phrase, chance_percent
from shiftproof.detection import change_size
from shiftproof.reporting import print_verdict, styled
from shiftproof.selection import BLIND, believed, called, written

if TYPE_CHECKING:
    from shiftproof.auditing import Audit, Verification
    from shiftproof.detection import FeatureShift
    from shiftproof.selection import LabelPlan

# More would fill the screen; detect and the report have all.
_MOST_FEATURES = 5
_COVERED = {True: "yes", False: "no", None: ""}


def show_audit(console: Console, result: Audit) -> None:
    """Print the verdict, its reasons, the estimate of each model, and what else was computed or left out."""
    print_verdict(
        console, result.headline, result.tone, [in_terminal(Phrase(reason.words)) for reason in result.reasons]
    )
    selection, performance = result.selection, result.performance
    measure, names = result.measure, selection.ranking
    known = performance.all_labelled
    cells = {
        "validated": [written(performance.estimates[name][measure].validated, measure) for name in names],
        "actual" if known else "estimated": [estimate_text(performance, name, measure) for name in names],
    }
    how = "on the labelled rows" if result.evaluation.panel.deployed else "by cross-validation"
    named = called(measure)
    of_new = f"Estimated: {named} on the new data, with a {performance.level:.0%} interval."
    legend = f"Validated: {named} {how}. {f'Actual: {named} on the new data.' if known else of_new}"
    chances = [result.loss_chance_of(name) for name in names]
    if not known and not any(map(math.isnan, chances)):
        cells["loss"] = list(map(chance_percent, chances))
        legend += f" Loss: the chance that it is worse than validated by more than {result.tolerance:g}."
    # The only model is always the best; a refused audit gives no figure for the new data, as on the page.
    if len(names) > 1 and not result.refused:
        cells["best"] = [believed(selection.probabilities[name]) for name in names]
        legend += " Best: probability of being the best model."
    likely = None if result.refused else {selection.best, *selection.contenders}
    show_models(console, names, cells, likely=likely)
    console.print(styled(console, " ".join(filter(None, [legend, order_text(result)])), "dim"))
    console.print()
    reasons = {reason.section for reason in result.reasons}
    # What a reason has said is not said again; counting uses no labels of new rows, which know better.
    if not result.refused and "prevalence" not in reasons and not len(result.performance.labelled):
        show_line(console, f"share of class {result.quantification.positive!r}", share_text(result.quantification))
    show_changes(console, result, said="changed" in reasons)
    for part, why in result.left_out.items():
        show_line(console, "left out", f"{part} ({in_terminal(why)}).")
    spent = ", ".join(f"{stage.name} {stage.seconds:.1f} s" for stage in result.stages if stage.worth_showing)
    show_line(console, "time", "; ".join(filter(None, [f"{result.seconds:.1f} s", spent])) + ".")


def show_next_step(
    console: Console, result: Audit, plan: LabelPlan | None, how: str, *, checked: Verification | None
) -> None:
    """Print what to do after the verdict, as the page and the summary say it, and which rows to label."""
    below = {} if plan is None else {"which_rows": '"label" below'}
    # Rows are planned for every audit; none are shown if their labels would hardly narrow the interval.
    if plan is None and result.verdict == "check first":
        below = {"which_rows": ""}
    show_line(
        console,
        "next step",
        in_terminal(what_to_do(result, labels_known=checked is not None, **below)),
    )
    show_plan(console, plan, how, head="label")
    # With labels a concept shift would have shown.
    if checked is None and not len(result.performance.labelled):
        console.print(styled(console, BLIND, "dim"))


def show_changes(console: Console, result: Audit, *, said: bool = False) -> None:
    """Print which features changed most, if there are features; of none or one nothing if a reason has said it."""
    if result.detection is None:
        return
    # A feature may have two rows, one of them for its missing values; the first has the clearer change.
    shifted: dict[str, FeatureShift] = {}
    for row in result.detection.rows:
        if row.verdict == "shifted":
            shifted.setdefault(row.feature, row)
    named = [f"{row.feature} ({change_size(row)})" for row in shifted.values()]
    if said and len(named) < 2:
        return
    if named:
        more = f" and {len(named) - _MOST_FEATURES} more" if len(named) > _MOST_FEATURES else ""
        show_line(console, "changed most", f"{', '.join(named[:_MOST_FEATURES])}{more}.")
    elif result.detection.verdict == "cannot tell":
        show_line(console, "features", "with so few rows, a change could not be detected.")
    else:
        show_line(console, "features", "none changed enough to matter.")


def show_verification(console: Console, result: Verification) -> None:
    """Print of every model what was validated and estimated, the actual value, and whether the interval covers it."""
    measure, claims = result.measure, result.models
    cells = {
        "validated": [written(claim.validated, measure) for claim in claims],
        "estimated": [
            "no estimate" if claim.refused else f"{written(claim.low, measure)} to {written(claim.high, measure)}"
            for claim in claims
        ],
        "actual": [written(claim.actual, measure) for claim in claims],
        "covered": [_COVERED[claim.covered] for claim in claims],
    }
    console.print(styled(console, result.headline, "bold"))
    show_models(console, [claim.about for claim in claims], cells)
    console.print(styled(console, verification_summary(result, below_headline=True)))
