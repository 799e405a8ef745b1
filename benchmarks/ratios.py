"""What benchmarks measure beside other libraries, as files that `tools/make_benchmarks.py` makes a page of.

A benchmark with the option ``--write FOLDER`` writes FOLDER/NAME.json: its ratios, its agreements, and the run they
come from. A file holds both figures of a ratio; the ratio itself is always computed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
#: Where `make bench` writes files.
FOLDER = ROOT / "docs" / "benchmarks"
# Options that choose what runs or where it is written, not how long it runs.
_NEUTRAL = {"write", "only", "folder", "verb"}
_DIGITS = 4


class Unit(NamedTuple):
    """How to show a figure, and what a ratio below, above or at 1 means; fewer is better in every unit."""

    show: Callable[[float], str]
    less: str
    more: str
    same: str


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _seconds(value: float) -> str:
    return f"{_number(value)} s" if value >= 0.1 else f"{_number(1000 * value)} ms"


UNITS = {
    "CPU s": Unit(_seconds, "less CPU", "more CPU", "equal CPU"),
    "MiB": Unit(lambda value: f"{_number(value)} MiB", "less memory", "more memory", "equal memory"),
    "error": Unit(_number, "lower error", "higher error", "equal error"),
    "false alarms": Unit(
        lambda value: f"{value:.0%} of streams", "fewer false alarms", "more false alarms", "as many false alarms"
    ),
    "batches": Unit(
        lambda value: f"{value:g} batch{'es' * (value != 1)}", "shorter delay", "longer delay", "equal delay"
    ),
    "changed answers": Unit(
        lambda value: f"{value:.0%} of answers",
        "fewer changed answers",
        "more changed answers",
        "as many changed answers",
    ),
}


@dataclass(frozen=True, kw_only=True)
class Ratio:
    """One figure of ours beside the figure of a peer for the same task, in one run.

    Attributes
    ----------
    task : str
        What is measured, in words.
    peer, version : str
        The library, and its version; no version for something that is not a library, such as a table in memory.
    unit : str
        A key of `UNITS`.
    ours, theirs : float or None
        The figures; None is a delay without end.
    baseline : bool
        Whether the peer is a unit of measure, such as the fits that the task contains, and not a library that does the
        same task.
    """

    task: str
    peer: str
    version: str
    unit: str
    ours: float | None
    theirs: float | None
    baseline: bool = False

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ValueError(f"unit must be one of {', '.join(map(repr, UNITS))}; got {self.unit!r}.")

    @property
    def value(self) -> float:
        """Their figure divided by ours: above 1, ours is better."""
        ours, theirs = (float("inf") if one is None else one for one in (self.ours, self.theirs))
        if ours == theirs:
            return 1.0
        if ours == float("inf"):
            return 0.0
        return theirs / ours if ours else float("inf")

    @property
    def worse(self) -> bool:
        """Whether ours is worse, by as much as is shown."""
        return self.value < 1 and self.words != UNITS[self.unit].same

    @property
    def words(self) -> str:
        """The ratio in words.

        Examples
        --------
        >>> Ratio(task="sort", peer="numpy", version="2.4", unit="CPU s", ours=2.0, theirs=24.0).words
        '12 x less CPU'
        >>> Ratio(task="sort", peer="numpy", version="2.4", unit="CPU s", ours=2.8, theirs=2.0).words
        '1.40 x more CPU'
        """
        unit, value = UNITS[self.unit], self.value
        if value in (0.0, float("inf")):
            return f"{unit.less if value else unit.more}: {self._extreme()}"
        shown = times(max(value, 1 / value))
        return unit.same if shown == times(1) else f"{shown} x {unit.less if value > 1 else unit.more}"

    def figures(self) -> tuple[str, str]:
        """Return both figures as texts."""
        show = UNITS[self.unit].show
        ours, theirs = ("never" if one is None else show(one) for one in (self.ours, self.theirs))
        return ours, theirs

    def _extreme(self) -> str:
        """Say why there is no ratio: a figure of zero, or none at all."""
        who = "ours" if self.ours in (0, None) else "theirs"
        return f"{who} {'never alarms' if None in (self.ours, self.theirs) else 'none'}"


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """The largest difference between our result and a peer's, and the difference that is allowed."""

    task: str
    peer: str
    version: str
    difference: float
    allowed: float


