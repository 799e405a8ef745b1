from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tests.quantification.cases import PERIODS, drawn_numbers, interval, made, refused
from tests.selection.cases import shift_kind

from shiftproof import InputError
from shiftproof.counting._assumption import MixtureFit, Unclipped
from shiftproof.quantification._result import ShareErrors
from shiftproof.quantification._words import refusal_sentences


def test_the_frame_has_the_columns_of_the_contract_first() -> None:
    frame = made().to_frame()
    assert list(frame.columns[:6]) == ["label", "estimate", "low", "high", "level", "method"]
    assert frame["label"].tolist() == ["no", "yes"]
    assert frame["estimate"].tolist() == [0.6, 0.4]
    assert (frame["sampling"].tolist(), frame["drift"].tolist()) == ([0.06, 0.06], [0, 0])
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


def test_intervals_that_say_nothing_are_called_so() -> None:
    result = made(prevalence={"no": interval(0.5, 0.0, 0.98), "yes": interval(0.5, 0.02, 1.0)})
    assert not result.informative
    assert result.tone == "unknown"
    assert result.summary().startswith(
        "The scores cannot show how many of 50 new rows are in class 'yes' (90% interval 2.0% to 100%)."
    )


def test_share_errors_give_the_ends_by_sampling_alone_within_the_interval() -> None:
    share = interval(0.4, 0.35, 0.8)
    assert ShareErrors(sampling=0.1).ends_by_sampling(share) == (0.35, 0.8)
    assert ShareErrors(sampling=0.02, drift=0.1).ends_by_sampling(share) == pytest.approx((0.367, 0.433), abs=0.001)
    assert ShareErrors(sampling=0.1, drift=0.1).ends_by_sampling(share)[0] == 0.35


def test_figures_are_refused_only_where_drift_does_not_explain_the_change() -> None:
    rejected = MixtureFit(distance=0.2, p_value=0.005)
    different, foreign = (
        shift_kind(100, 50, np.array([0.5, 0.5]), kind="too different", outside=outside, entropy=2.0)
        for outside in (0.3, 0.9)
    )
    assert refusal_sentences(made(fit=rejected))
    answered = made(fit=rejected, assume="natural", shift=different)
    assert (refusal_sentences(answered), answered.assumption, answered.tone) == ((), "broken", "care")
    nothing = refused(assume="natural", shift=foreign)
    assert (nothing.refused, nothing.assumption, nothing.tone) == (True, "broken", "bad")


def test_too_few_rows_are_refused_unless_a_method_was_chosen() -> None:
    assert refusal_sentences(made(n_new=7)) == ("7 new rows are too few for an estimate; at least 20 are needed.",)
    assert not refusal_sentences(made(n_new=7), chosen=True)


def test_a_refused_result_has_no_figure_of_the_new_data(tmp_path: Path) -> None:
    beyond = Unclipped(method="adjusted count", code=1, value=1.2, low=0.9, high=1.1)
    nothing = refused(unclipped=(beyond,), periods=PERIODS, by="day", every="month")
    figures = nothing.to_frame()[["estimate", "low", "high", "others_low", "others_high", "sampling", "drift"]]
    assert figures.isna().all(axis=None)
    assert nothing.over_time()[["estimate", "low", "high", "others_low", "others_high"]].isna().all(axis=None)
    assert nothing.methods()["estimate"].isna().all()
    document = json.loads(json.dumps(nothing.to_dict()))
    assert {row[name] for row in document["prevalence"] for name in ("estimate", "low", "high")} == {None}
    assert document["refusal"] == list(nothing.refusal)
    assert not nothing.usable
    page = nothing.save(tmp_path / "page.html").read_text(encoding="utf-8")
    for figure in ("40.0%", "60.0%", "30.0%", "35.0%", "42.0%", "25.0%", "20.0%"):
        assert figure not in str(nothing.words()) + nothing.headline + page
    assert "120%" in nothing.summary()
    assert drawn_numbers(made().plot()) >= {0.4, 0.6}
    for ax in (nothing.plot(), nothing.plot_over_time()):
        assert not drawn_numbers(ax) & {0.2, 0.25, 0.3, 0.35, 0.4, 0.42, 0.5, 0.6, 0.8}


@pytest.mark.parametrize(("p_value", "distance"), [(0.005, 0.015), (0.02, 0.2)])
def test_a_mixture_that_is_nearly_right_or_may_be_chance_fits(p_value: float, distance: float) -> None:
    assert made(fit=MixtureFit(distance=distance, p_value=p_value)).concerns == ()


def test_the_course_over_time_is_told_and_drawn() -> None:
    result = made(periods=PERIODS, by="day", every="month", n_undated=3)
    assert "All rows with a value of 'day' are from 2024-01." in result.summary()
    assert "3 rows without a value of 'day' are not in any period." in result.summary()
    later = replace(PERIODS[0], name="2024-03")
    twice = made(periods=(*PERIODS, later), by="day", every="month").summary()
    share = "20.0% (10.0% to 30.0%)"
    assert (
        f"By month, the share of class 'yes' goes from {share} in 2024-01, the first, to {share} in 2024-03, the last."
        in twice
    )
    average = "Each month is estimated separately, so together they average to 20.0%, not 40.0%."
    assert twice.endswith(average)
    higher = replace(later, name="north", prevalence=made().prevalence)
    groups = made(periods=(higher, PERIODS[0]), by="place").summary()
    words = f"is lowest, {share}, for place 2024-01 and highest, 40.0% (30.0% to 50.0%), for place north."
    assert f"The share of class 'yes' {words} Each group is estimated separately" in groups
    ax = result.plot_over_time()
    assert ax.get_ylabel()
    plt.close("all")
    with pytest.raises(InputError, match=r"^label must be one of 'no' and 'yes', got 1; labels must match exactly\.$"):
        result.plot_over_time(1)
    for each in (made().over_time, made().plot_over_time):
        with pytest.raises(InputError, match=r"^by must be given to show shares over time"):
            each()


def test_the_dict_is_json_and_complete() -> None:
    result = made(periods=PERIODS, by="day", every="month")
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["prevalence"][1] == {
        "label": "yes",
        "estimate": 0.4,
        "low": 0.3,
        "high": 0.5,
        "sampling": 0.06,
        "drift": 0.0,
        "training": 0.1,
        "range": [0.35, 0.42],
    }
    assert document["periods"][0]["start"] == "2024-01-01"
    assert document["periods"][1]["prevalence"] == []
    assert document["assumption"] == "scores fit"
    assert (document["assume"], document["refused"]) == ("prior shift", False)
    assert {"summary", "concerns", "others", "unclipped", "fit", "shift", "briers", "notes", "shiftproof"} <= set(
        document
    )


def test_it_is_drawn_with_all_methods() -> None:
    ax = made().plot()
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["no", "yes"]
    plt.close("all")
    assert "<table" in made()._repr_html_()


def test_it_cannot_be_changed_and_can_be_pickled() -> None:
    result = made()
    with pytest.raises(TypeError, match="cannot be changed"):
        result.training["no"] = 1.0  # type: ignore[index]
    assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()  # noqa: S301
    assert replace(result, n_new=1).summary().startswith("About 40.0% of 1 new row")
