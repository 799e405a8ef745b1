"""On random small audits, rank, probabilities and sentences never contradict; refused audits give no estimate."""

from __future__ import annotations

import json
import math
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from shiftproof.auditing import Audit, audit, what_to_do
from shiftproof.core import percent
from shiftproof.selection import believed

MODELS = {"lr": LogisticRegression(), "nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
FEW = 8
# Ten audits in the suite; `make soak` draws many more.
MORE = range(10, 10 * int(os.environ.get("SIMULATIONS", "1")))
FAR = (5, 6, 7, *MORE[::3])
REFUSED = (*FAR, FEW)
EVERY = (*range(FEW + 1), *MORE)
#: Keys of the JSON whose numbers describe the new data.
ESTIMATED = (
    "estimate",
    "low",
    "high",
    "score",
    "value",
    "range",
    "shares",
    "others",
    "ways",
    "loss",
    "expected_accuracy",
)


@lru_cache
def drawn(seed: int) -> Audit:
    """Audit three models on a random task; the new rows of some are far from the labelled ones, or only 15."""
    rng = np.random.default_rng(seed)
    n, m, share = int(rng.integers(60, 160)), int(rng.integers(40, 120)), rng.uniform(0.2, 0.5)
    m = 15 if seed == FEW else m
    classes = 2 + seed % 2
    y, y_new = (rng.choice(classes, size, p=[1 - share, *[share / (classes - 1)] * (classes - 1)]) for size in (n, m))
    slope = rng.normal(size=(1, 3))
    X, X_new = (rng.normal(size=(len(codes), 3)) + codes[:, None] * slope for codes in (y, y_new))
    moved = X_new + (30.0 if seed in FAR else rng.choice([0.0, 0.7]))
    return audit(MODELS, X, y, moved, quick=True, cv=3, progress=False, random_state=seed)


@pytest.mark.parametrize("seed", EVERY)
def test_ranks_probabilities_and_sentence_agree(seed: int) -> None:
    result = drawn(seed)
    selection = result.selection
    likely = [selection.probabilities[name] for name in selection.ranking]
    assert result.refused or likely == sorted(likely, reverse=True)
    assert selection.best == selection.ranking[0] == result.best == result.to_frame()["model"][0]
    over = {name: selection.probability_over(name) for name in selection.ranking[1:]}
    if result.refused:
        assert np.isnan([*likely, *over.values()]).all()
    else:
        assert over[str(selection.rival)] == min(over.values())
    figure = re.search(r"([\d.]+)% likely to beat (\w+)", selection.headline)
    if figure is not None and "over 99%" not in selection.headline:
        assert figure[2] == selection.rival
        assert float(figure[1]) == pytest.approx(100 * over[figure[2]], abs=0.6)
        assert float(figure[1]) >= 50
    assert result.headline.lower().startswith(result.verdict)
    assert selection.best in result.headline


@pytest.mark.parametrize("seed", EVERY)
def test_verdict_and_interval_agree(seed: int) -> None:
    result = drawn(seed)
    least, most = result.losses
    if result.refused:
        assert result.verdict == "cannot tell"
        assert np.isnan(result.loss_chance)
        return
    chance = result.loss_chance
    assert result.verdict == ("do not trust" if chance > 0.5 else "check first" if chance >= 0.1 else "trust")
    # An interval of 90% leaves at most 5% on either side.
    if least > result.harmful_loss:
        assert chance >= 0.94
    if most < result.harmful_loss:
        assert chance <= 0.06


@pytest.mark.parametrize("seed", EVERY)
def test_nobody_is_told_to_use_a_model_that_is_not_to_be_trusted(seed: int) -> None:
    result = drawn(seed)
    advised = [reason.text for reason in result.reasons if reason.text.startswith("Use ")]
    if advised:
        assert result.verdict == "trust"
    assert not (advised and str(what_to_do(result)).startswith("Don't use"))


@pytest.mark.parametrize("seed", EVERY)
def test_baseline_and_class_share_are_one_number(seed: int) -> None:
    result = drawn(seed)
    baseline, counts = result.performance.baseline, result.quantification
    given = counts.usable and not result.refused
    assert result.new_baseline == (counts.prevalence[baseline.label] if given else None)
    assert given is (baseline.interval == counts.prevalence[baseline.label] and baseline.interval.width >= 0)
    frame = result.performance.to_frame().query("measure == 'accuracy'")
    assert frame["baseline"].equals(pd.Series(baseline.interval.estimate, frame.index))
    for model, others in baseline.other_answers.items():
        if given and not others:
            assert result.performance.interval(model) == baseline.interval


@pytest.mark.parametrize("seed", EVERY)
def test_model_no_better_than_the_majority_is_not_trusted_without_saying_so(seed: int) -> None:
    result = drawn(seed)
    reason = next((one.text for one in result.reasons if one.name.endswith("beats the most frequent class")), "")
    words = result.headline if result.verdict in ("trust", "check first") else reason
    how = next((how for how in ("no better", "not clearly better") if f"is {how} " in words), "")
    assert bool(how) is bool(reason)
    # The headline says that the model is no better, and the reason how good the baseline is: each is said once.
    if words is result.headline and reason:
        assert reason.startswith("Always answering ")
        assert " better" not in reason
    if reason and result.new_baseline is not None:
        assert (result.interval.estimate > result.new_baseline.estimate) is (how == "not clearly better")


@pytest.mark.parametrize("seed", EVERY)
def test_no_interval_is_said_twice(seed: int) -> None:
    result = drawn(seed)
    if result.performance.baseline.interval == result.interval:
        return  # a model that always gives the most frequent answer has the interval of the baseline
    ends = f"{percent(result.interval.low)} to {percent(result.interval.high)}"
    words = result.headline + " ".join(reason.text for reason in result.reasons) + str(what_to_do(result))
    # What to do names it again, unless the model is of no use anyway.
    again = result.verdict == "do not trust" and not (result.no_better and not result.seems_better)
    assert words.count(ends) == (0 if result.refused else 1 + again)


@pytest.mark.parametrize("seed", EVERY)
def test_words_about_the_order_agree_with_the_matrix(seed: int) -> None:
    selection = drawn(seed).selection
    order = selection.sections().order
    if order is None:
        assert selection.concerns
        return
    for name in selection.contenders:
        assert selection.probability_over(name) < 0.75


@pytest.mark.parametrize("seed", REFUSED)
def test_refused_audit_says_that_its_ranking_is_a_guess(seed: int) -> None:
    result = drawn(seed)
    assert result.selection.headline in [reason.text for reason in result.reasons]
    assert "Don't rely on this ranking." in result.selection.headline


def numbers_under(value: Any, *, estimated: bool = False) -> list[float]:
    """Give the numbers of a plain value that estimate something of the new data."""
    if isinstance(value, dict):
        return [
            number
            for name, item in value.items()
            # A count that is impossible is a reason, not an estimate.
            if name
            not in ("evaluation", "detection", "evidence", "validated", "training", "label", "level", "unclipped")
            for number in numbers_under(item, estimated=estimated or name in ESTIMATED)
        ]
    if isinstance(value, list):
        return [number for item in value for number in numbers_under(item, estimated=estimated)]
    return [value] if estimated and isinstance(value, float) else []


def percents_in(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.]*%", text))


def estimates_of(result: Audit) -> set[str]:
    """Give every accuracy, score and class share of the new data that was computed, as a page would write it."""
    selection, performance, counts = result.selection, result.performance, result.quantification
    values = [*selection.scores.values(), *performance.shares.values(), *counts.estimate.values()]
    values += [value for of_model in performance.others.values() for value in of_model.values()]
    values += [value for estimated in performance.estimates.values() for value in estimated["accuracy"].ways.values()]
    values += [value for shares in counts.others.values() for value in shares.values()]
    known = percents_in(
        " ".join(map("{:.1%}".format, [*performance.training.values(), result.baseline, result.validated]))
    )
    known |= {f"{one['accuracy'].validated:.1%}" for one in performance.estimates.values()}
    # How different the data are is no estimate, and may coincide.
    known |= percents_in(" ".join(result.shift.reasons))
    # Figures of cross-validation are about the labelled rows, and may coincide.
    intervals = [one for of_model in result.evaluation.estimates.values() for one in of_model.values()]
    known |= {f"{end:.1%}" for one in intervals for end in (one.estimate, one.low, one.high)}
    # So may weights of models, and chances, which say nothing of a level.
    chances = [*selection.pool.values(), *selection.probabilities.values()]
    chances += [selection.probability_over(name) for name in selection.ranking[1:]]
    known |= percents_in(" ".join(map(believed, chances)))
    # Whole figures such as 100% stand for other things too.
    return {f"{value:.1%}" for value in values if 0.001 < value < 0.999 and math.isfinite(value)} - known


@pytest.mark.parametrize("seed", REFUSED)
def test_refused_audit_gives_no_estimate_in_words_or_json(seed: int) -> None:
    result = drawn(seed)
    assert result.refused
    assert result.new_baseline is None
    assert not percents_in(result.summary()) & estimates_of(result)
    assert not percents_in(result.selection.summary() + result.performance.summary()) & estimates_of(result)
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert numbers_under({name: item for name, item in plain.items() if name != "reasons"}) == []


@pytest.mark.parametrize("seed", REFUSED)
def test_refused_page_gives_no_estimate(seed: int, tmp_path: Path) -> None:
    result = drawn(seed)
    html = result.save(tmp_path / "report.html").read_text(encoding="utf-8")
    # Tooltips and alternative texts are read as well, but for the bars of features, whose shares may coincide.
    text = re.sub(r"<(style|script)\b.*?</\1>|<title>[^<]*% before,[^<]*</title>", " ", html, flags=re.DOTALL)
    assert not percents_in(text) & estimates_of(result)


def test_few_rows_are_not_called_far_away(tmp_path: Path) -> None:
    html = drawn(FEW).save(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "15 new rows are too few for an estimate; at least 20 are needed." in html
    assert "Other methods cannot estimate accuracy with so few new rows either." in html
    assert "with so few new rows, it is a guess" in html
    assert "seen such data" not in html
