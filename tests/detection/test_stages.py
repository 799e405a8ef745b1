from __future__ import annotations

import json
import math
import os
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import shiftproof as sp
from shiftproof.core import Sensitive


def task(n: int, seed: int = 0, *, move: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    y = (X["a"] + rng.normal(size=n) > 0).to_numpy().astype(int)
    X["a"] += move
    return X, y


def said(call: Any) -> str:
    with pytest.raises(sp.InputError) as caught:
        call()
    return str(caught.value)


OLD, Y = task(300)
NEW, _ = task(200, 4)
MOVED, _ = task(200, 4, move=1.0)


def scores(X: pd.DataFrame) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-X["a"])))


def test_stage_one_is_kruskal_wallis_of_the_scores() -> None:
    found = sp.detect(OLD, MOVED, scores(OLD), scores(MOVED))
    (row,) = found.scores
    expected = stats.kruskal(scores(OLD), scores(MOVED))
    assert (row.statistic, row.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.p_value == row.p_value
    assert row.higher == pytest.approx(
        stats.mannwhitneyu(scores(MOVED), scores(OLD)).statistic / (len(OLD) * len(MOVED))
    )
    assert row.material
    assert "The scores shifted (KS distance 0." in found.summary()


def test_stage_one_alone_can_find_a_shift() -> None:
    old, new = np.random.default_rng(0).random((2, 400))
    found = sp.detect({"a": old}, {"a": new}, old, new**3)
    assert found.shifted
    assert not any(row.shifted for row in found.rows)
    assert found.summary().startswith("The scores shifted (KS distance 0.42) but no single feature did by enough to")


def test_quiet_scores_are_told_beside_shifted_features() -> None:
    rng = np.random.default_rng(0)
    found = sp.detect(OLD, MOVED, rng.random(len(OLD)), rng.random(len(MOVED)))
    assert "1 of 3 features shifted by enough to matter, the scores did not (p = 0." in found.summary()


def test_without_scores_there_is_no_stage_one() -> None:
    found = sp.detect(OLD, NEW)
    assert found.scores == ()
    assert math.isnan(found.p_value)
    assert found.shift_kind == "unclear"
    assert found.kind is None


def test_several_models_are_corrected_for() -> None:
    given = {"x": scores(OLD), "y": scores(OLD) ** 2, "z": np.random.default_rng(0).random(len(OLD))}
    new = {"x": scores(MOVED), "y": scores(MOVED) ** 2, "z": np.random.default_rng(1).random(len(MOVED))}
    found = sp.detect(OLD, MOVED, given, new)
    p = [row.p_value for row in found.scores]
    assert found.p_value == pytest.approx(stats.false_discovery_control(p).min())
    assert [row.shifted for row in found.scores] == [True, True, False]
    assert "The scores of 2 of 3 models shifted ('" in found.summary()
    assert list(found.scores_frame().columns[:5]) == ["model", "label", "statistic", "p_value", "q_value"]


def test_scores_of_any_number_of_classes() -> None:
    rng = np.random.default_rng(0)
    old, new = rng.dirichlet([1, 1, 1], 300), rng.dirichlet([1, 1, 3], 200)
    (row,) = sp.detect(OLD, NEW, old, new).scores
    assert row.label == "class 2"
    assert row.p_value < 1e-6
    assert row.method == "Puri-Sen, 3 degrees of freedom"
    labels = np.array(["u", "v", "w"])[np.arange(300) % 3]
    assert sp.detect(OLD, NEW, old, new, reference_labels=labels).scores[0].label == "w"
    assert sp.detect(OLD, NEW, scores(OLD), scores(NEW), reference_labels=Y == 1).scores[0].label is True


def test_scores_may_be_a_column() -> None:
    old, new = OLD.assign(p=scores(OLD)), MOVED.assign(p=scores(MOVED))
    found = sp.detect(old, new, "p", "p")
    assert found.p_value == sp.detect(OLD, MOVED, scores(OLD), scores(MOVED)).p_value
    assert found.left_out == {"p": "score"}
    assert "Not tested" not in found.summary()


@pytest.mark.parametrize("cv", [5, "prefit"])
def test_a_panel_is_compared_like_with_like(cv: Any) -> None:
    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0)}
    if cv == "prefit":
        other, labels = task(300, 9)
        models = {name: model.fit(other, labels) for name, model in models.items()}
    panel = sp.cross_fit(models, OLD, Y, cv=cv)
    quiet, loud = sp.detect(OLD, NEW, panel=panel), sp.detect(OLD, MOVED, panel=panel)
    assert quiet.p_value > 0.01
    assert {row.model for row in loud.scores if row.material} == {"nb", "tree"}
    assert loud.kind is not None
    assert ("within 5 blocks" in loud.scores[0].method) == (cv == 5)


