"""Read probabilities that come without models: checked, with one column per class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Argument,
    Codes,
    Floats,
    InputError,
    Phrase,
    check_label,
    check_probabilities,
    check_row_orders,
    fault,
    listed,
    match_classes,
    score_array,
    shown,
    similar,
)
from shiftproof.panel._inputs import check_different, check_weights, encode_labels


@dataclass(frozen=True, eq=False, kw_only=True)
class GivenScores:
    """Labels and probabilities of labelled and new rows, by model.

    Attributes
    ----------
    labelled, new : mapping of str to ndarray of shape (n, k) and (m, k)
        Columns in the order of `classes`.
    class_assumed : bool
        Whether some scores were one column whose class nobody named.
    """

    classes: NDArray[Any]
    codes: Codes
    labelled: Mapping[str, Floats]
    new: Mapping[str, Floats]
    sample_weight: Floats | None
    class_assumed: bool


def read_scores(
    y: object, scores: object, *, new: object = None, sample_weight: object = None, pos_label: object = None
) -> GivenScores:
    """Check labels, scores and weights as for `Panel.from_scores`."""
    classes, codes = encode_labels(y)
    labelled_scores, new_scores = _by_model(scores, "scores"), _by_model({} if new is None else new, "new")
    if not labelled_scores:
        hint = "write {'name': probabilities}"
        raise fault("scores", "be a dict that maps names to probabilities, with at least one entry", scores, hint)
    check_different(labelled_scores, "scores")
    of_labelled, of_new = (
        [(Argument(side, key=name), values) for name, values in given.items()]
        for side, given in (("scores", labelled_scores), ("new", new_scores))
    )
    check_row_orders([("y", y), *of_labelled, ("sample_weight", sample_weight)])
    check_row_orders(of_new)
    if pos_label is not None:
        check_label(pos_label, classes.tolist())
    read, read_new = (
        {str(name.key): class_probabilities(values, name, classes, pos_label) for name, values in side}
        for side in (of_labelled, of_new)
    )
    for model, (values, _) in read.items():
        if len(values) != len(codes):
            got = Phrase(f"{len(values):,} for {len(codes):,} labels")
            hint = "pass scores and labels of the same rows"
            raise fault(Argument("scores", key=model), "have one row per label", got, hint)
    unknown = [model for model in read_new if model not in read]
    if unknown:
        near = similar(unknown[0], read)
        hint = "" if near else f"; use the same model names in both ({listed(read)})"
        raise InputError(f"new has scores for {shown(unknown[0])}, but scores does not{hint}", near=near)
    # With one column per class there is nothing to name here, and a measure of one class would not know the label.
    if pos_label is not None and len(classes) > 2:
        where = Phrase("pass ", Argument("pos_label"), " to the function that gets the panel")
        raise fault("pos_label", "be left out for more than two classes", pos_label, where)
    return GivenScores(
        classes=classes,
        codes=codes,
        labelled={model: values for model, (values, _) in read.items()},
        new={model: values for model, (values, _) in read_new.items()},
        sample_weight=check_weights(sample_weight, classes, codes),
        class_assumed=any(assumed for _, assumed in (*read.values(), *read_new.values())),
    )


def _by_model(given: object, name: str) -> Mapping[Any, object]:
    if not isinstance(given, Mapping):
        more = ", with at least one entry" if name == "scores" else ""
        raise fault(name, f"be a dict that maps names to probabilities{more}", given, "write {'name': probabilities}")
    return given


def class_probabilities(
    values: object, name: Argument, classes: NDArray[Any], pos_label: object
) -> tuple[Floats, bool]:
    """Check probabilities and give them one column per class; say whether the class of a single column was assumed."""
    array, columns = score_array(values, name)
    if not array.size:
        raise fault(name, "hold at least one row", Phrase(f"shape {array.shape}"), "check the filter or the file")
    missing = int(np.isnan(array).sum())
    if missing:
        are = f"{missing:,} of {array.size:,} {'is' if missing == 1 else 'are'}"
        raise InputError(name, f" must have a value in every row, but {are} missing; drop these rows", argument=name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 1 and len(classes) == 2:
        return _both_classes(check_probabilities(array, name), columns, name, classes, pos_label)
    if array.ndim != 2 or array.shape[1] != len(classes):
        hint = f"one for each of {listed(classes.tolist())}"
        raise fault(name, f"have {len(classes)} columns", Phrase(f"shape {array.shape}"), hint)
    if columns is not None:
        array = array[:, match_classes(columns, classes.tolist(), name)]
    return check_probabilities(array, name, hint="divide each row by its sum, if they should"), False


def _both_classes(
    array: Floats, columns: tuple[object, ...] | None, name: Argument, classes: NDArray[Any], pos_label: object
) -> tuple[Floats, bool]:
    """Give the probabilities of one class the column of the other."""
    labels = classes.tolist()
    named = [place for place, label in enumerate(labels) if columns == (label,)]
    positive = positive_place(classes, pos_label)
    if named and pos_label is not None and named != [positive]:
        got = Phrase(f"a column named {shown(labels[named[0]])}")
        hint = "rename it, or pass the scores of the right class"
        raise fault(name, f"be the probability of {shown(pos_label)}", got, hint)
    both = np.column_stack([1 - array, array])
    return both[:, ::-1] if (*named, positive)[0] == 0 else both, pos_label is None and not named


def positive_place(classes: NDArray[Any], pos_label: object) -> int:
    """Return the place of the positive class: by default the second of two."""
    labels = classes.tolist()
    if pos_label is not None:
        return check_label(pos_label, labels)
    if len(labels) > 2:
        raise fault("pos_label", f"be given for {len(labels)} classes", hint=f"choose one of {listed(labels)}")
    return 1
