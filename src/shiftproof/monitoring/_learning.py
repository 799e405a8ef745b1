"""From the reference's rows to the fields of a baseline."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.case import read_history
from shiftproof.core import (
    Argument,
    Column,
    InputError,
    Phrase,
    Table,
    as_table,
    check_comparable,
    check_flag,
    fault,
    generator,
    listed,
    shown,
)
from shiftproof.monitoring._cells import CategoryCells, IntArray, NumberCells
from shiftproof.monitoring._content import uniform_of_keys
from shiftproof.monitoring._inputs import BaselineSources, ReferenceInputs, check_column
from shiftproof.monitoring._moments import ReferenceMoments
from shiftproof.monitoring._parts import ReferencePart, enough_labels, season_notes
from shiftproof.monitoring._performance import ReferencePerformance
from shiftproof.monitoring._periods import measure_periods
from shiftproof.monitoring._reference import ReferenceColumn, ReferenceDraw, count_column, count_parts, learn_column
from shiftproof.monitoring._seasons import Seasons
from shiftproof.monitoring._segments import FEWEST_OF_SEGMENT, ROWS_PER_SEASON, Segments
from shiftproof.warehouse import SparkColumns, open_frame

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.robustness import Envelope

#: Names are hashed with it unless they are hidden: equal names get equal hashes in every baseline.
PLAIN_SALT = b"shiftproof"


def learn_fields(sources: BaselineSources) -> dict[str, Any]:
    """Return the fields of a baseline, as the caller of `Baseline.of` asked for."""
    cells, redact = sources.cells, check_flag(sources.redact, "redact")
    reference = open_frame(sources.reference)
    if isinstance(reference, SparkColumns):
        from shiftproof.monitoring._cluster import learn_on_cluster

        return learn_on_cluster(sources, reference, learn_fields)
    inputs = ReferenceInputs.of(sources)
    table, rng = inputs.table, generator(sources.random_state)
    # A key draws the same rows in every engine and order; row numbers need the same table.
    keyed = None if sources.key is None else table.column(str(sources.key))
    drawing = ReferenceDraw(
        draws=rng.random(table.n_rows) if keyed is None else uniform_of_keys(keyed),
        codes=inputs.codes,
        n_classes=inputs.n_classes,
        salt=cells.salt if cells is not None else secrets.token_bytes(16) if redact else PLAIN_SALT,
        redact=redact if cells is None else cells.redacted,
    )
    fields = _learn(sources, inputs, drawing)
    if fields["seasons"] is not None:
        fields["seasons"].check(table.n_rows)
    if sources.by is None:
        return fields
    by = check_column(sources.by, table, "by")
    if cells is not None:
        raise fault("by", "be left out with cells", by, "segments cannot be added yet")
    fewest = FEWEST_OF_SEGMENT if fields["seasons"] is None else ROWS_PER_SEASON * len(fields["seasons"])
    segments, codes, notes = Segments.of(table, by, drawing, max(fewest, FEWEST_OF_SEGMENT))
    whole = fields["performance"]
    return fields | {
        "by": segments,
        "segments": {
            name: _learn_segment(sources, inputs, drawing, np.flatnonzero(codes == place), whole)
            for place, name in enumerate(segments.names)
        },
        "notes": (*fields["notes"], *notes),
    }


def _learn_segment(
    sources: BaselineSources,
    inputs: ReferenceInputs,
    drawing: ReferenceDraw,
    rows: IntArray,
    whole: ReferencePerformance | None,
) -> dict[str, Any]:
    """Return the fields of the baseline of some rows, on cells of their own."""
    own = inputs.segment(rows, str(sources.by))
    drawn = replace(drawing, draws=drawing.draws[rows], codes=None if drawing.codes is None else drawing.codes[rows])
    part = None
    if whole is not None and own.probabilities is not None and own.codes is not None:
        part = ReferencePerformance.of(own.probabilities, own.codes, whole.calibration)
    if part is None or not enough_labels(part):
        # Accuracy is not estimated from a handful of labels, or of one class.
        own, drawn = replace(own, codes=None), replace(drawn, codes=None, n_classes=0)
    return _learn(sources, own, drawn, whole)


def _learn(
    sources: BaselineSources,
    inputs: ReferenceInputs,
    drawing: ReferenceDraw,
    calibrated: ReferencePerformance | None = None,
) -> dict[str, Any]:
    """Return the fields of the baseline of a table; probabilities are calibrated as elsewhere, if given."""
    cells, table = sources.cells, inputs.table
    columns = _columns(inputs, drawing, cells)
    seasons = _seasons(sources, table)
    of_rows = None if seasons is None else seasons.codes(table, None, "reference")
    periods = measure_periods(inputs, columns, sources.time, sources.every, of_rows)
    performance = _performance(inputs, cells.performance if cells is not None else calibrated)
    moments = _moments(inputs, columns, cells)
    parts: list[ReferencePart] = []
    if seasons is not None:
        whole = ReferencePart(n_rows=table.n_rows, columns=columns, performance=performance, moments=moments)
        rows = [np.flatnonzero(of_rows == season) for season in range(len(seasons))]
        parts = _season_parts(inputs, drawing, whole, rows, learnt=cells is None)
    return {
        "n_rows": table.n_rows,
        "reference": columns,
        "scores": inputs.scores,
        "performance": performance,
        "moments": moments,
        "seasons": seasons,
        "parts": tuple(parts),
        # An error that lasts is carried on to the next period; a monitor watches all that follow.
        "history": replace(read_history(sources.history, "natural"), errors={}, seen=()),
        "envelope": _checked(sources.envelope),
        "design_effect": periods.effects,
        "mean_period": periods.mean_rows,
        "left_out": inputs.left_out,
        "redacted": drawing.redact,
        "salt": drawing.salt,
        "notes": (*inputs.notes, *periods.notes, *([] if seasons is None else season_notes(seasons, parts))),
    }


def _seasons(sources: BaselineSources, table: Table) -> Seasons | None:
    """Assign the week to seasons, as asked for or as in the baseline whose cells are used."""
    known = None if sources.cells is None else sources.cells.seasons
    if sources.cells is not None and sources.season not in (None, None if known is None else known.every):
        hint = Phrase("leave ", Argument("season"), " out to use that of the baseline given as cells")
        raise fault("season", f"be {shown(known and known.every)}", sources.season, hint)
    if known is not None:
        check_column(known.column, table, "time")
    return known if known is not None or sources.season is None else Seasons.of(table, sources.season, sources.time)


def _season_parts(
    inputs: ReferenceInputs, drawing: ReferenceDraw, whole: ReferencePart, rows: list[IntArray], *, learnt: bool
) -> list[ReferencePart]:
    """Count and add up the rows of each season, on the cells of all rows."""
    columns = _source_columns(inputs)
    counted = {
        name: count_parts(known.comparable(columns[name]), known, drawing, rows, learnt=learnt)
        for name, known in whole.columns.items()
    }
    probabilities, codes, of_all = inputs.probabilities, inputs.codes, whole.performance
    parts = []
    moments: Sequence[ReferenceMoments | None] = [None] * len(rows)
    if whole.moments is not None and inputs.scores is not None and probabilities is not None and codes is not None:
        scores = as_table(inputs.scores.columns_of(probabilities))
        features = inputs.table.only(whole.moments.columns)
        moments = ReferenceMoments.by_part(whole.columns, scores, features, codes, parts=rows, known=whole.moments)
    for season, own in enumerate(rows):
        performance = None
        if of_all is not None and probabilities is not None and codes is not None:
            performance = ReferencePerformance.of(probabilities[own], codes[own], of_all.calibration)
        by_name = {name: of_seasons[season] for name, of_seasons in counted.items()}
        parts.append(ReferencePart(n_rows=len(own), columns=by_name, performance=performance, moments=moments[season]))
    return parts


def _checked(envelope: object) -> Envelope | None:
    if envelope is None:
        return None
    # This imports scikit-learn, which monitors don't need.
    from shiftproof.robustness import Envelope

    if not isinstance(envelope, Envelope):
        raise fault("envelope", "be an Envelope", type(envelope).__name__, "pass stress(...).envelope[model]")
    return envelope


def _source_columns(inputs: ReferenceInputs) -> dict[str, Column]:
    """Return the columns that are compared, scores first."""
    columns: dict[str, Column] = {}
    if inputs.scores is not None and inputs.probabilities is not None:
        scores = as_table(inputs.scores.columns_of(inputs.probabilities))
        columns |= {name: scores.column(name) for name in scores.names}
    return columns | {name: inputs.table.column(name) for name in inputs.kinds}


def _columns(inputs: ReferenceInputs, drawing: ReferenceDraw, cells: Baseline | None) -> dict[str, ReferenceColumn]:
    """Count every column, scores first: on cells of its own, or on those of another baseline."""
    columns = _source_columns(inputs)
    if cells is None:
        # Scores are not features, so they have no kind.
        kinds = dict(inputs.kinds)
        return {name: learn_column(column, kinds.get(name, "continuous"), drawing) for name, column in columns.items()}
    absent = [name for name in cells.reference if name not in columns]
    if absent:
        message = f"the reference must have all columns of the baseline in cells; it has none of {listed(absent)}"
        raise InputError(message)
    return {name: _recounted(columns[name], known, drawing) for name, known in cells.reference.items()}


def _recounted(column: Column, known: ReferenceColumn, drawing: ReferenceDraw) -> ReferenceColumn:
    """Count a column on the cells of another baseline, and learn which levels it has beside those."""
    column, nominal = known.comparable(column), not isinstance(known.cells, NumberCells)
    check_comparable(f"column {shown(column.name)}", known.nature, column, nominal=nominal, current="the new rows")
    cells = known.cells.knowing(column) if isinstance(known.cells, CategoryCells) else known.cells
    # The cells were fixed elsewhere, so that all of these rows can be compared.
    none = np.zeros(len(column), dtype=np.bool_)
    return replace(count_column(column, known.kind, cells, none, drawing), nature=known.nature)


def _performance(inputs: ReferenceInputs, known: ReferencePerformance | None) -> ReferencePerformance | None:
    if inputs.probabilities is None or inputs.codes is None:
        return None
    # Sums can be added only if all rows were calibrated alike.
    calibration = None if known is None else known.calibration
    return ReferencePerformance.of(inputs.probabilities, inputs.codes, calibration)


def _moments(
    inputs: ReferenceInputs, columns: Mapping[str, ReferenceColumn], cells: Baseline | None
) -> ReferenceMoments | None:
    if inputs.scores is None or inputs.probabilities is None or inputs.codes is None or not inputs.kinds:
        return None
    scores = as_table(inputs.scores.columns_of(inputs.probabilities))
    if cells is None:
        return ReferenceMoments.of(columns, scores, inputs.table.only(inputs.kinds), inputs.codes)
    if cells.moments is None:
        return None
    features = inputs.table.only(cells.moments.columns)
    return ReferenceMoments.of(columns, scores, features, inputs.codes, cells.moments)
