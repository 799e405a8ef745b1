"""One case per question: models become a panel once, columns are hidden, and everything shared is computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp
from shiftproof.case import Case, DecisionOptions, note_text
from shiftproof.case import _case as module
from shiftproof.core import Note
from shiftproof.panel import Panel, cross_fit

Data = tuple[pd.DataFrame, np.ndarray, pd.DataFrame]


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=160)
    X = pd.DataFrame(rng.normal(size=(160, 2)) + y[:, None], columns=["a", "b"])
    X_new = pd.DataFrame(rng.normal(size=(80, 2)) + 0.5, columns=["a", "b"])
    return X, y, X_new


@pytest.fixture(scope="module")
def panel(data: Data) -> Panel:
    X, y, _ = data
    return cross_fit({"line": LogisticRegression(), "bayes": GaussianNB()}, X, y, cv=3)


class Refuses(GaussianNB):  # type: ignore[misc]
    """A model that learns, but cannot score rows of the new table."""

    def predict_proba(self, X: Any) -> Any:
        if (np.asarray(X)[:, 0] > 90).any():
            raise RuntimeError("cannot take 'Smith'")
        return super().predict_proba(X)


def test_models_are_fitted_once_and_counted(data: Data) -> None:
    X, y, X_new = data
    case = Case.of([LogisticRegression()], X, y, X_new, purpose="testing", cv=4)
    assert case.n_fits == case.panel.n_fits == 5
    assert Case.of(case.panel, X, y, X_new, purpose="testing").n_fits == 0


def test_a_panel_refuses_settings_of_a_fit(data: Data, panel: Panel) -> None:
    X, y, X_new = data
    settings: dict[str, Any] = {"cv": 5, "groups": y, "sample_weight": y, "repeats": 2}
    for name, value in settings.items():
        with pytest.raises(sp.InputError, match=f"^{name} must be left out with a Panel"):
            Case.of(panel, X, y, X_new, purpose="testing", **{name: value})
    assert Case.of(panel, X, y, purpose="testing", refit=False).panel is panel


def test_tables_of_models_are_required_before_anything_is_fitted(data: Data) -> None:
    X, y, _ = data
    with pytest.raises(sp.InputError, match=r"^X is missing; pass models, X, y, or a Panel"):
        Case.of(GaussianNB(), None, y, purpose="testing")
    with pytest.raises(sp.InputError, match=r"^X_new is missing"):
        Case.of(GaussianNB(), X, y, purpose="testing", new_required=True)


def test_a_case_without_models_says_what_it_needs(data: Data) -> None:
    X, y, X_new = data
    case = Case.of(None, X, y, X_new, purpose="selecting a model")
    assert case.known_labels is y
    with pytest.raises(sp.InputError, match=r"^selecting a model needs models"):
        _ = case.panel


def test_groups_and_excluded_columns_are_hidden_from_models_and_comparisons(data: Data) -> None:
    X, y, X_new = data
    wide = X.assign(who=[f"c{row % 40}" for row in range(160)], noise=1.0)
    case = Case.of(GaussianNB(), wide, y, X_new, purpose="testing", groups="who", exclude=["noise"], cv=3)
    assert case.panel.feature_names == ("a", "b")
    assert case.panel.groups is not None
    assert list(case.tables.kinds) == ["a", "b"]
    assert [note.code for note in case.notes] == ["type of shift without groups"]


@pytest.mark.parametrize(
    ("weights", "codes"), [(np.ones(160), []), (np.arange(160) + 1.0, ["type of shift without weights"])]
)
def test_case_notes_that_the_type_of_shift_ignores_weights(data: Data, weights: Any, codes: list[str]) -> None:
    case = Case.of(GaussianNB(), *data, purpose="testing", sample_weight=weights, cv=2)
    assert [note.code for note in case.notes] == codes


def test_case_notes_models_that_rank_held_out_rows_in_reverse(data: Data) -> None:
    X = pd.DataFrame({"a": np.linspace(-1, 1, 160) * np.where(np.arange(160) % 2, -1, 1)})
    halves = [np.flatnonzero(np.arange(160) % 2 == parity) for parity in (0, 1)]
    with pytest.warns(sp.ScoresReversed):
        case = Case.of(GaussianNB(), X, np.arange(160) >= 80, X, purpose="testing", cv=[halves, halves[::-1]])
    assert next(note.code for note in case.cautions) == "held-out rows reversed"


def test_actual_amounts_are_hidden_from_models_only(data: Data) -> None:
    X, y, X_new = data
    paid = X.assign(paid=np.where(y == 1, 7.0, 0.0))
    benefit = sp.Benefit(tp=sp.Amount(expected=5, actual="paid"), fp=-1)
    case = Case.of(GaussianNB(), paid, y, X_new, purpose="testing", options=DecisionOptions(benefit=benefit), cv=3)
    assert case.panel.feature_names == ("a", "b")
    assert np.isfinite(case.prospect.validated("profit")["GaussianNB"])


def test_a_model_that_cannot_score_is_left_out_by_name(data: Data) -> None:
    X, y, X_new = data
    far = X_new.assign(a=np.where(np.arange(80) == 3, 99.0, X_new["a"]))
    case = Case.of({"ok": GaussianNB(), "bad": Refuses()}, X, y, far, purpose="testing", cv=3)
    assert case.scored_by == ("ok",)
    assert case.candidates.names == ("ok",)
    (note,) = case.notes
    assert note == Note(code="model cannot score", subject="bad", detail="cannot take 'Smith'", sensitive=True)
    assert "Smith" not in note_text(note).redacted()
    with pytest.raises(sp.InputError, match=r"^the classifier cannot score X_new: cannot take 'Smith'"):
        _ = Case.of({"bad": Refuses()}, X, y, far, purpose="testing", cv=3).candidates


def test_a_generator_gives_one_seed_for_all(data: Data, panel: Panel) -> None:
    X, y, X_new = data
    case = Case.of(panel, X, y, X_new, purpose="testing", random_state=np.random.default_rng(5))
    same = Case.of(panel, X, y, X_new, purpose="testing", random_state=case.seed)
    assert case.folds.tolist() == same.folds.tolist()


def test_labelled_rows_of_other_tables_are_refused(data: Data, panel: Panel) -> None:
    X, y, X_new = data
    with pytest.raises(sp.InputError, match=r"^X must be the table that the panel was made from"):
        Case.of(panel, X[::-1], y, X_new, purpose="testing")
    # A column that no model saw makes no difference.
    assert Case.of(panel, X.assign(extra=1), y, X_new, purpose="testing").panel is panel


def test_scores_are_comparable_even_where_a_repeat_left_rows_out(data: Data) -> None:
    X, y, X_new = data
    rows = np.arange(160)
    splits = [(rows[80:], rows[:80]), (rows[:80], rows[80:])]
    panel = cross_fit(GaussianNB(), X, y, cv=[splits[0]], refit=False)
    case = Case.of(panel, X, y, X_new, purpose="testing")
    assert case.applied.values.keys() == case.comparable.values.keys() == {"GaussianNB"}


def test_once_calls_a_function_of_an_upper_layer_once(data: Data, panel: Panel) -> None:
    X, y, X_new = data
    calls: list[Case] = []

    def derive(case: Case) -> int:
        calls.append(case)
        return len(calls)

    case = Case.of(panel, X, y, X_new, purpose="testing")
    assert (case.once(derive), case.once(derive), len(calls)) == (1, 1, 1)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count how often a case computes what it shares."""
    counts: Counter[str] = Counter()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            counts[name] += 1
            return function(*given, **named)

        return counted

    for name in ("by_features", "applied_scores", "comparable_scores", "prepared_new", "domain_check"):
        monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    return counts


def test_everything_shared_is_computed_once(data: Data, panel: Panel, calls: Counter[str]) -> None:
    X, y, X_new = data
    case = Case.of(panel, X, y, X_new, purpose="testing")
    for _ in range(3):
        _ = case.prospect.routes, case.shift, case.domain, case.notes, case.applied, case.comparable
    assert calls == dict.fromkeys(calls, 1)
    assert len(calls) == 5
    assert case.prospect.estimate("accuracy") is case.prospect.estimate("accuracy")
