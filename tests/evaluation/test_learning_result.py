"""What a learning curve says, shows and hands on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from shiftproof import Interval, LearningCurve
from shiftproof.stats import SchemeComparison, corrected_resampled_t


def interval(estimate: float) -> Interval:
    return Interval(estimate=estimate, low=estimate - 0.02, high=estimate + 0.02, level=0.9, method="wilson")


def gain(mean: float) -> SchemeComparison:
    return corrected_resampled_t(mean + np.array([-0.001, 0.001, 0, 0.002, -0.002]), test_share=0.2, level=0.9)


def curve(**options: Any) -> LearningCurve:
    facts: dict[str, Any] = {
        "names": ("forest", "lr"),
        "sizes": (100, 200),
        "estimates": {
            "forest": {100: interval(0.8), 200: interval(0.83)},
            "lr": {100: interval(0.81), 200: interval(0.81)},
        },
        "gains": {"forest": gain(0.03), "lr": gain(0.0)},
        "measure": "accuracy",
        "level": 0.9,
        "higher_is_better": True,
        "n_tested": 250,
        "n_fits": 20,
    }
    return LearningCurve(**facts | options)


def test_the_summary_says_who_would_gain() -> None:
    found = curve()
    assert found.improving == ("forest",)
    assert found.summary() == (
        "More labelled rows would probably help 'forest'; no gain from more labelled rows is visible for 'lr'. "
        "With 200 training rows, 'forest' has the best accuracy: 83.0% (81.0% to 85.0%). The difference from 100 rows "
        "is 3.0 points [2.8, 3.2]. 2 sizes from 100 (50.0%) to 200 training rows, all tested on the same 250 rows."
    )
    all_gain = curve(gains={"forest": gain(0.03), "lr": gain(0.02)})
    assert all_gain.summary().startswith("More labelled rows would probably help 'forest' and 'lr'. With")
    none = curve(gains={"forest": None, "lr": gain(-0.1)})
    assert none.summary().startswith(
        "No gain from more labelled rows is visible for 'forest' and 'lr'. With 200 training rows, 'forest' has the "
        "best accuracy: 83.0% (81.0% to 85.0%). 2 sizes"
    )
    # Of a loss, less is better.
    loss = curve(measure="brier", higher_is_better=False, gains={"forest": gain(-0.03), "lr": gain(0.03)})
    assert loss.improving == ("forest",)
    assert "The difference from 100 rows is -0.030 [-0.032, -0.028]." in loss.summary()


def test_a_single_model_is_not_called_the_best() -> None:
    one = curve(names=("forest",), gains={"forest": None})
    assert "With 200 training rows, the accuracy of 'forest' is 83.0% (81.0% to 85.0%). 2 sizes" in one.summary()


def test_cells_are_in_per_cent_as_the_summary() -> None:
    assert curve().section().rows[0][1:3] == ("80.0% [78.0%, 82.0%]", "83.0% [81.0%, 85.0%]")


def test_the_frame_has_one_row_per_model_and_size() -> None:
    frame = curve().to_frame()
    assert frame.columns.tolist() == ["model", "size", "measure", "estimate", "low", "high", "level", "method"]
    assert frame[["model", "size", "estimate"]].to_numpy().tolist() == [
        ["forest", 100, 0.8],
        ["forest", 200, 0.83],
        ["lr", 100, 0.81],
        ["lr", 200, 0.81],
    ]


def test_dict_page_and_plot(tmp_path: Path) -> None:
    found = replace(
        curve(), estimates={"forest": {200: interval(0.83)}, "lr": {100: interval(0.8), 200: interval(0.8)}}
    )
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (told["sizes"], told["improving"], told["n_fits"]) == ([100, 200], ["forest"], 20)
    assert told["estimates"]["lr"]["100"]["estimate"] == 0.8
    assert told["gains"]["forest"]["p_value"] < 0.01
    text = found.save(tmp_path / "page.html").read_text()
    assert "Would more labelled rows help?" in text
    assert "gain from 100 to 200" in text
    ax = found.plot()
    assert np.isnan(np.asarray(ax.lines[0].get_ydata(), dtype=float)).tolist() == [True, False]
    assert ax.get_ylabel() == "accuracy, 90% intervals"
    plt.close(ax.figure)  # type: ignore[arg-type]
    assert "<table" in found._repr_html_()
