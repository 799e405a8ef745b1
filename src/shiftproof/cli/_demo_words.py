"""The sentences of the demo; every figure of an act comes from its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from shiftproof.core import percent

if TYPE_CHECKING:
    from shiftproof.cli._demo_acts import Act

_LEARNERS = {"lr": "logistic regression", "forest": "random forest", "nb": "naive Bayes"}
#: How many splits of the calls were tried, and how the estimates ended for those that meet the rule; docs/demo.md lists
#: them, and tools/try_demo.py tries them again.
TRIED, ENDS = 57, {"right": 5, "wrong": 0, "refused": 0}
#: Verdicts of `--no-shift` with seeds 0 to 9, from the same page.
OTHER_HALVES = {"trust": 9, "check first": 1}


def opening(acts: Sequence[Act]) -> str:
    """Return what the models are."""
    names = [f"{name} ({_LEARNERS[name]})" for name in acts[0].performance.names]
    models = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"A bank called its customers to sell deposits. Who will say yes?\nModels: {models}."


def act_lines(act: Act) -> Iterator[str]:
    """Yield the question of an act, what cross-validation and shiftproof say, and the truth."""
    yield act.question
    yield f'  cross-validation  {percent(act.validated)} (always "no": {percent(act.labelled_baseline)})'
    # The reason of a refusal needs more than one line.
    yield from wrap(f"  shiftproof        {_answer(act)}", 80, subsequent_indent=" " * 20)
    # The labels are known here, and with them which answer is the most frequent.
    yes = f', "yes": {percent(1 - act.baseline)}' if act.baseline < 0.5 else ""
    yield f'  actual accuracy   {percent(act.truth)} (always "no": {percent(act.baseline)}{yes}){_hit(act)}'


def closing_lines(acts: Sequence[Act], seed: int) -> Iterator[str]:
    """Yield how many intervals were right, and what was chosen by us."""
    covered = [inside for act in acts for inside in act.covered.values()]
    if covered:
        over = "Over all acts, models and measures" if len(acts) > 1 else "Over all models and measures"
        yield f"{over}, {sum(covered)} of {len(covered)} intervals contain the actual value."
    if len(acts) == 1:
        verdicts = ", ".join(f"{verdict!r} in {count} of 10" for verdict, count in OTHER_HALVES.items())
        yield f"The halves were drawn with seed {seed}. Seeds 0 to 9 gave: {verdicts}."
    else:
        total = sum(ENDS.values())
        yield f"Of {TRIED} ways to split the calls, the models have skill and then lose in {total}."
        yield f"Act 1 has the most skill; {ENDS['right']} of {total} intervals are right: see docs/demo.md."
    yield "For your own files: shiftproof audit labelled.csv new.csv --target COLUMN"


def _answer(act: Act) -> str:
    if act.refused:
        performance = act.performance
        # One reason is enough here: what makes the new rows too different, or what else stands in the way.
        reasons = performance.shift.reasons if performance.shift.refused else performance.refusal
        return f"no estimate. {reasons[0]}"
    labels = len(act.performance.labelled)
    help_ = f"with {labels} labels" if labels else "without labels"
    return f"{percent(act.interval.low)} to {percent(act.interval.high)}, {help_}"


def _hit(act: Act) -> str:
    """Say whether the interval of the act contains the actual accuracy."""
    inside = act.covered.get((act.model, "accuracy"))
    return "" if inside is None else ": in the interval" if inside else ": outside the interval"
