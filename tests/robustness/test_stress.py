"""The verb: what it computes, against brute force and by simulation, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats as scipy_stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import shiftproof as sp
from shiftproof.core import InputError
from shiftproof.panel import leave_one_out, three_way_split
from shiftproof.robustness import UnmadeShifts
from shiftproof.simulation import mar, mnar, offset

FITS: list[int] = []


class Counted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that counts its fits and the rows that it scores."""

    def fit(self, X: Any, y: Any) -> Counted:
        FITS.append(len(X))
        self.classes_ = np.unique(y)
        self.inner_ = GaussianNB().fit(X, y)
        return self

    def predict_proba(self, X: Any) -> Any:
        FITS.append(-len(X))
        return self.inner_.predict_proba(X)


def make_data(n: int = 500, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    y = np.where(X["a"] + 0.5 * X["b"] + rng.normal(size=n) > 0.4, "yes", "no")
    return X, y


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, Any]:
    return make_data()


@pytest.fixture(scope="module")
def found(data: tuple[pd.DataFrame, Any]) -> sp.Stress:
    models = {"lr": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=4, random_state=0)}
    return sp.stress(models, *data)


def parts(y: Any, random_state: int = 0) -> Any:
    seed = np.random.default_rng(random_state).integers(2**31 - 1, size=3).tolist()[0]
    return three_way_split(y, random_state=np.random.default_rng(seed))


def test_each_cell_is_what_scoring_the_shifted_table_gives(data: tuple[pd.DataFrame, Any], found: sp.Stress) -> None:
    X, y = data
    train, validation, test = parts(y)
    fitted = LogisticRegression().fit(X.iloc[train], y[train])
    before = fitted.predict_proba(X.iloc[validation])[:, 1]
    base = (fitted.predict(X.iloc[test]) == y[test]).mean()
    cells = found.cells.query("model == 'lr' and family in ['base', 'mar', 'offset']")
    assert len(cells) == 1 + 6 + 12
    for cell in cells.to_dict("records"):
        table, rows = X.iloc[test], np.arange(len(test))
        if cell["family"] == "mar":
            table, rows = mar(table, cell["feature"], cell["strength"])
        elif cell["family"] == "offset":
            table, rows = offset(table, cell["feature"], cell["strength"])
        truth, p = y[test][rows], fitted.predict_proba(table)[:, 1]
        accuracy = ((p > 0.5) == (truth == "yes")).mean()
        assert cell["n"] == len(rows)
        assert cell["accuracy"] == pytest.approx(accuracy)
        assert cell["accuracy_change"] == pytest.approx(accuracy - base)
        assert cell["auc"] == pytest.approx(roc_auc_score(truth, p))
        assert cell["brier"] == pytest.approx(brier_score_loss(truth == "yes", p))
        assert cell["kruskal_p"] == pytest.approx(scipy_stats.kruskal(before, p).pvalue)
        assert cell["score_hellinger"] == pytest.approx(sp.stats.hellinger(sp.stats.compare(before, p)))


def test_the_table_averages_the_cells(found: sp.Stress) -> None:
    cells = found.cells
    for row in found.to_frame().to_dict("records"):
        of_row = cells[(cells["model"] == row["model"]) & (cells["shift"] == row["shift"])]
        assert row["n_cells"] == len(of_row)
        for measure in ("accuracy", "auc", "brier", "accuracy_change", "auc_change", "brier_change", "score_hellinger"):
            assert row[measure] == pytest.approx(of_row[measure].mean())
        for test in ("kruskal_p", "friedman_p"):
            expected = of_row[test].mean(), of_row[test].min(), of_row[test].max()
            assert (row[f"{test}_mean"], row[f"{test}_min"], row[f"{test}_max"]) == pytest.approx(expected)
        assert row["low"] <= row["accuracy"] <= row["high"]


