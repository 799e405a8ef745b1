from __future__ import annotations

import json
from dataclasses import replace

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from tests.monitoring import _made as made

from shiftproof import plots
from shiftproof.core import Sensitive
from shiftproof.monitoring._result import BatchName


def test_update_has_one_row_per_column() -> None:
    frame = made.update().to_frame()
    assert frame["column"].tolist() == ["p", "age", "gone"]
    assert frame["blamed"].tolist() == ["", "changed", ""]
    assert frame["material"].tolist() == [0.1, 1.0, 0.0]


def test_update_is_json() -> None:
    values = json.loads(json.dumps(made.update(opened=(made.incident(),)).to_dict(), allow_nan=False))
    assert values["levels"]["changed"] == {
        "level": "changed",
        "log_evidence": 4.5,
        "log_limit": 3.0,
        "alarm": True,
        "share": 1.5,
    }
    assert values["opened"][0]["likeliest"]["id"] == "day 6"
    assert values["opened"][0]["open"] is True
    assert values["notes"] == ["Column 'job' has new values, which the baseline never had: 'SECRET' (3 rows)."]


def test_alarms_are_the_levels_at_their_limit() -> None:
    update = made.update()
    assert update.alarms == ("changed",)
    assert (update.id, update.at.day) == ("day 7", 7)
    assert [change.column for change in update.ranking] == ["age", "p", "gone"]


def test_evidence_below_one_counts_as_none() -> None:
    assert made.evidence("harm", -2.0).share == 0.0
    assert not made.evidence("harm", 0.99).alarm


@pytest.mark.parametrize(
    ("name", "shown"), [("a" * 64, "'aaaaaaaaaa…'"), ("day 1", "'day 1'"), ("x" * 70, f"'{'x' * 59}…'")]
)
def test_names_of_batches_are_short_and_sensitive(name: str, shown: str) -> None:
    batch = BatchName(number=3, id=name, at=made.START)
    assert batch.shown == Sensitive(shown, "batch 3")


def test_plot_draws_every_column() -> None:
    ax = made.update().plot(ax=Figure().subplots())
    assert [text.get_text() for text in ax.get_yticklabels()] == ["age", "p", "gone"]


def test_plot_colours_columns_by_the_alarm_that_blames_them() -> None:
    # 'age' is far from the reference in this batch, but only the evidence of *changed* is enough.
    update = made.update(blamed={"changed": ("age", "p"), "material": ("p",)})
    ax = update.plot(ax=Figure().subplots())
    assert [text.get_text() for text in ax.get_yticklabels()] == ["age", "p", "gone"]
    assert [to_hex(bar.get_facecolor()) for bar in ax.patches] == [plots.MILD, plots.BAD, plots.QUIET]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "changed enough to matter",
        "changed, without enough evidence that it matters",
        "not enough evidence of a change",
    ]


def test_plot_of_a_missing_column_says_that_it_matters() -> None:
    columns = made.update().columns
    gone = replace(columns["gone"], missing=1.0, p_missing=0.0)
    ax = made.update(columns={"gone": gone}, blamed={"material": ("gone",)}).plot(ax=Figure().subplots())
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["changed enough to matter"]
