"""The options of the command line: what several commands share is declared once, here."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from shiftproof.cli._completion import complete_column, complete_known_measure, complete_measure, complete_models
from shiftproof.core import InputError, fault

# What --models accepts; commands add their own default.
MODELS_HELP = (
    "Models, joined by commas: lr (logistic regression), nb (naive Bayes), tree, knn (nearest neighbours), svm, "
    "forest, boost; a file model.skops, used as it is if it is fitted; or module:attribute, an estimator, a dict of "
    "them or a function that returns them, which runs your code"
)
SCORES_HELP = (
    "A column of both files with a deployed model's probabilities of the second label; the model was trained on "
    "neither file"
)
_FOLDS_HELP = "Number of cross-validation folds; default 10"

# Files
Data = Annotated[Path, typer.Argument(metavar="DATA", help="Labelled rows: CSV, CSV.gz or Parquet.")]
Train = Annotated[
    Path,
    typer.Argument(metavar="TRAIN", help="Labelled rows: CSV, CSV.gz or Parquet; with --split also the new rows."),
]
New = Annotated[
    Path | None,
    typer.Argument(
        metavar="NEW",
        help="New rows, with the same columns; labels among them are ignored unless an option asks for them. Leave "
        "NEW out with --split.",
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write an HTML page to this file.")]
Redact = Annotated[
    bool,
    typer.Option(
        "--redact",
        help="Hide cells of the data on the page: categories, extremes, dates, periods, errors. --json is whole.",
    ),
]
Json = Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON to this file; - for standard output.")]

# Columns
Target = Annotated[str, typer.Option(metavar="COL", help="The label column.", autocompletion=complete_column)]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Keep rows with the same value in this column, such as a customer number, in the same fold.",
        autocompletion=complete_column,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="A column to leave out; may be repeated.", autocompletion=complete_column),
]
ScoreColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL",
        help=f"{SCORES_HELP}. May be repeated. Nothing is fitted then, and ReverseTesting is skipped.",
        autocompletion=complete_column,
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL=KIND",
        help="The kind of a column: nominal, continuous, date, text or identifier; may be repeated.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="With --split and one file: the column of dates or numbers to split by. It is not used as a feature.",
        autocompletion=complete_column,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="Split one file by --time: rows from this date or number on are the new data."),
]
Every = Annotated[
    Literal["day", "week", "month", "quarter", "year"] | None,
    typer.Option(
        metavar="LENGTH",
        help="Length of a period of --by: day, week, month, quarter or year; by default, whatever gives about twelve "
        "periods.",
    ),
]

# Models
Models = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help=f"{MODELS_HELP}; default: all seven.", autocompletion=complete_models),
]
Trust = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TYPE",
        help="A type that may be loaded from a .skops file besides those known to be safe; may be repeated.",
    ),
]
Folds = Annotated[int | None, typer.Option(metavar="N", help=f"{_FOLDS_HELP}.")]
FoldsOrQuick = Annotated[int | None, typer.Option(metavar="N", help=f"{_FOLDS_HELP}, 5 with --quick.")]
NoReverse = Annotated[bool, typer.Option("--no-reverse", help="Skip ReverseTesting, which fits each pair of models.")]

# Decisions and what they are judged by
Positive = Annotated[
    str | None, typer.Option(metavar="LABEL", help="The positive class; default: the second of two, sorted.")
]
Threshold = Annotated[
    float | None,
    typer.Option(metavar="P", help="Decide positive from this probability on; default: the likelier class."),
]
Cost = Annotated[
    str | None,
    typer.Option(metavar="FP=1,FN=5", help="What wrong decisions cost; models are ranked by profit per row."),
]
Measure = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What ranks the models: accuracy, error, precision, recall, f1, auc, brier or profit; default: accuracy, "
        "or profit with --cost.",
        autocompletion=complete_measure,
    ),
]
LabelledMeasure = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What ranks the models: accuracy, auc, f1, brier and others; default: accuracy, or profit with --cost.",
        autocompletion=complete_known_measure,
    ),
]

# Statistics
Level = Annotated[float, typer.Option(metavar="P", help="Coverage of the intervals.")]
Alpha = Annotated[float, typer.Option(metavar="P", help="Significance level of the tests.")]
Tolerance = Annotated[
    float, typer.Option(metavar="X", help="The largest loss of accuracy, or of --measure, that is acceptable.")
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of everything random.")]


def exit_if(conditions: str) -> Any:
    """Make the option --fail-on of a command, which says when it exits with status 1."""
    return typer.Option(metavar="WHAT", help=f"Exit with status 1 if {conditions}.")


class Command(TyperCommand):
    """A command whose help shows flags without a type."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _untyped_flags(super().get_params(ctx))


class Group(TyperGroup):
    """The group of commands; its help shows flags without a type, too."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters."""
        return _untyped_flags(super().get_params(ctx))


def _untyped_flags(parameters: list[Any]) -> list[Any]:
    # Typer shows <bool> for flags, its own --help among them, unless they have a metavar.
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def split_names(joined: str | None) -> list[str] | None:
    """Split names that are joined by commas.

    Examples
    --------
    >>> split_names("lr, nb")
    ['lr', 'nb']
    """
    return None if joined is None else [name.strip() for name in joined.split(",")]


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