def test_the_index_is_the_mean_absolute_change(found: sp.Stress) -> None:
    changes = found.cells.query("family != 'base'")
    for model, families in found.sensitivity.items():
        own = changes[changes["model"] == model]
        of_shift = own.assign(size=own["accuracy_change"].abs()).groupby(["family", "strength"])["size"].mean()
        assert families["overall"]["accuracy"].estimate == pytest.approx(of_shift.mean())
        for family in {*families} - {"overall"}:
            assert families[family]["accuracy"].estimate == pytest.approx(of_shift[family].mean())
        auc = own.assign(size=own["auc_change"].abs()).groupby(["family", "strength"])["size"].mean()
        assert families["overall"]["auc"].estimate == pytest.approx(auc.mean())
        moved = own.assign(size=own["score_hellinger_change"].abs()).groupby(["family", "strength"])["size"].mean()
        assert families["overall"]["hellinger"].estimate == pytest.approx(moved.mean())


def test_models_are_ranked_on_the_cells_that_all_of_them_have(found: sp.Stress) -> None:
    cells = found.cells.query("family != 'mnar'")
    means = cells.groupby(["model", "family", "strength"])["accuracy"].mean().groupby(["model", "family"]).mean()
    expected = means.groupby("model").mean()  # today and each family alike
    assert found.best == expected.idxmax()
    assert found.ranking["best compromise"].value.estimate == pytest.approx(expected.max())
    base = found.to_frame().query("family == 'base'").set_index("model")["accuracy"]
    assert found.ranking["most accurate"].model == base.idxmax()
    assert found.ranking["most accurate"].value.estimate == base.max()
    shifted = cells.query("family != 'base'")
    sizes = (
        shifted.assign(size=shifted["accuracy_change"].abs()).groupby(["model", "family", "strength"])["size"].mean()
    )
    index = sizes.groupby("model").mean()
    lead = found.ranking["most robust"]
    assert lead.model == index.idxmin()
    assert lead.value.estimate == pytest.approx(index.min())
    assert lead.lead is not None
    assert lead.lead.estimate == pytest.approx(index.max() - index.min())


def test_a_case_by_hand() -> None:
    """Eight test rows, one feature, a threshold at 0: what is dropped and moved can be counted."""

    class Sign(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        classes_ = np.array([0, 1])

        def predict_proba(self, X: Any) -> Any:
            p = np.where(np.asarray(X)[:, 0] > 0, 0.9, 0.1)
            return np.column_stack([1 - p, p])

    # 40 rows: x = -2, -1, 1, 2 ten times; y follows the sign but for x = 1, where it is 0
    x, y = np.tile([-2.0, -1.0, 1.0, 2.0], 10), np.tile([0, 0, 0, 1], 10)
    panel = sp.cross_fit(Sign(), x[:, None], y, cv="prefit")
    result = sp.stress(panel, x[:, None], families=["mar", "offset"], shares=[0.25], strengths=[2])
    assert result.sizes == {"training": 16, "validation": 16, "test": 24}
    frame: Any = result.to_frame().set_index("shift")
    test_share_of_ones = 6 / 24  # stratified: 18 zeros and 6 ones
    assert frame.loc["offset 2 sd", "accuracy"] == pytest.approx(test_share_of_ones)  # all are called 1
    wrong = round((1 - frame.loc["base", "accuracy"]) * 24)  # the rows with x = 1
    # The top quarter is dropped: the six rows with x = 2, all of them right.
    assert frame.loc["MAR 25", "accuracy"] == pytest.approx((18 - wrong) / 18)
    assert np.isnan(frame.loc["MAR 25", "auc"])  # one class is left
    assert result.cells.set_index("shift").loc["MAR 25", "n"] == 18


def test_models_are_fitted_once_and_scored_only_where_values_changed(data: tuple[pd.DataFrame, Any]) -> None:
    FITS.clear()
    sp.stress({"counted": Counted()}, *data, families=["mcar", "mar", "prior", "soft"])
    assert [size for size in FITS if size > 0] == [250]
    assert [-size for size in FITS if size < 0] == [250]  # validation and test rows, once
    FITS.clear()
    sp.stress({"counted": Counted()}, *data, families=["offset"], strengths=[1], features=["a", "b"])
    assert [-size for size in FITS if size < 0] == [250, 150, 150]


def test_what_cannot_take_missing_values_is_left_out_in_words(data: tuple[pd.DataFrame, Any], found: sp.Stress) -> None:
    assert [(each.model, each.family, each.n_cells) for each in found.left_out] == [("lr", "mnar", 6)]
    assert (
        "'lr' could not score 6 MNAR test sets (ValueError: Input X contains NaN); the rankings leave"
        in found.summary()
    )
    frame = found.to_frame()
    assert "mnar" not in set(frame[frame["model"] == "lr"]["family"])
    assert "mnar" in set(frame[frame["model"] == "tree"]["family"])
    assert "mnar" not in found.sensitivity["lr"]
    X, y = data
    train, _, test = parts(y)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X.iloc[train], y[train])
    table, rows = mnar(X.iloc[test], "a", 0.5)
    cell = found.cells.query("model == 'tree' and shift == 'MNAR 50' and feature == 'a'").iloc[0]
    assert cell["accuracy"] == pytest.approx((tree.predict(table) == y[test][rows]).mean())


