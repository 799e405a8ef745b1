"""The report: in order, complete, self-contained, and no number on it that the dict does not have."""

from __future__ import annotations

import html
import json
import math
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.auditing.cases import MODELS, audited, tables

from shiftproof import reporting
from shiftproof._version import __version__
from shiftproof.auditing import Audit, audit
from shiftproof.auditing._page import _baseline_cells
from shiftproof.core import Phrase, Sensitive, percent
from shiftproof.reporting import Page, Section
from shiftproof.reporting._page import every_section

# Nothing links to "What to do".
OPEN = ["expect", "", "changed"]
FOLDED = [
    "estimates", "prevalence", "which", "labels", "kind", "every-feature", "scores", "validation", "how-we-know",
]  # fmt: skip
HOSTILE = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "🦆 duck", "n" * 300, "עמודה", "a&amp;b"]
# "Precision at 20, 50 and 80% recall", ">99.9%", "<1e-16", "<0.001", "Hellinger distance (0 to 1.41)".
_WORDS = (20.0, 30.0, 50.0, 80.0, 99.9, 1e-16, 0.001, 1.41)
_NUMBER = re.compile(r"(?<![\w.])[<>]?(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(%?)")


@lru_cache
def written(kind: str) -> str:
    found, y_new = audited(kind)
    return reporting.render(found.to_page(verification=found.verify(y_new)))


def part(page: Page, anchor: str) -> Section:
    (section,) = (section for section in every_section(page) if section.anchor == anchor)
    return section


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_the_answer_and_what_changed_are_open_and_everything_else_is_folded(kind: str) -> None:
    found = audited(kind)[0]
    page = found.to_page()
    assert [section.anchor for section in page.sections if not section.folded] == OPEN
    # Mean scores of data that are too different would be read as estimates.
    folded = [anchor for anchor in FOLDED if not found.refused or anchor != "scores"]
    assert [section.anchor for section in page.sections if section.folded] == folded
    # The first layer is one printed page, and the second one begins another.
    assert [section.anchor for section in every_section(page) if section.new_sheet] == ["changed"]
    assert (page.verdict, str(page.summary)) == (found.headline, "")
    assert len(page.reasons) <= 5


def test_the_head_says_what_the_report_is_about() -> None:
    found = audited("prior")[0]
    page = found.to_page(sources=("calls.csv", Phrase(Sensitive("new.csv"), ", ", Sensitive("2010"))))
    made = f"{found.made:%Y-%m-%d %H:%M} UTC, shiftproof {__version__}"
    assert {name: str(value) for name, value in page.head.items()} == {
        "Labelled data": "calls.csv, 900 rows",
        "New data": "new.csv, 2010, 700 rows",
        "Models": f"{', '.join(found.selection.ranking)}; judged by accuracy",
        "Made": made,
    }
    assert str(reporting.redacted(page).head["New data"]) == "(hidden), (hidden), 700 rows"
    assert str(found.to_page().head["Labelled data"]) == "900 rows"
    assert found.detection is not None
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"id": "identifier", "memo": "text"}, "'id' (identifier), 'memo' (text)"),
        ({"one": "text"}, "'one' (text); models can still use it"),
        ({"id": "identifier", "one": "text"}, "'id' (identifier), 'one' (text); models can still use 'one'"),
    )
    for left_out, still in cases:
        omitted = replace(found, detection=replace(found.detection, left_out=left_out))
        assert omitted.to_page().head["Columns not compared"] == still


def test_a_plan_of_another_size_is_the_one_on_the_page() -> None:
    found = audited("prior")[0]
    page = found.to_page(plan=found.plan(60))
    assert str(part(page, "labels").text).startswith("Label 60 rows: ")
    words = next(str(section.text) for section in page.sections if section.title == "What to do")
    assert "in the report" not in words


def test_the_answer_is_one_chart_and_one_table_with_the_baseline() -> None:
    found, y_new = audited("prior")
    answer = part(found.to_page(), "expect")
    assert len(answer.figures) == 1
    # Always answering 'yes' has more than 75% on the new data, so AUC stands beside the accuracy.
    assert answer.columns == [
        "model",
        "validated",
        "estimate (90% interval)",
        "chance that it loses more than 5 points",
        "probability of being best",
        "AUC",
    ]
    assert [row[0] for row in answer.rows] == [*found.selection.ranking, "always 'yes'"]
    new = found.new_baseline
    assert new is not None
    estimate = f"{percent(new.estimate)} ({percent(new.low)} to {percent(new.high)})"
    assert answer.rows[-1][1:] == ("40.0%", estimate, "", "", "")
    checked = found.verify(y_new)
    answer = part(found.to_page(verification=checked), "expect")
    assert answer.columns[-2:] == ["actual", "covered"]
    assert len(answer.rows) == 4
    assert answer.rows[-1][-2:] == ("85.0%", "")
    # The card has the actual value.
    assert checked.summary().endswith(str(answer.text))
    assert "estimated interval, 61.8%" not in str(answer.text)


