"""How the result speaks: frames, JSON, words, figures, the page."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


def test_frames_are_tidy(stress_result: sp.Stress) -> None:
    frame = stress_result.to_frame()
    assert list(frame.columns[:8]) == ["model", "shift", "family", "strength", "n_cells", "accuracy", "low", "high"]
    shifts = ["base", "MCAR 25", "MCAR 50", "MAR 25", "MAR 50"]
    assert frame["shift"].tolist()[:5] == shifts
    assert len(stress_result.shifts_frame()) == 1 + 2 + 2 + 2 + 4 + 9 + 1
    cells = stress_result.cells
    assert {"model", "shift", "family", "strength", "feature", "repeat", "n", "features_hellinger"} <= set(
        cells.columns
    )
    assert not cells.duplicated(["model", "shift", "feature", "repeat"]).any()
    index = stress_result.sensitivity_frame()
    assert list(index.columns) == ["model", "family", "measure", "estimate", "low", "high", "level", "method"]
    assert (index["low"] <= index["estimate"]).all()


def test_the_relative_change_is_a_share_of_the_base(stress_result: sp.Stress) -> None:
    frame = stress_result.shifts_frame()
    base = frame["hellinger_mean"].iloc[0]
    np.testing.assert_allclose(frame["relative_change"], frame["hellinger_mean"] / base - 1)
    np.testing.assert_allclose(frame["change"], frame["hellinger_mean"] - base, atol=1e-15)


def test_within_a_class_other_proportions_change_nothing(stress_result: sp.Stress) -> None:
    frame = stress_result.classes_frame()
    assert frame["label"].unique().tolist() == list(stress_result.classes)
    assert frame.columns.tolist() == ["label", *stress_result.shifts_frame().columns]
    prior = frame[frame["family"] == "prior"]
    whole = stress_result.shifts_frame().query("family == 'prior'")
    # Two of three features differ between the classes, so that other proportions make them fail in all rows.
    assert whole["failing_mean"].max() > 0.5
    assert prior["failing_mean"].max() < 0.5
    with pytest.raises(sp.InputError) as error:
        replace(stress_result, class_tables=()).classes_frame()
    assert str(error.value) == "figures by class were not computed; pass stress(..., by_class=True)."
    with pytest.raises(sp.InputError, match="figures by class were not computed"):
        replace(stress_result, class_tables=()).plot_failing(label="yes")
    with pytest.raises(sp.InputError, match="label must be one of 'no' and 'yes', got 'maybe'"):
        stress_result.plot_failing(label="maybe")


def test_the_base_has_no_change(stress_result: sp.Stress) -> None:
    base = stress_result.to_frame().query("family == 'base'")
    for name in ("accuracy_change", "accuracy_change_low", "accuracy_change_high", "auc_change", "brier_change"):
        assert (base[name] == 0).all()


def test_everything_is_json(stress_result: sp.Stress) -> None:
    kept = json.loads(json.dumps(stress_result.to_dict(), allow_nan=False))
    assert kept["models"] == list(stress_result.models)
    assert kept["ranking"]["most accurate"]["model"] == stress_result.ranking["most accurate"].model
    assert kept["envelope"]["nb"]["tolerance"] == 0.05
    assert len(kept["cells"]) == len(stress_result.cells)


def test_it_can_be_pickled_and_not_changed(stress_result: sp.Stress) -> None:
    again = pickle.loads(pickle.dumps(stress_result))  # noqa: S301 - our own
    assert again.summary() == stress_result.summary()
    with pytest.raises(AttributeError):
        stress_result.models = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        stress_result.sensitivity["lr"] = {}  # type: ignore[index]


def test_the_words_say_what_is_noise(stress_result: sp.Stress) -> None:
    words = stress_result.summary()
    interval = r"\d\d\.\d% \(\d\d\.\d% to \d\d\.\d%\)"
    baseline = rf"always answering the most frequent class: {100 * stress_result.baseline:.1f}%"
    unshifted = rf"the most accurate without a shift: {interval[:-2]}; {baseline}\)"
    assert re.search(unshifted, words)
    assert re.search(rf"the most accurate on average over the original and \d+ shifted test sets: {interval}", words)
    assert words.count("within noise") <= 2
    assert re.search(r" changes least: by \d+\.\d points on average", words)
    assert " points in one test set are noise. The 90% intervals apply to these fitted models. None of " in words
    assert words.endswith("None of these shifts changes the link between features and label (concept shift).")
    lead = stress_result.ranking["most accurate"]
    assert lead.beyond_noise == (not lead.within_noise)
    assert repr(stress_result).startswith("<Stress: ")
    assert "<table" in stress_result._repr_html_()


def test_a_lead_beyond_noise_has_no_rival_in_words() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = (X[:, 0] > 0).astype(int)
    from sklearn.dummy import DummyClassifier

    result = sp.stress({"good": GaussianNB(), "none": DummyClassifier()}, X, y, families=["mcar"])
    assert result.ranking["most accurate"].beyond_noise
    assert result.summary().startswith("Use 'good'. It is the most accurate without a shift: 9")
    first, _, _ = result.summary().partition(" changes least")
    assert "It is also the most accurate on average over the original and 4 shifted test sets: 9" in first
    assert "noise" not in first
