from __future__ import annotations

from datetime import UTC, datetime

from shiftproof.monitoring.imports import ImportedHistory, imported_words


def history(**fields: object) -> ImportedHistory:
    known: dict[str, object] = {
        "tool": "nannyml",
        "n_batches": 12,
        "n_new": 12,
        "first": datetime(2024, 1, 1, tzinfo=UTC),
        "last": datetime(2024, 12, 1, tzinfo=UTC),
        "quantities": ("accuracy", "actual accuracy"),
        "columns": (),
        "left_out": ("thresholds and alerts",),
    }
    return ImportedHistory(**(known | fields))  # type: ignore[arg-type]


def test_summary_says_what_was_taken_over_and_what_was_not() -> None:
    assert history().summary() == (
        "Imported 12 batches from NannyML (2024-01-01 to 2024-12-01): accuracy, actual accuracy. The history and "
        "charts show them. The alarms do not use them. Left out: thresholds and alerts."
    )


def test_summary_of_one_batch_that_was_there() -> None:
    once = history(tool="evidently", n_batches=1, n_new=0, last=datetime(2024, 1, 1, tzinfo=UTC))
    alone = history(**{**once.__dict__, "quantities": (), "columns": ("age", "job"), "left_out": ()})
    assert alone.summary() == (
        "Imported 1 batch from Evidently (2024-01-01); 1 already imported before: figures of 2 columns."
        " The history and charts show them. The alarms do not use them."
    )


def test_status_counts_the_batches_of_each_tool() -> None:
    assert imported_words([]) == []
    assert imported_words(["nannyml", "evidently", "nannyml"]) == [
        "Imported: 2 batches from NannyML and 1 batch from Evidently. The alarms do not use them."
    ]