@dataclass(frozen=True, kw_only=True)
class Run:
    """Where figures come from: the command, the month, our versions, and whether all settings are the default.

    The load is how many processes wanted to run in the five minutes before, where it is known: above the number of
    cores, the machine was busy with other work.
    """

    command: str
    month: str
    versions: dict[str, str]
    cores: int
    default: bool
    load: float | None = None

    @classmethod
    def now(cls, command: str, *, default: bool) -> Run:
        """Describe a run on this machine that has just ended."""
        versions = {"shiftproof": version("shiftproof"), "Python": platform.python_version()}
        versions |= {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
        return cls(
            command=command,
            month=f"{datetime.now(UTC):%Y-%m}",
            versions=versions,
            cores=os.cpu_count() or 1,
            default=default,
            load=os.getloadavg()[1],
        )


@dataclass(frozen=True, kw_only=True)
class Measured:
    """All that one benchmark measured beside others."""

    benchmark: str
    run: Run
    ratios: tuple[Ratio, ...] = ()
    agreements: tuple[Agreement, ...] = ()

    def write(self, folder: Path) -> Path:
        """Replace the benchmark's file, with figures of four digits."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.benchmark}.json"
        path.write_text(json.dumps(_rounded(asdict(self)), indent=1, allow_nan=False) + "\n", encoding="utf-8")
        return path

    @classmethod
    def read(cls, path: Path) -> Measured:
        """Read a file that `write` wrote."""
        held = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            benchmark=held["benchmark"],
            run=Run(**held["run"]),
            ratios=tuple(Ratio(**row) for row in held["ratios"]),
            agreements=tuple(Agreement(**row) for row in held["agreements"]),
        )


def times(value: float) -> str:
    """Write how many times, in as many digits as matter.

    Examples
    --------
    >>> times(1.024), times(1.52), times(12.4), times(1234.5)
    ('1.02', '1.5', '12', '1,234')
    """
    return f"{value:.2f}" if value < 1.495 else f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def add_write(parser: argparse.ArgumentParser) -> None:
    """Give a benchmark the option to write what it measures."""
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the ratios to a file in FOLDER")


def save(
    benchmark: str,
    rows: Sequence[Ratio | Agreement],
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    *,
    script: str,
    paths: Sequence[str] = (),
    chosen: str = "",
) -> None:
    """Write what a benchmark measured, if ``--write`` names a folder.

    Parameters
    ----------
    benchmark : str
        The name of the file.
    rows : sequence of Ratio or Agreement
    parser, options
        The command line: the command to repeat it is made of these.
    script : str
        What Python runs, such as ``"benchmarks/two_sample.py"``.
    paths : sequence of str
        Names of positional arguments that are paths.
    chosen : str
        What chooses this part of the script, such as ``"--only speed"``.
    """
    if options.write is None:
        return
    settings = _settings(parser, options, paths)
    words = [".venv/bin/python", script, *(_shown_path(name, getattr(options, name)) for name in paths), chosen]
    run = Run.now(" ".join(filter(None, [*words, *settings])), default=not settings)
    Measured(
        benchmark=benchmark,
        run=run,
        ratios=tuple(row for row in rows if isinstance(row, Ratio)),
        agreements=tuple(row for row in rows if isinstance(row, Agreement)),
    ).write(options.write)


def _settings(parser: argparse.ArgumentParser, options: argparse.Namespace, paths: Sequence[str]) -> list[str]:
    """Return the options that are not the default, as they are typed."""
    words: list[str] = []
    for name, value in vars(options).items():
        if name in {*_NEUTRAL, *paths} or value == parser.get_default(name):
            continue
        values = [] if value is True else value if isinstance(value, list) else [value]
        words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return words


def _shown_path(name: str, path: str | Path | None) -> str:
    """Return a path that means the same on other machines: relative, or the name of the argument."""
    if path is None:
        return ""
    given = Path(path)
    if given.is_absolute():
        return given.relative_to(ROOT).as_posix() if given.is_relative_to(ROOT) else name.upper()
    return given.as_posix()


def _rounded(value: Any) -> Any:
    """Round all numbers within dicts and lists."""
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(one) for one in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
