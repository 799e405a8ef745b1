from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console
from tests.monitoring import _made as made

from shiftproof.cli._monitor import Added
from shiftproof.cli._show_monitor import show_added, show_created, show_status, words
from shiftproof.core import Argument, Note, Phrase
from shiftproof.monitoring import Baseline


def printed(show: object, *arguments: object, **options: object) -> str:
    console = Console(file=io.StringIO(), width=200)
    show(console, *arguments, **options)  # type: ignore[operator]
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_one_batch_is_shown_with_its_details() -> None:
    out = printed(show_added, Added(None, [made.update()]))  # type: ignore[arg-type]
    assert out.startswith("Batch 'day 7' (1,000 rows). No alarm.\nEstimated accuracy: 81.2%")


def test_of_several_batches_only_alarms_have_details() -> None:
    raised = made.incident()
    alarm = made.update(opened=(raised,), open_incidents=(raised,))
    out = printed(show_added, Added(None, [made.update(), alarm]))  # type: ignore[arg-type]
    assert out.count("Estimated accuracy") == 1
    assert printed(show_added, Added(None, [])) == "No new batches.\n"  # type: ignore[arg-type]


def test_several_quiet_batches_are_followed_by_why_alarms_come_late() -> None:
    quiet = made.update(terms=replace(made.TERMS, independent_rows=1))
    out = printed(show_added, Added(None, [quiet, quiet]))  # type: ignore[arg-type]
    assert out.count("a batch counts as at most 1 independent row. Alarms will be late or never") == 1
    assert out.count("Estimated accuracy") == 0


def test_status_shows_twelve_batches_or_all() -> None:
    status = made.status(recent=tuple(made.line(number) for number in range(1, 21)))
    short, long = printed(show_status, status), printed(show_status, status, everything=True)
    assert short.count("'day") == 12 + 1
    assert "8 more; --all shows them." in short
    assert long.count("'day") == 20 + 1


def test_created_monitor_says_what_it_compares_and_whether_it_has_batches() -> None:
    baseline = Baseline.of({"a": [1.5, 2, 3, 4] * 10, "b": [0.5, 0.7] * 20}, scores="b")
    new, old = (
        printed(show_created, status, baseline=baseline)
        for status in (made.status(n_batches=0, n_rows=0, recent=(), last=None), made.status())
    )
    assert new.startswith("The monitor 'default' is ready.\n\nBaseline of 40 rows and 2 columns; no rows are stored. ")
    assert new.endswith("Harm: accuracy below 78.0%, the floor.\n")
    assert old.startswith("The monitor 'default' was created before and has 1,200 batches.\n")


def test_arguments_of_a_baseline_are_options_of_init() -> None:
    phrase = Phrase("pass ", Argument("labels"), " or ", Argument("alpha"))
    assert words(phrase) == "pass --target or --alpha"
    assert words(phrase, command=" to monitor init") == "pass --target to monitor init or --alpha"


def test_status_names_the_command_of_an_option_of_init() -> None:
    out = printed(show_status, made.status(notes=(Note(code="independent rows"),)))
    assert (
        "The alarms assume independent rows; pass --time to monitor init to measure how far periods differ."
        in " ".join(out.split())
    )


def test_created_monitor_warns_of_a_floor_above_the_validated_accuracy() -> None:
    baseline = Baseline.of({"a": [1.5, 2, 3, 4] * 10, "b": [0.5, 0.7] * 20}, scores="b")
    out = printed(show_created, made.status(terms=replace(made.TERMS, floor=0.9)), baseline=baseline)
    assert out.endswith(
        "Harm: accuracy below 90.0%, the floor. The floor is above the validated accuracy of 83.0%: expect a harm "
        "alarm even if nothing changes.\n"
    )
