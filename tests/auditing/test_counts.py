"""An audit of several models computes each thing once: fingerprints, conversions, scores, type of shift, routes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import shiftproof as sp
from shiftproof.auditing import audit
from shiftproof.case import find_routes, pooled
from shiftproof.panel import as_features, fingerprint_features
from shiftproof.panel._scoring import Scorer
from shiftproof.selection.rivals._methods import isotonic
from shiftproof.shift import domain_check, kind_of_shift
from shiftproof.stats import compare_tables

N, M, FOLDS = 150, 90, 3
Call = tuple[str, Any]


class Calls:
    """Counts the calls of functions in every module of the library that uses them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stage = ""
        self.made: Counter[Call] = Counter()
        self._patch = monkeypatch

    def count(self, function: Callable[..., Any], key: Callable[..., Any]) -> None:
        name = function.__name__

        def counting(*args: Any, **kwargs: Any) -> Any:
            self.made[name, key(*args, **kwargs)] += 1
            return function(*args, **kwargs)

        for module in [module for path, module in sys.modules.items() if path.split(".")[0] == "shiftproof"]:
            if vars(module).get(name) is function:
                self._patch.setattr(module, name, counting)

    def of(self, name: str) -> dict[Any, int]:
        return {key: times for (function, key), times in self.made.items() if function == name}


@pytest.fixture(scope="module")
def calls() -> Any:
    rng = np.random.default_rng(0)
    y = (np.arange(N) < N // 2).astype(int)
    X = {
        "a": (rng.normal(size=N) + y).tolist(),
        "b": (rng.normal(size=N) + y).tolist(),
        "c": rng.normal(size=N).tolist(),
    }
    X_new = {"a": rng.normal(0.6, 1, M).tolist(), "b": rng.normal(0.6, 1, M).tolist(), "c": rng.normal(size=M).tolist()}
    names = {id(X): "X", id(X_new): "X_new"}
    with pytest.MonkeyPatch.context() as patch:
        counted = Calls(patch)
        counted.count(fingerprint_features, lambda features: len(features.data))
        counted.count(as_features, lambda table, *_: names.get(id(table)))
        for function in (kind_of_shift, domain_check, compare_tables, find_routes):
            counted.count(function, lambda *_, **__: None)
        counted.count(pooled, lambda candidates: (candidates.n, candidates.m))
        counted.count(isotonic, lambda old, *_: old.tobytes())
        score = Scorer.__call__

        def scored(self: Scorer, data: Any) -> Any:
            if counted.stage != "cross-fitting":
                counted.made["score", (id(self), np.asarray(data, dtype=float).tobytes())] += 1
            return score(self, data)

        patch.setattr(Scorer, "__call__", scored)
        counted.result = audit(  # type: ignore[attr-defined]
            sp.default_models(), X, y, X_new, cv=FOLDS, on_stage=lambda name: setattr(counted, "stage", name)
        )
        yield counted


def test_each_table_is_fingerprinted_and_converted_once(calls: Any) -> None:
    assert calls.of("fingerprint_features") == {N: 1, M: 1}
    converted = calls.of("as_features")
    assert {name: converted[name] for name in ("X", "X_new")} == {"X": 1, "X_new": 1}


@pytest.mark.parametrize("name", ["kind_of_shift", "domain_check", "compare_tables", "find_routes"])
def test_what_verbs_share_is_computed_once(calls: Any, name: str) -> None:
    assert calls.of(name) == {None: 1}


def test_pool_of_all_rows_is_computed_once(calls: Any) -> None:
    # Rehearsals pool halves of the labelled rows.
    assert calls.of("pooled")[N, M] == 1


def test_cheap_rivals_guess_once_per_model(calls: Any) -> None:
    assert sorted(calls.of("isotonic").values()) == [1] * len(calls.result.selection.names)


def test_no_model_scores_rows_twice(calls: Any) -> None:
    models = len(calls.result.selection.names)
    assert models == 7
    scores = calls.of("score")
    assert set(scores.values()) == {1}
    # Each refitted model scores all new rows, each fold's model its own. The folds' models of the recommended one
    # also score labelled rows with shuffled features, all in one call.
    assert len(scores) == models * (1 + FOLDS) + FOLDS
