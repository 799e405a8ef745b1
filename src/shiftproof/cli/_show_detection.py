"""How a comparison of two tables looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from shiftproof.cli._terminal import NARROW, plain_table, sized, text

if TYPE_CHECKING:
    from shiftproof.detection import Detection, FeatureShift, Period, Timeline

STYLES = {"shifted": "bold red", "negligible": "yellow", "no shift": "green", "cannot say": "dim"}
# Lines over time, and groups of features, at the most.
_MOST_LINES, _MOST_GROUPS = 60, 5
# Scores that are neither higher nor lower by this much are spread otherwise.
_LEVEL_SCORES = 0.02


def show_detection(console: Console, result: Detection, *, most: int) -> None:
    """Print the scores, the table of tests, what all features show together, the verdict and the sentences."""
    if result.scores:
        _show_scores(console, result)
    narrow = console.width < NARROW
    table = plain_table()
    table.add_column("feature", overflow="fold", min_width=8, max_width=32)
    if not narrow:
        table.add_column("kind", overflow="fold", max_width=32)
    table.add_column("size of change", no_wrap=True)
    table.add_column("q-value", justify="right", no_wrap=True)
    if not narrow:
        table.add_column("missing", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in result.rows[:most]:
        feature, kind, size, q_value, missing, verdict = _cells(console, row)
        table.add_row(
            *([feature, size, q_value, verdict] if narrow else [feature, kind, size, q_value, missing, verdict])
        )
    console.print(table)
    if len(result.rows) > most:
        hidden = len(result.rows) - most
        told = f"… and {hidden} more test{'s' * (hidden != 1)}; --all shows {'them' if hidden != 1 else 'it'}."
        console.print(text(console, told, "dim"))
    for row in result.rows[:most]:
        if row.note:
            console.print(text(console, f"{row.label}: {row.note}", "dim"))
    console.print()
    beyond = _beyond_features(result)
    for head, words in beyond:
        console.print(Text.assemble((head, "bold"), ": ", text(console, words)))
    if beyond:
        console.print()
    verdict = text(console, result.verdict.upper(), STYLES[result.verdict])
    console.print(verdict, text(console, result.summary()), sep="  ")


def _cells(console: Console, row: FeatureShift) -> tuple[Text, ...]:
    from shiftproof.core import chance, effect, share

    known = row.effect == row.effect
    name = {"ks": "KS", "chi-square": "Hellinger", "missing": "missing", "infinite": "infinite"}.get(row.test, "")
    size = sized(console, row.effect, f"{effect(row.effect)} {name}" if known else "–", STYLES[row.verdict])
    missing = f"{share(row.missing_reference) or '–'} → {share(row.missing_current) or '–'}"
    quiet = row.missing_reference == row.missing_current == 0
    return (
        text(console, row.label),
        text(console, row.kind, "dim"),
        size,
        text(console, chance(row.q_value) or "–"),
        text(console, "–" if quiet else missing, "dim" if quiet else ""),
        text(console, row.verdict, STYLES[row.verdict]),
    )


def _show_scores(console: Console, result: Detection) -> None:
    """Print stage one: per model how far its scores moved, and whither."""
    from shiftproof.core import chance

    narrow = console.width < NARROW
    table = plain_table()
    table.add_column("score", overflow="fold", min_width=8, max_width=32)
    table.add_column("size of change", no_wrap=True)
    table.add_column("new rows score", overflow="fold")
    table.add_column("p" if len(result.scores) == 1 else "q-value", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in result.scores:
        if row.model not in result.score_records:
            dash = text(console, "–")
            table.add_row(text(console, row.model), dash, text(console, row.note), dash, text(console, row.verdict))
            continue
        several = len(result.score_records[row.model]) > 1
        name = f"{row.model}, class {row.label}" if several else row.model
        means = "" if narrow else f", mean {row.mean_reference:.2f} → {row.mean_current:.2f}"
        size = sized(console, row.ks, f"{row.ks:.2f} KS", STYLES[row.verdict])
        table.add_row(
            text(console, name),
            size,
            text(console, _direction(row.higher) + means if row.shifted else "as before"),
            text(console, chance(row.q_value)),
            text(console, row.verdict, STYLES[row.verdict]),
        )
    console.print(table)
    console.print()


def _direction(higher: float) -> str:
    """Say where the new scores lie, from the chance that a new one is above an old one.

    Examples
    --------
    >>> _direction(0.7), _direction(0.31), _direction(0.5)
    ('higher', 'lower', 'otherwise spread')
    """
    return "otherwise spread" if abs(higher - 0.5) < _LEVEL_SCORES else "higher" if higher > 0.5 else "lower"


def _beyond_features(result: Detection) -> list[tuple[str, str]]:
    """Say what no single feature shows: all of them together, the kind of the shift, and which fail together."""
    from shiftproof.core import chance, listed

    said = []
    check = result.multivariate
    if check is not None and check.p_value != check.p_value:
        said.append(("all features together", f"not tested ({check.note})."))
    elif check is not None:
        verb = "tells the new rows from the old ones" if check.shifted else "cannot tell the new rows from the old ones"
        note = f"; {check.note}" if check.note else ""
        words = f"a classifier {verb}, AUC {check.auc}, q-value {chance(check.q_value)}{note}."
        said.append(("all features together", words))
    if result.kind is not None:
        said.append(("kind of shift", result.kind.summary()))
    elif result.shifted:
        said.append(("kind of shift", f"unclear ({result.kind_reason})."))
    groups = () if result.association is None else result.association.groups
    if groups:
        named = "; ".join(f"{listed(group.features)} (phi {group.phi:.2f})" for group in groups[:_MOST_GROUPS])
        more = f"; and {len(groups) - _MOST_GROUPS} more groups" if len(groups) > _MOST_GROUPS else ""
        said.append(("features that fail together", f"{named}{more}. {' '.join(result.advice)}".rstrip()))
    return said


def show_timeline(console: Console, result: Timeline, *, everything: bool = False) -> None:
    """Print one line per period, and the sentences."""
    scored = any(period.detection is not None and period.detection.scores for period in result.periods)
    narrow = console.width < NARROW
    table = plain_table()
    table.add_column(result.noun, overflow="fold", min_width=7, max_width=24)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    if scored:
        table.add_column("p" if narrow else "p of scores", justify="right", no_wrap=True)
    table.add_column("shifted", justify="right", no_wrap=True)
    table.add_column("worst" if narrow else "most to blame", overflow="fold", min_width=10)
    table.add_column("mean H" if narrow else "mean Hellinger", justify="right", no_wrap=True)
    earlier = 0 if everything else max(len(result.periods) - _MOST_LINES, 0)
    if earlier:
        told = f"… {earlier} earlier {result.noun}{'s' * (earlier != 1)}; --all shows them."
        console.print(text(console, told, "dim"))
    for period in result.periods[earlier:]:
        name, rows, verdict, p_value, *rest = _period_cells(console, period, narrow=narrow)
        table.add_row(name, rows, verdict, *([p_value] if scored else []), *rest)
    console.print(table)
    console.print()
    console.print(text(console, result.summary()))


def _period_cells(console: Console, period: Period, *, narrow: bool) -> list[Text]:
    from shiftproof.core import chance, effect

    found, worst = period.detection, period.worst
    if found is None:
        features = p_value = distance = "–"
    else:
        total = len({row.feature for row in found.rows})
        features = f"{len(found.features)}" if narrow else f"{len(found.features)} of {total}"
        p_value = chance(found.p_value) or "–"
        by_chance = "" if narrow or found.baseline is None else f" ({found.baseline.mean:.2f})"
        distance = f"{found.hellinger_mean:.2f}{by_chance}" if found.hellinger_mean == found.hellinger_mean else "–"
    return [
        text(console, period.name),
        text(console, f"{period.n_rows:,}"),
        text(console, period.verdict, STYLES[period.verdict]),
        text(console, p_value),
        text(console, features),
        text(console, "–" if worst is None else f"{worst.label} {effect(worst.effect)}"),
        text(console, distance),
    ]
