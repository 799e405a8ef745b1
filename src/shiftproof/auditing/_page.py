"""The report: the verdict, what to expect, what changed, which model, and how all that is known.

Its parts are sections of the parts' own pages, so that nothing is worded or drawn twice.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.auditing import _words
from shiftproof.core import Phrase
from shiftproof.reporting import Figure, Page, Reason, Section
from shiftproof.selection import BLIND, written

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._verification import Claim, Verification
    from shiftproof.quantification._page import QuantificationSections


def audit_page(result: Audit, title: str, *, verification: Verification | None) -> Page:
    """Compose the report."""
    estimate = result.performance.sections(models=result.selection.ranking, plan=result.plan)
    choice = result.selection.sections(shift_explained=True)
    counts = result.quantification.sections()
    # Reasons link to this anchor, which says what the section is about on this page.
    shares = replace(counts.shares, anchor="prevalence")
    expected = replace(estimate.expected, title="How good the models are on the new data")
    expect = Section(
        title="What we expect on the new data", anchor="expect", sections=[expected, shares, estimate.labels]
    )
    changed, kind = _changed(result)
    ranking = replace(choice.which, anchor="ranking", title="The ranking")
    which = Section(
        title="Which model",
        anchor="which",
        # A second opinion; folded, because its matrix grows with the square of the models.
        sections=[ranking, choice.order, replace(choice.reverse, folded=True), choice.others],
    )
    # Where estimates are refused, the reason is the type of shift, which is explained above.
    why = None if result.performance.refused and kind is not None else estimate.why
    how = _how(result, counts, why=why, ranked=choice.how)
    # Reasons name sections by their anchors; without features there is none about the type of shift.
    places = {part.anchor: part for part in (expect, changed, shares, which, how, *([] if kind is None else [kind]))}
    return Page(
        title=title,
        verdict=result.headline,
        tone=result.tone,
        summary=_words.what_to_do(result, labels_known=verification is not None),
        reasons=[Reason(reason.words, places[reason.section]) for reason in result.reasons],
        # Actual values come first: they are stronger evidence than all estimates below.
        sections=[*([] if verification is None else [_actual(verification)]), expect, changed, which, how],
        facts=_facts(result),
    )


def _actual(checked: Verification) -> Section:
    def row(claim: Claim) -> tuple[object, ...]:
        # A share is written as an accuracy is: in per cent.
        measure = "accuracy" if claim.measure == "share" else claim.measure
        name = f"share of {claim.about}" if claim.measure == "share" else claim.about
        ends = "refused" if claim.refused else f"{written(claim.low, measure)} to {written(claim.high, measure)}"
        # Neither yes nor no: nothing was estimated, or the actual value is not defined.
        covered = "" if claim.covered is None else claim.covered
        if not claim.believed:
            covered = f"{'yes' if claim.covered else 'no'}, and not to be believed"
        return name, claim.measure, written(claim.validated, measure), ends, written(claim.actual, measure), covered

    # Called only when the page is rendered as HTML; a terminal shows no charts.
    draw = partial(plots.drawn_svg, checked.plot, plots.expected_size(len(checked.models)), "actual")
    validated = "labelled data" if checked.deployed else "cross-validation"
    return Section(
        title="What actually happened",
        anchor="actual",
        text=f"The labels of the new rows are known by now. {checked.summary()}",
        figures=[Figure("Validated, estimated and actual figure of each model", draw)],
        columns=("model", "measure", validated, "estimate", "actual", "covered"),
        rows=[row(claim) for claim in checked.claims],
        sortable=True,
    )


def verification_page(checked: Verification, title: str) -> Page:
    """Compose the page of what actually happened."""
    return Page(
        title=title,
        verdict=f"The audit's verdict was: {checked.verdict}",
        # The page reports what became of a verdict and gives none of its own.
        tone="unknown",
        summary=checked.summary(),
        # The text of the section is the summary of the page already.
        sections=[replace(_actual(checked), text="")],
        facts={"new rows": f"{checked.n_new:,}", "level of the intervals": checked.level, "shiftproof": __version__},
    )


def _changed(result: Audit) -> tuple[Section, Section | None]:
    """Return what changed, and the part of it about the type of shift; without features there is none."""
    title, anchor = "What changed", "changed"
    if result.detection is None:
        text = Phrase("Left out: ", result.left_out["what changed, feature by feature"], ".")
        return Section(title=title, anchor=anchor, text=text), None
    parts = result.detection.sections()
    sizes, tests = replace(parts.sizes, title="The size of each change"), replace(parts.tests, title="Every feature")
    shown = list(replace(parts, sizes=sizes, tests=tests, scores=None))
    # The scores follow the features, which the first reasons are about.
    shown[2:2] = [] if parts.scores is None else [parts.scores]
    return Section(title=title, anchor=anchor, text=result.detection.words(), sections=shown), parts.kind


def _how(result: Audit, counts: QuantificationSections, *, why: Section | None, ranked: Section) -> Section:
    evaluated = result.evaluation.sections()
    sections = [
        replace(evaluated.ranking, title=f"Figures from {_words.validated_by(result)}", anchor="validated"),
        *([] if evaluated.curves is None else [evaluated.curves]),
        *([] if why is None else [replace(why, title="Why these estimates")]),
        replace(counts.belief, title="Can the class proportions be believed"),
        replace(counts.methods, title="Class proportions by other methods"),
        replace(ranked, title="How the ranking was made"),
        evaluated.measures,
        _cost(result),
    ]
    # Evidence for those who ask; what it means is said above.
    folded = [replace(section, folded=True) for section in sections]
    # The one place on the page that says what cannot be seen without labels.
    text = f"{_words.scored_how(result)} {BLIND}"
    return Section(title="How we know", anchor="how-we-know", text=text, sections=folded)


def _cost(result: Audit) -> Section:
    cost = f"{result.fits:,} fits in {result.seconds:.1f} s."
    return Section(
        title="What it cost, and what was left out",
        anchor="cost",
        text=Phrase.joined(" ", filter(None, [cost, _words.left_out(result)])),
        columns=("stage", "seconds"),
        rows=[(stage.name, stage.seconds) for stage in result.stages],
    )


def _facts(result: Audit) -> dict[str, object]:
    performance = result.performance
    return {
        "labelled rows": f"{performance.n_labelled:,}",
        "new rows": f"{performance.n_new:,}",
        "models judged by": result.measure,
        "loss that is harm": result.tolerance,
        "level of the intervals": performance.level,
        "positive class": str(performance.positive),
        "seed": result.seed,
        **{f"fingerprint of the {name}": value for name, value in result.fingerprints.items()},
        "shiftproof": __version__,
        **result.versions,
    }
