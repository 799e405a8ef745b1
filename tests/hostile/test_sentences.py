"""What verbs say of inputs that this table found they took in silence, or answered with a traceback; word for word."""

from __future__ import annotations

import pytest
from tests.hostile._call import plain
from tests.hostile._inputs import ALL
from tests.hostile._verbs import VERBS

import shiftproof as sp

SENTENCES: dict[tuple[str, str], str] = {
    ("cross_fit", "labels of tuples"): "y must hold single labels, got (0, 'a'); make each of them a text or a number.",
    ("cross_fit", "complex labels"): "y must hold single labels, got 0j; make each of them a text or a number.",
    ("detect", "lists as labels"): (
        "reference_labels must hold single labels, got [0]; make each of them a text or a number."
    ),
    ("evaluate", "an infinite label"): "y must contain class labels, got inf; bin the numbers into classes first.",
    ("at_prevalence", "an array of no dimension"): (
        "y must have one dimension, got shape (); pass one column or a flat list."
    ),
    (
        "at_prevalence",
        "a set of labels",
    ): "y must be labels, one per row, got {0, 1}; pass a list, an array or a series.",
    ("bootstrap_632", "a text for a model"): (
        "models must be classifiers, got 'lr'; write sp.default_models(only=['lr'])."
    ),
    ("bootstrap_632", "a model that fails to fit, alone"): ("'FailsToFit' failed with ValueError: cannot fit."),
    ("cross_fit", "groups: an unknown column"): (
        "groups must name a column of X, or have one entry per row, got 'd'; available: 'a', 'b', 'c'."
    ),
    ("cross_fit", "time: an unknown column"): (
        "time must name a column of X, or have one entry per row, got 'd'; available: 'a', 'b', 'c'."
    ),
    ("evaluate", "measures: a number"): "measures must be a list of names, got 3; write measures=['auc'].",
    ("evaluate", "measures: empty"): "measures must be a list of names, got []; leave it out to get all.",
    ("detect", "exclude: a number"): "exclude must be a list of column names, got 3; leave it out to keep all columns.",
    ("audit", "exclude: a number"): "exclude must be a list of column names, got 3; leave it out to keep all columns.",
    ("Panel.from_scores", "given scores of no row"): (
        "scores['m'] must hold at least one row, got shape (0, 2); check the filter or the file."
    ),
    ("Panel.from_scores", "pos_label: unknown"): (
        "pos_label must be one of 0 and 1, got 'maybe'; labels must match exactly."
    ),
    ("reverse_test", "pos_label: unknown"): (
        "pos_label must be one of 0 and 1, got 'maybe'; labels must match exactly."
    ),
    ("Performance.plan", "measure: a list"): (
        "measure must be a measure that was estimated; got ['accuracy']. Did you mean 'accuracy'?"
    ),
    (
        "Performance.plan",
        "model: a list",
    ): "model must name a model, got ['m']; available: 'm', 'n'.",
}


@pytest.mark.parametrize(("verb", "name"), SENTENCES)
def test_sentence(verb: str, name: str) -> None:
    with pytest.raises(sp.InputError) as caught:
        VERBS[verb](ALL[name].change(plain()))
    assert str(caught.value) == SENTENCES[verb, name]
