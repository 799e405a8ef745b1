"""Watch a model batch by batch, and remember it in a store."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from shiftproof.core import (
    Argument,
    InputError,
    Interval,
    Seed,
    Table,
    check_choice,
    check_count,
    check_flag,
    counted,
    fault,
    generator,
    shown,
    unknown_name,
)
from shiftproof.data import Every
from shiftproof.monitoring._agreement import agreeing_shares
from shiftproof.monitoring._alert_message import AlertWriter
from shiftproof.monitoring._alerts import MonitorAlerts, channels_in, waiting_in
from shiftproof.monitoring._assembly import Assembly, batch_name, record_of
from shiftproof.monitoring._baseline import Baseline
from shiftproof.monitoring._content import default_id
from shiftproof.monitoring._given_labels import By
from shiftproof.monitoring._incidents import IncidentFollower, close_incident, pack_counts
from shiftproof.monitoring._inputs import check_name, read_table
from shiftproof.monitoring._label_file import labels_of_frame
from shiftproof.monitoring._label_result import BatchLabels, BatchPlan, LabelUpdate
from shiftproof.monitoring._labelling import USUAL_COUNT, BatchLabelling, TakenLabels, next_step, track_record
from shiftproof.monitoring._opening import (
    check_given,
    check_settings,
    find_or_create,
    open_store,
    stored_baseline,
    terms_of,
)
from shiftproof.monitoring._result import Incident, LevelEvidence, Update
from shiftproof.monitoring._sample import KeptSample, draw_sample
from shiftproof.monitoring._status import MonitorStatus, incidents_table
from shiftproof.monitoring._summary import BatchSummary
from shiftproof.monitoring._times import check_likely, utc, written_time
from shiftproof.monitoring._watch import Watch, step_segments, watch_segments
from shiftproof.monitoring.alarms import How, Level, Mode, State
from shiftproof.monitoring.imports import ImportedHistory, Tool, imported_history, imported_line, read_results
from shiftproof.warehouse import SparkColumns

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.monitoring.rehearsal import MonitorRehearsal
    from shiftproof.monitoring.store import BatchRecord, IncidentRecord, MonitorLog

# How many batches the status shows.
_RECENT = 256
# Small batches are often equal by chance; from this many rows on, equal content is a copy.
_SURELY_COPIED = 50


class Monitor:
    """Monitor a model batch by batch: three alarms, estimates with intervals, and incidents, with few labels or none.

    A monitor is created in the store if `baseline` is given and the store has no monitor with this name; otherwise the
    monitor is opened. A store is a SQLite file on a local disk, or a PostgreSQL database; several programs can add
    batches at the same time. It holds counts and figures and, for at most 1,000 random rows per batch, row numbers or
    keys and scores, but never features.

    Parameters
    ----------
    store : str or path-like
        The file, or a URL such as ``postgresql://me@db.example.org/monitors``. Put passwords in ``~/.pgpass`` or
        ``PGPASSWORD`` rather than in the URL; they are never shown.
    baseline : Baseline, optional
        The reference; needed to create a monitor. The store keeps it.
    name : str, default "default"
        The name of the monitor; a store can have several.
    alpha : float, optional
        The probability of ever raising a false alarm, however many batches are added: for *changed*, and for *material*
        and *harm* together. This assumes independent rows, or a baseline with `time`. For several columns together,
        the limit is measured, not proved; after an incident is "resolved", it is approximate. By default 0.05, or as
        the monitor was created.
    floor : float, optional
        The floor: the lowest acceptable accuracy; by default 5 points below the validated accuracy. Without labels in
        the baseline, harm cannot be monitored.
    mode : {"ever", "run length"}, optional
        "run length" raises alarms sooner, but with one false alarm every `run_length` unchanged batches on average. By
        default "ever", or as the monitor was created.
    run_length : int, optional
        With ``mode="run length"``: the minimum average number of unchanged batches before a false alarm of each level.
        By default 1,000.
    lifetime : bool, optional
        Whether `alpha` covers all alarms that a monitor ever raises, including acknowledged incidents: the i-th alarm
        of a level then has alpha / (i (i + 1)), and needs more evidence. By default, every acknowledgement restarts an
        alarm with the full `alpha`.

    Attributes
    ----------
    baseline : Baseline
        The reference.
    terms : MonitorTerms
        What is watched, with the floor.
    alerts : MonitorAlerts
        Who is notified of incidents: channels, and alerts waiting to be sent.

    Raises
    ------
    StoreError
        If the store cannot be opened, or is on a network drive.
    InputError
        If there is no monitor with this name, or it was created with different settings.

    Notes
    -----
    *changed* asks whether a batch comes from the same source as the reference and all earlier batches; it is for your
    information. *material* asks whether a column is more than 0.1 away from the reference, and *harm* whether accuracy
    is below the floor; these two need attention. Evidence is collected in the order of arrival; charts are ordered by
    `at`.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> def rows(shift=0.0):
    ...     age = rng.normal(40 + 10 * shift, 10, 500)
    ...     return {"age": age, "p": 1 / (1 + np.exp((age - 40) / 10))}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     monitor = Monitor(f"{folder}/monitor.db", Baseline.of(rows(), scores="p"))
    ...     _ = monitor.add(rows(), at="2024-01")
    ...     update = monitor.add(rows(shift=1.0), at="2024-02", id="February")
    >>> update.headline, update.opened[-1].first.id, sorted(update.opened[-1].columns)
    ('Alarm: the data changed enough to matter.', 'February', ['age', 'p'])
    """

    def __init__(
        self,
        store: str | os.PathLike[str],
        baseline: Baseline | None = None,
        *,
        name: str = "default",
        alpha: float | None = None,
        floor: float | None = None,
        mode: Mode | None = None,
        run_length: int | None = None,
        lifetime: bool | None = None,
    ) -> None:
        given = {"alpha": alpha, "floor": floor, "mode": mode, "run_length": run_length, "lifetime": lifetime}
        check_given(given)
        check_name(name, "name", "leave it out if the store has only one monitor")
        if baseline is not None and not isinstance(baseline, Baseline):
            raise fault("baseline", "be a Baseline", baseline, "make one with Baseline.of")
        self._store = open_store(store, create=baseline is not None)
        record = find_or_create(self._store, name, baseline, given)
        check_settings(record, given)
        self.baseline = stored_baseline(self._store, record, baseline)
        self._key, self._created = record.key, record.created
        self.terms = terms_of(record, self.baseline)
        self._watch = Watch.of(self.baseline, self.terms)
        self._alarms, self._segments = self._watch.alarms, watch_segments(self.baseline, self.terms)
        plans = self.baseline.columns.items()
        missing = {name: float(plan.reference[0] / max(plan.reference.sum(), 1)) for name, plan in plans}
        self._assembly = Assembly(terms=self.terms, alarms=self._alarms, missing=missing)
        writer = AlertWriter(terms=self.terms, store=self._store.place, redacted=self.baseline.redacted)
        self.alerts = MonitorAlerts(self._store, self._key, writer, self._assembly.incident)

    def __repr__(self) -> str:
        return f"Monitor({self.store!r}, name={self.terms.name!r})"

    @property
    def name(self) -> str:
        """The name of the monitor."""
        return self.terms.name

    @property
    def store(self) -> str:
        """The file of the store, or its URL without a password."""
        return self._store.place

    def add(
        self,
        batch: Any,
        at: Any = None,
        id: str | None = None,  # noqa: A002 - the name users know
        *,
        allow_copy: bool = False,
        allow_date: bool = False,
    ) -> Update:
        """Add a batch and report what it shows.

        Parameters
        ----------
        batch : table of any library, dict of columns, list of dicts, or path of a file
            New rows with the columns of the reference and of its scores.
        at : datetime, date or ISO text, optional
            The time of the batch; now by default. Times without a time zone are UTC. Batches may arrive late.
        id : str, optional
            The name of the batch, of at most 255 characters; by default a hash of its content, and of `at` if that is
            given. Adding the same name and content again changes nothing. Without `at` and `id`, the same content again
            is refused if it has fewer than 50 rows: it may be a copy, or a new batch that is equal by chance.
        allow_copy : bool, default False
            Whether 50 or more rows that the monitor already has under another name, or at another time, count again. By
            default they are refused, because the same file was probably delivered twice.
        allow_date : bool, default False
            Whether a time before 1970, or more than a year from now, is meant. By default it is refused.

        Returns
        -------
        Update
            With `summary()`, `to_frame()`, `alarms`, `opened`, `plot()` and `save(path)`. When it is returned, the
            batch is safely in the store. Alerts have been sent, or wait in the store (`AlertsWaiting`).

        Raises
        ------
        InputError
            If the batch has no rows, lacks columns, has an unlikely time or the name of another batch, or may be a copy
            of one; then nothing changes.
        StoreError
            If the store cannot be written; then nothing changes.

        Examples
        --------
        See `Monitor`.
        """
        check_flag(allow_copy, "allow_copy")
        check_flag(allow_date, "allow_date")
        if id is not None:
            check_name(id, "id", "name the batch, or leave it out")
        moment = None if at is None else utc(at)
        if moment is not None and not allow_date:
            check_likely(moment)
        table = read_table(batch, "batch")
        summary = self.baseline.summarise(table, moment)
        batch_id = default_id(summary.content, moment) if id is None else id
        summary, sample = self._with_sample(summary, table, batch_id)
        with self._store.log(self._key, write=True) as log:
            before = log.find(batch_id)
            if before is not None:
                _check_copy(before, summary.content, named=id is not None or at is not None)
                update = self._assembly.update(before, log, repeated=True)
            else:
                if summary.n_rows >= _SURELY_COPIED and not allow_copy:
                    _refuse_copy(log.of_content(summary.content))
                update = self._append(log, summary, batch_id, moment, sample)
            all_sent = log.outbox.is_empty(self._key)
        if not all_sent:
            self.alerts.deliver_soon()
        return update

    def _append(
        self,
        log: MonitorLog,
        summary: BatchSummary,
        batch_id: str,
        moment: datetime | None,
        sample: KeptSample | None,
    ) -> Update:
        """Write a batch, what it means for the incidents, and alerts of that."""
        summary, n_learnt = self._learnt(summary, log)
        state, reading = self._alarms.step(self._state(log), summary.facts, batch_id)
        arrived = datetime.now(UTC)
        still_open = log.incidents(only_open=True, everywhere=True)
        steps = step_segments(self._segments, log, summary, batch_id)
        record = record_of(
            summary,
            reading,
            batch_id,
            at=moment or arrived,
            arrived=arrived,
            still_open=still_open,
            n_learnt=n_learnt,
            segments={step.watch.name: step.facts() for step in steps},
        )
        record = log.append(record, reading.inputs, pack_counts(summary.facts))
        if sample is not None:
            log.labels.keep_sample(record.number, sample.to_bytes())
        log.replace_state(state.to_bytes())
        IncidentFollower(log, self._alarms, self.baseline.columns).follow(state, reading, record.number)
        for step in steps:
            step.write(log, record.number)
        update = self._assembly.update(record, log, repeated=False)
        self.alerts.announce(log, still_open, update)
        return update

    def _with_sample(
        self, summary: BatchSummary, table: Table, batch_id: str
    ) -> tuple[BatchSummary, KeptSample | None]:
        """Draw the rows that are kept for labels, if labels can be compared with anything."""
        if summary.grounds is None:
            return summary, None
        if isinstance(table.remote, SparkColumns):
            # Without a key nobody could find the rows again.
            if self.baseline.key is None or self.baseline.key not in table.names:
                return summary, None
            table = table.drawn()
        sample, notes = draw_sample(self.baseline, table, summary.grounds, seed=self._alarms.seed, batch_id=batch_id)
        return replace(summary, notes=(*summary.notes, *notes)), sample

    def _learnt(self, summary: BatchSummary, log: MonitorLog) -> tuple[BatchSummary, int]:
        """Correct the estimates by what labels of earlier batches say, and return how many batches had some."""
        drift = BatchLabelling(log, self.baseline).learnt()
        if summary.grounds is None or summary.accuracy is None or drift is None or not drift.n:
            return summary, 0
        place = log.count()[0] + 1
        accuracy = drift.interval(summary.grounds, place)
        shares = agreeing_shares(accuracy, summary.shares, summary.grounds.only_answer)
        validated = self.baseline.validated
        chance = None if validated is None else drift.loss_chance(summary.grounds, place, validated)
        return replace(summary, accuracy=accuracy, shares=shares, loss_chance=chance), drift.n

    def plan(self, id: str, count: int = USUAL_COUNT) -> BatchPlan:  # noqa: A002 - the name users know
        """Say which rows of a batch to label next.

        Parameters
        ----------
        id : str
            The name of the batch.
        count : int, default 50
            Number of rows to label.

        Returns
        -------
        BatchPlan
            With `rows`, `keys` if the baseline has a key, `scores`, `to_frame()` and `summary()`. The rows are the next
            ones without a label in a random order. The same rows are returned until they are labelled.

        Raises
        ------
        InputError
            If there is no such batch, its rows were deleted, or the baseline has no labels.

        Examples
        --------
        See `Monitor.label`.
        """
        check_count(count, "count", least=1)
        with self._store.log(self._key) as log:
            record, known = BatchLabelling(log, self.baseline).known(id)
        sample = known.sample
        places = known.next_places(int(count))
        return BatchPlan(
            batch=batch_name(record),
            rows=sample.rows[places],
            keys=tuple(sample.keys[place] for place in places) if sample.keys else (),
            key=self.baseline.key or "" if sample.keys else "",
            scores=sample.scores[places],
            score_columns=() if self.baseline.scores is None else self.baseline.scores.names,
            n_labels=len(known.codes),
            n_used=known.n_used,
            n_kept=len(sample),
            n_rows=sample.n_rows,
        )

    def label(self, id: str, labels: Any, *, by: By | None = None) -> LabelUpdate:  # noqa: A002 - the name users know
        """Add labels for a batch and report what they show.

        Labels count up to the first row without one, in the random order of `plan`: these are a random sample, whoever
        chose what to label. Other labels are kept, and count once the rows before them have labels. A label cannot be
        changed.

        Parameters
        ----------
        id : str
            The name of the batch.
        labels : dict, DataFrame, or one label per row of the batch
            A dict names rows by their numbers, counted from 0, or by their keys. A DataFrame has a column ``label``, or
            the column of labels of the baseline, and names rows in its column ``row`` or in the key column; two labels
            for one row are refused. Rows with a missing label count as not labelled yet. If a batch has more than 1,000
            rows, the labels of 1,000 random rows are used.
        by : {"row", "key"}, optional
            Whether a dict names rows by number or by key; by default by key, if the baseline has one.

        Returns
        -------
        LabelUpdate
            The accuracy by labels, whether the interval given before was right, and what this means for incidents. When
            it is returned, the labels are safely in the store.

        Raises
        ------
        InputError
            If there is no such batch, row, key or class, or a row has another label in the store; then nothing changes.

        Examples
        --------
        >>> import tempfile
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> age = rng.normal(40, 10, 3000)
        >>> rows = {"age": age, "p": 1 / (1 + np.exp((40 - age) / 5))}
        >>> actual = np.where(rng.random(3000) < rows["p"], "yes", "no")
        >>> part = lambda first, last: {name: values[first:last] for name, values in rows.items()}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     baseline = Baseline.of(part(0, 1000), scores="p", labels=actual[:1000])
        ...     monitor = Monitor(f"{folder}/monitor.db", baseline)
        ...     _ = monitor.add(part(1000, 3000), id="May")
        ...     plan = monitor.plan("May", 100)
        ...     update = monitor.label("May", {row: actual[1000 + row] for row in plan.rows})
        >>> print(update.labels.alone, update.labels.contained)
        0.740 [0.664, 0.804] True
        """
        import pandas as pd

        if isinstance(labels, pd.DataFrame):
            if by is not None:
                raise fault("by", "be left out with a table, whose columns name the rows", by)
            labels, by = labels_of_frame(labels, self.baseline, "labels")
        with self._store.log(self._key, write=True) as log:
            before = log.incidents(only_open=True, everywhere=True)
            taken = BatchLabelling(log, self.baseline).take(id, labels, by, self._alarms, self._state(log))
            update = self._label_update(log, taken, before)
            self.alerts.announce(log, before, self._assembly.update(taken.record, log, repeated=False))
            all_sent = log.outbox.is_empty(self._key)
        if not all_sent:
            self.alerts.deliver_soon()
        return update

    def _label_update(self, log: MonitorLog, taken: TakenLabels, before: Sequence[IncidentRecord]) -> LabelUpdate:
        """Return what labels mean; `before` are the incidents that were open before them."""
        record = cast("BatchRecord", log.find(taken.record.id))
        known = {one.number for one in before}
        incidents = self._assembly.incidents(log, only_open=True)
        line = self._assembly.line(record, taken.comparison)
        return LabelUpdate(
            batch=line.batch,
            n_new=taken.n_new,
            n_repeated=taken.n_repeated,
            n_not_kept=taken.n_not_kept,
            labels=cast("BatchLabels", line.labels),
            before=cast("Interval", line.accuracy),
            missing=taken.missing,
            closed_by=taken.closed_by,
            opened=tuple(one for one in incidents if one.number not in known),
            open_incidents=incidents,
            track_record=track_record(log),
            next_step=next_step(incidents, line),
            notes=taken.notes,
        )

    def status(self) -> MonitorStatus:
        """Return the current status: open incidents, the last batches, and the evidence."""
        return self._status(_RECENT)

    def _status(self, most: int) -> MonitorStatus:
        """Return the same with so many of the last batches."""
        with self._store.log(self._key) as log:
            records = log.recent(most)
            first = records[0].number if records else 0
            compared = {one.batch: one for one in log.labels.comparisons(first=first)}
            record_so_far = track_record(log)
            lines = [self._assembly.line(record, compared.get(record.number)) for record in records]
            newest = log.find(records[-1].id) if records else None
            n_batches, n_rows = log.count()
            incidents = self._assembly.incidents(log)
            reading = self._alarms.read(self._state(log))
            segments = self._segment_levels(log)
            channels, waiting = channels_in(log.outbox, self._key), waiting_in(log.outbox, self._key)
            imported = tuple(imported_line(batch) for batch in log.imported.recent(most))
            last = None if newest is None else self._assembly.update(newest, log, repeated=False)
        return MonitorStatus(
            store=self._store.place,
            created=self._created,
            n_batches=n_batches,
            n_rows=n_rows,
            # Evidence goes by the order of arrival, the chart goes by time.
            recent=tuple(sorted(lines, key=lambda line: line.batch.at)),
            incidents=incidents,
            last=last,
            levels=self._assembly.levels(reading.log_evidence, reading.log_limits),
            track_record=record_so_far,
            segments=segments,
            terms=self.terms,
            notes=self.baseline.notes,
            channels=channels,
            waiting_alerts=waiting,
            imported=imported,
        )

    def _segment_levels(self, log: MonitorLog) -> dict[str, dict[Level, LevelEvidence]]:
        """Return the evidence of each segment now."""
        readings = {name: watch.alarms.read(watch.state(log)) for name, watch in self._segments.items()}
        return {name: self._assembly.levels(one.log_evidence, one.log_limits) for name, one in readings.items()}

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """All incidents in the order of their alarms, including acknowledged ones."""
        with self._store.log(self._key) as log:
            return self._assembly.incidents(log)

    def history(self, *, columns: bool = False) -> pd.DataFrame:
        """Return every batch so far, in the order of their times.

        Parameters
        ----------
        columns : bool, default False
            Whether to return one row per batch and column, with distances, p-values, missing and unseen values.

        Returns
        -------
        DataFrame
            One row per batch and quantity: ``batch, at, arrived, n, quantity, subject, estimate, low, high, level,
            method``. Quantities are the accuracy, the share of each class, and the evidence of each alarm (a
            logarithm). The method of imported figures says that they were imported; "actual accuracy" was measured with
            labels.
        """
        from shiftproof.monitoring.store import history_frame

        with self._store.log(self._key) as log:
            return history_frame(log, columns=columns)

    def import_history(self, source: Any, tool: Tool, *, at: Any = None, id: str | None = None) -> ImportedHistory:  # noqa: A002 - the name users know
        """Import earlier results from NannyML or Evidently, so that the history and charts start before this monitor.

        The `method` of an imported figure says where it comes from. The alarms never use them: they rest on another
        reference and other methods. The same import again changes nothing; newer values replace older ones.

        Parameters
        ----------
        source : path, DataFrame, dict, or result of the tool
            For NannyML: estimated performance, realized performance or univariate drift by chunks with dates, as
            returned by ``results.to_df()``, or a CSV or Parquet file of it. For Evidently (0.7 or newer): a snapshot,
            its ``dump_dict()``, or a JSON file from it or from ``save_json``.
        tool : {"nannyml", "evidently"}
            The tool that the results come from.
        at : datetime, date or ISO text, optional
            The time that a snapshot is about; by default the time in it. Chunks have their own times.
        id : str, optional
            The name of a snapshot; by default the name of its file, or its time.

        Returns
        -------
        ImportedHistory
            With `summary()`: what was imported, and what a monitor cannot store.

        Raises
        ------
        InputError
            If these are not results of the tool, or hold nothing that can be taken over; then nothing changes.
        """
        check_choice(tool, "tool", ("nannyml", "evidently"))
        if tool == "nannyml" and (at is not None or id is not None):
            name, value = ("at", at) if at is not None else ("id", id)
            raise fault(name, "be left out", value, "chunks of NannyML have their own dates and names")
        if id is not None:
            check_name(id, "id", "name the batch, or leave it out")
        results = read_results(source, tool, name=id, at=None if at is None else utc(at))
        with self._store.log(self._key, write=True) as log:
            n_new = log.imported.write(results.batches, datetime.now(UTC))
        return imported_history(results, n_new)

    def acknowledge(self, incident: Incident | int, reason: str, *, how: How | None = None) -> Incident:
        """Close an incident; its alarm restarts.

        Parameters
        ----------
        incident : Incident or int
            The incident, or its number.
        reason : str
            A note for colleagues on why the incident is closed.
        how : {"resolved", "restart", "accept"}, optional
            "resolved": the data are as before again. *changed* compares later batches with the data before the incident
            and with the batches since its recovery (if they are among the last 256), but not with the batches of the
            incident. "restart": *changed* also compares with the batches of the incident. By default "resolved" if the
            incident recovered, else "restart". "accept": for *changed*, the batches that arrive from now on count
            as normal. The limits of *material* and *harm* are set by the reference; to accept a change of these, make a
            new baseline.

        Returns
        -------
        Incident
            The incident as it is now.
        """
        number = incident.number if isinstance(incident, Incident) else incident
        if not isinstance(reason, str) or not reason.strip():
            raise fault("reason", "say why the incident is closed", reason, "write a few words")
        with self._store.log(self._key, write=True) as log:
            by_number = {record.number: record for record in log.incidents(everywhere=True)}
            if not by_number:
                raise fault("incident", "be the number of an incident", number, "there are no incidents")
            if number not in by_number:
                raise unknown_name("incident", "be the number of an incident", number, [*by_number])
            record = by_number[number]
            if record.acknowledged is not None:
                raise InputError(f"incident {number} was already acknowledged (reason: {shown(record.reason)})")
            watch = self._segments.get(record.segment, self._watch)
            chosen = close_incident(log.segment(record.segment), watch.alarms, watch.state(log), record, how)
            log.close_incident(record.number, when=datetime.now(UTC), reason=reason.strip(), how=chosen)
            record = next(one for one in log.incidents(everywhere=True) if one.number == number)
            self.alerts.announce_acknowledged(log, record)
            closed, all_sent = self._assembly.incident(record, log), log.outbox.is_empty(self._key)
        if not all_sent:
            self.alerts.deliver_soon()
        return closed

    def rehearse(
        self,
        past: Any,
        *,
        time: Any = None,
        every: Every | None = None,
        size: int | None = None,
        labels: Any = None,
        drops: Sequence[float] = (0.05, 0.1),
        shifts: Sequence[float] = (0.15, 0.2, 0.3),
        label_counts: Sequence[int] = (0, 10, 20, 50),
        random_state: Seed = 0,
    ) -> MonitorRehearsal:
        """Try this monitor on the past: count its alarms, and see how soon it would have detected changes.

        The alarms are run on the past as is, then with simulated shifts in one column and drops in accuracy added. The
        store is not changed.

        Parameters
        ----------
        past : table of any library, path of a file, or list of them
            Rows with the columns of a batch. A single table is split by `time` or `size`; in a list, each item is a
            batch.
        time : str or sequence, optional
            A column of the past, or one entry per row: when each row was observed.
        every : {"day", "week", "month", "quarter", "year"}, optional
            The length of a batch, with `time`.
        size : int, optional
            Number of rows of a batch, instead of `time`; the rows must be in the order of time.
        labels : str or sequence, optional
            The labels of the past: a column, or one per row. Without them, drops are simulated in the estimated
            accuracies.
        drops : sequence of float
            How far accuracy falls below the floor.
        shifts : sequence of float
            How far a column moves from the reference: KS distance for numbers, Hellinger distance for categories.
        label_counts : sequence of int
            Numbers of labelled rows per batch; 0 for none.
        random_state : int, Generator, RandomState, SeedSequence or None
            The seed of the simulated batches.

        Returns
        -------
        MonitorRehearsal
            With `summary()`, `shifts`, `drops`, `alarms`, `advice`, `to_frame()`, `plot()` and `save(path)`.

        Raises
        ------
        InputError
            If the past has fewer than five batches, or cannot be cut into them.

        Examples
        --------
        >>> import tempfile
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> age = rng.normal(40, 10, 9000)
        >>> rows = {"age": age, "p": 1 / (1 + np.exp((age - 40) / 10)), "left": rng.uniform(size=9000) < 0.5}
        >>> part = lambda first, last: {name: column[first:last] for name, column in rows.items()}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     baseline = Baseline.of(part(0, 3000), scores="p", labels="left")
        ...     rehearsal = Monitor(f"{folder}/monitor.db", baseline).rehearse(part(3000, 9000), size=500)
        >>> rehearsal.headline
        'False alarms in the past: none in 12 batches.'
        """
        from shiftproof.monitoring.rehearsal import RehearsalPlan, past_batches, rehearse

        plan = RehearsalPlan.of(drops=drops, shifts=shifts, label_counts=label_counts)
        batches = past_batches(self.baseline, past, time=time, every=every, size=size, labels=labels)
        return rehearse(self.baseline.columns, self._alarms, self.terms, batches, plan, rng=generator(random_state))

    def prune(self, before: Any) -> int:
        """Delete the figures, stored rows and labels of batches before a time; return the number of batches.

        Names and hashes are kept, so that a batch that is added again is still recognised; so are incidents, the track
        record and the state of the alarms. Batches since the alarm of an open incident keep their figures. The file
        becomes smaller. `export` the history first if you need it.

        Parameters
        ----------
        before : datetime, date or ISO text
            Batches whose time is earlier.
        """
        with self._store.log(self._key, write=True) as log:
            pruned = log.prune(utc(before, "before"))
        self._store.shrink()
        return pruned

    def export(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the history in the store as Parquet files: `figures`, `columns` and `incidents`.

        Parameters
        ----------
        folder : str or path-like
            The folder to write to; created if it does not exist.

        Returns
        -------
        list of Path
            The files. Each is written completely or not at all.

        Raises
        ------
        FileError
            If the folder holds the history of another monitor.
        """
        from shiftproof.monitoring.store import export_history

        with self._store.log(self._key) as log:
            incidents = incidents_table(self._assembly.incidents(log))
            owner = f"{shown(self.name)}, created {written_time(self._created)}"
            return export_history(log, incidents, Path(folder), owner=owner)

    def redate(self, id: str, at: Any) -> Update:  # noqa: A002 - the name users know
        """Correct the time of a batch.

        Only charts and tables change, because they are ordered by time. Evidence is collected in the order of arrival,
        so no alarm changes.

        Parameters
        ----------
        id : str
            The name of the batch.
        at : datetime, date or ISO text
            The time that the batch is about; without a zone it is UTC.

        Returns
        -------
        Update
            The batch with its new time.
        """
        moment = utc(at)
        with self._store.log(self._key, write=True) as log:
            if log.find(id) is None:
                raise unknown_name("id", "be the name of a batch", id, [record.id for record in log.recent(_RECENT)])
            log.redate(id, moment)
            redated = log.find(id)
            return self._assembly.update(cast("BatchRecord", redated), log, repeated=True)

    def remember_file(self, id: str, stamp: tuple[int, int]) -> None:  # noqa: A002 - the name users know
        """Store the size and the time of the file that a batch was read from.

        Parameters
        ----------
        id : str
            The name of the batch.
        stamp : tuple of int
            Bytes, and nanoseconds since 1970.
        """
        with self._store.log(self._key, write=True) as log:
            log.remember_file(id, stamp)

    def files(self) -> dict[str, tuple[int, int]]:
        """Return the sizes and times of the files that batches were read from, by the names of the batches."""
        with self._store.log(self._key) as log:
            return log.files()

    def _state(self, log: MonitorLog) -> State:
        content = log.state()
        return self._alarms.start() if content is None else State.from_bytes(content)


def _check_copy(before: BatchRecord, content: str, *, named: bool) -> None:
    """Refuse another batch of the same name, and a small one of the same content that has neither a name nor a time."""
    if before.checksum != content:
        words = f"the monitor already has a batch {shown(before.id)} with different content; give this one another "
        raise InputError(words, Argument("id"))
    if not named and before.n_rows < _SURELY_COPIED:
        raise InputError(
            f"the monitor already has a batch with the same {counted(before.n_rows, 'row')}, so this may be a copy "
            "or a new batch; pass ",
            *(Argument("id"), " or ", Argument("at"), " to say which"),
        )


def _refuse_copy(before: BatchRecord | None) -> None:
    """Refuse a batch whose content an earlier one of another name has."""
    if before is not None:
        words = f"the monitor already has the same {counted(before.n_rows, 'row')} as batch {shown(before.id)} of "
        words += f"{written_time(before.at)}; to count them again, pass "
        raise InputError(words, Argument("allow_copy", True))
