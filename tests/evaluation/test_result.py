"""What an evaluation answers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.evaluation.cases import GOOD, Y, evaluation

import shiftproof as sp
from shiftproof.core import InputError
from shiftproof.evaluation._result import panels_of
from shiftproof.stats import holm


def test_within_noise_leaves_out_models_that_are_worse_by_holm() -> None:
    result = evaluation(measure="accuracy")
    assert result.ranking == ("good", "fair")
    test = result.comparisons["fair"]
    assert test is not None
    assert result.adjusted_p_values == {"fair": pytest.approx(holm([test.p_value])[0])}
    assert result.within_noise == ("good",)


def test_to_frame_has_a_row_per_model_and_measure() -> None:
    result = evaluation()
    frame = result.to_frame()
    assert list(frame.columns) == ["model", "measure", "estimate", "low", "high", "level", "method"]
    assert len(frame) == sum(map(len, result.estimates.values()))
    assert frame["model"].drop_duplicates().tolist() == list(result.ranking)


def test_to_dict_is_json() -> None:
    document = json.loads(json.dumps(evaluation().to_dict(), allow_nan=False))
    assert (document["n_rows"], document["n_tested"], document["positive"]) == (200, 200, 1)
    assert document["ranking"] == ["good", "fair"]


def test_curves_use_the_out_of_fold_scores_of_the_best_model() -> None:
    curve = evaluation().roc()
    expected = sp.measures.roc_curve(Y, GOOD)
    np.testing.assert_allclose(curve.tpr, expected.tpr)


def test_curves_refuse_unknown_models_and_a_missing_benefit() -> None:
    with pytest.raises(
        InputError, match=r"^model must be a model that was evaluated; got 'goood'. Did you mean 'good'\?$"
    ):
        evaluation().roc("goood")
    with pytest.raises(InputError, match=r"^profit needs a Benefit; pass evaluate\(\.\.\., benefit="):
        evaluation().profit()


def test_panels_of_a_model_include_profit_only_with_a_benefit() -> None:
    assert "Profit" not in panels_of(evaluation(), "good")
    assert list(panels_of(evaluation(benefit=sp.Benefit(tp=5, fp=-1)), "good"))[-1] == "Profit"


def test_the_total_profit_is_that_of_all_tested_rows() -> None:
    benefit = sp.Benefit(tp=9, fp=-1)
    result = evaluation(benefit=benefit)
    total = result.total_profit("good")
    assert total.estimate == pytest.approx(benefit.total(Y, benefit.decide(GOOD)).estimate)
    mean = result.estimates["good"]["profit"]
    assert (total.low, total.high) == pytest.approx((200 * mean.low, 200 * mean.high))
    assert total.method.endswith(", total of 200 rows")
    assert result.total_profit() == result.total_profit(result.best)
    with pytest.raises(InputError, match=r"^profit needs a Benefit"):
        evaluation().total_profit()
    with pytest.raises(InputError, match=r"^model must be a model that was evaluated, got 'bad'"):
        result.total_profit("bad")
