"""The command line: `shiftproof --help`."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from shiftproof._version import __version__
from shiftproof.cli._alerts import COMMANDS as ALERT_COMMANDS
from shiftproof.cli._alerts import NAMES as ALERT_NAMES
from shiftproof.cli._alerts import deliver, send_test
from shiftproof.cli._audit import audit
from shiftproof.cli._backtest import backtest
from shiftproof.cli._commands import Command, Group, as_command
from shiftproof.cli._compare import compare
from shiftproof.cli._config import USUAL, command_of, options_of, read_config, split_arguments
from shiftproof.cli._demo import demo
from shiftproof.cli._detect import detect
from shiftproof.cli._evaluate import evaluate
from shiftproof.cli._import import import_results
from shiftproof.cli._monitor import COMMANDS as MONITOR_COMMANDS
from shiftproof.cli._quantify import quantify
from shiftproof.cli._reproduce import reproduce
from shiftproof.cli._select import select
from shiftproof.cli._serve import serve
from shiftproof.cli._streams import tolerant_streams
from shiftproof.cli._stress import stress
from shiftproof.cli._terminal import consoles, show_note
from shiftproof.cli._traceback import keep_traceback
from shiftproof.cli._words import in_terminal
from shiftproof.core import InputError, shown, similar, tame

#: Exit codes, which jobs that run a command rely on.
FINE, FOUND, BAD_INPUT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130
EXIT_CODES = "Exit codes: 0 success, 1 a --fail-on condition is met, 2 bad input, 3 internal error."
_WITHOUT_FAIL_ON = "Exit codes: 0 success, 2 bad input, 3 internal error."
_OF_A_TEST = "Exit codes: 0 delivered, 1 a channel failed, 2 bad input, 3 internal error."
#: Which command answers which question, in the order in which a user would ask them.
COMMANDS: dict[Callable[..., Any], str] = {
    demo: "What does shiftproof do? A demo on a bank's phone calls, in about a minute.",
    audit: "Can I trust a model on new data? Runs detect, select, quantify and evaluate.",
    detect: "What changed between the labelled and the new data, and does it matter?",
    select: "Which model is best on the new data, and how good is it?",
    quantify: "What are the class proportions in the new data?",
    evaluate: "How good is each model on data like the labelled data?",
    stress: "How would each model cope with shifts that have not happened yet?",
    backtest: "How good would the estimates have been in the past? When should I refit?",
    compare: "Which of several methods is best across many data sets?",
    reproduce: "Can the experiments from the papers be reproduced?",
}
PANEL = "Commands, by question"
# What is in the column that a required option names.
_WHAT_TO_NAME = {"target": "with the labels", "time": "of dates"}

app = typer.Typer(
    name="shiftproof",
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help=f"""How far can you trust a classifier on data that nobody has labelled yet?

    Three commands to try first:

    [dim]shiftproof demo[/dim]
    [dim]shiftproof audit labelled.csv new.csv --target churned[/dim]
    [dim]shiftproof detect january.csv february.csv --fail-on shift[/dim]

    Put options that rarely change into a file named shiftproof.toml, for example
    target = "churned". Options in a table such as \\[audit] apply only to that command.

    {EXIT_CODES}""",
)
_MONITOR_HELP = """Is the model still good, batch after batch, without labels?

Create a monitor once, then add every batch:

[dim]shiftproof monitor init calls.db --reference validation.csv[/dim]
[dim]  --score-column p --target subscribed[/dim]
[dim]shiftproof monitor add calls.db today.csv[/dim]
[dim]shiftproof monitor status calls.db --out page.html[/dim]

There are three levels of alarm. [bold]changed[/bold]: the data differ from earlier
data, which may be harmless. [bold]material[/bold]: a column has moved far from
the baseline. [bold]harm[/bold]: accuracy is probably below the lowest value that
you accept (--floor). The last two need someone to look into them.
"""
_ALERTS_HELP = """Choose who is notified of incidents: a webhook, an e-mail address, a program, Slack or Teams.

Add a channel once and test it; after that, monitor add sends alerts automatically:

[dim]shiftproof monitor alerts webhook calls.db https://example.org/hook[/dim]
[dim]  --secret-env SHIFTPROOF_SECRET[/dim]
[dim]shiftproof monitor alerts test calls.db[/dim]

