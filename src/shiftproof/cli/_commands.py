"""What all commands have in common: options in groups, flags without a type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, TypeGuard

from typer.core import TyperCommand, TyperGroup

from shiftproof.cli._config import USUAL
from shiftproof.cli._files import check_outputs
from shiftproof.cli._options import split_names


def with_groups(command: Callable[..., int]) -> Callable[..., int]:
    """Let a command take groups of options, which are dataclasses: typer sees every field as an option."""

    @wraps(command)
    def call(**values: object) -> int:
        code: int = _call(command, values)
        return code

    parameters = _flat(command)
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _is_group(kind: object) -> TypeGuard[Callable[..., Any]]:
    return is_dataclass(kind)


def _flat(function: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a function, and the fields of a group in its place."""
    flat = []
    for parameter in signature(function, eval_str=True).parameters.values():
        kind = parameter.annotation
        flat += _flat(kind) if _is_group(kind) else [parameter.replace(kind=Parameter.KEYWORD_ONLY)]
    return flat


def _call(function: Callable[..., Any], values: Mapping[str, object]) -> Any:
    """Call a function with its part of the values; groups are made of theirs."""
    kinds = {name: parameter.annotation for name, parameter in signature(function, eval_str=True).parameters.items()}
    return function(**{name: _call(kind, values) if _is_group(kind) else values[name] for name, kind in kinds.items()})


class _UntypedFlags:
    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, flags among them without a type in the help."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        # Typer shows <bool> for flags, its own --help among them, unless they have a metavar.
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return parameters


class Command(_UntypedFlags, TyperCommand):
    """A command whose help shows flags without a type, and that never writes to a file that it reads."""

    def invoke(self, ctx: Any) -> Any:
        """Check the files, then run the command."""
        paths = [(parameter, ctx.params.get(parameter.name)) for parameter in self.params]
        files = [(parameter, path) for parameter, path in paths if isinstance(path, Path)]
        outputs = {parameter.opts[0]: path for parameter, path in files if parameter.metavar == "FILE"}
        models = [Path(name) for name in split_names(ctx.params.get("models")) or [] if name.endswith(".skops")]
        config = ctx.parent.params.get("config") or Path(USUAL)
        tables = [path for parameter, path in files if parameter.param_type_name == "argument"]
        check_outputs(outputs, [*tables, *models, config])
        return super().invoke(ctx)


class Group(_UntypedFlags, TyperGroup):
    """The group of commands; its help shows flags without a type, too."""
