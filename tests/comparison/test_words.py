"""The sentences of a comparison."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from tests.comparison.cases import comparison_of, losses

import shiftproof as sp
from shiftproof.comparison._words import headline, power, sentences
from shiftproof.core import Phrase


def test_sentences_are_those_of_the_evidence() -> None:
    first, second = comparison_of().best
    assert {first, second} == {"good", "fine"}
    words = f"{first!r} ranks first; no evidence that {second!r} differs from {first!r} in average rank (Nemenyi); "
    words += "9 data sets can only show differences of 1.6 ranks or more."
    assert comparison_of().headline == words
    summary = comparison_of().summary()
    assert summary.startswith(words)
    assert "The methods differ (Iman-Davenport, p < 0.001)" in summary
    better = f"By losses instead of ranks, {first!r} is better than {second!r} by more than 0.01 with a probability of "
    assert better in summary
    assert "% (Bayesian signed-rank test); the difference is smaller with " in summary
    assert re.search(r"is worse by more than 0\.01 with [<\d.]+%\. Ranks at each", summary)
    assert summary.endswith(
        "Ranks at each prevalence are averaged per data set; the tests count each of the 9 data sets once."
    )
    assert "and ranked again per data set" in comparison_of(ranking="rerank").summary()
    assert "by more than" not in comparison_of(rope=0.0).summary()
    assert repr(comparison_of()).startswith("<Comparison: ")
    assert "<table" in comparison_of()._repr_html_()


def test_headline_calls_one_that_beats_all_best() -> None:
    rng = np.random.default_rng(0)
    result = sp.compare(rng.random((40, 3)) + np.array([3, 0, 3]))
    assert result.best == ("x1",)
    words = (
        "'x1' is best: every other method ranks worse by more than chance explains (Nemenyi); 40 data sets can only "
        "show differences of "
    )
    assert result.headline == f"{words}0.52 ranks or more."


def test_headline_says_where_ranks_and_losses_disagree() -> None:
    rng = np.random.default_rng(0)
    # "often" is a little better on most data sets, "far" much better on the others
    often = rng.random(40)
    far = often + np.where(np.arange(40) < 21, 0.001, -0.5) * (1 + rng.random(40))
    table = pd.DataFrame({"often": often, "far": far, "none": often + 5})
    result = sp.compare(table, posthoc="wilcoxon-holm")
    assert result.methods[0] == "often"
    assert result.best == ("often",)
    assert result.headline == "'often' ranks first, but the losses of 'far' are lower by more than chance explains."
    words = sp.compare(table, posthoc="wilcoxon-holm", control="often").headline
    assert words == "'often' is better than 'none' and worse than 'far' (Wilcoxon-Holm)."
    words = sp.compare(table[["often", "far"]]).headline
    assert words.startswith("'far' is better than 'often' over 40 data sets (Wilcoxon, p = ")


def test_headline_of_wilcoxon_calls_one_that_beats_all_best() -> None:
    rng = np.random.default_rng(0)
    result = sp.compare(rng.random((20, 3)) + np.array([3, 0, 3]), posthoc="wilcoxon-holm")
    assert result.headline == "'x1' is best: every other method is worse by more than chance explains (Wilcoxon-Holm)."


def test_headline_calls_none_of_many_equal_methods_best() -> None:
    rng = np.random.default_rng(0)
    result = sp.compare(rng.random((20, 6)) + np.array([0, 0, 0, 0, 0, 9]))
    assert len(result.best) == 5
    assert result.ranks["x2"] == result.ranks["x3"]
    assert result.headline.startswith("'x2' and 'x3' rank first; no evidence that ")
    assert f"differ from {result.methods[0]!r} in average rank (Nemenyi); 20 data sets can only " in result.headline


def test_headline_of_a_control_that_is_no_different() -> None:
    rng = np.random.default_rng(1)
    result = sp.compare(rng.random((10, 4)), control="x2")
    words = "No evidence that 'x2' differs from 'x"
    assert result.headline.startswith(words)
    assert "(Bonferroni-Dunn after Iman-Davenport, p = " in result.headline


def test_headline_of_a_control_gives_the_p_value_of_one_difference_that_is_not_significant() -> None:
    rng = np.random.default_rng(1)
    table = rng.random((12, 3)) + np.array([0, 0, 9])
    one = sp.compare(table, control="x0").headline
    assert one.startswith(
        "'x0' is better than 'x2' by average rank (Bonferroni-Dunn); its difference from 'x1' is not "
    )
    assert "is not significant (p = " in one
    several = sp.compare(np.column_stack([table, table[:, 0] + 0.01]), control="x0").headline
    assert "; its differences from 'x" in several
    assert " are not significant; 12 data sets can only show differences of " in several


def test_headline_marks_the_only_data_set_as_sensitive() -> None:
    words = headline(sp.compare(losses(1)))
    assert isinstance(words, Phrase)
    assert str(words).endswith(
        " on 'set 0', the only data set; one data set cannot show whether this is true for others."
    )
    assert "set 0" not in words.redacted()


def test_power_says_where_no_difference_can_be_shown() -> None:
    result = sp.compare(np.random.default_rng(0).random((2, 3)), posthoc="nemenyi")
    assert power(result) == "2 data sets cannot show any difference: it would take 2.3 ranks, but the maximum is 2"


def test_sentences_warn_where_wilcoxon_can_show_nothing() -> None:
    result = sp.compare(np.random.default_rng(0).random((4, 2)))
    assert sentences(result)[-1] == "So few data sets cannot show a difference at level 0.05: p is never below 0.12."
