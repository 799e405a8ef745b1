"""Which measures may be asked for, and which are the usual ones."""

from __future__ import annotations

import pytest

from shiftproof import InputError
from shiftproof.case import needs_positive
from shiftproof.measures import Benefit
from shiftproof.selection._measures import check_measures, default_measure, usual_measures

BENEFIT = Benefit(tp=10, fp=-1)


def test_default_measure_is_accuracy_or_with_a_benefit_the_profit() -> None:
    assert default_measure(None, None) == "accuracy"
    assert default_measure(None, BENEFIT) == "profit"
    assert default_measure("f1", BENEFIT) == "f1"


def test_default_measure_refuses_a_profit_without_a_benefit() -> None:
    with pytest.raises(InputError, match="measure='profit' needs a benefit; pass benefit="):
        default_measure("profit", None)


def test_usual_measures_of_several_classes_need_a_positive_class() -> None:
    assert usual_measures(3, None, None) == ("accuracy", "brier")
    assert usual_measures(3, "b", None) == ("accuracy", "f1", "auc", "brier")
    assert usual_measures(2, None, BENEFIT)[-1] == "profit"
    assert [name for name in usual_measures(2, None, None) if needs_positive(name)] == ["f1", "auc"]


def test_check_measures_keeps_each_once_in_order() -> None:
    assert check_measures(["f1", "accuracy", "f1"], 2, None, None) == ("f1", "accuracy")


def test_check_measures_refuses_one_class_of_several_without_its_name() -> None:
    with pytest.raises(InputError, match=r"^f1 with more than two classes needs pos_label; name the class\.$"):
        check_measures(["accuracy", "f1"], 3, None, None)
