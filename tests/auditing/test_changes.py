"""Which changes matter most."""

from __future__ import annotations

import numpy as np

import shiftproof as sp
from shiftproof.auditing._changes import changed_features, described_changes, reliance

RNG = np.random.default_rng(0)
OLD = {name: RNG.normal(size=300) for name in ("far", "near", "same")}
FOUND = sp.detect(OLD, {"far": OLD["far"] + 2, "near": OLD["near"] + 0.6, "same": OLD["same"]}, multivariate=False)


def test_changed_features_go_by_change_alone_without_importance() -> None:
    assert changed_features(FOUND, {}) == ("far", "near", "same")


def test_changed_features_go_by_change_times_importance() -> None:
    assert changed_features(FOUND, {"far": 0.01, "near": 0.2, "same": 0.9}) == ("near", "far", "same")
    # A feature whose importance is not known comes after those of which it is.
    assert changed_features(FOUND, {"near": 0.01}) == ("near", "far", "same")


def test_described_changes_are_plain_values() -> None:
    first, *_ = described_changes(FOUND, ("far", "near"), {"far": 0.2})
    assert (first["feature"], first["importance"]) == ("far", 0.2)
    assert first["what"].startswith("higher: median ")
    assert described_changes(FOUND, ("near",), {})[0]["importance"] is None
    assert described_changes(None, (), {}) == []


def test_reliance_is_said_in_words() -> None:
    assert [reliance(part) for part in (0.2, 0.03, 0.0)] == ["relies on it", "uses it a little", "hardly uses it"]
