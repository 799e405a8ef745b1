"""The report in three layers: the answer on one printed page, what changed, and everything else, folded.

Its parts are sections of the parts' own pages, so that nothing is worded or drawn twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.auditing import _words
from shiftproof.auditing._changes import reliance
from shiftproof.auditing._chart import draw_chart
from shiftproof.auditing._next_step import what_to_do
from shiftproof.auditing._verification_words import verification_summary
from shiftproof.core import Interval, Phrase, Text, chance_percent, counted, percent, shown
from shiftproof.reporting import Figure, Page, Reason, Section
from shiftproof.selection import BLIND, believed, called, types_text, written

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._verification import Claim, Verification
    from shiftproof.backtesting import Backtest
    from shiftproof.selection import LabelPlan

_KEY = ("labelled data", "new data")


def audit_page(
    result: Audit,
    title: str,
    *,
    verification: Verification | None,
    sources: tuple[Text, Text] = ("", ""),
    plan: LabelPlan | None,
) -> Page:
    """Compose the report."""
    expect, changed = _expect(result, verification), _changed(result)
    folded = [replace(section, folded=True) for section in _folded(result, verification, plan)]
    # Reasons name sections by their anchors.
    places = {section.anchor: section for section in (expect, changed, *folded)}
    return Page(
        title=title,
        head=_head(result, sources),
        verdict=result.headline if verification is None else verification.headline,
        tone=result.tone,
        summary="" if verification is None else f'Before the labels arrived: "{result.headline}"',
        reasons=[Reason(reason.words, places[reason.section]) for reason in result.reasons],
        sections=[expect, _next_step(result, verification), changed, *folded],
        facts=_facts(result),
    )


def verification_page(checked: Verification, title: str) -> Page:
    """Compose the page of what actually happened."""
    return Page(
        title=title,
        verdict=f"The audit's verdict was: {checked.verdict}",
        # The page reports what became of a verdict and gives none of its own.
        tone="unknown",
        summary=checked.summary(),
        sections=[_actual(checked)],
        facts={"new rows": f"{checked.n_new:,}", "level of the intervals": checked.level, "shiftproof": __version__},
    )


def _head(result: Audit, sources: tuple[Text, Text]) -> dict[str, object]:
    """Return what the report is about: both tables, the models, and when it was made."""
    performance, deployed = result.performance, " (deployed)" if result.deployed else ""
    counts = (counted(performance.n_labelled, "row"), counted(performance.n_new, "row"))
    tables = (Phrase.joined(", ", filter(None, (source, rows))) for source, rows in zip(sources, counts, strict=True))
    return {
        **dict(zip(("Labelled data", "New data"), tables, strict=True)),
        "Models": f"{', '.join(result.selection.ranking)}{deployed}; judged by {called(result.measure)}",
        **({"Columns not compared": not_compared} if (not_compared := _words.not_compared(result)) else {}),
        "Made": f"{result.made:%Y-%m-%d %H:%M} UTC, shiftproof {__version__}",
    }


def _expect(result: Audit, checked: Verification | None) -> Section:
    """Lay out the answer: one chart and one table, a row per model."""
    measure, size = result.measure, plots.expected_size(len(result.selection.ranking))
    draw = partial(plots.drawn_svg, partial(draw_chart, result, checked), size, "answer")
    # Without estimates and without labels the validated figures would be all that there is to draw.
    drawn = checked is not None or not result.refused
    columns, rows = _models(result, checked)
    how_sure = _words.how_wide_text(result) if checked is None else verification_summary(checked, below_headline=True)
    chance = _words.what_chance_means(result) if checked is None else ""
    return Section(
        title=f"{called(measure)[0].upper()}{called(measure)[1:]} on the new data",
        anchor="expect",
        text=" ".join(filter(None, [how_sure, _words.order_text(result), chance])),
        figures=[Figure(f"Validated and estimated {called(measure)} of each model", draw)] if drawn else [],
        beside=drawn,
        columns=columns,
        rows=rows,
        # The row of the baseline, which comes after the models.
        faint=[len(result.selection.ranking)],
    )


def _models(result: Audit, checked: Verification | None) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """Return the table of the answer: heads, then a row per model and one for the baseline."""
    measure, names, second = result.measure, result.selection.ranking, result.second_measure
    estimates = result.performance.estimates
    columns: dict[str, list[str]] = {
        "model": list(names),
        "validated": [written(estimates[name][measure].validated, measure) for name in names],
        _estimated(result): [_estimate(estimates[name][measure].interval, measure) for name in names],
    }
    chances = [result.loss_chance_of(name) for name in names]
    if checked is None and not result.performance.all_labelled and not any(map(math.isnan, chances)):
        columns[f"chance that {_words.loses(result)}"] = list(map(chance_percent, chances))
    # A guess at the best model beside "no estimate" would be read as one; the only model is always the best.
    if not result.refused and len(names) > 1:
        columns["probability of being best"] = [believed(result.selection.probabilities[name]) for name in names]
    # Actual values take its room; every measure is below.
    if second is not None and not result.refused and checked is None:
        columns[called(second)] = [_span(estimates[name][second].interval, second) for name in names]
    if checked is not None:
        claims = {claim.about: claim for claim in checked.models}
        columns["actual"] = [written(claims[name].actual, measure) for name in names]
        if not result.refused:
            columns["covered"] = [_covered(claims[name]) for name in names]
    baseline = _baseline_cells(result, checked)
    if baseline:
        # Heads may say more in parentheses.
        columns = {head: [*cells, baseline.get(head.split(" (")[0], "")] for head, cells in columns.items()}
    return list(columns), [*zip(*columns.values(), strict=True)]


def _estimated(result: Audit) -> str:
    """Return the head of the column of estimates, which are exact if every label is known."""
    return "actual" if result.performance.all_labelled else f"estimate ({result.performance.level:.0%} interval)"


def _baseline_cells(result: Audit, checked: Verification | None) -> dict[str, str]:
    """Return what always answering the most frequent class has; empty where the measure is not about accuracy."""
    if not result.judged_by_accuracy:
        return {}
    wrong, baseline = result.measure == "error", result.performance.baseline
    cells = {
        "model": f"always {shown(baseline.label)}",
        "validated": percent(1 - result.baseline if wrong else result.baseline),
        _estimated(result).split(" (")[0]: _estimate(baseline.interval_of(result.measure), result.measure),
    }
    if checked is not None:
        share = checked.baseline.actual
        cells["actual"] = percent(1 - share if wrong else share)
    return cells


def _estimate(interval: Interval, measure: str) -> str:
    if interval.estimate != interval.estimate:
        return "no estimate"
    value, span = written(interval.estimate, measure), _span(interval, measure)
    # Known labels leave no width.
    return value if interval.low == interval.high else f"{value} ({span})"


def _span(interval: Interval, measure: str) -> str:
    return (
        f"{written(interval.low, measure)} to {written(interval.high, measure)}" if interval.low == interval.low else ""
    )


def _covered(claim: Claim) -> str:
    # Neither yes nor no: nothing was estimated, or the actual value is not defined.
    return {True: "yes", False: "no", None: ""}[claim.covered]


def _next_step(result: Audit, checked: Verification | None) -> Section:
    which_rows = 'see "Which rows to label" below'
    words: list[Text] = [what_to_do(result, labels_known=checked is not None, which_rows=which_rows)]
    # Labels would have shown what cannot be seen without them.
    if checked is None and not len(result.performance.labelled):
        words.append(BLIND)
    return Section(title="What to do", text=Phrase.joined(" ", words))


def _changed(result: Audit) -> Section:
    """Lay out what changed, the features first that the recommended model relies on."""
    if result.detection is None:
        text = Phrase("Left out: ", result.left_out["what changed, feature by feature"], ".")
        return Section(title="What changed", anchor="changed", text=text, new_sheet=True)
    used = {name: reliance(part) for name, part in result.importance.items()}
    more = {f"does {result.best} use it?": used} if used else {}
    section = result.detection.sections(features=result.changes, key=_KEY, more=more).changes
    # A reason above says which features changed.
    said = any(reason.section == "changed" for reason in result.reasons) and bool(result.detection.features)
    finding = "" if said else result.detection.finding
    words = [finding, _words.shown_changes(result, len(section.rows)), _words.order_of_changes(result)]
    return replace(section, anchor="changed", text=" ".join(filter(None, words)), new_sheet=True)


def _folded(result: Audit, checked: Verification | None, plan: LabelPlan | None) -> Iterator[Section]:
    """Yield everything else, in the order in which readers ask for it."""
    estimate = result.performance.sections(models=result.selection.ranking, plan=plan)
    if checked is not None:
        yield _actual(checked)
    else:
        yield replace(estimate.expected, title="Every measure", anchor="estimates", figures=(), beside=False)
    # What is known is not estimated.
    if not result.performance.all_labelled:
        yield _shares(result)
    choice = result.selection.sections(shift_explained=True)
    ranking = replace(choice.which, anchor="ranking", title="The ranking", beside=True)
    rivals = None if choice.others is None else _rivals(result, choice.others)
    # What was left out is named with its reason below.
    reverse = None if result.selection.reverse is None else choice.reverse
    # One model has nothing to be ranked with.
    several = len(result.selection.ranking) > 1
    shown = (ranking, choice.order, reverse, rivals) if several else (rivals,)
    others = [replace(section, folded=False) for section in shown if section]
    if several or others:
        title = "Which model" if several else "Estimates by other methods"
        yield Section(title=title, anchor="which", text=_without_others(result), sections=others)
    # With all labels known there is nothing to label.
    if checked is None and plan is not None:
        yield estimate.labels
    # Where estimates are refused the type of shift is the reason, which is in the section itself.
    no_estimates = result.refused or result.performance.all_labelled
    yield from _evidence(result, None if no_estimates else estimate.why)
    if result.past is not None:
        yield _past(result, result.past)
    evaluated = result.evaluation.sections()
    figures = [replace(evaluated.ranking, title="The models compared", anchor="validated"), evaluated.curves]
    every = replace(evaluated.measures, title="Every measure on the labelled data")
    yield Section(
        title=f"Figures from {_words.validated_by(result)}",
        anchor="validation",
        sections=[section for section in (*figures, every) if section is not None],
    )
    how = replace(choice.how, title="How the ranking was made", folded=False)
    yield Section(
        title="How this was computed",
        anchor="how-we-know",
        text=_words.scored_how(result),
        sections=[how, _cost(result)],
    )


def _past(result: Audit, past: Backtest) -> Section:
    """Lay out what would have been estimated in the past, and what was true."""
    parts = past.sections()
    sections = [replace(section, anchor=f"past-{section.anchor}", folded=False) for section in parts]
    # A caution about all labelled rows holds for the earlier ones as well, with another figure.
    said = {note.code for note in result.cautions}
    own = replace(past, notes=tuple(note for note in past.notes if note.code not in said))
    return Section(title="The past, replayed", anchor="past", text=own.words(), sections=sections)


def _rivals(result: Audit, section: Section) -> Section:
    """Lay out the estimates of other methods; deployed models were not cross-validated."""
    title, validated = "Accuracy by other methods", "cross-validation"
    if not result.deployed:
        return replace(section, title=title)
    instead = "accuracy on the labelled data"
    rows = [tuple(instead if cell == validated else cell for cell in row) for row in section.rows]
    return replace(section, title=title, rows=rows, text=str(section.text).replace(validated, f"the {instead}"))


def _without_others(result: Audit) -> str:
    """Say why other methods' estimates are left out."""
    if not result.refused:
        return ""
    why = "for data that are so different" if result.shift.refused else "with so few new rows"
    return f"Other methods cannot estimate accuracy {why} either."