def test_a_constant_classifier_is_moved_by_priors_and_not_at_random() -> None:
    X, y = make_data(2000)
    result = sp.stress(DummyClassifier(), X, y, families=["mcar", "prior", "offset"], prevalences=[0.05, 0.7])
    index = result.sensitivity["DummyClassifier"]
    assert index["mcar"]["accuracy"].estimate < 0.02
    assert index["prior"]["accuracy"].estimate > 0.2
    assert index["offset"]["accuracy"].estimate == 0
    assert index["offset"]["accuracy"].high == 0
    assert index["overall"]["auc"].estimate == 0
    assert (result.cells.query("family != 'prior'")["kruskal_p"] == 1).all()
    assert result.ranking["most robust"].runner_up is None


def test_the_seed_decides_and_a_cell_does_not_depend_on_others(
    data: tuple[pd.DataFrame, Any], found: sp.Stress
) -> None:
    models = {"lr": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=4, random_state=0)}
    part = sp.stress(models, *data, families=["offset", "prior"], strengths=[1], prevalences=[0.2])
    whole = found.cells.query("shift in ['base', 'offset 1 sd', 'P(+) 0.20']").reset_index(drop=True)
    pd.testing.assert_frame_equal(part.cells, whole)
    other = sp.stress(models, *data, families=["offset"], strengths=[1], random_state=1)
    assert other.cells["accuracy"].tolist() != part.cells["accuracy"].tolist()


def test_parallel_runs_give_the_same(data: tuple[pd.DataFrame, Any]) -> None:
    models = {"nb": GaussianNB()}
    alone = sp.stress(models, *data, families=["offset"])
    together = sp.stress(models, *data, families=["offset"], n_jobs=2)
    pd.testing.assert_frame_equal(alone.cells, together.cells)


