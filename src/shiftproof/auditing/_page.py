"""The report: the verdict, what to expect, what changed, which model, and how all that is known.

Its parts are sections of the parts' own pages, so that nothing is worded or drawn twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shiftproof import plots
from shiftproof._version import __version__
from shiftproof.reporting import Page, Reason, Section
from shiftproof.selection import joint_page, written

if TYPE_CHECKING:
    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._verification import Claim, Verification

# Where the figures of one part of the report come from, and what the sections are called there.
_CHANGED = ("sizes", "features", "scores", "distributions", "together", "kind", "groups", "tests")
_WHICH = {"which": "The ranking", "order": "", "reverse": "", "others": ""}
_WHAT_IT_MEANS = {
    "trust": "Nothing that can be seen without labels speaks against using it there.",
    "trust with care": "It can be used there, with an eye on what is said below.",
    "do not trust": "Before it is used there, label some of the new rows; how many, and which, is said below.",
}


def audit_page(result: Audit, title: str, *, redact: bool, verification: Verification | None) -> Page:
    """Compose the report."""
    held = {section.id: section for section in joint_page(result.selection, result.performance, "").sections}
    counted = {section.id: section for section in result.quantification.to_page().sections}
    parts = [
        *([] if verification is None else [_came(verification)]),
        _expect(held, counted),
        _changed(result, redact=redact),
        _which(held),
        _how(result, held, counted),
    ]
    told = {section.id for part in parts for section in (part, *part.sections)}
    return Page(
        title=title,
        verdict=result.headline,
        tone=result.tone,
        summary=_WHAT_IT_MEANS[result.verdict],
        # What changed has no section of its own where there are no features.
        reasons=[
            Reason(reason.text, reason.section if reason.section in told else "how-we-know")
            for reason in result.reasons
        ],
        sections=parts,
        facts=_facts(result, redact=redact),
    )


def _came(found: Verification) -> Section:
    def row(claim: Claim) -> tuple[Any, ...]:
        measure = "accuracy" if claim.measure == "share" else claim.measure
        name = f"share of {claim.about}" if claim.measure == "share" else claim.about
        ends = "refused" if claim.refused else f"{written(claim.low, measure)} to {written(claim.high, measure)}"
        held = "" if claim.held is None else claim.held
        if not claim.believed:
            held = f"{'yes' if claim.held else 'no'}, and not to be believed"
        return name, claim.measure, written(claim.claimed, measure), ends, written(claim.truth, measure), held

    size = plots.expected_size(len(found.models))
    return Section(
        title="What came",
        id="came",
        text=f"The labels of the new rows are known by now. {found.summary()}",
        figures=[("What was claimed, expected and came, per model", plots.drawn_svg(found.plot, size, "came"))],
        columns=("model", "measure", f"{found.claimant} claimed", "we expected", "came", "held"),
        rows=[row(claim) for claim in found.claims],
        sortable=True,
    )


def _expect(held: Mapping[str, Section], counted: Mapping[str, Section]) -> Section:
    return Section(
        title="What we expect on the new data",
        id="expect",
        sections=[
            replace(held["expected"], title="How good the models are there"),
            replace(counted["shares"], id="prevalence"),
            held["labels"],
        ],
    )


def _changed(result: Audit, *, redact: bool) -> Section:
    head: dict[str, Any] = {"title": "What changed", "id": "changed"}
    if result.detection is None:
        return Section(**head, text=f"Left out: {result.left_out['what changed, feature by feature']}.")
    page = result.detection.to_page(redact=redact)
    found = {section.id: section for section in page.sections}
    titled = {"sizes": "The size of each change", "tests": "Every feature"}
    sections = [replace(found[name], title=titled.get(name, found[name].title)) for name in _CHANGED if name in found]
    return Section(**head, text=page.summary, sections=sections)


def _which(held: Mapping[str, Section]) -> Section:
    sections = [
        replace(held[name], id="ranking" if name == "which" else name, title=title or held[name].title)
        for name, title in _WHICH.items()
    ]
    return Section(title="Which model", id="which", sections=sections)


def _how(result: Audit, held: Mapping[str, Section], counted: Mapping[str, Section]) -> Section:
    evaluated = {section.id: section for section in result.evaluation.to_page().sections}
    sections = [
        replace(evaluated["ranking"], title=f"What {result.findings.claimant} claims", id="claims"),
        *([evaluated["curves"]] if "curves" in evaluated else []),
        replace(held["why"], title="Why these estimates"),
        replace(counted["belief"], title="Can the counts be believed"),
        replace(counted["methods"], title="What other ways to count say"),
        replace(held["how"], title="How the ranking was made", id="how"),
        replace(evaluated["measures"], sortable=True),
        _cost(result),
    ]
    fitted = "Every model was fitted once per fold, and every row scored by models that never saw it."
    if result.findings.deployed:
        fitted = "Nothing was fitted: these are deployed models, which must not have been trained on the labelled rows."
    text = (
        f"{fitted} Estimates assume that what makes a row positive did not change: concept shift cannot be seen "
        "without labels."
    )
    return Section(title="How we know", id="how-we-know", text=text, sections=sections)


def _cost(result: Audit) -> Section:
    rows = [(stage.name, stage.seconds) for stage in result.stages]
    left = "; ".join(f"{name} ({why})" for name, why in result.left_out.items())
    return Section(
        title="What it cost, and what was left out",
        id="cost",
        text=f"{result.fits:,} fits in {result.seconds:.1f} s. " + (f"Left out: {left}." if left else ""),
        columns=("stage", "seconds"),
        rows=rows,
    )


def _facts(result: Audit, *, redact: bool) -> dict[str, Any]:
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
        **({"redacted": "category values and the extremes of numbers are left out"} if redact else {}),
        "shiftproof": __version__,
        **result.versions,
    }
