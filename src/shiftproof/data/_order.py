"""Put texts that stand for periods into the order that people mean: w2 before w10, 31.01.2020 before 02.03.2020."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from shiftproof.core import Phrase, fault, shown

_Key = Callable[[str], tuple[Any, ...]]

_DIGITS = re.compile(r"(\d+)")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_YEAR = re.compile(r"(?<!\d)(?:19|20|21)\d\d(?!\d)")
# A year of two digits is accepted only last, where a day or a month is rarely written.
_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)(.*)", flags=re.DOTALL)
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_LARGEST_MONTH = 12


def natural_order(texts: Iterable[str], column: str) -> list[str]:
    """Sort the names of periods as people do.

    Numbers are sorted by size, also within text. Dates with the day or the month first are sorted by year, month and
    day; other names that all hold one year, such as "Q1 2020", by the year first. English names of months count as
    their numbers if every name has one.

    Parameters
    ----------
    texts : iterable of str
        Different names.
    column : str
        Where they come from, for the error.

    Raises
    ------
    InputError
        If the names are dates such as 01/02/2020, where either number may be the month.

    Examples
    --------
    >>> natural_order(["w10", "w9", "w1"], "week")
    ['w1', 'w9', 'w10']
    >>> natural_order(["02.03.2020", "31.01.2020"], "day")
    ['31.01.2020', '02.03.2020']
    >>> natural_order(["Q1 2020", "Q4 2019"], "quarter"), natural_order(["Mar", "Feb"], "month")
    (['Q4 2019', 'Q1 2020'], ['Feb', 'Mar'])
    """
    texts = list(texts)
    key = _dates_key(texts, column) or _numbers_key(texts) or _names_key(texts)
    # The text itself decides between "W1" and "w01".
    return sorted(texts, key=lambda text: (key(text), text))


def _numbers_key(texts: list[str]) -> _Key | None:
    if all(map(_YEAR.search, texts)):
        return None  # "01.2021" is a month rather than a number
    try:
        finite = all(math.isfinite(float(text)) for text in texts)
    except ValueError:
        return None
    return (lambda text: (float(text),)) if finite else None


def _dates_key(texts: list[str], column: str) -> _Key | None:
    matches = [_DATE.fullmatch(text.strip()) for text in texts]
    dates = [match for match in matches if match is not None]
    if len(dates) < len(texts):
        return None
    firsts, seconds = ([int(match[group]) for match in dates] for group in (1, 3))
    day_first = max(firsts) > _LARGEST_MONTH
    month_first = max(seconds) > _LARGEST_MONTH
    if day_first and month_first:
        return None  # numbers of another kind, such as versions
    # Points are written between day, month and year only in that order; slashes and hyphens are written in both.
    unclear = not month_first and not day_first and any(match[2] != "." for match in dates)
    if unclear and _order_depends_on_month([int(match[4]) for match in dates], firsts, seconds):
        got = Phrase(f"{shown(column)} with dates such as {shown(texts[0])}, which may be day-first or month-first")
        raise fault("by", "name a column with an unambiguous order", got, "convert it to dates")
    month, day = (1, 3) if month_first else (3, 1)

    def by_date(text: str) -> tuple[Any, ...]:
        match = _DATE.fullmatch(text.strip())
        assert match is not None  # noqa: S101 - all were matched above
        return int(match[4]), int(match[month]), int(match[day]), _natural(match[5])

    return by_date


def _order_depends_on_month(years: list[int], firsts: list[int], seconds: list[int]) -> bool:
    """Return whether the order depends on which of the two numbers is the month."""
    dates = set(zip(years, firsts, seconds, strict=True))
    return sorted(dates) != sorted(dates, key=lambda date: (date[0], date[2], date[1]))


def _names_key(texts: list[str]) -> _Key:
    # Only if every name has one: "may" and "march" are words as well.
    months = all(map(_months, texts))
    years = all(len(_YEAR.findall(text)) == 1 for text in texts)

    def by_name(text: str) -> tuple[Any, ...]:
        year = int(_YEAR.findall(text)[0]) if years else 0
        return year, _months(text) if months else [], _natural(_YEAR.sub("", text) if years else text)

    return by_name


def is_month(text: str) -> bool:
    """Return whether a text names a month.

    Examples
    --------
    >>> is_month("Jan"), is_month("admin")
    (True, False)
    """
    return bool(_months(text))


def _months(text: str) -> list[int]:
    """Return the numbers of the months that are named, in full or by their first three letters and more."""
    words = _LETTERS.findall(text.casefold())
    return [number for word in words for number, month in enumerate(_MONTHS) if month.startswith(word)]


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Split text into numbers and what is between them; a number comes before other text."""
    pieces = []
    for place, piece in enumerate(_DIGITS.split(text.strip().casefold())):
        # By length, then digit by digit: Python converts no more than 4,300 digits to an integer.
        digits = piece.lstrip("0")
        pieces.append((0, len(digits), digits) if place % 2 else (1, 0, piece))
    return [piece for piece in pieces if piece != (1, 0, "")]
