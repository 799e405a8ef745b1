"""One call: everything is asked once, nothing is fitted twice, and what is left out is named."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from tests.auditing.cases import MODELS, audited, tables

import shiftproof as sp
from shiftproof.auditing import audit
from shiftproof.core import ColumnsLeftOut, InputError
from shiftproof.panel import Panel, cross_fit, default_models

FITS: list[int] = []


class CountedBayes(GaussianNB):  # type: ignore[misc]
    """Counts how often it is fitted."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CountedBayes:
        FITS.append(len(y))
        return super().fit(X, y, sample_weight)  # type: ignore[no-any-return]


def test_verdicts() -> None:
    for kind, verdict in (("none", "trust"), ("nonsense", "cannot tell")):
        found, _ = audited(kind)
        assert found.verdict == verdict, found.summary()


def test_changed_shares_are_corrected_for() -> None:
    found, y_new = audited("prior")
    assert found.verdict == "trust"
    assert found.selection.shift.kind == "prior"
    assert found.verify(y_new).covered


def test_parts_are_about_the_same() -> None:
    found, _ = audited("none")
    assert found.evaluation.panel.names == tuple(MODELS)
    assert found.detection is not None
    assert found.detection.kind is found.selection.shift
    assert found.performance.shift is found.selection.shift
    assert found.quantification.shift is found.selection.shift
    assert {each.level for each in (found.evaluation, found.performance, found.quantification)} == {0.9}
    assert found.best == found.selection.best == found.to_frame()["model"][0]


def test_fits_are_counted_and_as_few_as_can_be() -> None:
    X, y, X_new, _ = tables("none", n=200, m=150)
    FITS.clear()
    found = audit({"a": CountedBayes(), "b": CountedBayes(var_smoothing=1e-3)}, X, y, X_new, cv=5, progress=False)
    # Two models in five folds and on all rows; ReverseTesting fits each on both labelings.
    assert len(FITS) == found.fits == 2 * 6 + 4
    FITS.clear()
    panel = found.evaluation.panel
    again = audit(panel, X, y, X_new, reverse=False, progress=False)
    assert not FITS
    assert again.fits == 0
    assert again.selection.ranking == found.selection.ranking


def test_quick_leaves_reverse_testing_out() -> None:
    X, y, X_new, _ = tables("none", n=200, m=150)
    FITS.clear()
    found = audit(CountedBayes(), X, y, X_new, quick=True, progress=False)
    assert len(FITS) == 6
    assert {name: str(why) for name, why in found.left_out.items()} == {"ReverseTesting": "a quick audit skips it"}


def test_deployed_models_are_never_fitted() -> None:
    X, y, X_new, _ = tables("none", n=300, m=200)
    fitted = {"a": CountedBayes().fit(X[:100], y[:100])}
    FITS.clear()
    found = audit(fitted, X[100:], y[100:], X_new, cv="prefit", progress=False)
    assert not FITS
    assert found.fits == 0
    assert {name: str(why) for name, why in found.left_out.items()} == {
        "ReverseTesting": "it would refit deployed models"
    }
    assert found.detection is not None


def test_scores_alone_are_enough() -> None:
    X, y, X_new, y_new = tables("prior", n=600, m=400)
    model = LogisticRegression().fit(X[:300], y[:300])
    old, new = model.predict_proba(X[300:])[:, 1], model.predict_proba(X_new)[:, 1]
    panel = Panel.from_scores(y[300:], {"p": old}, new={"p": new})
    found = audit(panel)
    assert found.detection is None
    assert str(found.left_out["what changed, feature by feature"]).startswith("only scores were given")
    assert found.verify(y_new).covered
    assert "on the labelled data its accuracy is" in found.summary()
    assert "cross-validation" not in found.summary().lower()
    # With the features beside them, more is known.
    more = audit(panel, X[300:], None, X_new)
    assert more.detection is not None
    assert more.detection.scores


def test_stages_are_told_in_order() -> None:
    X, y, X_new, _ = tables("none", n=150, m=100)
    told: list[str] = []
    found = audit(GaussianNB(), X, y, X_new, quick=True, progress=False, on_stage=told.append)
    assert told == ["cross-fitting", "comparing tables", "measuring performance", "ranking models",
                    "estimating class proportions", "estimating performance",
                    "measuring feature importance"]  # fmt: skip
    assert told == [stage.name for stage in found.stages]
    assert found.seconds == pytest.approx(sum(stage.seconds for stage in found.stages))


