"""Detection over time: that no period vanishes, and what is said; how rows are cut is tested with the data."""

from __future__ import annotations

import json
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


def rows(n: int, *, seed: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(shift, 1, n), "z": rng.normal(size=n), "c": rng.choice(["a", "b"], n)})


@pytest.fixture(scope="module")
def old() -> pd.DataFrame:
    return rows(400, seed=0)


@pytest.fixture(scope="module")
def new() -> pd.DataFrame:
    """Return January quiet, February shifted, March without a row, April with two rows; three rows have no day."""
    days = [*pd.date_range("2009-01-01", periods=200, freq="3h"), *pd.date_range("2009-02-01", periods=200, freq="3h")]
    table = pd.concat([rows(200, seed=2), rows(200, seed=3, shift=1.0), rows(5, seed=4)], ignore_index=True)
    late = pd.to_datetime(["2009-04-30", "2009-04-01", "", "", ""])
    return table.assign(day=[*days, *late]).sample(frac=1.0, random_state=0)


@pytest.fixture(scope="module")
def found(old: pd.DataFrame, new: pd.DataFrame) -> Timeline:
    return detect_by(old, new, "day", every="month")


def test_periods(found: Timeline) -> None:
    assert [(each.name, each.start, each.end, each.n_rows) for each in found.periods] == [
        ("2009-01", date(2009, 1, 1), date(2009, 1, 31), 200),
        ("2009-02", date(2009, 2, 1), date(2009, 2, 28), 200),
        ("2009-03", date(2009, 3, 1), date(2009, 3, 31), 0),
        ("2009-04", date(2009, 4, 1), date(2009, 4, 30), 2),
    ]
    assert [each.verdict for each in found.periods] == ["no shift", "shifted", "cannot say", "cannot say"]
    assert (found.by, found.every, found.n_undated, found.latest.name) == ("day", "month", 3, "2009-04")
    assert found.verdict == "shifted"


def test_each_period_is_what_detect_finds(old: pd.DataFrame, new: pd.DataFrame, found: Timeline) -> None:
    february = new[(new["day"] >= "2009-02-01") & (new["day"] < "2009-03-01")].drop(columns="day")
    alone = detect(old, february, multivariate=False)
    inside = found.periods[1].detection
    assert inside is not None
    assert inside.to_dict()["rows"] == alone.to_dict()["rows"]
    assert dict(inside.left_out) == {"day": "excluded"}
    row = found.to_frame().iloc[1]
    assert row["hellinger_mean"] == alone.hellinger_mean
    assert (row["features_shifted"], row["worst_feature"]) == (1, "x")
    assert row["worst_effect"] == alone.rows[0].effect


def test_frame(found: Timeline) -> None:
    frame = found.to_frame()
    promised = "period rows verdict shifted material p_value features_shifted worst_feature worst_effect failing_share"
    assert list(frame.columns) == [*promised.split(), "hellinger_mean", "hellinger_expected", "shift_kind"]
    assert frame["shifted"].tolist() == [False, True, False, False]
    assert frame["worst_feature"].isna().tolist() == [True, False, True, True]
    assert frame["hellinger_expected"].isna().tolist() == [False, False, True, False]
    tests = found.features_frame()
    assert tests.columns[0] == "period"
    assert tests.groupby("period").size().tolist() == [3, 3, 3]


def test_words(found: Timeline) -> None:
    assert found.summary() == (
        "1 of 4 months shifted by enough to matter, the first 2009-02; 'x' is to blame most often. For 2 we cannot say "
        "(too few rows, 1 of them without a row). Each month is tested on its own at 5%: of quiet months about one in "
        "twenty would raise a false alarm. If the link between features and label changed (concept shift), only labels "
        "can show it. 3 rows without 'day' were left out."
    )


def test_json(found: Timeline) -> None:
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (told["verdict"], told["latest"], told["n_undated"]) == ("shifted", "2009-04", 3)
    assert told["periods"][1]["start"] == "2009-02-01"
    assert told["periods"][1]["detection"]["verdict"] == "shifted"
    assert told["periods"][2]["detection"] is None


def test_page(found: Timeline, tmp_path: Path) -> None:
    text = found.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<strong>1 of 4 months shifted</strong>" in text
    assert "The latest period, 2009-04" in text
    assert "p of the scores" not in text
    assert "type of shift" not in text
    assert text.count("<svg") == 2


def test_pictures(found: Timeline) -> None:
    figure, (above, below) = plt.subplots(1, 2)
    assert found.plot(ax=above) is above
    assert found.plot_features(most=2, ax=below) is below
    assert below.get_yticklabels()[0].get_text() == "x"
    assert below.get_xlabel() == "(1 more feature not shown)"
    plt.close(figure)
    with pytest.raises(InputError, match=r"^most must be a whole number of at least 1, got 0"):
        found.plot_features(most=0)


def test_scores_are_cut_along(old: pd.DataFrame, new: pd.DataFrame) -> None:
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
    assert "scores and features at 5%: of quiet months up to one in ten would raise a false alarm." in given.summary()
    assert "p of the scores" in [column for section in given.to_page().sections for column in section.columns]
    assert len(given.plot().figure.axes) == 2
    plt.close("all")


