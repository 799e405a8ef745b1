"""Models from the command line: names, files of skops, and modules of the user's own."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from shiftproof.cli._completion import MODEL_NAMES
from shiftproof.cli._models import Chosen, choose_models
from shiftproof.core import InputError, ShiftproofWarning
from shiftproof.panel import default_models

X = np.arange(20.0).reshape(-1, 1)
Y = np.arange(20) % 2


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder of its own, whose module is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("mine", None)


def chosen(joined: str | None, trust: list[str] | None = None) -> tuple[Chosen, list[str]]:
    """Return the models and what was said of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ShiftproofWarning)
        found = choose_models(joined, trust)
    return found, [str(each.message) for each in caught]


def refused(joined: str, trust: list[str] | None = None) -> str:
    with pytest.raises(InputError) as error:
        chosen(joined, trust)
    return str(error.value)


def test_without_a_word_all_models_of_the_package() -> None:
    found, told = chosen(None)
    assert list(found.models) == list(default_models())
    assert (found.fitted, told) == (False, [])


def test_the_shell_knows_the_same_names() -> None:
    assert list(MODEL_NAMES) == list(default_models())


@pytest.mark.parametrize(
    ("text", "item", "names"),
    [
        ("from sklearn.naive_bayes import GaussianNB\nmodel = GaussianNB()", "mine:model", ["model"]),
        ("from sklearn.naive_bayes import GaussianNB", "mine:GaussianNB", ["GaussianNB"]),
        ("from sklearn.naive_bayes import GaussianNB\ndef make(): return {'a': GaussianNB(), 'b': GaussianNB()}",
         "mine:make", ["a", "b"]),
        ("from sklearn.naive_bayes import GaussianNB\nboth = [GaussianNB(), GaussianNB()]",
         "mine:both", ["GaussianNB", "GaussianNB 2"]),
        ("from sklearn.naive_bayes import GaussianNB\nclass box: model = GaussianNB()", "mine:box.model", ["model"]),
    ],
)  # fmt: skip
def test_estimators_of_a_module_in_this_folder(here: Path, text: str, item: str, names: list[str]) -> None:
    (here / "mine.py").write_text(text)
    found, told = chosen(f"nb,{item}")
    assert list(found.models) == ["nb", *names]
    assert not found.fitted
    assert told == [f"--models {item} ran the code of {here / 'mine.py'}."]


@pytest.mark.parametrize(
    ("text", "item", "sentence"),
    [
        ("", "absent:model", "--models must name a module that exists, got 'absent:model'; run this where the module "
         "is, or install it."),
        ("import not_there", "mine:model", "cannot import --models mine:model: ModuleNotFoundError: No module named "
         "'not_there'."),
        ("1 / 0", "mine:model", "cannot import --models mine:model: ZeroDivisionError: division by zero."),
        ("raise SystemExit", "mine:model", "cannot import --models mine:model: SystemExit."),
        ("def make(size): pass", "mine:make", "cannot import --models mine:make: TypeError: make() missing 1 required "
         "positional argument: 'size'."),
        ("model = 3", "mine:model", "--models must give classifiers, got 3 from 'mine:model'; give scikit-learn "
         "estimators, or a dict or list of them, or name scores with --score-column."),
        ("import os as model", "mine:model", "--models must give classifiers, got a module from 'mine:model'; give "
         "scikit-learn estimators, or a dict or list of them, or name scores with --score-column."),
        ("model = {}", "mine:model", "--models must give at least one classifier, got none from 'mine:model'; return "
         "one from it."),
        ("models = []", "mine:model", "--models mine:model: module 'mine' has no attribute 'model'. Did you mean "
         "'models'?"),
        ("", "mine:model", "--models mine:model: module 'mine' has no attribute 'model'."),
        ("size = 3", "mine:model", "--models mine:model: module 'mine' has no attribute 'model'; available: 'size'."),
        ("class Kit: pass", "mine:Kit.model", "--models mine:Kit.model: the class Kit has no attribute 'model'."),
        ("", "mine.py:model", "--models must name a module as Python imports it, got 'mine.py:model'; write "
         "mine:model, in the folder of the file."),
        ("", "xgboost", "--models must be one of 'lr', 'nb', 'tree', 'knn', 'svm', 'forest', 'boost', a .skops file or "
         "module:attribute; got 'xgboost'. Did you mean 'boost'?"),
        ("", "lr,lr", "--models must name every model only once, got 'lr' twice; leave one of them out."),
    ],
)  # fmt: skip
def test_modules_that_give_no_models(here: Path, text: str, item: str, sentence: str) -> None:
    (here / "mine.py").write_text(text)
    assert refused(item) == sentence


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgresql://me:S3cret.Pw@127.0.0.1:1/db", "postgresql://me@127.0.0.1:1/db"),
        ("postgresql://me:S3cret,Pw@h/model.skops", "postgresql://me@h/model.skops"),
        ("host=h password=S3cret/Pw:model", "host=h"),
    ],
)
def test_addresses_are_refused_whole(address: str, words: str) -> None:
    assert refused(address) == (
        f"--models must name models, .skops files or module:attribute, got '{words}'; download the file first."
    )


