"""What is known of the reference, without its rows: the start of every monitor."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.case import NO_RECORD, DriftRecord
from shiftproof.core import (
    Floats,
    InputError,
    Note,
    Phrase,
    Result,
    Seed,
    Table,
    as_table,
    fault,
    listed,
)
from shiftproof.data import Every
from shiftproof.monitoring._baseline_words import baseline_text
from shiftproof.monitoring._cells import IntArray
from shiftproof.monitoring._content import content_hash, counts_hash
from shiftproof.monitoring._folder import load_fields, save_baseline, write_files
from shiftproof.monitoring._given_labels import label_notes
from shiftproof.monitoring._inputs import BaselineSources, read_table
from shiftproof.monitoring._learning import PLAIN_SALT, learn_fields
from shiftproof.monitoring._moments import BatchShift, ReferenceMoments, shift_of_batch
from shiftproof.monitoring._parts import ReferencePart, mixed_part
from shiftproof.monitoring._performance import ReferencePerformance, estimate_batch
from shiftproof.monitoring._reference import ReferenceColumn
from shiftproof.monitoring._scores import ScoreColumns
from shiftproof.monitoring._seasons import Season, Seasons
from shiftproof.monitoring._segments import Segments
from shiftproof.monitoring._summary import BatchSummary, CountedBatch, compare_counts, count_batch
from shiftproof.monitoring._times import utc
from shiftproof.monitoring.alarms import BIAS_SD, CellPlan
from shiftproof.warehouse import SCORED, SparkColumns

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.panel import Panel
    from shiftproof.robustness import Envelope


@dataclass(frozen=True, eq=False, kw_only=True)
class Baseline(Result):
    """The reference of a monitor: counts in fixed cells of every column, without any rows.

    Make one with `Baseline.of`, or open one with `Baseline.load`.

    Attributes
    ----------
    n_rows : int
        Rows of the reference.
    reference : mapping of str to ReferenceColumn
        The stored figures of each column, scores first.
    scores : ScoreColumns or None
        The columns of scores that every batch must have.
    performance : ReferencePerformance or None
        The validated accuracy, and what estimates need; None without labels or scores.
    moments : ReferenceMoments or None
        The moments that determine the type of shift; None without labels, scores or features.
    history : DriftRecord
        How far estimates were off in the user's own past.
    envelope : Envelope or None
        How far the features can shift before accuracy changes, from `stress`.
    seasons : Seasons or None
        How rows are assigned to seasons; None without seasons.
    parts : tuple of ReferencePart
        The reference by season.
    by : Segments or None
        Which rows belong to which segment; None without segments.
    segments : mapping of str to Baseline
        The reference of each segment.
    design_effect : mapping of str to float
        How much less information rows of one period carry than independent rows, by column; empty if not measured.
    mean_period : float or None
        The mean number of rows of a period; None if periods were not given.
    left_out : mapping of str to str
        Columns that are not compared, each with its reason.
    redacted : bool
        Whether names of categories are stored only as salted hashes.
    salt : bytes
        The salt of these hashes.
    notes : tuple of Note
        What the baseline cannot answer, and why.
    """

    n_rows: int
    reference: Mapping[str, ReferenceColumn]
    scores: ScoreColumns | None = None
    performance: ReferencePerformance | None = None
    moments: ReferenceMoments | None = None
    history: DriftRecord = NO_RECORD
    envelope: Envelope | None = None
    seasons: Seasons | None = None
    parts: tuple[ReferencePart, ...] = ()
    by: Segments | None = None
    segments: Mapping[str, Baseline] = field(default_factory=dict)
    design_effect: Mapping[str, float] = field(default_factory=dict)
    mean_period: float | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    redacted: bool = False
    salt: bytes = PLAIN_SALT
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
        time: str | None = None,
        every: Every | None = None,
        season: Season | None = None,
        by: str | None = None,
        history: Any = None,
        envelope: Envelope | None = None,
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
            A panel from `cross_fit` on these rows, with the labels and the scores of one of its models.
        scores : column name, list of column names, array-like or table, optional
            Probabilities of the reference rows from a model that was not trained on them: of one class, or one column
            per class. Every batch must have columns with these names; the column of an array is called "score". With a
            panel, the name of one of its models.
        labels : column name or sequence of labels, optional
            The labels of the reference rows. Without them accuracy and class proportions cannot be estimated.
        key : str, optional
            A column that identifies rows. Part A of the reference, which fixes the cells, is then drawn by the SHA-256
            of its values, so that every engine draws the same rows. The column is not compared.
        random_state : int, Generator, RandomState, SeedSequence or None
            The seed of part A without a key.
        kinds : dict from column to kind, optional
            Kinds to override: "continuous", "nominal" or "date"; columns of kind "text" and "identifier" are left out.
        exclude : sequence of str, optional
            Columns to leave out, such as a time stamp, which always changes.
        time : str, optional
            A column of dates or periods. With at least 10 periods, alarms correct for rows of the same period that
            resemble each other. The column is not compared.
        every : {"day", "week", "month", "quarter", "year"}, optional
            The length of a period; choose the length of a batch.
        season : {"weekday", "hour-of-week"}, optional
            Compare rows with reference rows of the same weekday, or hour of the week, by the column `time`: in its time
            zone, or in UTC if it has none. If a batch has this column, its rows belong to the seasons of their own
            times; otherwise to the season of its `at`. A batch with several seasons is compared with reference rows of
            these seasons, in the same proportions. Days or hours with fewer than 50 reference rows are compared
            together.
        by : str, optional
            A column of categories, such as the country. A monitor then watches the rows of each value separately, in
            addition to all rows. Each value has its own cells and reference, and all share one probability of a false
            alarm. The 20 values with the most reference rows (at least 200) are watched separately; the other values
            together.
        history : Backtest or its record, optional
            How far estimates were off in the past; this changes the allowance for drift.
        envelope : Envelope, optional
            From `stress`: how far the features can shift before accuracy changes.
        pos_label : label, optional
            The class that a single column of scores is about; by default the second of two in sorted order.
        redact : bool, default False
            Whether to store names of categories only as salted hashes. New categories of a batch are then counted, not
            named.
        cells : Baseline, optional
            Another baseline whose cells to use, so that the two can be added: ``first + second``.

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
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> table = {"age": rng.normal(40, 10, 400), "job": rng.choice(["a", "b"], 400), "p": rng.uniform(size=400)}
        >>> baseline = Baseline.of(table, scores="p")
        >>> list(baseline.columns), baseline.columns["job"].reference.tolist()
        (['p', 'age', 'job'], [0, 0, 0, 207, 193])
        """
        fields = learn_fields(
            BaselineSources(
                reference=reference,
                panel=panel,
                scores=scores,
                labels=labels,
                key=key,
                random_state=random_state,
                kinds=kinds,
                exclude=exclude,
                time=time,
                every=every,
                season=season,
                by=by,
                history=history,
                envelope=envelope,
                pos_label=pos_label,
                redact=redact,
                cells=cells,
            )
        )
        return cls.from_fields(fields)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Baseline:
        """Make a baseline from its fields; segments are given as fields too."""
        segments = {name: cls(**own) for name, own in fields.get("segments", {}).items()}
        return cls(**{**fields, "segments": segments})

    @property
    def columns(self) -> dict[str, CellPlan]:
        """The cells of every column, for the alarms."""
        return {name: column.plan for name, column in self.reference.items()}

    @property
    def plans_by_season(self) -> list[dict[str, CellPlan]]:
        """The cells of every column by season, for the alarms; empty without seasons."""
        return [{name: column.plan for name, column in part.columns.items()} for part in self.parts]

    @property
    def key(self) -> str | None:
        """The column that identifies rows; None without one."""
        return next((name for name, reason in self.left_out.items() if reason == "key"), None)

    @property
    def label_column(self) -> str:
        """The column that held the labels; empty if they were given apart."""
        return next((name for name, reason in self.left_out.items() if reason == "label"), "")

    def summarise(self, batch: Any, at: Any = None) -> BatchSummary:
        """Compare a batch with the reference.

        Parameters
        ----------
        batch : table of any library, dict of columns, list of dicts, or path of a file
            New rows with the columns of the reference and of its scores. A feature that the batch lacks counts as
            missing in every row; columns that the reference lacks are not compared.
        at : datetime, date or ISO text, optional
            The time that the batch is about. With seasons, it applies to rows without a time of their own.

        Returns
        -------
        BatchSummary
            Counts for the alarms, distances of every column, and estimates.

        Raises
        ------
        InputError
            If the batch has no rows, lacks the scores, or a column changed its type.

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> age = rng.normal(40, 10, 1000)
        >>> label = rng.random(1000) < 1 / (1 + np.exp((40 - age) / 5))
        >>> scored = lambda age: {"age": age, "p": 1 / (1 + np.exp((40 - age) / 5))}
        >>> baseline = Baseline.of(scored(age), scores="p", labels=label)
        >>> batch = baseline.summarise(scored(rng.normal(43, 10, 500)))
        >>> print(batch.accuracy)
        0.737 [0.665, 0.802]
        >>> print(f"{batch.columns['age'].distance:.2f}")
        0.12
        """
        table, moment = read_table(batch, "batch"), None if at is None else utc(at)
        whole = self._summarised(table, moment)
        if isinstance(table.remote, SparkColumns):
            # Rows have no order there: what was counted stands for them.
            return replace(whole, content=counts_hash(whole.facts))
        whole = replace(whole, content=content_hash(table), notes=(*whole.notes, *label_notes(self, table)))
        if self.by is None:
            return whole
        codes, notes = self.by.codes(table)
        rows = {name: np.flatnonzero(codes == place) for place, name in enumerate(self.by.names)}
        segments = {
            name: self.segments[name]._summarised(table.take(own), moment) for name, own in rows.items() if len(own)
        }
        return replace(whole, segments=segments, notes=(*whole.notes, *notes))

    def _summarised(self, table: Table, at: datetime | None) -> BatchSummary:
        """Compare rows with the reference, without those of segments."""
        if not set(self.reference) & set(table.names):
            got = Phrase(f"{listed(table.names, most=3)} against {listed(self.reference, most=3)}")
            raise fault("batch", "share at least one column with the baseline", got, "check its header")
        if isinstance(table.remote, SparkColumns):
            of_rows, compared = None, self.whole
            probabilities, counted = self._counted_on_cluster(table, table.remote)
        else:
            # Scores are checked as probabilities; then they are columns like the others.
            probabilities = None if self.scores is None else self.scores.read(table, "batch")
            of_rows = None if self.seasons is None else self.seasons.codes(table, at)
            compared = self._compared(of_rows)
            counted = count_batch(compared.columns, table, redacted=self.redacted, seasons=of_rows)
        notes = counted.notes
        known = {*self.reference, *self.left_out}
        fresh = [name for name in table.names if name not in known]
        if fresh:
            notes.append(Note(code="new columns", detail=listed(fresh)))
        if self.seasons is not None and of_rows is not None:
            notes.append(Note(code="season", detail=self.seasons.described(of_rows)))
        # Too few labelled rows of these seasons say less than those of all seasons.
        labelled = compared if compared.sound else self.whole
        shift, estimates = _shift(labelled, counted), None
        # A part of the rows, counted on the cells of another baseline, need not have all classes.
        if labelled.performance is not None and labelled.performance.rows.all() and probabilities is not None:
            prior = 0.0 if shift is None else shift.prior_weight
            estimates = estimate_batch(labelled.performance, probabilities, prior=prior, history=self.history)
        error = None if estimates is None else estimates.error
        classes = () if self.scores is None else self.scores.classes
        if estimates is not None and estimates.only_answer is not None:
            notes.append(Note(code="one answer", subject=str(classes[estimates.only_answer])))
        above = self._above_all(labelled)
        accuracy = None if estimates is None else estimates.accuracy.estimate - above
        return BatchSummary(
            n_rows=table.n_rows,
            facts=counted.facts(compared.columns, accuracy=accuracy, accuracy_error=error),
            columns=counted.changes,
            accuracy=None if estimates is None else estimates.accuracy,
            accuracy_error=error,
            allowance=None if estimates is None else estimates.allowance,
            loss_chance=None if estimates is None else estimates.loss_chance,
            shares={} if estimates is None else dict(zip(classes, estimates.shares, strict=True)),
            shift=shift,
            grounds=None if estimates is None else replace(estimates.grounds, above=above),
            notes=tuple(notes),
        )

    def _counted_on_cluster(self, table: Table, spark: SparkColumns) -> tuple[Floats | None, CountedBatch]:
        """Count a batch where it is; return the scores of at most a million of its rows, and the counts of all."""
        from shiftproof.monitoring._cluster import count_on_cluster

        if self.seasons is not None or self.by is not None:
            hint = "write the batch to Parquet files"
            raise fault("batch", "not be a Spark DataFrame for a baseline with seasons or segments", hint=hint)
        probabilities = None
        if self.scores is not None:
            known = [name for name in self.scores.names if name in table.names]
            rows = as_table(spark.drawn_rows(SCORED, known)) if known else table
            probabilities = self.scores.read(rows, "batch")
        everything = count_on_cluster(self.reference, spark)
        return probabilities, compare_counts(self.reference, everything, table, redacted=self.redacted)

    @property
    def whole(self) -> ReferencePart:
        """The stored figures of all rows of the reference."""
        return ReferencePart(
            n_rows=self.n_rows, columns=dict(self.reference), performance=self.performance, moments=self.moments
        )

    def _compared(self, of_rows: IntArray | None) -> ReferencePart:
        """Return the reference rows that a batch is compared with, given the season of each of its rows."""
        if of_rows is None:
            return self.whole
        return mixed_part(self.parts, np.bincount(of_rows, minlength=len(self.parts)).astype(np.int64))

    def _above_all(self, part: ReferencePart) -> float:
        """Return how far the validated accuracy of some seasons is above that of all.

        The floor is that of all seasons: a season that has always been worse does not count as harm.
        """
        if part.performance is None or self.performance is None:
            return 0.0
        return part.performance.accuracy.estimate - self.performance.accuracy.estimate

    @property
    def validated(self) -> float | None:
        """The accuracy on the labelled rows; None without labels or scores."""
        return None if self.performance is None else self.performance.accuracy.estimate

    @property
    def class_shares(self) -> dict[str, float]:
        """The class proportions of the reference, by class as text; empty without scores and labels."""
        if self.performance is None or self.scores is None:
            return {}
        return dict(zip(map(str, self.scores.classes), self.performance.shares.tolist(), strict=True))

    @property
    def majority(self) -> float | None:
        """The share of the most frequent class; None without labels or scores."""
        return None if self.performance is None else float(self.performance.shares.max())

    @property
    def bias_sd(self) -> float | None:
        """The standard deviation of the bias that the estimated accuracies of all batches share.

        It comes from drift, as natural shifts and the user's past have shown, and from the number of labelled rows.
        """
        if self.performance is None:
            return None
        used = [self.performance, *(part.performance for part in self.parts if part.sound)]
        error = max(performance.correction_error for performance in used if performance is not None)
        return math.hypot(BIAS_SD * self.history.factor("accuracy"), error)

    def same_as(self, other: Baseline) -> bool:
        """Return whether another baseline has the same contents.

        Hashes of category names are not compared if both are redacted, because each has a random salt of its own.
        """
        return write_files(self._unsalted()) == write_files(other._unsalted())

    def _unsalted(self) -> Baseline:
        if not self.redacted:
            return self
        columns = {name: replace(column, cells=column.cells.unsalted()) for name, column in self.reference.items()}
        segments = {f"segment {place}": one._unsalted() for place, one in enumerate(self.segments.values())}
        by = None if self.by is None else replace(self.by, names=tuple(segments), places={}, salt=b"")
        return replace(self, salt=PLAIN_SALT, reference=columns, by=by, segments=segments)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the baseline into a folder: JSON, Parquet and checksums.

        Parameters
        ----------
        folder : path
            A new or empty folder, or the folder of a baseline, which is replaced.

        Returns
        -------
        Path
            The folder.
        """
        return save_baseline(self, folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Baseline:
        """Open a baseline that `save` wrote.

        Parameters
        ----------
        folder : path
            The folder.

        Returns
        -------
        Baseline
            The baseline exactly as it was saved.

        Raises
        ------
        FileError
            If a file is missing or damaged, or was written by a newer version.
        """
        return cls.from_fields(load_fields(folder))

    def __add__(self, other: object) -> Baseline:
        """Add the counts of other rows on the same cells: those of `Baseline.of(rows, cells=first)`."""
        if not isinstance(other, Baseline):
            return NotImplemented
        if tuple(self.reference) != tuple(other.reference) or self.scores != other.scores:
            raise InputError("baselines can only be added if they have the same columns, classes and scores")
        if self.seasons != other.seasons:
            raise InputError("baselines can only be added if they have the same seasons")
        if self.by is not None:
            raise InputError("baselines with segments cannot be added; make one baseline from all rows")
        whole = self.whole.plus(other.whole)
        return replace(
            self,
            n_rows=whole.n_rows,
            reference=whole.columns,
            performance=whole.performance,
            moments=whole.moments,
            parts=tuple(one.plus(two) for one, two in zip(self.parts, other.parts, strict=True)),
        )

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
        return {
            **self._plain_fields("reference", "salt", "moments", "parts", "by", "segments"),
            "columns": kinds,
            "segments": [*self.segments],
        }

    def summary(self) -> str:
        """Summarise what the baseline holds, and what it cannot answer."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`."""
        return baseline_text(self)


def _shift(reference: ReferencePart, counted: CountedBatch) -> BatchShift | None:
    if reference.moments is None or not reference.moments.rows.all():
        return None
    unseen = {name: counted.changes[name].unseen for name in reference.moments.columns}
    return shift_of_batch(reference.moments, counted.fine, unseen=unseen, n_rows=counted.n_rows)