def test_a_panel_is_stressed_without_a_fit(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    panel = sp.cross_fit({"counted": Counted()}, X, y, cv=5)
    FITS.clear()
    result = sp.stress(panel, X)
    assert [size for size in FITS if size > 0] == []
    assert result.sizes == {"training": 200, "validation": 200, "test": 300}
    right = panel.predictions("counted") == panel.y
    cells = result.cells
    test = _test_rows(panel)
    assert cells.query("family == 'base'")["accuracy"].iloc[0] == pytest.approx(right[test].mean())
    table, _ = offset(X.iloc[test], "a", 2)
    moved = np.empty(len(test), dtype=int)
    for fold, model in enumerate(panel.fold_models["counted"][0]):
        own = panel.folds[0][test] == fold
        moved[own] = model.predict_proba(table[own]).argmax(axis=1)
    cell = cells.query("shift == 'offset 2 sd' and feature == 'a'").iloc[0]
    assert cell["accuracy"] == pytest.approx((moved == panel.y[test]).mean())
    kept = mar(X.iloc[test], "b", 0.25)[1]
    cell = cells.query("shift == 'MAR 25' and feature == 'b'").iloc[0]
    assert cell["accuracy"] == pytest.approx(right[test][kept].mean())


def _test_rows(panel: sp.Panel, random_state: int = 0) -> Any:
    """Split as `stress` does: 40% of each class, drawn in the order of the classes, are validation rows."""
    seed = np.random.default_rng(random_state).integers(2**31 - 1, size=3).tolist()[0]
    rng = np.random.default_rng(seed)
    held: list[int] = []
    for code in range(len(panel.classes_)):
        rows = rng.permutation(np.flatnonzero(panel.y == code))
        held += rows[: round(0.4 * len(rows))].tolist()
    return np.setdiff1d(np.arange(len(panel.y)), held)


def test_deployed_decision_functions_are_compared_like_with_like(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    fitted = LinearSVC(dual=False).fit(X[:250], y[:250])
    panel = sp.cross_fit({"svm": fitted}, X[250:], y[250:], cv="prefit")
    result = sp.stress(panel, X[250:], y[250:], families=["offset"], strengths=[1e-9])
    changes = result.cells.query("family == 'offset'")
    assert changes["accuracy_change"].abs().max() == 0
    assert changes["brier_change"].abs().max() < 1e-6


def test_groups_and_times_of_a_panel(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    table = X.assign(who=np.repeat(np.arange(100), 5), when=np.arange(500))
    panel = sp.cross_fit(GaussianNB(), table.drop(columns="when"), y, groups="who", cv=4)
    result = sp.stress(panel, table.drop(columns="when"), families=["mar"])
    assert set(result.cells["feature"].dropna()) == {"a", "b", "c"}
    alone = sp.stress(sp.cross_fit(GaussianNB(), X, y, cv=4), X, families=["mar"])
    assert result.ranking["most accurate"].value.width != alone.ranking["most accurate"].value.width
    panel = sp.cross_fit(GaussianNB(), table.drop(columns="who"), y, time="when", cv=4)
    result = sp.stress(panel, table.drop(columns="who"), families=["offset"])
    assert result.sizes["validation"] + result.sizes["test"] == int(panel.tested.sum())


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [0, 1], [-1.0, 1.0]])
def test_labels_and_tables_of_any_kind(labels: list[Any]) -> None:
    X, y = make_data(200)
    codes = (y == "yes").astype(int)
    own = [labels[code] for code in codes]
    how: dict[str, Any] = {"families": ["mar", "offset", "prior"], "strengths": [1], "prevalences": [0.5]}
    named = ["feature", "friedman_p"]  # the seeds of bootstraps go by the names of the features
    expected = sp.stress(GaussianNB(), X.to_numpy(), codes, **how).cells.drop(columns=named)
    for table in (X, pl.DataFrame(X), X.to_dict("list"), X.to_dict("records"), pl.DataFrame(X).to_arrow()):
        result = sp.stress(GaussianNB(), table, own, **how)
        pd.testing.assert_frame_equal(result.cells.drop(columns=named), expected)
        assert result.positive == labels[1]
        assert result.score == f"the probability of {labels[1]!r}"


def test_mixed_tables_with_gaps_and_all_default_models() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "number": np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300)),
            "job": rng.choice(np.array(["x", "y", None]), size=300),
            "flag": rng.random(300) < 0.5,
            "level": pd.Categorical(rng.choice(["lo", "hi"], size=300), ["lo", "hi"], ordered=True),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(100, size=300), unit="D"),
            "same": 1,
            "id": [f"row {at}" for at in range(300)],
        }
    )
    y = np.where(np.nan_to_num(X["number"]) + X["flag"] + rng.normal(size=300) > 0.5, 1, 0)
    with pytest.warns(sp.ColumnsLeftOut, match=r"^left out of tests and models: 'id' \(identifier\)\.$"):
        result = sp.stress(sp.default_models(), X, y, families=sp.simulation.FAMILIES, bootstraps=20)
    assert result.left_out == ()
    assert dict(result.untested) == {}
    same = UnmadeShifts(family="mar", n_cells=2, features=("same",), reason="all its values are the same")
    assert same in result.unmade
    words = "; 12 offset test sets for 'job', 'flag' and 'level' (only numbers and dates can be offset); "
    assert words in result.summary()
    assert result.summary().count("Skipped: ") == 1
    assert np.isfinite(result.cells["accuracy"]).all()


