from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof import InputError
from shiftproof.monitoring._given_labels import read_labels
from shiftproof.monitoring._performance import AccuracyGrounds
from shiftproof.monitoring._sample import KeptSample

CLASSES = ("no", "yes")


def sample(n_rows: int = 5, rows: Any = (3, 0, 4, 1), keys: tuple[str, ...] = ()) -> KeptSample:
    return KeptSample(
        n_rows=n_rows,
        rows=np.array(rows),
        keys=keys,
        answers=np.zeros(len(rows), np.int64),
        scores=np.zeros((len(rows), 1), np.float32),
        grounds=AccuracyGrounds(value=0.8, confidence=0.8, sampling=0.01, allowance=0.03),
    )


def test_labels_by_row_by_key_and_for_all_rows_are_the_same() -> None:
    by_row = read_labels({3: "yes", np.int64(0): "no", 1: None}, sample(), CLASSES, None, batch="May")
    assert (by_row.codes, by_row.n_not_kept) == ({3: 1, 0: 0}, 0)
    keyed = sample(n_rows=4, rows=(3, 0, 2, 1), keys=("d", "17", "c", "b"))
    assert read_labels({"d": "yes", 17: "no"}, keyed, CLASSES, None, batch="May").codes == {3: 1, 0: 0}
    assert read_labels({3: "yes", 0: "no"}, keyed, CLASSES, "row", batch="May").codes == {3: 1, 0: 0}
    for whole in (["no", None, "yes", "yes", np.nan], pd.Series(["no", None, "yes", "yes", None])):
        given = read_labels(whole, sample(), CLASSES, None, batch="May")
        # Row 2 is not kept.
        assert (given.codes, given.n_not_kept) == ({0: 0, 3: 1}, 1)


def test_classes_may_be_written_otherwise_in_a_file() -> None:
    assert read_labels({0: 1.0, 1: "0"}, sample(), (0, 1), None, batch="May").codes == {0: 1, 1: 0}
    assert read_labels({0: 1}, sample(), ("0", "1"), None, batch="May").codes == {0: 1}
    assert read_labels({0: True}, sample(), (False, True), None, batch="May").codes == {0: 1}


def test_keys_that_are_not_kept_cannot_be_told_from_wrong_ones() -> None:
    part = sample(n_rows=2000, keys=("d", "a", "e", "b"))
    given = read_labels({"d": "yes", "zz": "no"}, part, CLASSES, None, batch="May")
    assert (given.codes, given.n_not_kept) == ({3: 1}, 1)


@pytest.mark.parametrize(
    ("labels", "by", "sentence"),
    [
        (
            {5: "yes"},
            None,
            "labels must give row numbers from 0 to 4, got 5; the first row is number 0.",
        ),
        ({-1: "yes"}, None, "labels must give row numbers from 0 to 4, got -1; "),
        ({True: "yes"}, None, "labels must give row numbers from 0 to 4, got True; "),
        ({"a": "yes"}, None, "labels must give row numbers from 0 to 4, got 'a'; "),
        (
            {"a": "yes"},
            "key",
            "labels cannot identify rows by key: no keys of batch 'May' are stored; use row numbers, as in the rows "
            "that plan lists.",
        ),
        ({0: "yess"}, None, "labels: the label 'yess' is not a class of the baseline. Did you mean 'yes'?"),
        ({0: 7}, None, "labels: the label 7 is not a class of the baseline; available: 'no', 'yes'."),
        ({0: [1]}, None, "labels: the label [1] is not a class of the baseline; available: 'no', 'yes'."),
        (
            {2: "yes"},
            None,
            "labels: no label is for one of the 4 rows whose scores are stored; label the rows",
        ),
        (
            ["yes"],
            None,
            "labels must have one entry per row of the batch, got 1 for 5 rows; give a dict for some rows.",
        ),
        (["yes"] * 5, "row", "by must be left out with one label per row; got 'row'."),
        (
            "yes",
            None,
            "labels must be a dict that maps rows or keys to labels, a table, or one label per row of the batch, got",
        ),
        (
            7,
            None,
            "labels must be a dict that maps rows or keys to labels, a table, or one label per row of the batch, got",
        ),
        (
            pd.DataFrame({"row": [3], "label": ["yes"]}),
            None,
            "labels must be a dict that maps rows or keys to labels, a table, or one label per row of the batch, got a "
            "table; pass a DataFrame of pandas, such as table.to_pandas().",
        ),
    ],
)
def test_labels_that_cannot_be_meant_are_refused(labels: Any, by: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read_labels(labels, sample(), CLASSES, by, batch="May")
    assert str(caught.value).startswith(sentence)


def test_unknown_keys_of_a_batch_that_is_kept_whole_are_refused() -> None:
    keyed = sample(n_rows=4, rows=(3, 0, 2, 1), keys=("d", "a", "c", "b"))
    with pytest.raises(InputError, match=r"labels: no row of batch 'May' has the key 'e'; check id\."):
        read_labels({"e": "yes"}, keyed, CLASSES, None, batch="May")
    twice = {7: "yes", "7": "yes"}
    with pytest.raises(InputError, match="the key 7 occurs more than once, as text and as a number; keep one"):
        read_labels(twice, sample(n_rows=2, rows=(1, 0), keys=("d", "7")), CLASSES, None, batch="May")


def test_no_labels_are_no_labels() -> None:
    assert read_labels({}, sample(), CLASSES, None, batch="May").codes == {}
    assert read_labels({0: None}, sample(), CLASSES, None, batch="May").codes == {}
