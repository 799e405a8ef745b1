"""From a table of labels, as people write it, to what `Monitor.label` accepts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from shiftproof.core import Argument, InputError, Sensitive, available_names, is_missing, listed, shown, similar
from shiftproof.monitoring._given_labels import By
from shiftproof.monitoring._label_result import key_column
from shiftproof.reporting import written_cell, written_frame

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.monitoring._baseline import Baseline

#: A file of labels may be the batch itself; one with more columns than this is refused by its header.
MOST_LABEL_COLUMNS = 10_000


def batch_of_labels(frame: pd.DataFrame, given: str | None, file: str) -> str:
    """Return the batch that labels are of; refuse a file that was written for another one.

    Parameters
    ----------
    frame : DataFrame
        The labels, perhaps with a column ``batch``.
    given : str or None
        The batch that somebody named.
    file : str
        What the file is called, for errors.
    """
    named = (
        [*dict.fromkeys(str(written_cell(one)) for one in frame["batch"].tolist())] if "batch" in frame.columns else []
    )
    if given is None:
        if len(named) != 1:
            words = f"{file} does not say which batch it belongs to; pass "
            raise InputError(words, Argument("id"), " with the name of the batch")
        return named[0]
    others = [one for one in named if one != given]
    if others:
        words = f"{file} has rows of batch {shown(others[0])}, not of batch {shown(given)}; check "
        raise InputError(words, Argument("id"), " and the file")
    return given


def labels_of_frame(frame: pd.DataFrame, baseline: Baseline, file: str) -> tuple[Any, By | None]:
    """Return labels and what names their rows: the key if there is one, or row numbers, or the order of the rows.

    Parameters
    ----------
    frame : DataFrame
        With a column ``label``, or one that is called as in the baseline.
    baseline : Baseline
        Whose columns of labels and keys are known.
    file : str
        What the file is called, for errors.
    """
    frame, key = written_frame(frame), baseline.key
    column = "label" if "label" in frame.columns else baseline.label_column
    if column not in frame.columns:
        near = similar("label", frame.columns)
        hint = "" if near else f"; {available_names(frame.columns)}"
        raise InputError(f"{file} has no column 'label'{hint}", near=near)
    labels = frame[column]
    by_key = [name for name in (None if key is None else key_column(key), "key") if name in frame.columns]
    if key is not None and by_key:
        return _named(frame[by_key[0]], labels, file), "key"
    if "row" in frame.columns:
        return _named(frame["row"], labels, file), "row"
    if len(frame.columns) > 1 and not {*frame.columns} <= {column, "batch"}:
        wanted = listed(["row"] if key is None else ["row", key_column(key)], last="or")
        raise InputError(f"{file} has no column {wanted} to identify the rows; {available_names(frame.columns)}")
    return labels.tolist(), None


def _named(names: pd.Series[Any], labels: pd.Series[Any], file: str) -> dict[Any, Any]:
    """Return labels by row or key; refuse two for one."""
    cells = [int(cell) if isinstance(cell, float) and cell.is_integer() else cell for cell in names.tolist()]
    known = [(cell, label) for cell, label in zip(cells, labels.tolist(), strict=True) if not is_missing(label)]
    repeated = next((cell for cell, times in Counter(cell for cell, _ in known).items() if times > 1), None)
    if repeated is not None:
        rest = f" occurs more than once in {file}; keep one of these rows"
        raise InputError(f"{names.name} ", Sensitive(str(repeated)), rest)
    if not known:
        raise InputError(f"{file} has no labels in column {str(labels.name)!r}; fill them in")
    return dict(known)