def test_several_classes() -> None:
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    result = sp.stress(GaussianNB(), X, y, families=["mcar", "offset", "prior"], strengths=[2], prevalences=[0.5])
    assert result.positive is None
    assert result.score == "the largest probability"
    reason = "with 3 classes, the positive class must be named"
    assert result.unmade == (UnmadeShifts(family="prior", n_cells=1, features=(), reason=reason),)
    train, _, test = parts(y)
    fitted = GaussianNB().fit(X[train], y[train])
    p = fitted.predict_proba(X[test])
    base = result.cells.query("family == 'base'").iloc[0]
    assert base["auc"] == pytest.approx(roc_auc_score(y[test], p, multi_class="ovr"))
    assert base["brier"] == pytest.approx(((p - np.eye(3)[y[test]]) ** 2).sum(axis=1).mean())
    named = sp.stress(GaussianNB(), X, y, families=["prior"], prevalences=[0.5], pos_label=1)
    assert named.score == "the probability of 1"
    assert len(named.cells) == 2


def test_models_that_fail_are_named(data: tuple[pd.DataFrame, Any]) -> None:
    models = {"nb": GaussianNB(), "broken": LogisticRegression(C=-1)}
    with pytest.warns(sp.ShiftproofWarning, match=r"^left out: 'broken' failed with "):
        result = sp.stress(models, *data, families=["mar"])
    assert result.models == ("nb",)
    assert "'broken' failed and was left out" in result.summary()


