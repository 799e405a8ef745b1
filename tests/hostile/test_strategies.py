"""Oddities in any mix: the figures of the plain call, or one sentence."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from tests.hostile import _strategies as odd
from tests.hostile._call import Call, plain
from tests.hostile._expected import Refused, check_refusal, outcome
from tests.hostile._inputs import ALL, Odd
from tests.hostile._verbs import SOAKING, VERBS, plain_answer

# The suite tries a few mixes, always the same; soaking tries thousands.
few = settings() if SOAKING else settings(max_examples=15)


@few
@given(odd.calls())
def test_cross_fit_gives_the_plain_scores_for_any_mix_of_harmless_oddities(call: Call) -> None:
    np.testing.assert_allclose(
        VERBS["cross_fit"](call).figures, plain_answer("cross_fit").figures, rtol=1e-9, atol=1e-9
    )


@few
@given(odd.calls())
def test_apply_gives_the_plain_scores_for_any_mix_of_harmless_oddities(call: Call) -> None:
    np.testing.assert_allclose(
        VERBS["Panel.apply"](call).figures, plain_answer("Panel.apply").figures, rtol=1e-9, atol=1e-9
    )


@few
@given(odd.tables())
def test_detect_gives_the_plain_figures_for_any_types_of_columns(change: object) -> None:
    figures = VERBS["detect with scores"](change(plain())).figures  # type: ignore[operator]
    # Columns may come in another order, and with them the rows of the result.
    np.testing.assert_allclose(
        sorted(figures), sorted(plain_answer("detect with scores").figures), rtol=1e-9, atol=1e-9
    )


@few
@given(odd.labels(), odd.scores())
def test_from_scores_gives_the_plain_scores_for_any_labels_and_scores(labels: Odd, scores: Odd) -> None:
    answer = VERBS["Panel.from_scores"](scores.change(labels.change(plain())))
    np.testing.assert_allclose(answer.figures, plain_answer("Panel.from_scores").figures, rtol=1e-9, atol=1e-9)


@few
@given(odd.tables(), odd.faults("y", "X", "sample_weight", "cv", "random_state"))
def test_one_fault_in_an_odd_call_is_named(change: object, fault: str) -> None:
    expected = outcome(fault, "cross_fit")
    assert isinstance(expected, Refused)
    # The fault comes first, so that it finds the table that it changes.
    call: Call = change(plain()) if ALL[fault].parts[0] != "X" else plain()  # type: ignore[operator]
    try:
        VERBS["cross_fit"](ALL[fault].change(call))
    except Exception as error:
        check_refusal(error, expected, VERBS["cross_fit"], ALL[fault].parts[0])
    else:
        raise AssertionError(f"{fault} was accepted")
