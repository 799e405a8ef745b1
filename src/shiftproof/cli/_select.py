"""`shiftproof select`."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_measure, complete_rival
from shiftproof.cli._cut import Cut
from shiftproof.cli._elsewhere import ScoredElsewhere
from shiftproof.cli._job import Job
from shiftproof.cli._labels import Labelling, Labels
from shiftproof.cli._models import Chosen, ModelOptions
from shiftproof.cli._tables import FileTables, TwoFiles, check_positive
from shiftproof.core import check_fraction, fault, listed, shown

if TYPE_CHECKING:
    from rich.console import Console

    from shiftproof.case import Case, DecisionOptions
    from shiftproof.selection import LabelPlan, Performance, Selection, SelectOptions

# The method that also estimates; all others only rank.
_DEFAULT = "routed pool"

FailOn = Literal["refused", "unsure"]


def select(
    *,
    files: TwoFiles,
    candidates: ModelOptions,
    measure: Annotated[str | None, complete_measure] = None,
    cost: str | None = None,
    threshold: float | None = None,
    cut: Cut,
    groups: str | None = None,
    folds: int | None = None,
    level: float = 0.9,
    assume: options.Assume = "natural",
    method: Annotated[str, complete_rival] = _DEFAULT,
    no_reverse: bool = False,
    labelling: Labelling,
    machines: options.Machines,
    seed: int = 0,
    job: Job,
    fail_on: list[FailOn] | None = None,
) -> int:
    """Say which model to use on the new data, how good it is, and how certain that is.

    The best model in cross-validation may not be the best on new data. Each
    model is fitted once per fold and scores rows that it has not seen. Its
    accuracy on the new data is then estimated from the predictions of all
    models, given the type of shift between the two files. ReverseTesting gives a
    second opinion: it trains models on each model's predictions for the new
    data, and tests them on the labelled data. If the new data are not the same
    kind of data, nothing is estimated.

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --models lr,forest,boost --cost FP=1,FN=5 --out page.html[/dim]

    One file, split at a date:

    [dim]shiftproof select calls.csv --target churned --time date[/dim]
    [dim]  --split 2010-01-01[/dim]

    With the scores of deployed models, so that nothing is fitted:

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p_old --score-column p_new[/dim]

    For narrower intervals, use --plan to list rows to label, fill in their
    labels, and pass the file to --labels. Keep all other options the same:

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --plan rows.csv[/dim]

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --labels rows.csv[/dim]

    Parameters
    ----------
    method : NAME
        The ranking method. Default: 'routed pool', which combines the predictions of all models. Published
        alternatives include 'cross-validation', 'holdout', 'importance weighting', 'difference of confidences' and
        'average thresholded confidence'. docs/selection.md describes all of them.
    plan_rows : N
        Number of rows to label. Default: enough for an interval of plus or minus 0.05.
    fail_on : WHAT
        Exit with status 1 on: refused (the new data are not the same kind of data, so nothing is estimated), or unsure
        (refused, low confidence, or a best model that is less than 75% likely to beat every other model). Separate
        several with commas.
    """
    from shiftproof.case import DecisionOptions
    from shiftproof.selection import SelectOptions, default_measure, find_rival

    began = perf_counter()  # reading and fitting count, too
    check_fraction(level, "level", hint="0.9 means 90%")
    if threshold is not None:
        check_fraction(threshold, "threshold", hint="0.5 is usual")
    benefit = options.benefit_of(cost)
    rival = find_rival(method, measure=measure)
    # A rival ranks by accuracy, whatever decisions cost.
    ranked_by = default_measure(measure, benefit if rival is None else None)
    with job.listening(), machines.working():
        chosen = candidates.choose({"--folds": folds, "--groups": groups})
        # What the rival needs is fitted anew.
        chosen.refuse({"--method": None if rival is None or rival.plan is None else method})
        tables = files.read(job, cut, candidates.score_column, key=labelling.id)
        tables.check_groups(groups)
        known = _labels(tables, job, labelling, cut.missing)
        settings = SelectOptions(
            measure=ranked_by, rival=rival, labels=known if rival is None else None, reverse=not no_reverse
        )
        decisions = DecisionOptions(benefit=benefit, threshold=threshold, pos_label=tables.pos_label)
        # Fitting takes long; what can be refused before is.
        check_positive(tables, ranked_by, benefit)
        case = _case(chosen, tables, settings, decisions, folds=folds, groups=groups, assume=assume, seed=seed)
        choice = _choice(case, settings, known, level=level, job=job)
        choice = replace(choice, selection=replace(choice.selection, seconds=perf_counter() - began))
        rows = None
        if isinstance(tables, FileTables):
            rows = labelling.draw(job, choice.performance, choice.selection.best, seed=seed)
        labelling.write(job, rows, choice.performance.strata, known, tables)
    show = partial(_show, rows=labelling.advised(rows), how=labelling.how_to(tables))
    return job.end(choice, show, failure=options.failure(fail_on, failures(choice)))


@dataclass(frozen=True, eq=False)
class _Choice:
    """Which model to use, and how good it is on the new data."""

    selection: Selection
    performance: Performance

    def save(self, path: Path, *, redact: bool) -> object:
        from shiftproof.reporting import save
        from shiftproof.selection import joint_page

        page = joint_page(self.selection, self.performance, "Which model to use, and what to expect from it")
        return save(page, path, redact=redact)

    def to_dict(self) -> dict[str, Any]:
        return {"selection": self.selection.to_dict(), "performance": self.performance.to_dict()}


def _show(console: Console, choice: _Choice, *, rows: LabelPlan | None, how: str) -> None:
    from shiftproof.cli._show import show_next, show_performance, show_selection

    show_selection(console, choice.selection, choice.performance)
    show_performance(console, choice.performance)
    show_next(console, choice.selection, rows, how)


def _labels(
    tables: FileTables | ScoredElsewhere, job: Job, labelling: Labelling, missing: list[str] | None
) -> Labels | None:
    """Return the labels that new rows have, by row number; unless --labels is given, only say that there are some."""
    if isinstance(tables, ScoredElsewhere):
        return labelling.read(job, tables, missing)
    column = tables.y_new
    # If every row has a label, NEW is a table for tests, whose labels nobody expects to be used.
    if labelling.labels is None and column is not None and 0 < column.count() < len(column):
        some = f"{column.count():,} of {len(column):,} rows"
        job.note(f"NEW has labels in {some}, which were not used; to use them, pass --labels {tables.pair.file.name}.")
    return labelling.read(job, tables, missing)


def _case(
    chosen: Chosen,
    tables: FileTables | ScoredElsewhere,
    settings: SelectOptions,
    decisions: DecisionOptions,
    *,
    folds: int | None,
    groups: str | None,
    assume: options.Assume,
    seed: int,
) -> Case:
    """Cross-fit the models once for both verbs, or take scores as they are."""
    from shiftproof.case import Case, Fitting

    plan = None if settings.rival is None else settings.rival.plan
    fitting: Fitting = {} if tables.scores else {"cv": chosen.cv(folds), "groups": groups}
    if plan is not None and not tables.scores:
        for option, value in {"--folds": folds, "--groups": groups}.items():
            if value is not None:
                raise fault(option, f"be left out with --method {settings.method!r}", value, f"it needs {plan}")
        fitting = plan.fitting(tables.y, seed)
    return Case.of(
        tables.scored() if tables.scores else chosen.models,
        tables.X,
        tables.y,
        tables.X_new,
        assume=assume,
        purpose="selecting a model",
        new_required=True,
        options=decisions,
        random_state=seed,
        **fitting,
    )


def _choice(case: Case, settings: SelectOptions, labels: Labels | None, *, level: float, job: Job) -> _Choice:
    """Rank the models; estimate the measure that ranks them first, then the usual ones."""
    from shiftproof.selection import estimate_case, select_case

    with job.stage("determining the type of shift"):
        _ = case.shift
    # ReverseTesting shows a progress bar of its own.
    barred = settings.reverse and not case.panel.deployed
    with nullcontext() if barred else job.stage("ranking the models"):
        selection = select_case(case, settings)
    with job.stage("estimating how good the models are"):
        performance = estimate_case(case, first=settings.measure, labels=labels, level=level)
    return _Choice(selection, performance)


def failures(choice: _Choice) -> dict[FailOn, str]:
    """Say why each condition of --fail-on is met; an empty text if it is not."""
    selection, performance = choice.selection, choice.performance
    refused = "performance on the new data cannot be estimated" if performance.refused else ""
    if selection.concerns and not refused:
        # A published method ranks without an allowance for drift, though the estimate has one.
        refused = "the ranking of the models should not be relied on"
    unsure = ""
    if selection.contenders:
        unsure = f"{shown(selection.best)} is not clearly better than {listed(selection.contenders)}"
    elif performance.confidence in ("low", "none"):
        unsure = "the estimates have low confidence"
    return {"refused": refused, "unsure": refused or unsure}