def test_scores_that_do_not_fit(old: pd.DataFrame, new: pd.DataFrame) -> None:
    with pytest.raises(InputError) as error:
        detect_by(old, new, "day", reference_scores=np.zeros(400), current_scores=np.zeros(7))
    assert str(error.value) == "current_scores must have one row per row of the table, got 7 for 405; align them."


def test_a_panel_of_scores_is_cut(old: pd.DataFrame, new: pd.DataFrame) -> None:
    labels = np.arange(400) % 2
    share = np.linspace(0.01, 0.99, 400)
    panel = Panel.from_scores(labels, {"m": share}, new={"m": np.linspace(0.01, 0.99, 405)})
    found = detect_by(old, new, "day", every="quarter", panel=panel)
    assert [len(each.detection.scores) for each in found.periods if each.detection] == [1, 1]
    assert found.to_frame()["p_value"].notna().all()
    short = Panel.from_scores(labels, {"m": share}, new={"m": [0.5]})
    with pytest.raises(InputError, match=r"^panel must have one new score per current row, got 1 of 'm' for 405 rows"):
        detect_by(old, new, "day", panel=short)


def test_a_panel_scores_each_period(old: pd.DataFrame, new: pd.DataFrame) -> None:
    labels = (old["x"] > 0).astype(int)
    numbers = old[["x", "z"]]
    panel = cross_fit({"lr": LogisticRegression()}, numbers, labels, cv=3)
    found = detect_by(numbers, new[["x", "z", "day"]], "day", every="month", panel=panel)
    assert found.to_frame()["p_value"].tolist()[1] < 1e-6
    kind = found.to_frame()["shift_kind"].tolist()[1]
    assert f" Type of shift: {kind} in 1." in found.summary()
    assert "type of shift" in [column for section in found.to_page().sections for column in section.columns]


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
def test_any_table(old: pd.DataFrame, new: pd.DataFrame, found: Timeline, convert: Any) -> None:
    other = detect_by(old, convert(new.reset_index(drop=True)), "day", every="month")
    pd.testing.assert_frame_equal(other.to_frame(), found.to_frame())


def test_arrays_and_files(old: pd.DataFrame, new: pd.DataFrame, found: Timeline, tmp_path: Path) -> None:
    old.to_csv(tmp_path / "old.csv", index=False)
    new.to_parquet(tmp_path / "new.parquet")
    read = detect_by(str(tmp_path / "old.csv"), tmp_path / "new.parquet", "day", every="month")
    assert read.to_frame()["verdict"].tolist() == found.to_frame()["verdict"].tolist()
    numbers = np.column_stack([old["x"], np.repeat([1.0, 2.0], 200)])
    assert [each.name for each in detect_by(numbers, numbers, "x1").periods] == ["1", "2"]


def test_what_is_said_of_values(old: pd.DataFrame) -> None:
    found = detect_by(old, rows(200, seed=5).assign(part=["a"] * 100 + ["b"] * 100), "part")
    assert found.summary().startswith("No shift seen in 2 of 2 periods of 'part'. Each period is tested on its own")
    few = detect_by(old, rows(3, seed=5).assign(part=["a", "a", "b"]), "part")
    assert few.summary().startswith("Cannot say for any of 2 periods of 'part'. The largest has 2 rows. Each period")
    assert few.to_page().verdict == "Cannot say"


def test_negligible_and_level() -> None:
    at = np.arange(20_000)
    old = {"x": at / 20_000}
    found = detect_by(old, {"x": at / 20_000 + 0.03, "part": at * 0}, "part", alpha=0.01)
    assert found.verdict == "negligible"
    assert found.summary() == (
        "1 of 1 period of 'part' shifted but none by enough to matter; 'x' is to blame most often. Each period is "
        "tested on its own at 1%: of quiet periods about one in 100 would raise a false alarm. If the "
        "link between features and label changed (concept shift), only labels can show it."
    )
    assert found.to_page().verdict == "1 of 1 period shifted, but negligibly"


def test_columns_left_out_are_warned_of_once(old: pd.DataFrame, new: pd.DataFrame) -> None:
    with pytest.warns(ShiftproofWarning) as caught:
        found = detect_by(old.assign(id=range(400)), new.assign(id=range(405)), "day", every="month", exclude=["z"])
    assert len(caught) == 1
    assert found.summary().endswith("Not tested: 'z' (excluded), 'id' (identifier).")


def test_a_lost_column_is_a_finding_in_every_period(old: pd.DataFrame, new: pd.DataFrame) -> None:
    found = detect_by(old, new.drop(columns="z"), "day", every="month")
    assert found.to_frame()["worst_feature"].fillna("").tolist() == ["z", "z", "", "z"]


def test_progress(old: pd.DataFrame, new: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
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
def test_bad_input(values: list[Any], options: dict[str, Any], sentence: str) -> None:
    table = {"x": [float(at) for at in range(len(values))], "day": values}
    with pytest.raises(InputError) as error:
        detect_by({"x": [1.0, 2.0]}, table, **{"by": "day", **options})
    assert str(error.value) == sentence


def test_callers_tables_are_unchanged(old: pd.DataFrame, new: pd.DataFrame) -> None:
    before = old.copy(deep=True), new.copy(deep=True)
    detect_by(old, new, "day")
    pd.testing.assert_frame_equal(old, before[0])
    pd.testing.assert_frame_equal(new, before[1])
