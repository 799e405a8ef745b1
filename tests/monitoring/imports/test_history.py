from __future__ import annotations

from datetime import UTC, datetime

from shiftproof.monitoring.imports import ImportedBatch, ImportedFigure, ToolResults, imported_history, imported_line

MARCH = datetime(2024, 3, 1, tzinfo=UTC)
ESTIMATED = ImportedFigure(
    quantity="accuracy", estimate=0.8, low=0.7, high=0.9, level=0.9973, method="NannyML estimate"
)
ACTUAL = ImportedFigure(quantity="actual accuracy", estimate=0.75, method="NannyML, with labels")


def test_history_names_each_quantity_once() -> None:
    batches = [ImportedBatch(id=f"nannyml {n}", at=MARCH, n_rows=5, figures=(ESTIMATED, ACTUAL)) for n in (1, 2)]
    history = imported_history(ToolResults(tool="nannyml", batches=tuple(batches), left_out=("alerts",)), 1)
    assert (history.n_batches, history.n_new, history.first, history.last) == (2, 1, MARCH, MARCH)
    assert (history.quantities, history.columns, history.left_out) == (("accuracy", "actual accuracy"), (), ("alerts",))
    assert history.to_dict()["summary"] == history.summary()


def test_line_has_the_estimate_only_with_its_interval() -> None:
    line = imported_line(ImportedBatch(id="nannyml 2024-03", at=MARCH, n_rows=5, figures=(ESTIMATED, ACTUAL)))
    assert line.accuracy is not None
    assert (line.tool, line.accuracy.low, line.accuracy.high, line.actual) == ("nannyml", 0.7, 0.9, 0.75)
    bare = ImportedFigure(quantity="accuracy", estimate=0.8, method="NannyML estimate")
    assert imported_line(ImportedBatch(id="nannyml 1", at=MARCH, n_rows=None, figures=(bare,))).accuracy is None


def test_name_of_a_batch_may_be_that_of_a_file_and_is_marked() -> None:
    line = imported_line(ImportedBatch(id="evidently SECRET.json", at=MARCH, n_rows=None))
    assert str(line.shown) == "'evidently SECRET.json'"
    assert "SECRET" not in line.shown.instead
