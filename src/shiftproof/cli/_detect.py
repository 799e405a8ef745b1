"""`shiftproof detect`."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shiftproof.cli._columns import check_columns
from shiftproof.cli._show import consoles, show_detection, show_note, write_json
from shiftproof.core import InputError, ShiftproofWarning


class FailOn(StrEnum):
    """What makes the command leave with 1."""

    shift = "shift"
    material = "material"
    unsure = "unsure"


def detect(
    reference: Annotated[
        Path, typer.Argument(help="Rows the model was built or validated on: CSV, CSV.gz or Parquet.")
    ],
    current: Annotated[Path, typer.Argument(help="New rows, with the same columns.")],
    target: Annotated[
        str | None,
        typer.Option(metavar="COL", help="The label column, left out of the comparison where it is present."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A column to leave out, such as a time stamp; may be repeated."),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COL=KIND",
            help="What a column is: nominal, continuous, date, text or identifier; may be repeated.",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Level of the false discovery rate.")] = 0.05,
    out: Annotated[Path | None, typer.Option(help="Write an HTML page here.")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON here; - for standard output.")] = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            help="Leave with 1 if any feature shifted (shift), if one did by enough to matter (material), or if one "
            "did or there are too few rows to say (unsure). 'Cannot say' fails only with unsure."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every test, not only the first 20.")] = False,
) -> int:
    """Say which features changed between two tables, by how much, and whether it matters.

    Numbers are compared by Kolmogorov-Smirnov, categories by chi-square,
    missing values on their own; false discoveries are controlled over all of
    them. With too few rows the verdict is "cannot say": the command fails on
    that only with [bold]--fail-on unsure[/bold].

    [dim]shiftproof detect january.csv february.parquet --exclude date[/dim]
    [dim]  --fail-on material --out page.html[/dim]
    """
    from shiftproof.data import read
    from shiftproof.detection import detect as compare
    from shiftproof.reporting import counted

    output, progress = consoles()
    kinds = _kinds(kind or [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShiftproofWarning)
        with progress.status("reading") as status:
            old, new = read(reference), read(current)
            status.update(f"comparing {len(old):,} with {counted(len(new), 'row')}")
            columns = list(dict.fromkeys([*old.columns, *new.columns]))
            labels = [target] if target is not None else []
            check_columns("--target", labels, columns)
            check_columns("--exclude", exclude or [], columns)
            result = compare(old, new, alpha=alpha, kinds=kinds, exclude=[*(exclude or []), *labels])
            if out is not None:
                status.update("writing the page")
                result.save(out)
    for warning in caught:
        show_note(progress, str(warning.message))
    if json is not None:
        write_json(result.to_dict(), json)
    if json != "-":
        show_detection(output, result, most=len(result.rows) if everything else 20)
    if out is not None:
        progress.print(f"page: {out}", highlight=False, markup=False, soft_wrap=True)
    found = {
        FailOn.shift: result.shifted,
        FailOn.material: result.material,
        FailOn.unsure: result.material or result.verdict == "cannot say",
    }
    return int(fail_on is not None and found[fail_on])


def _kinds(given: list[str]) -> dict[str, str]:
    kinds = {}
    for item in given:
        name, equals, kind = item.rpartition("=")
        if not equals or not name:
            raise InputError(f"--kind must look like COL=nominal, got {item!r}; name the column and its kind.")
        kinds[name] = kind
    return kinds
