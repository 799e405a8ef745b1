"""The catalogue has the sizes that the sources print, and the folder of data sets has them too."""

from __future__ import annotations

from pathlib import Path

from shiftproof.experiments import DataSources
from shiftproof.experiments._catalogue import CATALOGUE, DataSet


def test_sets_are_to_be_had_elsewhere_or_not() -> None:
    assert CATALOGUE["iris.1"].elsewhere
    assert CATALOGUE["pima"].elsewhere
    assert not DataSet("own").elsewhere


def test_the_folder_has_every_set_in_the_printed_size(shared_data: Path) -> None:
    sources = DataSources(shared_data)
    # The folder has iris and wine as three problems each; scikit-learn has them whole.
    assert [name for name in CATALOGUE if sources.path(name) is None] == ["iris", "wine"]
    for name in ("haberman", "oil", "vote", "ctg"):
        sources.read(name)
