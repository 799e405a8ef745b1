"""Scores of contingency tables against scikit-learn, and which functions are taken."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from shiftproof import InputError, losses
from shiftproof.losses._inputs import check_tables
from shiftproof.losses._tables import CLASSIFICATION, LOSSES, QUANTIFICATION, chosen, evaluate

TABLES = check_tables([30, 1, 0], [10, 2, 5], [20, 3, 50], [40, 4, 45])


def test_against_scikit_learn() -> None:
    for at in range(2):
        tp, fp, fn, tn = (int(cell[at]) for cell in (TABLES.tp, TABLES.fp, TABLES.fn, TABLES.tn))
        y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
        said = np.repeat([1, 1, 0, 0], [tp, fp, fn, tn])
        hits, rejected = metrics.recall_score(y, said), metrics.recall_score(y, said, pos_label=0)
        expected = {
            "accuracy": metrics.accuracy_score(y, said),
            "f1": metrics.f1_score(y, said),
            "g_mean": (hits * rejected) ** 0.5,
            "precision": metrics.precision_score(y, said),
            "recall": hits,
            "specificity": rejected,
        }
        found = {name: evaluate(score, TABLES, name)[at] for name, score in CLASSIFICATION.items()}
        assert found == pytest.approx(expected)


def test_calling_nothing_positive_has_no_precision() -> None:
    assert CLASSIFICATION["precision"](np.zeros(1), np.zeros(1), np.ones(1), np.ones(1)) == 0


def test_functions_of_prevalences_and_of_tables() -> None:
    expected = losses.absolute_error(TABLES.true, TABLES.estimated)
    np.testing.assert_array_equal(evaluate(losses.absolute_error, TABLES, "loss"), expected)
    np.testing.assert_allclose(
        evaluate(lambda tp, fp, fn, tn: abs(fp - fn) / (tp + fp + fn + tn), TABLES, "loss"), expected
    )


def test_the_number_of_rows_is_told_unless_it_was_said() -> None:
    none = check_tables(0, 0, 5, 5)
    assert evaluate(losses.kld, none, "loss")[0] == losses.kld(0.5, 0.0, sample_size=10)
    assert evaluate(partial(losses.kld, sample_size=99), none, "loss")[0] == losses.kld(0.5, 0.0, sample_size=99)


def test_names_and_functions_are_chosen() -> None:
    assert chosen("nas", "quantification", QUANTIFICATION) is losses.nas
    assert chosen(losses.nss, "quantification", QUANTIFICATION) is losses.nss
    assert {*LOSSES} == {"absolute_error", "bias", "kld", "nkld", "relative_absolute_error", "squared_error"}
    with pytest.raises(InputError) as caught:
        chosen("recal", "classification", CLASSIFICATION)
    assert str(caught.value) == (
        "classification must be one of 'accuracy', 'f1', 'g_mean', 'precision', 'recall', 'specificity'; "
        "got 'recal'. Did you mean 'recall'?"
    )


@pytest.mark.parametrize("score", ["f1", "g_mean", "precision", "recall"])
def test_without_positives_there_is_no_such_score(score: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(CLASSIFICATION[score], check_tables([5, 0], [1, 1], 0, 3), "classification")
    needs = "recall" if score == "g_mean" else score
    assert str(caught.value) == f"every table must hold positives, got none in table 1; {needs} needs them."


def test_without_negatives_there_is_no_specificity() -> None:
    with pytest.raises(InputError) as caught:
        evaluate(CLASSIFICATION["specificity"], check_tables(5, 0, 1, 0), "classification")
    assert str(caught.value) == "every table must hold negatives, got none in table 0; specificity needs them."


def three(a: Any, b: Any, c: Any) -> Any:
    return a + b + c


def test_a_function_of_other_arguments_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        evaluate(three, TABLES, "loss")
    assert str(caught.value).startswith("loss must be a function of two or four arguments, got the function three")
    assert str(caught.value).endswith(
        "; two arguments are the true and estimated prevalence; four are TP, FP, FN and TN."
    )


def test_a_function_without_a_signature_is_refused() -> None:
    class Silent:
        __signature__ = "none"

        def __call__(self, true: Any, estimated: Any) -> Any:
            return true - estimated

    with pytest.raises(InputError, match=r"^loss must say what its arguments are, got ") as caught:
        evaluate(Silent(), TABLES, "loss")
    assert str(caught.value).endswith("; wrap it in a function of true and estimated, or of tp, fp, fn and tn.")


def test_one_value_per_table() -> None:
    with pytest.raises(InputError) as caught:
        evaluate(lambda true, estimated: float((true - estimated).sum()), TABLES, "loss")
    assert str(caught.value) == "loss must give one value per table, got shape () for 3 tables; write it for arrays."
