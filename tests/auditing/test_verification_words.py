"""Sentences of a verification, by hand: which intervals contain the actual value, and whether the verdict was right."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from shiftproof.auditing._verification import Claim, Verification
from shiftproof.auditing._verification_words import verification_summary

LR = Claim(about="lr", measure="accuracy", validated=0.8, estimate=0.7, low=0.65, high=0.75, actual=0.72)
NB = Claim(about="nb", measure="accuracy", validated=0.7, estimate=0.6, low=0.55, high=0.65, actual=0.75)
YES = Claim(about="yes", measure="share", validated=0.4, estimate=0.5, low=0.45, high=0.55, actual=0.6)


def checked(*claims: Claim, **changed: Any) -> Verification:
    """Verify an audit that recommended lr and said not to trust it."""
    usual: dict[str, Any] = {
        "verdict": "do not trust",
        "best": "lr",
        "measure": "accuracy",
        "level": 0.9,
        "refusal": "",
        "deployed": False,
        "harmful_loss": 0.05,
        "positive": "yes",
        "majority": "yes",
        "n_new": 100,
        "n_actual": 100,
    }
    return Verification(claims=claims, **(usual | changed))


def test_verification_summary_names_estimate_actual_value_and_better_model() -> None:
    assert verification_summary(checked(LR, NB, YES)) == (
        "Cross-validation estimated 80.0% accuracy for lr; the actual accuracy is 72.0% (always answering yes: 60.0%). "
        "The estimated interval, 65.0% to 75.0%, contains it. The warning was needed. "
        "1 of 2 intervals for performance and 0 of 1 for class proportions contain the actual value (90% intervals). "
        "60.0% of the new rows belong to class yes; the estimated interval, 45.0% to 55.0%, does not contain this "
        "share. nb would have been better than lr by 3.0 points."
    )


@pytest.mark.parametrize(
    ("verdict", "actual", "words"),
    [
        ("do not trust", 0.70, "The warning was needed."),
        ("do not trust", 0.79, "This time the warning was not needed."),
        ("trust", 0.70, "Trusting it was wrong: lr lost 10.0 points, more than the tolerance of 5."),
        ("trust", 0.79, "Trusting it was right."),
        ("check first", 0.70, "The check was needed: lr lost 10.0 points, more than the tolerance of 5."),
        ("check first", 0.79, "lr can be used: it lost 1.0 points, within the tolerance of 5."),
        ("check first", 0.81, "lr can be used: it is not worse than in cross-validation."),
        ("cannot tell", 0.70, "The caution was needed: lr lost 10.0 points, more than the tolerance of 5."),
        (
            "cannot tell",
            0.79,
            "lr can be used: it lost 1.0 points, within the tolerance of 5. Only labels could show this.",
        ),
    ],
)
def test_verification_summary_judges_every_verdict(verdict: str, actual: float, words: str) -> None:
    assert f" {words}" in verification_summary(checked(replace(LR, actual=actual), YES, verdict=verdict))


def test_verification_summary_counts_missed_class_shares() -> None:
    no = replace(YES, about="no", low=0.3, high=0.5, actual=0.4)
    words = verification_summary(checked(LR, YES, no))
    assert (
        "1 of 1 intervals for performance and 1 of 2 for class proportions contain the actual value (90% intervals)."
        in words
    )


def test_verification_summary_says_all_where_no_interval_missed() -> None:
    words = verification_summary(checked(LR, replace(YES, low=0.5, high=0.7)))
    assert "All 2 intervals (90%; 1 for performance, 1 for class proportions) contain the actual value." in words


def test_the_headline_is_what_actually_happened() -> None:
    assert checked(LR, NB, YES).headline == (
        "Actual accuracy of lr: 72.0% (always answering yes: 60.0%). The interval, 65.0% to 75.0%, contains it."
    )
    refused = replace(LR, low=math.nan, high=math.nan)
    assert checked(refused, YES).headline.endswith(". There was no estimate.")
    undefined = replace(LR, actual=math.nan)
    assert checked(undefined, YES).headline == "The actual accuracy of lr is not defined on these labels."


def test_verification_summary_does_not_judge_an_undefined_measure() -> None:
    words = verification_summary(checked(replace(LR, actual=math.nan), YES))
    assert "The warning" not in words
    assert "the actual accuracy is not defined" in words
    assert "contain it" not in words


def test_verification_summary_of_a_refused_estimate_has_no_interval() -> None:
    nothing: dict[str, Any] = {"estimate": math.nan, "low": math.nan, "high": math.nan}
    words = verification_summary(checked(replace(LR, **nothing), replace(YES, **nothing), deployed=True))
    assert words.startswith("lr had 80.0% accuracy on the labelled data; the actual accuracy is 72.0%")
    assert "The audit gave no estimate; its verdict was 'do not trust'." in words
    assert "(90%)" not in words
    assert words.endswith("60.0% of the new rows belong to class yes.")


def test_verification_summary_says_which_share_was_not_believed() -> None:
    words = verification_summary(checked(LR, replace(YES, believed=False)))
    assert "the audit did not rely on its interval, 45.0% to 55.0%." in words


def test_verification_summary_counts_the_rows_with_a_label() -> None:
    words = verification_summary(checked(LR, YES, n_actual=40, n_new=1_200))
    assert " 60.0% of the new rows with a label belong to class yes; the estimated interval" in words
    assert words.startswith(
        "Actual values are those of the 40 of 1,200 new rows that have a label. All new rows may differ from them by "
        "chance. Cross-"
    )


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("do not trust", "The warning was needed: always answering yes would have been better."),
        (
            "check first",
            "lr lost 3.0 points, within the tolerance of 5, but always answering yes would have been better.",
        ),
    ],
)
def test_a_model_that_is_worse_than_one_answer_is_not_called_usable(verdict: str, words: str) -> None:
    frequent = replace(YES, actual=0.9)
    near = replace(LR, actual=0.77)
    assert f" {words} " in verification_summary(checked(near, frequent, verdict=verdict))
    assert "would have been better" not in verification_summary(checked(near, YES, verdict=verdict))


def test_a_class_that_turns_out_to_be_the_most_frequent_is_named_too() -> None:
    no = replace(YES, about="no", actual=0.75)
    found = checked(LR, replace(YES, actual=0.25), no, verdict="check first", harmful_loss=0.1)
    assert found.most_frequent is no
    assert found.beaten
    words = verification_summary(found)
    assert "the actual accuracy is 72.0% (always answering yes: 25.0%, no: 75.0%)" in words
    assert "but always answering no would have been better" in words
