"""Which columns of a table a fitted model uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from sklearn.compose import ColumnTransformer


def columns_used(model: Any) -> frozenset[str] | None:
    """Return the columns that a fitted model uses; None if it does not remember their names.

    Examples
    --------
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "day": ["Mon", "Tue", "Wed", "Thu"]})
    >>> only_age = make_column_transformer(("passthrough", ["age"]))
    >>> columns_used(make_pipeline(only_age, LogisticRegression()).fit(X, [0, 1, 0, 1]))
    frozenset({'age'})
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline

    # A search keeps the best model; a pipeline reads the table in its first step.
    model = getattr(model, "best_estimator_", model)
    first = model.steps[0][1] if isinstance(model, Pipeline) else model
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return None
    if isinstance(first, ColumnTransformer):
        return _columns_transformed(first)
    return frozenset(map(str, names))


def _columns_transformed(transformer: ColumnTransformer) -> frozenset[str]:
    """Return the columns that a fitted transformer of columns does not drop."""
    names = np.array(transformer.feature_names_in_, dtype=object)
    used: set[str] = set()
    for _, step, columns in transformer.transformers_:
        if isinstance(step, str) and step == "drop":
            continue
        try:
            used |= {str(columns)} if isinstance(columns, str) else set(map(str, _chosen(names, columns)))
        except (IndexError, TypeError):  # chosen in another way than by name, place or mask
            return frozenset(map(str, names))
    return frozenset(used)


def _chosen(names: np.ndarray[Any, Any], columns: Any) -> list[object]:
    """Return the names of columns that are chosen by names, numbers, a slice or a mask."""
    if isinstance(columns, slice) and isinstance(columns.start or columns.stop, str):
        return list(pd.Index(names)[pd.Index(names).slice_indexer(columns.start, columns.stop)])
    if not isinstance(columns, slice) and all(isinstance(column, str) for column in np.ravel(columns)):
        return list(columns)
    return list(np.atleast_1d(names[columns]))


def columns_to_give(model: Any, X: Any) -> tuple[str, ...] | None:
    """Return the columns that a model was fitted with if it refuses a table because it has others, too; else None."""
    names = getattr(model, "feature_names_in_", None)
    if names is None or not isinstance(X, pd.DataFrame) or not set(names) < set(X.columns):
        return None
    try:
        model.predict(X.head(1))
    except Exception:
        return tuple(names)
    return None


def chosen(X: Any, columns: tuple[str, ...] | None) -> Any:
    """Return some columns of a table in this order; all if None."""
    return X if columns is None else X[list(columns)]
