"""The verb and its result: order of blame, words, pictures, pages, and the level it promises."""

from __future__ import annotations

import json
import math
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import shiftproof as sp
from shiftproof.detection._features import MATERIAL


@pytest.fixture(scope="module")
def found() -> sp.Detection:
    rng = np.random.default_rng(0)
    n = 600
    old = pd.DataFrame(
        {
            "same": rng.normal(size=n),
            "moved": rng.normal(size=n),
            "barely": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "gaps": rng.normal(size=n),
        }
    )
    new = pd.DataFrame(
        {
            "same": rng.normal(size=n),
            "moved": rng.normal(1.5, 1, n),
            "barely": rng.normal(0.3, 1, n),
            "colour": rng.choice(["red", "green", "blue"], n, p=[0.6, 0.2, 0.2]),
            "gaps": np.where(rng.uniform(size=n) < 0.2, np.nan, rng.normal(size=n)),
        }
    )
    return sp.detect(old, new)


def test_order_of_blame(found: sp.Detection) -> None:
    assert found.verdict == "shifted"
    assert found.features[:1] == ("moved",)
    assert set(found.features) == {"moved", "barely", "colour", "gaps"}
    grades = [(row.material, row.shifted) for row in found.rows]
    assert grades == sorted(grades, reverse=True)
    for row in found.rows:
        assert row.material == (row.shifted and row.effect >= MATERIAL[row.test])
        assert row.shifted == (row.q_value <= 0.05)


def test_frame_has_the_promised_columns_first(found: sp.Detection) -> None:
    promised = "feature kind test statistic p_value q_value ks hellinger wasserstein missing_reference missing_current"
    frame = found.to_frame()
    assert list(frame.columns)[:13] == [*promised.split(), "shifted", "material"]
    assert len(frame) == len(found.rows) == 6


def test_dict_is_json(found: sp.Detection) -> None:
    text = json.dumps(found.to_dict(), allow_nan=False)
    again = json.loads(text)
    assert (again["verdict"], again["n_reference"], len(again["rows"])) == ("shifted", 600, 6)
    assert again["rows"][0]["feature"] == "moved"


def test_the_papers_measures(found: sp.Detection) -> None:
    values = [row for row in found.rows if row.test in ("ks", "chi-square")]
    assert found.failing_share == np.mean([row.p_value < 0.05 for row in values])
    distances = np.array([row.hellinger for row in values])
    assert found.hellinger_mean == pytest.approx(distances.mean())
    skew = ((distances - distances.mean()) ** 3).mean() / distances.std() ** 3
    assert found.hellinger_skew == pytest.approx(skew)


def test_intervals_hold_their_effects(found: sp.Detection) -> None:
    for row in found.rows:
        if not math.isnan(row.effect_low):
            assert row.effect_low <= row.effect <= row.effect_high


def test_plots(found: sp.Detection) -> None:
    figure, ax = plt.subplots()
    assert found.plot(ax=ax) is ax
    widths = [bar.get_width() for bar in ax.containers[0]]
    assert widths == pytest.approx([row.effect for row in found.rows])
    assert found.plot_feature("colour", ax=ax) is ax
    plt.close(figure)
    assert len([ax for ax in found.plot_features(most=4).axes if ax.get_visible()]) == 4
    with pytest.raises(sp.InputError) as error:
        found.plot_feature("color")
    assert str(error.value).startswith("feature must be a feature that was compared, got 'color'; choose one of 'same'")


def test_page(found: sp.Detection, tmp_path: Path) -> None:
    path = found.save(tmp_path / "new folder" / "page.html")
    text = path.read_text()
    assert "The data have shifted" in text
    assert text.count("<svg") == 2
    assert "http://" not in text.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    assert len(text) < 1_000_000


def test_notebook_view(found: sp.Detection) -> None:
    assert found._repr_html_().count("<tr>") >= 6


def test_results_are_frozen(found: sp.Detection) -> None:
    with pytest.raises(AttributeError):
        found.alpha = 0.1  # type: ignore[misc]


def test_paths_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(100) % 7, "c": list("ab") * 50})
    frame.to_csv(tmp_path / "old.csv", index=False)
    frame.to_parquet(tmp_path / "new.parquet")
    assert sp.detect(tmp_path / "old.csv", str(tmp_path / "new.parquet")).verdict == "no shift"


def test_exclude_and_kinds() -> None:
    old, new = {"t": list(range(50)), "zip": [1, 2] * 25}, {"t": list(range(50, 100)), "zip": [1, 2] * 25}
    result = sp.detect(old, new, exclude=["t"], kinds={"zip": "nominal"})
    assert dict(result.left_out) == {"t": "excluded"}
    assert [row.test for row in result.rows] == ["chi-square"]


def test_callers_tables_are_unchanged() -> None:
    old = pd.DataFrame({"x": [3.0, 1.0, np.nan], "c": ["b", "a", None]})
    before = old.copy(deep=True)
    sp.detect(old, old)
    pd.testing.assert_frame_equal(old, before)


def test_the_demo_has_shifted() -> None:
    result = sp.detect(sp.load_demo(year=2009), sp.load_demo(year=2010), exclude=["label"])
    assert result.verdict == "shifted"
    assert result.features[0] == "month"
    assert result.failing_share == 1.0


def test_false_alarms_stay_below_the_level() -> None:
    rng = np.random.default_rng(1)
    calls = sp.load_demo(year=2009).drop(columns="label")
    alarms = 0
    for _ in range(60):
        rows = rng.permutation(len(calls))
        result = sp.detect(calls.iloc[rows[:3000]], calls.iloc[rows[3000:4000]])
        alarms += result.shifted
    # 5 % of 60 are 3; 9 or more would come by chance once in 400 runs
    assert alarms <= 8


def test_nothing_to_say_of_nothing() -> None:
    empty = sp.detect({"x": [None, None]}, {"x": [None]})
    assert empty.verdict in {"no shift", "cannot say"}
    assert math.isnan(empty.hellinger_mean)
    assert math.isnan(empty.hellinger_skew)
    assert math.isnan(empty.failing_share)
    assert empty.plot_features().axes
    plt.close(empty.plot().get_figure())  # type: ignore[arg-type]
