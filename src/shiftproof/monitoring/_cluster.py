"""Baselines of tables in Spark, and batches that are counted there: rows stay on the cluster.

Three passes make a baseline. One counts rows. One cuts every column into ranges of values, part A apart from others;
order statistics of these ranges fix the cells, exactly as sorted arrays do. One counts rows by class on these cells and
adds up what estimates need. A batch takes two: one counts its rows, one counts them on the cells.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.core import SAMPLE, InputError, Phrase, Table, as_table, fault, nature, shown
from shiftproof.counting import Labelled, learn_calibration
from shiftproof.data import Kind
from shiftproof.monitoring._cells import (
    CategoryCells,
    Cells,
    IntArray,
    NumberCells,
    fine_places,
    level_key,
    part_places,
)
from shiftproof.monitoring._cluster_work import (
    FILES,
    TEXTS,
    Wanted,
    add_up,
    cell_counts,
    count_rows,
    cut_parts,
    order_facts,
)
from shiftproof.monitoring._folder import read_fields, write_files
from shiftproof.monitoring._inputs import BaselineSources, ReferenceInputs
from shiftproof.monitoring._moments import ReferenceMoments
from shiftproof.monitoring._performance import ReferencePerformance
from shiftproof.monitoring._reference import ReferenceColumn, part_share
from shiftproof.warehouse import (
    PIECES,
    SCORED,
    PlannedColumn,
    SparkColumns,
    SparkRanges,
    added,
    plan_columns,
    quoted,
    renamed,
    sent,
    spark_errors,
    unpacked,
)

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline

_MOST_CLASSES = 1_000
# What needs the rows of a reference one by one, in an order.
_NOT_THERE = ("panel", "time", "every", "season", "by", "cells")


def learn_on_cluster(sources: BaselineSources, table: SparkColumns, learn: Any) -> dict[str, Any]:
    """Return the fields of a baseline of a Spark table.

    Parameters
    ----------
    sources : BaselineSources
        The arguments of `Baseline.of`.
    table : SparkColumns
        The reference.
    learn : function of BaselineSources
        Learns the fields from rows that are in memory.
    """
    _refuse_what_needs_rows(sources, table)
    sample = table.sample
    _refuse_rare_classes(sources.labels, table)
    fields: dict[str, Any] = learn(replace(sources, reference=sample, kinds=_kinds(sources, table)))
    if table.n_rows <= SAMPLE:
        # The sample has all rows.
        return fields
    return _Learner(sources, table, fields).fields()


def _refuse_what_needs_rows(sources: BaselineSources, table: SparkColumns) -> None:
    for argument in _NOT_THERE:
        if getattr(sources, argument) is not None:
            hint = "leave it out, or write the reference to Parquet files"
            raise fault(argument, "be left out for a Spark DataFrame", hint=hint)
    if sources.key is None:
        raise fault(
            "key", "name a column that identifies the rows of a Spark DataFrame", None, "its rows have no order"
        )
    for argument in ("scores", "labels"):
        given = getattr(sources, argument)
        named = isinstance(given, str) or (isinstance(given, Sequence) and all(name in table.names for name in given))
        if given is not None and not named:
            raise fault(argument, "name columns of a Spark DataFrame", type(given).__name__, "add them to the table")


def _refuse_rare_classes(labels: object, table: SparkColumns) -> None:
    """Refuse a class that none of the rows has that are looked at together."""
    if table.n_rows <= SAMPLE or labels is None or labels not in table.names:
        return
    with spark_errors(table, "looking for classes"):
        rows = table.frame.select(quoted(str(labels))).distinct().limit(_MOST_CLASSES + 1).toArrow()
    classes = rows.column(0).drop_null().to_pylist()
    if len(classes) > _MOST_CLASSES:
        raise fault("labels", f"hold at most {_MOST_CLASSES:,} classes", Phrase("more"), "name another column")
    drawn = set(table.sample.column(str(labels)).unique().to_pylist())
    rare = [label for label in classes if label not in drawn]
    if rare:
        rule = f"hold classes that occur among {SAMPLE:,} random rows"
        raise fault(
            "labels", rule, Phrase(f"{shown(rare[0])}, which does not"), "merge rare classes, or drop their rows"
        )


def _kinds(sources: BaselineSources, table: SparkColumns) -> Mapping[Any, str] | None:
    """Correct the kinds of columns by what all rows say; the user's own come first."""
    from shiftproof.data import feature_kinds

    guessed = feature_kinds(as_table(table.sample), warn=False)
    return {**table.kinds_of_all_rows(guessed), **(sources.kinds or {})} or None


