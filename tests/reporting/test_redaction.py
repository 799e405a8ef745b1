"""A redacted page shows no cell of the data: not as text, in a chart, a tooltip or an alternative text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import shiftproof as sp
from shiftproof.core import Phrase, Sensitive
from shiftproof.reporting import Detail, Drawing, Figure, Page, PagedResult, Reason, Section, redacted, render

# Words that stand in cells, and the number that every extreme begins with; a chart may write 7777 as 7,777.
CELL = "Zyxwv"
EXTREME = re.compile(r"7[ ,]?777")
YEAR = "1987"
# Cells that errors of models quote.
AT_FITTING, AT_SCORING = f"{CELL} at fitting", f"{CELL} at scoring"
ROWS = 240


class FailsToFit(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model whose error quotes a cell, as many do."""

    def fit(self, *_: object) -> FailsToFit:
        raise ValueError(f"could not convert string to float: '{AT_FITTING}'")


class FailsToScore(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model that quotes a cell when it meets new or shifted rows."""

    def fit(self, _: object, y: NDArray[np.str_]) -> FailsToScore:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        if X["wage"].mean() > 77_770.6:
            raise ValueError(f"unknown category '{AT_SCORING}'")
        return np.full((len(X), 2), 0.5) + np.outer(X["wage"] - 77_770, [-1e-6, 1e-6])


def table(rng: np.random.Generator, far: float, streets: list[str]) -> pd.DataFrame:
    days = rng.integers(0, 300, ROWS)
    return pd.DataFrame(
        {
            "wage": 77_770 + rng.normal(far, 1.0, ROWS),
            "street": rng.choice([f"{CELL} {street}" for street in streets], ROWS),
            "since": np.datetime64("1987-02-01") + days.astype("timedelta64[D]"),
            "group": [f"{CELL} group {number}" for number in days // 100],
        }
    )


@cache
def tables() -> tuple[pd.DataFrame, Any, pd.DataFrame, Any]:
    rng = np.random.default_rng(0)
    X, X_new = table(rng, 0.0, ["Road", "Lane"]), table(rng, 0.8, ["Lane", "Gate"])
    labels = [np.where(each["wage"] + rng.normal(0, 1, ROWS) > 77_770, "yes", "no") for each in (X, X_new)]
    return X, labels[0], X_new, labels[1]


def models() -> dict[str, Any]:
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["street"]), (("passthrough"), make_column_selector(pattern="wage"))
    )
    return {
        "tree": make_pipeline(encoder, DecisionTreeClassifier(max_depth=2, random_state=0)),
        "lr": make_pipeline(encoder, LogisticRegression(max_iter=2000)),
        "unfit": FailsToFit(),
        "unscoring": FailsToScore(),
    }


@cache
def panel() -> Any:
    X, y, _, _ = tables()
    return sp.cross_fit(models(), X, y, cv=3)


@cache
def detection() -> sp.Detection:
    X, _, X_new, _ = tables()
    return sp.detect(X, X_new, panel=panel())


def timeline() -> PagedResult:
    X, _, X_new, _ = tables()
    return sp.detect_by(X, X_new, "group", multivariate=False)


def months() -> PagedResult:
    X, _, X_new, _ = tables()
    return sp.detect_by(X, X_new, "since", every="month", multivariate=False)


@cache
def evaluation() -> PagedResult:
    X, y, _, _ = tables()
    return sp.evaluate(panel(), X, y)


@cache
def selection() -> PagedResult:
    X, y, X_new, _ = tables()
    return sp.select(panel(), X, y, X_new)


@cache
def performance() -> PagedResult:
    X, y, X_new, _ = tables()
    return sp.estimate_performance(panel(), X, y, X_new)


@cache
def quantification() -> PagedResult:
    X, y, X_new, _ = tables()
    kept = [*X.columns[:-1]]
    return sp.quantify(sp.cross_fit(models(), X[kept], y, cv=3), X[kept], y, X_new, by="group")


@cache
def stress() -> PagedResult:
    X, y, _, _ = tables()
    return sp.stress(models(), X[["wage", "street"]], y, bootstraps=20)


def comparison() -> PagedResult:
    rng = np.random.default_rng(0)
    names = [f"{CELL}-{number}.csv" for number in range(8)]
    return sp.compare(pd.DataFrame(rng.random((8, 3)), columns=["a", "b", "c"], index=names))


def one_dataset() -> PagedResult:
    return sp.compare(pd.DataFrame([[0.1, 0.2]], columns=["a", "b"], index=[f"{CELL}.csv"]))


@cache
def audit() -> sp.Audit:
    X, y, X_new, _ = tables()
    return sp.audit(panel(), X, y, X_new, quick=True, progress=False)


RESULTS: list[Callable[[], PagedResult]] = [
    detection, timeline, months, evaluation, selection, performance, quantification, stress, comparison, one_dataset,
    audit,
]  # fmt: skip


@cache
def pages(make: Callable[[], PagedResult]) -> tuple[str, str]:
    """Save a result's page whole and redacted, once for all tests, because charts take long to draw."""
    result = make()
    with TemporaryDirectory() as folder:
        whole = result.save(Path(folder) / "whole.html")
        hidden = result.save(Path(folder) / "hidden.html", redact=True)
        return whole.read_text(encoding="utf-8"), hidden.read_text(encoding="utf-8")


def secrets(page: str) -> list[str]:
    """Return the cells that stand on a page: in its title, texts, charts, tooltips or attributes."""
    title, body = page.index("<title"), page.index("<body")
    text = unescape(page[title : page.index("</title>", title)] + page[body:])
    return [secret for secret in (CELL, YEAR) if secret in text] + EXTREME.findall(text)


@pytest.mark.filterwarnings("ignore::shiftproof.core.ShiftproofWarning")
@pytest.mark.parametrize("make", RESULTS, ids=lambda make: str(make.__name__))
def test_a_redacted_page_shows_no_cell_of_the_data(make: Callable[[], PagedResult]) -> None:
    whole, hidden = pages(make)
    assert secrets(whole)
    assert secrets(hidden) == []


@pytest.mark.filterwarnings("ignore::shiftproof.core.ShiftproofWarning")
@pytest.mark.parametrize(
    ("make", "errors"),
    [
        (detection, [AT_SCORING]),
        (evaluation, [AT_FITTING]),
        (selection, [AT_FITTING, AT_SCORING]),
        (performance, [AT_FITTING, AT_SCORING]),
        (quantification, [AT_FITTING]),
        (stress, [AT_FITTING, AT_SCORING]),
        (audit, [AT_FITTING, AT_SCORING]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_errors_of_models_are_on_the_plain_page_only(make: Callable[[], PagedResult], errors: list[str]) -> None:
    plain, hidden = map(unescape, pages(make))
    assert [error for error in errors if error not in plain] == []
    assert CELL not in hidden


def test_the_reason_why_the_type_of_shift_is_unknown_is_redacted() -> None:
    found = replace(detection(), kind=None, kind_reason=Sensitive(f"got '{CELL}'"))
    page = found.to_page()
    (text,) = (section.text for section in page.sections if section.anchor == "kind")
    assert str(text).startswith(f"The type of shift cannot be determined: got '{CELL}'.")
    (text,) = (section.text for section in redacted(page).sections if section.anchor == "kind")
    assert str(text).startswith("The type of shift cannot be determined: (hidden).")


@pytest.mark.filterwarnings("ignore::shiftproof.core.ShiftproofWarning")
def test_a_redacted_verification_shows_no_cell_of_the_data(tmp_path: Path) -> None:
    found = audit().verify(tables()[3])
    # Its own page names models and classes only, so that there is nothing to hide.
    assert secrets(found.save(tmp_path / "page.html").read_text(encoding="utf-8")) == []
    assert secrets(found.save(tmp_path / "page.html", redact=True).read_text(encoding="utf-8")) == []
    assert secrets(audit().save(tmp_path / "page.html", verification=found).read_text(encoding="utf-8"))
    page = audit().save(tmp_path / "page.html", redact=True, verification=found)
    assert secrets(page.read_text(encoding="utf-8")) == []


@pytest.mark.filterwarnings("ignore::shiftproof.core.ShiftproofWarning")
def test_names_of_columns_models_and_classes_stay() -> None:
    text = unescape(pages(audit)[1])
    assert all(name in text for name in ("wage", "street", "tree", "unfit", "unscoring", "yes"))


def hidden_page() -> Page:
    cell = Sensitive(CELL, "a cell")
    section = Section(
        title=Phrase("About ", cell),
        anchor="about",
        text=cell,
        figures=[Figure(cell, lambda: f"<svg>{CELL}</svg>", lambda: "<svg></svg>")],
        columns=[cell, Detail(cell), "picture"],
        rows=[[cell, 1.5, Drawing("<svg></svg>", cell)]],
    )
    nested = replace(section, anchor="nested")
    return Page(
        title=cell,
        verdict=cell,
        tone="good",
        summary=Phrase("It is ", cell, "."),
        reasons=[Reason(cell, section)],
        sections=[replace(section, sections=[nested])],
        facts={"fact": cell},
    )


def test_every_place_of_a_page_is_redacted() -> None:
    page = hidden_page()
    assert CELL in render(page)
    assert CELL not in repr(redacted(page))
    assert CELL not in render(redacted(page))
    assert redacted(page).summary == "It is a cell."
    assert redacted(page).sections[0].rows[0][:2] == ("a cell", 1.5)


def test_redacting_changes_nothing_else() -> None:
    figure = Figure("A chart", lambda: "<svg></svg>", over_time=True)
    section = Section(title="A", anchor="a", figures=[figure], columns=("x",), rows=(("y",),), sortable=True)
    page = Page(title="T", verdict="V", tone="bad", summary="S", sections=(section,), reasons=(Reason("R", section),))
    found = redacted(page)
    assert replace(found, facts={}) == replace(
        page,
        sections=(replace(section, figures=(figure,)),),
        reasons=(Reason("R", replace(section, figures=(figure,))),),
    )
    assert "hidden" in found.facts
