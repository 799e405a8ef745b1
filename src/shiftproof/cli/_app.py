"""The command line: `shiftproof --help`."""

from __future__ import annotations

import sys
import tempfile
import traceback
from pathlib import Path
from typing import Annotated

import click
import typer

from shiftproof._version import __version__
from shiftproof.cli._demo import demo
from shiftproof.cli._detect import detect
from shiftproof.core import ShiftproofError

#: What a command's exit tells the job that runs it.
FINE, FOUND, BAD_INPUT, INTERNAL = 0, 1, 2, 3

app = typer.Typer(
    name="shiftproof",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="""How much should we believe this classifier on data that nobody has labelled yet?

    Start with [bold]shiftproof demo[/bold]: real bank calls of 2009 against those of 2010.

    Exit codes: 0 fine, 1 found what --fail-on asks about, 2 bad input, 3 internal error.""",
)
app.command()(demo)
app.command()(detect)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"shiftproof {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code; every error is one line on standard error."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    try:
        code = app(args=arguments, prog_name="shiftproof", standalone_mode=False)
    except ShiftproofError as error:
        return _complain(str(error), BAD_INPUT)
    except click.exceptions.Abort:
        return _complain("interrupted.", 130)
    except click.ClickException as error:
        return _complain(f"{error.format_message()} (see 'shiftproof --help')", BAD_INPUT)
    except KeyboardInterrupt:
        return _complain("interrupted.", 130)
    except BrokenPipeError:  # the reader of our output, such as head, has seen enough
        sys.stderr.close()
        return FINE
    except Exception as error:
        return _complain(f"internal error: {error!r}; the traceback is in {_keep_traceback()}", INTERNAL)
    return int(code or FINE)


def _complain(sentence: str, code: int) -> int:
    sys.stderr.write(f"shiftproof: {' '.join(sentence.split())}\n")
    return code


def _keep_traceback() -> Path:
    with tempfile.NamedTemporaryFile(
        "w", prefix="shiftproof-", suffix=".log", delete=False, encoding="utf-8"
    ) as stream:
        stream.write(f"shiftproof {__version__}, Python {sys.version}\n{traceback.format_exc()}")
    return Path(stream.name)
