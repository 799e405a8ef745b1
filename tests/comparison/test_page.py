"""The page of a comparison, and its figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
from tests.comparison.cases import HOSTILE, comparison_of, losses

import shiftproof as sp
from shiftproof.comparison._page import comparison_page, comparison_sections, figures_of
from shiftproof.reporting import redacted


def test_comparison_page_has_all_sections(tmp_path: Path) -> None:
    text = sp.compare(losses(3)).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Wilcoxon-Holm p" in text
    assert "Bonferroni-Dunn p" not in text  # there is no control
    headings = (
        "Average ranks",
        "Losses",
        "All pairs of methods",
        "Losses against one method",
        "By prevalence",
        "By data set",
    )
    for heading in headings:
        assert f">{heading}<" in text
    assert text.count("<svg") == 6
    plain = sp.compare(losses(2, folds=3).query("prevalence == 0.1").drop(columns="prevalence"))
    text = plain.save(tmp_path / "plain.html").read_text(encoding="utf-8")
    assert ">By prevalence<" not in text
    assert ">On single data sets<" in text


def test_comparison_page_shows_names_as_text(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((5, 3)), columns=list(HOSTILE), index=[f"</script> {at}" for at in range(5)])
    text = sp.compare(table, control=HOSTILE[0]).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Bonferroni-Dunn p" in text
    assert "<b>$x$</b>" not in text
    assert "</script> 1" not in text


def test_save_figures_writes_every_figure(tmp_path: Path) -> None:
    written = sp.compare(losses(2)).save_figures(tmp_path / "figures", ending="png")
    assert sorted(written) == ["datasets", "losses", "matrix", "pairs", "prevalences", "ranks"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written.values())


def test_comparison_page_of_one_data_set(tmp_path: Path) -> None:
    result = sp.compare(losses(1))
    text = result.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Ranks on one data set cannot be tested.<" in text
    json.dumps(result.to_dict(), allow_nan=False)


def test_one_data_set_with_folds_says_what_is_tested() -> None:
    assert comparison_sections(sp.compare(losses(1, folds=3))).ranks.text == (
        "Ranks on one data set cannot be tested. Its folds show which methods differ on this data set."
    )


def test_prevalences_section_does_not_compare_the_pivot_with_itself() -> None:
    section = comparison_sections(comparison_of()).prevalences
    assert section is not None
    pivots = [row for row in section.rows if row[1] == comparison_of().methods[0]]
    assert all(row[4:] == ("",) * 5 for row in pivots)
    assert not any("" in row for row in section.rows if row not in pivots)


def test_comparison_sections_dim_methods_that_are_worse_than_the_best() -> None:
    result = comparison_of()
    ranks = comparison_sections(result).ranks
    assert [row[0] for row in ranks.rows] == list(result.methods)
    assert [ranks.rows[number][0] for number in ranks.faint] == [
        name for name in result.methods if name not in result.best
    ]


def test_figures_of_many_methods_leave_out_the_small_charts() -> None:
    result = sp.compare(np.random.default_rng(0).random((3, 17)))
    assert sorted(figures_of(result)) == ["datasets", "losses", "ranks"]


def test_redacted_page_has_numbers_for_data_sets() -> None:
    page = redacted(comparison_page(comparison_of(), "Comparison"))
    (section,) = (section for section in page.sections if section.anchor == "data-sets")
    assert [row[0] for row in section.rows][:2] == ["data set 1", "data set 2"]
