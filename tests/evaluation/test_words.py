"""What an evaluation says in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.evaluation.cases import evaluation, panel

import shiftproof as sp
from shiftproof.core import Failure
from shiftproof.evaluation._words import evaluation_words, method_text


def test_evaluation_words_give_the_gap_in_points() -> None:
    words = str(evaluation_words(evaluation(measure="accuracy")))
    assert words.startswith("'good' has the best accuracy: 90.0% (")
    assert " 'fair' is worse by 23.5 points [" in words
    assert words.endswith(
        "200 rows, each scored by models fitted without it; the positive class is 1. "
        "These figures apply to new data from the same source as these rows."
    )


def test_evaluation_words_give_the_gap_of_a_loss_as_a_positive_number() -> None:
    words = str(evaluation_words(evaluation(measure="brier")))
    assert words.startswith("'good' has the best Brier score: 0.090 [")
    assert " 'fair' is worse by 0.1" in words
    assert "points" not in words


def test_evaluation_words_name_models_within_noise() -> None:
    result = replace(evaluation(measure="accuracy"), alpha=1e-12)
    words = str(evaluation_words(result))
    assert " The difference from 'fair', 23.5 points [" in words
    assert "], may be noise (p < 0.001)." in words


def test_evaluation_words_do_not_call_noise_what_so_few_folds_cannot_show() -> None:
    few = replace(panel(), folds=np.arange(200)[None] // 67, fold_sizes=((133, 67),) * 3)
    words = str(evaluation_words(replace(sp.evaluate(few), alpha=1e-12)))
    assert " 3 folds are too few to show whether it is better than 'fair'; 10 is usual." in words
    assert "noise" not in words


@pytest.mark.parametrize(
    ("benefit", "words"),
    [
        # Half of the rows are of either class.
        (sp.Benefit(tp=3, fp=-1), "Always answering 1 gives 1.000."),
        (sp.Benefit(fp=-5, fn=-1), "Always answering 0 gives -0.500."),
        (sp.Benefit.matrix([[2, 0], [0, 1]], classes=[0, 1]), "Always answering 0 gives 1.000."),
    ],
)
def test_evaluation_words_compare_the_profit_with_a_single_answer(benefit: Any, words: str) -> None:
    assert f"]. {words} " in str(evaluation_words(evaluation(measure="profit", benefit=benefit)))


def test_evaluation_words_give_no_single_answer_where_amounts_differ_from_row_to_row() -> None:
    benefit = sp.Benefit(tp=sp.Amount(known=np.linspace(1, 2, 200)), fp=-1)
    assert "Always" not in str(evaluation_words(evaluation(measure="profit", benefit=benefit)))


def test_evaluation_words_hide_the_error_of_a_model_that_failed() -> None:
    failed = replace(panel(), failures={"svm": Failure("ValueError", "'Oslo' is new")})
    words = evaluation_words(sp.evaluate(failed))
    assert "'svm' failed and was left out: " in str(words)
    assert "Oslo" in str(words)
    assert "Oslo" not in words.redacted()


def test_evaluation_words_do_not_call_copies_unseen() -> None:
    words = str(evaluation_words(sp.evaluate(replace(panel(), n_copied=160))))
    assert (
        "200 rows, 80.0% of them scored by models trained on exact copies, so models look better than they are; the "
        "positive"
    ) in words
    assert "fitted without it" not in words


def test_method_text_names_methods_as_people_do() -> None:
    assert method_text("wilson, variance recovery (nadeau-bengio over 10 folds)") == (
        "Wilson, variance recovery (corrected for the overlap of training sets over 10 folds)"
    )
    assert method_text("delong on the logit scale") == "DeLong on the logit scale"
