"""How the result speaks: frames, JSON, words, figures, the page."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.comparison.cases import HOSTILE, found, losses

import shiftproof as sp
from shiftproof.core import InputError


def test_the_frame_has_one_row_per_method() -> None:
    frame = found().to_frame()
    assert list(frame.columns[:5]) == ["method", "average_rank", "wins", "losses", "ties"]
    assert frame["method"].tolist() == list(found().methods)
    assert (frame["wins"] + frame["losses"] + frame["ties"] == 27 * 3).all()
    assert frame["wins"].sum() == frame["losses"].sum()
    assert (frame["dwl"] == frame["wins"] - frame["losses"]).all()
    means = losses().groupby("method")["loss"].mean()
    assert frame["mean_loss"].tolist() == pytest.approx(means[frame["method"]].tolist())
    assert frame["best"].tolist() == [name in found().best for name in frame["method"]]


def test_pairs_have_differences_positive_for_the_first() -> None:
    pairs = found().pairs()
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
    frame = found().per_prevalence(pivot="fair")
    assert list(frame.columns) == [
        "prevalence", "method", "n_datasets", "average_rank", "mean_loss", "wins", "losses", "ties", "dwl", "mdae",
    ]  # fmt: skip
    assert frame["prevalence"].drop_duplicates().tolist() == [0.1, 0.5, 0.9]
    assert (frame["n_datasets"] == 9).all()
    wide = losses().pivot_table(index=["prevalence", "dataset"], columns="method", values="loss")
    for row in frame.to_dict("records"):
        gap = wide.loc[row["prevalence"], row["method"]] - wide.loc[row["prevalence"], "fair"]
        assert (row["wins"], row["losses"], row["ties"]) == ((gap > 0).sum(), (gap < 0).sum(), (gap == 0).sum())
        assert row["mdae"] == pytest.approx(gap.mean(), abs=1e-15)
    total = frame.groupby("method")["dwl"].sum()
    pair = next(pair for pair in found(control="fair").compared if pair.second == "none")
    assert total["none"] == pair.dwl


def test_without_prevalences_there_is_nothing_to_tell_apart() -> None:
    result = sp.compare(np.random.default_rng(0).random((5, 3)))
    sentence = "^results must have a column of prevalences, got none; name it by prevalence_column=.$"
    for call in (result.per_prevalence, result.plot_prevalences):
        with pytest.raises(InputError, match=sentence):
            call()
    assert result.to_dict()["per_prevalence"] == []


def test_everything_is_json_and_the_same_again() -> None:
    kept = json.loads(json.dumps(found(control="fine").to_dict(), allow_nan=False))
    assert kept["best"] == list(found().best)
    assert kept["posthoc"] == "bonferroni-dunn"
    assert len(kept["pairs"]) == 6
    assert kept["pairs"][-1]["p_value"] is None
    assert len(kept["per_prevalence"]) == 12
    assert sp.compare(losses(), control="fine").to_dict() == found(control="fine").to_dict()


def test_it_can_be_pickled_and_not_changed() -> None:
    again = pickle.loads(pickle.dumps(found()))  # noqa: S301 - our own
    assert again.summary() == found().summary()
    with pytest.raises(AttributeError):
        found().methods = ()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        found().losses[0, 0] = 1


def test_the_words_are_those_of_the_evidence() -> None:
    first, second = found().best
    assert {first, second} == {"good", "fine"}
    words = f"{first!r} and {second!r} are best; no evidence that they differ; "
    words += "9 data sets can show a difference of 1.6 ranks."
    assert found().headline == words
    summary = found().summary()
    assert summary.startswith(words)
    assert "The methods differ (Iman-Davenport, p = " in summary
    assert f"{first!r} is better than {second!r} by more than 0.01 with a probability of " in summary
    assert summary.endswith(
        "Ranks at each prevalence are averaged per data set; the tests count 9 data sets, not 27 cells."
    )
    assert "and ranked again per data set" in found(ranking="rerank").summary()
    assert "by more than" not in found(rope=0.0).summary()
    assert repr(found()).startswith("<Comparison: ")
    assert "<table" in found()._repr_html_()


def test_one_that_beats_all_is_best() -> None:
    rng = np.random.default_rng(0)
    result = sp.compare(rng.random((40, 3)) + np.array([3, 0, 3]))
    assert result.best == ("x1",)
    words = "'x1' is best: every other method ranks worse by more than chance; 40 data sets can show a difference of "
    assert result.headline == f"{words}0.52 ranks."


def test_ranks_and_sizes_may_disagree() -> None:
    rng = np.random.default_rng(0)
    # "often" is a little better on most data sets, "far" much better on the others
    often = rng.random(40)
    far = often + np.where(np.arange(40) < 21, 0.001, -0.5) * (1 + rng.random(40))
    table = pd.DataFrame({"often": often, "far": far, "none": often + 5})
    result = sp.compare(table, posthoc="wilcoxon-holm")
    assert result.methods[0] == "often"
    assert result.best == ("often",)
    assert result.headline == "'often' ranks first, but the losses of 'far' are lower by more than chance."
    words = sp.compare(table, posthoc="wilcoxon-holm", control="often").headline
    assert words == "'often' is better than 'none' and is worse than 'far' (Wilcoxon-Holm)."
    words = sp.compare(table[["often", "far"]]).headline
    assert words.startswith("'far' is better than 'often' over 40 data sets (Wilcoxon, p = ")


def test_by_sizes_one_that_beats_all_is_best() -> None:
    rng = np.random.default_rng(0)
    result = sp.compare(rng.random((20, 3)) + np.array([3, 0, 3]), posthoc="wilcoxon-holm")
    assert result.headline == "'x1' is best: every other method is worse by more than chance."


def test_many_that_cannot_be_told_apart_are_not_called_best() -> None:
    rng = np.random.default_rng(0)
    result = sp.compare(rng.random((20, 6)) + np.array([0, 0, 0, 0, 0, 9]))
    assert len(result.best) == 5
    assert result.ranks["x2"] == result.ranks["x3"]
    assert result.headline.startswith("'x2' and 'x3' rank first; no evidence that ")
    assert f"differ from {result.methods[0]!r}; 20 data sets can show a difference of 1.7 ranks." in result.headline


def test_a_control_that_is_no_different_is_said_to_be() -> None:
    rng = np.random.default_rng(1)
    result = sp.compare(rng.random((10, 4)), control="x2")
    words = "'x2' shows no difference from 'x"
    assert result.headline.startswith(words)
    assert "(Bonferroni-Dunn after Iman-Davenport, p = " in result.headline


def test_figures_draw_what_the_frames_hold() -> None:
    result = found()
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
    control = found(control="fair").plot()
    assert any("of the control: no evidence of a difference" in text.get_text() for text in control.texts)


def test_plots_refuse_unknown_methods() -> None:
    with pytest.raises(InputError, match=r"^pivot must be one of '.*'; got 'bad'"):
        found().plot_pairs(pivot="bad")
    with pytest.raises(InputError, match=r"^methods must be one of '.*'; got 'bad'"):
        found().plot_datasets(methods=["bad"])


def test_page_has_all_sections(tmp_path: Path) -> None:
    text = sp.compare(losses(3)).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Wilcoxon-Holm p" in text
    assert "Bonferroni-Dunn p" not in text  # there is no control
    headings = (
        "Average ranks",
        "Losses",
        "All pairs of methods",
        "Losses against one method",
        "By prevalence",
        "By data set",
    )
    for heading in headings:
        assert f">{heading}<" in text
    assert text.count("<svg") == 6
    plain = sp.compare(losses(2, folds=3).query("prevalence == 0.1").drop(columns="prevalence"))
    text = plain.save(tmp_path / "plain.html").read_text(encoding="utf-8")
    assert ">By prevalence<" not in text
    assert ">On single data sets<" in text


def test_names_on_the_page_are_text(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((5, 3)), columns=list(HOSTILE), index=[f"</script> {at}" for at in range(5)])
    text = sp.compare(table, control=HOSTILE[0]).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Bonferroni-Dunn p" in text
    assert "<b>$x$</b>" not in text
    assert "</script> 1" not in text


def test_every_figure_is_written(tmp_path: Path) -> None:
    written = sp.compare(losses(2)).save_figures(tmp_path / "figures", ending="png")
    assert sorted(written) == ["datasets", "losses", "matrix", "pairs", "prevalences", "ranks"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written.values())


def test_one_data_set_has_a_page(tmp_path: Path) -> None:
    result = sp.compare(losses(1))
    text = result.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "One data set cannot show whether methods differ on others: nothing is tested." in text
    json.dumps(result.to_dict(), allow_nan=False)