def test_with_many_folds_and_few_new_rows_all_rows_are_ranked_together() -> None:
    panel = sp.cross_fit(GaussianNB(), OLD, Y, cv=10)
    (row,) = sp.detect(OLD, NEW[:20], panel=panel).scores
    assert row.method == "Kruskal-Wallis"


def test_a_panel_of_scores_knows_the_new_ones() -> None:
    panel = sp.Panel.from_scores(Y, {"old": scores(OLD)}, new={"old": scores(MOVED)})
    found = sp.detect(OLD, MOVED, panel=panel)
    assert found.p_value == pytest.approx(sp.detect(OLD, MOVED, scores(OLD), scores(MOVED)).p_value)
    words = said(lambda: sp.detect(OLD, MOVED[:50], panel=panel))
    assert words == "panel must have one new score per current row, got 200 of 'old' for 50 rows; align the two."
    empty = sp.Panel.from_scores(Y, {"old": scores(OLD)})
    assert "panel must know the scores of the current rows, got none for 'old'" in said(
        lambda: sp.detect(OLD, MOVED, panel=empty)
    )


def test_false_alarms_of_stage_one_with_a_panel_of_trees() -> None:
    alarms, runs = 0, 12 * int(os.environ.get("SIMULATIONS", "1"))
    for seed in range(runs):
        X, y = task(360, 100 + seed)
        panel = sp.cross_fit(DecisionTreeClassifier(random_state=0), X[:160], y[:160], cv=5, refit=False)
        alarms += sp.detect(X[:160], X[160:], panel=panel, multivariate=False).p_value <= 0.05
    # Three standard deviations above 5%; pooled against refitted scores alarm in most runs.
    assert alarms <= 0.05 * runs + 3 * math.sqrt(0.05 * 0.95 * runs)


def test_the_kind_of_shift_comes_with_labels() -> None:
    found = sp.detect(OLD, MOVED, reference_labels=Y)
    assert found.shift_kind in ("covariate", "too different", "unclear")
    assert "(concept shift), only labels can show it." in found.summary()
    by_column = sp.detect(OLD.assign(label=Y), MOVED, reference_labels="label")
    assert by_column.shift_kind == found.shift_kind
    assert by_column.left_out == {"label": "label"}


def test_changes_that_no_feature_shows_are_found() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 500))
    found = sp.detect({"a": x, "b": x}, {"a": z, "b": -z})
    assert found.multivariate is not None
    assert found.multivariate.material
    assert found.material
    assert found.features == ()
    assert found.summary().startswith(
        "No single feature shifted, but a classifier distinguishes new rows from old ones"
    )
    assert sp.detect({"a": x, "b": x}, {"a": z, "b": -z}, multivariate=False).verdict == "no shift"


def test_the_whole_answer_is_json_and_a_page(tmp_path: Any) -> None:
    panel = sp.cross_fit(LogisticRegression(), OLD, Y, cv=5)
    found = sp.detect(OLD, MOVED, panel=panel)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["shift_kind"] == found.shift_kind
    assert told["scores"][0]["model"] == "LogisticRegression"
    page = found.save(tmp_path / "page.html").read_text(encoding="utf-8")
    for heading in ("Scores first", "Where the distributions differ", "All features together", "Type of shift"):
        assert heading in page


