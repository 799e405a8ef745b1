"""Defaults of options from a file: `shiftproof.toml` in the current folder, or the one that --config names."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from shiftproof.cli._files import READ
from shiftproof.core import FileError, available_names, shown, similar

#: The file that is looked for in the current folder.
USUAL = "shiftproof.toml"
_OPTION = "--config"
_CONDITIONS = "fail-on"
# Options of the dashboard with which a stranger could look at a store, or change it.
_OPENING = ("allow-host", "token-file", "write")
# How to write each type of value in TOML, for errors.
_HOW_TO_WRITE: dict[type, tuple[str, str]] = {
    bool: ("true or false", "write {} = true"),
    int: ("a whole number", "write {} = 10"),
    float: ("a number", "write a number such as {} = 0.5"),
    list: ("a list of text", 'write {} = ["one", "two"]'),
    str: ("text", 'write {} = "one"'),
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
        """Say which options the file sets; empty if it sets none for this command."""
        options = ", ".join(f"--{name}" for name in self.values)
        return f"{self.path} sets {options}; options on the command line take precedence." if options else ""


@dataclass(frozen=True)
class Option:
    """An option of a command: its parameter, the type of its value in a file, and whether it names an output."""

    name: str
    takes: type
    written: bool = False


def split_arguments(arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Move --config before the command, where typer expects it, and return the file that it names.

    Examples
    --------
    >>> words, file = split_arguments(["audit", "--config", "job.toml", "a.csv"])
    >>> words, str(file)
    (['--config', 'job.toml', 'audit', 'a.csv'], 'job.toml')
    """
    words = list(arguments)
    # Behind -- everything is a file name, also a word that looks like an option.
    end = words.index("--") if "--" in words else len(words)
    for place, word in enumerate(words[:end]):
        if word == _OPTION and place + 1 < end:
            return [*words[place : place + 2], *words[:place], *words[place + 2 :]], Path(words[place + 1])
        if word.startswith(f"{_OPTION}="):
            return [word, *words[:place], *words[place + 1 :]], Path(word.partition("=")[2])
    return words, None


def options_of(group: Any, *, within: str = "") -> dict[str, dict[str, Option]]:
    """Return the options of each command, by their names without the dashes; those of a group are "monitor add"."""
    options: dict[str, dict[str, Option]] = {}
    for own_name, command in group.commands.items():
        name = f"{within}{own_name}"
        if hasattr(command, "commands"):
            options |= options_of(command, within=f"{name} ")
            continue
        kinds = get_type_hints(command.callback)
        parameters = [parameter for parameter in command.params if parameter.param_type_name == "option"]
        options[name] = {
            parameter.opts[0].removeprefix("--"): _option(parameter.name, kinds[parameter.name])
            for parameter in parameters
        }
    return options


def command_of(words: Sequence[str], commands: Iterable[str]) -> str:
    """Return the command that words call; empty if they call none.

    Examples
    --------
    >>> command_of(["monitor", "add", "calls.db"], ["audit", "monitor add"]), command_of(["--help"], ["audit"])
    ('monitor add', '')
    """
    called = [name for name in commands if name.split()[0] in words and {*name.split()} <= {*words}]
    return min(called, key=lambda name: [words.index(part) for part in name.split()], default="")


