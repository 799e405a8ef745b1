"""Write numbers, values and lists of names for people, on a page or in a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sized
from datetime import date
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from urllib.parse import unquote

import numpy as np

# Control characters would steer the terminal, separators break the line, and marks of direction turn it around.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
# What has a name of its own.
_NAMED = (BuiltinFunctionType, FunctionType, MethodType, ModuleType, type)
# What pandas, polars and Arrow call tables and columns.
_TABLES = ("DataFrame", "RecordBatch", "Table")
_VECTORS = ("ChunkedArray", "Index", "Series")
# Lists and dicts that take more characters are described.
_LONGEST = 60
# Python writes objects that cannot be written otherwise as <Model object at 0x7f…>.
_ADDRESS = re.compile(r"<[^>]* at 0x[0-9a-fA-F]+>")
# The user of an address and what follows; pathlib takes slashes away.
_USER = r"((?<![a-z0-9+.-])[a-z][a-z0-9+.-]*+:/{1,3}[^\s:/@?#]*+):"
_ACCOUNT = re.compile(rf"{_USER}(\S*+)", re.IGNORECASE)
# A password with blanks, which does not begin like a port; the limit keeps hostile text from taking long.
_BLANKS = re.compile(rf"{_USER}(?!\d+(?:\W|$))[^@\n]{{0,999}}@", re.IGNORECASE)
# The settings of an address, of libpq or of ODBC. A value ends before the marks that end a part of a sentence.
_SETTING = re.compile(
    r"([?&; \t]?)(?<![\w%.-])([\w%.-]++)[ \t]*+=[ \t]*+"
    r"""(?:\\'.*?\\'|'(?:[^'\\]|\\.)*+'?|"(?:[^"\\]|\\.)*+"?|"""
    r"""(?:(?:[^\s&'";]|;(?![\w%.-]++=))*[^\s&'":;,.])?+)"""
)
# Elsewhere than in an address, a name may be that of a column and what follows its value.
_SECRET = re.compile("passw(or)?d|pwd|secret|token|(api|access|account)[_-]?key", re.IGNORECASE)
_PASSWORD = re.compile("(ssl)?passw(or)?d|pwd", re.IGNORECASE)


def tame(words: str) -> str:
    r"""Make text from elsewhere safe for a terminal.

    Examples
    --------
    >>> tame("\x1b[31mred")
    '�[31mred'
    """
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", without_passwords(words))


def without_passwords(words: str) -> str:
    """Leave the passwords out of all addresses in a text: URLs of any scheme, and the settings of libpq and ODBC.

    Examples
    --------
    >>> without_passwords("postgresql://me:pass@word@db.example.org/calls?sslmode=require&password=secret")
    'postgresql://me@db.example.org/calls?sslmode=require'
    >>> without_passwords("host=db.example.org password='my secret' dbname=calls")
    'host=db.example.org dbname=calls'
    """
    # Nearly all text is neither, and some of it is long.
    if ":/" in words:
        words = _BLANKS.sub(r"\1@", _ACCOUNT.sub(_without_password, words))
    return _SETTING.sub(_without_secret, words).replace("?&", "?") if "=" in words else words


def is_address(text: str) -> bool:
    """Return whether a text is a URL, or has a password as the settings of a database do.

    Examples
    --------
    >>> is_address("s3://calls/may.csv"), is_address("host=db Pwd=secret"), is_address("C:/may.csv")
    (True, True, False)
    """
    return "://" in text or without_passwords(text) != text


def _without_password(address: re.Match[str]) -> str:
    # A password ends with the last @, because people write some in it.
    _, at, host = address[2].rpartition("@")
    return f"{address[1]}@{host}" if at else address[0]


def _without_secret(setting: re.Match[str]) -> str:
    # The name of a setting may be written with percent signs, too.
    before, name = setting[1], unquote(setting[2])
    is_secret = _SECRET.search(name) if before in ("?", "&", ";") else _PASSWORD.fullmatch(name)
    return before.strip(" \t&;") if is_secret else setting[0]


def chance(p: float) -> str:
    """Write a p-value or a q-value; NaN gives an empty text.

    Examples
    --------
    >>> chance(0.01234), chance(3e-40), chance(float("nan"))
    ('0.012', '<0.001', '')
    """
    # More digits of a tiny p-value would say nothing more; the exact one is in the result.
    return "" if p != p else "<0.001" if p < 1e-3 else f"{p:.2g}"


