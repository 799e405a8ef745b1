"""Every experiment that is offered exists."""

from __future__ import annotations

import pytest

from shiftproof.core import InputError
from shiftproof.experiments import NAMES, find_experiment
from shiftproof.experiments._experiment import Scope


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_an_experiment_with_cells_and_fewer_if_quick(name: str) -> None:
    experiment = find_experiment(name)
    assert experiment.name == name
    full, quick = (experiment.cells(experiment.scope(None, quick=each)) for each in (False, True))
    assert 0 < len(quick) <= len(full)
    names = [cell.name for cell in full]
    assert len(set(names)) == len(names)
    assert experiment.scope(5, quick=True) == Scope(5, quick=True)


@pytest.mark.parametrize(
    ("name", "end"),
    [("slide", "Did you mean 'slides'?"), ("xyz", "available: 'fractures', 'monitors', 'reverse-testing'")],
)
def test_unknown_name_is_one_sentence(name: str, end: str) -> None:
    with pytest.raises(InputError) as caught:
        find_experiment(name)
    assert str(caught.value).startswith("NAME must be an experiment")
    assert end in str(caught.value)