def test_nothing_is_warned_of_that_the_verdict_says() -> None:
    X, y, X_new, _ = tables("nonsense", n=200, m=150)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        audit(GaussianNB(), X, y, X_new, quick=True, progress=False)


def test_columns_to_leave_out_are_seen_by_nobody() -> None:
    X, y, X_new, _ = tables("none", n=200, m=150)
    moved = X_new.assign(three=X_new["three"] + 9)
    found = audit(GaussianNB(), X, y, moved, exclude=["three"], quick=True, progress=False)
    assert found.evaluation.panel.feature_names == ("one", "two")
    assert found.detection is not None
    assert "three" not in found.detection.records
    with pytest.raises(InputError, match=r"^exclude must name columns of the tables, got 'four'; available: 'one',"):
        audit(GaussianNB(), X, y, X_new, exclude=["four"])
    with pytest.raises(InputError, match=r"^exclude must be a list of column names, got 'one'; write exclude="):
        audit(GaussianNB(), X, y, X_new, exclude="one")


def test_groups_are_kept_together_and_seen_by_nobody() -> None:
    X, y, X_new, _ = tables("none", n=240, m=150)
    groups = [f"customer {at % 60}" for at in range(240)]
    by_name = audit(MODELS, X.assign(customer=groups), y, X_new, groups="customer", quick=True, progress=False)
    assert by_name.evaluation.panel.feature_names == ("one", "two", "three")
    assert by_name.evaluation.panel.groups is not None
    by_labels = audit(MODELS, X, y, X_new, groups=groups, quick=True, progress=False)
    assert by_labels.to_frame().equals(by_name.to_frame())
    with pytest.raises(InputError, match=r"^groups must name a column of X, or have one entry per row, got 'shop'"):
        audit(MODELS, X, y, X_new, groups="shop")


def test_profit_decides_where_a_benefit_is_given() -> None:
    X, y, X_new, y_new = tables("none", n=300, m=200)
    benefit = sp.Benefit(tp=5, fp=-1)
    found = audit(MODELS, X, y, X_new, benefit=benefit, quick=True, progress=False)
    assert found.measure == found.evaluation.measure == found.selection.measure == "profit"
    assert found.performance.measures[0] == "profit"
    truth = {claim.about: claim.actual for claim in found.verify(y_new).models}
    name = found.best
    chosen = found.performance.decided[name]["profit"].decisions
    gains = np.where(chosen == 1, np.where(y_new == "yes", 5, -1), 0)
    assert truth[name] == pytest.approx(gains.mean())


def test_several_classes() -> None:
    rng = np.random.default_rng(0)
    y, y_new = rng.choice(["a", "b", "c"], 400), rng.choice(["a", "b", "c"], 300)
    X = rng.normal(size=(400, 2)) + 2 * np.column_stack([y == "a", y == "b"])
    X_new = rng.normal(size=(300, 2)) + 2 * np.column_stack([y_new == "a", y_new == "b"])
    found = audit(GaussianNB(), X, y, X_new, quick=True, progress=False)
    assert found.performance.measures == ("accuracy", "brier")
    assert len(found.verify(y_new).shares) == 3
    named = audit(GaussianNB(), X, y, X_new, pos_label="b", measure="f1", quick=True, progress=False)
    assert named.performance.positive == "b"


def test_texts_are_audited_by_their_scores() -> None:
    rng = np.random.default_rng(0)
    words = np.array(["good", "bad", "so", "it", "was"])
    y = rng.integers(2, size=160)
    texts = [" ".join([("good", "bad")[label], *rng.choice(words, 4)]) for label in y]
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    found = audit({"words": model}, texts[:100], y[:100], texts[100:], quick=True, progress=False)
    assert found.detection is None
    assert "texts" in str(found.left_out["what changed, feature by feature"])


