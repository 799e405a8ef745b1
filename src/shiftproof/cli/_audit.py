"""`shiftproof audit`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_measure
from shiftproof.cli._job import Job
from shiftproof.cli._models import Candidates
from shiftproof.cli._tables import Cut, Tables, TwoFiles, check_columns
from shiftproof.core import Phrase, fault

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from shiftproof.auditing import Audit, Verification

#: The stages that show a progress bar of their own.
BARRED = ("cross-fitting", "selecting")

FailOn = Literal["shift", "harm", "unsure"]


def audit(
    *,
    files: TwoFiles,
    candidates: Candidates,
    cost: str | None = None,
    measure: Annotated[str | None, complete_measure] = None,
    tolerance: float = 0.05,
    threshold: float | None = None,
    cut: Cut,
    kind: list[str] | None = None,
    groups: str | None = None,
    folds: int | None = None,
    level: float = 0.9,
    quick: bool = False,
    no_reverse: bool = False,
    verify: bool = False,
    redact: bool = False,
    seed: int = 0,
    out: Path = Path("report.html"),
    no_page: bool = False,
    json: Path | None = None,
    fail_on: FailOn | None = None,
) -> int:
    """Say whether to trust a classifier on unlabelled data, with reasons, and write a report.

    Answers every question at once: what changed between the two files, which
    model is best on the new data, how accurate it is there, the proportion of
    each class, and what cannot be determined. The verdict is "trust", "trust
    with care", "do not trust" or "cannot tell", with reasons.

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models lr,forest --cost FP=1,FN=5 --fail-on harm[/dim]

    One file, split at a date:

    [dim]shiftproof audit calls.csv --target churned --time date[/dim]
    [dim]  --split 2010-01-01[/dim]

    A deployed model: its scores in both files, or the model in a file.
    Nothing is fitted then:

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --score-column p[/dim]

    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]  --models model.skops[/dim]

    The labels have arrived, and NEW has them: which estimates were right?

    [dim]shiftproof audit labelled.csv new.csv --target churned --verify[/dim]

    Parameters
    ----------
    folds : N
        Number of cross-validation folds; default 10, 5 with --quick.
    quick
        A first look: five folds, fewer resamples, no ReverseTesting.
    verify
        NEW has labels, at least in some rows: the audit ignores them, then its estimates are compared with the
        actual values.
    out : FILE
        Write the report to this file.
    no_page
        Write no report.
    fail_on : WHAT
        Exit with status 1 if the verdict is 'do not trust' (harm), if it is 'do not trust' or 'cannot tell'
        (unsure), or if the data changed materially (shift).
    """
    from shiftproof.auditing import audit as run

    job = Job(out=None if no_page else out, json=json, redact=redact)
    benefit = options.benefit_of(cost)
    with job.listening():
        chosen = candidates.choose({"--folds": folds, "--groups": groups})
        tables = files.read(job, cut, candidates.score_column)
        # Without features there is no column to group by.
        check_columns("--groups", groups, () if tables.X is None else tables.X.columns)
        truth = _truth(tables) if verify else None
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
                level=level,
                quick=quick,
                reverse=not no_reverse,
                random_state=seed,
                on_stage=on_stage,
            )
        report = Report(result, None if truth is None else result.verify(truth))
    # Labels that nobody asked for stay unused, or the audit would not be blind.
    if truth is None and tables.y_new is not None and tables.y_new.notna().any():
        job.note(f"NEW has a column {files.target!r}, which was not used; --verify compares it with the estimates.")
    return job.end(report, show_report, failed=_conditions(result).get(fail_on, False))


@dataclass(frozen=True, eq=False)
class Report:
    """An audit, and the comparison with the labels that arrived later, if there is one."""

    audit: Audit
    verification: Verification | None
    title: str | None = None

    def save(self, path: Path, *, redact: bool) -> object:
        """Write the report."""
        return self.audit.save(path, title=self.title, redact=redact, verification=self.verification)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        later = {} if self.verification is None else {"verification": self.verification.to_dict()}
        return self.audit.to_dict() | later


def show_report(console: Console, report: Report) -> None:
    """Print the audit, and the comparison with the labels."""
    from shiftproof.cli._show_audit import show_audit, show_verification

    show_audit(console, report.audit)
    if report.verification is not None:
        console.print()
        show_verification(console, report.verification)


def _truth(tables: Tables) -> pd.Series[Any]:
    """Return the labels of the new rows for --verify; at least one row must have one."""
    labels = tables.new_labels("--verify", "leave it out until they have arrived")
    # The verb would refuse this only after minutes.
    if not labels.notna().any():
        raise fault("--verify", "find labels in NEW", Phrase("none"), "leave it out until they have arrived")
    return labels


def _conditions(result: Audit) -> dict[FailOn | None, bool]:
    """Return whether what --fail-on may name is the case."""
    harm = result.verdict == "do not trust"
    return {"shift": result.changed, "harm": harm, "unsure": harm or result.verdict == "cannot tell"}
