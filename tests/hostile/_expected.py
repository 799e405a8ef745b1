"""What a verb must do with a hostile input: give the figures of a plain twin, or refuse, and name the argument.

A harmless input must give the twin's figures, a faulty model beside good ones must be left out by name, and every other
input must be refused. `EXCEPTIONS` are the cases in which something else is right.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.hostile._inputs import ALL, BESIDE, NUMBERS
from tests.hostile._verbs import TURNS, VERBS, Answer, Verb, every_nth

import shiftproof as sp


@dataclass(frozen=True)
class Same:
    """The figures and the warnings of the twin, and perhaps one more warning."""

    but: str = ""


@dataclass(frozen=True)
class LeftOut:
    """The model is left out by name, and the others have the figures that they have without it."""

    name: str = "bad"


@dataclass(frozen=True)
class Refused:
    """An error of one line; it names the argument, or fits a pattern where another argument is named."""

    pattern: str = ""


@dataclass(frozen=True)
class Warned:
    """A warning of this class."""

    kind: str
    pattern: str = ""


@dataclass(frozen=True)
class Says:
    """An answer whose summary holds this sentence."""

    sentence: str


Outcome = Same | LeftOut | Refused | Warned | Says

# Cases that are no attack, and why: by input and verb, both as regular expressions.
NO_ATTACK: list[tuple[str, str, str]] = [
    ("one label too (few|many)$", "at_prevalence", "it takes no table that labels could differ from"),
    ("no labels at all", "(detect|Baseline)", "labels are optional"),
    ("no scores", "Baseline", "scores are optional"),
    ("exclude: all columns", "Baseline.of scores", "scores are left"),
    ("labels of one class .y_new.", ".", "new rows may all be of one class"),
    (
        "(a label that is (None|NaN|pandas.NA|NaT)|a null among|a category that is missing|masked labels).*y_new",
        "Audit.verify",
        "rows without a label are left out, tested in tests/auditing",
    ),
    (
        "one label of its own in every row$",
        "(leave_one|boot|detect|reverse|kind_of|prior_shift|joint_selection|Baseline.summarise)",
        "many classes may be",
    ),
    (
        "|".join(f"{re.escape(name)}$" for name in NUMBERS),
        "(mar|mnar|offset|soft_selection|joint_selection|detect_by)",
        "needs 'a' or 'c'",
    ),
    ("None among models", "(leave_one_out|bootstrap_632)", "takes one model"),
    (
        "|".join(f"{re.escape(name)}(, alone)?$" for name in BESIDE if "fit" not in name and "memory" not in name),
        "(bootstrap_632|reverse_test)",
        "judges by predict alone",
    ),
    ("given scores of a row too few .new.", "Panel.from_scores", "it takes no new table that scores could differ from"),
    (
        "(scores that are NaN|decisions that are NaN|masked scores|(scores|decisions) of one row)",
        "leave_one_out",
        "its folds have one row",
    ),
    ("share: zero", "(mcar|mar|mnar)", "no row is dropped"),
    ("sample_weight: another order", "Panel.from_scores", "plain labels have no index to contradict"),
    (
        "(labels of tuples|an infinite label|amounts as labels|bytes as labels|True among ints)$",
        "(at_prevalence|prior_shift|joint_selection)",
        "labels are only counted",
    ),
    ("by: None", r"(quantify|Baseline\..*)", "by is optional"),
    ("model: ", "(leave_one_out|bootstrap_632)", "takes the model itself"),
]
# What is expected where it is none of the three usual things; the first that fits counts.
EXCEPTIONS: list[tuple[str, str, Outcome]] = [
    # Text is the path of a file in `detect` and of a baseline.
    ("(a text for a table|new rows as a text)", "(detect|Baseline)", Refused("table: there is no such file")),
    ("new rows without names", "(audit|detect$|detect with)", Refused("must share at least one column")),
    ("new rows without names", "detect_by", Refused("^by must name a column")),
    ("new rows with (text|booleans|dates) for numbers", ".", Refused("^column 'a' holds numbers in ")),
    # These ask for less than a table has.
    ("a table without columns", "(mcar|prior_shift)", Same()),
    (
        "a table without columns",
        "(mar|mnar|offset|soft_selection|joint_selection)",
        Refused("^feature must be a column of X"),
    ),
    ("one label too (few|many)$", "Panel.from_scores", Refused(r"^scores\['m'\] must have one row per label")),
    ("one label of its own in every row$", "at_prevalence", Refused("^label must be given")),
    ("one label of its own in every row$", "Panel.from_scores", Refused(r"^scores\['m'\] must have 60 columns")),
    ("one label of its own in every row$", "Baseline", Refused("^scores must have 60 columns")),
    ("one label of its own in every row$", "backtest", Refused("^no period has enough rows to be replayed")),
    ("one label of its own in every row$", ".", Refused("^(y must contain class labels|class 0 must have )")),
    # Where models are fitted.
    ("labels of one letter in two cases$", ".", Same(but="LabelsAlike")),
    ("labels of one class$", "prior_shift", Refused("^prevalence must be possible")),
    # A number per row and column is needed where columns are compared or shifted one at a time.
    ("a sparse matrix", "(detect|kind_of_shift|mcar|prior_shift|ClassifyAndCount|stress|Baseline)", Refused()),
    ("a sparse matrix", "audit", Says("texts and sparse matrices are not compared feature by feature")),
    ("new rows without a column", "detect(?!_by)", Says("'b' changed most (absent from the new data)")),
    ("new rows without a column", "Baseline", Says("Not in the batch, so all values count as missing: 'b'.")),
    ("new rows without a column", "detect_by", Says("3 of 3 periods of 'c' shifted enough to matter")),
    ("(a loss that is N|an infinite loss|a loss beyond|masked losses)", "compare", Refused("^loss must be ")),
    ("measures: (unknown|NaN)", "(estimate_performance|backtest)", Refused("^measures? must be one of")),
    ("features: an unknown column", "stress", Refused("^features? must ")),
    # Labels of new rows are matched with the known classes by value.
    ("True among ints .y_new.", "Audit.verify", Same()),
    # An estimator takes the tables that scikit-learn takes.
    ("(a list of dicts|a structured array|new rows as dicts|new rows (with a column|in other))", "Classify", Refused()),
    (
        "(no model at all|an empty (dict|list) of models|a number for models|a text for models)",
        ".",
        Refused("(models|model|classifier)"),
    ),
    (".*, alone$", "reverse_test", Refused("^models must hold at least two classifiers")),
    (".*, alone$", ".", Refused(r"^'\w+' failed(:| with) \w")),
    # Models are judged one at a time, so none is left to be judged.
    (
        "|".join(f"{re.escape(name)}$" for name in BESIDE),
        "(leave_one_out|bootstrap_632)",
        Refused(r"^'\w+' failed"),
    ),
    ("cv: more folds than rows", "backtest", Refused("at least 1000 are needed; add older rows, or use fewer folds")),
    ("time: missing", "backtest", Says("without a time")),
    ("cv: more folds than rows", "(run_protocol|ClassifyAndCount)", Warned("MethodCaution")),
    ("exclude: all columns", "Baseline", Refused("^reference must have a column that can be compared")),
    ("exclude: all columns", "(audit|backtest)", Refused("^X must have at least one column")),
    ("groups: one group", ".", Refused("there is only 1 group, too few for")),
    ("time: one moment", "(audit|backtest)", Refused("a backtest needs at least 3 periods, got 1")),
    ("time: one moment", "Baseline", Refused("^time must name a column")),
    ("time: one moment", ".", Refused("time has only 1 different moment")),
    ("kinds: an unknown kind", ".", Refused(r"^kinds\['a'\] must be one of")),
]


def outcome(name: str, verb: str) -> Outcome:
    """Return what is expected of a verb with an input."""
    for pattern, verbs, expected in EXCEPTIONS:
        if re.match(pattern, name) and re.match(verbs, verb):
            return expected
    if ALL[name].harmless:
        return Same()
    return LeftOut() if name in BESIDE else Refused()


def takes(verb: Verb, name: str) -> bool:
    """Say whether a verb has the argument that the input is about."""
    odd = ALL[name]
    return odd.parts[0] in (verb.parameters if odd.area == "settings" else verb.names)


def is_attack(name: str, verb: str) -> bool:
    """Say whether the table holds the case."""
    left_out = any(re.match(inputs, name) and re.match(verbs, verb) for inputs, verbs, _ in NO_ATTACK)
    return takes(VERBS[verb], name) and not left_out


# A refusal takes little time, so that verbs are tried with more of these.
_REFUSED_TURNS = 3


def cases_in_turn() -> list[tuple[str, str]]:
    """Choose cases by rotation: of every verb some of every family of inputs, and every input at least once."""
    attacks = [(name, verb) for name in ALL for verb in VERBS if is_attack(name, verb)]
    families: dict[Any, list[tuple[str, str]]] = defaultdict(list)
    for name, verb in attacks:
        odd, expected = ALL[name], type(outcome(name, verb))
        # Every argument is refused once; what is answered takes longer.
        families[verb, expected, odd.area, odd.parts if expected is Refused else ()].append((name, verb))
    chosen: dict[tuple[str, str], None] = {}
    for (verb, expected, *_), family in families.items():
        turns = _REFUSED_TURNS if expected is Refused else TURNS[verb]
        chosen |= dict.fromkeys(every_nth(family, turns, list(VERBS).index(verb)))
    tried = {name for name, _ in chosen}
    # The quickest verb that takes it stands in for the others.
    by_speed = sorted(attacks, key=lambda case: TURNS[case[1]])
    first = {name: (name, verb) for name, verb in reversed(by_speed)}
    return [*chosen, *(case for name, case in first.items() if name not in tried)]


def check_refusal(error: BaseException, expected: Refused, verb: Verb, part: str) -> None:
    """Check that the error is ours, is one line, and names the argument."""
    text = str(error)
    if verb.estimator and isinstance(error, ValueError):
        return
    assert isinstance(error, sp.InputError), f"{type(error).__name__}: {text}"
    assert "\n" not in text
    assert text.endswith((".", "?"))
    assert len(text) < 700
    pattern = expected.pattern or rf"(^|\W){re.escape(verb.names.get(part, part))}(\W|$)"
    assert re.search(pattern, text), text


def check_same(answer: Answer, twin: Answer, *, but: frozenset[str] = frozenset()) -> None:
    """Check that figures and warnings are those of the twin."""
    assert answer.warned - but == twin.warned
    assert len(answer.figures) == len(twin.figures)
    np.testing.assert_allclose(answer.figures, twin.figures, rtol=1e-9, atol=1e-9)
