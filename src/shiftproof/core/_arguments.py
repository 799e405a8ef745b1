"""Help with calls that mix up arguments: an unknown name, or a table where models come first."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

import numpy as np

from shiftproof.core._checks import fault, similar
from shiftproof.core._columns import library_of

Arguments = ParamSpec("Arguments")
ResultT = TypeVar("ResultT")


def suggests_arguments(function: Callable[Arguments, ResultT]) -> Callable[Arguments, ResultT]:
    """Let a verb answer a misspelt argument with the one that was probably meant, as Python does from 3.13 on.

    A verb whose first argument is `models` also says so if it gets a table there.

    Examples
    --------
    >>> @suggests_arguments
    ... def score(models, X, *, level=0.9):
    ...     return len(X)
    >>> import numpy as np
    >>> score(np.eye(2))
    Traceback (most recent call last):
    ...
    shiftproof.core._errors.InputError: models must come first, got an array of shape (2, 2); write score(models, X).
    >>> @suggests_arguments
    ... def count(rows, *, kinds=None):
    ...     return len(rows)
    >>> count([1, 2], kind={})
    Traceback (most recent call last):
    ...
    TypeError: count() got an unexpected keyword argument 'kind'. Did you mean 'kinds'?
    """
    parameters = signature(function).parameters
    names = tuple(parameters)
    in_order = [name for name, parameter in parameters.items() if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ResultT:
        for name in kwargs:
            if name not in names and (near := similar(name, names)):
                unknown = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                raise TypeError(f"{unknown}. Did you mean {near[0]!r}?")
        if args and names[:1] == ("models",) and _has_rows(args[0]):
            raise fault("models", "come first", args[0], f"write {function.__name__}({', '.join(in_order)})")
        return function(*args, **kwargs)

    return call


def _has_rows(given: object) -> bool:
    """Return whether this is a table, a column or an array, none of which can be a model."""
    return isinstance(given, np.ndarray) or library_of(given) in ("pandas", "polars", "pyarrow")
