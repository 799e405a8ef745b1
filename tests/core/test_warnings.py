from __future__ import annotations

from typing import Any

import pytest

import shiftproof.core
from shiftproof.core import (
    Argument,
    ColumnsLeftOut,
    CopiedRows,
    CountsUnreliable,
    DatesReadAsText,
    EstimateRefused,
    Failure,
    IdentifierUsed,
    InfiniteValues,
    LabelNearlyRevealed,
    LabelRevealed,
    LabelsAlike,
    MarksReadAsText,
    MethodCaution,
    ModelsLeftOut,
    Phrase,
    RankingUnreliable,
    RefittedModel,
    ResultUnreliable,
    ScoresReversed,
    ShiftproofWarning,
    WeightsIgnored,
    warn,
)


def test_a_warning_points_at_the_callers_line() -> None:
    with pytest.warns(ShiftproofWarning, match=r"^look here\.$") as caught:
        warn(ShiftproofWarning("look here."))
    assert caught[0].filename == __file__


@pytest.mark.parametrize("ours", [True, False])
def test_a_warning_from_deep_inside_points_at_the_callers_line_too(ours: bool) -> None:
    names = {
        "__name__": "shiftproof.deep.inside" if ours else "elsewhere",
        "warn": warn,
        "made": ShiftproofWarning("!"),
    }
    exec(compile("def outer(): inner()\ndef inner(): warn(made)", "<inside>", "exec"), names)  # noqa: S102
    outer: Any = names["outer"]
    with pytest.warns(ShiftproofWarning) as caught:
        outer()
    assert caught[0].filename == (__file__ if ours else "<inside>")


def test_every_warning_stands_in_the_tree_of_the_docstring() -> None:
    kinds = [getattr(shiftproof.core, name) for name in vars(shiftproof.core)]
    warnings = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, ShiftproofWarning)]
    assert len(warnings) > 5
    for kind in warnings:
        assert kind.__name__ in (ShiftproofWarning.__doc__ or "")


def test_warnings_that_a_result_repeats_have_one_class() -> None:
    for kind in (CountsUnreliable, EstimateRefused, RankingUnreliable):
        assert issubclass(kind, ResultUnreliable)


@pytest.mark.parametrize(
    ("warning", "sentence"),
    [
        (
            ColumnsLeftOut({"id": "identifier"}, Phrase("pass ", Argument("kinds", {"id": "nominal"}))),
            "left out of tests: 'id' (identifier); pass kinds={'id': 'nominal'}.",
        ),
        (
            ColumnsLeftOut({str(at): "text" for at in range(10)}, "drop them"),
            "left out of tests: " + ", ".join(f"'{at}' (text)" for at in range(8)) + " and 2 more; drop them.",
        ),
        (
            MarksReadAsText("calls.csv", {"age": {"?": 1_200, "-": 1}, "day": {"?": 2}}),
            "calls.csv: columns were read as text because of some cells: 'age' ('?' in 1,200 "
            "rows, '-' "
            "in 1 row), 'day' ('?' in 2 rows); pass missing=['?', '-'] if these marks mean missing.",
        ),
        (
            DatesReadAsText("calls.csv", {"arrived": "day/month/year"}),
            "calls.csv: 'arrived' (day/month/year) looks like dates but was read as categories; write dates as "
            "2016-12-31, or leave the column out.",
        ),
        (
            DatesReadAsText("calls.csv", {"arrived": "day/month/year", "paid": "month/day/year"}),
            "calls.csv: 'arrived' (day/month/year), 'paid' (month/day/year) look like dates but were read as "
            "categories; write dates as 2016-12-31, or leave the columns out.",
        ),
        (
            CopiedRows(0.8),
            "80.0% of the labelled rows have an exact copy in another fold, in the columns that models use. Models are "
            "then tested on rows that they were trained on, and look better than they are. Drop the copies, or pass "
            "groups= to keep copies in the same fold.",
        ),
        (
            LabelsAlike(["Yes", "yes"]),
            "the labels 'Yes' and 'yes' differ only in case or spaces but count as 2 classes; if they mean the "
            "same, spell them the same way.",
        ),
        (
            IdentifierUsed(["id"]),
            "'id' looks like an identifier, and models can still use it. To leave it out: drop it from X.",
        ),
        (
            IdentifierUsed(["id", "row"]),
            "'id' and 'row' look like identifiers, and models can still use them. To leave them out: drop them from X.",
        ),
        (
            InfiniteValues(["ratio"]),
            "'ratio' has infinite values. The default models use its largest or smallest finite value instead, and "
            "most other models fail. Replace the infinite values, or mark them as missing.",
        ),
        (
            LabelNearlyRevealed({"paid": 0.9912}),
            "'paid' (AUC 0.991) separates the classes almost perfectly; leave out columns that become known "
            "only with the label.",
        ),
        (
            LabelRevealed(["paid"]),
            "the column 'paid' determines every label; leave it out if its values become known only with the label.",
        ),
        (
            LabelRevealed(["a", "b"]),
            "each of the columns 'a' and 'b' determines every label; leave it out if its values become known "
            "only with the label.",
        ),
        (
            ScoresReversed("m", 0.214, "stayed", "churned"),
            "'m' ranks the classes in reverse (AUC 0.21): are these the probabilities of class 'stayed'? If they are "
            "those of class 'churned', pass pos_label='churned'. If a model computed them, check the order of its "
            "classes.",
        ),
        (
            ScoresReversed("lr", 0.214, 1, 0, fitted=True),
            "'lr' ranks the classes of held-out rows in reverse (AUC 0.21), which is worse than guessing. Check "
            "that labels and rows match, and whether rows depend on their order or on groups.",
        ),
        (MethodCaution("combined", "few rows"), "combined: few rows."),
        (MethodCaution("", "few rows"), "few rows."),
        (ModelsLeftOut({"svm": Failure("ValueError", "no")}), "left out: 'svm' failed with ValueError: no."),
        (
            RefittedModel(["nb"], Argument("cv", "prefit")),
            "refitting models that are already fitted: 'nb'. Pass cv='prefit' to use them as is, with labelled "
            "rows that they were not trained on. To refit them without this warning, pass unfitted clones.",
        ),
        (WeightsIgnored(["knn"]), "'knn' does not accept sample_weight and was fitted without it."),
        (WeightsIgnored(["a", "b"]), "'a' and 'b' do not accept sample_weight and were fitted without it."),
        (RankingUnreliable("Why."), "do not rely on the ranking: Why."),
        (
            EstimateRefused("Why."),
            "no estimate: Why. Call plan() on the result to see which new rows to label to get one.",
        ),
        (CountsUnreliable("Why."), "no estimate of the class proportions: Why."),
    ],
)
def test_a_warning_writes_its_facts(warning: ShiftproofWarning, sentence: str) -> None:
    assert str(warning) == sentence


def test_a_warning_about_models_knows_that_their_messages_are_sensitive() -> None:
    warning = ModelsLeftOut({"svm": Failure("ValueError", "no 'Smith'")})
    assert warning.sensitive
    assert warning.failures["svm"].kind == "ValueError"
    assert warning.phrase.redacted() == "left out: 'svm' failed with ValueError: (hidden)."