@dataclass(frozen=True, eq=False)
class _Learner:
    """Learns from all rows what a baseline of the sample has from some of them.

    Attributes
    ----------
    sources : BaselineSources
        The arguments of `Baseline.of`.
    table : SparkColumns
        The reference.
    known : mapping of str to Any
        The fields of a baseline of the sample: columns, kinds, scores.
    """

    sources: BaselineSources
    table: SparkColumns
    known: Mapping[str, Any]

    def fields(self) -> dict[str, Any]:
        """Return the fields of the baseline of all rows."""
        columns = self._columns()
        whole = {**self.known, "n_rows": self.table.n_rows, "reference": columns}
        if self.known["performance"] is None:
            return whole
        return whole | self._added_up(columns)

    @cached_property
    def _kinds(self) -> dict[str, Kind]:
        return {name: column.kind for name, column in self.known["reference"].items()}

    @cached_property
    def _sample(self) -> Table:
        return as_table(self.table.sample)

    def _columns(self) -> dict[str, ReferenceColumn]:
        planned = self._planned()
        plans = [column.plan for column in planned]
        shares = [self._share(column.plan.dtype) for column in planned]
        chosen = renamed(self.table.frame, [*(column.name for column in planned), str(self.sources.key)])
        work = sent(partial(cut_parts, plans=plans, shares=shares, version=__version__))
        with SparkRanges(self.table, chosen.mapInArrow(work, PIECES), plans) as ranges:
            return self._counted(planned, ranges)

    def _planned(self) -> list[PlannedColumn]:
        scales: dict[str, Any] = {}
        for name, kind in self._kinds.items():
            empty = nature(self._sample.column(name)).made_of == "empty"
            scales[name] = "nominal" if kind == "nominal" or empty else "continuous"
        return plan_columns(self._sample, self._sample, scales, self.table.n_rows)

    def _share(self, dtype: str) -> float:
        """Return the share of rows in part A, as for arrays."""
        return part_share(0.25 if dtype else 0.5, self.table.n_rows)

    def _counted(self, planned: Sequence[PlannedColumn], ranges: SparkRanges) -> dict[str, ReferenceColumn]:
        """Fix the cells of all columns, and count part A and all rows on them."""
        facts = ranges.facts()
        missing = {place: added(of_ranges, "missing") for place, of_ranges in facts.items()}
        numbers = {place: _Order.wanted(facts[place]) for place, column in enumerate(planned) if column.plan.dtype}
        found = ranges.mapped(order_facts, {place: wanted for place, (wanted, _) in numbers.items()})
        cells = {
            place: NumberCells.by_order(_Order(wanted, ends, planned[place].plan.dtype, list(found[place].values())))
            for place, (wanted, ends) in numbers.items()
        }
        counts = ranges.mapped(cell_counts, cells)
        bodies = ranges.categories([place for place, column in enumerate(planned) if not column.plan.dtype])
        columns = {}
        for place, column in enumerate(planned):
            if place in cells:
                part, total = (_summed(counts[place].values(), name) for name in ("part", "total"))
                columns[column.name] = self._column(column.name, cells[place], part, total, missing[place])
            else:
                columns[column.name] = self._categories(column.name, bodies.get(place, ()), missing[place])
        return columns

    def _categories(self, name: str, bodies: Sequence[bytes], missing: tuple[int, int]) -> ReferenceColumn:
        levels: dict[str, tuple[int, int]] = {}
        for body in bodies:
            rows = unpacked(body)
            for value, part, rest in zip(*(rows.column(field).to_pylist() for field in rows.column_names), strict=True):
                levels[level_key(value)] = part, part + rest
        sources = self.known
        part_of = {key: part for key, (part, _) in levels.items()}
        cells = CategoryCells.of(part_of, salt=sources["salt"], redact=sources["redacted"])
        part, total = np.zeros(cells.n_cells, np.int64), np.zeros(cells.n_cells, np.int64)
        for key, both in levels.items():
            place = cells.place(key)
            part[place] += both[0]
            total[place] += both[1]
        return self._column(name, cells, part, total, missing)

    def _column(
        self, name: str, cells: Cells, part: IntArray, total: IntArray, missing: tuple[int, int]
    ) -> ReferenceColumn:
        # The first cell is that of missing values.
        part[0] += missing[0]
        total[0] += sum(missing)
        of_sample: ReferenceColumn = self.known["reference"][name]
        n_classes = len(of_sample.by_class)
        by_class = np.zeros((n_classes, len(total)), np.int64)
        return replace(of_sample, cells=cells, part=part, total=total, by_class=by_class)

    def _added_up(self, columns: Mapping[str, ReferenceColumn]) -> dict[str, Any]:
        """Count rows by class, and add up what estimates and the type of shift need."""
        from shiftproof.monitoring._baseline import Baseline

        start = Baseline.from_fields({**self.known, "n_rows": 0, **self._nothing_added(columns)})
        scores, label = start.scores, str(self.sources.labels)
        names = [*dict.fromkeys([*columns, *(scores.names if scores else ()), label])]
        kinds = {name: kind for name, kind in self._kinds.items() if scores is None or name not in scores.names}
        options: dict[str, Any] = {"scores": list(scores.names) if scores else None, "labels": label, "kinds": kinds}
        options["pos_label"] = self.sources.pos_label
        work = partial(add_up, files=write_files(start), names=names, options=options, version=__version__)
        with spark_errors(self.table, "counting rows by class"):
            rows = renamed(self.table.frame, names).mapInArrow(sent(work), FILES).toArrow()
        parts = _baselines(rows)
        whole = sum(parts[1:], parts[0])
        if whole.n_rows != self.table.n_rows:
            raise InputError(f"{self.table.place}: the table changed while it was read; start again")
        counted = {name: replace(column, by_class=whole.reference[name].by_class) for name, column in columns.items()}
        return {"reference": counted, "performance": whole.performance, "moments": whole.moments}

    def _nothing_added(self, columns: Mapping[str, ReferenceColumn]) -> dict[str, Any]:
        """Return the cells, the calibration and the functions of all rows, with sums over no rows."""
        inputs = ReferenceInputs.of(self._of_scored_rows())
        probabilities, codes = inputs.probabilities, inputs.codes
        if probabilities is None or codes is None or inputs.scores is None:
            raise ValueError("labelled scores are needed")
        calibration = learn_calibration(Labelled(probabilities, codes))
        none = np.empty(0, dtype=np.int64)
        moments = None
        if self.known["moments"] is not None:
            first = ReferenceInputs.of(
                replace(self.sources, reference=self.table.sample, kinds=self._kinds_of_features)
            )
            if first.probabilities is None or first.codes is None or first.scores is None:
                raise ValueError("labelled scores are needed")
            scores = as_table(first.scores.columns_of(first.probabilities))
            features = first.table.only(self.known["moments"].columns)
            moments = ReferenceMoments.by_part(columns, scores, features, first.codes, parts=[none])[0]
        empty = {
            name: replace(column, part=np.zeros_like(column.part), total=np.zeros_like(column.total))
            for name, column in columns.items()
        }
        return {
            "reference": empty,
            "performance": ReferencePerformance.of(probabilities[none], codes[none], calibration),
            "moments": moments,
        }

    @cached_property
    def _kinds_of_features(self) -> dict[str, Kind]:
        scores = self.known["scores"]
        return {name: kind for name, kind in self._kinds.items() if scores is None or name not in scores.names}

    def _of_scored_rows(self) -> BaselineSources:
        """Return the rows that the calibration is learnt from: at most a million, with scores and labels alone."""
        scores = self.known["scores"]
        columns = [*scores.names, str(self.sources.labels)]
        return BaselineSources(
            reference=self.table.drawn_rows(SCORED, columns),
            scores=list(scores.names),
            labels=self.sources.labels,
            pos_label=self.sources.pos_label,
        )