def _option(name: str, kind: Any) -> Option:
    """Return an option with the type of its value in a file: bool, int, float, list, or else str."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(member for member in get_args(kind) if member is not type(None))
    if get_origin(kind) is list:
        return Option(name, list)
    return Option(name, kind if kind in (bool, int, float) else str, written=kind is Path and name not in READ)


def read_config(named: Path | None, command: str, options: Mapping[str, Mapping[str, Option]]) -> Config | None:
    """Read the file of defaults: the one that is named, or the usual one if it exists.

    Parameters
    ----------
    named : Path, optional
        The value of --config.
    command : str
        The command that runs; keys are checked for all commands, values for this command only.
    options : mapping of str to mapping
        The options of every command, from `options_of`.

    Returns
    -------
    Config or None
        What the file sets, or None without one.

    Raises
    ------
    FileError
        If the file is not valid TOML, a key is not an option, or a value has the wrong type; and if a file that
        nobody named lets code run, or writes outside the current folder.
    """
    path = Path(USUAL) if named is None else named
    if not path.is_file():
        # Nobody has to have the usual file, but one that is named must exist.
        if named is None:
            return None
        raise FileError(path, "there is no such file; --config must name a TOML file")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        raise FileError(path, f'not valid TOML ({reason}); write lines such as target = "churned"') from None
    shared = {key: value for key, value in content.items() if not isinstance(value, dict)}
    tables = _tables(content, options)
    _check_keys(path, shared, tables, options)
    own = options.get(command, {})
    values = {}
    # A table of the command comes second, as it overrides what is set for all commands.
    for table, label in ((shared, "{}"), (tables.get(command, {}), f"{{}} in [{command}]")):
        for key, value in table.items():
            name = key.replace("_", "-")
            if name in own:
                values[name] = _value(path, label.format(key), value, own[name].takes)
                if name == _CONDITIONS:
                    # As on the command line, conditions may be joined by commas.
                    values[name] = [part.strip() for text in values[name] for part in text.split(",")]
                if named is None:
                    _check_found(path, name, values[name], own[name])
    return Config(path, {name: values[name] for name in own if name in values})


def _tables(content: Mapping[str, Any], options: Mapping[str, object], within: str = "") -> dict[str, dict[str, Any]]:
    """Return the table of each command; those of a group are written as [monitor.add]."""
    tables: dict[str, dict[str, Any]] = {}
    for own_name, table in content.items():
        if isinstance(table, dict):
            name = f"{within}{own_name}"
            grouped = any(command.startswith(f"{name} ") for command in options)
            parts = {part: own for part, own in table.items() if grouped and isinstance(own, dict)}
            tables |= _tables(parts, options, f"{name} ")
            # What is not a table of one of its commands stays, and is refused by its name.
            if not parts or len(parts) < len(table):
                tables[name] = {key: value for key, value in table.items() if key not in parts}
    return tables


def _check_found(path: Path, name: str, value: Any, option: Option) -> None:
    """Refuse what could run code, overwrite files or let others in, as folders and files may come from strangers."""
    if name == "trust" or (name == "models" and ":" in value):
        what = "lets code run"
    elif name in _OPENING:
        what = "lets others into the dashboard"
    elif option.written and not Path(value).resolve().is_relative_to(Path.cwd().resolve()):
        what = "writes outside this folder"
    else:
        return
    hint = f"if you trust the file, pass --config {path}"
    raise FileError(path, f"{name} = {shown(value)} {what}, which a file may do only if --config names it; {hint}")


def _check_keys(
    path: Path,
    shared: Mapping[str, object],
    tables: Mapping[str, Mapping[str, object]],
    options: Mapping[str, Mapping[str, Option]],
) -> None:
    """Refuse keys that are not options: a typing error would silently leave a default in place."""
    everywhere = list(dict.fromkeys(name for of_command in options.values() for name in of_command))
    for key, value in shared.items():
        if key in options:
            raise FileError(path, f"{key} must be a table of options, got {shown(value)}; write [{key}]")
        _check_known(path, key, key, everywhere, rule="an option")
    for name, table in tables.items():
        if parts := [command for command in options if command.startswith(f"{name} ")]:
            # A command that has all of these options is what was meant.
            meant = next(
                (part for part in parts if {key.replace("_", "-") for key in table} <= {*options[part]}), parts[0]
            )
            hint = f"write a table for one of its commands, such as [{meant.replace(' ', '.')}]"
            raise FileError(path, f"[{name.replace(' ', '.')}] has no options of its own; {hint}")
        _check_known(path, name, f"[{name}]", list(options), rule="a command")
        for key in table:
            _check_known(path, key, f"{key} in [{name}]", list(options[name]), rule=f"an option of {name}")


def _check_known(path: Path, key: str, label: str, known: Sequence[str], *, rule: str) -> None:
    if key.replace("_", "-") in known:
        return
    near = similar(key.replace("_", "-"), known, cutoff=0.5)
    hint = "" if near else f"; {available_names(sorted(known))}"
    raise FileError(path, f"{label} is not {rule}{hint}", near=near)


def _value(path: Path, label: str, value: Any, takes: type) -> Any:
    """Return a value as the option takes it; text may stand for a list of one, a number or a date for text."""
    listed_text = isinstance(value, list) and all(isinstance(item, str) for item in value)
    if takes is list and (isinstance(value, str) or listed_text):
        return value if listed_text else [value]
    if takes is str and listed_text and len(value) == 1:
        return value[0]
    # In Python True is also the number 1, but a flag is not a count.
    if isinstance(value, bool) == (takes is bool):
        if isinstance(value, takes) and takes is not list:
            return value
        if takes is float and isinstance(value, int):
            return float(value)
        if takes is str and isinstance(value, (int, float, date, time)):
            return str(value)  # a label or a moment
    what, how = _HOW_TO_WRITE[takes]
    name = label.partition(" ")[0]
    hint = how.format(name)
    if takes in (bool, int, float) and isinstance(value, str) and _is_written(value, takes):
        hint = "write it without quotation marks"
    elif takes is str and listed_text:
        hint = f'write {name} = "{",".join(value)}"'
    # TOML has its own way of writing true and false.
    got = str(value).lower() if isinstance(value, bool) else shown(value)
    raise FileError(path, f"{label} must be {what}, got {got}; {hint}")


def _is_written(text: str, takes: type) -> bool:
    """Return whether a text holds a value of this type, so that only its quotation marks are wrong.

    Examples
    --------
    >>> _is_written("10", int), _is_written("ten", int), _is_written("true", bool)
    (True, False, True)
    """
    if takes is bool:
        return text in ("true", "false")
    try:
        takes(text)
    except ValueError:
        return False
    return True
