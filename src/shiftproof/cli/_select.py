"""`shiftproof select`."""

from __future__ import annotations

import gzip
import time
import warnings
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._evaluate import features_and_labels, known_label
from shiftproof.cli._options import MODELS, names
from shiftproof.cli._show import consoles, show_next, show_note, show_performance, show_selection, write_json
from shiftproof.core import InputError, ShiftproofWarning, check_choice, check_fraction, fault, listed, shown

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.panel import Panel
    from shiftproof.selection import LabelPlan, Performance, Selection

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
# Warnings whose words the answer itself has.
_SAID = ("do not rely on the ranking: ", "no estimate: ")
# What the verb calls by its arguments, and what it is here.
_UNTOLD, _TOLD = "without X and X_new there", "beside labels and scores there"


class FailOn(StrEnum):
    """What makes the command leave with 1."""

    refused = "refused"
    unsure = "unsure"


def select(
    train: Annotated[Path, typer.Argument(help="Labelled rows: CSV, CSV.gz or Parquet.")],
    new: Annotated[
        Path,
        typer.Argument(
            help="The rows to use a model on, with the same columns; labels are not looked at but by --labels."
        ),
    ],
    target: Annotated[str, typer.Option(metavar="COL", help="The label column.")],
    positive: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The positive class; by default the second of two when sorted.")
    ] = None,
    models: Annotated[str | None, typer.Option(metavar="NAMES", help=f"{MODELS}; by default all seven.")] = None,
    score_column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL",
            help="A column of probabilities of the second label in both files, by a deployed model that was trained on "
            "neither; may be repeated. Nothing is fitted then, and ReverseTesting is left out.",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What ranks the models: accuracy, error, precision, recall, f1, auc, brier, or profit; by default "
            "accuracy, and profit with --cost.",
        ),
    ] = None,
    cost: Annotated[
        str | None, typer.Option(metavar="FP=1,FN=5", help="What wrong decisions cost: ranks by the profit per row.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Decide positive from this probability on; by default the likelier class.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="COL", help="A column to leave out; may be repeated.")
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Folds of the cross-validation; by default 10.")] = None,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.9,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What ranks: 'routed pool', or another: 'cross-validation', 'repeated cross-validation', "
            "'leave-one-out', 'holdout', 'importance weighting', 'difference of confidences', 'average thresholded "
            "confidence', 'calibrated confidence', 'adjusted prevalence', 'posterior pool' ...",
        ),
    ] = "routed pool",
    no_reverse: Annotated[
        bool, typer.Option("--no-reverse", help="Do not ask ReverseTesting, which fits each pair of models.")
    ] = False,
    labels: Annotated[
        bool,
        typer.Option(
            "--labels",
            help="Use the labels that NEW has in some rows: those that --plan named, with all other options as "
            "they were then.",
        ),
    ] = False,
    plan: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write which rows of NEW to label next, as CSV.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything that is drawn.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON here; - for standard output.")] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            metavar="WHAT",
            help="Leave with 1 if the new rows are out of reach (refused); or also if the best model does not beat "
            "every other with 75%, or the estimates have low confidence (unsure).",
        ),
    ] = None,
) -> int:
    """Say which model to use on rows that nobody has labelled, how good it is there, and how sure that is.

    What cross-validation likes best need not be the best on new rows. Each
    model is fitted once per fold and scores rows that it never saw; all of
    them together then judge each one on the new rows, by the kind of shift
    that lies between the two files. ReverseTesting gives a second opinion.
    Where the new rows are out of reach, no number is made up.

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --models lr,forest,boost --cost FP=1,FN=5 --out page.html[/dim]

    With the scores of deployed models; nothing is fitted:

    [dim]shiftproof select labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p_old --score-column p_new[/dim]

    To make the intervals narrower, label the rows that --plan names, write
    their labels into NEW, and use them:

    [dim]shiftproof select labelled.csv new.csv --target churned --plan rows.csv[/dim]
    [dim]shiftproof select labelled.csv new.csv --target churned --labels[/dim]
    """
    from shiftproof.measures import Benefit
    from shiftproof.panel import default_models

    began = time.perf_counter()
    output, progress = consoles()
    if score_column and (models is not None or folds is not None):
        option, value = ("--models", models) if models is not None else ("--folds", folds)
        raise InputError(f"{option} must be left out with --score-column, got {shown(value)}; nothing is fitted.")
    check_fraction(level, "level", hint="0.9 means 90 %")
    if threshold is not None:
        check_fraction(threshold, "threshold", hint="0.5 is usual")
    _check_places(out, plan, json)
    benefit = None if cost is None else Benefit.from_cost(cost)
    chosen = {} if score_column else default_models(only=names(models))
    asked = _Asked(benefit=benefit, threshold=threshold, seed=seed)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShiftproofWarning)
        with progress.status("reading"):
            tables = _read(train, new, target, exclude or [], score_column or [], labels=labels)
        asked = replace(asked, positive=known_label(positive, tables.y), measure=_checked(measure, method, benefit))
        _check_classes(asked, tables.y)
        panel, fits = _fitted(chosen, tables, folds, method, seed)
        selection = _selected(panel, tables, asked, method=method, reverse=not no_reverse, progress=progress)
        with progress.status("estimating how good the models are"):
            performance = _estimated(panel, tables, asked, selection, level=level)
        spent = time.perf_counter() - began
        told = tuple(note.replace(_UNTOLD, _TOLD) for note in selection.notes)
        selection = replace(selection, fits=selection.fits + fits, seconds=spent, notes=told)
        performance = replace(performance, fits=fits)
        rows, why = _planned(performance, selection.best, seed)
        with progress.status("writing"):
            _write(selection, performance, out=out, plan=plan, rows=rows, new=new)
    for words in dict.fromkeys([*tables.notes, *(str(warning.message) for warning in caught)]):
        if not words.startswith(_SAID):
            show_note(progress, words)
    if plan is not None and rows is None:
        show_note(progress, f"nothing was planned: {why}")
    if json is not None:
        write_json({"selection": selection.to_dict(), "performance": performance.to_dict()}, json)
    if json != "-":
        show_selection(output, selection, performance)
        show_performance(output, performance)
        show_next(output, selection, rows, _how_to(rows, plan, target, new))
    for what, path in (("page", out), ("rows to label", plan if rows is not None else None)):
        if path is not None:
            progress.print(f"{what}: {path}", highlight=False, markup=False, soft_wrap=True)
    return int(fail_on is not None and _fails(selection, performance, fail_on))


