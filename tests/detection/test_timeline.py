"""What a timeline answers: frames, words, JSON and charts."""

from __future__ import annotations

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from tests.detection.cases import table

from shiftproof.core import InputError
from shiftproof.detection import Timeline, detect_by
from shiftproof.reporting import render


def test_to_frame_has_a_row_per_period(timeline: Timeline) -> None:
    frame = timeline.to_frame()
    promised = "period rows verdict shifted material p_value features_shifted worst_feature worst_effect failing_share"
    assert list(frame.columns) == [*promised.split(), "hellinger_mean", "hellinger_expected", "shift_kind"]
    assert frame["shifted"].tolist() == [False, True, False, False]
    assert frame["worst_feature"].isna().tolist() == [True, False, True, True]
    assert frame["hellinger_expected"].isna().tolist() == [False, False, True, False]
    tests = timeline.features_frame()
    assert tests.columns[0] == "period"
    assert tests.groupby("period").size().tolist() == [3, 3, 3]


def test_summary_counts_shifted_and_silent_months(timeline: Timeline) -> None:
    assert timeline.summary() == (
        "1 of 4 months shifted enough to matter, the first being 2009-02; 'x' changed most. For 2 we cannot tell "
        "(too few rows, 1 of them without rows). Each month is tested on its own at 5%: about one in twenty "
        "unchanged months would raise a false alarm. If the link between features and label changed (concept "
        "shift), only labels "
        "can show it. 3 rows without 'day' were left out."
    )


def test_to_dict_is_json(timeline: Timeline) -> None:
    document = json.loads(json.dumps(timeline.to_dict(), allow_nan=False))
    assert (document["verdict"], document["latest"], document["n_undated"]) == ("shifted", "2009-04", 3)
    assert document["periods"][1]["start"] == "2009-02-01"
    assert document["periods"][1]["detection"]["verdict"] == "shifted"
    assert document["periods"][2]["detection"] is None


def test_plot_and_plot_features_draw_on_given_axes(timeline: Timeline) -> None:
    figure, (above, below) = plt.subplots(1, 2)
    assert timeline.plot(ax=above) is above
    assert timeline.plot_features(most=2, ax=below) is below
    assert below.get_yticklabels()[0].get_text() == "x"
    assert below.get_xlabel() == "(1 more feature not shown)"
    plt.close(figure)
    with pytest.raises(InputError, match=r"^most must be a whole number of at least 1; got 0"):
        timeline.plot_features(most=0)


def test_summary_of_periods_that_are_values(old: pd.DataFrame) -> None:
    timeline = detect_by(old, table(200, seed=5).assign(part=["a"] * 100 + ["b"] * 100), "part")
    assert timeline.summary().startswith(
        "No shift seen in 2 of 2 periods of 'part'. The last period is b (no shift). Each period is tested on its own"
    )
    assert "The last period is period 2 (no shift)." in timeline.words().redacted()
    few = detect_by(old, table(3, seed=5).assign(part=["a", "a", "b"]), "part")
    assert few.summary().startswith(
        "Cannot tell for any of 2 periods of 'part'. The last period is b (cannot tell). The largest has 2 rows. Each"
    )
    assert few.to_page().verdict == "Cannot tell"


def test_summary_and_page_cut_long_names_of_periods(old: pd.DataFrame) -> None:
    timeline = detect_by(old, table(100, seed=5).assign(part=["a" * 50_000] * 50 + ["b" * 50_000] * 50), "part")
    assert f"The last period is {'b' * 59}… (no shift)." in timeline.summary()
    assert len(render(timeline.to_page())) < 50_000
    assert timeline.latest.name == "b" * 50_000


def test_summary_of_a_negligible_shift_gives_its_level() -> None:
    at = np.arange(20_000)
    old = {"x": at / 20_000}
    timeline = detect_by(old, {"x": at / 20_000 + 0.03, "part": at * 0}, "part", alpha=0.01)
    assert timeline.verdict == "negligible"
    assert timeline.summary() == (
        "1 of 1 period of 'part' shifted but none enough to matter; 'x' changed most. Each period is "
        "tested on its own at 1%: about one in 100 unchanged periods would raise a false alarm. If the "
        "link between features and label changed (concept shift), only labels can show it."
    )
    assert timeline.to_page().verdict == "1 of 1 period shifted, but negligibly"