class _Order:
    """The order of the values of a column, from the facts of its ranges."""

    def __init__(self, wanted: Wanted, ends: tuple[Any, ...], dtype: str, facts: Sequence[Mapping[str, Any]]) -> None:
        self.n_part, self.ends, self.dtype = wanted.n_part, ends, np.dtype(dtype)
        self.n = wanted.n
        self._at, self._part_at = ({int(k): v for fact in facts for k, v in fact[what].items()} for what in _ORDERS)
        self.frequent = sorted(value for fact in facts for value in fact["frequent"])
        self._below = {value: (below, through) for fact in facts for value, below, through in fact["below"]}

    @staticmethod
    def wanted(ranges: Mapping[int, Mapping[str, Any]]) -> tuple[Wanted, tuple[Any, ...]]:
        """Return what to ask workers for, and the first and last finite value."""
        below, part, whole = {}, 0, 0
        for number, facts in sorted(ranges.items()):
            below[number] = part, whole
            part, whole = part + facts["rows"][0], whole + sum(facts["rows"])
        ends = [facts["ends"] for _, facts in sorted(ranges.items()) if facts["ends"]]
        of_part = sorted({*part_places(part).tolist(), part - 1}) if part else []
        wanted = Wanted(below, tuple(fine_places(whole).tolist()) if whole else (), tuple(of_part), part, whole)
        return wanted, (ends[0][0], ends[-1][1]) if ends else ()

    def at(self, places: IntArray) -> list[Any]:
        """Return order statistics of all values."""
        return [self._at[place] for place in places.tolist()]

    def part_at(self, places: IntArray) -> list[Any]:
        """Return order statistics of part A."""
        return [self._part_at[place] for place in places.tolist()]

    def part_below(self, bound: Any, *, inclusive: bool) -> int:
        """Return how many values of part A are less than a bound, or at most equal to it."""
        return int(self._below[bound][inclusive])


