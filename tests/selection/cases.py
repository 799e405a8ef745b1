"""Labelled and new rows whose posterior is known, made without fitting anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from shiftproof.case import Case, DecisionOptions, note_text
from shiftproof.case._along_routes import Sides
from shiftproof.case._blocks import RowWise
from shiftproof.case._candidates import Candidates
from shiftproof.case._decisions import Rule, sides_of
from shiftproof.case._pool import Pool
from shiftproof.case._routes import Route, Routes
from shiftproof.case._soft import Decided
from shiftproof.core import Codes, Floats, Interval, Note
from shiftproof.panel import Panel
from shiftproof.selection import Performance, estimate_case
from shiftproof.shift import DrawnRows, Evidence, Kind, ShiftKind

Rng = np.random.Generator


def evidence(n: int, m: int, training: Floats, **given: Any) -> Evidence:
    """Give evidence of no shift at all, but for what is named."""
    usual: dict[str, Any] = {
        "p_none": 0.5,
        "p_prevalence": 0.5,
        "p_prior": 0.5,
        "p_covariate": 0.5,
        "gain": 0.0,
        "training": training,
        "shares": training,
        "errors": np.full(len(training), 0.02),
        "entropy": 0.0,
        "outside": 0.0,
        "correlation_change": 0.0,
        "new_values": 0.0,
        "mean_new_values": 0.0,
        "n_reference": n,
        "n_current": m,
    }
    return Evidence(**(usual | given))


def shift_kind(
    n: int,
    m: int,
    training: Floats,
    *,
    kind: Kind = "none",
    weights: Floats | None = None,
    scores: tuple[Floats, Floats] | None = None,
    **given: Any,
) -> ShiftKind:
    """Give a kind of shift; by default its forest was asked of no row."""
    k = len(training)
    found = evidence(n, m, training, **given)
    old, new = scores if scores is not None else (np.full((n, k), np.nan), np.full((m, k), np.nan))
    nothing = Interval(estimate=0.5, low=0.0, high=1.0, level=0.95, method="none")
    return ShiftKind(
        kind=kind,
        reasons=("It is a test.",),
        evidence=found,
        prevalence=dict.fromkeys(range(k), nothing),
        training_prevalence=dict(enumerate(training.tolist())),
        drawn=DrawnRows(rows=np.arange(n), n=n, scores=old, weights=np.full(n, 1 / n) if weights is None else weights),
        new_drawn=DrawnRows(rows=np.arange(m), n=m, scores=new, weights=np.zeros(0)),
        left_out={},
        n_reference=n,
        n_current=m,
    )


def candidates_of(
    codes: Codes,
    old: Mapping[str, Floats],
    new: Mapping[str, Floats],
    *,
    base: Floats | None = None,
    shift: ShiftKind | None = None,
    **given: Any,
) -> Candidates:
    """Give candidates of scores that were made by one model each."""
    n, (m, k) = len(codes), next(iter(new.values())).shape
    training = np.bincount(codes, minlength=k) / n
    return Candidates(
        codes=codes,
        folds=np.zeros((1, n), dtype=np.int64),
        repeats={name: each[None] for name, each in old.items()},
        new=new,
        comparable=new,
        shift=shift_kind(n, m, training, **given) if shift is None else shift,
        rows=np.arange(n),
        base=np.full(n, 1 / n) if base is None else base,
    )


def world(rng: Rng, n: int, shares: Floats, *, apart: float = 1.5) -> tuple[Codes, Floats]:
    """Draw classes, and one feature per class that is higher by `apart` in rows of the class."""
    codes = rng.choice(len(shares), size=n, p=shares).astype(np.int64)
    return codes, rng.normal(size=(n, len(shares))) + apart * np.eye(len(shares))[codes]


def posterior_of(x: Floats, shares: Floats, *, apart: float = 1.5) -> Floats:
    """Give the true posterior of such a world."""
    return np.asarray(special.softmax(apart * x + np.log(shares), axis=1))


def blurred(x: Floats, shares: Floats, rng: Rng, *, blur: float = 1.0, apart: float = 1.5) -> Floats:
    """Give the posterior of one who sees the features through noise: calibrated, but less sharp."""
    seen = x + blur * rng.normal(size=x.shape)
    return np.asarray(special.softmax(apart / (1 + blur**2) * seen + np.log(shares), axis=1))


def two_models(
    rng: Rng, n: int, m: int, before: Floats, after: Floats | None = None, **given: Any
) -> tuple[Candidates, Codes]:
    """Give a sharp and a blurred model, with the classes of the new rows."""
    codes, x = world(rng, n, before)
    new_codes, x_new = world(rng, m, before if after is None else after)
    old = {"sharp": posterior_of(x, before), "blurred": blurred(x, before, rng)}
    new = {"sharp": posterior_of(x_new, before), "blurred": blurred(x_new, before, rng)}
    return candidates_of(codes, old, new, **given), new_codes


def likeliest(candidates: Candidates, positive: int = 1) -> dict[str, Sides]:
    """Decide for the likeliest class."""
    return sides_of(candidates, Rule(classes=np.arange(candidates.k), positive=positive))


def decided(probabilities: Floats, positive: int = 1, worth: Floats | None = None) -> Decided:
    """Decide some rows for the likeliest class."""
    decisions = probabilities.argmax(axis=1).astype(np.int64)
    return Decided(probabilities=probabilities, decisions=decisions, positive=positive, worth=worth)


def one_way(old: RowWise, new: RowWise, weights: RowWise | None = None, kind: str = "none") -> Routes:
    """Give a single way along a known posterior."""
    way = Route(kind, old, new, np.full(len(old), 1 / len(old)) if weights is None else weights)
    sure, pool = np.ones(1), Pool(old[:], new[:], new[:], {"known": 1.0})
    return Routes((way,), sure, 0.0, (), new[:].mean(axis=0), pool)


def random_posterior(rng: Rng, n: int, k: int, sharp: float = 1.5) -> Floats:
    """Draw probabilities of k classes."""
    return np.asarray(special.softmax(sharp * rng.normal(size=(n, k)), axis=1))


def draw_codes(rng: Rng, posterior: Floats) -> Codes:
    """Draw one class per row from its posterior."""
    steps = posterior.cumsum(axis=1)[:, :-1]
    return np.asarray((rng.random((len(posterior), 1)) > steps).sum(axis=1), dtype=np.int64)


def gathered(
    panel: Panel, X: object, X_new: object, *, shift: ShiftKind | None = None, purpose: str = "testing"
) -> tuple[Candidates, tuple[str, ...]]:
    """Give the candidates of a case, and its notes in words."""
    case = Case.of(panel, X, None, X_new, purpose=purpose, shift=shift)
    return case.candidates, texts(case.notes)


def texts(notes: Sequence[Note]) -> tuple[str, ...]:
    """Give notes of a case in words."""
    return tuple(str(note_text(note)) for note in notes)


def estimated(
    panel: Panel, shift: ShiftKind, *, measures: Any = None, labels: Any = None, benefit: Any = None
) -> Performance:
    """Estimate performance for a type of shift that is known."""
    case = Case.of(panel, purpose="testing", shift=shift, options=DecisionOptions(benefit=benefit))
    return estimate_case(case, measures=measures, labels=labels)
