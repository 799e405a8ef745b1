from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
from shiftproof import InputError, Interval
from shiftproof.counting._assumption import MixtureFit, Unclipped
from shiftproof.quantification import PeriodShares, Quantification


def interval(estimate: float, low: float, high: float) -> Interval:
    return Interval(estimate=estimate, low=low, high=high, level=0.9, method="bootstrap")


def made(**changes: Any) -> Quantification:
    """Make a result by hand."""
    settings: dict[str, Any] = {
        "prevalence": {"no": interval(0.6, 0.5, 0.7), "yes": interval(0.4, 0.3, 0.5)},
        "training": {"no": 0.9, "yes": 0.1},
        "others": {
            "training prevalence": {"no": 0.9, "yes": 0.1},
            "classify and count": {"no": 0.75, "yes": 0.25},
            "adjusted count": {"no": 0.58, "yes": 0.42},
            "threshold x": {"no": 0.65, "yes": 0.35},
        },
        "method": "combined",
        "model": "lr",
        "briers": {"lr": 0.1},
        "unclipped": (Unclipped(method="adjusted count", code=1, value=0.42, low=0.3, high=0.5),),
        "fit": MixtureFit(distance=0.03, p_value=0.4),
        "shift": None,
        "unchecked": "no features",
        "positive": "yes",
        "level": 0.9,
        "n_labelled": 100,
        "n_new": 50,
    }
    return Quantification(**settings | changes)


PERIODS = (
    PeriodShares(
        name="2024-01",
        start=date(2024, 1, 1),
        end=date(2024, 1, 31),
        n_rows=20,
        prevalence={"no": interval(0.8, 0.7, 0.9), "yes": interval(0.2, 0.1, 0.3)},
        others={"no": (0.75, 0.85), "yes": (0.15, 0.25)},
    ),
    PeriodShares(name="2024-02", start=None, end=None, n_rows=0, prevalence={}, others={}),
)


def test_the_frame_has_the_columns_of_the_contract_first() -> None:
    frame = made().to_frame()
    assert list(frame.columns[:6]) == ["label", "estimate", "low", "high", "level", "method"]
    assert frame["label"].tolist() == ["no", "yes"]
    assert frame["estimate"].tolist() == [0.6, 0.4]
    assert (frame["others_low"].tolist(), frame["others_high"].tolist()) == ([0.58, 0.35], [0.65, 0.42])


def test_the_range_leaves_out_what_does_not_allow_for_a_change() -> None:
    assert made().range == {"no": (0.58, 0.65), "yes": (0.35, 0.42)}
    chosen = made(method="classify and count", prevalence={"no": interval(0.9, 0.8, 1), "yes": interval(0.1, 0, 0.2)})
    assert chosen.range == made().range


def test_all_methods_stand_below_each_other() -> None:
    frame = made().methods()
    assert frame["method"].drop_duplicates().tolist() == [
        "combined",
        "training prevalence",
        "classify and count",
        "adjusted count",
        "threshold x",
    ]
    assert len(frame) == 10


def test_the_words_of_scores_alone() -> None:
    assert made().summary() == (
        "About 40.0% of 50 new rows are in class 'yes' (90% interval 30.0% to 50.0%), against 10.0% of the labelled "
        "ones. Whether only the class proportions changed could be checked on the scores alone, where nothing speaks "
        "against it (no features). Other methods that correct for a change give 35.0% to 42.0%; plain counting, which "
        "is biased, gives 25.0%."
    )
    assert made().headline == "40.0% (30.0% to 50.0%) of the new rows are in class 'yes'"


def test_the_words_of_a_broken_assumption() -> None:
    beyond = Unclipped(method="adjusted count", code=1, value=1.2, low=0.9, high=1.1)
    again = Unclipped(method="median sweep", code=1, value=1.15, low=0.9, high=1.1)
    found = made(unclipped=(beyond, again), fit=MixtureFit(distance=0.12, p_value=1 / 201))
    assert found.assumption == "broken"
    assert found.tone == "bad"
    assert found.headline == "do not believe 40.0% of class 'yes'"
    assert found.concerns == (
        "Adjusted count comes to 120% of the rows in class 'yes' before it is clipped, which is above 100% by more "
        "than chance explains; median sweep leaves the unit interval, too.",
        "No mixture of the labelled classes gives the scores of the new data (KS distance 0.12, p < 0.005).",
    )
    assert found.summary().startswith(
        "Do not believe that 40.0% of 50 new rows are in class 'yes' (against 10.0% of the labelled ones): all "
        "methods assume that only the class proportions changed, which is not the case here. "
    )