_ORDERS = ("at", "part_at")


def count_on_cluster(
    reference: Mapping[str, ReferenceColumn], table: SparkColumns
) -> dict[str, tuple[IntArray, dict[Any, int]]]:
    """Count a batch on the cells of a reference, and the categories that the reference never had."""
    names = [name for name in reference if name in table.names]
    work = partial(count_rows, reference=dict(reference), names=names, version=__version__)
    with spark_errors(table, "counting rows"):
        texts = renamed(table.frame, names).mapInArrow(sent(work), TEXTS).toArrow().column(0).to_pylist()
    parts = [json.loads(text) for text in texts]
    counted = {}
    for name, column in reference.items():
        fine, unseen = np.zeros(column.cells.n_fine, np.int64), Counter[Any]()
        for part in parts:
            own, fresh = part[name]
            fine += np.array(own, np.int64)
            unseen.update(dict(fresh))
        if name not in names:
            fine[0] = table.n_rows
        counted[name] = fine, dict(unseen)
    return counted


def _baselines(rows: Any) -> list[Baseline]:
    """Read the baselines that workers wrote, each as the same list of files."""
    from shiftproof.monitoring._baseline import Baseline

    names, contents = rows.column("name").to_pylist(), rows.column("content").to_pylist()
    size = len(set(names))
    files = [dict(zip(names[start : start + size], contents[start : start + size], strict=True))
             for start in range(0, len(names), size)]  # fmt: skip
    return [Baseline.from_fields(read_fields(of_part, "a worker")) for of_part in files]


def _summed(facts: Any, name: str) -> IntArray:
    return np.asarray(np.sum([fact[name] for fact in facts], axis=0), dtype=np.int64)
