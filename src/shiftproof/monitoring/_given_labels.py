"""Labels as the user gives them: by row number, by key, or one per row of the batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from shiftproof.core import (
    Argument,
    InputError,
    Note,
    Phrase,
    Sensitive,
    Table,
    available_names,
    fault,
    is_missing,
    shown,
    similar,
)
from shiftproof.monitoring._sample import KeptSample, key_text
from shiftproof.monitoring._score_order import order_notes

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline

#: What names a row.
By = Literal["row", "key"]
_ACCEPTED = "be a dict that maps rows or keys to labels, a table, or one label per row of the batch"


@dataclass(frozen=True)
class GivenLabels:
    """Labels of rows that are kept.

    Attributes
    ----------
    codes : mapping of int to int
        By row, the place of its class.
    n_not_kept : int
        How many labels are for rows whose score is not kept, so that nothing can be compared.
    """

    codes: Mapping[int, int]
    n_not_kept: int


def read_labels(labels: Any, sample: KeptSample, classes: Sequence[Any], by: By | None, *, batch: str) -> GivenLabels:
    """Read labels of a batch; refuse rows, keys and classes that do not exist.

    Parameters
    ----------
    labels : dict, or sequence with one entry per row
        Missing entries are rows without a label yet.
    sample : KeptSample
        The rows that are kept.
    classes : sequence
        The labels of the reference, sorted.
    by : {"row", "key"} or None
        What a dict names rows by; None: keys if they are kept.
    batch : str
        The name of the batch, for errors.
    """
    pairs = _by_name(labels, sample, by, batch) if isinstance(labels, Mapping) else _by_place(labels, sample, by)
    coded = _codes([label for _, label in pairs], classes)
    codes = {row: code for (row, _), code in zip(pairs, coded, strict=True) if row in sample.places}
    if pairs and not codes:
        raise InputError(
            Argument("labels"),
            f": no label is for one of the {len(sample):,} rows whose scores are stored; "
            "label the rows that plan lists, or all rows of the batch",
            argument="labels",
        )
    return GivenLabels(codes, n_not_kept=len(pairs) - len(codes))


def label_notes(baseline: Baseline, batch: Table) -> tuple[Note, ...]:
    """Say that a batch has labels, which are given apart from it, and whether its scores are in their order."""
    name, scores = baseline.label_column, baseline.scores
    if scores is None or baseline.performance is None or name not in batch.names:
        return ()
    levels, of_rows = batch.column(name).coded()
    # A missing label is coded as -1, which is the last place.
    places = np.array([-1 if code is None else code for code in (*class_codes(levels, scores.classes), None)])[of_rows]
    known = places >= 0
    if not known.any():
        return ()
    note = Note(code="labels in batch", subject=name)
    return (note, *order_notes(scores, scores.read(batch, "batch")[known], places[known]))


def _by_name(labels: Mapping[Any, Any], sample: KeptSample, by: By | None, batch: str) -> list[tuple[int, Any]]:
    """Return rows and labels of a dict; -1 for keys of rows that may exist but are not kept."""
    known = [(name, label) for name, label in labels.items() if not is_missing(label)]
    if (by or ("key" if sample.keys else "row")) == "row":
        return [(_row(name, sample.n_rows), label) for name, label in known]
    if not sample.keys:
        raise InputError(
            Argument("labels"),
            " cannot identify rows by key: no keys of batch ",
            Sensitive(shown(batch)),
            " are stored; use row numbers, as in the rows that plan lists",
            argument="labels",
        )
    # Of a batch that is kept whole, every key is known.
    whole = len(sample) == sample.n_rows
    pairs = []
    texts = [key_text(key) for key, _ in known]
    if len({*texts}) < len(texts):
        twice = next(text for text, times in Counter(texts).items() if times > 1)
        words = ": the key ", Sensitive(twice), " occurs more than once, as text and as a number; keep one of these"
        raise InputError(Argument("labels"), *words, argument="labels")
    for (key, label), text in zip(known, texts, strict=True):
        row = sample.rows_by_key.get(text, -1)
        if row < 0 and whole:
            raise InputError(
                *(Argument("labels"), ": no row of batch ", Sensitive(shown(batch)), " has the key "),
                *(Sensitive(shown(key)), "; check ", Argument("id")),
                argument="labels",
            )
        pairs.append((row, label))
    return pairs


def _by_place(labels: Any, sample: KeptSample, by: By | None) -> list[tuple[int, Any]]:
    if isinstance(labels, str) or not hasattr(labels, "__len__"):
        raise fault("labels", _ACCEPTED, labels, "use None where a label is unknown")
    if hasattr(labels, "columns"):
        hint = "pass a DataFrame of pandas, such as table.to_pandas()"
        raise fault("labels", _ACCEPTED, Phrase("a table"), hint)
    if by is not None:
        raise fault("by", "be left out with one label per row", by)
    values = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if len(values) != sample.n_rows:
        got = Phrase(f"{len(values):,} for {sample.n_rows:,} rows")
        raise fault("labels", "have one entry per row of the batch", got, "give a dict for some rows")
    return [(row, label) for row, label in enumerate(values) if not is_missing(label)]


def _row(name: Any, n_rows: int) -> int:
    # True and False are integers in Python, but no row numbers.
    number = isinstance(name, int | np.integer) and not isinstance(name, bool)
    if not number or not 0 <= name < n_rows:
        rule = f"give row numbers from 0 to {n_rows - 1:,}"
        raise fault("labels", rule, name, "the first row is number 0", sensitive=True)
    return int(name)


def class_codes(labels: Sequence[Any], classes: Sequence[Any]) -> list[int | None]:
    """Return the place of each label among the classes, None if it is none; files may hold 1 where the class is "1"."""
    places: dict[Any, int] = {label: code for code, label in enumerate(classes)}
    texts: dict[str, int] = {key_text(label): code for code, label in enumerate(classes)}
    codes = (places.get(label) if isinstance(label, Hashable) else None for label in labels)
    return [texts.get(key_text(label)) if code is None else code for label, code in zip(labels, codes, strict=True)]


def _codes(labels: Sequence[Any], classes: Sequence[Any]) -> list[int]:
    codes = []
    for label, code in zip(labels, class_codes(labels, classes), strict=True):
        if code is None:
            near = similar(label, classes)
            rest = " is not a class of the baseline" + ("" if near else f"; {available_names(classes)}")
            words = Argument("labels"), ": the label ", Sensitive(shown(label)), rest
            raise InputError(*words, argument="labels", near=near)
        codes.append(code)
    return codes
