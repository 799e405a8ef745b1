"""What is refused has no figure: not in a frame, JSON, a sentence, a plot or a page of any verb."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from tests.quantification.cases import drawn_numbers

import shiftproof as sp
from shiftproof.core import percent

#: Columns and keys with figures of the new data.
OF_NEW = {
    *("estimate", "low", "high", "sampling", "drift", "sampling_width", "drift_width", "others_low", "others_high"),
    *("score", "probability_best", "best_beats", "order_probability", "others", "ways", "shares", "spread"),
    *("interval", "prevalence", "beaten_by", "range", "periods"),
}
#: Below these, figures of the labelled data have the same names; a count that is impossible is a reason.
OF_LABELLED = {
    *("evaluation", "detection", "evidence", "validated", "training", "level", "validated_beaten_by", "unclipped"),
    *("other_answers", "label", "rows", "past", "models_validated"),
}
MODELS = {"lr": LogisticRegression(), "nb": GaussianNB()}
#: How the new rows differ, so that nothing can be estimated.
WHY = {"far": 30.0, "few": 0.0}


def tables(seed: int, why: str) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    k = 2 + seed % 2
    y, y_new = rng.integers(k, size=240), rng.integers(k, size=7 if why == "few" else 90)
    slope = rng.normal(size=(1, 3)) * 1.5
    old, new = (rng.normal(size=(len(codes), 3)) + codes[:, None] * slope for codes in (y, y_new))
    return old, np.array(["no", "yes", "maybe"])[y], new + WHY[why]


def monthly(X: Any, new: Any) -> tuple[pd.DataFrame, pd.Series]:
    """Give rows and their months, the last of which nobody has seen the like of."""
    table = pd.DataFrame(np.vstack([X, new]), columns=["a", "b", "c"])
    months = [f"2024-0{1 + 4 * row // len(X)}-01" for row in range(len(X))] + ["2024-05-01"] * len(new)
    return table, pd.Series(pd.to_datetime(months))


@lru_cache
def refused(verb: str, seed: int, why: str) -> Any:
    """Return what a verb gives for new rows of which nothing can be estimated."""
    X, y, new = tables(seed, why)
    quiet: dict[str, Any] = {"random_state": seed, "progress": False, "cv": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if verb == "kind_of_shift":
            return sp.shift.kind_of_shift(X, y, new, random_state=seed)
        if verb == "quantify by":
            days = pd.DataFrame(new, columns=["a", "b", "c"]).assign(day=np.arange(len(new)) % 2)
            return sp.quantify(MODELS, pd.DataFrame(X, columns=["a", "b", "c"]), y, days, by="day", **quiet)
        if verb == "quantify none":
            return sp.quantify(MODELS, X, y, new, assume="prior shift", resamples=20, **quiet)
        return getattr(sp, verb)(MODELS, X, y, new, **quiet)


VERBS = ["estimate_performance", "select", "quantify", "quantify by", "quantify none", "audit", "kind_of_shift"]
CASES = [(verb, seed, why) for seed in range(2) for why in WHY for verb in VERBS]


def numbers_under(value: Any, *, new: bool = False) -> Iterator[float]:
    """Yield the numbers of a plain value that say something of the new data."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in OF_LABELLED:
                yield from numbers_under(item, new=new or name in OF_NEW)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_under(item, new=new)
    elif new and isinstance(value, float):
        yield value


@pytest.mark.parametrize(("verb", "seed", "why"), CASES)
def test_nothing_refused_has_a_figure(verb: str, seed: int, why: str) -> None:
    result = refused(verb, seed, why)
    # The type of shift of a few rows is unclear, not refused.
    assert (verb, why) == ("kind_of_shift", "few") or result.refused
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert list(numbers_under({name: item for name, item in document.items() if name not in ("reasons", "plan")})) == []
    frame = result.to_frame()
    if verb != "kind_of_shift":
        assert frame[[name for name in frame.columns if name in OF_NEW]].isna().all(axis=None)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("verb", ["select", "quantify"])
def test_no_sentence_plot_or_page_shows_what_was_computed_before_the_refusal(
    verb: str, seed: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown = refused(verb, seed, "far")
    page = shown.save(tmp_path / "page.html").read_text(encoding="utf-8") + shown.summary() + shown.headline
    kind = sp.Selection if verb == "select" else sp.Quantification
    monkeypatch.setattr(kind, "without_figures", lambda self, *_: self)
    refused.cache_clear()
    computed = refused(verb, seed, "far")
    refused.cache_clear()
    frame = computed.to_frame()
    hidden = frame[["score" if verb == "select" else "estimate"]].to_numpy().ravel()
    drawn, figures = drawn_numbers(shown.plot()), set(np.round(hidden, 6).tolist())
    assert not drawn & (figures - {0.0, 1.0})
    assert drawn_numbers(computed.plot()) & figures
    known = {percent(value) for name in ("validated", "training") if name in frame for value in frame[name]}
    written = {percent(value) for value in hidden.tolist() if 0.001 < value < 0.999} - known
    assert len(hidden) >= 2
    assert not {text for text in written if re.search(rf"(?<![\d.]){re.escape(text)}", page)}


def test_a_refused_period_of_a_backtest_has_no_figure() -> None:
    X, y, new = tables(0, "far")
    table, months = monthly(X, new)
    labels = np.concatenate([y, np.resize(["no", "yes"], len(new))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = sp.backtest(MODELS, table, labels, months, every="month", progress=False, cv=3)
    frame = result.to_frame()
    gone = frame[frame["refused"].astype(bool)]
    assert set(gone["period"]) >= {"2024-05"}
    assert gone[["estimate", "low", "high", "covered"]].isna().all(axis=None)
