"""What a detection answers: properties, JSON and charts."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from tests.detection.cases import MOVED, NEW, OLD, Y, error_of, scores

import shiftproof as sp
from shiftproof.detection._features import FeatureShift, Test, Verdict
from shiftproof.detection._result import Detection


def test_detection_without_scores_has_no_p_value() -> None:
    result = sp.detect(OLD, NEW)
    assert result.scores == ()
    assert math.isnan(result.p_value)
    assert result.shift_kind == "unclear"
    assert result.kind is None


def test_detection_with_a_panel_is_json_and_a_page(tmp_path: Any) -> None:
    panel = sp.cross_fit(LogisticRegression(), OLD, Y, cv=5)
    result = sp.detect(OLD, MOVED, panel=panel)
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["shift_kind"] == result.shift_kind
    assert document["scores"][0]["model"] == "LogisticRegression"
    page = result.save(tmp_path / "page.html").read_text(encoding="utf-8")
    for heading in ("Scores of the models", "What changed", "All features together", "Type of shift"):
        assert heading in page


def test_plot_ks_and_plot_scores_draw_and_refuse_unknown_names() -> None:
    result = sp.detect(OLD, MOVED, scores(OLD), scores(MOVED))
    drawn = result.plot_ks("a")
    assert any(text.get_text() == f"D = {result.rows[0].ks:.2f}" for text in drawn.texts)
    assert result.plot_scores().get_title() == "score of score"
    assert "choose one of 'a', 'b'" in error_of(lambda: result.plot_ks("nobody"))
    assert "model must be a model that was compared, got 'x'; choose one of 'score'" in error_of(
        lambda: result.plot_scores("x")
    )
    assert "there are no scores to plot" in error_of(sp.detect(OLD, NEW).plot_scores)


def row(feature: str, verdict: Verdict, *, p: float = 0.5, test: Test = "ks", distance: float = 0.1) -> FeatureShift:
    return FeatureShift(
        feature=feature,
        kind="continuous",
        test=test,
        statistic=1.0,
        p_value=p,
        shifted=verdict in ("shifted", "negligible"),
        material=verdict == "shifted",
        verdict=verdict,
        hellinger=distance,
    )


def detection(*rows: FeatureShift) -> Detection:
    return Detection(rows=rows, records={}, left_out={}, n_reference=10, n_current=10, alpha=0.05)


def test_verdict_is_that_of_the_largest_change() -> None:
    quiet, silent = row("a", "no shift"), row("b", "cannot tell")
    slight, clear = row("c", "negligible"), row("d", "shifted")
    assert detection(quiet, silent, slight, clear).verdict == "shifted"
    assert detection(quiet, silent, slight).verdict == "negligible"
    assert detection(quiet, silent).verdict == "no shift"
    assert detection(silent).verdict == "cannot tell"
    # Whether values are missing says nothing about the values themselves.
    assert detection(silent, row("e", "no shift", test="missing")).verdict == "cannot tell"


def test_failing_share_and_hellinger_mean_count_tested_values_alone() -> None:
    result = detection(
        row("a", "shifted", p=0.01, distance=0.4),
        row("a", "shifted", p=0.01, test="missing", distance=0.9),
        row("b", "no shift", p=0.06, distance=0.2),
        row("c", "cannot tell", p=math.nan, distance=math.nan),
    )
    assert result.failing_share == 0.5
    assert result.hellinger_mean == pytest.approx(0.3)
    assert result.features == ("a",)
    assert math.isnan(detection().failing_share)


def test_a_column_that_lost_its_values_is_one_line_for_people() -> None:
    result = sp.detect({"a": [0.0, 1.0] * 30, "b": ["x", "y"] * 30}, {"a": [None] * 60, "b": ["x", "y"] * 30})
    assert [row.label for row in result.shown_rows] == ["a (missing)", "b"]
    assert {row.label for row in result.rows} == {"a", "a (missing)", "b"}
