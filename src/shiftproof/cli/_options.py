"""Options that several commands have."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

MODELS = (
    "The models, joined by commas: lr (logistic regression), nb (naive Bayes), tree, knn (nearest neighbours), svm, "
    "forest, boost"
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


def names(joined: str | None) -> list[str] | None:
    """Take apart names that are joined by commas.

    Examples
    --------
    >>> names("lr, nb")
    ['lr', 'nb']
    """
    return None if joined is None else [name.strip() for name in joined.split(",")]
