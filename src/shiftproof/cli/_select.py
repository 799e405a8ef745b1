"""`shiftproof select`."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_rival
from shiftproof.cli._job import Job
from shiftproof.cli._models import Chosen, choose_models
from shiftproof.cli._show import show_next, show_performance, show_selection
from shiftproof.cli._tables import Cut, Pair, Tables, check_labels, known_label, read_pair, refuse_fitting, take_apart
from shiftproof.core import InputError, Phrase, available_names, check_fraction, fault, unknown_name

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.case import Case
    from shiftproof.selection import LabelPlan, Performance, Selection

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
# Warnings whose words the answer itself has.
_OURS = "routed pool"


FailOn = Literal["refused", "unsure"]


def select(
    train: options.Train,
    target: options.Target,
    new: options.New = None,
    positive: options.Positive = None,
    models: options.Models = None,
    trust: options.Trust = None,
    score_column: options.ScoreColumns = None,
    measure: options.Measure = None,
    cost: options.Cost = None,
    threshold: options.Threshold = None,
    time: options.Time = None,
    split: options.Split = None,
    exclude: options.Exclude = None,
    folds: options.Folds = None,
    level: options.Level = 0.9,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How to rank: 'routed pool', or another method, such as 'cross-validation', 'holdout', 'importance "
            "weighting', 'difference of confidences' or 'average thresholded confidence'.",
            autocompletion=complete_rival,
        ),
    ] = "routed pool",
    no_reverse: options.NoReverse = False,
    labels: Annotated[
        bool,
        typer.Option(
            "--labels",
            help="Use the labels that some rows of NEW have: those that --plan named, with all other options as "
            "they were then.",
        ),
    ] = False,
    plan: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write which rows of NEW to label next to this file, as CSV.")
    ] = None,
    seed: options.Seed = 0,
    out: options.Out = None,
    redact: options.Redact = False,
    json: options.Json = None,
    fail_on: Annotated[
        FailOn | None,
        options.exit_if(
            "the new data are too different to estimate anything (refused), or also if the best model is less than "
            "75% likely to beat every other, or the estimates have low confidence (unsure)"
        ),
    ] = None,
) -> int:
    """Say which model to use on unlabelled data, how good it is there, and how certain that is.

    The best model in cross-validation need not be the best on new data. Each
    model is fitted once per fold and scores rows that it never saw. Together
    the models then judge each other on the new data, given the type of shift
    between the two files. ReverseTesting gives a second opinion. If the new
    data are too different, nothing is estimated.

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --models lr,forest,boost --cost FP=1,FN=5 --out page.html[/dim]

    One file, split at a date:

    [dim]shiftproof select calls.csv --target churned --time date[/dim]
    [dim]  --split 2010-01-01[/dim]

    With the scores of deployed models; nothing is fitted:

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p_old --score-column p_new[/dim]

    For narrower intervals, label the rows that --plan names, write their
    labels into NEW, and use them:

    [dim]shiftproof select labelled.csv new.csv --target churned --plan rows.csv[/dim]
    [dim]shiftproof select labelled.csv new.csv --target churned --labels[/dim]
    """
    from shiftproof.measures import Benefit

    began = perf_counter()
    job = Job(out=out, json=json, files={"--plan": plan})
    refuse_fitting(score_column, models, folds)
    check_fraction(level, "level", hint="0.9 means 90%")
    if threshold is not None:
        check_fraction(threshold, "threshold", hint="0.5 is usual")
    benefit = None if cost is None else Benefit.from_cost(cost)
    asked = _Asked(benefit=benefit, threshold=threshold, seed=seed)
    with job.listening():
        chosen = Chosen({}) if score_column else choose_models(models, trust)
        with job.stage("reading"):
            pair = read_pair(train, new, Cut(time, split), target=target)
            left_out = [name for name in exclude or [] if name != time]
            tables = take_apart(pair, target, left_out, score_column or [])
        known, notes = _labels(tables, target, wanted=labels)
        asked = replace(
            asked, labels=known, positive=known_label(positive, tables.y), measure=_checked(measure, method, benefit)
        )
        _check_classes(asked, tables.y)
        case = _case(chosen, tables, asked, folds=folds, method=method)
        selection = _selected(case, asked, method=method, reverse=not no_reverse, job=job)
        with job.stage("estimating how good the models are"):
            performance = _estimated(case, asked, level=level)
        selection = replace(selection, seconds=perf_counter() - began)
        rows, why = _planned(performance, selection.best, seed)
        with job.stage("writing"):
            _write(selection, performance, out=out, redact=redact, plan=plan, rows=rows, pair=pair)
    for words in (*notes, *tables.notes):
        job.note(words)
    if plan is not None and rows is None:
        job.note(f"nothing was planned: {why}")
    for what, path in (("page", out), ("rows to label", plan if rows is not None else None)):
        if path is not None:
            job.wrote(what, path)

    def show(console: Console) -> None:
        show_selection(console, selection, performance)
        show_performance(console, performance)
        show_next(console, selection, rows, _how_to(rows, plan, target, pair.file))

    job.end(lambda: {"selection": selection.to_dict(), "performance": performance.to_dict()}, show)
    return int(fail_on is not None and _fails(selection, performance, fail_on))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Asked:
    """What both verbs are asked for."""

    benefit: Any
    threshold: float | None
    seed: int
    positive: Any = None
    measure: str = "accuracy"
    labels: dict[int, Any] = field(default_factory=dict)


def _labels(tables: Tables, target: str, *, wanted: bool) -> tuple[dict[int, Any], list[str]]:
    """Find the labels that new rows have; unless they are wanted, only count them."""
    column = tables.y_new
    if column is None:
        if wanted:
            got = Phrase(f"no column {target!r} there")
            raise fault("--labels", "find labels in NEW", got, "add it, empty where nobody knows")
        return {}, []
    there = column.notna().to_numpy().nonzero()[0]
    if not wanted:
        few = 0 < len(there) < len(column)
        told = (
            f"NEW has labels in {len(there):,} of {len(column):,} rows, which were not looked at; --labels uses them."
        )
        return {}, [told] if few else []
    if not len(there):
        return {}, ["NEW has no labels yet, so that there is nothing for --labels to use."]
    found = dict(zip(there.tolist(), column.iloc[there].tolist(), strict=True))
    check_labels(found.items(), tables.y, "--labels")
    return found, []


def _checked(measure: str | None, method: str, benefit: object) -> str:
    """Refuse measures and methods that do not exist, before anything is fitted."""
    from shiftproof.selection import RIVALS, default_measure

    if method not in RIVALS:
        raise unknown_name("method", "name a way to rank", method, RIVALS)
    ours = method == _OURS
    chosen = default_measure(measure, benefit if ours or measure is not None else None)
    if not ours and chosen != "accuracy":
        raise fault("measure", f"be accuracy for the method {method!r}", chosen, f"{_OURS!r} takes any")
    return chosen


def _check_classes(asked: _Asked, y: pd.Series[Any]) -> None:
    from shiftproof.selection import needs_positive

    if asked.positive is None and y.nunique() > 2 and (asked.benefit is not None or needs_positive(asked.measure)):
        what = "--cost" if asked.benefit is not None else f"--measure {asked.measure}"
        hint = available_names(sorted(y.unique().tolist(), key=str))
        raise fault("--positive", f"come with {what} for more than two classes", Phrase("none"), hint)


def _case(chosen: Chosen, tables: Tables, asked: _Asked, *, folds: int | None, method: str) -> Case:
    """Cross-fit the models once for both verbs, or take scores as they are."""
    from shiftproof.case import Case, DecisionOptions, Fitting
    from shiftproof.selection import RIVALS

    plan = RIVALS[method].plan
    fitting: Fitting = {}
    if tables.scores:
        models: object = tables.scored()
    elif chosen.fitted:
        chosen.refuse("--method", method if plan is not None else None)
        models = chosen.panel(tables.X, tables.y, folds=folds)
    else:
        if plan is not None and folds is not None:
            raise fault("--folds", f"be left out with --method {method!r}", folds, f"it needs {plan}")
        models = chosen.models
        fitting = {"cv": 10 if folds is None else folds} if plan is None else plan.fitting(tables.y, asked.seed)
    return Case.of(
        models,
        tables.X,
        tables.y,
        tables.X_new,
        purpose="selecting a model",
        new_required=True,
        options=DecisionOptions(benefit=asked.benefit, threshold=asked.threshold, pos_label=asked.positive),
        random_state=asked.seed,
        **fitting,
    )


def _selected(case: Case, asked: _Asked, *, method: str, reverse: bool, job: Job) -> Selection:
    from shiftproof.selection import RIVALS, SelectOptions, select_case

    rival = None if method == _OURS else RIVALS[method]
    options = SelectOptions(
        measure=asked.measure,
        rival=rival,
        labels=asked.labels if asked.labels and rival is None else None,
        reverse=reverse,
    )
    with job.stage("finding the type of shift"):
        _ = case.shift
    if reverse and not case.panel.deployed:  # ReverseTesting has a bar of its own
        return select_case(case, options)
    with job.stage("comparing the models"):
        return select_case(case, options)


def _estimated(case: Case, asked: _Asked, *, level: float) -> Performance:
    """Estimate the measure that ranks first, then the usual ones."""
    from shiftproof.selection import EstimateOptions, estimate_case, usual_measures

    usual = usual_measures(len(case.panel.classes_), asked.positive, asked.benefit)
    measures = list(dict.fromkeys([asked.measure, *usual]))
    return estimate_case(case, EstimateOptions(measures=measures, labels=asked.labels or None, level=level))


def _planned(performance: Performance, model: str, seed: int) -> tuple[LabelPlan | None, str]:
    """Plan which rows to label next; where there are none, say why."""
    try:
        return performance.plan(model=model, random_state=seed), ""
    except InputError as error:
        return None, str(error)


def _write(
    selection: Selection,
    performance: Performance,
    *,
    out: Path | None,
    redact: bool,
    plan: Path | None,
    rows: LabelPlan | None,
    pair: Pair,
) -> None:
    """Write page and plan, each whole; both are made before either is written."""
    from shiftproof.reporting import redacted, render, write_whole
    from shiftproof.selection import joint_page

    texts = []
    if out is not None:
        page = joint_page(selection, performance, "Which model to use, and what to expect of it")
        texts.append((out, render(redacted(page) if redact else page)))
    if plan is not None and rows is not None:
        begins = _lines_of(pair)
        frame = rows.to_frame()
        lines = ["" if begins is None else str(begins[row]) for row in rows.rows.tolist()]
        frame.insert(1, "line", lines)
        texts.append((plan, frame.to_csv(index=False, lineterminator="\n")))
    for path, text in texts:
        write_whole(path, text)


def _lines_of(pair: Pair) -> list[int] | None:
    """Give the line at which each new row begins, also where they are some rows of one file."""
    if pair.places is None:
        return line_numbers(pair.file, len(pair.new))
    begins = line_numbers(pair.file, len(pair.old) + len(pair.new))
    return None if begins is None else [begins[row] for row in pair.places.tolist()]


def line_numbers(file: Path, rows: int) -> list[int] | None:
    """Give the line of the file, counted from 1, at which each row begins; None where rows are no lines."""
    data = file.read_bytes()
    if data.startswith(_GZIP):
        data = gzip.decompress(data)
    if data.startswith(_PARQUET):
        return None
    begins, inside = [], False
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip() and not inside:
            begins.append(number)
        # A cell in quotation marks may go on in the next line.
        inside ^= line.count(b'"') % 2 == 1
    return begins[1:] if len(begins) == rows + 1 else None


def _how_to(rows: LabelPlan | None, plan: Path | None, target: str, new: Path) -> str:
    """Say how to get from the plan to narrower intervals."""
    if rows is None:
        return ""
    where = "Run this again with --plan rows.csv to get their line numbers" if plan is None else f"They are in {plan}"
    return f"{where}; write their labels into column {target!r} of {new.name}, and add --labels."


def _fails(selection: Selection, performance: Performance, fail_on: FailOn) -> bool:
    if performance.refused or selection.concerns:
        return True
    return fail_on == "unsure" and (bool(selection.contenders) or performance.confidence in ("low", "none"))
