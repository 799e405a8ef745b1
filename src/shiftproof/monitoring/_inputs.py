"""The checked inputs of a baseline: the reference's columns, its scores and its labels."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Codes,
    Floats,
    Note,
    Phrase,
    Seed,
    Table,
    as_table,
    fault,
    is_address,
    listed,
    open_in_order,
    unknown_name,
)
from shiftproof.data import LEFT_OUT, Every, Kind, feature_kinds, open_rows, read_rows
from shiftproof.monitoring._score_order import check_order
from shiftproof.monitoring._scores import ScoreColumns, check_label_given, given_scores, panel_scores
from shiftproof.monitoring._seasons import Season
from shiftproof.warehouse import open_frame

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.panel import Panel

# As long as names of files may be.
_LONGEST_NAME = 255
# With fewer rows nothing can be cut into cells.
_FEWEST_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class BaselineSources:
    """The arguments of `Baseline.of`, as the caller gave them."""

    reference: object
    panel: Panel | None = None
    scores: object = None
    labels: object = None
    key: object = None
    random_state: Seed = 0
    kinds: Mapping[Any, str] | None = None
    exclude: Sequence[Any] | None = None
    time: str | None = None
    every: Every | None = None
    season: Season | None = None
    by: str | None = None
    history: object = None
    envelope: object = None
    pos_label: object = None
    redact: bool = False
    cells: Baseline | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceInputs:
    """The reference, checked.

    Attributes
    ----------
    table : Table
        All columns of the reference.
    kinds : mapping of str to str
        The features that are compared.
    left_out : mapping of str to str
        The other columns, each with its reason.
    scores : ScoreColumns or None
        Where scores are.
    probabilities : ndarray of shape (n, k), or None
        The scores, one column per class.
    codes : ndarray of int, shape (n,), or None
        The class of each row.
    notes : tuple of Note
        What is not known.
    """

    table: Table
    kinds: Mapping[str, Kind]
    left_out: Mapping[str, str]
    scores: ScoreColumns | None
    probabilities: Floats | None
    codes: Codes | None
    notes: tuple[Note, ...]

    @classmethod
    def of(cls, sources: BaselineSources) -> ReferenceInputs:
        """Check everything, as the caller of `Baseline.of` gave it."""
        table = read_table(sources.reference, "reference")
        # A part of the rows, counted on cells that others fixed, may be small.
        if table.n_rows < _FEWEST_ROWS and sources.cells is None:
            raise fault("reference", f"hold at least {_FEWEST_ROWS} rows", table.n_rows, "add rows")
        notes: list[Note] = []
        codes, probabilities, scores = None, None, None
        if sources.panel is not None:
            table, scores, probabilities, codes = _from_panel(sources, table)
            if not sources.panel.deployed:
                notes.append(Note(code="cross-fitted scores", subject=scores.names[0]))
        else:
            classes, codes = _labels(sources, table)
            check_label_given(sources.pos_label, classes)
            if sources.scores is not None:
                scores, probabilities = given_scores(sources.scores, table, classes, sources.pos_label)
                if codes is not None and sources.cells is None:
                    check_order(scores, probabilities, codes)
        notes += _unknown(scores, codes)
        # Labels are of use beside scores only.
        codes = None if scores is None else codes
        left_out = _hidden(sources, table)
        # A column of scores must not be compared as a feature as well.
        features = table.without([*left_out, *(scores.names if scores else ())])
        kinds = feature_kinds(features, kinds=sources.kinds)
        left_out |= {name: kind for name, kind in kinds.items() if kind in LEFT_OUT}
        kinds = {name: kind for name, kind in kinds.items() if kind not in LEFT_OUT}
        if not kinds and scores is None:
            got = Phrase(listed(left_out) or "none")
            raise fault("reference", "have a column that can be compared", got, "add features or scores")
        dates = [name for name, kind in kinds.items() if kind == "date"]
        if dates:
            notes.append(Note(code="dates change", subject=dates[0], detail=listed(dates)))
        return cls(
            table=table,
            kinds=kinds,
            left_out=left_out,
            scores=scores,
            probabilities=probabilities,
            codes=codes,
            notes=tuple(notes),
        )

    def segment(self, rows: NDArray[np.int64], by: str) -> ReferenceInputs:
        """Keep some rows, all of which have one value of the column `by`, which is then no feature."""
        return replace(
            self,
            table=self.table.take(rows),
            kinds={name: kind for name, kind in self.kinds.items() if name != by},
            probabilities=None if self.probabilities is None else self.probabilities[rows],
            codes=None if self.codes is None else self.codes[rows],
            left_out={**self.left_out, by: "segment"},
            notes=(),
        )

    @property
    def n_classes(self) -> int:
        """How many classes there are; 0 without labels or scores."""
        return 0 if self.scores is None or self.codes is None else len(self.scores.classes)


def read_table(source: object, name: str) -> Table:
    """Wrap a table, or read it from a file; refuse one without rows or columns.

    Columns are counted together with scores and labels, so that all of them need their rows in one order.
    """
    found = open_rows(source) if isinstance(source, (str, os.PathLike)) else open_frame(source)
    table = open_in_order(found, name)
    if not table.names:
        raise fault(name, "have at least one column", table.names, "pass the features as columns")
    if not table.n_rows:
        raise fault(name, "hold at least one row", table.n_rows, "check the filter or the file it came from")
    return table


def check_name(name: object, argument: str, hint: str) -> None:
    """Refuse what cannot be the name of a batch or of a monitor."""
    if not isinstance(name, str) or not name.strip():
        raise fault(argument, "be a text", name, hint)
    if len(name) > _LONGEST_NAME:
        rule, got = f"have at most {_LONGEST_NAME} characters", Phrase(f"{len(name):,}")
        raise fault(argument, rule, got, "choose a shorter name")
    if is_address(name):
        raise fault(argument, "not be a URL or contain a password", name, "choose a name that everybody may read")


def check_column(name: object, table: Table, argument: str) -> str:
    """Return the name of a column of the reference."""
    if not isinstance(name, str) or name not in table.names:
        raise unknown_name(argument, "name a column of the reference", name, table.names)
    return name


def _from_panel(sources: BaselineSources, table: Table) -> tuple[Table, ScoreColumns, Floats, Codes]:
    """Take labels and out-of-fold scores from a panel, of the rows that some model tested."""
    panel = sources.panel
    if panel is None or not hasattr(panel, "fold_probabilities"):
        raise fault("panel", "be a Panel", type(panel).__name__, "make one with cross_fit or Panel.from_scores")
    if sources.labels is not None and not isinstance(sources.labels, str):
        raise fault("labels", "be left out with a panel, which already has labels", hint="pass one of the two")
    scores, probabilities, codes = panel_scores(panel, sources.scores, table.n_rows)
    rows = np.flatnonzero(panel.tested)
    if len(rows) < table.n_rows:
        from shiftproof.panel import as_features, take

        whole = read_rows(source) if isinstance(source := sources.reference, (str, os.PathLike)) else source
        table = as_table(take(as_features(whole, "reference").data, rows), "reference")
    return table, scores, probabilities[rows], codes[rows]


def _labels(sources: BaselineSources, table: Table) -> tuple[tuple[Any, ...], Codes | None]:
    given = sources.labels
    if given is None:
        return (), None
    from shiftproof.panel import encode_known, encode_labels

    if isinstance(given, str):
        column = table.column(check_column(given, table, "labels"))
        levels, codes = column.coded()
        # A level that no row has is not a class; labels that are missing are refused below, in a sentence.
        used, places = np.unique(codes, return_inverse=True)
        distinct = [levels[level] for level in used.tolist() if level >= 0]
        if len(distinct) == len(used):
            classes = np.asarray(_known_classes(sources) or encode_labels(distinct, "labels")[0].tolist())
            return tuple(classes.tolist()), encode_known(distinct, classes, "labels")[places]
        given = column.cells()
    # A part of the rows need not have all classes.
    known = _known_classes(sources)
    classes = np.asarray(known) if known else encode_labels(given, "labels")[0]
    codes = encode_known(given, classes, "labels")
    if len(codes) != table.n_rows:
        got = Phrase(f"{len(codes):,} for {table.n_rows:,}")
        raise fault("labels", "have one label per reference row", got, "pass the labels of the same rows")
    return tuple(classes.tolist()), codes


def _known_classes(sources: BaselineSources) -> tuple[Any, ...]:
    return () if sources.cells is None or sources.cells.scores is None else sources.cells.scores.classes


def _unknown(scores: ScoreColumns | None, codes: Codes | None) -> list[Note]:
    if scores is None:
        return [Note(code="no scores")]
    return [Note(code="no labels")] if codes is None else []


def _hidden(sources: BaselineSources, table: Table) -> dict[str, str]:
    """Return the columns that are not features, each with its reason."""
    from shiftproof.detection import excluded_names

    hidden = {check_column(name, table, "exclude"): "excluded" for name in excluded_names(sources.exclude)}
    for argument, name in (("key", sources.key), ("time", sources.time)):
        if name is not None:
            hidden[check_column(name, table, argument)] = argument
    if isinstance(sources.labels, str):
        hidden[check_column(sources.labels, table, "labels")] = "label"
    return hidden