def test_an_error_has_its_baseline_too_and_a_profit_has_none() -> None:
    found, y_new = audited("prior")
    new = found.new_baseline
    assert new is not None
    wrong = replace(found, measure="error", performance=_with_error(found))
    assert _baseline_cells(wrong, found.verify(y_new)) == {
        "model": "always 'yes'",
        "validated": "60.0%",
        "estimate": f"{percent(1 - new.estimate)} ({percent(1 - new.high)} to {percent(1 - new.low)})",
        "actual": "15.0%",
    }
    assert _baseline_cells(replace(found, measure="auc"), None) == {}


def _with_error(found: Audit) -> Any:
    estimates = {name: {"error": of["accuracy"]} for name, of in found.performance.estimates.items()}
    return replace(found.performance, estimates=estimates)


def test_once_labels_are_known_every_estimate_stands_beside_its_actual_value() -> None:
    found, y_new = audited("prior")
    page = found.to_page(verification=found.verify(y_new))
    assert [section.anchor for section in page.sections if not section.folded] == OPEN
    expected = ["actual" if name == "estimates" else name for name in FOLDED if name != "labels"]
    assert [section.anchor for section in page.sections if section.folded] == expected
    assert len(part(page, "actual").rows) == 3 * 4 + 2


def test_what_changed_says_what_happened_and_whether_the_model_uses_it() -> None:
    found = audited("prior")[0]
    changed = part(found.to_page(), "changed")
    assert changed.columns == ("feature", "what happened", "frequency of values", f"does {found.best} use it?")
    rows = {str(row[0]): row for row in changed.rows}
    assert list(rows) == list(found.changes)
    assert str(rows["one"][1]).startswith("higher: median ")
    assert rows["one"][3] == "relies on it"
    assert rows["three"][1:4:2] == ("much the same", "hardly uses it")


def test_a_refused_page_shows_no_estimate_of_the_new_data() -> None:
    found, y_new = audited("nonsense")
    assert found.refused
    for checked in (None, found.verify(y_new)):
        page = found.to_page(verification=checked)
        answer = part(page, "expect")
        assert len(answer.figures) == (checked is not None)
        assert {row[2] for row in answer.rows} == {"no estimate"}
        assert "probability of being best" not in answer.columns
        shares, ranking = part(page, "prevalence"), part(page, "ranking")
        assert (shares.rows, shares.figures, shares.sections) == ((), (), ())
        assert ranking.columns[:3] == ("model", "rank", "validated")
        assert "probability of being best" not in ranking.columns
        assert not [column for column in ranking.columns if str(column).startswith("score")]
        assert not ranking.figures
        anchors = {section.anchor for section in every_section(page)}
        assert not {"others", "order", "methods", "belief", "why", "scores"} & anchors
        assert "Could the class proportions have changed a lot unnoticed?" not in [
            row[0] for row in part(page, "kind").rows
        ]
        sentence = "Other methods cannot estimate accuracy for data that are so different either."
        assert part(page, "which").text == sentence


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_nothing_is_said_twice_or_by_internal_names(kind: str) -> None:
    text = html.unescape(reporting.render(audited(kind)[0].to_page()))
    assert text.count("concept shift") == 1
    assert text.count("Do the tables differ?") == 1
    assert text.count("The labelled data don't cover the new data") == (kind == "nonsense")
    for name in (
        "p_none",
        "p_prevalence",
        "routed pool",
        "reference forest",
        "new above old",
        "blocks",
        "phi ",
        "nadeau",
        "quick=",
    ):
        assert name not in text


@pytest.mark.parametrize("kind", ["none", "nonsense"])
def test_page_is_small_and_needs_nothing(kind: str) -> None:
    text = written(kind)
    assert len(text.encode()) < 1_500_000
    outside = re.findall(r'(?:src|href)="(?!#|data:)([^"]*)"', text)
    assert not outside
    assert "http://" not in text.replace("http://www.w3.org", "")


def values_of(found: Any) -> list[float]:
    """Give every number of a dict, those within sentences and keys among them."""
    if isinstance(found, dict):
        return [value for key, each in found.items() for value in (*values_of(key), *values_of(each))]
    if isinstance(found, list):
        return [value for each in found for value in values_of(each)]
    if isinstance(found, str):
        return [float(number.replace(",", "")) for number, _ in _NUMBER.findall(found) if number.strip(",")]
    return [] if found is None or isinstance(found, bool) else [float(found)]


