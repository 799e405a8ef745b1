"""Every exception and warning the library raises on purpose."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable
from types import FrameType


class ShiftproofError(Exception):
    """Base of everything shiftproof raises on purpose.

    The tree::

        ShiftproofError
        └── InputError (also a ValueError)   something given does not fit
            └── FileError                    a file cannot be read as a table
    """


class InputError(ShiftproofError, ValueError):
    """An argument, a column or a file does not fit.

    The message is one sentence that names the argument, the rule, the value and the way out.
    """


class FileError(InputError):
    """A file cannot be read as a table; the message names the file and, where known, the line."""


class ShiftproofWarning(UserWarning):
    """Something was understood, but the user should look at it."""


class RefittedModel(ShiftproofWarning):
    """Models that were fitted before are fitted again; `models` names them."""

    def __init__(self, models: Iterable[str], use: str) -> None:
        self.models = tuple(models)
        super().__init__(
            f"refitting models that are already fitted: {', '.join(map(repr, self.models))}. Pass {use} to use them as "
            "they are, with labelled rows that they were not trained on; pass unfitted clones to refit them."
        )


def warn(message: str | ShiftproofWarning) -> None:
    """Give a `ShiftproofWarning` that points at the line which called into shiftproof, however deep we are."""
    frame, level = inspect.currentframe(), 1
    # Python 3.12 has `skip_file_prefixes` for this.
    while frame and frame.f_back and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warning = message if isinstance(message, ShiftproofWarning) else ShiftproofWarning(message)
    warnings.warn(warning, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == __name__.partition(".")[0]
