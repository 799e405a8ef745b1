"""The page of class proportions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from tests.quantification.cases import PERIODS, made, refused
from tests.selection.cases import shift_kind

from shiftproof.counting._assumption import Unclipped
from shiftproof.quantification._result import ShareErrors
from shiftproof.reporting import Bar


def test_quantification_page_escapes_names_and_is_whole(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    named = {"no": hostile, "yes": "yes"}

    def renamed(shares: Any) -> Any:
        return {named[label]: value for label, value in shares.items()}

    result = made(
        prevalence=renamed(made().prevalence),
        errors=renamed(made().errors),
        training=renamed(made().training),
        others={name: renamed(shares) for name, shares in made().others.items()},
        model=hostile,
    )
    text = result.save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert hostile not in text
    assert "Class proportions" in text
    assert "Checks without labels" in text
    assert 'src="http' not in text
    assert 'href="http' not in text
    with_course = made(periods=PERIODS, by="day", every="month").save(tmp_path / "course.html")
    assert "The share of yes over time" in with_course.read_text(encoding="utf-8")


def test_quantification_sections_have_no_figures_where_the_assumption_is_broken() -> None:
    beyond = Unclipped(method="adjusted count", code=1, value=1.2, low=0.9, high=1.1)
    fits, broken = made().sections().shares, refused(unclipped=(beyond,)).sections()
    assert fits.rows[1][2] == Bar(0.4, "40.0%", "good")
    assert broken.shares.rows == [("no", "90.0%", "refused"), ("yes", "10.0%", "refused")]
    assert (broken.shares.figures, broken.methods) == ((), None)


def test_quantification_sections_list_methods_and_periods() -> None:
    sections = made(periods=PERIODS, by="day", every="month").sections()
    assert sections.methods is not None
    assert [row[0] for row in sections.methods.rows][:2] == ["combined", "training prevalence"]
    assert sections.methods.rows[0][1:] == ("60.0%", "40.0%")
    assert sections.course is not None
    assert sections.course.rows[0][2:] == (Bar(0.2, "20.0%"), "10.0% to 30.0%", "15.0% to 25.0%")
    assert sections.course.rows[1][1:] == ("0", "", "", "")
    assert made().sections().course is None


def test_quantification_sections_show_what_sampling_alone_would_give() -> None:
    errors = {"no": ShareErrors(sampling=0.02, drift=0.05), "yes": ShareErrors(sampling=0.02, drift=0.05)}
    sections = made(method="routed pool", assume="natural", errors=errors, periods=PERIODS, by="day").sections()
    assert sections.shares.columns[3:] == ("90% interval", "sampling alone")
    assert sections.shares.rows[1][3:] == ("30.0% to 50.0%", "36.7% to 43.3%")
    assert sections.course is not None
    assert sections.course.rows[0][3:] == ("10.0% to 30.0%", "15.1% to 24.9%")
    assert sections.course.rows[1][1:] == ("0", "", "", "")


def test_groups_of_a_refused_count_have_no_figure() -> None:
    foreign = shift_kind(100, 50, np.array([0.5, 0.5]), kind="too different", outside=0.9)
    result = refused(assume="natural", shift=foreign, periods=PERIODS, by="day", every="month")
    course = result.sections().course
    assert course is not None
    assert [row[2:] for row in course.rows] == [("refused", "", ""), ("", "", "")]
    assert not course.figures
    assert result.sections().shares.columns == (
        "class",
        "labelled data",
        "new data",
    )
    assert result.summary().endswith("The share of class 'yes' cannot be estimated for any value of 'day' either.")
