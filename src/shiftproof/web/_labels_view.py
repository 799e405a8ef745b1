"""The page on which rows of a batch are labelled, and what is done with labels that are typed in or uploaded."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from shiftproof.core import FileError, InputError
from shiftproof.data import read_rows
from shiftproof.monitoring import (
    MOST_LABEL_COLUMNS,
    Baseline,
    BatchPlan,
    LabelUpdate,
    MonitorReader,
    Update,
    batch_of_labels,
    labels_of_frame,
)
from shiftproof.web._answer import PageAnswer
from shiftproof.web._site import Site

#: How many rows a page asks for.
USUAL = 25
MOST = 1000
# The fields of the form: the number of the row follows.
_ROW = "row-"
# How gzip and Parquet files begin.
_PACKED = (b"\x1f\x8b", b"PAR1")


def labels_page(
    site: Site, reader: MonitorReader, update: Update, *, count: int, done: LabelUpdate | None = None
) -> PageAnswer:
    """Return the rows of a batch to label next; `done` is what labels that were just given mean."""
    plan = reader.monitor.plan(update.id, count)
    frame = plan.to_frame()
    return PageAnswer(
        template="labels.html.j2",
        title="Labels",
        values={
            "reader": reader,
            "update": update,
            "plan": plan,
            "rows": plan_rows(plan),
            "classes": [str(label) for label in reader.classes],
            "count": count,
            "done": done,
        },
        data=lambda: plan.to_dict() | {"classes": [str(label) for label in reader.classes]},
        columns=tuple(frame.columns),
        rows=([("" if cell is None else cell) for cell in row] for row in frame.itertuples(index=False)),
        crumbs=[
            (site.url("/"), "Monitors"),
            (site.monitor_url(reader), reader.name),
            (site.monitor_url(reader, f"/batches/{update.batch.number}"), str(update.batch.shown)),
        ],
    )


def plan_rows(plan: BatchPlan) -> list[tuple[int, str, str]]:
    """Return the number, the key and the scores of each row to label."""
    keys = plan.keys or ("",) * len(plan.rows)
    scores = [", ".join(f"{score:.3f}" for score in row) for row in plan.scores.tolist()]
    return [*zip(plan.rows.tolist(), keys, scores, strict=True)]


def typed_labels(fields: Mapping[str, Any], classes: tuple[Any, ...]) -> dict[int, Any]:
    """Return the labels of a form by row; rows without a choice are left out.

    Raises
    ------
    InputError
        If nothing was chosen, or something that is not a class.
    """
    # A form sends texts, and classes may be numbers.
    by_name = {str(label): label for label in classes}
    labels: dict[int, Any] = {}
    for name, value in fields.items():
        number = name.removeprefix(_ROW)
        if not name.startswith(_ROW) or value == "":
            continue
        if not number.isdecimal() or len(number) > 15 or not isinstance(value, str) or value not in by_name:
            raise InputError("the form names a row or a class that does not exist; open the page again")
        labels[int(number)] = by_name[value]
    if not labels:
        raise InputError("no label was chosen; choose at least one")
    return labels


def uploaded_labels(file: IO[bytes], called: str, update: Update, baseline: Baseline) -> tuple[Any, Any]:
    """Read a CSV file of labels, as `shiftproof monitor label` does; return labels and what names their rows.

    Raises
    ------
    InputError
        If it is not such a file, or was written for another batch.
    """
    with tempfile.TemporaryDirectory(prefix="shiftproof-") as folder:
        path = Path(folder) / "labels.csv"
        with path.open("wb") as copy:
            while chunk := file.read(65536):
                # What is packed may be a thousand times as large as what was sent.
                if copy.tell() == 0 and chunk.startswith(_PACKED):
                    raise FileError(called, "only CSV files can be uploaded; write the labels as CSV")
                copy.write(chunk)
        try:
            frame = read_rows(path, most_columns=MOST_LABEL_COLUMNS)
        except FileError as error:
            # The copy has a place of its own, which is nobody's business.
            raise FileError(called, error.problem, near=error.near) from None
    # The file may be the one of another batch: row numbers would fit, and the labels would be wrong.
    batch_of_labels(frame, update.id, called)
    return labels_of_frame(frame, baseline, called)
