"""`shiftproof backtest`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from shiftproof.cli import _options as options
from shiftproof.cli._completion import complete_measure, complete_models
from shiftproof.cli._cut import check_columns, named_file, refuse_gaps
from shiftproof.cli._job import Job
from shiftproof.cli._models import ModelOptions
from shiftproof.cli._tables import LabelledFile, known_label
from shiftproof.core import Text

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.backtesting import Backtest


def backtest(
    *,
    file: LabelledFile,
    time: str,
    every: options.Every | None = None,
    periods: int | None = None,
    window: int | None = None,
    start: int | None = None,
    models: Annotated[str | None, complete_models] = None,
    trust: list[str] | None = None,
    score_column: list[str] | None = None,
    measure: Annotated[str | None, complete_measure] = None,
    cost: str | None = None,
    folds: int | None = None,
    groups: str | None = None,
    exclude: list[str] | None = None,
    threshold: float | None = None,
    level: float = 0.9,
    keep: Path | None = None,
    jobs: int | None = None,
    machines: options.Machines,
    seed: int = 0,
    job: Job,
) -> int:
    """Replay your labelled past data: compare what would have been estimated for each period with the actual values.

    For each period, models are fitted on the rows before it. Their accuracy in
    the period is estimated without its labels and then compared with the actual
    accuracy. This shows on your own data how far to trust the estimates, and
    how often to refit.

    [dim]shiftproof backtest customers.csv --target churned --time date[/dim]
    [dim]shiftproof backtest customers.csv --target churned --time date[/dim]
    [dim]  --every quarter --models lr,forest --keep replayed --out page.html[/dim]

    Parameters
    ----------
    time : COL
        The column that says when each row was observed: dates, numbers, or names such as 2020-Q1. It is not used as a
        feature.
    every : LENGTH
        The length of a period of dates: day, week, month, quarter or year. By default, the length that gives about
        twelve periods.
    periods : N
        Split the rows into N periods of about the same size.
    window : N
        Fit on the last N periods. By default, on all earlier rows.
    start : N
        Number of periods at the start used only for fitting. Default: 2, or 1 with --window 1.
    folds : N
        Number of cross-validation folds in each period. Default: 5.
    score_column : COL
        A column with a deployed model's probabilities of the positive class. The model must not have been trained on
        these rows. No models are fitted. Can be repeated.
    keep : FOLDER
        Save each period in this folder as soon as it is replayed. If the run stops, the same command resumes it.
    jobs : N
        Number of periods to replay in parallel; -1 uses all cores.
    """
    from shiftproof.backtesting import backtest as run
    from shiftproof.cli._show import show_backtest

    benefit = options.benefit_of(cost)
    with job.listening(), machines.working():
        model = ModelOptions(models=models, trust=trust, score_column=score_column)
        chosen = model.choose({"--folds": folds, "--groups": groups})
        X, y = file.read(job, exclude, {"--time": time, "--groups": groups})
        positive = known_label(file.positive, y.unique().tolist())
        settings: dict[str, Any] = {"window": "expanding" if window is None else window}
        candidates: object = chosen.models
        if score_column:
            candidates, X = _scored(X, y, score_column, positive)
        else:
            settings |= {"cv": chosen.cv(folds), "groups": groups}
        result = run(
            candidates,
            X,
            y,
            time,
            every=every,
            periods=periods,
            start=start,
            measure=measure,
            benefit=benefit,
            pos_label=positive,
            threshold=threshold,
            level=level,
            keep=keep,
            random_state=seed,
            n_jobs=jobs,
            **settings,
        )
    report = BacktestReport(result, named_file(file.labelled))
    return job.end(report, lambda console, report: show_backtest(console, report.result))


@dataclass(frozen=True, eq=False)
class BacktestReport:
    """A backtest and the file that it is about."""

    result: Backtest
    source: Text

    def save(self, path: Path, *, redact: bool) -> object:
        """Write the page."""
        from shiftproof.reporting import save

        return save(self.result.to_page(source=self.source), path, redact=redact)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return self.result.to_dict()


def _scored(X: pd.DataFrame, y: pd.Series[Any], columns: list[str], positive: object) -> tuple[object, pd.DataFrame]:
    """Return a panel of the columns with scores, and the table without them."""
    from shiftproof.panel import Panel

    check_columns("--score-column", columns, X.columns)
    for column in columns:
        refuse_gaps("--score-column", X[column])
    panel = Panel.from_scores(y, {name: X[name].to_numpy() for name in columns}, pos_label=positive)
    return panel, X.drop(columns=columns)
