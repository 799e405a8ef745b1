from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from shiftproof.core import InputError, is_texts
from shiftproof.panel._inputs import (
    as_features,
    check_weights,
    encode_known,
    encode_labels,
    fingerprint_features,
    known_label_array,
    label_array,
    match_columns,
)


def test_as_features_keeps_arrays_and_names_their_columns() -> None:
    array = np.zeros((2, 3))
    features = as_features(array)
    assert features.data is array
    assert (features.names, features.named) == (("x0", "x1", "x2"), False)
    assert as_features(sparse.coo_matrix(array)).data.format == "csr"
    assert as_features(["good", "bad"]).names == ("text",)


def test_is_texts_means_a_flat_sequence_of_text() -> None:
    assert is_texts(["a", "b"])
    assert is_texts(pd.Series(["a"]))
    assert not is_texts(["a", 1])
    assert not is_texts([])


def test_like_takes_columns_by_name_and_refuses_missing_ones() -> None:
    new = as_features(pd.DataFrame({"b": [1], "c": [2], "a": [3]}))
    assert list(match_columns(("a", "b"), True, new).columns) == ["a", "b"]
    with pytest.raises(InputError, match="X_new has no column 'd', which X has"):
        match_columns(("a", "d"), True, new)
    with pytest.raises(InputError, match="X_new must have named columns, as X had"):
        match_columns(("a",), True, as_features(np.zeros((1, 1))))


def test_encode_labels_sorts_classes_and_refuses_amounts_and_single_classes() -> None:
    classes, codes = encode_labels(["no", "yes", "no"])
    assert (classes.tolist(), codes.tolist()) == (["no", "yes"], [0, 1, 0])
    with pytest.raises(InputError, match=r"y must contain class labels, got 0\.5"):
        encode_labels([0.5, 1.0])
    with pytest.raises(InputError, match="y must contain at least two classes"):
        encode_labels([1, 1])
    with pytest.raises(InputError, match="y must have no missing labels, got 1"):
        encode_labels(["a", None, "b"])


def test_encode_known_refuses_classes_that_are_not_known() -> None:
    classes = np.array(["no", "yes"])
    assert encode_known(["yes", "no"], classes).tolist() == [1, 0]
    with pytest.raises(InputError, match="y must hold only the classes 'no' and 'yes', got 'maybe'"):
        encode_known(["maybe", "no"], classes)


def test_encode_known_advises_to_recode_labels_of_which_none_is_known() -> None:
    with pytest.raises(InputError) as error:
        encode_known([1, 0, 1], np.array(["no", "yes"]))
    assert str(error.value) == "y must hold only the classes 'no' and 'yes', got 1 and 0; recode the labels."


def test_fingerprint_features_depends_on_cells_names_and_order() -> None:
    table = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    prints = [
        fingerprint_features(as_features(each))
        for each in (table, table.copy(), table[::-1], table.rename(columns={"a": "c"}), table.assign(a=[1, 3]))
    ]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 4


def test_check_weights_refuses_infinite_and_negative_weights() -> None:
    two = np.array(["no", "yes"]), np.array([0, 1])
    assert check_weights(None, *two) is None
    with pytest.raises(InputError, match="sample_weight must be finite and not negative, got inf"):
        check_weights([1, np.inf], *two)
    with pytest.raises(InputError, match="sample_weight must have one weight per row of X, got 1 for 2 rows"):
        check_weights([1], *two)


@pytest.mark.parametrize(
    "y",
    [
        np.ma.array([0, 1, 1], mask=[False, False, True]),
        np.ma.array(["a", "b", "b"], mask=[False, False, True]),
        list(np.ma.array([0, 1, 1], mask=[False, False, True])),
        [0, 1, None],
        [0, 1, pd.NA],
        ["a", "b", float("nan")],
        [True, False, pd.NaT],
        np.array(["2024-01-01", "2024-01-02", "NaT"], dtype="M8[D]"),
        pd.Series([0, 1, None], dtype="Int64"),
        pd.Series([0, 1, None], dtype=float),
        pd.Series([True, False, None], dtype="boolean"),
        pd.Series(["a", "b", None], dtype="category"),
        pd.Categorical(["a", "b", None]),
        pl.Series([0, 1, None]),
        pl.Series([0.0, 1.0, float("nan")]),
        pa.array([0, 1, None]),
        pa.chunked_array([["a", "b", None]]),
    ],
)
def test_encode_labels_refuses_missing_labels_of_every_library(y: object) -> None:
    with pytest.raises(InputError) as error:
        encode_labels(y)
    assert str(error.value) == "y must have no missing labels, got 1; drop those rows first."