def shown_numbers(text: str) -> set[tuple[str, str]]:
    """Give the numbers that people read on the page: not those of charts, whose axes have their own."""
    body = text[text.index("<main") :]
    for tag in ("svg", "small", "script", "style"):
        body = re.sub(rf"<{tag}\b.*?</{tag}>", " ", body, flags=re.DOTALL)
    # The hour at which the test runs is not a figure.
    body = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", " ", body)
    return set(_NUMBER.findall(html.unescape(re.sub(r"<[^>]*>", " ", body))))


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_every_number_on_the_page_is_in_the_dict(kind: str) -> None:
    found, y_new = audited(kind)
    whole = found.to_dict() | {"verification": found.verify(y_new).to_dict()}
    # What sampling alone would give follows from the standard errors.
    counts = found.quantification
    by_sampling = [end for label, e in counts.errors.items() for end in e.ends_by_sampling(counts.prevalence[label])]
    known = np.array(values_of(json.loads(json.dumps(whole))) + [end for end in by_sampling if end == end])
    known = np.unique(np.concatenate([known, 100 * known, -known, -100 * known]))
    for number, per_cent in shown_numbers(written(kind)):
        value = float(number.replace(",", ""))
        digits = len(number.partition("e")[0].partition(".")[2])
        unit = 10.0 ** (math.floor(math.log10(abs(value))) if "e" in number and value else 0)
        apart = float(np.abs(known - value).min())
        rounding = 0.5000001 * 10.0**-digits * unit
        assert apart <= rounding or value in _WORDS, (number + per_cent, float(known[np.abs(known - value).argmin()]))


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
@pytest.mark.parametrize("count", [0, 8, 60, 1_000_000])
def test_every_reason_has_a_section_with_and_without_labels(kind: str, count: int, tmp_path: Path) -> None:
    X, y, X_new, y_new = tables(kind, n=200, m=160)
    rows = np.random.default_rng(0).permutation(len(y_new))[:count]
    found = audit(MODELS, X, y, X_new, labels={int(row): y_new[row] for row in rows}, quick=True, progress=False)
    page = found.save(tmp_path / "report.html").read_text(encoding="utf-8")
    assert {f'id="{reason.section}"' in page for reason in found.reasons if reason.section} <= {True}
    assert ('id="prevalence"' in page) is (count < len(y_new))


@lru_cache
def hostile() -> tuple[Audit, str]:
    X, y, X_new, _ = tables("prior", n=200, m=160)
    rng = np.random.default_rng(0)
    names = [*HOSTILE, "plain"]

    def named(table: pd.DataFrame) -> pd.DataFrame:
        wide = pd.concat([table["one"], table["two"], *(table["three"] for _ in HOSTILE[2:]), table["one"]], axis=1)
        wide.columns = pd.Index(names)
        return wide.assign(**{names[-1]: rng.choice(["<b>x</b>", "rare & odd"], len(table))})

    labels = np.where(y == "yes", "<i>yes</i>", 'no "way"')
    found = audit({"<u>bayes</u>": GaussianNB()}, *_coded(named(X), labels, named(X_new)), quick=True, progress=False)
    return found, reporting.render(found.to_page())


def _coded(X: pd.DataFrame, y: Any, X_new: pd.DataFrame) -> tuple[pd.DataFrame, Any, pd.DataFrame]:
    """Turn the last column into numbers, which a plain model needs."""
    return X.assign(plain=X["plain"] == "rare & odd"), y, X_new.assign(plain=X_new["plain"] == "rare & odd")


def test_hostile_names_are_text() -> None:
    _, text = hostile()
    for tag in ("<script>alert", "<img src=x", "<u>bayes", "<i>yes", "<b>x"):
        assert tag not in text
    for name in HOSTILE:
        assert html.escape(name, quote=False).replace("&#x27;", "'")[:40] in text.replace("&#34;", '"').replace(
            "&#39;", "'"
        )


def test_redaction_leaves_values_out() -> None:
    rng = np.random.default_rng(0)
    old, new = (
        pd.DataFrame(
            {"wage": rng.normal(50_000 + far, 9_000, 300), "street": rng.choice(["Elm Road", "Oak Lane"], 300, p=p)}
        )
        for far, p in ((0, [0.5, 0.5]), (9_000, [0.2, 0.8]))
    )
    y = (old["wage"] > 50_000).to_numpy()
    from shiftproof import default_models

    found = audit(default_models(only=["tree"]), old, y, new, quick=True, progress=False)
    plain, redacted = (reporting.render(page) for page in (found.to_page(), reporting.redacted(found.to_page())))
    assert "Elm Road" in plain
    for secret in ("Elm Road", "Oak Lane"):
        assert secret not in redacted
    wages = re.compile(r">\s*[4-9]\d[ ,]?000\s*<")
    assert wages.search(plain)
    assert not wages.search(redacted)


def test_report_without_features() -> None:
    from sklearn.linear_model import LogisticRegression

    from shiftproof.panel import Panel

    X, y, X_new, _ = tables("none", n=300, m=200)
    model = LogisticRegression().fit(X[:100], y[:100])
    panel = Panel.from_scores(
        y[100:], {"p": model.predict_proba(X[100:])[:, 1]}, new={"p": model.predict_proba(X_new)[:, 1]}
    )
    page = audit(panel).to_page()
    assert str(part(page, "changed").text) == "Left out: only scores were given, no features to compare."
    assert "ReverseTesting (it would refit deployed models)" in reporting.render(page)
