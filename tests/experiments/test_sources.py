"""Data sets come from the folder, else from scikit-learn, else from OpenML, and have the size of their source."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError
from shiftproof.experiments import DataSources


def iris(rows: int = 150) -> pd.DataFrame:
    return pd.DataFrame({name: np.arange(float(rows)) for name in "abcd"} | {"label": [0, 1] * (rows // 2)})


def test_the_folder_comes_first_in_any_format(tmp_path: Path) -> None:
    for ending, write in ((".csv", "to_csv"), (".csv.gz", "to_csv"), (".parquet", "to_parquet")):
        folder = tmp_path / ending[1:]
        folder.mkdir()
        getattr(iris(), write)(folder / f"iris.1{ending}", index=False)
        pd.testing.assert_frame_equal(DataSources(folder).read("iris.1"), iris())


@pytest.mark.parametrize(("name", "positives"), [("iris.2", 50), ("wine.3", 48), ("wdbc", 212)])
def test_scikit_learn_has_some_as_the_thesis_has_them(name: str, positives: int) -> None:
    X, y = DataSources().split(name)
    assert y.sum() == positives
    assert all(kind == np.float64 for kind in X.dtypes)


def test_scikit_learns_sets_are_those_of_the_folder(shared_data: Path) -> None:
    for name in ("iris.1", "wine.2", "wdbc"):
        X, y = DataSources().split(name)
        ours, labels = DataSources(shared_data).split(name)
        np.testing.assert_allclose(X.to_numpy(), ours.to_numpy())
        assert (y.to_numpy() == labels.to_numpy()).all()


def test_openml_is_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def fetch(*, data_id: int, **_options: Any) -> Any:
        asked.append(data_id)
        target = pd.Series(["tested_positive", "tested_negative"] * 384)
        return SimpleNamespace(data=pd.DataFrame(np.zeros((768, 8))), target=target)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    assert DataSources().read("pima")["label"].sum() == 384
    assert asked == [37]


def test_no_network_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(**_options: Any) -> Any:
        raise ConnectionError("no route")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    with pytest.raises(InputError) as caught:
        DataSources().read("pima")
    assert str(caught.value) == (
        "'pima' cannot be downloaded from OpenML (ConnectionError); name a folder with --data."
    )


def test_another_size_than_the_source_has_is_refused(tmp_path: Path) -> None:
    iris(100).to_csv(tmp_path / "iris.1.csv", index=False)
    with pytest.raises(InputError) as caught:
        DataSources(tmp_path).read("iris.1")
    assert str(caught.value).endswith(
        "iris.1.csv has 100 rows and 4 features, but the source has 150 and 4; get the data set as the source has it."
    )


@pytest.mark.parametrize(
    ("folder", "sentence"),
    [
        (None, "'spectf' is not part of scikit-learn; name the folder that holds it with --data."),
        (
            "empty",
            "--data 'FOLDER' has no files 'spectf.csv' or 'acute.a.csv'; get the data sets from OpenML or from their "
            "papers, which docs/papers names.",
        ),
        ("near", "--data 'FOLDER' has no files 'spectf.csv' or 'acute.a.csv'. Did you mean 'specft.csv'?"),
    ],
)
def test_missing_sets_are_one_sentence_before_anything_runs(tmp_path: Path, folder: str | None, sentence: str) -> None:
    if folder == "near":
        (tmp_path / "specft.csv").write_text("a,label\n")
    with pytest.raises(InputError) as caught:
        DataSources(None if folder is None else tmp_path).check(["iris.1", "spectf", "acute.a"])
    assert str(caught.value).replace(str(tmp_path), "FOLDER") == sentence


def test_folder_that_does_not_exist_is_one_sentence() -> None:
    with pytest.raises(InputError) as caught:
        DataSources(Path("nowhere"))
    assert str(caught.value) == "--data: 'nowhere' does not exist; pass a folder with files such as iris.1.csv."


def test_table_without_labels_is_one_sentence(tmp_path: Path) -> None:
    iris().rename(columns={"label": "class"}).to_csv(tmp_path / "iris.1.csv", index=False)
    with pytest.raises(InputError, match=r"has no column 'label'; call the column with the labels so\.$"):
        DataSources(tmp_path).read("iris.1")


def test_unknown_set_is_one_sentence() -> None:
    with pytest.raises(InputError, match=r"^data set must be known, got 'moon'; available: 'acute\.a'"):
        DataSources().mark("moon")
