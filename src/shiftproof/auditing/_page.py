"""The report: the verdict, what to expect, what changed, which model, and how all that is known.

Its parts are sections of the parts' own pages, so that nothing is worded or drawn twice.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.core import Phrase
from shiftproof.reporting import Figure, Page, Reason, Section
from shiftproof.selection import written

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._verdict import Topic
    from shiftproof.auditing._verification import Claim, Verification

_WHAT_IT_MEANS = {
    "trust": "Nothing that can be seen without labels speaks against using it there.",
    "trust with care": "It can be used there, with an eye on what is said below.",
    "do not trust": "Before it is used there, label some of the new rows; how many, and which, is said below.",
}


def audit_page(result: Audit, title: str, *, verification: Verification | None) -> Page:
    """Compose the report."""
    estimate = result.performance.sections(models=result.selection.ranking, model=result.best)
    choice = result.selection.sections(shift_explained=True)
    shares = replace(result.quantification.sections().shares, anchor="prevalence")
    expected = replace(estimate.expected, title="How good the models are there")
    expect = Section(
        title="What we expect on the new data", anchor="expect", sections=[expected, shares, estimate.labels]
    )
    changed, kind = _changed(result)
    ranking = replace(choice.which, anchor="ranking", title="The ranking")
    which = Section(
        title="Which model",
        anchor="which",
        sections=[ranking, choice.order, replace(choice.reverse, folded=True), choice.others],
    )
    # Where estimates are refused, the reason is the type of shift, which is explained above.
    why = None if result.performance.refused and kind is not None else estimate.why
    how = _how(result, why=why, ranked=choice.how)
    places: dict[Topic, Section] = {
        "expect": expect,
        "changed": changed,
        "kind": kind or how,
        "prevalence": shares,
        "which": which,
        "how-we-know": how,
    }
    return Page(
        title=title,
        verdict=result.headline,
        tone=result.tone,
        summary=_WHAT_IT_MEANS[result.verdict],
        reasons=[Reason(reason.text, places[reason.section]) for reason in result.reasons],
        sections=[*([] if verification is None else [_came(verification)]), expect, changed, which, how],
        facts=_facts(result),
    )


def _came(found: Verification) -> Section:
    def row(claim: Claim) -> tuple[object, ...]:
        measure = "accuracy" if claim.measure == "share" else claim.measure
        name = f"share of {claim.about}" if claim.measure == "share" else claim.about
        ends = "refused" if claim.refused else f"{written(claim.low, measure)} to {written(claim.high, measure)}"
        held = "" if claim.held is None else claim.held
        if not claim.believed:
            held = f"{'yes' if claim.held else 'no'}, and not to be believed"
        return name, claim.measure, written(claim.validated, measure), ends, written(claim.truth, measure), held

    size = plots.expected_size(len(found.models))
    return Section(
        title="What came",
        anchor="came",
        text=f"The labels of the new rows are known by now. {found.summary()}",
        figures=[
            Figure(
                "What was validated, expected and came, per model", partial(plots.drawn_svg, found.plot, size, "came")
            )
        ],
        columns=("model", "measure", f"{found.claimant} validated", "we expected", "came", "held"),
        rows=[row(claim) for claim in found.claims],
        sortable=True,
    )


def verification_page(found: Verification, title: str) -> Page:
    """Compose the page of what actually happened."""
    return Page(
        title=title,
        verdict=f"The audit's verdict was: {found.verdict}",
        tone="unknown",
        summary=found.summary(),
        sections=[replace(_came(found), text="")],
        facts={"new rows": f"{found.n_new:,}", "level of the intervals": found.level, "shiftproof": __version__},
    )


def _changed(result: Audit) -> tuple[Section, Section | None]:
    """Return what changed, and the part of it about the type of shift; without features there is none."""
    title, anchor = "What changed", "changed"
    if result.detection is None:
        text = Phrase("Left out: ", result.left_out["what changed, feature by feature"], ".")
        return Section(title=title, anchor=anchor, text=text), None
    parts = result.detection.sections()
    sections = (
        replace(parts.sizes, title="The size of each change"),
        parts.features,
        parts.scores,
        parts.together,
        parts.kind,
        parts.kind_evidence,
        parts.more_features,
        parts.distributions,
        parts.groups,
        replace(parts.tests, title="Every feature"),
    )
    shown = [section for section in sections if section is not None]
    return Section(title=title, anchor=anchor, text=result.detection.words(), sections=shown), parts.kind


def _how(result: Audit, *, why: Section | None, ranked: Section) -> Section:
    evaluated, counts = result.evaluation.sections(), result.quantification.sections()
    sections = [
        replace(evaluated.ranking, title=f"What {result.findings.claimant} claims", anchor="claims"),
        *([] if evaluated.curves is None else [evaluated.curves]),
        *([] if why is None else [replace(why, title="Why these estimates")]),
        replace(counts.belief, title="Can the counts be believed"),
        replace(counts.methods, title="What other ways to count say"),
        replace(ranked, title="How the ranking was made"),
        evaluated.measures,
        _cost(result),
    ]
    fitted = "Every model was fitted once per fold, and every row scored by models that never saw it."
    if result.findings.deployed:
        fitted = "Nothing was fitted: these are deployed models, which must not have been trained on the labelled rows."
    text = (
        f"{fitted} Estimates assume that what makes a row positive did not change: concept shift cannot be seen "
        "without labels."
    )
    # Evidence for those who ask; what it means is said above.
    folded = [replace(section, folded=True) for section in sections]
    return Section(title="How we know", anchor="how-we-know", text=text, sections=folded)


def _cost(result: Audit) -> Section:
    cost = f"{result.fits:,} fits in {result.seconds:.1f} s."
    rows = [(stage.name, stage.seconds) for stage in result.stages]
    left = Phrase.joined("; ", (Phrase(f"{name} (", why, ")") for name, why in result.left_out.items()))
    return Section(
        title="What it cost, and what was left out",
        anchor="cost",
        text=Phrase(cost, " Left out: ", left, ".") if result.left_out else cost,
        columns=("stage", "seconds"),
        rows=rows,
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
        "seed": "not a number" if result.seed is None else result.seed,
        **{f"fingerprint of the {name}": value for name, value in result.fingerprints.items()},
        "shiftproof": __version__,
        **result.versions,
    }