def _actual(checked: Verification) -> Section:
    """Lay out every estimate beside the actual value."""

    def row(claim: Claim) -> tuple[object, ...]:
        # A share is written as an accuracy is: in per cent.
        measure = "accuracy" if claim.measure == "share" else claim.measure
        name = f"class {claim.about}" if claim.measure == "share" else claim.about
        # The audit does not stand by such an estimate, so that it is none.
        given = not claim.refused and claim.believed
        ends = f"{written(claim.low, measure)} to {written(claim.high, measure)}" if given else "no estimate"
        covered = _covered(claim) if given else ""
        return (
            name,
            called(claim.measure),
            written(claim.validated, measure),
            ends,
            written(claim.actual, measure),
            covered,
        )

    return Section(
        title="What actually happened",
        anchor="actual",
        columns=("model", "measure", "validated", "estimate", "actual", "covered"),
        rows=[row(claim) for claim in checked.claims],
        sortable=True,
    )


def _shares(result: Audit) -> Section:
    """Lay out the class proportions; nothing where they cannot be estimated."""
    # Reasons link to this anchor, which says what the section is about on this page.
    title, anchor = "Class proportions", "prevalence"
    if result.refused:
        return Section(title=title, anchor=anchor, text=_words.no_count_text(result))
    counts = result.quantification.sections()
    if result.quantification.refused:
        return Section(title=title, anchor=anchor, text=counts.belief.text)
    sections = [counts.belief]
    if counts.methods is not None:
        sections.append(replace(counts.methods, title="Class proportions by other methods", folded=False))
    return replace(counts.shares, title=title, anchor=anchor, sections=sections)


