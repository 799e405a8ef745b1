"""What is known of the reference, without its rows: the start of every monitor."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import Column, InputError, Note, Result, Seed, as_table, check_flag, generator, listed
from shiftproof.monitoring._baseline_words import baseline_text
from shiftproof.monitoring._content import content_hash, uniform_of_keys
from shiftproof.monitoring._inputs import BaselineSources, ReferenceInputs, read_table
from shiftproof.monitoring._reference import ReferenceColumn, ReferenceDraw, count_column, learn_column
from shiftproof.monitoring._scores import ScoreColumns
from shiftproof.monitoring._summary import BatchSummary, batch_facts, count_batch
from shiftproof.monitoring.alarms import CellPlan

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.panel import Panel

# Names are hashed with it unless they are hidden: equal names get equal hashes in every baseline.
_PLAIN_SALT = b"shiftproof"


@dataclass(frozen=True, eq=False, kw_only=True)
class Baseline(Result):
    """The reference of a monitor: counts on fixed cells of every column, and no rows.

    Make one by `Baseline.of`, or open one by `Baseline.load`.

    Attributes
    ----------
    n_rows : int
        Rows of the reference.
    reference : mapping of str to ReferenceColumn
        What is kept of each column, scores first.
    scores : ScoreColumns or None
        The columns of scores that every batch must have.
    left_out : mapping of str to str
        Columns that are not compared, each with its reason.
    redacted : bool
        Whether names of categories are kept as salted hashes only.
    salt : bytes
        What names of categories are hashed with.
    notes : tuple of Note
        What the baseline cannot answer, and why.
    """

    n_rows: int
    reference: Mapping[str, ReferenceColumn]
    scores: ScoreColumns | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    redacted: bool = False
    salt: bytes = _PLAIN_SALT
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        reference: Any,
        *,
        panel: Panel | None = None,
        scores: Any = None,
        labels: Any = None,
        key: str | None = None,
        random_state: Seed = 0,
        kinds: Mapping[Any, str] | None = None,
        exclude: Sequence[Any] | None = None,
        pos_label: Any = None,
        redact: bool = False,
        cells: Baseline | None = None,
    ) -> Baseline:
        """Make a baseline from the reference rows.

        Parameters
        ----------
        reference : table of any library, 2-D array, dict of columns, list of dicts, or path of a file
            The rows a model was validated on.
        panel : Panel, optional
            Of `cross_fit` on these rows: the scores of one of its models, and the labels.
        scores : column name, list of column names, array-like or table, optional
            Probabilities of the reference rows by a model that was not trained on them: of one class, or one column per
            class. Every batch must have columns of these names; an array is called "score". With a panel, the name of
            its model.
        labels : column name or sequence of labels, optional
            The labels of the reference rows. Without them accuracy and class proportions cannot be estimated.
        key : str, optional
            A column that identifies rows. Part A, which fixes the cells, is then drawn by SHA-256 of its value, so that
            every engine draws the same rows. It is not compared.
        random_state : int, Generator, RandomState, SeedSequence or None
            The seed of part A without a key.
        kinds : dict from column to kind, optional
            Kinds that you know better: "continuous", "nominal" or "date"; "text" and "identifier" are left out.
        exclude : sequence of str, optional
            Columns to leave out, such as a time stamp, which changes by itself.
        pos_label : label, optional
            The class whose probability a single column of scores is; by default the second of two in sorted order.
        redact : bool, default False
            Whether to keep names of categories as salted hashes only.
        cells : Baseline, optional
            Count on the cells of another baseline, so that the two can be added: ``first + second``.

        Returns
        -------
        Baseline
            With `summarise(batch)`, `save(folder)`, `to_frame()` and `summary()`.

        Raises
        ------
        InputError
            If there are too few rows, no column can be compared, or scores or labels do not fit the rows.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> table = {"age": rng.normal(40, 10, 400), "job": rng.choice(["a", "b"], 400), "p": rng.uniform(size=400)}
        >>> baseline = Baseline.of(table, scores="p")
        >>> list(baseline.columns), baseline.columns["job"].reference.tolist()
        (['p', 'age', 'job'], [0, 0, 0, 207, 193])
        """
        sources = BaselineSources(
            reference=reference,
            panel=panel,
            scores=scores,
            labels=labels,
            key=key,
            kinds=kinds,
            exclude=exclude,
            pos_label=pos_label,
        )
        inputs = ReferenceInputs.of(sources)
        n_rows = inputs.table.n_rows
        drawing = ReferenceDraw(
            draws=generator(random_state).random(n_rows) if key is None else uniform_of_keys(inputs.table.column(key)),
            codes=inputs.codes,
            n_classes=inputs.n_classes,
            salt=_salt(check_flag(redact, "redact")) if cells is None else cells.salt,
            redact=redact if cells is None else cells.redacted,
        )
        return cls(
            n_rows=n_rows,
            reference=_count(inputs, drawing, cells),
            scores=inputs.scores,
            left_out=inputs.left_out,
            redacted=drawing.redact,
            salt=drawing.salt,
            notes=inputs.notes,
        )

    @property
    def columns(self) -> dict[str, CellPlan]:
        """The cells of every column, for the alarms."""
        return {name: column.plan for name, column in self.reference.items()}

    def summarise(self, batch: Any) -> BatchSummary:
        """Compare a batch with the reference.

        Parameters
        ----------
        batch : table of any library, dict of columns, list of dicts, or path of a file
            New rows with the columns of the reference and of its scores. A feature that the batch lacks counts as
            missing in every row; columns that the reference lacks are not compared.

        Returns
        -------
        BatchSummary
            Counts for the alarms, distances of every column, and estimates.

        Raises
        ------
        InputError
            If the batch has no rows, lacks the scores, or a column changed its type.
        """
        table = read_table(batch, "batch")
        columns = table
        if self.scores is not None:
            # Scores are checked as probabilities; then they are a column like the others.
            self.scores.read(table, "batch")
        fine, changes, notes = count_batch(self.reference, columns)
        known = {*self.reference, *self.left_out}
        fresh = [name for name in table.names if name not in known]
        if fresh:
            notes.append(Note(code="new columns", detail=listed(fresh)))
        return BatchSummary(
            n_rows=table.n_rows,
            content=content_hash(table),
            facts=batch_facts(self.reference, fine, table.n_rows),
            columns=changes,
            shares={},
            notes=tuple(notes),
        )

    def __add__(self, other: object) -> Baseline:
        """Add the counts of other rows on the same cells: those of `Baseline.of(rows, cells=first)`."""
        if not isinstance(other, Baseline):
            return NotImplemented
        if tuple(self.reference) != tuple(other.reference) or self.scores != other.scores:
            raise InputError("baselines can be added if they have the same columns, classes and scores")
        joined = {name: column.plus(other.reference[name]) for name, column in self.reference.items()}
        return replace(self, n_rows=self.n_rows + other.n_rows, reference=joined)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell of every column, with the counts of part A and of the whole reference."""
        import pandas as pd

        plans = self.columns.items()
        frames = [
            pd.DataFrame({"column": n, "cell": range(len(p.part)), "part": p.part, "reference": p.reference})
            for n, p in plans
        ]
        return pd.concat(frames, ignore_index=True)

    def to_dict(self) -> dict[str, Any]:
        """Return what the baseline holds as plain values, without its counts."""
        kinds = {name: column.kind for name, column in self.reference.items()}
        return {**self._plain_fields("reference", "salt"), "columns": kinds}

    def summary(self) -> str:
        """Summarise what the baseline holds, and what it cannot answer."""
        return str(baseline_text(self))