def _check_places(out: Path | None, plan: Path | None, json: str | None) -> None:
    """Refuse folders to write to, before anything is fitted."""
    places = {"--out": out, "--plan": plan, "--json": None if json in (None, "-") else Path(str(json))}
    for option, path in places.items():
        if path is not None and path.is_dir():
            raise InputError(f"{option} must name a file, got the folder {str(path)!r}; add a file name to it.")


@dataclass(frozen=True, eq=False, kw_only=True)
class _Asked:
    """What both verbs are asked for."""

    benefit: Any
    threshold: float | None
    seed: int
    positive: Any = None
    measure: str = "accuracy"

    @property
    def shared(self) -> dict[str, Any]:
        return {
            "benefit": self.benefit,
            "threshold": self.threshold,
            "pos_label": self.positive,
            "random_state": self.seed,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class _Tables:
    """What the files hold: features of both, labels, scores of deployed models, and labels among the new rows."""

    X: pd.DataFrame | None
    y: pd.Series[Any]
    X_new: pd.DataFrame | None
    scores: dict[str, tuple[Any, Any]]
    labels: dict[int, Any]
    notes: tuple[str, ...]


def _read(train: Path, new: Path, target: str, exclude: list[str], scores: list[str], *, labels: bool) -> _Tables:
    from shiftproof.data import read

    old, rows = read(train), read(new)
    check_columns("--exclude", exclude, dict.fromkeys([*old.columns, *rows.columns]))
    X, y = features_and_labels(old, target, [name for name in exclude if name in old.columns])
    if not len(rows):
        raise fault("X_new", "hold at least one row", 0, "check the file")
    for column in scores:
        for name, table in (("TRAIN", X), ("NEW", rows)):
            if column not in table.columns:
                raise InputError(
                    f"--score-column must name a column of both files, got {column!r}, which {name} lacks; "
                    "score both by the same model."
                )
    known, notes = _labels(rows, y, target, wanted=labels)
    rows = rows.drop(columns=[name for name in [target, *exclude] if name in rows.columns])
    held = {name: (X[name], rows[name]) for name in scores}
    X, rows = X.drop(columns=list(held)), rows.drop(columns=list(held))
    lacking = [name for name in X.columns if name not in rows.columns]
    if lacking and not held:
        hint = f"add it, or leave it out by --exclude {lacking[0]!r}"
        raise InputError(f"NEW must have all columns of TRAIN, got none called {listed(lacking, last='or')}; {hint}.")
    extra = [name for name in rows.columns if name not in X.columns]
    if extra:
        notes.append(f"columns that only NEW has were not looked at: {listed(extra)}.")
    both = [name for name in X.columns if name in rows.columns]
    return _Tables(
        X=X[both] if both else None,
        y=y,
        X_new=rows[both] if both else None,
        scores=held,
        labels=known,
        notes=tuple(notes),
    )


def _labels(rows: pd.DataFrame, y: pd.Series[Any], target: str, *, wanted: bool) -> tuple[dict[int, Any], list[str]]:
    """Find the labels that new rows have; unless they are wanted, only count them."""
    if target not in rows.columns:
        if wanted:
            got = f"got no column {target!r} there"
            raise InputError(f"--labels must find labels in NEW, {got}; add it, empty where nobody knows.")
        return {}, []
    column = rows[target]
    there = column.notna().to_numpy().nonzero()[0]
    if not wanted:
        few = 0 < len(there) < len(rows)
        told = f"NEW has labels in {len(there):,} of {len(rows):,} rows, which were not looked at; --labels uses them."
        return {}, [told] if few else []
    if not len(there):
        return {}, ["NEW has no labels yet, so that there is nothing for --labels to use."]
    found = dict(zip(there.tolist(), column.iloc[there].tolist(), strict=True))
    known = set(y.unique().tolist())
    strange = [(row, label) for row, label in found.items() if label not in known]
    if strange:
        row, label = strange[0]
        raise InputError(
            f"--labels must find labels of TRAIN in NEW, got {shown(label)} in row {row + 1:,}; "
            f"there is {listed(sorted(known, key=str), most=8)}."
        )
    return found, []


def _checked(measure: str | None, method: str, benefit: Any) -> str:
    """Refuse measures and methods that do not exist, before anything is fitted."""
    from shiftproof.selection import MEASURES, RIVALS

    if method not in RIVALS:
        raise fault("method", "name a way to rank", method, f"there is {listed(RIVALS, most=20)}")
    ours = method == "routed pool"
    chosen = measure if measure is not None else "accuracy" if benefit is None or not ours else "profit"
    check_choice(chosen, "measure", list(MEASURES))
    if chosen == "profit" and benefit is None:
        raise fault("measure", "come with --cost to be the profit", chosen, "say what wrong decisions cost")
    if not ours and chosen != "accuracy":
        raise fault("measure", f"be accuracy for the method {method!r}", chosen, "'routed pool' takes any")
    return chosen


def _check_classes(asked: _Asked, y: pd.Series[Any]) -> None:
    from shiftproof.selection import needs_positive

    if asked.positive is None and y.nunique() > 2 and (asked.benefit is not None or needs_positive(asked.measure)):
        what = "--cost" if asked.benefit is not None else f"--measure {asked.measure}"
        hint = f"there is {listed(sorted(y.unique().tolist(), key=str), most=8)}"
        raise InputError(f"--positive must come with {what} for more than two classes, got none; {hint}.")


def _fitted(models: Any, tables: _Tables, folds: int | None, method: str, seed: int) -> tuple[Panel, int]:
    """Cross-fit the models once for both verbs, or take scores as they are; also give how many fits that took."""
    from shiftproof.panel import Panel, cross_fit
    from shiftproof.selection import RIVALS

    if tables.scores:
        old, now = ({name: each[side] for name, each in tables.scores.items()} for side in (0, 1))
        return Panel.from_scores(tables.y, old, new=now), 0
    if tables.X is None:
        raise InputError("TRAIN must have columns beside the label, got none; add features, or give --score-column.")
    how: dict[str, Any] = {"cv": 10 if folds is None else folds, "random_state": seed}
    fitted_as = RIVALS[method].plan
    if fitted_as is not None:
        if folds is not None:
            raise InputError(f"--folds must be left out with --method {method!r}, got {folds}; it needs {fitted_as}.")
        how = fitted_as.arguments(len(tables.y), random_state=seed)
    panel = cross_fit(models, tables.X, tables.y, **how)
    per_model = sum(len(repeat) for repeat in next(iter(panel.fold_scorers.values()), [])) + 1
    return panel, len(panel.names) * per_model


def _selected(panel: Panel, tables: _Tables, asked: _Asked, *, method: str, reverse: bool, progress: Any) -> Selection:
    from shiftproof.selection import select as run
    from shiftproof.shift import kind_of_shift

    shift = None
    if not tables.scores:  # of scores alone the verb knows what to ask
        with progress.status("finding the kind of shift"):
            shift = kind_of_shift(tables.X, tables.y, tables.X_new, random_state=asked.seed)

    def ranked() -> Selection:
        return run(
            panel,
            tables.X,
            tables.y,
            tables.X_new,
            method=method,
            measure=asked.measure,
            labels=tables.labels if tables.labels and method == "routed pool" else None,
            reverse=reverse,
            shift=shift,
            **asked.shared,
        )

    if reverse and not tables.scores:  # ReverseTesting has a bar of its own
        return ranked()
    with progress.status("comparing the models"):
        return ranked()


def _estimated(panel: Panel, tables: _Tables, asked: _Asked, selection: Selection, *, level: float) -> Performance:
    """Estimate the measure that ranks first, then the usual ones."""
    from shiftproof.selection import estimate_performance

    several = len(panel.classes_) > 2 and asked.positive is None
    usual = ["accuracy", "brier"] if several else ["accuracy", "f1", "auc", "brier"]
    return estimate_performance(
        panel,
        tables.X,
        tables.y,
        tables.X_new,
        measures=[*dict.fromkeys([asked.measure, *usual, *(["profit"] if asked.benefit is not None else [])])],
        labels=tables.labels or None,
        level=level,
        shift=selection.shift,
        **asked.shared,
    )


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
    plan: Path | None,
    rows: LabelPlan | None,
    new: Path,
) -> None:
    """Write page and plan, each whole; both are made before either is written."""
    from shiftproof.reporting import render, write_whole
    from shiftproof.selection import joint_page

    texts = []
    if out is not None:
        texts.append((out, render(joint_page(selection, performance, "Which model to use, and what to expect of it"))))
    if plan is not None and rows is not None:
        begins = line_numbers(new, performance.n_new)
        frame = rows.to_frame()
        lines = ["" if begins is None else str(begins[row]) for row in rows.rows.tolist()]
        frame.insert(1, "line", lines)
        texts.append((plan, frame.to_csv(index=False, lineterminator="\n")))
    for path, text in texts:
        write_whole(path, text)


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
    return fail_on is FailOn.unsure and (bool(selection.contenders) or performance.confidence in ("low", "none"))
