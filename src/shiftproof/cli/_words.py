"""How arguments and text from elsewhere are worded in a terminal."""

from __future__ import annotations

import re
import shlex

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
# What a hint calls an argument that has no value yet.
_NAMED = re.compile(r"(?<=\s)(\w+)=(?=[\s,.;]|$)")
_FOLDS = re.compile(r"(?<=; )cv=(\d+)(?= is the largest that works)")
_OPTIONS = {
    "X": "the table",
    "X_new": "NEW",
    "alpha": "--alpha",
    "benefit": "--cost",
    "by": "--by",
    "control": "--control",
    "current_scores": "--score-column",
    "cv": "--folds",
    "dataset_column": "--dataset-column",
    "every": "--every",
    "exclude": "--exclude",
    "families": "--families",
    "feature": "--features",
    "features": "--features",
    "fold_column": "--fold-column",
    "groups": "--groups",
    "kinds": "--kind",
    "labels": "--labels",
    "level": "--level",
    "loss_column": "--loss-column",
    "measure": "--measure",
    "method": "--method",
    "method_column": "--method-column",
    "only": "--models",
    "pos_label": "--positive",
    "posthoc": "--posthoc",
    "prevalence_column": "--prevalence-column",
    "random_state": "--seed",
    "reference_labels": "--target",
    "reference_scores": "--score-column",
    "results": "RESULTS",
    "rope": "--rope",
    "threshold": "--threshold",
    "time": "--time",
    "tolerance": "--tolerance",
    "y": "--target",
}


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
    >>> as_options("name one by control=, or another column by loss_column=.")
    'name one by --control, or another column by --loss-column.'
    """
    words = _KINDS.sub(lambda found: f"--kind {shlex.quote(f'{found[2]}={found[3]}')}", words)
    words = _EXCLUDE.sub(lambda found: f"--exclude {shlex.quote(found[2])}", words)
    words = _NAMED.sub(lambda found: _OPTIONS.get(found[1], found[0]), words)
    return _ARGUMENT.sub(_option, _FOLDS.sub(r"--folds \1", words))


def _option(found: re.Match[str]) -> str:
    if found["column"]:
        return f"--kind for {found['column']}"
    if found["score"]:
        return f"--score-column {found['score']} of the {found['side']} rows"
    if found["scored"]:
        return f"--score-column {found['scored']} of {'TRAIN' if found['file'] == 'scores' else 'NEW'}"
    return (found["each"] or "") + _OPTIONS.get(found["name"], found["name"])
