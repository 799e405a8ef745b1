"""How results look in a terminal."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from shiftproof.core import Interval
    from shiftproof.detection import Detection, FeatureShift, Period, Timeline
    from shiftproof.evaluation import Evaluation
    from shiftproof.quantification import PeriodShares, Quantification
    from shiftproof.robustness import Envelope, Stress
    from shiftproof.selection import LabelPlan, Performance, Selection

STYLES = {"shifted": "bold red", "negligible": "yellow", "no shift": "green", "cannot say": "dim"}
_BAR = 12
# Narrower terminals get fewer columns, so that the names of the features stay.
_NARROW = 72
# The names of the models, which fold, leave room for the measures.
_MODEL_WIDTH = 32
# Lines over time, and groups of features, at the most.
_MOST_LINES, _MOST_GROUPS = 60, 5
# Scores that are neither higher nor lower by this much are spread otherwise.
_LEVEL_SCORES = 0.02

# Control characters would steer the terminal, and marks of direction would turn the line around.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_KINDS = re.compile(r"""kinds=\{(['"])(.+?)\1: '(\w+)'\}""")
_EXCLUDE = re.compile(r"""exclude=\[(['"])(.+?)\1\]""")
# A sentence about an argument goes on so; a file may have the name of one.
_ARGUMENT = re.compile(
    r"^(?P<each>each of )?"
    r"(?:kinds\[(?P<column>'.+?')\]|(?P<side>reference|current)_scores\[(?P<score>.+?)\]"
    r"|(?P<file>scores|new)\[(?P<scored>.+?)\]|(?P<name>\w+))"
    r"(?= must | names )"
)
_FOLDS = re.compile(r"(?<=; )cv=(\d+)(?= is the largest that works)")
_OPTIONS = {
    "X": "the table",
    "X_new": "NEW",
    "alpha": "--alpha",
    "benefit": "--cost",
    "by": "--by",
    "current_scores": "--score-column",
    "cv": "--folds",
    "every": "--every",
    "exclude": "--exclude",
    "families": "--families",
    "feature": "--features",
    "features": "--features",
    "groups": "--groups",
    "kinds": "--kind",
    "labels": "--labels",
    "level": "--level",
    "measure": "--measure",
    "method": "--method",
    "only": "--models",
    "pos_label": "--positive",
    "random_state": "--seed",
    "reference_labels": "--target",
    "reference_scores": "--score-column",
    "threshold": "--threshold",
    "time": "--time",
    "tolerance": "--tolerance",
    "y": "--target",
}
_ASCII = str.maketrans("█·–→…", "#.->~")


def consoles() -> tuple[Console, Console]:
    """Return the console for results and the one for progress, on standard output and standard error."""
    return Console(soft_wrap=False), Console(stderr=True)


def write_json(result: dict[str, Any], where: str) -> None:
    """Write a result as JSON to a file, or to standard output for ``-``."""
    from shiftproof.reporting import write_whole

    # A file is UTF-8; a terminal or a pipe may be less.
    ascii_only = where == "-" and not (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(result, indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"
    if where == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(where, text)


def tame(words: str) -> str:
    r"""Make text from elsewhere safe for a terminal.

    Examples
    --------
    >>> tame("\x1b[31mred")
    '�[31mred'
    """
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", words)


def as_options(words: str) -> str:
    """Call arguments by the names they have on the command line.

    Examples
    --------
    >>> as_options("pass kinds={'zip code': 'nominal'} to test it.")
    "pass --kind 'zip code=nominal' to test it."
    >>> as_options("pass exclude=['zip code'] to leave it out.")
    "pass --exclude 'zip code' to leave it out."
    >>> as_options("alpha must lie between 0 and 1")
    '--alpha must lie between 0 and 1'
    >>> as_options("current_scores['p'] must lie between 0 and 1")
    "--score-column 'p' of the current rows must lie between 0 and 1"
    >>> as_options("each of families must be one of 'mar' or 'mnar'")
    "each of --families must be one of 'mar' or 'mnar'"
    >>> as_options("cv must be at most 3, the rows of the rarest class 'a', got 10; cv=3 is the largest that works.")
    "--folds must be at most 3, the rows of the rarest class 'a', got 10; --folds 3 is the largest that works."
    """
    words = _KINDS.sub(lambda found: f"--kind {shlex.quote(f'{found[2]}={found[3]}')}", words)
    words = _EXCLUDE.sub(lambda found: f"--exclude {shlex.quote(found[2])}", words)
    return _ARGUMENT.sub(_option, _FOLDS.sub(r"--folds \1", words))


def _option(found: re.Match[str]) -> str:
    if found["column"]:
        return f"--kind for {found['column']}"
    if found["score"]:
        return f"--score-column {found['score']} of the {found['side']} rows"
    if found["scored"]:
        return f"--score-column {found['scored']} of {'TRAIN' if found['file'] == 'scores' else 'NEW'}"
    return (found["each"] or "") + _OPTIONS.get(found["name"], found["name"])


def show_note(console: Console, words: str) -> None:
    """Print something that was understood, but that the user should look at."""
    console.print(Text.assemble(("note:", "yellow"), " ", tame(as_options(words))), soft_wrap=True)


def show_detection(console: Console, result: Detection, *, most: int) -> None:
    """Print the scores, the table of tests, what all features show together, the verdict and the sentences."""
    if result.scores:
        _show_scores(console, result)
    narrow = console.width < _NARROW
    table = _plain_table()
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
        console.print(_text(console, told, "dim"))
    for row in result.rows[:most]:
        if row.note:
            console.print(_text(console, f"{row.label}: {row.note}", "dim"))
    console.print()
    beyond = _beyond_features(result)
    for head, words in beyond:
        console.print(Text.assemble((head, "bold"), ": ", _text(console, words)))
    if beyond:
        console.print()
    verdict = _text(console, result.verdict.upper(), STYLES[result.verdict])
    console.print(verdict, _text(console, result.summary()), sep="  ")


def _show_scores(console: Console, result: Detection) -> None:
    """Print stage one: per model how far its scores moved, and whither."""
    from shiftproof.reporting import chance

    narrow = console.width < _NARROW
    table = _plain_table()
    table.add_column("score", overflow="fold", min_width=8, max_width=32)
    table.add_column("size of change", no_wrap=True)
    table.add_column("new rows score", overflow="fold")
    table.add_column("p" if len(result.scores) == 1 else "q-value", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in result.scores:
        if row.model not in result.score_records:
            dash = _text(console, "–")
            table.add_row(_text(console, row.model), dash, _text(console, row.note), dash, _text(console, row.verdict))
            continue
        several = len(result.score_records[row.model]) > 1
        name = f"{row.model}, class {row.label}" if several else row.model
        means = "" if narrow else f", mean {row.mean_reference:.2f} → {row.mean_current:.2f}"
        size = _sized(console, row.ks, f"{row.ks:.2f} KS", STYLES[row.verdict])
        table.add_row(
            _text(console, name),
            size,
            _text(console, _direction(row.higher) + means if row.shifted else "as before"),
            _text(console, chance(row.q_value)),
            _text(console, row.verdict, STYLES[row.verdict]),
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
    from shiftproof.core import listed
    from shiftproof.reporting import chance

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
        said.append(("kind of shift", f"cannot tell ({result.kind_reason})."))
    groups = () if result.association is None else result.association.groups
    if groups:
        named = "; ".join(f"{listed(group.features)} (phi {group.phi:.2f})" for group in groups[:_MOST_GROUPS])
        more = f"; and {len(groups) - _MOST_GROUPS} more groups" if len(groups) > _MOST_GROUPS else ""
        said.append(("features that fail together", f"{named}{more}. {' '.join(result.advice)}".rstrip()))
    return said


def show_timeline(console: Console, result: Timeline, *, everything: bool = False) -> None:
    """Print one line per period, and the sentences."""
    scored = any(period.detection is not None and period.detection.scores for period in result.periods)
    narrow = console.width < _NARROW
    table = _plain_table()
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
        console.print(_text(console, told, "dim"))
    for period in result.periods[earlier:]:
        name, rows, verdict, p_value, *rest = _period_cells(console, period, narrow=narrow)
        table.add_row(name, rows, verdict, *([p_value] if scored else []), *rest)
    console.print(table)
    console.print()
    console.print(_text(console, result.summary()))


def _period_cells(console: Console, period: Period, *, narrow: bool) -> list[Text]:
    from shiftproof.reporting import chance, effect

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
        _text(console, period.name),
        _text(console, f"{period.n_rows:,}"),
        _text(console, period.verdict, STYLES[period.verdict]),
        _text(console, p_value),
        _text(console, features),
        _text(console, "–" if worst is None else f"{worst.label} {effect(worst.effect)}"),
        _text(console, distance),
    ]


def show_stress(console: Console, result: Stress) -> None:
    """Print models by families of shifts, who leads, how far each holds, and the sentences."""
    order = sorted(result.models, key=lambda name: -_today(result, name).estimate)
    cells = {
        "accuracy today": [str(_today(result, name)) for name in order],
        **{_family(family): [_under(result, name, family) for name in order] for family in result.families},
        "sensitivity index": [str(result.sensitivity[name]["overall"]["accuracy"]) for name in order],
        "holds to": [_reach(result.envelope[name]) for name in order],
    }
    _show_columns(console, [_text(console, name) for name in order], cells)
    within = f"{100 * result.envelope[result.best].tolerance:g} points"
    told = (
        "Under a family of shifts: mean accuracy, then the worst. Sensitivity index: the mean change of accuracy. "
        f"Holds to: the mean Hellinger distance of the features up to which accuracy stays within {within}."
    )
    console.print(_text(console, told, "dim"))
    console.print()
    for question, lead in result.ranking.items():
        noise = f", within noise of {', '.join(lead.within_noise)}" if lead.within_noise else ""
        console.print(Text.assemble((question, "bold"), ": ", _text(console, f"{lead.model} ({lead.value}){noise}")))
    console.print()
    console.print(_text(console, result.summary()))


def _reach(envelope: Envelope) -> str:
    return "nowhere" if envelope.never else f"{'all, ' if envelope.always else ''}{envelope.hellinger:.2f}"


def _today(result: Stress, model: str) -> Interval:
    return next(row.accuracy for row in result.rows if row.model == model and row.family == "base")


def _family(family: str) -> str:
    return family.upper() if family in ("mcar", "mar", "mnar") else family


def _under(result: Stress, model: str, family: str) -> str:
    """Write mean and worst accuracy; a dash where the model could score none of these tables."""
    rows = [row for row in result.rows if row.model == model and row.family == family]
    if not rows:
        return "–"
    mean = sum(row.accuracy.estimate for row in rows) / len(rows)
    return f"{mean:.3f}, {min(row.lowest for row in rows):.3f}"


def show_quantification(console: Console, result: Quantification) -> None:
    """Print the share of each class with its interval, the course over time, and the sentences."""
    from shiftproof.reporting import percent

    broken = result.assumption == "broken"
    table = _plain_table()
    table.add_column("class", overflow="fold", min_width=6, max_width=32)
    table.add_column("labelled", justify="right", no_wrap=True)
    table.add_column("new rows", no_wrap=True)
    table.add_column(f"{result.level:.0%} interval", no_wrap=True)
    table.add_column("other methods", no_wrap=True)
    for label, interval in result.prevalence.items():
        table.add_row(
            _text(console, str(label), "bold" if label == result.positive else ""),
            _text(console, percent(result.training[label])),
            _sized(console, interval.estimate, percent(interval.estimate), "red" if broken else "green"),
            _text(console, _span(interval.low, interval.high)),
            _text(console, _span(*result.range[label])),
        )
    console.print(table)
    console.print()
    if result.periods:
        _show_course(console, result)
    words = {"broken": "BROKEN", "fits": "FITS", "cannot tell": "TAKE CARE", "not checked": "TAKE CARE"}
    style = {"broken": "bold red", "fits": "green"}.get(result.assumption, "yellow")
    said = words[result.assumption]
    if not (result.informative or broken):
        said, style = "CANNOT SAY", "dim"
    console.print(_text(console, said, style), _text(console, result.summary()), sep="  ")


def _show_course(console: Console, result: Quantification) -> None:
    from shiftproof.reporting import percent

    def cells(period: PeriodShares) -> list[Text]:
        interval = period.prevalence.get(result.positive)
        if interval is None:
            return [_text(console, "–"), _text(console, "–"), _text(console, "–")]
        return [
            _sized(console, interval.estimate, percent(interval.estimate), ""),
            _text(console, _span(interval.low, interval.high)),
            _text(console, _span(*period.others[result.positive])),
        ]

    table = _plain_table()
    table.add_column(result.every or str(result.by), overflow="fold", min_width=7, max_width=24)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column(f"share of {tame(str(result.positive))}", overflow="fold")
    table.add_column(f"{result.level:.0%} interval", no_wrap=True)
    table.add_column("other methods", no_wrap=True)
    for period in result.periods:
        table.add_row(_text(console, period.name), _text(console, f"{period.n_rows:,}"), *cells(period))
    console.print(table)
    console.print()


def _span(low: float, high: float) -> str:
    from shiftproof.reporting import percent

    return f"{percent(low)} – {percent(high)}"


def show_selection(console: Console, result: Selection, expected: Performance) -> None:
    """Print which model to use, then one line per model: what to expect of it, and who is for it."""
    from shiftproof.selection import believed

    tones = {"good": "bold green", "care": "bold yellow", "bad": "bold red"}
    console.print(_text(console, result.headline, tones.get(result.tone, "bold")))
    console.print()
    cells = {
        "rank": [str(rank) for rank, _ in enumerate(result.ranking, 1)],
        f"expected {result.measure}": [_expected(expected, name, result.measure) for name in result.ranking],
        **_by_rival(result),
        "cross-validation": [_measured(result.claimed[name], result.measure) for name in result.ranking],
        "best": [believed(result.probabilities[name]) or "–" for name in result.ranking],
    }
    if result.reverse is not None:
        wins, others = result.reverse.wins, len(result.reverse.names) - 1
        cells["ReverseTesting"] = [f"{wins[name]} of {others}" if name in wins else "–" for name in result.ranking]
    unsure = {result.best, *result.contenders}
    _show_columns(console, [_text(console, name, "" if name in unsure else "dim") for name in result.ranking], cells)
    said = [f"Expected: with its {expected.level:.0%} interval. Best: how likely it is the best of them."]
    said += [f"ReverseTesting: pairs won, of {others}."] if result.reverse is not None else []
    said += [f"ReverseTesting was left out: {result.unreversed}."] if result.reverse is None else []
    if _disagree(result, expected):
        said.append("Ranks compare the models; estimates look at each alone, and may order them otherwise.")
    console.print(_text(console, " ".join(said), "dim"))
    console.print()


def show_performance(console: Console, result: Performance) -> None:
    """Print what kind of shift there is, and how far the estimates can be believed."""
    _show_line(console, "kind of shift", result.shift.summary())
    if result.refused:
        refused = "no estimate is given; what cross-validation claims says nothing about these rows."
        _show_line(console, "refused", refused, "bold red")
    else:
        style = {"high": "bold green", "medium": "bold yellow", "low": "bold red"}.get(result.confidence, "bold")
        used = f", with the labels of {len(result.labelled):,} new rows" if len(result.labelled) else ""
        _show_line(console, "confidence in the estimates", f"{result.confidence}{used}.", style)


def show_next(console: Console, result: Selection, plan: LabelPlan | None, how: str) -> None:
    """Print what was not as it should be, what it cost, and what to do next."""
    from shiftproof.reporting import counted

    for note in result.notes:
        _show_line(console, "note", f"{note}.")
    of = f", {result.reverse_fits:,} of them for ReverseTesting" if result.reverse_fits else ""
    _show_line(console, "cost", f"{counted(result.fits, 'fit')} in {result.seconds:.1f} s{of}.")
    if plan is not None and plan.expected_width >= plan.width:  # never where there is no interval yet
        told = f"labels of {counted(len(plan.rows), 'row')} would not make the interval of {plan.model} narrower."
        _show_line(console, "to know better", told)
    elif plan is not None:
        _show_line(console, "to know better", f"{plan.summary()} {how}")


def _show_line(console: Console, head: str, words: str, style: str = "bold") -> None:
    console.print(Text.assemble((head, style), ": ", _text(console, words)))


def _by_rival(result: Selection) -> dict[str, list[str]]:
    """Give what ranks, where that is another method than the one behind the estimates."""
    if result.method_says or len(result.names) < 2:
        return {}
    return {f"by {result.method}": [_measured(result.scores[name], result.measure) for name in result.ranking]}


def _expected(result: Performance, model: str, measure: str) -> str:
    found = result.interval(model, measure)
    if found.estimate != found.estimate:
        return "refused"
    estimate, low, high = (_measured(value, measure) for value in (found.estimate, found.low, found.high))
    return f"{estimate} ({low} – {high})"


def _measured(value: float, measure: str) -> str:
    from shiftproof.selection import written

    return written(value, measure)


def _disagree(result: Selection, expected: Performance) -> bool:
    """Tell whether estimates order the models otherwise than the ranking does."""
    falling = -1 if result.measure in ("error", "brier") else 1
    values = [falling * expected.interval(name, result.measure).estimate for name in result.ranking]
    return any(after > before for before, after in pairwise(values))


def _plain_table() -> Table:
    return Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)


def _cells(console: Console, row: FeatureShift) -> tuple[Text, ...]:
    from shiftproof.reporting import chance, effect, share

    known = row.effect == row.effect
    name = {"ks": "KS", "chi-square": "Hellinger", "missing": "missing", "infinite": "infinite"}.get(row.test, "")
    size = _sized(console, row.effect, f"{effect(row.effect)} {name}" if known else "–", STYLES[row.verdict])
    missing = f"{share(row.missing_reference) or '–'} → {share(row.missing_current) or '–'}"
    quiet = row.missing_reference == row.missing_current == 0
    return (
        _text(console, row.label),
        _text(console, row.kind, "dim"),
        size,
        _text(console, chance(row.q_value) or "–"),
        _text(console, "–" if quiet else missing, "dim" if quiet else ""),
        _text(console, row.verdict, STYLES[row.verdict]),
    )


def _sized(console: Console, size: float, words: str, style: str) -> Text:
    """Write a size behind a bar, where there is room for one."""
    filled = min(round(size * _BAR), _BAR) if size == size else 0
    bar = "" if console.width < _NARROW else "█" * filled + "·" * (_BAR - filled) + " "
    return _text(console, bar, style).append_text(_text(console, words))


def _text(console: Console, words: str, style: str = "") -> Text:
    words = tame(words)
    return Text(words.translate(_ASCII) if console.options.ascii_only else words, style)


#: The measures that are shown unless all are asked for.
MAIN_MEASURES = ("accuracy", "auc", "f1", "brier", "profit")


def show_evaluation(console: Console, result: Evaluation, *, everything: bool = False) -> None:
    """Print models by measures with their intervals, in as many tables as the width asks for, then the verdict."""
    computed = list(result.estimates[result.best])
    shown = [name for name in computed if everything or name in MAIN_MEASURES or name == result.by]
    shown.sort(key=lambda name: name != result.by)  # what ranks comes first
    cells = {name.replace("_", " "): [str(result.estimates[model][name]) for model in result.ranking] for name in shown}
    names = [_text(console, model, "" if model in result.within_noise else "dim") for model in result.ranking]
    _show_columns(console, names, cells)
    console.print(_text(console, result.summary()))


def _show_columns(console: Console, names: list[Text], cells: Mapping[str, list[str]]) -> None:
    """Print models by columns, in as many tables as the width asks for."""
    models = min(max(cell_len("model"), *(name.cell_len for name in names)), _MODEL_WIDTH)
    for part in _side_by_side({head: [head, *column] for head, column in cells.items()}, console.width - models):
        table = _plain_table()
        table.add_column("model", overflow="fold", min_width=min(models, console.width // 3), max_width=_MODEL_WIDTH)
        for head in part:
            table.add_column(head, overflow="fold")
        for at, model in enumerate(names):
            table.add_row(model, *(_text(console, cells[head][at], str(model.style)) for head in part))
        console.print(table)
        console.print()


def _side_by_side(cells: Mapping[str, Iterable[str]], room: int) -> list[list[str]]:
    """Put columns into as few tables as have room for them, at least one column in each."""
    tables: list[list[str]] = []
    left = 0
    for name, column in cells.items():
        width = max(map(len, column)) + 1
        if not tables or width > left:
            tables.append([])
            left = room
        tables[-1].append(name)
        left -= width
    return tables