def test_labels_of_some_new_rows_are_used() -> None:
    X, y, X_new, y_new = tables("nonsense", n=300, m=300)
    known = dict(enumerate(y_new[:120].tolist()))
    found = audit(GaussianNB(), X, y, X_new, labels=known, quick=True, progress=False)
    assert not found.performance.refused
    assert found.verdict != "trust"
    assert "estimates rest mostly on 120 labels" in found.summary()
    assert "cannot be estimated" not in found.summary()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"tolerance": 0}, "^tolerance must be a number strictly between 0 and 1, got 0"),
        ({"level": 1.5}, "^level must be a number strictly between 0 and 1, got 1.5"),
        ({"measure": "luck"}, "^measure must be one of"),
        ({"measure": "profit"}, "^measure='profit' needs a benefit; pass benefit="),
        ({"pos_label": "maybe"}, "^pos_label must be one of"),
    ],
)
def test_bad_settings_get_one_sentence(changed: dict[str, Any], words: str) -> None:
    X, y, X_new, _ = tables("none", n=60, m=50)
    with pytest.raises(InputError, match=words):
        audit(GaussianNB(), X, y, X_new, quick=True, progress=False, **changed)


def test_bad_tables_get_one_sentence() -> None:
    X, y, X_new, _ = tables("none", n=60, m=50)
    panel = cross_fit(clone(MODELS["nb"]), X, y, cv=3, progress=False)
    with pytest.raises(InputError, match=r"^y is missing; pass models, X, y, X_new, or a Panel"):
        audit(GaussianNB(), X, None, X_new)
    with pytest.raises(InputError, match=r"^cv must be left out with a Panel, got 3"):
        audit(panel, X, y, X_new, cv=3)
    with pytest.raises(InputError, match=r"^X must be the table that the panel was made from"):
        audit(panel, X[::-1], y, X_new)
    with pytest.raises(InputError, match=r"^X_new must hold at least one row"):
        audit(panel, X, y, X_new[:0])
    with pytest.raises(InputError, match="no column 'three', which X has"):
        audit(panel, X, y, X_new.drop(columns="three"))


def test_audit_of_an_array_and_a_table_names_both_arguments() -> None:
    X, y = np.tile([[0.0, 1.0], [1.0, 0.0]], (20, 1)), ["no", "yes"] * 20
    with pytest.raises(InputError) as caught:
        audit(GaussianNB(), X, y, pd.DataFrame(X, columns=["age", "balance"]), cv=2, quick=True)
    assert str(caught.value) == (
        "X and X_new must share at least one column, got 'x0' and 'x1' against 'age' and 'balance'; check the headers "
        "of both."
    )


def test_few_new_rows_are_refused_in_words() -> None:
    X, y, X_new, _ = tables("none", n=120, m=50)
    found = audit(GaussianNB(), X, y, X_new[:5], quick=True, progress=False)
    assert found.verdict == "cannot tell"
    assert "5 new rows are too few for an estimate" in found.headline


def test_frames_of_other_libraries() -> None:
    import polars as pl

    X, y, X_new, _ = tables("none", n=150, m=100)
    found = audit(GaussianNB(), pl.from_pandas(X), pl.Series(y), pl.from_pandas(X_new), quick=True, progress=False)
    same = audit(GaussianNB(), X, pd.Series(y), X_new, quick=True, progress=False)
    assert found.to_frame().equals(same.to_frame())


def test_labels_of_rows_that_differ_from_the_others_are_a_caution() -> None:
    rng = np.random.default_rng(0)
    X, X_new = rng.normal(size=(300, 2)), rng.normal(size=(300, 2))
    y, y_new = (rows[:, 0] + rng.normal(size=300) > 0 for rows in (X, X_new))
    labels = {int(row): bool(y_new[row]) for row in np.argsort(-X_new[:, 1])[:60]}
    result = audit(GaussianNB(), X, y, X_new, labels=labels, quick=True, cv=3, progress=False)
    assert [(note.code, note.subject) for note in result.cautions] == [("labels of chosen rows", "'x1'")]
    assert any("differ from the other new rows" in reason.text for reason in result.reasons)
    assert result.verdict != "trust"


def test_labels_of_the_latest_rows_are_a_caution_although_their_date_is_left_out() -> None:
    X, y, X_new, y_new = tables("none", n=300, m=300)
    X = X.assign(day=pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(300) % 60, "D"))
    X_new = X_new.assign(day=pd.Timestamp("2026-03-01") + pd.to_timedelta(np.arange(300) // 5, "D"))
    labels = {row: str(y_new[row]) for row in range(240, 300)}
    models = default_models(only=["nb"])
    with pytest.warns(ColumnsLeftOut, match="'day'"):
        result = audit(models, X, y, X_new, labels=labels, quick=True, cv=3, progress=False)
    assert [(note.code, note.subject) for note in result.cautions] == [("labels of chosen rows", "'day'")]
