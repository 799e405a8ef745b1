"""The verb: compare the new rows period by period."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shiftproof.core import Rows, Seed, Table, as_table, fault, in_memory, suggests_arguments, unknown_name
from shiftproof.data import Every, Piece, cut_periods, joint_kinds
from shiftproof.detection._detect import detect
from shiftproof.detection._inputs import excluded_names, load_table
from shiftproof.detection._result import Detection
from shiftproof.detection._score_pairs import given_scores, score_only_pairs
from shiftproof.detection._timeline import Period, Timeline
from shiftproof.simulation import take_rows

if TYPE_CHECKING:
    from shiftproof.panel import Panel


@suggests_arguments
def detect_by(
    reference: Any,
    current: Any,
    by: str,
    *,
    every: Every | None = None,
    reference_scores: Any = None,
    current_scores: Any = None,
    reference_labels: Any = None,
    panel: Panel | None = None,
    alpha: float = 0.05,
    kinds: Mapping[Any, str] | None = None,
    exclude: Sequence[Any] | None = None,
    multivariate: bool = False,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Timeline:
    """Detect since when the data of a classifier have changed: `detect` for each period of the new rows.

    Parameters
    ----------
    reference, current : table of any library, 2-D array, dict of columns, list of dicts, or path of a file
        The rows a model was built or validated on, and the new rows, which are split into periods. Neither table is
        changed.
    by : str
        The column with the time of the new rows: dates, or numbers or text with at most 200 different values, each of
        which is a period. The column is not used as a feature. Text is ordered by the numbers, dates and months in it
        (w2 before w10, 31.01.2020 before 02.03.2020), an ordered categorical by its categories.
    every : {"day", "week", "month", "quarter", "year"}, optional
        The length of a period of dates; by default, the length that gives 4 to 40 periods, as close to 12 as possible.
        Weeks begin on Mondays; times with a time zone are split in UTC.
    reference_scores, current_scores, reference_labels, panel, alpha, kinds, exclude, multivariate, random_state, n_jobs
        As for `detect`; scores that are not a column are split along with the rows. Without labels, and with
        `multivariate` off (the default), a period takes well below a second.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal.

    Returns
    -------
    Timeline
        With `periods`, `to_frame()`, `summary()`, `plot()`, `plot_features()` and `save("page.html")`.

    Raises
    ------
    InputError
        If `by` is not a column of the new rows or cannot be split into periods, or the tables are not valid for
        `detect`.

    Notes
    -----
    Periods with few rows or none are listed too, with the verdict "cannot tell". Rows without a value in `by` are
    counted in `Timeline.n_undated`. Each period is tested on its own, so up to a share `alpha` of the unchanged periods
    raises a false alarm (in each stage).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> old = {"age": rng.normal(40, 10, 500), "job": rng.choice(["a", "b"], 500)}
    >>> days = np.arange("2009-01", "2009-07", dtype="M8[D]").repeat(5)
    >>> new = {"age": rng.normal(40, 10, len(days)), "job": rng.choice(["a", "b"], len(days)), "day": days}
    >>> new["age"][days >= np.datetime64("2009-04")] += 8
    >>> result = detect_by(old, new, "day", every="month")
    >>> print(result.to_frame()[["period", "rows", "verdict", "features_shifted"]].to_string(index=False))
     period  rows  verdict  features_shifted
    2009-01   155 no shift                 0
    2009-02   140 no shift                 0
    2009-03   155 no shift                 0
    2009-04   150  shifted                 1
    2009-05   155  shifted                 1
    2009-06   150  shifted                 1
    >>> print(result.summary())
    3 of 6 months shifted enough to matter, the first being 2009-04; 'age' changed most in all of them. Each month
    is tested on its own at 5%: about one in twenty unchanged months would raise a false alarm. If the link between
    features and label changed (concept shift), only labels can show it.
    """
    # A query runs once for all periods.
    old, new = in_memory(load_table(reference)), in_memory(load_table(current))
    before, after = as_table(old, "reference"), as_table(new, "current")
    by = str(by)
    _check_column(by, after)
    # Cut before anything is scored: a wrong column fails at once.
    cut = cut_periods(after.column(by), every)
    left_out = [*excluded_names(exclude), by]
    _check_scores(before, after, reference_scores, current_scores, panel)
    decided = _kinds_of_all(before, after, kinds, left_out)

    def detect_rows(rows: Rows) -> Detection:
        return detect(
            old,
            take_rows(new, rows),
            reference_scores,
            current_scores if isinstance(current_scores, str) else _taken(current_scores, rows),
            panel=_own_panel(panel, rows),
            reference_labels=reference_labels,
            alpha=alpha,
            # Decided from all rows: few rows of a period might look like another kind.
            kinds=decided,
            exclude=left_out,
            multivariate=multivariate,
            random_state=random_state,
            n_jobs=n_jobs,
        )

    return Timeline(
        periods=tuple(_period(piece, detect_rows) for piece in _shown(cut.periods, progress)),
        by=by,
        every=cut.every,
        n_reference=before.n_rows,
        n_undated=cut.n_missing,
        alpha=float(alpha),
    )


def _check_column(by: str, after: Table) -> None:
    if by not in after.names:
        raise unknown_name("by", "name a column of the current table", by, after.names)
    if not after.n_rows:
        raise fault("current", "hold at least one row", 0, "check the filter or the file it came from")


def _check_scores(before: Table, after: Table, old_scores: object, new_scores: object, panel: Panel | None) -> None:
    """Check scores as a whole, so that errors are about all rows rather than about one period."""
    if panel is None:
        given_scores(old_scores, new_scores, before, after)
    elif not panel.fold_scorers:
        score_only_pairs(panel, after.n_rows)


def _period(piece: Piece, detect_rows: Callable[[Rows], Detection]) -> Period:
    name, start, end, rows = piece
    detection = detect_rows(rows) if len(rows) else None
    return Period(name=name, start=start, end=end, n_rows=len(rows), detection=detection)


def _kinds_of_all(
    before: Table, after: Table, kinds: Mapping[Any, str] | None, exclude: Sequence[str]
) -> dict[Any, str]:
    """Decide what the columns are once, from all new rows: a period may have none, and a warning is given once."""
    present = {*before.names, *after.names}
    decided = joint_kinds(before, after, kinds=kinds, exclude=[name for name in exclude if name in present])
    # "unsupported" is a finding and cannot be given; `detect` finds it again.
    return {**{name: kind for name, kind in decided.items() if kind != "unsupported"}, **(kinds or {})}


def _taken(scores: Any, rows: Rows) -> Any:
    return None if scores is None else take_rows(scores, rows)


def _own_panel(panel: Panel | None, rows: Rows) -> Panel | None:
    """Give a panel of scores alone those of these rows."""
    # Models score the rows of a period themselves.
    if panel is None or panel.fold_scorers:
        return panel
    return replace(panel, new_scores={name: scores[rows] for name, scores in panel.new_scores.items()})


def _shown(periods: Sequence[Piece], progress: bool | None) -> Iterable[Piece]:
    """Go through the periods with a bar on standard error, where it is wanted."""
    if not (sys.stderr.isatty() if progress is None else progress):
        yield from periods
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    # On a terminal the bar disappears at the end; in a file it would be the only sign of progress.
    with Progress(*columns, console=console, transient=console.is_terminal) as bar:
        yield from bar.track(periods, description="comparing periods")