def _salt(redact: bool) -> bytes:
    return secrets.token_bytes(16) if redact else _PLAIN_SALT


def _count(inputs: ReferenceInputs, drawing: ReferenceDraw, cells: Baseline | None) -> dict[str, ReferenceColumn]:
    """Count every column: on cells of its own, or on those of another baseline."""
    columns: list[Column] = []
    if inputs.scores is not None and inputs.probabilities is not None:
        scores = as_table(inputs.scores.columns_of(inputs.probabilities))
        columns += [scores.column(name) for name in scores.names]
    columns += [inputs.table.column(name) for name in inputs.kinds]
    if cells is None:
        return {
            column.name: learn_column(column, inputs.kinds.get(column.name, "continuous"), drawing)
            for column in columns
        }
    absent = [name for name in cells.reference if name not in {column.name for column in columns}]
    if absent:
        raise InputError(
            f"the reference must have all columns of the baseline in cells; it has none of {listed(absent)}"
        )
    by_name = {column.name: column for column in columns}
    # The cells were fixed elsewhere, so that all of these rows can be compared.
    none = np.zeros(inputs.table.n_rows, dtype=np.bool_)
    return {
        name: count_column(by_name[name], column.kind, column.cells, none, drawing)
        for name, column in cells.reference.items()
    }
