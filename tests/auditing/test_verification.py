"""What was said is compared with what came, by the same rule of decisions."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, roc_auc_score
from tests.auditing.cases import MODELS, audited, tables

from shiftproof import plots
from shiftproof.auditing import Claim, audit
from shiftproof.core import InputError


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_truth_is_what_scikit_learn_measures(kind: str) -> None:
    found, y_new = audited(kind)
    truth = {(claim.about, claim.measure): claim.actual for claim in found.verify(y_new).claims}
    positive = (y_new == "yes").astype(int)
    for name, decided in found.performance.decided.items():
        scores = decided["accuracy"].probabilities[:, 1]
        said = scores > 0.5
        assert truth[name, "accuracy"] == pytest.approx(accuracy_score(positive, said))
        assert truth[name, "f1"] == pytest.approx(f1_score(positive, said))
        assert truth[name, "auc"] == pytest.approx(roc_auc_score(positive, scores))
        assert truth[name, "brier"] == pytest.approx(brier_score_loss(positive, scores))


def test_shares_are_claims_too() -> None:
    found, y_new = audited("prior")
    no, yes = found.verify(y_new).shares
    assert (yes.actual, no.actual) == pytest.approx((0.85, 0.15))
    assert yes.validated == pytest.approx(0.4)
    assert yes.believed
    assert yes.low > yes.validated


def test_a_share_that_says_nothing_is_not_counted() -> None:
    found, y_new = audited("prior")
    counts = found.quantification
    vague = {label: replace(interval, low=0.01, high=0.99) for label, interval in counts.prevalence.items()}
    checked = replace(found, quantification=replace(counts, prevalence=vague)).verify(y_new)
    assert not any(claim.believed for claim in checked.shares)
    assert checked.covered_shares == []
    assert "the audit did not rely on its interval, 1.0% to 99.0%." in checked.summary()


def test_what_was_refused_neither_held_nor_missed() -> None:
    found, y_new = audited("nonsense")
    checked = found.verify(y_new)
    assert checked.covered is None
    assert all(claim.refused for claim in checked.models)
    assert "The audit gave no estimate; its verdict was 'cannot tell'." in checked.summary()
    assert not any(claim.believed for claim in checked.shares)


def test_the_verdict_is_judged() -> None:
    found, y_new = audited("nonsense")
    assert "The caution was needed: " in found.verify(y_new).summary()
    same = np.array(found.performance.decided[found.best]["accuracy"].decisions)
    came = np.array(["no", "yes"])[same]
    assert ". Only labels could show this." in found.verify(came).summary()
    calm = audited("none")[0]
    wrong = np.array(["yes", "no"])[np.array(calm.performance.decided[calm.best]["accuracy"].decisions)]
    assert "Trusting it was wrong: " in calm.verify(wrong).summary()


def test_held_or_missed() -> None:
    claim = Claim(about="a", measure="accuracy", validated=0.8, estimate=0.7, low=0.6, high=0.8, actual=0.8)
    assert claim.covered is True
    assert Claim(**{**claim.__dict__, "actual": 0.81}).covered is False
    assert Claim(**{**claim.__dict__, "actual": math.nan}).covered is None


def test_words_and_table_say_the_same() -> None:
    found, y_new = audited("none")
    checked = found.verify(y_new)
    frame = checked.to_frame()
    assert list(frame.columns[:8]) == ["about", "measure", "validated", "estimate", "low", "high", "actual", "believed"]
    assert len(frame) == 3 * 4 + 2
    told = frame[frame["measure"] != "share"]
    count = f"{told['covered'].sum()} of 12 intervals for performance"
    if frame["covered"].all():
        count = "All 14 intervals (90%; 12 for performance, 2 for class proportions)"
    assert count in checked.summary()
    assert json.loads(json.dumps(checked.to_dict(), allow_nan=False))["claims"][0]["covered"] in (True, False)
    assert checked.plot(plots.own_figure(size=(4.0, 3.0)).subplots()).get_xlabel() == "accuracy"


def test_the_choice_is_judged() -> None:
    found, y_new = audited("none")
    checked = found.verify(y_new)
    best = max(checked.models, key=lambda claim: claim.actual)
    assert checked.actual_best == best.about
    mine = next(claim.actual for claim in checked.models if claim.about == found.best)
    assert checked.regret == pytest.approx(best.actual - mine)


def test_labels_must_fit() -> None:
    found, y_new = audited("none")
    with pytest.raises(
        InputError,
        match=(
            r"^y_new has 1,499 labels for 1,500 new rows; pass one per row, in row order, and None where a label "
            r"is unknown\.$"
        ),
    ):
        found.verify(y_new[:-1])
    with pytest.raises(InputError, match=r"^y_new must hold only the classes 'no' and 'yes', got 'maybe'"):
        found.verify(np.where(np.arange(1_500) == 3, "maybe", y_new))


@pytest.mark.parametrize("gap", [None, math.nan, np.datetime64("NaT"), pd.NA])
def test_verify_leaves_out_rows_without_a_label(gap: object) -> None:
    found, y_new = audited("none")
    known = np.arange(1_500) % 5 == 0
    checked = found.verify([label if has else gap for label, has in zip(y_new, known, strict=True)])
    assert (checked.n_actual, checked.n_new) == (300, 1_500)
    assert checked.summary().startswith(
        "Actual values are those of the 300 of 1,500 new rows that have a label. All new rows may differ from them by "
        "chance. "
        "Cross-valid"
    )
    decisions = np.array(["no", "yes"])[found.performance.decided[found.best]["accuracy"].decisions]
    assert checked.recommended.actual == pytest.approx(accuracy_score(y_new[known], decisions[known]))
    assert {claim.about: claim.actual for claim in checked.shares}["'yes'"] == np.mean(y_new[known] == "yes")


def test_verify_without_any_label_is_refused() -> None:
    found, _ = audited("none")
    with pytest.raises(
        InputError,
        match=r"^y_new must hold at least one label, got only missing values; wait until labels have arrived\.$",
    ):
        found.verify([None] * 1_500)


def test_with_labels_the_shares_are_those_that_the_audit_states() -> None:
    X, y, X_new, y_new = tables("prior")
    rng = np.random.default_rng(0)
    labels = {int(row): str(y_new[row]) for row in rng.choice(len(y_new), 80, replace=False)}
    found = audit(MODELS, X, y, X_new, labels=labels, quick=True, progress=False)
    baseline = found.new_baseline
    assert baseline is not None
    shares = {claim.about: claim for claim in found.verify(y_new).shares}
    yes, no = shares["'yes'"], shares["'no'"]
    assert (yes.low, yes.high) == (baseline.low, baseline.high)
    assert (no.low, no.high) == pytest.approx((1 - baseline.high, 1 - baseline.low))
    assert yes.believed
    counts = found.quantification
    assert baseline == counts.prevalence[found.performance.baseline.label]
    assert counts.n_labels == 80
    assert (
        baseline.width < audit(MODELS, X, y, X_new, quick=True, progress=False).quantification.prevalence["yes"].width
    )