def p_words(p: float) -> str:
    """Write a p-value within a sentence.

    Examples
    --------
    >>> p_words(0.01234), p_words(3e-40)
    ('p = 0.012', 'p < 0.001')
    """
    text = chance(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def share(part: float) -> str:
    """Write a share in per cent, with a decimal below 10% and above 90%; NaN gives an empty text.

    Examples
    --------
    >>> share(0.0), share(0.0204), share(0.00001), share(0.404), share(0.996), share(1.0)
    ('0%', '2.0%', '<0.1%', '40%', '99.6%', '100%')
    """
    if part != part:
        return ""
    if 0 < part < 0.0005:
        return "<0.1%"
    # Never 100% unless all rows are meant.
    if 0.9995 <= part < 1:
        return ">99.9%"
    return f"{part:.0%}" if part in (0, 1) or 0.1 <= part <= 0.9 else f"{part:.1%}"


def chance_percent(chance: float) -> str:
    """Write a chance as a whole percentage; those near 0 and 1 as below 1% and above 99%.

    Examples
    --------
    >>> [chance_percent(chance) for chance in (0.0, 0.004, 0.273, 0.997)]
    ['below 1%', 'below 1%', '27%', 'above 99%']
    """
    rounded = round(100 * chance)
    return "below 1%" if rounded < 1 else "above 99%" if rounded > 99 else f"{rounded}%"


def percent(part: float) -> str:
    """Write an estimated share in per cent, with a decimal except for 0% and 100%; NaN gives an empty text.

    Examples
    --------
    >>> percent(0.4), percent(0.0341), percent(1e-9), percent(0.99999), percent(float("nan"))
    ('40.0%', '3.4%', '0%', '100%', '')
    >>> percent(0.7025), percent(0.70250000000000014)
    ('70.2%', '70.2%')
    """
    if part != part:
        return ""
    # A rounding error must not write one number in two ways: 0.7025 and 0.7025 + 1e-16 are 70.2%.
    return "0%" if abs(part) < 0.0005 else "100%" if abs(part - 1) < 0.0005 else f"{round(part, 12):.1%}"


def effect(size: float, *, threshold: float = math.nan) -> str:
    """Write the size of a change, with a third decimal below 0.01 and near a threshold; NaN gives an empty text.

    Examples
    --------
    >>> effect(0.314), effect(0.0042), effect(0.00001), effect(0.0)
    ('0.31', '0.004', '<0.001', '0.00')
    >>> effect(0.0983, threshold=0.1), effect(0.1042, threshold=0.1), effect(0.12, threshold=0.1)
    ('0.098', '0.104', '0.12')
    """
    if size != size:
        return ""
    # Two decimals would write sizes on both sides of the threshold in the same way.
    if size != threshold and f"{size:.2f}" == f"{threshold:.2f}":
        return f"{size:.3f}"
    return f"{size:.2f}" if size == 0 or size >= 0.01 else f"{size:.3f}" if size >= 0.0005 else "<0.001"


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural where needed.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def shown(value: object, *, width: int = 60) -> str:
    """Write a value short enough for a sentence; what has many cells is described instead.

    Examples
    --------
    >>> shown("a" * 100, width=12)
    "'aaaaaaaaaa…"
    >>> import numpy as np
    >>> shown(np.eye(2)), shown(np.arange(400)), shown(np.float64(0.5))
    ('an array of shape (2, 2)', 'an array of 400 values', '0.5')
    >>> import pandas as pd
    >>> shown(pd.DataFrame({"a": [1, 2], "b": [3, 4]})), shown(pd.Series([1]))
    ('a table with 2 rows and 2 columns', 'a Series of 1 value')
    >>> from datetime import datetime
    >>> shown(datetime(2025, 4, 17)), shown(datetime(2025, 4, 17, 9, 30))
    ('2025-04-17', '2025-04-17 09:30:00')
    """
    try:
        day = str(value).removesuffix(" 00:00:00") if isinstance(value, date) else ""
        # Half an address is not known as one, nor is one in quotation marks that has some itself.
        text = day or _described(value) or repr(without_passwords(value) if isinstance(value, str) else value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        text = f"{type(value).__name__} too long to write"
    # Some objects are written over several lines, and a sentence has one.
    return shortened(without_passwords(" ".join(text.split()) if "\n" in text else text), width)


def _described(value: object) -> str:
    """Describe arrays, tables, and what Python would write with an address; empty for values that can be written."""
    kind, shape = type(value).__name__, getattr(value, "shape", None)
    article = "an" if kind[:1] in "AEIOU" else "a"
    if isinstance(value, (np.generic, np.ndarray)) and not value.ndim:
        # NumPy 2 writes np.float64(0.5), and nobody typed that.
        return str(value) if value.dtype.kind in "mM" else repr(value.item())
    if isinstance(value, np.ndarray):
        return f"an array of {_sized(value)}" if value.ndim == 1 else f"an array of shape {value.shape}"
    if isinstance(value, _NAMED):
        what = "class" if isinstance(value, type) else "module" if isinstance(value, ModuleType) else "function"
        return "a lambda function" if value.__name__ == "<lambda>" else f"the {what} {value.__name__}"
    # Tables and columns of pandas, polars and Arrow, none of which has to be imported here.
    if kind in _TABLES and isinstance(shape, tuple):
        return f"a table with {counted(shape[0], 'row')} and {counted(shape[1], 'column')}"
    if isinstance(value, Sized) and (
        kind in _VECTORS or (isinstance(value, (list, tuple, dict, set)) and len(repr(value)) > _LONGEST)
    ):
        return f"{article} {kind} of {_sized(value)}"
    return f"{article} {kind} object" if _ADDRESS.match(repr(value)) else ""


def _sized(values: Sized) -> str:
    return counted(len(values), "value")


def shortened(text: str, most: int) -> str:
    """Cut text that is longer than so many characters.

    Examples
    --------
    >>> shortened("abcdef", 4), shortened("abcd", 4)
    ('abc…', 'abcd')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def listed(names: Iterable[object], *, most: int = 5, last: str = "and") -> str:
    """Write a list of names as ``'a', 'b' and 3 more``; `last` joins the last two of a short list.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"], most=2)
    "'a', 'b' and 2 more"
    >>> listed(["a", "b"])
    "'a' and 'b'"
    """
    names = list(names)
    if len(names) > most:
        return ", ".join(shown(n) for n in names[:most]) + f" and {len(names) - most} more"
    if len(names) <= 1:
        return "".join(shown(n) for n in names)
    return ", ".join(shown(n) for n in names[:-1]) + f" {last} {shown(names[-1])}"
