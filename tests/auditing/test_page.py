"""The report: in order, complete, self-contained, and no number on it that the dict does not have."""

from __future__ import annotations

import html
import json
import math
import re
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB
from tests.auditing.cases import audited, tables

from shiftproof import reporting
from shiftproof.auditing import Audit, audit

ORDER = ["expect", "changed", "which", "how-we-know"]
HOSTILE = ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "🦆 duck", "n" * 300, "עמודה", "a&amp;b"]
# "Precision at 20, 50 and 80% recall", ">99.9%", "<1e-16".
_WORDS = (20.0, 50.0, 80.0, 99.9, 1e-16)
_NUMBER = re.compile(r"(?<![\w.])[<>]?(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(%?)")


@lru_cache
def written(kind: str) -> str:
    found, y_new = audited(kind)
    return reporting.render(found.to_page(verification=found.verify(y_new)))


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_parts_come_in_order(kind: str) -> None:
    page = audited(kind)[0].to_page()
    assert [section.anchor for section in page.sections] == ORDER
    assert page.verdict == audited(kind)[0].headline
    assert all(section.sections for section in page.sections)


def test_actual_figures_come_first_once_labels_are_known() -> None:
    found, y_new = audited("prior")
    page = found.to_page(verification=found.verify(y_new))
    assert [section.anchor for section in page.sections] == ["actual", *ORDER]
    assert len(page.sections[0].rows) == 3 * 4 + 2


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
    for tag in ("svg", "script", "style"):
        body = re.sub(rf"<{tag}\b.*?</{tag}>", " ", body, flags=re.DOTALL)
    return set(_NUMBER.findall(html.unescape(re.sub(r"<[^>]*>", " ", body))))


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_every_number_on_the_page_is_in_the_dict(kind: str) -> None:
    found, y_new = audited(kind)
    whole = found.to_dict() | {"verification": found.verify(y_new).to_dict()}
    known = np.array(values_of(json.loads(json.dumps(whole))))
    known = np.unique(np.concatenate([known, 100 * known, -known, -100 * known]))
    for number, per_cent in shown_numbers(written(kind)):
        value = float(number.replace(",", ""))
        digits = len(number.partition("e")[0].partition(".")[2])
        unit = 10.0 ** (math.floor(math.log10(abs(value))) if "e" in number and value else 0)
        apart = float(np.abs(known - value).min())
        rounding = 0.5000001 * 10.0**-digits * unit
        assert apart <= rounding or value in _WORDS, (number + per_cent, float(known[np.abs(known - value).argmin()]))


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
    assert str(page.sections[1].text) == "Left out: without X and X_new there are no features to compare."
    assert "ReverseTesting (it would refit deployed models)" in reporting.render(page)
