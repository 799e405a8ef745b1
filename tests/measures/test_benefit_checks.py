"""Which benefits are accepted, and why others are not."""

from __future__ import annotations

import pytest

from shiftproof.core import InputError
from shiftproof.measures import Benefit, check_benefit
from shiftproof.measures._benefit_checks import check_open_decision, check_two_class_benefit

MATRIX = Benefit.matrix([[1, 0], [0, 1]])


def test_check_benefit_returns_what_it_accepts() -> None:
    benefit = Benefit(tp=1)
    assert check_benefit(benefit) is benefit
    assert check_benefit(MATRIX, n_classes=3, features=["gift"]) is MATRIX


@pytest.mark.parametrize(
    ("benefit", "words"),
    [
        (5, "benefit must be a Benefit or a BenefitMatrix, got 5; write sp.Benefit(tp=9, fp=-1), or Benefit.matrix"),
        (Benefit(tp=1), "benefit must say which of several classes it is about, got no pos_label; name the class"),
    ],
)
def test_check_benefit_of_three_classes_refuses_with_the_way_out(benefit: object, words: str) -> None:
    with pytest.raises(InputError) as error:
        check_benefit(benefit, n_classes=3)
    assert str(error.value).startswith(words)


def test_check_benefit_refuses_models_that_saw_the_actual_amount() -> None:
    with pytest.raises(InputError, match=r"must not be trained on actual amounts, but 'gift' is a feature; leave"):
        check_benefit(Benefit(tp="gift"), features=["age", "gift"])


@pytest.mark.parametrize(
    ("benefit", "words"),
    [
        (
            Benefit(fp=-5),
            "with this benefit, it is always best to predict the negative class; "
            "set the cost of false positives and of false negatives.",
        ),
        (
            Benefit(tp=9),
            "with this benefit, it is always best to predict the positive class; "
            "set the cost of false positives and of false negatives.",
        ),
        (
            Benefit.from_cost("TP=0"),
            "with this benefit, all decisions are worth the same; set the cost of false positives and of false "
            "negatives.",
        ),
        (
            Benefit.matrix([[0, -1], [0, -2]], ["a", "b"]),
            "with this benefit, it is always best to predict 'a'; set the cost of "
            "false positives and of false negatives.",
        ),
    ],
)
def test_check_open_decision_refuses_amounts_that_decide_alone(benefit: Benefit, words: str) -> None:
    with pytest.raises(InputError) as error:
        check_open_decision(benefit)
    assert str(error.value) == words


@pytest.mark.parametrize("benefit", [Benefit(tp=9, fp=-1), Benefit(tp="gift"), MATRIX])
def test_check_open_decision_accepts_amounts_where_the_label_matters(benefit: Benefit) -> None:
    check_open_decision(benefit)


def test_check_two_class_benefit_refuses_a_matrix() -> None:
    with pytest.raises(InputError, match=r"^benefit must be a Benefit, got BenefitMatrix"):
        check_two_class_benefit(MATRIX)