def _evidence(result: Audit, why: Section | None) -> Iterator[Section]:
    """Yield the type of shift, all features, and the scores of the models; without features there are none of these."""
    if result.detection is None:
        if why is not None:
            yield replace(why, title="Type of shift", anchor="kind")
        return
    parts = result.detection.sections(key=_KEY)
    # The section has said already what the type of shift is, and why.
    by_type = []
    if why is not None:
        text = "" if result.refused else types_text(result.performance)
        by_type = [replace(why, title="The estimate under each type of shift", text=text, folded=False)]
    together = [] if parts.together is None else [replace(parts.together, folded=False)]
    yield replace(parts.kind, sections=[*by_type, *together])
    features = [replace(section, folded=False) for section in (parts.sizes, parts.features, parts.groups) if section]
    tests = replace(parts.tests, title="Every test", folded=False)
    yield Section(title="Every feature", anchor="every-feature", sections=[*features, tests])
    # Scores of data that are too different say nothing about their classes.
    if parts.scores is not None and not result.refused:
        yield parts.scores


def _cost(result: Audit) -> Section:
    cost = f"{counted(result.fits, 'fit')}; {result.seconds:.1f} s in total."
    return Section(
        title="Time, and what was left out",
        anchor="cost",
        text=Phrase.joined(" ", filter(None, [cost, _words.left_out(result)])),
        columns=("stage", "seconds"),
        rows=[(stage.name, f"{stage.seconds:.1f}") for stage in result.stages],
    )


def _facts(result: Audit) -> dict[str, object]:
    performance = result.performance
    return {
        "tolerance": result.tolerance,
        "level of the intervals": performance.level,
        "positive class": str(performance.positive),
        "seed": result.seed,
        **{f"fingerprint of the {name}": value for name, value in result.fingerprints.items()},
        "shiftproof": __version__,
        **result.versions,
    }
