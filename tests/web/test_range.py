from __future__ import annotations

import pytest

from shiftproof.core import InputError
from shiftproof.monitoring import utc
from shiftproof.web import Site
from shiftproof.web._range import end_of, page_range


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("2024", "2024-12-31T23:59:59.999999+00:00"),
        ("9999", "9999-12-31T23:59:59.999999+00:00"),
        ("2023-02", "2023-02-28T23:59:59.999999+00:00"),
        ("2024-03-01", "2024-03-01T23:59:59.999999+00:00"),
        ("2024-03-01T12:00+02:00", "2024-03-01T10:00:00+00:00"),
    ],
)
def test_an_end_includes_what_it_names(text: str, end: str) -> None:
    assert end_of(text).isoformat() == end


def test_by_default_everything_is_shown_if_it_is_not_much(site: Site) -> None:
    found = page_range(site.source.monitors()[0], None, "")
    assert (found.since, found.until, found.given, found.shortened) == (None, None, {}, False)


def test_a_range_is_what_the_address_says(site: Site) -> None:
    reader = site.source.monitors()[0]
    found = page_range(reader, "2024-03-02", "2024-03")
    assert (found.since, found.given) == (utc("2024-03-02"), {"from": "2024-03-02", "to": "2024-03"})
    assert page_range(reader, "all", None).since is None


def test_a_range_holds_what_is_between_its_ends(site: Site) -> None:
    found = page_range(site.source.monitors()[0], "2024-03-02", "2024-03-03")
    days = ("2024-03-01", "2024-03-02", "2024-03-03", "2024-03-04")
    assert [found.holds(utc(day)) for day in days] == [False, True, True, False]
    assert page_range(site.source.monitors()[0], None, None).holds(utc("1970"))


def test_more_batches_than_usual_are_left_out(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.web._range.USUAL", 3)
    found = page_range(site.source.monitors()[0], None, None)
    assert (found.since, found.shortened) == (utc("2024-03-05"), True)


@pytest.mark.parametrize(("since", "until"), [("March", None), (None, "1"), ("2024-04", "2024-03"), ("'; DROP", None)])
def test_what_is_no_range_is_refused(site: Site, since: str | None, until: str | None) -> None:
    with pytest.raises(InputError):
        page_range(site.source.monitors()[0], since, until)
