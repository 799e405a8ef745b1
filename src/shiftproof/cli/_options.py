"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from shiftproof.cli._completion import complete_column, complete_models
from shiftproof.core import InputError

MODELS = (
    "The models, joined by commas: lr (logistic regression), nb (naive Bayes), tree, knn (nearest neighbours), svm, "
    "forest, boost; a file of yours, model.skops, which is used as it is where it is fitted; or module:attribute, an "
    "estimator, a dict of them or a function that gives them, which runs your code"
)


class Every(StrEnum):
    """How long a period is."""

    day = "day"
    week = "week"
    month = "month"
    quarter = "quarter"
    year = "year"


Length = Annotated[
    Every | None,
    typer.Option(
        metavar="LENGTH",
        help="How long a period of dates is: day, week, month, quarter or year; by default what makes about twelve.",
    ),
]
Data = Annotated[Path, typer.Argument(metavar="DATA", help="Labelled rows: CSV, CSV.gz or Parquet.")]
Train = Annotated[
    Path,
    typer.Argument(metavar="TRAIN", help="Labelled rows: CSV, CSV.gz or Parquet; with --split the new rows, too."),
]
Target = Annotated[str, typer.Option(metavar="COL", help="The label column.", autocompletion=complete_column)]
Positive = Annotated[
    str | None, typer.Option(metavar="LABEL", help="The positive class; by default the second of two when sorted.")
]
Models = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help=f"{MODELS}; by default all seven.", autocompletion=complete_models),
]
Trust = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TYPE",
        help="A type that may be loaded from a .skops file beside those that are known to be safe; may be repeated.",
    ),
]
ScoreColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL",
        help="A column of probabilities of the second label in both files, by a deployed model that was trained on "
        "neither; may be repeated. Nothing is fitted then, and ReverseTesting is left out.",
        autocompletion=complete_column,
    ),
]
Cost = Annotated[
    str | None, typer.Option(metavar="FP=1,FN=5", help="What wrong decisions cost: ranks by the profit per row.")
]
Threshold = Annotated[
    float | None, typer.Option(help="Decide positive from this probability on; by default the likelier class.")
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="A column such as a customer's number: never on both sides.",
        autocompletion=complete_column,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="A column to leave out; may be repeated.", autocompletion=complete_column),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="With --split and one file: the column of dates or numbers to cut it by. It is no feature.",
        autocompletion=complete_column,
    ),
]
Split = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="Cut one file by --time: rows before this are old, those from it on are new."),
]
Level = Annotated[float, typer.Option(help="Coverage of the intervals.")]
Seed = Annotated[int, typer.Option(help="Seed of everything that is drawn.")]
Out = Annotated[Path | None, typer.Option(help="Write an HTML page here.")]
Json = Annotated[str | None, typer.Option(metavar="FILE", help="Write JSON here; - for standard output.")]


def names(joined: str | None) -> list[str] | None:
    """Take apart names that are joined by commas.

    Examples
    --------
    >>> names("lr, nb")
    ['lr', 'nb']
    """
    return None if joined is None else [name.strip() for name in joined.split(",")]


Kinds = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL=KIND",
        help="What a column is: nominal, continuous, date, text or identifier; may be repeated.",
    ),
]


def kinds_of(given: list[str]) -> dict[str, str]:
    """Take apart columns and their kinds.

    Examples
    --------
    >>> kinds_of(["zip code=nominal"])
    {'zip code': 'nominal'}
    """
    kinds = {}
    for item in given:
        name, equals, kind = item.rpartition("=")
        if not equals or not name:
            raise InputError(f"--kind must look like COL=nominal, got {item!r}; name the column and its kind.")
        kinds[name] = kind
    return kinds
