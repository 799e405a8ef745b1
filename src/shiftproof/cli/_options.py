"""The options of the command line: what several commands share is described once, here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from shiftproof.core import InputError, cluster, fault

if TYPE_CHECKING:
    from shiftproof.measures import Benefit

Condition = TypeVar("Condition", bound=str)
Every = Literal["day", "week", "month", "quarter", "year"]
Assume = Literal["natural", "no drift", "prior shift"]


class Shared:
    """Options shared by several commands; a command can override a description with its own.

    Parameters
    ----------
    alpha : P
        Significance level of the tests.
    assume : WHAT
        What may have changed. natural: all that changes a little between years, places and groups. "no drift": anything
        but the link between features and label. "prior shift": nothing but the class proportions. Use the last two only
        if you know it.
    backend : URL
        Fit models on a Dask cluster: dask://HOST:PORT of the scheduler, or dask+tls:// or tls:// to use certificates.
    cost : FP=1,FN=5
        The cost of wrong decisions. Models are then ranked by profit per row.
    every : LENGTH
        The length of each --by period: day, week, month, quarter or year. By default, the length that gives about
        twelve periods.
    exclude : COL
        A column that models and tests ignore; can be repeated.
    folds : N
        Number of cross-validation folds. Default: 10.
    groups : COL
        Put rows with the same value in this column, such as a customer number, in the same fold.
    id : COL
        A column of NEW with a different value in every row, such as a customer number. --labels finds rows by it, and
        --plan writes it. It is not used as a feature.
    json : FILE
        Write JSON to this file; - for standard output.
    kind : COL=KIND
        The type of a column: nominal, continuous, date, text or identifier; can be repeated.
    labels : FILE
        Labels of some new rows, for better estimates. Usually this is the --plan file of audit or select, filled in. It
        can also be NEW itself, if some of its rows have labels, or any table with the --target column and either the
        --id column or a column 'row' with row numbers from 0.
    level : P
        Confidence level of the intervals.
    measure : NAME
        The measure to rank models by: accuracy, error, precision, recall, f1, auc, brier or profit. Default: accuracy,
        or profit with --cost.
    missing : TEXT
        Also read this text as a missing value, such as '?'. Can be repeated.
    models : NAMES
        Models, separated by commas: lr (logistic regression), nb (naive Bayes), tree, knn (nearest neighbours), svm,
        forest or boost; a .skops file, used as is if the model in it is fitted; or module:attribute, which names an
        estimator, a dict of estimators or a function that returns them (this runs your code). Default: all seven.
    no_reverse
        Skip ReverseTesting, which fits a model for every pair of models.
    positive : LABEL
        The positive class. Default: with two classes, the second in sorted order.
    redact
        Leave values of your data off the page: categories, extremes, dates, periods and error messages. The JSON is
        not redacted.
    score_column : COL
        A column in both files with a deployed model's probabilities of the positive class. The model must not have been
        trained on either file. For two classes only. No model is needed, and ReverseTesting is skipped. Can be
        repeated.
    seed : N
        Random seed.
    target : COL
        The label column.
    threshold : P
        Predict the positive class at this probability or above. Default: predict the more likely class.
    tolerance : X
        The largest acceptable loss of accuracy, or of the measure set with --measure. For profit, 0.05 means 5% of the
        difference between the best and the worst possible profit.
    trust : TYPE
        A type to allow when loading a .skops file, besides those known to be safe; can be repeated. Forests, trees and
        gradient boosting need --trust sklearn.tree._tree.Tree.
    """


@dataclass(frozen=True, kw_only=True)
class Machines:
    """Options: where models are fitted."""

    backend: str | None = None

    def working(self) -> AbstractContextManager[None]:
        """Connect to the cluster, if one is named, for as long as models are fitted."""
        return cluster(self.backend)


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
            raise fault("--kind", "have the form COL=KIND", item, "for example, write --kind zip=nominal")
        kinds[column] = kind
    return kinds


def failure(fail_on: Sequence[Condition] | None, reasons: Mapping[Condition, str]) -> str:
    """Say which conditions of --fail-on are met and why; an empty text if none is.

    Parameters
    ----------
    fail_on : sequence of str or None
        The conditions that were named.
    reasons : mapping of str to str
        Why each condition is met; empty if it is not. A period without rows has no conditions.

    Examples
    --------
    >>> failure(["harm", "shift"], {"harm": "", "shift": "the data changed"}), failure(None, {"harm": "so"})
    ('--fail-on shift: the data changed', '')
    """
    met = [f"--fail-on {name}: {reasons[name]}" for name in dict.fromkeys(fail_on or ()) if reasons.get(name)]
    return "; ".join(met)


def require_time(given: Mapping[str, object], time: str | None) -> None:
    """Refuse options about periods without the column that says when rows were observed."""
    for option, value in given.items():
        if value is not None and time is None:
            raise InputError(f"{option} needs --time; name the column that says when each row was observed")


def require_by(every: str | None, by: str | None) -> None:
    """Refuse a length of periods without the column that is split into periods."""
    if every is not None and by is None:
        raise InputError("--every needs --by; name the column of dates")
