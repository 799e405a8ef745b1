"""Tables of the monitor's simulations: how often alarms are false, how late they come, and how incidents end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from benchmarks import monitor_delays as changes
from benchmarks import monitor_paging as paging
from benchmarks import monitor_seasons as seasonal
from benchmarks import monitor_segments as segmented
from benchmarks import monitor_streams as runs
from benchmarks.monitor_streams import Kind

#: The fewest streams of a table that takes long, and of one whose median is looked at.
FEW, SOME = 20, 60


@contextmanager
def table(title: str) -> Iterator[None]:
    """Print a title before and the CPU time after a table."""
    begin = time.process_time()
    print(f"\n{title}")
    yield
    print(f"  ({time.process_time() - begin:.0f} s of CPU)", flush=True)


def line(name: str, *cells: object) -> None:
    """Print one row."""
    print(f"  {name:34}" + "".join(f"{_shown(cell):>14}" for cell in cells), flush=True)


def _shown(cell: object) -> str:
    if isinstance(cell, changes.Delays):
        return f"{cell.median:.0f} [{cell.late:.0f}]"
    if isinstance(cell, tuple):
        return f"{cell[0]:.0f} [{cell[1]:.0f}]"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def quiet(streams: int, batches: int) -> None:
    """Print how often quiet streams alarm."""
    with table(f"changed: false alarms ever, {streams} quiet streams x {batches} batches of 100 rows"):
        line("", "m", "ever", "run length")
        for name, (source, m, kind) in runs.QUIET.items():
            modes = [changes.quiet(source, m, kind, streams=streams, batches=batches, mode=mode) for mode in runs.MODES]
            line(name, m, *modes)
        for name in ("normal", "two-valued, 0.5%", "500 levels"):
            source, _, kind = runs.QUIET[name]
            line(name, 200, changes.quiet(source, 200, kind, streams=streams, batches=min(batches, 300)))
        for name in ("normal", "two-valued, 0.5%", "500 levels"):
            source, _, kind = runs.QUIET[name]
            sizes = (1, 10, 100, 1000, 10_000, 100_000)
            line(
                f"{name}, 1 to 100,000 rows",
                200,
                changes.quiet(source, 200, kind, streams=streams, batches=batches, sizes=sizes),
            )


def delays(streams: int, batches: int) -> None:
    """Print how long after a change alarms come, early and late in a stream."""
    starts = ((batches // 2, streams), (10 * batches, max(streams // 5, FEW)))
    with table("changed: batches to the alarm, median [90%], and how often the range holds the beginning"):
        for start, count in starts:
            line(f"change at batch {start}", *runs.MODES, "in range")
            for name in changes.CHANGES:
                ever, run = (changes.delays(name, start, streams=count, mode=mode) for mode in runs.MODES)
                for change in ever:
                    line(f"{name}: {change}", ever[change], run[change], ever[change].in_range)


def features(streams: int, batches: int) -> None:
    """Print false alarms of fifty features together."""
    count, length = max(streams * 2 // 5, 10), max(batches // 10, 10)
    with table(f"changed: 50 correlated features, {count} streams x {length} batches"):
        line("", "mean", "largest", "e-BH")
        for rho in (0.5, 0.95):
            together = changes.features_together(rho, streams=count, batches=length)
            line(f"rho {rho}", together.mean, together.largest, together.blamed)
        for shifted in (1, 10):
            few = max(count // 4, 10)
            together = changes.features_together(0.5, streams=few, batches=length + 15, shifted=shifted, start=length)
            line(f"{shifted} shifted by 0.5 sd: median delay", f"{together.delay:.0f}")


def seasons(streams: int, batches: int) -> None:
    """Print false alarms and delays where means differ by up to two standard deviations between seasons."""
    count, length = max(streams // 2, FEW), max(batches // 2, FEW)
    with table(f"seasons: false alarms ever, {count} quiet streams x {length} batches of 100 rows"):
        line("seasons, seasons of a batch", *seasonal.LEVELS)
        for number, span in ((24, 1), (24, 3), (24, 24), (7, 1)):
            first = seasonal.alarms_by_season(number, span=span, streams=count, batches=length)
            line(f"{number}, {span}", *map(runs.false_share, first.values()))
        blind = seasonal.alarms_by_season(24, streams=max(count // 10, FEW), batches=length, seasonal=False)
        line("24, 1, not told to the alarms", *map(runs.false_share, blind.values()))
    with table("24 seasons: batches to the alarm after 100 quiet ones, median [90%]"):
        line("", "changed", "material, n, m 1,000")
        size = {"streams": max(streams // 10, FEW), "batches": 200, "start": 100}
        for shift in (0.25, 0.5, 1.0):
            late = seasonal.delay_by_season(24, shift=shift, level="material", n=1000, m=1000, **size)
            line(f"mean by {shift} sd", seasonal.delay_by_season(24, shift=shift, **size), late)


def segments(streams: int, batches: int) -> None:
    """Print false alarms in any segment, and delays if one of twenty parts of the rows changes."""
    count, length = max(streams // 5, FEW), max(batches // 5, FEW)
    with table(f"segments: false alarms ever in any of them or in all rows, {count} quiet streams x {length} batches"):
        line("segments", *segmented.LEVELS)
        for number in (0, 5, 20):
            line(f"{number}", *segmented.false_by_segment(number, streams=count, batches=length).values())
    with table("changed: batches to the alarm if one of 20 parts of the rows changes, by the segments watched"):
        line("mean by", "0.5 sd", "1 sd")
        for number in (0, 5, 20):
            size = {"streams": max(streams // 20, FEW), "start": 30}
            line(f"{number}", *(segmented.delay_by_segment(number, shift=shift, **size) for shift in (0.5, 1.0)))


def material(streams: int, batches: int) -> None:
    """Print false alarms and delays of *material*."""
    few = max(streams // 4, SOME)  # plenty for a median
    with table(f"material: false alarms ever at distances of 0 to 0.1, delays beyond, {streams} x {batches}"):
        line("", *(f"{distance}" for distance in (0.0, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3)))
        for kind, m in (("number", 2000), ("category", 5000)):
            for n in (50, 1000, 100_000):
                run = partial(_material, kind=kind, n=n, m=m, batches=batches)
                quiet = [run(distance, streams=streams) for distance in (0.0, 0.05, 0.08, 0.1)]
                distant = [run(distance, streams=few) for distance in (0.15, 0.2, 0.3)]
                line(f"{kind}, n {n}", *map(runs.false_share, quiet), *map(runs.delay, distant))


def categories(streams: int, batches: int) -> None:
    """Print delays of *material* for categories early and late in a stream, and false alarms where days differ."""
    some = max(streams // 10, SOME)
    with table(
        f"material, categories: batches to the alarm, by rows of a batch and quiet batches before, {some} streams"
    ):
        line("", *(f"{n} after {start}" for start in (0, 100) for n in (50, 1000)))
        pairs = {f"distance {distance}": paging.at_distance(distance, "category") for distance in (0.2, 0.3)}
        for name, sources in (pairs | paging.LEVELS).items():
            line(name, *(_after_quiet(sources, n, start, some) for start in (0, 100) for n in (50, 1000)))
        same = paging.at_distance(0.0, "category")
        size = {"streams": max(streams // 4, SOME), "batches": min(batches, 300)}
        for n in (1000, 100_000):
            first = paging.material(same, n, kind="category", m=5000, day_sd=0.05, **size)
            line(f"false alarms, days differ, n {n}", runs.false_share(first))


def _material(distance: float, *, kind: Kind, **size: int) -> runs.Ints:
    return paging.material(paging.at_distance(distance, kind), kind=kind, seed=int(1000 * distance), **size)


def _after_quiet(sources: tuple[runs.Source, runs.Source], n: int, start: int, streams: int) -> tuple[float, float]:
    """Return the median delay and its 90% point, after quiet batches without an alarm."""
    size = {"streams": streams, "batches": start + 200, "m": 5000, "start": start}
    first = paging.material(sources, n, kind="category", **size)
    return runs.delay(np.where(first > start, first - start, 0), (first == 0) | (first > start))


def recovery(streams: int, batches: int) -> None:
    """Print how incidents of *changed* end, and how they last if the change does."""
    few, quiet = max(streams // 10, FEW), batches // 2
    normal = runs.Normal()
    cases: dict[str, tuple[runs.Source, runs.Source]] = {
        "0.25 sd": (normal, runs.Normal(0.25)),
        "0.5 sd": (normal, runs.Normal(0.5)),
        "1 sd": (normal, runs.Normal(1.0)),
        "sd x 1.3": (normal, runs.Normal(sd=1.3)),
        "missing 0 -> 5%": (normal, runs.Normal(missing=0.05)),
        "500 levels, + 0.2": (runs.LEVELS_500, runs.LEVELS_500.plus(5, 0.2)),
    }
    with table(f"changed: the end of an incident of 50 batches, {few} streams, then {quiet} quiet batches"):
        line("", "to recovery", "too soon", "open again", "false after", f"too soon, {quiet}")
        for name, (before, changed) in cases.items():
            kind: Kind = "category" if name.startswith("500") else "number"
            run = partial(changes.recovery, before, changed, m=2000 if kind == "category" else 1000, kind=kind)
            # Hundreds of categories are looked at one by one, so fewer streams and batches must do.
            count, lasts = (few, quiet) if kind == "number" else (FEW, 100)
            ended = run(streams=count, quiet=quiet)
            lasting = run(streams=count, lasts=lasts, back=1)
            late = (ended.median, ended.late)
            line(name, late, ended.too_soon, ended.open_again, ended.false_alarms, lasting.too_soon)


def dependent(streams: int, batches: int) -> None:
    """Print false alarms of rows that resemble each other."""
    with table("dependent rows: false alarms, without and with the design effect of ten periods of 100"):
        line("", "without", "with", "mean effect")
        for kind, n in (("AR(1)", 100), ("day", 100), ("day", 1000)):
            plain, careful, effect = changes.dependent(kind, n, streams=streams, batches=batches)
            line(f"changed: {kind}, n {n}", *map(runs.false_share, (plain, careful)), float(effect.mean()))
        start = batches // 2
        pair = changes.dependent("AR(1)", 100, streams=max(streams // 5, FEW), batches=start + 150, start=start)[:2]
        late = [runs.delay(np.where(x > start, x - start, 0), (x == 0) | (x > start)) for x in pair]
        line("changed: AR(1), delay at 0.25 sd", *late)
        for distance in (0.0, 0.1):
            firsts = paging.material_dependent(distance, streams=streams, batches=batches)
            line(f"material: AR(1) at {distance}", *map(runs.false_share, firsts))
        firsts = paging.material_dependent(0.2, streams=max(streams // 5, FEW), batches=batches)
        line("material: AR(1) at 0.2, delay", *map(runs.delay, firsts))


def harm(streams: int, batches: int) -> None:
    """Print false alarms and delays of *harm*, where accuracy drops in the middle of the stream."""
    start = batches // 2

    def cells(run: Callable[..., Any], *choose: str) -> list[str]:
        """Run one kind of alarm at every drop."""
        at_floor = run(0.0, streams=streams, batches=batches)
        dropped = [run(drop, streams=streams, batches=batches, start=start) for drop in (0.05, 0.1, 0.15)]
        chosen = [first[choose[0]] if choose else first for first in (at_floor, *dropped)]
        return [_found(chosen[0], 0), *(_found(first, start) for first in chosen[1:])]

    with table(f"harm: floor 0.8, 500 rows, {streams} x {batches}: at the floor, or below it from batch {start} on"):
        line("share of alarms (median delay)", *(f"drop {drop}" for drop in (0.0, 0.05, 0.1, 0.15)))
        line("bias ignored", *cells(partial(paging.harm, tau=0.0)))
        line("no labels", *cells(paging.harm))
        biased = paging.harm(0.0, streams=streams, batches=batches, bias=-2 * paging.BIAS_SD)
        line("no labels, bias of -2 sd", _found(biased, 0))
        for k in (10, 20, 50):
            run = partial(paging.harm_with_labels, labelled=k)
            line(f"labels, {k}", *cells(run, "labels"))
            line(f"both, {k}", *cells(run, "both"))
            for times in (1, 9):
                redrawn = run(0.0, streams=streams, batches=batches, redrawn=batches // (times + 1))
                line(f"both, {k}, bias redrawn {times} times", _found(redrawn["both"], 0))
            late = run(0.0, streams=streams, batches=batches, begin=batches // 5)
            line(f"both, {k}, no labels in the first fifth", _found(late["both"], 0))
            seldom = run(0.0, streams=streams, batches=batches, every=10)
            line(f"both, {k}, of every tenth batch", _found(seldom["both"], 0))
        for k, parts in ((10, 1), (20, 1), (20, 2), (50, 1), (50, 5)):
            strata = partial(paging.harm_stratified, labelled=k, parts=parts)
            line(f"strata, {k}, {parts} bets a batch", *cells(strata, "strata"))
        run_length = partial(paging.harm_with_labels, labelled=20, mode="run length")
        line("labels, 20, run length", *cells(run_length, "labels"))
        line("both, 20, run length", *cells(run_length, "both"))


def _found(first: Any, start: int) -> str:
    """Write the share of streams that alarm after a batch, of those that had not, and the median delay of all."""
    calm = (first == 0) | (first > start)
    late = np.where(first > start, first - start, 0)[calm]
    median = runs.delay(late)[0]
    return f"{runs.false_share(late):.3f}" + (f" ({median:.0f})" if math.isfinite(median) else "")


TABLES: dict[str, Callable[[int, int], None]] = {
    "quiet": quiet,
    "delays": delays,
    "features": features,
    "seasons": seasons,
    "segments": segments,
    "material": material,
    "categories": categories,
    "dependent": dependent,
    "harm": harm,
    "recovery": recovery,
}
