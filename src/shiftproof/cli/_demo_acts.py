"""The acts of the demo: three models, new calls of a bank, what was estimated and what is true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from shiftproof.cli._audit import Report
from shiftproof.core import plain

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.core import Interval
    from shiftproof.plots import ActRow
    from shiftproof.selection import Performance

Begin = Callable[[str], None]

MODELS = ("lr", "forest", "nb")
#: How many calls of 2010 are labelled in the third act.
LABELS = 100
#: What an act without a shift is called, by the verdict of its audit.
TITLES = {
    "trust": "It trusts",
    "check first": "It says: check first",
    "do not trust": "It does not trust",
    "cannot tell": "It cannot tell",
}
# Ten folds would take twice as long and say the same.
_FOLDS = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class Act:
    """One question about new calls, the answer, and the truth.

    Attributes
    ----------
    title : str
        What the act shows if there is an answer.
    about : str
        The new calls, in a few words.
    question : str
        What a user asks.
    model : str
        The model it is asked about.
    performance : Performance
        The estimates of all models on the new calls.
    actual : mapping of str to mapping of str to float
        What is true, by model and measure.
    baseline : float
        The share of the new calls that end with "no", the most frequent answer in the labelled data.
    """

    title: str
    about: str
    question: str
    model: str
    performance: Performance
    actual: Mapping[str, Mapping[str, float]]
    baseline: float

    @property
    def heading(self) -> str:
        """What the act shows, as it turned out."""
        return "It refuses" if self.refused else self.title

    @property
    def refused(self) -> bool:
        """Whether there is no estimate."""
        return self.performance.estimates[self.model]["accuracy"].refused

    @property
    def validated(self) -> float:
        """The accuracy that cross-validation estimates."""
        return self.performance.estimates[self.model]["accuracy"].validated

    @property
    def labelled_baseline(self) -> float:
        """The share of the labelled calls that end with "no"."""
        return max(self.performance.training.values())

    @property
    def interval(self) -> Interval:
        """The estimated accuracy on the new calls."""
        return self.performance.interval(self.model)

    @property
    def truth(self) -> float:
        """The actual accuracy on the new calls."""
        return self.actual[self.model]["accuracy"]

    @property
    def covered(self) -> dict[tuple[str, str], bool]:
        """Whether the interval contains the actual value, by model and measure; empty without estimates."""
        return {
            (model, measure): one.interval.low <= self.actual[model][measure] <= one.interval.high
            for model, measures in self.performance.estimates.items()
            for measure, one in measures.items()
            if not one.refused
        }

    def row(self, number: int) -> ActRow:
        """Return the act as a row of the chart."""
        from shiftproof.plots import ActRow

        return ActRow(
            title=f"{number}. {self.heading}",
            about=self.about,
            validated=self.validated,
            low=self.interval.low,
            high=self.interval.high,
            actual=self.truth,
            baseline=self.baseline,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "title": self.heading,
            "question": self.question,
            "model": self.model,
            "validated": self.validated,
            "interval": plain(self.interval),
            "refused": self.refused,
            "actual": self.truth,
            "covered": self.covered.get((self.model, "accuracy")),
            "baseline": self.baseline,
            "labelled_baseline": self.labelled_baseline,
            "labels": [int(row) for row in self.performance.labelled],
            "performance": self.performance.to_dict(),
            "actual_by_model": plain(self.actual),
        }


class _Scene(NamedTuple):
    """What an act is called and about, before it is played; the question has a place for the model."""

    title: str
    about: str
    question: str


def halves(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two random halves of the calls of 2009."""
    from shiftproof.data import load_demo

    calls = load_demo(year=2009).sample(frac=1, random_state=seed).reset_index(drop=True)
    half = len(calls) // 2
    return calls[:half], calls[half:].reset_index(drop=True)


def by_balance() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the calls of July to December 2010 up to the median balance, and above (docs/demo.md says why these)."""
    from shiftproof.data import load_demo

    calls = load_demo(year=2010)
    late = calls[calls["month"].isin(["jul", "aug", "sep", "oct", "nov", "dec"])]
    rich = late["balance"] > late["balance"].median()
    without = late.drop(columns="balance")
    return without[~rich].reset_index(drop=True), without[rich].reset_index(drop=True)


def rich_customers(seed: int, begin: Begin) -> tuple[Report, Act]:
    """Play the first act: models of customers with little money in their accounts, and new calls to the others."""
    question = "Trained on customers with a low balance: how accurate is {} on the others?"
    scene = _Scene("It answers", "customers with a high balance", question)
    return _audited(by_balance(), scene, 2010, seed, begin)


def same_year(seed: int, begin: Begin) -> tuple[Report, Act]:
    """Play the only act without a shift: one half of the calls of 2009 against the other."""
    question = "Trained on half of the calls from 2009: how accurate is {} on the other half?"
    scene = _Scene("", "the other half of 2009", question)
    report, act = _audited(halves(seed), scene, 2009, seed, begin)
    return report, replace(act, title=TITLES[report.audit.verdict])


def next_year(model: str, seed: int, begin: Begin) -> tuple[Act, Act]:
    """Play the other two acts: the calls of 2010 without labels, and with the labels of a few."""
    from shiftproof.case import Case
    from shiftproof.data import load_demo
    from shiftproof.panel import default_models
    from shiftproof.selection import estimate_case

    labelled, new = load_demo(year=2009), load_demo(year=2010)
    tables = (labelled.drop(columns="label"), labelled["label"], new.drop(columns="label"))
    begin("cross-fitting")
    models = default_models(only=MODELS)
    # One case for both acts, so that the labels cost no second comparison of the tables.
    case = Case.of(models, *tables, purpose="the demo", new_required=True, cv=_FOLDS, random_state=seed)
    begin("estimating accuracy in 2010")
    blind = estimate_case(case)
    rows = blind.plan(LABELS, model=model, random_state=seed).rows.tolist()
    informed = estimate_case(case, labels={row: new["label"][row] for row in rows})
    question = "Trained on the calls from 2009: how accurate is {} on those from 2010?"
    advice = f"Label {LABELS} calls from 2010 that shiftproof picks. How accurate is {{}} now?"
    about = "the calls from 2010"
    return (
        _act(blind, new, model, _Scene("It warns", about, question)),
        _act(informed, new, model, _Scene("It tells you what to do", f"{about}, {LABELS} labels", advice)),
    )


def _audited(
    sides: tuple[pd.DataFrame, pd.DataFrame], scene: _Scene, year: int, seed: int, begin: Begin
) -> tuple[Report, Act]:
    """Audit the models on new calls, then look at the labels."""
    from shiftproof.auditing import audit
    from shiftproof.panel import default_models

    labelled, new = sides
    tables = (labelled.drop(columns="label"), labelled["label"], new.drop(columns="label"))
    result = audit(default_models(only=MODELS), *tables, quick=True, random_state=seed, on_stage=begin)
    report = Report(result, result.verify(new["label"]), f"A bank's calls from {year}: {scene.about}")
    return report, _act(result.performance, new, result.best, scene)


def _act(performance: Performance, new: pd.DataFrame, model: str, scene: _Scene) -> Act:
    return Act(
        title=scene.title,
        about=scene.about,
        question=scene.question.format(model),
        model=model,
        performance=performance,
        actual=performance.truth(new["label"]),
        baseline=float((new["label"] == max(performance.training, key=performance.training.__getitem__)).mean()),
    )
