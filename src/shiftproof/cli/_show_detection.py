"""How a comparison of two tables looks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from shiftproof.cli._show import shift_line, show_line
from shiftproof.core import chance, counted, effect, listed, share
from shiftproof.reporting import NARROW, STYLES, Bar, Section, Tone, print_section, styled

if TYPE_CHECKING:
    from shiftproof.detection import Detection, FeatureShift, Period, ScoreShift, Timeline

_TONES: dict[str, Tone] = {"shifted": "bad", "negligible": "care", "no shift": "good", "cannot tell": "unknown"}
_SIZES = {"ks": "KS", "chi-square": "Hellinger", "missing": "missing", "infinite": "infinite"}
# More tests, periods or groups scroll off a screen; --all shows every test and period.
_MOST_TESTS, _MOST_PERIODS, _MOST_GROUPS = 20, 60, 5
# If the chance that a new score is above an old one is this close to a half, scores are neither higher nor lower.
_LEVEL_SCORES = 0.02


def show_detection(console: Console, result: Detection, *, everything: bool = False) -> None:
    """Print the verdict and the summary, then the scores, the table of tests and all features together."""
    narrow = console.width < NARROW
    verdict = styled(console, result.verdict.upper(), STYLES[_TONES[result.verdict]])
    console.print(verdict, styled(console, result.summary()), sep="  ")
    console.print()
    if result.scores:
        columns = ["score", "size of change", "new scores", "p" if len(result.scores) == 1 else "q-value", "verdict"]
        _print_table(console, columns, [_score_cells(result, row, narrow=narrow) for row in result.scores])
    tests = result.shown_rows if everything else result.shown_rows[:_MOST_TESTS]
    columns = ["feature", "type", "size of change", "q-value", "missing", "verdict"]
    # Names and verdicts need the room more than kinds and missing values do.
    hidden = ("type", "missing") if narrow else ()
    kept = [place for place, column in enumerate(columns) if column not in hidden]
    rows = [_feature_cells(row) for row in tests]
    _print_table(console, [columns[place] for place in kept], [[row[place] for place in kept] for row in rows])
    notes = [f"{row.label}: {row.note}" for row in tests if row.note]
    _show_below(console, [*_hidden_tests(len(result.shown_rows) - len(tests)), *notes])
    _show_together(console, result)


def _print_table(console: Console, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    print_section(console, Section(title="", columns=columns, rows=rows))


def _show_below(console: Console, lines: Sequence[str]) -> None:
    """Print dim lines that belong to the table above."""
    for line in lines:
        console.print(styled(console, line, "dim"))
    if lines:
        console.print()


def _hidden_tests(number: int) -> list[str]:
    return [f"… and {counted(number, 'more test')}; --all shows {'them' if number > 1 else 'it'}."] if number else []


def _feature_cells(row: FeatureShift) -> list[object]:
    from shiftproof.detection import MATERIAL

    known = row.effect == row.effect
    size = f"{effect(row.effect, threshold=MATERIAL[row.test])} {_SIZES.get(row.test, '')}".rstrip() if known else "–"
    missing = f"{share(row.missing_reference) or '–'} → {share(row.missing_current) or '–'}"
    none_missing = row.missing_reference == row.missing_current == 0
    return [
        row.label,
        row.kind,
        Bar(row.effect, size, _TONES[row.verdict]),
        chance(row.q_value),
        "" if none_missing else missing,
        row.verdict,
    ]


def _score_cells(result: Detection, row: ScoreShift, *, narrow: bool) -> list[object]:
    """Write how far and in which direction the scores of a model moved."""
    from shiftproof.detection import MATERIAL_SCORES

    if row.model not in result.score_records:
        return [row.model, "", row.note, "", row.verdict]
    several = len(result.score_records[row.model]) > 1
    means = "" if narrow else f", mean {row.mean_reference:.2f} → {row.mean_current:.2f}"
    return [
        f"{row.model}, class {row.label}" if several else row.model,
        Bar(row.ks, f"{effect(row.ks, threshold=MATERIAL_SCORES)} KS", _TONES[row.verdict]),
        _direction(row.higher) + means if row.shifted else "as before",
        chance(row.q_value),
        row.verdict,
    ]


def _direction(higher: float) -> str:
    """Say where the new scores lie, from the chance that a new one is above an old one.

    Examples
    --------
    >>> _direction(0.7), _direction(0.31), _direction(0.5)
    ('higher', 'lower', 'spread differently')
    """
    return "spread differently" if abs(higher - 0.5) < _LEVEL_SCORES else "higher" if higher > 0.5 else "lower"


def _show_together(console: Console, result: Detection) -> None:
    """Print what no single feature shows: all of them together, the type of shift, and which fail together."""
    lines = []
    check = result.multivariate
    if check is not None and check.p_value != check.p_value:
        lines.append(("all features together", f"not tested ({check.note})."))
    elif check is not None:
        verb = "distinguishes" if check.shifted else "cannot distinguish"
        note = f"; {check.note}" if check.note else ""
        words = (
            f"a classifier {verb} new rows from reference rows, AUC {check.auc}, q-value {chance(check.q_value)}{note}."
        )
        lines.append(("all features together", words))
    if result.kind is not None:
        lines.append(shift_line(result.kind, caveat=False))
    elif result.shifted:
        lines.append(("type of shift", f"not determined ({result.kind_reason})."))
    groups = () if result.association is None else result.association.groups
    if groups:
        named = "; ".join(listed(group.features) for group in groups[:_MOST_GROUPS])
        more = f"; and {len(groups) - _MOST_GROUPS} more groups" if len(groups) > _MOST_GROUPS else ""
        lines.append(("features that usually change together", f"{named}{more}."))
    if result.advice:
        lines.append(("advice", " ".join(result.advice)))
    for head, words in lines:
        show_line(console, head, words)
    if lines:
        console.print()


def show_timeline(console: Console, result: Timeline, *, everything: bool = False) -> None:
    """Print one line per period, and the summary."""
    narrow = console.width < NARROW
    columns = [result.noun, "rows", "verdict", "p of scores", "shifted", "changed most", "mean Hellinger"]
    if narrow:
        columns[3:] = ["p", "shifted", "worst", "mean H"]
    scored = any(period.detection is not None and period.detection.scores for period in result.periods)
    kept = [place for place in range(len(columns)) if scored or place != 3]
    earlier = 0 if everything else max(len(result.periods) - _MOST_PERIODS, 0)
    if earlier:
        words = f"… {counted(earlier, f'earlier {result.noun}')}; --all shows them."
        console.print(styled(console, words, "dim"))
    rows = [_period_cells(period, narrow=narrow) for period in result.periods[earlier:]]
    _print_table(console, [columns[place] for place in kept], [[row[place] for place in kept] for row in rows])
    if any("(" in str(row[-1]) for row in rows):
        words = "Mean Hellinger: the mean distance of the features; in brackets, the distance that chance alone gives."
        _show_below(console, [words])
    console.print(styled(console, result.summary()))


def _period_cells(period: Period, *, narrow: bool) -> list[object]:
    detection, worst = period.detection, period.worst
    features = p_value = distance = ""
    if detection is not None:
        total = len({row.feature for row in detection.rows})
        features = f"{len(detection.features)}" if narrow else f"{len(detection.features)} of {total}"
        p_value = chance(detection.p_value)
        by_chance = "" if narrow or detection.baseline is None else f" ({detection.baseline.mean:.2f})"
        if detection.hellinger_mean == detection.hellinger_mean:
            distance = f"{detection.hellinger_mean:.2f}{by_chance}"
    most = "" if worst is None else f"{worst.label} {effect(worst.effect)}"
    return [period.name, f"{period.n_rows:,}", period.verdict, p_value, features, most, distance]
