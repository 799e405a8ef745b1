"""Every exception and warning the library raises on purpose."""

from __future__ import annotations


class ShiftproofError(Exception):
    """Base of everything shiftproof raises on purpose.

    The tree::

        ShiftproofError
        ├── InputError (also a ValueError)   something given does not fit
        │   └── FileError                    a file cannot be read as a table
        └── MissingLibraryError (also an ImportError)   an optional library is needed
    """


class InputError(ShiftproofError, ValueError):
    """An argument, a column or a file does not fit.

    The message is one sentence that names the argument, the rule, the value and the way out.
    """


class FileError(InputError):
    """A file cannot be read as a table; the message names the file and, where known, the line."""


class MissingLibraryError(ShiftproofError, ImportError):
    """A library that only this feature needs is not installed; the message says how to get it."""


class ShiftproofWarning(UserWarning):
    """Something was understood, but the user should look at it."""
