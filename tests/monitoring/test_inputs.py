from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.monitoring.conftest import Table

from shiftproof import ColumnsLeftOut, Panel
from shiftproof.core import InputError
from shiftproof.monitoring._inputs import BaselineSources, ReferenceInputs


def test_reference_inputs_hide_labels_scores_key_and_time(table: Table) -> None:
    more = table | {"id": np.arange(400) * 7, "month": ["a", "b"] * 200}
    sources = BaselineSources(reference=more, scores="p", labels="y", key="id", time="month", exclude=["gap"])
    inputs = ReferenceInputs.of(sources)
    assert list(inputs.kinds) == ["age", "job"]
    assert inputs.left_out == {"gap": "excluded", "id": "key", "month": "time", "y": "label"}
    assert inputs.n_classes == 2
    assert inputs.notes == ()


def test_reference_inputs_say_what_is_not_known(table: Table) -> None:
    assert [note.code for note in ReferenceInputs.of(BaselineSources(reference=table)).notes] == ["no scores"]
    assert [note.code for note in ReferenceInputs.of(BaselineSources(reference=table, scores="p")).notes] == [
        "no labels"
    ]


def test_reference_inputs_of_a_panel(table: Table) -> None:
    panel = Panel.from_scores(table["y"], {"m": table["p"]})
    inputs = ReferenceInputs.of(BaselineSources(reference={"age": table["age"]}, panel=panel))
    assert inputs.scores is not None
    assert inputs.scores.names == ("m",)
    assert inputs.codes is not None
    assert inputs.codes.tolist() == panel.y.tolist()


def test_reference_inputs_leave_identifiers_out(table: Table) -> None:
    with pytest.warns(ColumnsLeftOut, match="'row'"):
        inputs = ReferenceInputs.of(BaselineSources(reference=table | {"row": np.arange(400)}))
    assert inputs.left_out == {"row": "identifier"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reference": {"a": [1, 2]}}, "reference must hold at least 20 rows, got 2; add rows."),
        (
            {"reference": {"a": []}},
            "reference must hold at least one row, got 0; check the filter or the file it came from.",
        ),
        ({"exclude": "age"}, "exclude must be a list of column names, got 'age'; write exclude=['age']."),
        ({"exclude": ["aeg"]}, "exclude must name a column of the reference; got 'aeg'. Did you mean 'age'?"),
        ({"key": "ag"}, "key must name a column of the reference; got 'ag'. Did you mean 'age'?"),
        (
            {"labels": [0, 1]},
            "labels must have one label per reference row, got 2 for 400; pass the labels of the same rows.",
        ),
        ({"panel": 3}, "panel must be a Panel, got 'int'; make one with cross_fit or Panel.from_scores."),
        (
            {"exclude": ["age", "gap", "job", "p", "y"]},
            "reference must have a column that can be compared, got 'age', 'gap', 'job', 'p' and 'y'; "
            "add features or scores.",
        ),
    ],
)
def test_reference_inputs_refuse(table: Table, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        ReferenceInputs.of(BaselineSources(**({"reference": table} | change)))


def test_reference_inputs_refuse_labels_beside_a_panel(table: Table) -> None:
    panel = Panel.from_scores(table["y"], {"m": table["p"]})
    with pytest.raises(
        InputError, match=r"^labels must be left out with a panel, which already has labels; pass one of the two\.$"
    ):
        ReferenceInputs.of(BaselineSources(reference=table, panel=panel, labels=table["y"]))


def test_levels_that_no_label_has_are_not_classes(table: Table) -> None:
    labels = pd.Categorical(table["y"], categories=["never", *dict.fromkeys(table["y"])])
    inputs = ReferenceInputs.of(BaselineSources(reference=table | {"y": labels}, scores="p", labels="y"))
    assert inputs.scores is not None
    assert "never" not in inputs.scores.classes
    with pytest.raises(InputError, match="labels"):
        ReferenceInputs.of(BaselineSources(reference=table | {"y": [None, *table["y"][1:]]}, scores="p", labels="y"))
