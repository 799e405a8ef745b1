"""How the result speaks: frames, JSON, words, figures, the page."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp
from shiftproof.core import InputError


@pytest.fixture(scope="module")
def found() -> sp.Stress:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=400) > 0.3, "yes", "no")
    models = {"lr": LogisticRegression(), "nb": GaussianNB(), "<b>$x$</b>": GaussianNB(var_smoothing=0.1)}
    return sp.stress(models, X, y, families=sp.simulation.FAMILIES)


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


def test_frames_are_tidy(found: sp.Stress) -> None:
    frame = found.to_frame()
    assert list(frame.columns[:8]) == ["model", "shift", "family", "strength", "n_cells", "accuracy", "low", "high"]
    shifts = ["base", "MCAR 25", "MCAR 50", "MAR 25", "MAR 50"]
    assert frame["shift"].tolist()[:5] == shifts
    assert len(found.shifts_frame()) == 1 + 2 + 2 + 2 + 4 + 9 + 1
    cells = found.cells
    assert {"model", "shift", "family", "strength", "feature", "repeat", "n", "features_hellinger"} <= set(
        cells.columns
    )
    assert not cells.duplicated(["model", "shift", "feature", "repeat"]).any()
    index = found.sensitivity_frame()
    assert list(index.columns) == ["model", "family", "measure", "estimate", "low", "high", "level", "method"]
    assert (index["low"] <= index["estimate"]).all()


def test_the_base_has_no_change(found: sp.Stress) -> None:
    base = found.to_frame().query("family == 'base'")
    for name in ("accuracy_change", "accuracy_change_low", "accuracy_change_high", "auc_change", "brier_change"):
        assert (base[name] == 0).all()


def test_everything_is_json(found: sp.Stress) -> None:
    kept = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert kept["models"] == list(found.models)
    assert kept["ranking"]["most accurate"]["model"] == found.ranking["most accurate"].model
    assert kept["envelope"]["nb"]["tolerance"] == 0.05
    assert len(kept["cells"]) == len(found.cells)


def test_it_can_be_pickled_and_not_changed(found: sp.Stress) -> None:
    again = pickle.loads(pickle.dumps(found))  # noqa: S301 - our own
    assert again.summary() == found.summary()
    with pytest.raises(AttributeError):
        found.models = ()  # type: ignore[misc]
    with pytest.raises(TypeError):
        found.sensitivity["lr"] = {}  # type: ignore[index]


def test_the_words_say_what_is_noise(found: sp.Stress) -> None:
    words = found.summary()
    assert "is the most accurate without a shift (0." in words
    assert "within noise of" in words
    assert " points in one test set are noise; the intervals are about these fitted models" in words
    assert "(Friedman) are no independent evidence" in words
    assert words.endswith("A change of what the features mean is in no grid.")
    lead = found.ranking["most accurate"]
    assert lead.beyond_noise == (not lead.within_noise)
    assert repr(found).startswith("<Stress: ")
    assert "<table" in found._repr_html_()


def test_a_lead_beyond_noise_is_called_so() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = (X[:, 0] > 0).astype(int)
    from sklearn.dummy import DummyClassifier

    result = sp.stress({"good": GaussianNB(), "none": DummyClassifier()}, X, y, families=["mcar"])
    assert result.ranking["most accurate"].beyond_noise
    assert "'good' is the most accurate without a shift" in result.summary()
    assert "and ahead of 'none' by more than noise." in result.summary()


def test_figures_draw_what_the_frames_hold(found: sp.Stress) -> None:
    ax = found.plot()
    drawn = [text.get_text() for text in ax.get_yticklabels()]
    base = found.to_frame().query("family == 'base'").set_index("model")["accuracy"]
    order = base.sort_values(ascending=False, kind="stable").index.tolist()
    assert drawn == [name.replace("$", r"\$") for name in order]
    failing = found.plot_failing()
    widths = [patch.get_width() for patch in failing.patches]  # type: ignore[attr-defined]
    assert widths == pytest.approx(found.shifts_frame()["failing_mean"].tolist())
    changes = [patch.get_width() for patch in found.plot_hellinger().patches]  # type: ignore[attr-defined]
    assert changes == pytest.approx(found.shifts_frame()["change"].tolist())
    tests: list[Any] = ["kruskal", "friedman"]
    families: list[Any] = [None, "mar", ("mcar", "mar", "mnar")]
    for which in tests:
        for family in families:
            ax = found.plot_p_values(which, family=family)
            wanted = found.families if family is None else (family,) if isinstance(family, str) else family
            shifts = [table.shift for table in found.tables if table.family in ("base", *wanted)]
            assert [text.get_text() for text in ax.get_xticklabels()] == shifts
            means = ax.collections[1].get_offsets()[:, 1]  # type: ignore[index]
            frame = found.to_frame().query("model == 'lr'").set_index("shift")
            expected = [frame[f"{which}_p_mean"].get(shift, np.nan) for shift in shifts]
            np.testing.assert_allclose(np.ma.filled(means, np.nan), expected)


def test_figures_refuse_what_there_is_none_of(found: sp.Stress) -> None:
    with pytest.raises(InputError, match=r"^which must be one of 'kruskal', 'friedman'; got 'ks'"):
        found.plot_p_values("ks")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^family must be one of 'mcar', 'mar', 'mnar', 'offset', 'prior', 'soft'"):
        found.plot_p_values(family="base")


def test_the_page_is_whole(found: sp.Stress, tmp_path: Path) -> None:
    path = found.save(tmp_path / "stress.html")
    text = path.read_text(encoding="utf-8")
    for heading in ("Which model stands", "How far one may go", "Sensitivity index", "Could it be seen without labels"):
        assert heading in text
    assert "<b>$x$</b>" not in text
    assert text.count("<svg") == 9
    assert found.plot().figure is not None