One message is sent when an incident opens and another when the data recover.
Alerts that cannot be delivered wait in the store. The next monitor add or
[bold]monitor deliver[/bold] tries again. Secrets are read from environment
variables whose names begin with SHIFTPROOF_ and are never stored.
"""
monitor = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode="rich", help=_MONITOR_HELP)
alerts = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode="rich", help=_ALERTS_HELP)


def _register(
    group: typer.Typer,
    commands: Mapping[Callable[..., Any], str],
    panel: str,
    names: Mapping[Callable[..., Any], str] | None = None,
) -> None:
    for command, question in commands.items():
        codes = EXIT_CODES if "fail_on" in signature(command).parameters else _WITHOUT_FAIL_ON
        codes = _OF_A_TEST if command is send_test else codes
        name = (names or {}).get(command)
        group.command(name, cls=Command, epilog=codes, short_help=question, rich_help_panel=panel)(as_command(command))


_register(app, COMMANDS, PANEL)
_MORE: dict[Callable[..., Any], str] = {
    serve: "Serve a dashboard for your browser: how has accuracy changed over time?",
    deliver: "Send the alerts that are still waiting.",
    import_results: "Import earlier results from NannyML or Evidently.",
}
_register(monitor, {**MONITOR_COMMANDS, **_MORE}, "Commands", {import_results: "import"})
_register(alerts, ALERT_COMMANDS, "Commands", ALERT_NAMES)
monitor.add_typer(
    alerts,
    name="alerts",
    short_help="Choose who is notified of incidents: webhook, e-mail, program, Slack, ...",
    rich_help_panel="Commands",
    epilog=_WITHOUT_FAIL_ON,
)
app.add_typer(
    monitor,
    name="monitor",
    short_help="Is the model still good? Check every batch, with few false alarms.",
    rich_help_panel=PANEL,
    epilog=EXIT_CODES,
)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"shiftproof {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A TOML file with default options. Default: shiftproof.toml, if it exists."),
    ] = None,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code; every error is one line on standard error."""
    # Importing makes many objects, all of which stay: searching them for garbage took a sixth of the time of a command.
    gc.set_threshold(100_000)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a name that the terminal cannot show must not stop a job
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    with tolerant_streams() as output_failure:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        failure = output_failure()
        return code if failure is None else _complain(f"cannot write to standard output ({failure}).", BAD_INPUT)


def _run(arguments: list[str]) -> int:
    try:
        words, settings = _configured(arguments)
        code = app(args=words, prog_name="shiftproof", standalone_mode=False, default_map=settings)
    except InputError as error:
        return _complain(in_terminal(error.phrase), BAD_INPUT)
    except typer.TyperException as error:  # a wrong command or option
        return _complain(_corrected(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except MemoryError:  # also of NumPy and Arrow, which may ask for more than there is at once
        return _complain("not enough memory for these tables; use fewer rows or columns.", BAD_INPUT)
    except OSError as error:  # such as a folder for figures that cannot be written
        return _complain(f"{error.filename or 'a file'} cannot be used ({error.strerror or error}).", BAD_INPUT)
    except Exception as error:
        return _complain(f"internal error: {shown(error, width=200)}; {keep_traceback(error)}", INTERNAL)
    # Typer turns an interruption into its exit code and prints nothing.
    return _complain("interrupted.", INTERRUPTED) if code == INTERRUPTED else int(code or FINE)


def _corrected(error: typer.TyperException) -> str:
    """Word a misuse as all errors are: what is wrong; what to do."""
    # Typer's sentences begin with a capital and end with a full stop; ours follow "shiftproof: ".
    what = error.format_message().replace("Value error, ", "").rstrip(".") or "No command was given"
    what = what.replace("Got unexpected extra argument(s)", "Unexpected argument")
    # Typer lists up to three options in the order of the alphabet. Dashes make all of them look alike, so that only a
    # close one is named.
    misspelt: Any = error if hasattr(error, "possibilities") else None
    if misspelt is not None:
        what = f"No such option {misspelt.option_name!r}"
        if near := similar(misspelt.option_name, misspelt.possibilities or (), cutoff=0.75):
            what += f". Did you mean {near[0]!r}?"
    context: typer.Context | None = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "shiftproof"
    missing = getattr(getattr(error, "param", None), "name", None)
    if isinstance(error, typer.BadParameter) and what.startswith("Missing option") and missing in _WHAT_TO_NAME:
        return f"missing option '--{missing}'; name the column {_WHAT_TO_NAME[missing]}."
    hint = "" if what.endswith("?") else f"; see '{command} --help'."
    return f"{what[0].lower()}{what[1:]}{hint}"


def _complain(sentence: str, code: int) -> int:
    sys.stderr.write(f"shiftproof: {tame(' '.join(sentence.split()))}\n")
    return code


def _configured(arguments: list[str]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the arguments, and the defaults that a file sets for the command."""
    words, named = split_arguments(arguments)
    # A broken file must not stop --help.
    if named is None and (not Path(USUAL).is_file() or "--help" in words):
        return words, {}
    options = options_of(typer.main.get_command(app))
    command = command_of(words, options)
    config = read_config(named, command, options)
    if config is None:
        return words, {}
    if config.note:
        show_note(consoles()[1], config.note)
    defaults: dict[str, Any] = {options[command][name].name: value for name, value in config.values.items()}
    for part in reversed(command.split()):
        defaults = {part: defaults}
    return words, defaults
