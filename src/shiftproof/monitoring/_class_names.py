"""How classes are written; a store keeps their names as text."""

from __future__ import annotations

from shiftproof.core import shown

_NOT_TEXT = ("True", "False")
#: Stands for the name of a class that a message must not hold.
HIDDEN_CLASS = "the most frequent class"


def class_name(label: str) -> str:
    """Write a class as audits do: text in quotation marks, numbers and truth values without.

    Examples
    --------
    >>> class_name("yes"), class_name("1"), class_name("-0.5"), class_name("True")
    ("'yes'", '1', '-0.5', 'True')
    """
    digits = label.removeprefix("-").replace(".", "", 1)
    return label if digits.isdecimal() or label in (*_NOT_TEXT, HIDDEN_CLASS) else shown(label)
