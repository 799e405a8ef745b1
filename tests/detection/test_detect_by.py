"""Detection of each period: that no period vanishes; how rows are cut is tested with the data."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from shiftproof.core import InputError, ShiftproofWarning
from shiftproof.detection import Timeline, detect, detect_by
from shiftproof.panel import Panel, cross_fit


def test_detect_by_lists_every_month_between_the_first_and_the_last(timeline: Timeline) -> None:
    assert [(period.name, period.start, period.end, period.n_rows) for period in timeline.periods] == [
        ("2009-01", date(2009, 1, 1), date(2009, 1, 31), 200),
        ("2009-02", date(2009, 2, 1), date(2009, 2, 28), 200),
        ("2009-03", date(2009, 3, 1), date(2009, 3, 31), 0),
        ("2009-04", date(2009, 4, 1), date(2009, 4, 30), 2),
    ]
    assert [period.verdict for period in timeline.periods] == ["no shift", "shifted", "cannot tell", "cannot tell"]
    assert (timeline.by, timeline.every, timeline.n_undated, timeline.latest.name) == ("day", "month", 3, "2009-04")
    assert timeline.verdict == "shifted"


def test_detect_by_gives_what_detect_gives_for_the_rows_of_a_period(
    old: pd.DataFrame, new: pd.DataFrame, timeline: Timeline
) -> None:
    february = new[(new["day"] >= "2009-02-01") & (new["day"] < "2009-03-01")].drop(columns="day")
    alone = detect(old, february, multivariate=False)
    inside = timeline.periods[1].detection
    assert inside is not None
    assert inside.to_dict()["rows"] == alone.to_dict()["rows"]
    assert dict(inside.left_out) == {"day": "excluded"}
    row = timeline.to_frame().iloc[1]
    assert row["hellinger_mean"] == alone.hellinger_mean
    assert (row["features_shifted"], row["worst_feature"]) == (1, "x")
    assert row["worst_effect"] == alone.rows[0].effect


def test_detect_by_cuts_scores_along_with_the_rows(old: pd.DataFrame, new: pd.DataFrame) -> None:
    def score(table: pd.DataFrame) -> Any:
        return 1 / (1 + np.exp(-table["x"].to_numpy()))

    given = detect_by(old, new, "day", every="month", reference_scores=score(old), current_scores=score(new))
    february = new[(new["day"] >= "2009-02-01") & (new["day"] < "2009-03-01")]
    alone = detect(old, february, score(old), score(february), exclude=["day"], multivariate=False)
    assert given.to_frame()["p_value"].tolist()[1] == alone.p_value < 1e-9
    as_dict = detect_by(
        old, new, "day", every="month", reference_scores={"m": score(old)}, current_scores={"m": list(score(new))}
    )
    named = detect_by(
        old.assign(p=score(old)),
        new.assign(p=score(new)),
        "day",
        every="month",
        reference_scores="p",
        current_scores="p",
    )
    for other in (as_dict, named):
        pd.testing.assert_frame_equal(other.to_frame(), given.to_frame())
    assert (
        "scores and features at 5% each: up to one in ten unchanged months would raise a false alarm."
        in given.summary()
    )
    assert "p-value of the scores" in [column for section in given.to_page().sections for column in section.columns]
    assert len(given.plot().figure.axes) == 2
    plt.close("all")


def test_detect_by_refuses_scores_of_other_rows(old: pd.DataFrame, new: pd.DataFrame) -> None:
    with pytest.raises(InputError) as error:
        detect_by(old, new, "day", reference_scores=np.zeros(400), current_scores=np.zeros(7))
    assert str(error.value) == "current_scores must have one row per row of the table, got 7 for 405; align them."


def test_detect_by_cuts_a_panel_of_scores(old: pd.DataFrame, new: pd.DataFrame) -> None:
    labels = np.arange(400) % 2
    share = np.linspace(0.01, 0.99, 400)
    panel = Panel.from_scores(labels, {"m": share}, new={"m": np.linspace(0.01, 0.99, 405)})
    timeline = detect_by(old, new, "day", every="quarter", panel=panel)
    assert [len(period.detection.scores) for period in timeline.periods if period.detection] == [1, 1]
    assert timeline.to_frame()["p_value"].notna().all()
    short = Panel.from_scores(labels, {"m": share}, new={"m": [0.5]})
    with pytest.raises(
        InputError, match=r"^panel must have one score per row of the new data, got 1 of 'm' for 405 rows"
    ):
        detect_by(old, new, "day", panel=short)


def test_detect_by_with_models_scores_each_period(old: pd.DataFrame, new: pd.DataFrame) -> None:
    labels = (old["x"] > 0).astype(int)
    numbers = old[["x", "z"]]
    panel = cross_fit({"lr": LogisticRegression()}, numbers, labels, cv=3)
    timeline = detect_by(numbers, new[["x", "z", "day"]], "day", every="month", panel=panel)
    assert timeline.to_frame()["p_value"].tolist()[1] < 1e-6
    kind = timeline.to_frame()["shift_kind"].tolist()[1]
    assert f" Type of shift: {kind} in 1." in timeline.summary()
    assert "type of shift" in [column for section in timeline.to_page().sections for column in section.columns]


@pytest.mark.parametrize(
    "convert",
    [
        pl.from_pandas,
        lambda frame: pl.from_pandas(frame).lazy(),
        pa.Table.from_pandas,
        lambda frame: {name: frame[name].tolist() for name in frame},
        lambda frame: frame.to_dict("records"),
    ],
    ids=["polars", "lazy", "pyarrow", "dict", "records"],
)
def test_detect_by_reads_any_table(old: pd.DataFrame, new: pd.DataFrame, timeline: Timeline, convert: Any) -> None:
    other = detect_by(old, convert(new.reset_index(drop=True)), "day", every="month")
    pd.testing.assert_frame_equal(other.to_frame(), timeline.to_frame())


def test_detect_by_reads_arrays_and_files(
    old: pd.DataFrame, new: pd.DataFrame, timeline: Timeline, tmp_path: Path
) -> None:
    old.to_csv(tmp_path / "old.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    read = detect_by(str(tmp_path / "old.csv"), tmp_path / "new.parquet", "day", every="month")
    assert read.to_frame()["verdict"].tolist() == timeline.to_frame()["verdict"].tolist()
    numbers = np.column_stack([old["x"], np.repeat([1.0, 2.0], 200)])
    assert [period.name for period in detect_by(numbers, numbers, "x1").periods] == ["1", "2"]


def test_detect_by_warns_once_of_columns_left_out(old: pd.DataFrame, new: pd.DataFrame) -> None:
    with pytest.warns(ShiftproofWarning) as caught:
        timeline = detect_by(old.assign(id=range(400)), new.assign(id=range(405)), "day", every="month", exclude=["z"])
    assert len(caught) == 1
    assert timeline.summary().endswith("Not tested: 'z' (excluded), 'id' (identifier).")


def test_detect_by_blames_a_lost_column_in_every_period(old: pd.DataFrame, new: pd.DataFrame) -> None:
    timeline = detect_by(old, new.drop(columns="z"), "day", every="month")
    assert timeline.to_frame()["worst_feature"].fillna("").tolist() == ["z", "z", "", "z"]


def test_detect_by_shows_progress_only_if_requested(
    old: pd.DataFrame, new: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    detect_by(old, new, "day", every="month")
    assert capsys.readouterr().err == ""
    detect_by(old, new, "day", every="month", progress=True)
    assert "4/4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "options", "sentence"),
    [
        ([1, 2], {"by": "when"}, "by must name a column of the current table, got 'when'; available: 'x', 'day'."),
        ([None, None], {}, "by must name a column with values, got 'day', which has none; name another."),
        (
            [date(2009, 1, 1), date(2009, 1, 2)],
            {"every": "hour"},
            "every must be one of 'day', 'week', 'month', 'quarter', 'year'; got 'hour'.",
        ),
        ([1, 2], {"exclude": "x"}, "exclude must be a list of column names, got 'x'; write exclude=['x']."),
        ([], {}, "current must hold at least one row, got 0; check the filter or the file it came from."),
    ],
)
def test_detect_by_refuses_in_one_sentence(values: list[Any], options: dict[str, Any], sentence: str) -> None:
    table = {"x": [float(at) for at in range(len(values))], "day": values}
    with pytest.raises(InputError) as error:
        detect_by({"x": [1.0, 2.0]}, table, **{"by": "day", **options})
    assert str(error.value) == sentence


def test_detect_by_leaves_the_tables_as_they_are(old: pd.DataFrame, new: pd.DataFrame) -> None:
    before = old.copy(deep=True), new.copy(deep=True)
    detect_by(old, new, "day")
    pd.testing.assert_frame_equal(old, before[0])
    pd.testing.assert_frame_equal(new, before[1])
