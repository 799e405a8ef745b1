"""The options of the command line: what several commands share is declared once, here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from shiftproof.cli._completion import complete_column, complete_known_measure, complete_measure, complete_models
from shiftproof.core import InputError, fault

if TYPE_CHECKING:
    from shiftproof.measures import Benefit

# What --models accepts; commands add their own default.
_MODELS_HELP = (
    "Models, joined by commas: lr (logistic regression), nb (naive Bayes), tree, knn (nearest neighbours), svm, "
    "forest, boost; a file model.skops, used as it is if it is fitted; or module:attribute, an estimator, a dict of "
    "them or a function that returns them, which runs your code"
)
_SCORES_HELP = (
    "A column of both files with a deployed model's probabilities of the second label; the model was trained on "
    "neither file"
)
# Without a full stop: audit adds what --quick changes.
_FOLDS_HELP = "Number of cross-validation folds; default 10"

# Typer accepts every completion function and returns a declaration of no public type.
_Complete = Callable[..., Sequence[object]]


def option(metavar: str, text: str, complete: _Complete | None = None) -> Any:
    """Declare an option with a value: what help calls the value, what the option does, what TAB offers."""
    return typer.Option(metavar=metavar, help=text, autocompletion=complete)


def column(text: str) -> Any:
    """Declare an option that names a column of the file."""
    return option("COL", text, complete_column)


# Outputs
Redact = Annotated[
    bool,
    typer.Option(
        "--redact",
        help="Hide cells of the data on the page: categories, extremes, dates, periods, errors. JSON is not redacted.",
    ),
]
Json = Annotated[Path | None, option("FILE", "Write JSON to this file; - for standard output.")]

# Columns
Target = Annotated[str, column("The label column.")]
Groups = Annotated[
    str | None,
    column("Keep rows with the same value in this column, such as a customer number, in the same fold."),
]
Exclude = Annotated[list[str] | None, column("A column to leave out; may be repeated.")]
ScoreColumns = Annotated[
    list[str] | None,
    column(f"{_SCORES_HELP}. May be repeated. Nothing is fitted then, and ReverseTesting is skipped."),
]
ComparedScores = Annotated[
    list[str] | None,
    column(f"{_SCORES_HELP}: compared first, and not used as a feature. Repeat it for several models."),
]
ScoreColumn = Annotated[str | None, column(f"{_SCORES_HELP}. Nothing is fitted then.")]
Kinds = Annotated[
    list[str] | None,
    option("COL=KIND", "The kind of a column: nominal, continuous, date, text or identifier; may be repeated."),
]
Every = Annotated[
    Literal["day", "week", "month", "quarter", "year"] | None,
    option(
        "LENGTH",
        "Length of a period of --by: day, week, month, quarter or year; by default, whatever gives about twelve "
        "periods.",
    ),
]

# Models
Models = Annotated[str | None, option("NAMES", f"{_MODELS_HELP}; default: all seven.", complete_models)]
BestOfModels = Annotated[
    str, option("NAMES", f"{_MODELS_HELP}. The one with the lowest Brier score is used.", complete_models)
]
Trust = Annotated[
    list[str] | None,
    option("TYPE", "A type that may be loaded from a .skops file besides those known to be safe; may be repeated."),
]
Folds = Annotated[int | None, option("N", f"{_FOLDS_HELP}.")]
FoldsOrQuick = Annotated[int | None, option("N", f"{_FOLDS_HELP}, 5 with --quick.")]
NoReverse = Annotated[bool, typer.Option("--no-reverse", help="Skip ReverseTesting, which fits each pair of models.")]

# Decisions and what they are judged by
Positive = Annotated[str | None, option("LABEL", "The positive class; default: the second of two, sorted.")]
Threshold = Annotated[
    float | None, option("P", "Decide positive from this probability on; default: the likelier class.")
]
Cost = Annotated[
    str | None, option("FP=1,FN=5", "What wrong decisions cost; models are then ranked by profit per row.")
]
Measure = Annotated[
    str | None,
    option(
        "NAME",
        "What ranks the models: accuracy, error, precision, recall, f1, auc, brier or profit; default: accuracy, or "
        "profit with --cost.",
        complete_measure,
    ),
]
LabelledMeasure = Annotated[
    str | None,
    option(
        "NAME",
        "What ranks the models: accuracy, auc, f1, brier and others; default: accuracy, or profit with --cost.",
        complete_known_measure,
    ),
]

# Statistics
Level = Annotated[float, option("P", "Coverage of the intervals.")]
Alpha = Annotated[float, option("P", "Significance level of the tests.")]
Tolerance = Annotated[float, option("X", "The largest loss of accuracy, or of --measure, that is acceptable.")]
Seed = Annotated[int, option("N", "Seed of everything random.")]


def split_names(joined: str | None) -> list[str] | None:
    """Split names that are joined by commas.

    Examples
    --------
    >>> split_names("lr, nb")
    ['lr', 'nb']
    """
    return None if joined is None else [name.strip() for name in joined.split(",")]


def benefit_of(cost: str | None) -> Benefit | None:
    """Return what decisions are worth, from the value of --cost."""
    from shiftproof.measures import Benefit

    return None if cost is None else Benefit.from_cost(cost)


def kinds_by_column(given: list[str] | None) -> dict[str, str]:
    """Split ``COL=KIND`` into columns and their kinds.

    Examples
    --------
    >>> kinds_by_column(["zip code=nominal"])
    {'zip code': 'nominal'}
    """
    kinds = {}
    for item in given or []:
        # A column's name may hold an equals sign, a kind may not.
        column, equals, kind = item.rpartition("=")
        if not equals or not column:
            raise fault("--kind", "look like COL=nominal", item, "name the column and its kind")
        kinds[column] = kind
    return kinds


def require_by(every: str | None, by: str | None) -> None:
    """Refuse a length of periods without the column that is split into periods."""
    if every is not None and by is None:
        raise InputError(f"--every needs --by, got {every!r} alone; name the column of dates")
