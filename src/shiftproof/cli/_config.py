"""Defaults of options from a file: `shiftproof.toml` in the current folder, or the one that --config names."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from typer.models import OptionInfo

from shiftproof.core import FileError, available_names, shown, similar

#: The file that is looked for in the current folder.
USUAL = "shiftproof.toml"
_OPTION = "--config"
# What TOML calls what an option takes, and how it is written there.
_WANTED: dict[type, tuple[str, str]] = {
    bool: ("true or false", "write it without quotation marks"),
    int: ("a whole number", "write it without quotation marks"),
    float: ("a number", "write it without quotation marks"),
    list: ("a list of text", 'write it as ["one", "two"]'),
    str: ("text", 'write it in quotation marks, such as "one,two"'),
}


@dataclass(frozen=True)
class Config:
    """What a file sets for one command.

    Parameters
    ----------
    path : Path
        The file.
    values : dict of str to object
        The value of each option that is set, as it is called on a command line without the dashes.
    """

    path: Path
    values: dict[str, Any]

    @property
    def note(self) -> str:
        """Say what was taken from the file; nothing where nothing was."""
        named = ", ".join(f"--{name}" for name in self.values)
        return f"{self.path} sets {named}; the command line wins." if named else ""


@dataclass(frozen=True)
class Option:
    """An option of a command: the parameter that holds it, and what it takes."""

    name: str
    takes: type


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Put --config before the command, wherever it stands, and say what it names.

    Examples
    --------
    >>> words, file = split_arguments(["audit", "--config", "job.toml", "a.csv"])
    >>> words, str(file)
    (['--config', 'job.toml', 'audit', 'a.csv'], 'job.toml')
    """
    rest = list(arguments)
    end = rest.index("--") if "--" in rest else len(rest)
    for at, word in enumerate(rest[:end]):
        if word == _OPTION and at + 1 < end:
            return [*rest[at : at + 2], *rest[:at], *rest[at + 2 :]], Path(rest[at + 1])
        if word.startswith(f"{_OPTION}="):
            return [word, *rest[:at], *rest[at + 1 :]], Path(word.partition("=")[2])
    return rest, None


def options_of(functions: Sequence[Callable[..., Any]]) -> dict[str, dict[str, Option]]:
    """Give the options of each command as they are written on a command line, without the dashes."""
    return {function.__name__: dict(_options(function)) for function in functions}


def _options(function: Callable[..., Any]) -> Iterator[tuple[str, Option]]:
    for name, hint in get_type_hints(function, include_extras=True).items():
        if get_origin(hint) is not Annotated:
            continue
        kind, info = get_args(hint)[:2]
        if isinstance(info, OptionInfo):
            # Inside Annotated, typer takes what an option is called for its default.
            words = [str(word) for word in (info.default, *(info.param_decls or ()))]
            said = next((word for word in words if word.startswith("--")), name.replace("_", "-"))
            yield said.removeprefix("--"), Option(name, _taken(kind))


def _taken(kind: Any) -> type:
    """Give what an option takes in a file: true, a number, a list, or else text."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    if get_origin(kind) is list:
        return list
    return kind if kind in (bool, int, float) else str


def read_config(named: Path | None, command: str, options: Mapping[str, Mapping[str, Option]]) -> Config | None:
    """Read the file that is named, or the usual one where it is there.

    Parameters
    ----------
    named : Path, optional
        What --config says.
    command : str
        The command that runs; keys are checked for all commands, values for this one.
    options : mapping of str to mapping
        The options of every command, from `options_of`.

    Returns
    -------
    Config or None
        What the file sets, or None without one.

    Raises
    ------
    FileError
        If it is no TOML, a key is no option, or a value has another type than the option takes.
    """
    path = Path(USUAL) if named is None else named
    if not path.is_file():
        if named is None:
            return None
        raise FileError(path, "there is no such file; --config must name a TOML file")
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        words = str(error).splitlines()[0]
        raise FileError(path, f'not valid TOML ({words}); write lines such as target = "churned"') from None
    shared = {key: value for key, value in held.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in held.items() if isinstance(value, dict)}
    everywhere = list(dict.fromkeys(name for of_command in options.values() for name in of_command))
    for key, value in shared.items():
        if key in options:
            raise FileError(path, f"{key} must be a table of options, got {shown(value)}; write [{key}]")
        _check_known(path, key, key, everywhere, rule="an option")
    for name, table in tables.items():
        _check_known(path, name, f"[{name}]", list(options), rule="a command")
        for key in table:
            _check_known(path, key, f"{key} in [{name}]", list(options[name]), rule=f"an option of {name}")
    own = options.get(command, {})
    values = {}
    for table, called in ((shared, "{}"), (tables.get(command, {}), f"{{}} in [{command}]")):
        for key, value in table.items():
            option = own.get(key.replace("_", "-"))
            if option is not None:
                values[key.replace("_", "-")] = _value(path, called.format(key), value, option.takes)
    return Config(path, {name: values[name] for name in own if name in values})


def _check_known(path: Path, key: str, called: str, known: Sequence[str], *, rule: str) -> None:
    if key.replace("_", "-") in known:
        return
    near = similar(key.replace("_", "-"), known, cutoff=0.5)
    hint = "" if near else f"; {available_names(sorted(known))}"
    raise FileError(path, f"{called} is not {rule}{hint}", near=near)


def _value(path: Path, called: str, value: Any, takes: type) -> Any:
    """Give a value as the option takes it: one text may stand for a list of one, a number or a date for text."""
    listed_text = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if takes is list and (isinstance(value, str) or listed_text):
        return value if listed_text else [value]
    if takes is str and listed_text and len(value) == 1:
        return value[0]
    if isinstance(value, bool) == (takes is bool):
        if isinstance(value, takes) and takes is not list:
            return value
        if takes is float and isinstance(value, int):
            return float(value)
        if takes is str and isinstance(value, (int, float, date, time)):
            return str(value)  # a label or a moment
    what, hint = _WANTED[takes]
    raise FileError(path, f"{called} must be {what}, got {shown(value)}; {hint}")
