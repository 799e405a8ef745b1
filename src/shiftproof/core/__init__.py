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
from shiftproof.core._frames import Column, Family, Table, as_table, is_missing, without_columns
from shiftproof.core._interval import Interval
from shiftproof.core._random import Seed, generator
from shiftproof.core._results import Result, plain

__all__ = [
    "Column",
    "Family",
    "FileError",
    "InputError",
    "Interval",
    "Nature",
    "Result",
    "Seed",
    "ShiftproofError",
    "ShiftproofWarning",
    "Table",
    "as_table",
    "check_choice",
    "check_comparable",
    "check_count",
    "check_fraction",
    "check_matrix",
    "check_vector",
    "comparable",
    "fault",
    "generator",
    "is_missing",
    "kernel",
    "listed",
    "nature",
    "plain",
    "shown",
    "warn",
    "without_columns",
]
