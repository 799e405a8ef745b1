from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from shiftproof.core import InputError
from shiftproof.monitoring._label_file import batch_of_labels, labels_of_frame


def baseline(key: str | None = None, label_column: str = "") -> Any:
    return SimpleNamespace(key=key, label_column=label_column)


def test_rows_are_named_by_the_key_then_by_number_then_by_their_order() -> None:
    both = pd.DataFrame({"row": [4.0, 2.0], "customer": ["a", "b"], "label": ["yes", "no"]})
    assert labels_of_frame(both, baseline("customer"), "f.csv") == ({"a": "yes", "b": "no"}, "key")
    assert labels_of_frame(both, baseline(), "f.csv") == ({4: "yes", 2: "no"}, "row")
    assert labels_of_frame(both[["label"]], baseline(), "f.csv") == (["yes", "no"], None)


def test_labels_may_be_called_as_in_the_baseline() -> None:
    batch = pd.DataFrame({"customer": ["a", "b"], "age": [30, 40], "left": ["yes", None]})
    assert labels_of_frame(batch, baseline("customer", "left"), "f.csv") == ({"a": "yes"}, "key")


def test_rows_without_a_label_are_left_out() -> None:
    frame = pd.DataFrame({"row": [1, 2], "label": ["yes", None]})
    assert labels_of_frame(frame, baseline(), "f.csv") == ({1: "yes"}, "row")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"row": [1], "lable": ["yes"]}, "f.csv has no column 'label'. Did you mean 'lable'?"),
        ({"id": [1], "label": ["yes"]}, "f.csv has no column 'row' to identify the rows; available: 'id', 'label'"),
        ({"row": [1, 1], "label": ["yes", "no"]}, "row 1 occurs more than once in f.csv; keep one of these rows"),
        ({"row": [1], "label": [None]}, "f.csv has no labels in column 'label'; fill them in"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_words(columns: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        labels_of_frame(pd.DataFrame(columns), baseline(), "f.csv")
    assert str(caught.value).rstrip(".") == words


def test_the_batch_stands_in_the_file_or_is_given() -> None:
    named, bare = pd.DataFrame({"batch": ["May", "May"]}), pd.DataFrame({"row": [1]})
    assert batch_of_labels(named, None, "f.csv") == "May"
    assert batch_of_labels(bare, "June", "f.csv") == "June"
    with pytest.raises(InputError, match="has rows of batch 'May', not of batch 'June'; check id and the file"):
        batch_of_labels(named, "June", "f.csv")
    with pytest.raises(InputError, match="does not say which batch it belongs to; pass id with the name"):
        batch_of_labels(bare, None, "f.csv")
