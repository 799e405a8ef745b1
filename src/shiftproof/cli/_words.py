"""How arguments and text from elsewhere are worded in a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from shiftproof.core import Argument, Phrase

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


# Where the scores of a model stand, by the argument that holds them.
_SCORED = {
    "current_scores": "the current rows",
    "new": "NEW",
    "reference_scores": "the reference rows",
    "scores": "TRAIN",
}


def as_option(argument: Argument) -> str:
    """Call an argument by the name that it has on the command line.

    Examples
    --------
    >>> as_option(Argument("alpha")), as_option(Argument("cv", 3)), as_option(Argument("control", ...))
    ('--alpha', '--folds 3', '--control')
    >>> as_option(Argument("kinds", {"zip code": "nominal"})), as_option(Argument("exclude", ["zip code"]))
    ("--kind 'zip code=nominal'", "--exclude 'zip code'")
    >>> as_option(Argument("kinds", key="zip")), as_option(Argument("current_scores", key="p"))
    ("--kind for 'zip'", "--score-column 'p' of the current rows")
    """
    name, value, key = argument.name, argument.value, argument.key
    if key is not None:
        where = _SCORED.get(name)
        return f"{_OPTIONS.get(name, name)} for {key!r}" if where is None else f"--score-column {key!r} of {where}"
    if name not in _OPTIONS:
        return str(argument)
    option = _OPTIONS[name]
    if isinstance(value, Mapping):
        return " ".join(f"{option} {shlex.quote(f'{column}={kind}')}" for column, kind in value.items())
    if isinstance(value, list):
        return " ".join(f"{option} {shlex.quote(str(each))}" for each in value)
    return option if value is None or value is ... or isinstance(value, Phrase) else f"{option} {value}"


def in_terminal(words: str | Phrase) -> str:
    """Write text with arguments as options.

    Examples
    --------
    >>> in_terminal(Phrase("pass ", Argument("exclude", ["zip"]), " to leave it out."))
    'pass --exclude zip to leave it out.'
    """
    return words if isinstance(words, str) else words.written(as_option)
