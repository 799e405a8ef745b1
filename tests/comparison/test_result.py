"""How the result speaks: frames, JSON, words, figures, the page."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from tests.comparison.cases import comparison_of, losses

import shiftproof as sp
from shiftproof.core import InputError


def test_the_frame_has_one_row_per_method() -> None:
    frame = comparison_of().to_frame()
    assert list(frame.columns[:5]) == ["method", "average_rank", "wins", "losses", "ties"]
    assert frame["method"].tolist() == list(comparison_of().methods)
    assert (frame["wins"] + frame["losses"] + frame["ties"] == 27 * 3).all()
    assert frame["wins"].sum() == frame["losses"].sum()
    assert (frame["dwl"] == frame["wins"] - frame["losses"]).all()
    means = losses().groupby("method")["loss"].mean()
    assert frame["mean_loss"].tolist() == pytest.approx(means[frame["method"]].tolist())
    assert frame["best"].tolist() == [name in comparison_of().best for name in frame["method"]]


def test_pairs_have_differences_positive_for_the_first() -> None:
    pairs = comparison_of().pairs()
    assert len(pairs) == 6
    wide = losses().pivot_table(index=["dataset", "prevalence"], columns="method", values="loss")
    for row in pairs.to_dict("records"):
        gap = wide[row["second"]] - wide[row["first"]]
        assert row["wins"] == (gap > 0).sum()
        assert row["losses"] == (gap < 0).sum()
        assert row["dwl"] == row["wins"] - row["losses"]
        assert row["mdae"] == pytest.approx(gap.mean())
        assert row["low"] <= row["difference"] <= row["high"]


def test_per_prevalence_has_a_row_per_prevalence_and_method() -> None:
    frame = comparison_of().per_prevalence(pivot="fair")
    assert list(frame.columns) == [
        "prevalence", "method", "n_datasets", "average_rank", "mean_loss", "pivot_wins", "pivot_losses", "ties",
        "pivot_dwl", "pivot_mdae",
    ]  # fmt: skip
    assert frame["prevalence"].drop_duplicates().tolist() == [0.1, 0.5, 0.9]
    assert (frame["n_datasets"] == 9).all()
    wide = losses().pivot_table(index=["prevalence", "dataset"], columns="method", values="loss")
    for row in frame.to_dict("records"):
        gap = wide.loc[row["prevalence"], row["method"]] - wide.loc[row["prevalence"], "fair"]
        assert (row["pivot_wins"], row["pivot_losses"], row["ties"]) == (
            (gap > 0).sum(),
            (gap < 0).sum(),
            (gap == 0).sum(),
        )
        assert row["pivot_mdae"] == pytest.approx(gap.mean(), abs=1e-15)
    total = frame.groupby("method")["pivot_dwl"].sum()
    pair = next(pair for pair in comparison_of(control="fair").compared if pair.second == "none")
    assert total["none"] == pair.dwl


def test_without_prevalences_there_is_nothing_to_tell_apart() -> None:
    result = sp.compare(np.random.default_rng(0).random((5, 3)))
    sentence = "^results must have a column of prevalences, got none; name it with prevalence_column=.$"
    for call in (result.per_prevalence, result.plot_prevalences):
        with pytest.raises(InputError, match=sentence):
            call()
    assert result.to_dict()["per_prevalence"] == []


def test_everything_is_json_and_the_same_again() -> None:
    kept = json.loads(json.dumps(comparison_of(control="fine").to_dict(), allow_nan=False))
    assert kept["best"] == list(comparison_of().best)
    assert kept["posthoc"] == "bonferroni-dunn"
    assert len(kept["pairs"]) == 6
    assert kept["pairs"][-1]["p_value"] is None
    assert len(kept["per_prevalence"]) == 12
    assert sp.compare(losses(), control="fine").to_dict() == comparison_of(control="fine").to_dict()


def test_it_can_be_pickled_and_not_changed() -> None:
    again = pickle.loads(pickle.dumps(comparison_of()))  # noqa: S301 - our own
    assert again.summary() == comparison_of().summary()
    with pytest.raises(AttributeError):
        comparison_of().methods = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        comparison_of().losses[0, 0] = 1


def test_figures_draw_what_the_frames_hold() -> None:
    result = comparison_of()
    ax = result.plot()
    written = [text.get_text() for text in ax.texts]
    for name, rank in result.ranks.items():
        assert f"{name} ({rank:.2f})" in written
    assert any("critical difference 1.56" in words for words in written)
    assert [text.get_text() for text in result.plot_losses().get_yticklabels()] == list(result.methods)
    assert [text.get_text() for text in result.plot_matrix().get_xticklabels()] == list(result.methods)
    pairs = result.plot_pairs(pivot="fair")
    titles = [each.get_title() for each in pairs.axes if each.get_visible()]
    assert titles == [name for name in result.methods if name != "fair"]
    grid = result.plot_prevalences()
    assert len(grid.axes) == 9
    bars = result.plot_datasets(methods=["good", "none"])
    assert [each.get_title() for each in bars.axes if each.get_visible()] == list(result.datasets)
    assert result.plot_losses(log=True).get_xscale() == "log"
    assert replace(result, measure="KLD").plot_losses().get_xscale() == "log"
    assert replace(result, measure="KLD").plot_losses(log=False).get_xscale() == "linear"
    control = comparison_of(control="fair").plot()
    assert any("of the control: no evidence of a difference" in text.get_text() for text in control.texts)


def test_charts_of_data_sets_are_sorted_by_their_training_prevalence() -> None:
    result = comparison_of()
    training = {name: (7 * number % 9) / 10 for number, name in enumerate(result.datasets)}
    figure = result.plot_datasets(training=training, highest=0.5)
    shown = [each for each in figure.axes if each.get_visible()]
    order = sorted(result.datasets, key=lambda name: training[name])
    assert [each.get_title() for each in shown] == [f"{name} ({training[name]:.0%})" for name in order]
    assert {each.get_ylim()[1] for each in shown} == {0.5}
    first = [patch.get_height() for patch in shown[0].patches]  # type: ignore[attr-defined]
    cells = result.places == result.datasets.index(order[0])
    assert sorted(first) == pytest.approx(sorted(result.losses[cells].ravel()))
    with pytest.raises(InputError) as error:
        result.plot_datasets(training={"set 0": 0.5})
    assert str(error.value).startswith("training must name every data set, got none of 'set 1', 'set 2'")


def test_plots_refuse_unknown_methods() -> None:
    with pytest.raises(InputError, match=r"^pivot must be one of '.*'; got 'bad'"):
        comparison_of().plot_pairs(pivot="bad")
    with pytest.raises(InputError, match=r"^methods must be one of '.*'; got 'bad'"):
        comparison_of().plot_datasets(methods=["bad"])


def test_the_ranks_of_one_data_set_are_drawn_beside_a_control_too() -> None:
    losses = {"hotel": {"a": 0.1, "b": 0.2, "c": 0.3}}
    axes = sp.compare(losses, control="b").plot()
    assert any("b (2.00)" in text.get_text() for text in axes.texts)
