"""What everything else stands on: errors, checks, tables of any library, results, randomness."""

from shiftproof.core._checks import (
    check_choice,
    check_count,
    check_fraction,
    check_matrix,
    check_vector,
    fault,
    listed,
    shown,
)
from shiftproof.core._comparable import Nature, check_comparable, comparable, nature
from shiftproof.core._compile import kernel
from shiftproof.core._errors import FileError, InputError, ShiftproofError, ShiftproofWarning, warn
from shiftproof.core._format import chance, counted, effect, p_words, percent, share
from shiftproof.core._frames import Column, Family, Table, as_table, is_missing, without_columns
from shiftproof.core._interval import Interval
from shiftproof.core._phrases import HIDDEN, Note, Phrase, Sensitive, Text
from shiftproof.core._random import Seed, generator
from shiftproof.core._results import Result, plain

__all__ = [
    "HIDDEN",
    "Column",
    "Family",
    "FileError",
    "InputError",
    "Interval",
    "Nature",
    "Note",
    "Phrase",
    "Result",
    "Seed",
    "Sensitive",
    "ShiftproofError",
    "ShiftproofWarning",
    "Table",
    "Text",
    "as_table",
    "chance",
    "check_choice",
    "check_comparable",
    "check_count",
    "check_fraction",
    "check_matrix",
    "check_vector",
    "comparable",
    "counted",
    "effect",
    "fault",
    "generator",
    "is_missing",
    "kernel",
    "listed",
    "nature",
    "p_words",
    "percent",
    "plain",
    "share",
    "shown",
    "warn",
    "without_columns",
]
