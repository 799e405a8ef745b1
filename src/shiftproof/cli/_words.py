"""How arguments and text from elsewhere are worded in a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from shiftproof.core import Argument, Phrase

# Arguments of the verbs whose option has the same name, with hyphens.
_SAME_NAME = (
    *("allow_copy", "alpha", "at", "by", "control", "assume", "every", "exclude", "families", "features", "floor"),
    *(
        "allow_date",
        "count",
        "groups",
        "id",
        "labels",
        "keep",
        "level",
        "lifetime",
        "measure",
        "method",
        "missing",
        "mode",
        "name",
    ),
    *("periods", "posthoc", "quick", "reason", "rope", "run_length", "season", "size", "start", "threshold", "time"),
    *("allow_host", "root_path", "token_file", "tolerance", "window"),
    *("events", "host", "levels", "password_env", "port", "seconds", "secret_env", "security", "url_env", "user"),
    *("dataset_column", "fold_column", "loss_column", "method_column", "prevalence_column"),
)
#: What to write where Python takes an object.
_EXAMPLES = {"benefit": "FP=1,FN=5"}
_OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SAME_NAME} | {
    "X": "LABELLED",
    "X_new": "NEW",
    "argv": "COMMAND",
    "backend": "--backend",
    "benefit": "--cost",
    "channel": "CHANNEL",
    "current": "NEW",
    "current_scores": "--score-column",
    "cv": "--folds",
    "feature": "--features",
    "incident": "INCIDENT",
    "kinds": "--kind",
    "n_jobs": "--jobs",
    "lower_is_better": "--higher-is-better",
    "monitor add": "run shiftproof monitor add or status",
    "monitor init": "run shiftproof monitor init",
    "monitor label": "shiftproof monitor label",
    "only": "--models",
    "pos_label": "--positive",
    "prefit": "name the fitted model with --models",
    "random_state": "--seed",
    "reference": "REFERENCE",
    "reference_labels": "--target",
    "reference_scores": "--score-column",
    "results": "RESULTS",
    "sender": "--from",
    "store": "STORE",
    "to": "TO",
    "url": "URL",
    "y": "--target",
}
# Which rows have the scores of a model, by the argument that holds these scores.
_SCORED_ROWS = {
    "current_scores": "NEW",
    "new": "NEW",
    "reference_scores": "REFERENCE",
    "scores": "LABELLED",
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
    ("--kind for 'zip'", "--score-column 'p' of NEW")
    >>> as_option(Argument("benefit", Phrase("sp.Benefit(...)")))
    '--cost, for example --cost FP=1,FN=5'
    """
    name, value, key = argument.name, argument.value, argument.key
    if key is not None:
        rows = _SCORED_ROWS.get(name)
        return f"{_OPTIONS.get(name, name)} for {key!r}" if rows is None else f"--score-column {key!r} of {rows}"
    if name not in _OPTIONS:
        return str(argument)
    option = _OPTIONS[name]
    # Users copy these into a shell, so that names with blanks need quotation marks.
    if isinstance(value, Mapping):
        return " ".join(f"{option} {shlex.quote(f'{column}={kind}')}" for column, kind in value.items())
    if isinstance(value, list):
        return " ".join(f"{option} {shlex.quote(str(item))}" for item in value)
    if isinstance(value, Phrase) and name in _EXAMPLES:
        return f"{option}, for example {option} {_EXAMPLES[name]}"
    # Flags have no value, and other code makes no sense in a shell.
    alone = value is None or isinstance(value, bool) or value is ... or isinstance(value, Phrase)
    return option if alone else f"{option} {shlex.quote(str(value))}"


def in_terminal(words: str | Phrase) -> str:
    """Write text with arguments as options.

    Examples
    --------
    >>> in_terminal(Phrase("pass ", Argument("exclude", ["zip"]), " to leave it out."))
    'pass --exclude zip to leave it out.'
    """
    return words if isinstance(words, str) else words.written(as_option)


def with_options(value: object) -> object:
    """Return a phrase with arguments written as options, still marked where it is sensitive; other values as they are.

    Examples
    --------
    >>> print(with_options(Phrase("pass ", Argument("exclude", ["zip"]), ".")), with_options(0.5))
    pass --exclude zip. 0.5
    """
    if not isinstance(value, Phrase):
        return value
    return Phrase(*(as_option(part) if isinstance(part, Argument) else part for part in value.parts))
