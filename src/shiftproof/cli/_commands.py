"""What all commands have in common: options in groups, and help without types of Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, TypeGuard, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

from shiftproof.cli._completion import complete_column
from shiftproof.cli._config import USUAL
from shiftproof.cli._files import READ, check_folders, check_outputs
from shiftproof.cli._options import Shared, split_names
from shiftproof.core import InputError, check_choice, fault, refuse_url, similar

_FAIL_ON = "--fail-on"
_MISSPELT = 0.75  # as similar as this, from 0 to 1, is a command to one that is suggested
_BRACES = str.maketrans("", "", "{}")
# A parameter in a docstring: its name, what help calls its value, and indented text.
_DESCRIPTION = re.compile(r"^(\w+)(?: : (.+))?\n((?: {4}.*\n?)+)", re.MULTILINE)


def as_command(function: Callable[..., int]) -> Callable[..., int]:
    """Make a function a command for typer: fields of groups, which are dataclasses, become options of their own.

    Options are described where numpydoc describes parameters: the section `Parameters` of the docstring, or else of
    `Shared`, gives the help text, and what the help calls the value. A parameter whose
    value is called by its own name, such as NEW, is an argument; one that is called --all is that flag, and one that is
    called --from ADDRESS that option.
    """

    @wraps(function)
    def call(**values: object) -> int:
        code: int = _call(function, values)
        return code

    parameters = _flat(function)
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__doc__ = _documentation(function)[0]
    return call


def _is_group(kind: object) -> TypeGuard[Callable[..., Any]]:
    return is_dataclass(kind)


def _flat(function: Callable[..., Any], above: Mapping[str, tuple[str, str]] | None = None) -> list[Parameter]:
    """Return the parameters of a function as typer reads them, and the fields of a group in its place.

    What the function says of an option of a group goes before what the group says.
    """
    own = _described(function) | dict(above or {})
    described = _described(Shared) | own
    flat = []
    for name, parameter in signature(function, eval_str=True).parameters.items():
        kind = parameter.annotation
        if _is_group(kind):
            flat += _flat(kind, own)
            continue
        if name in described:
            kind = _declared(name, kind, *described[name])
        flat.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=kind))
    return flat


def _declared(name: str, kind: Any, metavar: str, text: str) -> Any:
    """Return a type with the declaration that typer reads."""
    if metavar == name.upper():
        return Annotated[kind, typer.Argument(metavar=metavar, help=text)]
    # A type may be annotated by the function that completes its values.
    plain, *completions = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    if _is_list(plain) and (choices := _choices(plain)):
        # Typer knows lists of an enumeration, but no lists of Literal.
        plain = list[StrEnum(name, {choice: choice for choice in choices})] | None  # type: ignore[misc]
    complete = complete_column if metavar == "COL" else completions[0] if completions else None
    declared = metavar if metavar.startswith("--") else f"--{name.replace('_', '-')} {metavar}"
    option, _, value = declared.partition(" ")
    return Annotated[plain, typer.Option(option, metavar=value or None, help=text, autocompletion=complete)]


def _documentation(function: Callable[..., Any]) -> tuple[str, str]:
    """Return what a docstring says in general, and what it says about the parameters."""
    text, _, section = (getdoc(function) or "").partition("\n\nParameters\n----------\n")
    return text, section.partition("\n\n")[0]


def _described(function: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """Return what help calls the value of each parameter that a docstring describes, and its help text."""
    _, section = _documentation(function)
    return {name: (metavar, " ".join(text.split())) for name, metavar, text in _DESCRIPTION.findall(section)}


def _call(function: Callable[..., Any], values: Mapping[str, object]) -> Any:
    """Call a function with its part of the values; groups are made of theirs."""
    kinds = {name: parameter.annotation for name, parameter in signature(function, eval_str=True).parameters.items()}
    return function(**{name: _call(kind, values) if _is_group(kind) else values[name] for name, kind in kinds.items()})


def _is_list(kind: object) -> bool:
    return any(get_origin(part) is list for part in (kind, *get_args(kind)))


def _choices(kind: object) -> list[str]:
    """Return the texts that a type allows; none if it allows any."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return [choice.value for choice in kind]
    return [choice for part in get_args(kind) for choice in _choices(part)]


def _number(kind: object) -> str:
    """Say which kind of number a type stands for; an empty text if it is another type.

    Examples
    --------
    >>> _number(int | None), _number(float), _number(str)
    ('a whole number', 'a number', '')
    """
    if kind in (int, float):
        return "a whole number" if kind is int else "a number"
    return next(filter(None, map(_number, get_args(kind))), "")


def _conditions_apart(before: str | None, word: str) -> list[str]:
    """Take values of --fail-on apart that are joined by commas; every other word stays as it is.

    Examples
    --------
    >>> _conditions_apart("--fail-on", "harm,shift"), _conditions_apart(None, "--fail-on=harm,shift")
    (['harm', '--fail-on', 'shift'], ['--fail-on=harm', '--fail-on=shift'])
    """
    if before == _FAIL_ON and "," in word:
        first, *others = word.split(",")
        return [first.strip(), *(part for value in others for part in (_FAIL_ON, value.strip()))]
    if word.startswith(f"{_FAIL_ON}="):
        return [f"{_FAIL_ON}={value.strip()}" for value in word.partition("=")[2].split(",")]
    return [word]