def test_the_interval_of_the_index_covers() -> None:
    """The index of many test sets varies around its mean as the intervals say."""

    class Line(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        classes_ = np.array(["no", "yes"])

        def predict_proba(self, X: Any) -> Any:
            p = 1 / (1 + np.exp(-2 * (np.asarray(X)[:, 0] + 0.5 * np.asarray(X)[:, 1] - 0.4)))
            return np.column_stack([1 - p, p])

    found = []
    for seed in range(80):
        X, y = make_data(600, seed + 100)
        panel = sp.cross_fit(Line(), X.to_numpy(), y, cv="prefit")
        how: dict[str, Any] = {"families": ["offset", "mar"], "shares": [0.5], "strengths": [1]}
        result = sp.stress(panel, X.to_numpy(), random_state=seed, **how)
        found.append(result.sensitivity["Line"]["overall"])
    for measure in ("accuracy", "auc"):
        centre = float(np.mean([each[measure].estimate for each in found]))
        covered = np.mean([centre in each[measure] for each in found])
        assert covered >= 0.88


def test_accuracy_falls_with_the_strength_of_offsets(shared_data: Path) -> None:
    table = sp.read(shared_data / "hddt_phoneme.csv")
    models = sp.default_models(only=["lr", "nb", "tree"])
    result = sp.stress(models, table.drop(columns="label"), table["label"], families=["mcar", "mar", "offset"])
    frame = result.to_frame().query("family in ['base', 'offset']")
    for model, own in frame.groupby("model"):
        assert own["accuracy"].iloc[-1] < own["accuracy"].iloc[0] - 0.01
        assert own["score_hellinger"].is_monotonic_increasing
        if model == "tree":
            assert own["accuracy"].is_monotonic_decreasing
    shifts: Any = result.shifts_frame().set_index("shift")
    assert shifts.loc["MCAR 50", "failing_mean"] < 0.1
    assert shifts.loc["MAR 25", "failing_mean"] > 0.5
    order = ["base", "offset 0.25 sd", "offset 0.5 sd", "offset 1 sd", "offset 2 sd"]
    assert shifts.loc[order, "hellinger_mean"].is_monotonic_increasing


def test_a_panel_of_scores_only_cannot_be_stressed() -> None:
    panel = sp.Panel.from_scores([0, 1] * 20, {"old": [0.2, 0.9] * 20})
    with pytest.raises(InputError) as caught:
        sp.stress(panel, np.zeros((40, 1)))
    assert str(caught.value) == "stress needs the models, but the panel has only scores; make it with cross_fit."


def test_a_model_that_cannot_score_any_shift_is_ranked_by_its_accuracy_alone(data: tuple[pd.DataFrame, Any]) -> None:
    models = {"lr": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    result = sp.stress(models, *data, families=["mnar"])
    assert result.ranking["most accurate"].runner_up is not None
    assert result.ranking["most robust"].model == result.best == "tree"
    assert result.ranking["most robust"].runner_up is None
    assert np.isnan(result.sensitivity["lr"]["overall"]["accuracy"].estimate)
    assert result.envelope["lr"].summary() == "the accuracy of 'lr' under these shifts cannot be determined"
    assert "Can the shift be detected" in str(result.sections().visibility.title)
    with pytest.raises(InputError) as caught:
        sp.stress(LogisticRegression(), *data, families=["mnar"])
    expected = (
        "models must be able to score a shifted table, got 'LogisticRegression' with ValueError: Input X contains"
    )
    assert str(caught.value).startswith(expected)


def test_models_without_a_cell_in_common_are_not_ranked(data: tuple[pd.DataFrame, Any]) -> None:
    class Picky(GaussianNB):  # type: ignore[misc]
        """Refuse tables in which one feature was moved."""

        def __init__(self, at: int = 0) -> None:
            super().__init__()
            self.at = at

        def predict_proba(self, X: Any) -> Any:
            if abs(np.asarray(X)[:, self.at].mean()) > 1:
                raise ValueError
            return super().predict_proba(X)

    models = {"first": Picky(0), "second": Picky(1)}
    result = sp.stress(models, *data, families=["offset"], strengths=[2], features=["a", "b"])
    assert (
        "No shifted test set was scored by all models, so no model can be called the most robust." in result.summary()
    )
    assert "'first' could not score 1 offset test set (ValueError); the rankings leave these out." in result.summary()


def test_a_model_that_never_errs_still_has_an_interval() -> None:
    X = np.tile([-1.0, 1.0], 150)[:, None]
    y = (X[:, 0] > 0).astype(int)
    result = sp.stress(DecisionTreeClassifier(), X, y, families=["mcar"])
    best = result.ranking["most accurate"].value
    assert best.estimate == 1
    assert best.method == "wilson"
    assert result.to_frame()["low"].max() < 1
    words = "Without a shift, the accuracy of 'DecisionTreeClassifier' is 100% (97.1% to 100%; always answering the "
    words += (
        f"most frequent class: {100 * result.baseline:.1f}%). On average over the original and 2 shifted test sets, "
    )
    assert result.summary().startswith(words + "it is 100% (97.1% to 100%); it changes by 0.0 points")


def test_panels_that_do_not_fit(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    panel = sp.cross_fit(GaussianNB(), X, y, cv=3, sample_weight=np.ones(500))
    with pytest.raises(InputError, match=r"^stress needs equally weighted rows, and the panel has weights; "):
        sp.stress(panel, X)
    alone = leave_one_out(KNeighborsClassifier(3), X[:60], y[:60])
    with pytest.raises(
        InputError, match=r"^stress needs the models of the folds, not only scores; make the panel with "
    ):
        sp.stress(alone, X[:60])
    panel = sp.cross_fit(GaussianNB(), X, y, cv=3)
    with pytest.raises(InputError, match=r"^X must be given; shifts are made in the table of features\.$"):
        sp.stress(panel)
    with pytest.raises(
        InputError, match=r"^X must be the table that the panel was made from, got one with other values or columns"
    ):
        sp.stress(panel, X + 1)
    with pytest.raises(InputError, match=r"^y must match the panel's labels, got other labels in 228 of 500 rows; "):
        sp.stress(panel, X, y[::-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"families": "mar"}, "families must be a list of names, got 'mar'; write families=['mar']."),
        ({"families": ["mra"]}, "families must be one of "),
        (
            {"families": ["base"]},
            "families must name a shift other than 'base', got ['base']; leave it out to get all.",
        ),
        ({"features": ["z"]}, "feature must be a column of X, got 'z'; available: 'a', 'b', 'c'."),
        ({"strengths": [-1]}, "strengths must hold finite numbers above 0, got -1; 1 means one standard"),
        ({"shares": [0.0]}, "shares must hold numbers strictly between 0 and 1, got 0.0; "),
        ({"prevalences": [1]}, "prevalences must hold numbers strictly between 0 and 1, got 1; "),
        ({"split": (0.5, 0.5)}, "split must be three shares above 0 that sum to 1, got (0.5, 0.5); "),
        ({"split": "half"}, "split must be three shares above 0 that sum to 1, got 'half'; (0.5, 0.2, 0.3) is usual."),
        ({"bootstraps": 5}, "bootstraps must be a whole number of at least 20, got 5; 100 is usual."),
        ({"tolerance": 2}, "tolerance must be a number strictly between 0 and 1, got 2; 0.05 means five points "),
        ({"level": 95}, "level must be a number strictly between 0 and 1, got 95; 0.9 means 90%."),
        ({"alpha": 0}, "alpha must be a number strictly between 0 and 1, got 0; 0.05 means 5%."),
        ({"pos_label": "maybe"}, "pos_label must be one of 'no' and 'yes', got 'maybe'; labels must match exactly"),
        ({"random_state": -1}, "random_state must be None, a whole number of at least 0, or a NumPy generator"),
        (
            {"families": ["prior"], "prevalences": [1e-9]},
            "families must include a shift that can be applied, got none (P(+) 1e-09: not possible with ",
        ),
    ],
)
def test_bad_options_get_one_sentence(data: tuple[pd.DataFrame, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        sp.stress(GaussianNB(), *data, **options)
    assert str(caught.value).startswith(message)


def test_bad_shifts_are_refused_before_anything_is_fitted(data: tuple[pd.DataFrame, Any]) -> None:
    FITS.clear()
    for options in ({"families": ["mra"]}, {"features": ["z"]}, {"strengths": [0]}, {"families": None}):
        with pytest.raises(InputError):
            sp.stress(Counted(), *data, **options)
    assert FITS == []


def test_bad_tables_and_labels_get_one_sentence(data: tuple[pd.DataFrame, Any]) -> None:
    X, y = data
    cases: list[tuple[tuple[Any, ...], str]] = [
        ((GaussianNB(), X), "y is missing; call stress(models, X, y), or pass a Panel."),
        ((GaussianNB(), None, y), "X must be given; shifts are made in the table of features."),
        (
            (GaussianNB(), X, ["yes"] * 500),
            "y must contain at least two classes, got one class, 'yes'; add rows of another",
        ),
        (
            (GaussianNB(), X, y[:99]),
            "y must have one label per row of X, got 99 for 500 rows; pass the labels of the same rows.",
        ),
        (
            (GaussianNB(), X[:7], ["a"] * 5 + ["b"] * 2),
            "class 'b' has only 2 rows, but validation rows and test rows both need some; add rows, or merge",
        ),
        (
            (GaussianNB(), X[:20], ["a", "b"] * 10),
            "X has 20 rows, too few for a validation and a test part; about 50 are needed for 10 rows in each part",
        ),
        (({}, X, y), "models must hold at least one classifier, got none; sp.default_models() returns seven."),
    ]
    for arguments, message in cases:
        with pytest.raises(InputError) as caught:
            sp.stress(*arguments)
        assert str(caught.value).startswith(message)


def test_stress_takes_labels_that_are_days() -> None:
    x = np.random.default_rng(0).normal(size=60)
    days = np.where(x > 0, np.datetime64("2020-01-01"), np.datetime64("2021-01-01"))
    result = sp.stress(LogisticRegression(), pd.DataFrame({"x": x}), days, families=["prior"], bootstraps=20)
    assert len(result.to_frame())