def test_plots_of_distributions_and_scores() -> None:
    found = sp.detect(OLD, MOVED, scores(OLD), scores(MOVED))
    drawn = found.plot_ks("a")
    assert any(text.get_text() == f"D = {found.rows[0].ks:.2f}" for text in drawn.texts)
    assert found.plot_scores().get_title() == "score of score"
    assert "choose one of 'a', 'b'" in said(lambda: found.plot_ks("nobody"))
    assert "model must be one that was compared, got 'x'; choose one of 'score'" in said(lambda: found.plot_scores("x"))
    assert "drawing scores needs scores, got none" in said(sp.detect(OLD, NEW).plot_scores)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((np.full(300, 0.5), None), {}, "current_scores must be given with reference_scores, got none"),
        ((None, np.full(200, 0.5)), {}, "reference_scores must be given with current_scores, got none"),
        ((np.full(300, 1.5), np.full(200, 0.5)), {}, "reference_scores must lie between 0 and 1, got 1.5"),
        (
            (np.full(299, 0.5), np.full(200, 0.5)),
            {},
            "reference_scores must have one row per row of the table, got 299",
        ),
        ((np.full(300, np.nan), np.full(200, 0.5)), {}, "reference_scores must have no missing values, got 300 rows"),
        (("p", "p"), {}, "reference_scores must name a column of the table, got 'p'; available: 'a', 'b'"),
        (
            ({"x": np.full(300, 0.5)}, {"y": np.full(200, 0.5)}),
            {},
            "current_scores must be of the models of ref",
        ),
        (({}, {}), {}, "reference_scores must hold at least one model's scores, got {}"),
        ((["x"] * 300, ["y"] * 200), {}, "reference_scores must be probabilities"),
        (
            (np.full((300, 2), 0.9), np.full((200, 2), 0.9)),
            {},
            "reference_scores must have rows that sum to 1",
        ),
        ((), {"panel": {"lr": 1}}, "panel must be a Panel, got 'dict'; make one by cross_fit"),
        (
            (np.full((300, 3), 1 / 3), np.full((200, 2), 0.5)),
            {},
            "current_scores must have as many columns as",
        ),
        (
            (np.full((300, 3), 1 / 3), np.full((200, 3), 1 / 3)),
            {"reference_labels": Y},
            "reference_labels must be of the 3 classes that the scores have columns for, got 2: 0 and 1",
        ),
        (
            (np.full(300, 0.3), np.full(200, 0.3)),
            {"reference_labels": np.arange(300) % 3},
            "reference_scores must have 3 columns, one for each of 0, 1 and 2 in reference_labels, got 1",
        ),
        ((), {"reference_labels": Y[:-1]}, "reference_labels must have one label per reference row, got 299 for 300"),
        ((), {"reference_labels": "y"}, "reference_labels must name a column of the reference, got 'y'"),
        ((), {"reference_labels": np.ones(300)}, "reference_labels must"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: tuple[Any, ...], options: dict[str, Any], words: str) -> None:
    assert words in said(lambda: sp.detect(OLD, NEW, *arguments, **options))


def test_a_panel_must_fit_the_reference() -> None:
    panel = sp.cross_fit(GaussianNB(), OLD, Y, cv=3)
    assert "reference must be the table that the panel was made from" in said(
        lambda: sp.detect(OLD[["a", "b"]], NEW, panel=panel)
    )
    assert "reference must be the table that the panel was made from" in said(lambda: sp.detect(NEW, NEW, panel=panel))
    words = said(lambda: sp.detect(OLD, NEW, panel=panel, reference_labels=1 - Y))
    assert words.startswith("reference_labels must be the labels")
    assert "reference_scores must be left out with a panel" in said(
        lambda: sp.detect(OLD, NEW, scores(OLD), scores(NEW), panel=panel)
    )


def test_where_nothing_varies_there_is_no_kind_to_tell() -> None:
    found = sp.detect({"a": np.ones(60)}, {"a": np.ones(40)}, reference_labels=np.arange(60) % 2)
    assert found.kind is None
    assert found.shift_kind == "unclear"
    why = "reference must have a column that varies and can be compared, got 'a' (the same in every row); add features"
    # It quotes what the table holds.
    assert found.kind_reason == Sensitive(why)
    assert found.to_dict()["kind_reason"] == why


def test_a_model_that_cannot_score_the_new_rows_is_told_not_fatal() -> None:
    panel = sp.cross_fit({"lr": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=3)}, OLD, Y, cv=5)
    found = sp.detect(OLD, NEW.assign(a=np.nan), panel=panel)
    assert [(row.model, row.verdict) for row in found.scores][-1] == ("lr", "cannot say")
    assert "'lr' could not score the new rows: Input X contains NaN." in found.summary()
    assert "a" in found.features
    lost = sp.detect(OLD, NEW.drop(columns="c"), panel=panel)
    assert all(row.verdict == "cannot say" for row in lost.scores)
    assert lost.features == ("c",)
    assert math.isnan(lost.p_value)
    assert "could not score" in str(lost.to_page().sections[0].rows[0][-1])


def test_small_shifts_that_add_up_are_told_together() -> None:
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 6000)), rng.normal(size=(2, 6000))
    old = {"a": x[0], "b": x[0] + 0.3 * noise[0]}
    found = sp.detect(old, {"a": x[1] + 0.1, "b": -x[1] + 0.3 * noise[1]})
    assert found.summary().startswith("No single feature shifted by enough to matter, but a classifier distinguishes")


@pytest.mark.parametrize("labels", [pd.DataFrame({"y": Y}), np.ones(300), [None] * 300, ["a"] * 299 + [None]])
def test_labels_that_tell_nothing_are_refused_by_name(labels: Any) -> None:
    assert said(lambda: sp.detect(OLD, NEW, reference_labels=labels)).startswith("reference_labels must")