@pytest.mark.parametrize("name", ["model.pkl", "model.joblib", "a/model.pickle"])
def test_pickles_are_never_loaded(here: Path, name: str) -> None:
    assert refused(name) == (
        f"--models must not name a pickle, got {name!r}, which can run any code when it is loaded; save the model with "
        "skops.io.dump(model, 'model.skops') and name that file."
    )


def test_skops_is_asked_for_where_it_is_missing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skops", None)
    assert refused("model.skops") == (
        "--models needs skops to load 'model.skops', got none installed; run pip install '.[skops]' in a checkout "
        "of shiftproof."
    )


class TestFiles:
    @pytest.fixture(autouse=True)
    def _skops(self, here: Path) -> None:  # noqa: ARG002 - in a folder of its own
        self.io: Any = pytest.importorskip("skops.io")

    def test_a_fitted_model_is_used_as_it_is(self) -> None:
        self.io.dump(LogisticRegression().fit(X, Y), "deployed.skops")
        found, told = chosen("deployed.skops")
        assert (list(found.models), found.fitted) == (["deployed"], True)
        assert told == [
            "'deployed' is already fitted and is used as is: the labelled data must not contain training rows."
        ]
        panel = found.panel(X, Y)
        assert panel.scorers["deployed"].estimator is found.models["deployed"]

    def test_several_in_one_file(self) -> None:
        self.io.dump({"a": GaussianNB().fit(X, Y), "b": LogisticRegression().fit(X, Y)}, "both.skops")
        found, told = chosen("both.skops")
        assert list(found.models) == ["a", "b"]
        assert told == [
            "'a' and 'b' are already fitted and are used as is: the labelled data must not contain training rows."
        ]

    def test_a_model_to_fit(self) -> None:
        self.io.dump(GaussianNB(), "fresh.skops")
        found, told = chosen("fresh.skops,lr")
        assert (list(found.models), found.fitted, told) == (["fresh", "lr"], False, [])

    def test_models_of_the_package_are_trusted(self) -> None:
        self.io.dump(default_models(only=["nb"])["nb"].fit(X, Y), "bayes.skops")
        assert chosen("bayes.skops")[0].fitted

    def test_parts_of_estimators_that_hold_only_numbers_are_trusted(self) -> None:
        self.io.dump(CalibratedClassifierCV(LogisticRegression(), cv=2).fit(X, Y), "calibrated.skops")
        assert chosen("calibrated.skops")[0].fitted

    def test_types_that_are_not_trusted_are_named_with_the_option(self) -> None:
        self.io.dump(RandomForestClassifier(2).fit(X, Y), "forest.skops")
        if not self.io.get_untrusted_types(file="forest.skops"):
            pytest.skip("older versions of skops trust trees")
        assert refused("forest.skops") == (
            "--models must contain only trusted types, got 'sklearn.tree._tree.Tree' in forest.skops; if you "
            "trust its source, add --trust sklearn.tree._tree.Tree."
        )
        assert chosen("forest.skops", ["sklearn.tree._tree.Tree"])[0].fitted

    def test_some_fitted_and_some_not(self) -> None:
        self.io.dump(LogisticRegression().fit(X, Y), "deployed.skops")
        assert refused("deployed.skops,nb") == (
            "--models must all be fitted, or all be unfitted, got 'deployed' fitted and 'nb' not; run the "
            "command once for each group."
        )

    def test_what_says_how_to_fit_is_refused(self) -> None:
        self.io.dump(LogisticRegression().fit(X, Y), "deployed.skops")
        with pytest.raises(InputError) as error:
            chosen("deployed.skops")[0].panel(X, Y, folds=3)
        assert (
            str(error.value)
            == "--folds cannot be used with fitted models, because then no model is fitted; leave out --folds."
        )

    def test_files_that_are_none(self) -> None:
        Path("broken.skops").write_text("no zip")
        assert refused("broken.skops") == (
            "broken.skops: cannot be loaded (BadZipFile: File is not a zip file); save the model again with "
            "skops.io.dump, using the versions installed here."
        )
        assert refused("absent.skops") == "absent.skops: there is no such file; check the path."


def test_a_comma_too_many_and_trust_without_a_file_are_refused() -> None:
    assert refused("lr,,nb") == "--models 'lr,,nb' has a comma too many; write names such as lr,nb."
    assert refused("lr", ["a.B"]) == "--trust is for .skops files, and --models names none; leave out --trust."
