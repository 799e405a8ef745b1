"""Name the argument that was probably meant by an unknown one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from shiftproof.core._checks import similar

Arguments = ParamSpec("Arguments")
ResultT = TypeVar("ResultT")


def suggests_arguments(function: Callable[Arguments, ResultT]) -> Callable[Arguments, ResultT]:
    """Let a verb answer a misspelt argument with the one that was probably meant, as Python does from 3.13 on.

    Examples
    --------
    >>> @suggests_arguments
    ... def count(rows, *, kinds=None):
    ...     return len(rows)
    >>> count([1, 2], kind={})
    Traceback (most recent call last):
    ...
    TypeError: count() got an unexpected keyword argument 'kind'. Did you mean 'kinds'?
    """
    names = tuple(signature(function).parameters)

    @wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> ResultT:
        for name in kwargs:
            if name not in names and (near := similar(name, names)):
                unknown = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                raise TypeError(f"{unknown}. Did you mean {near[0]!r}?")
        return function(*args, **kwargs)

    return call
