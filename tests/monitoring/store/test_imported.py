from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from math import nan

import pytest
from tests.monitoring.store.conftest import START

from shiftproof.monitoring.imports import ImportedBatch, ImportedColumn, ImportedFigure
from shiftproof.monitoring.store import Store, create_monitor

FIGURE = ImportedFigure(quantity="accuracy", estimate=0.8, low=0.7, high=0.9, level=0.9973, method="NannyML estimate")
COLUMN = ImportedColumn(name="age", measure="NannyML wasserstein", distance=0.2)


def batch(day: int, **fields: object) -> ImportedBatch:
    known = ImportedBatch(id=f"nannyml {day}", at=START + timedelta(days=day), n_rows=100, figures=(FIGURE,))
    return replace(known, **fields)  # type: ignore[arg-type]


def test_batches_come_back_in_the_order_of_time(store: Store) -> None:
    with store.log(1, write=True) as log:
        assert log.imported.write([batch(2), batch(0), batch(1, n_rows=None)], START) == 3
        assert log.imported.recent(2) == [batch(1, n_rows=None), batch(2)]
        assert log.imported.names() == {"nannyml 0", "nannyml 1", "nannyml 2"}
        assert log.count() == (0, 0)


def test_second_file_of_a_tool_adds_and_newer_values_replace(store: Store) -> None:
    better = replace(FIGURE, estimate=0.85)
    with store.log(1, write=True) as log:
        log.imported.write([batch(0)], START)
        assert log.imported.write([batch(0, n_rows=None, figures=(), columns=(COLUMN,))], START) == 0
        assert log.imported.write([batch(0, figures=(FIGURE, better))], START) == 0
        assert log.imported.recent(9) == [batch(0, figures=(better,))]
        rows = log.imported.rows(("name", "measure", "distance", "changed"), columns=True)
    micros = int(START.timestamp() * 1e6)
    assert rows == [("nannyml 0", micros, micros, 100, "age", "NannyML wasserstein", 0.2, None)]


def test_unknown_values_are_none_and_figures_have_an_empty_subject(store: Store) -> None:
    with store.log(1, write=True) as log:
        log.imported.write([batch(0, figures=(replace(FIGURE, estimate=nan, low=None),))], START)
        rows = log.imported.rows(("subject", "estimate", "low", "method"), columns=False)
    assert [row[4:] for row in rows] == [("", None, None, "NannyML estimate")]


def test_batches_of_another_monitor_are_not_seen(store: Store) -> None:
    with store.writing() as connection:
        other = create_monitor(connection, "other", START, {}, {"a": b""})
    with store.log(1, write=True) as log:
        log.imported.write([batch(0)], START)
    with store.log(other.key, write=True) as log:
        assert log.imported.write([batch(0)], START) == 1
        assert log.imported.prune(START + timedelta(days=1)) == 1
        assert log.imported.names() == set()
    with store.log(1) as log:
        assert log.imported.names() == {"nannyml 0"}


@pytest.mark.parametrize(("day", "left"), [(0, 3), (1, 2), (9, 0)])
def test_prune_deletes_earlier_batches_whole(store: Store, day: int, left: int) -> None:
    with store.log(1, write=True) as log:
        log.imported.write([batch(number, columns=(COLUMN,)) for number in range(3)], START)
        assert log.prune(START + timedelta(days=day)) == 3 - left
        assert len(log.imported.names()) == left
        assert len(log.imported.rows((), columns=True)) == left