def test_intervals_that_say_nothing_are_called_so() -> None:
    found = made(prevalence={"no": interval(0.5, 0.0, 0.98), "yes": interval(0.5, 0.02, 1.0)})
    assert not found.informative
    assert found.tone == "unknown"
    assert found.summary().startswith(
        "The scores cannot tell how many of 50 new rows are in class 'yes' (90% interval 2.0% to 100%)."
    )


def test_below_nothing_is_told_of_the_class_itself() -> None:
    below = tuple(
        Unclipped(method="adjusted count", code=code, value=value, low=-0.1, high=1.1)
        for code, value in ((0, 1.3), (1, -0.3))
    )
    assert (
        "-30% of the rows in class 'yes' before it is clipped, which is below 0%" in made(unclipped=below).concerns[0]
    )


@pytest.mark.parametrize(("p_value", "distance"), [(0.005, 0.015), (0.02, 0.2)])
def test_a_mixture_that_is_nearly_right_or_may_be_chance_fits(p_value: float, distance: float) -> None:
    assert made(fit=MixtureFit(distance=distance, p_value=p_value)).concerns == ()


def test_the_course_over_time_is_told_and_drawn() -> None:
    found = made(periods=PERIODS, by="day", every="month", n_undated=3)
    assert "All rows with a value of 'day' are of 2024-01." in found.summary()
    assert "3 rows without a value of 'day' are in no period." in found.summary()
    later = replace(PERIODS[0], name="2024-03")
    twice = made(periods=(*PERIODS, later), by="day", every="month").summary()
    told = "20.0% (10.0% to 30.0%)"
    assert f"The share of class 'yes' is {told} in 2024-01 and {told} in 2024-03." in twice
    ax = found.plot_over_time()
    assert ax.get_ylabel()
    plt.close("all")
    with pytest.raises(
        InputError, match=r"^label must be one of 'no' and 'yes', got 1; labels are compared as they are\.$"
    ):
        found.plot_over_time(1)
    for each in (made().over_time, made().plot_over_time):
        with pytest.raises(InputError, match=r"^by must be given to see shares over time, got None"):
            each()


def test_the_dict_is_json_and_complete() -> None:
    found = made(periods=PERIODS, by="day", every="month")
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["prevalence"][1] == {
        "label": "yes",
        "estimate": 0.4,
        "low": 0.3,
        "high": 0.5,
        "training": 0.1,
        "range": [0.35, 0.42],
    }
    assert told["periods"][0]["start"] == "2024-01-01"
    assert told["periods"][1]["prevalence"] == []
    assert told["assumption"] == "not checked"
    assert {"summary", "concerns", "others", "unclipped", "fit", "shift", "briers", "notes", "shiftproof"} <= set(told)


def test_it_is_drawn_with_all_methods() -> None:
    ax = made().plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["no", "yes"]
    plt.close("all")
    assert "<table" in made()._repr_html_()


def test_it_cannot_be_changed_and_can_be_pickled() -> None:
    found = made()
    with pytest.raises(TypeError, match="cannot be changed"):
        found.training["no"] = 1.0  # type: ignore[index]
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()  # noqa: S301
    assert replace(found, n_new=1).summary().startswith("About 40.0% of 1 new row")


def test_the_page_is_safe_and_whole(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    named = {"no": hostile, "yes": "yes"}

    def renamed(shares: Any) -> Any:
        return {named[label]: value for label, value in shares.items()}

    found = made(
        prevalence=renamed(made().prevalence),
        training=renamed(made().training),
        others={name: renamed(shares) for name, shares in made().others.items()},
        model=hostile,
    )
    text = found.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert hostile not in text
    assert "Class proportions" in text
    assert "Can it be believed" in text
    assert 'src="http' not in text
    assert 'href="http' not in text
    with_course = made(periods=PERIODS, by="day", every="month").save(tmp_path / "course.html")
    assert "The share of yes over time" in with_course.read_text(encoding="utf-8")


def test_words_of_every_kind_of_shift() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [600, 400])
    X = rng.normal(size=(1000, 2)) + y[:, None]
    same = sp.quantify(LogisticRegression(), X, y, rng.normal(size=(1000, 2)) + y[:, None])
    assert same.assumption == "fits"
    assert "No shift was found at all" in same.summary()
    few = sp.quantify(LogisticRegression(), X, y, rng.normal(size=(20, 2)) + 0.6)
    assert few.assumption in ("cannot tell", "fits")
    assert not math.isnan(few.prevalence[1].low)
