"""`shiftproof audit`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_measure
from shiftproof.cli._cut import Cut
from shiftproof.cli._elsewhere import ScoredElsewhere, needs_memory
from shiftproof.cli._files import check_outputs
from shiftproof.cli._job import Job
from shiftproof.cli._labels import Labelling
from shiftproof.cli._models import ModelOptions
from shiftproof.cli._tables import FileTables, TwoFiles, check_positive
from shiftproof.cli._terminal import STANDARD_OUTPUT
from shiftproof.cli._words import with_options
from shiftproof.core import InputError, Text, check_share, shown

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.auditing import Audit, Verification
    from shiftproof.reporting import Page
    from shiftproof.selection import LabelPlan

#: The stages that show a progress bar of their own.
BARRED = ("replaying the past", "cross-fitting", "ranking models")

# Where the report goes unless --out says so.
_PAGE = Path("report.html")

FailOn = Literal["check", "do-not-trust", "cannot-tell", "shift"]


def audit(
    *,
    files: TwoFiles,
    candidates: ModelOptions,
    cost: str | None = None,
    measure: Annotated[str | None, complete_measure] = None,
    tolerance: float = 0.05,
    threshold: float | None = None,
    cut: Cut,
    every: options.Every | None = None,
    periods: int | None = None,
    kind: list[str] | None = None,
    groups: str | None = None,
    folds: int | None = None,
    level: float = 0.9,
    assume: options.Assume = "natural",
    quick: bool = False,
    no_reverse: bool = False,
    labelling: Labelling,
    verify: bool = False,
    redact: bool = False,
    machines: options.Machines,
    seed: int = 0,
    out: Path | None = None,
    no_page: bool = False,
    json: Path | None = None,
    fail_on: list[FailOn] | None = None,
    most_loss_chance: float | None = None,
) -> int:
    """Say whether to trust a classifier on unlabelled data, with reasons, and write a report.

    Answers every question at once: what changed between the two files, which
    model is best on the new data and how accurate it is, what the class
    proportions are, and what cannot be determined. The verdict is "trust",
    "check first", "do not trust" or "cannot tell".

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models lr,forest --cost FP=1,FN=5 --fail-on do-not-trust[/dim]

    One file, split at a date:

    [dim]shiftproof audit calls.csv --target churned --time date[/dim]
    [dim]  --split 2010-01-01[/dim]

    Test the estimates on your past data first, and adjust the intervals:

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --time date --every month[/dim]

    For a deployed model, give its scores in both files, or the model in a file.
    Nothing is fitted:

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p[/dim]

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models model.skops[/dim]

    Label the rows that --plan lists, then use their labels:

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --plan rows.csv[/dim]

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --labels rows.csv[/dim]

    Once NEW has labels, check which estimates were right:

    [dim]shiftproof audit labelled.csv new.csv --target churned --verify[/dim]

    Parameters
    ----------
    time : COL
        With --split and one file: the column of dates or numbers to split by. With two files: the column that says when
        each labelled row was observed; the past is then replayed, as in backtest, and the intervals are adjusted to it.
        The column is not used as a feature.
    every : LENGTH
        The length of the periods to replay: day, week, month, quarter or year. By default, the length that gives about
        twelve periods.
    periods : N
        Replay the past in N periods of about the same number of rows.
    folds : N
        Number of cross-validation folds. Default: 10, or 5 with --quick.
    quick
        Take a quick first look: five folds, fewer resamples, no ReverseTesting.
    verify
        Use this when NEW has labels in at least some rows. The audit ignores them; its estimates are then compared with
        the actual values.
    out : FILE
        Write the report to this file. Default: report.html, or no report with --json -.
    no_page
        Do not write a report.
    fail_on : WHAT
        Exit with status 1 if the verdict is not 'trust' (check), if it is 'do not trust' or 'cannot tell', or if the
        data changed materially (shift). Separate several with commas.
    most_loss_chance : P
        Exit with status 1 if the chance of a loss above the tolerance is higher than P, such as 0.2, or not known.
    """
    from shiftproof.auditing import audit as run
    from shiftproof.selection import default_measure

    if most_loss_chance is not None:
        check_share(most_loss_chance, "--most-loss-chance", hint="0.2 means 20%")
    job = Job(out=_page(out, files, json=json, no_page=no_page), json=json, redact=redact)
    benefit = options.benefit_of(cost)
    options.require_time({"--every": every, "--periods": periods}, cut.time)
    with job.listening(), machines.working():
        chosen = candidates.choose({"--folds": folds, "--groups": groups})
        tables = files.read(job, cut, candidates.score_column, key=labelling.id, replay=True)
        # Splitting one file needs a time as well; its past is replayed on request.
        replayed = cut.split is None or every is not None or periods is not None
        check_positive(tables, default_measure(measure, benefit), benefit)
        tables.check_groups(groups)
        truth = _truth(tables, labelling) if verify else None
        labels = labelling.read(job, tables, cut.missing)
        with job.stages(barred=BARRED) as on_stage:
            result = run(
                tables.scored() if tables.scores else chosen.models,
                tables.X,
                tables.y,
                tables.X_new,
                cv=chosen.cv(folds),
                groups=groups,
                kinds=options.kinds_by_column(kind),
                benefit=benefit,
                measure=measure,
                tolerance=tolerance,
                threshold=threshold,
                pos_label=tables.pos_label,
                labels=labels,
                level=level,
                assume=assume,
                time=tables.moments if replayed else None,
                every=every,
                periods=periods,
                quick=quick,
                reverse=not no_reverse,
                random_state=seed,
                on_stage=on_stage,
            )
        rows = None
        if isinstance(tables, FileTables):
            rows = labelling.draw(job, result.performance, result.best, seed=seed, tolerance=tolerance)
        labelling.write(job, rows, result.performance.strata, labels, tables)
    # Labels that nobody asked for stay unused, or the audit would not be blind.
    if truth is None and not labelling.is_new(tables) and tables.y_new is not None and tables.y_new.notna().any():
        job.note(
            f"NEW has a column {files.target!r}, which was not used; to compare it with the estimates, add --verify."
        )
    checked = None if truth is None else result.verify(truth)
    if result.labels_biased:
        rows = None  # how much more labels would help cannot be said with labels that mislead
    report = Report(result, checked, sources=tables.sources, plan=rows)
    # Nobody has to label rows of a model that can be trusted, or whose actual performance is known.
    advice = None if truth is not None or (result.verdict == "trust" and labelling.plan is None) else rows
    if result.verdict == "check first":
        advice = labelling.advised(advice)
    failed = options.failure(fail_on, failures(result)), too_likely(result, most_loss_chance)
    failure = "; ".join(filter(None, failed))
    show = partial(show_report, rows=advice, how=labelling.how_to(tables))
    return job.end(report, show, failure=failure)


def _page(out: Path | None, files: TwoFiles, *, json: Path | None, no_page: bool) -> Path | None:
    """Return where the report goes; a program that reads JSON gets none unless it asks for it."""
    if no_page or (out is None and json == STANDARD_OUTPUT):
        return None
    # The usual name was not checked with the options that were given.
    if out is None:
        check_outputs({"--out": _PAGE}, [path for path in (files.labelled, files.new) if path is not None])
    return out or _PAGE


@dataclass(frozen=True, eq=False)
class Report:
    """An audit, and the comparison with the labels that arrived later, if there is one."""

    audit: Audit
    verification: Verification | None
    title: str | None = None
    sources: tuple[Text, Text] = ("", "")
    plan: LabelPlan | None = None

    def save(self, path: Path, *, redact: bool) -> object:
        """Write the report."""
        from shiftproof.reporting import save

        return save(self.page(), path, redact=redact)

    def page(self) -> Page:
        """Return the report as a page."""
        from shiftproof.reporting import rewritten

        title = {} if self.title is None else {"title": self.title}
        page = self.audit.to_page(**title, verification=self.verification, sources=self.sources, plan=self.plan)
        # Whoever made the report by a command reads of options, not of arguments.
        return rewritten(page, with_options)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        later = {} if self.verification is None else {"verification": self.verification.to_dict()}
        return self.audit.to_dict() | later


def show_report(console: Console, report: Report, *, rows: LabelPlan | None = None, how: str = "") -> None:
    """Print what the labels show, if they are known, then the audit, the next step, and which rows to label."""
    from shiftproof.cli._show_audit import show_audit, show_next_step, show_verification
    from shiftproof.reporting import styled

    if report.verification is None:
        show_audit(console, report.audit)
        show_next_step(console, report.audit, rows, how, checked=None)
        return
    show_verification(console, report.verification)
    show_next_step(console, report.audit, rows, how, checked=report.verification)
    console.print()
    console.print(styled(console, "Before the labels arrived, the audit said:", "bold"))
    show_audit(console, report.audit)


def _truth(tables: FileTables | ScoredElsewhere, labelling: Labelling) -> pd.Series[Any]:
    """Return the labels of the new rows for --verify; at least one row must have one."""
    if isinstance(tables, ScoredElsewhere):
        raise needs_memory("--verify")
    if labelling.is_new(tables):
        raise InputError("--verify and --labels cannot both use the labels of NEW; leave one of them out")
    hint = "leave out --verify until the labels have arrived"
    labels = tables.new_labels("--verify", hint)
    # The verb would refuse this only after minutes.
    if not labels.notna().any():
        raise InputError(f"column {shown(tables.target)} of NEW is empty, so there are no labels to compare; {hint}")
    return labels


def failures(result: Audit) -> dict[FailOn, str]:
    """Say why each condition of --fail-on is met; an empty text if it is not."""
    verdict = f'the verdict is "{result.verdict}"'
    return {
        "check": verdict if result.verdict != "trust" else "",
        "do-not-trust": verdict if result.verdict == "do not trust" else "",
        "cannot-tell": verdict if result.verdict == "cannot tell" else "",
        "shift": "the data changed enough to matter" if result.changed else "",
    }


def too_likely(result: Audit, most: float | None) -> str:
    """Say why the limit of --most-loss-chance is not kept; an empty text if it is."""
    if most is None or result.loss_chance <= most:
        return ""
    if math.isnan(result.loss_chance):
        return f"--most-loss-chance {most:g}: the chance of a loss is not known"
    return f"--most-loss-chance {most:g}: the chance of a loss is {result.loss_chance:.3g}"