def _is_output(metavar: str, path: Path) -> bool:
    """Return whether an option names a file to write; a folder is checked by the command that accepts folders."""
    return metavar == "FILE" or (metavar == "FILE|FOLDER" and not path.is_dir())


class _NoTypes:
    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, flags and arguments among them without a type in the help."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            # Typer shows <bool> for flags, its own --help among them, unless they have a metavar.
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
            # It adds <path> or <list[Path]> to the name of an argument even so.
            if parameter.param_type_name == "argument":
                parameter.display_type_rich = _no_type
        return parameters

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage, without the braces in which Typer puts arguments that are required."""
        return [piece.translate(_BRACES) for piece in super().collect_usage_pieces(ctx)]  # type: ignore[misc]


def _no_type(ctx: Any) -> None:
    """Show nothing beside the name of an argument."""


def _configured(ctx: Any, parameter: Any) -> list[str]:
    """Return what a file of settings says of an option, as words of a command line."""
    value = ctx.lookup_default(parameter.name)
    values = value if isinstance(value, list) else [value]
    return [word for each in values if isinstance(each, str) for word in (parameter.opts[0], each)]


class Command(_NoTypes, TyperCommand):
    """A command that suggests the choice that was meant, and never writes to a file that it reads."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words; say which choice was probably meant by a wrong one."""
        # --fail-on=harm and --fail-on harm are the same, also with several values that are joined by commas.
        args = [word for words in map(_conditions_apart, [None, *args], args) for word in words]
        words = [part for word in args for part in word.split("=", 1)]
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            if error.param is not None:
                self._refuse_text(error.param, words, ctx.command_path)
                self._refuse_choice(error.param, [*words, *_configured(ctx, error.param)])
            raise
        except typer.TyperException as error:
            # An option without its value does not know its command, whose help says what it needs.
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def _refuse_text(self, parameter: Any, words: list[str], command: str) -> None:
        """Name a value that is not a number, which Typer's sentence does not."""
        callback: Any = self.callback
        number = _number(callback.__annotations__[parameter.name])
        given = [value for option, value in pairwise(words) if option in parameter.opts]
        if number and given:
            raise fault(parameter.opts[0], f"be {number}", given[-1], f"see '{command} --help'")

    def _refuse_choice(self, parameter: Any, words: list[str]) -> None:
        """Name a value that is not one of the choices as all errors do, which Typer's sentence does not."""
        callback: Any = self.callback
        choices = _choices(callback.__annotations__[parameter.name])
        for option, value in pairwise(words):
            if choices and option in parameter.opts:
                check_choice(value, parameter.opts[0], choices)

    def invoke(self, ctx: Any) -> Any:
        """Check the files and the seed, then run the command."""
        if (seed := ctx.params.get("seed")) is not None and seed < 0:
            raise fault("--seed", "be at least 0", seed, "0 is the default")
        # Now, because the command itself may compute for minutes before it writes.
        paths = [(parameter, ctx.params.get(parameter.name)) for parameter in self.params]
        files = [
            (parameter, path)
            for parameter, value in paths
            for path in (value if isinstance(value, (list, tuple)) else [value])
            if isinstance(path, Path)
        ]
        arguments = [path for parameter, path in files if parameter.param_type_name == "argument"]
        # A store is a text because it may be a URL instead of a file.
        arguments += [Path(store) for store in [ctx.params.get("store")] if store and "://" not in store]
        tables = [path for parameter, path in files if parameter.name in READ]
        outputs = {
            parameter.opts[0]: path
            for parameter, path in files
            if parameter.param_type_name == "option"
            and parameter.name not in READ
            and _is_output(parameter.metavar or "", path)
        }
        if ctx.params.get("no_page"):
            _without_page(ctx, outputs)
        for parameter, path in files:
            if parameter.param_type_name == "option" and parameter.name not in READ:
                refuse_url(path, writing=True)
        models = [Path(name) for name in split_names(ctx.params.get("models")) or [] if name.endswith(".skops")]
        config = ctx.find_root().params.get("config") or Path(USUAL)
        for folder in check_folders(outputs):
            # One that is misspelt would otherwise be looked for in vain.
            typer.echo(f"note: creating the folder {str(folder)!r}.", err=True)
        check_outputs(outputs, [*arguments, *tables, *models, config])
        return super().invoke(ctx)


def _without_page(ctx: Any, outputs: dict[str, Path]) -> None:
    """Take the page out of the files to write; refuse a command line that asks for it and forbids it."""
    # A file of settings may name the page that one run does not write.
    typed = all(ctx.get_parameter_source(name).name == "COMMANDLINE" for name in ("out", "no_page"))
    if outputs.pop("--out", None) is not None and typed:
        raise InputError("--out and --no-page cannot be used together; give only one")


class Group(_NoTypes, TyperGroup):
    """A group of commands, which suggests the command that was meant; its help shows no types either."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names, and the words after it."""
        self.suggest_commands = False  # Typer would suggest 'ack' for 'backup'
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            if near := similar(args[0], self.commands, cutoff=_MISSPELT):
                error.message = f"{error.message.rstrip('.')}. Did you mean {near[0]!r}?"
            raise
