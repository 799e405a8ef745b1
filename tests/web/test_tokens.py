from __future__ import annotations

from shiftproof.web._tokens import SESSION, Tokens


class Clock:
    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def test_only_the_token_is_accepted() -> None:
    tokens = Tokens("right token of some length")
    assert tokens.needed
    assert tokens.accepts("right token of some length")
    assert not any(map(tokens.accepts, ["", "right", "right token of some length ", "\ud800", "x" * 10_000]))


def test_without_a_token_nothing_is_one() -> None:
    tokens = Tokens(None)
    assert not tokens.needed
    assert not tokens.accepts("")
    assert not tokens.accepts("None")


def test_a_link_works_once_and_not_for_long() -> None:
    clock = Clock()
    tokens = Tokens("right token of some length", clock)
    first, second = tokens.new_link(), tokens.new_link()
    assert [tokens.use_link(first), tokens.use_link(first), tokens.use_link("guess")] == [True, False, False]
    clock.now += 15 * 60 + 1
    assert not tokens.use_link(second)


def test_a_session_ends_with_time_and_with_the_token() -> None:
    clock = Clock()
    tokens = Tokens("right token of some length", clock)
    session = tokens.new_session()
    assert tokens.knows_session(session)
    assert Tokens("right token of some length", clock).knows_session(session)
    assert not Tokens("another token of that length", clock).knows_session(session)
    clock.now += SESSION
    assert not tokens.knows_session(session)


def test_a_session_cannot_be_made_longer() -> None:
    tokens = Tokens("right token of some length", Clock())
    until, _, rest = tokens.new_session().partition(".")
    assert not tokens.knows_session(f"{int(until) + 1}.{rest}")
    assert not any(map(tokens.knows_session, ["", ".", "..", "9" * 5000 + ".a.b", "ü.ü.ü"]))


def test_forms_belong_to_a_session_and_a_process() -> None:
    tokens = Tokens("right token of some length")
    code = tokens.form_code("one")
    assert tokens.accepts_form("one", code)
    assert not tokens.accepts_form("two", code)
    assert not tokens.accepts_form("one", "")
    assert not Tokens("right token of some length").accepts_form("one", code)
