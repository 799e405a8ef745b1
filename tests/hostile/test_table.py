"""Every public verb with every hostile input: the right figures, or one sentence that names the argument."""

from __future__ import annotations

import re
from functools import cache

import pytest
from tests.hostile._call import plain
from tests.hostile._expected import (
    EXCEPTIONS,
    NO_ATTACK,
    LeftOut,
    Refused,
    Same,
    Says,
    cases_in_turn,
    check_refusal,
    check_same,
    is_attack,
    outcome,
    takes,
)
from tests.hostile._inputs import ALL, TWINS
from tests.hostile._verbs import VERBS, Answer, plain_answer

import shiftproof as sp

CASES = cases_in_turn()


@cache
def _twin(verb: str, twin: str) -> Answer:
    return plain_answer(verb) if twin == "plain" else VERBS[verb](TWINS[twin](plain()))


@pytest.mark.parametrize(("name", "verb"), CASES, ids=[f"{verb}-{name}" for name, verb in CASES])
def test_verb_with_hostile_input(name: str, verb: str) -> None:
    odd, expected = ALL[name], outcome(name, verb)
    if isinstance(expected, Refused):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the check names the class
            VERBS[verb](odd.change(plain()))
        check_refusal(caught.value, expected, VERBS[verb], odd.parts[0])
        return
    answer = VERBS[verb](odd.change(plain()))
    if isinstance(expected, Same):
        check_same(answer, _twin(verb, odd.twin), but=frozenset({expected.but}))
    elif isinstance(expected, LeftOut):
        (warning,) = [warning for warning in answer.warnings if isinstance(warning, sp.ModelsLeftOut)]
        assert list(warning.failures) == [expected.name]
        check_same(answer, _twin(verb, odd.twin), but=frozenset({"ModelsLeftOut"}))
    elif isinstance(expected, Says):
        assert expected.sentence in answer.result.summary()
    else:
        assert expected.kind in answer.warned


def test_table_is_long_enough() -> None:
    assert len(CASES) >= 1500
    assert {name for name, _ in CASES} == {name for name in ALL if any(is_attack(name, verb) for verb in VERBS)}
    assert {verb for _, verb in CASES} == {*VERBS}


def test_every_public_verb_is_attacked() -> None:
    # What is callable at the top level and no class is a verb; these take no table.
    names = dir(sp)
    verbs = {name for name in names if callable(getattr(sp, name)) and not isinstance(getattr(sp, name), type)}
    attacked = {verb.partition(" ")[0] for verb in VERBS}
    assert verbs - attacked == {"default_models", "load_demo", "read"}


@pytest.mark.parametrize("verb", VERBS)
def test_every_argument_of_a_verb_is_attacked(verb: str) -> None:
    tried = {part for name in ALL if takes(VERBS[verb], name) for part in ALL[name].parts}
    assert {*VERBS[verb].names} <= tried


@pytest.mark.parametrize(("inputs", "verbs"), [row[:2] for row in (*EXCEPTIONS, *NO_ATTACK)])
def test_every_exception_is_used(inputs: str, verbs: str) -> None:
    assert any(re.match(inputs, name) and re.match(verbs, verb) for name in ALL for verb in VERBS)