@pytest.mark.parametrize("y", [{0: "a", 1: "b"}, {"a", "b"}])
def test_encode_labels_refuses_what_has_no_order(y: object) -> None:
    with pytest.raises(InputError, match=r"y must be labels, one per row, got .*; pass a list, an array or a series"):
        encode_labels(y)


def test_check_weights_refuses_masked_and_missing_weights() -> None:
    for weights in (np.ma.array([1, 2], mask=[False, True]), [1, pd.NA], pl.Series([1, None])):
        with pytest.raises(InputError) as error:
            check_weights(weights, np.array(["no", "yes"]), np.array([0, 1]))
        assert str(error.value) == "sample_weight must be finite and not negative, got nan; 0 leaves a row out."


@pytest.mark.parametrize("of", [dict, pa.table, pl.DataFrame], ids=["dict", "pyarrow", "polars"])
def test_as_features_keeps_large_integers_with_gaps(of: Any) -> None:
    frame = as_features(of({"a": [2**60 + 1, None], "b": [1, None], "c": [0.5, None]})).data
    assert frame.dtypes.astype(str).tolist() == ["Int64", "float64", "float64"]
    assert frame["a"].tolist() == [2**60 + 1, pd.NA]


def test_as_features_keeps_time_zones_and_positions_of_a_dict() -> None:
    moments = [datetime(2024, 5, 1, tzinfo=UTC), None]
    columns = {"a": moments, "b": pd.Series(["x", "y"], index=[7, 8]), "c": pd.Series([1, 2], dtype="Int64")}
    frame = as_features(columns).data
    assert frame["a"].tolist() == [moments[0], pd.NaT]
    assert (frame["b"].tolist(), frame["c"].tolist()) == (["x", "y"], [1, 2])


def test_check_weights_wants_two_rows_of_some_weight_in_each_class() -> None:
    classes, codes = np.array(["no", "yes"]), np.array([0, 0, 1, 1])
    with pytest.raises(InputError) as error:
        check_weights([1, 1, 1, 0], classes, codes)
    assert str(error.value) == (
        "sample_weight must be above 0 for at least two rows of class 'yes', got 1; "
        "drop the class if it must not count."
    )


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([True, 0, 1], "y must hold labels of one type, got bool and int; convert all of them to text."),
        ([b"a", b"b"], "y must hold text, numbers, booleans or dates, got bytes; convert all of them to text."),
        ([(1, 2), (1, 3)], "y must hold single labels, got (1, 2); make each of them a text or a number."),
    ],
)
def test_encode_labels_refuses_labels_that_no_classifier_takes(labels: list[Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        encode_labels(labels)
    assert str(error.value) == sentence


def test_encode_labels_keeps_large_integers_apart() -> None:
    for y in ([2**53, 2**53 + 1, 2.0], [2**63, 2**63 + 1, -1], pl.Series([2**60, 2**60 + 1, 5])):
        assert sorted(encode_labels(y)[1].tolist()) == [0, 1, 2]


@pytest.mark.parametrize("read", [label_array, known_label_array, encode_labels])
@pytest.mark.parametrize("empty", [[], np.array([]), pd.Series([], dtype=object)], ids=["list", "array", "series"])
def test_labels_of_no_row_are_refused_before_anything_is_said_of_their_values(read: Any, empty: object) -> None:
    sentence = r"^y_new must hold at least one label, got 0; check the filter or the file it came from\.$"
    with pytest.raises(InputError, match=sentence):
        read(empty, "y_new")
