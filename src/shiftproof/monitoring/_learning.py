"""From the reference's rows to the fields of a baseline."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.case import read_history
from shiftproof.core import Column, InputError, as_table, check_comparable, check_flag, fault, generator, listed, shown
from shiftproof.monitoring._cells import CategoryCells, NumberCells
from shiftproof.monitoring._content import uniform_of_keys
from shiftproof.monitoring._inputs import BaselineSources, ReferenceInputs
from shiftproof.monitoring._moments import ReferenceMoments
from shiftproof.monitoring._performance import ReferencePerformance
from shiftproof.monitoring._periods import measure_periods
from shiftproof.monitoring._reference import ReferenceColumn, ReferenceDraw, count_column, learn_column

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.robustness import Envelope

#: Names are hashed with it unless they are hidden: equal names get equal hashes in every baseline.
PLAIN_SALT = b"shiftproof"


def learn_fields(sources: BaselineSources) -> dict[str, Any]:
    """Return the fields of a baseline, as the caller of `Baseline.of` asked for."""
    cells, redact = sources.cells, check_flag(sources.redact, "redact")
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
    columns = _columns(inputs, drawing, cells)
    periods = measure_periods(inputs, columns, sources.time, sources.every)
    return {
        "n_rows": table.n_rows,
        "reference": columns,
        "scores": inputs.scores,
        "performance": _performance(inputs, cells),
        "moments": _moments(inputs, columns, cells),
        # An error that lasts is carried on to the next period; a monitor watches all that follow.
        "history": replace(read_history(sources.history, "natural"), errors={}, seen=()),
        "envelope": _checked(sources.envelope),
        "design_effect": periods.effects,
        "mean_period": periods.mean_rows,
        "left_out": inputs.left_out,
        "redacted": drawing.redact,
        "salt": drawing.salt,
        "notes": (*inputs.notes, *periods.notes),
    }


def _checked(envelope: object) -> Envelope | None:
    if envelope is None:
        return None
    # This imports scikit-learn, which monitors don't need.
    from shiftproof.robustness import Envelope

    if not isinstance(envelope, Envelope):
        raise fault("envelope", "be an Envelope", type(envelope).__name__, "pass stress(...).envelope[model]")
    return envelope


def _columns(inputs: ReferenceInputs, drawing: ReferenceDraw, cells: Baseline | None) -> dict[str, ReferenceColumn]:
    """Count every column, scores first: on cells of its own, or on those of another baseline."""
    columns: dict[str, Column] = {}
    if inputs.scores is not None and inputs.probabilities is not None:
        scores = as_table(inputs.scores.columns_of(inputs.probabilities))
        columns |= {name: scores.column(name) for name in scores.names}
    columns |= {name: inputs.table.column(name) for name in inputs.kinds}
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


def _performance(inputs: ReferenceInputs, cells: Baseline | None) -> ReferencePerformance | None:
    if inputs.probabilities is None or inputs.codes is None:
        return None
    # Sums can be added only if all rows were calibrated alike.
    known = None if cells is None or cells.performance is None else cells.performance.calibration
    return ReferencePerformance.of(inputs.probabilities, inputs.codes, known)


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
