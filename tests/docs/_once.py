"""Work that several pages of the docs ask for with the same rows, models and seeds is done once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pickle import PicklingError
from typing import Any

import joblib
import numpy as np
import pytest

# Where each function is called: fits of models, forests, and resampled counts.
_CALLED = {
    "panel._cross_fit": "_fit_one",
    "shift._evidence": "reference_scores",
    "quantification._estimates": "bootstrap_intervals",
    "quantification._quantify": "mixture_fit",
}


@contextmanager
def repeated_work_done_once() -> Iterator[None]:
    """Return known results of the functions that take longest, which depend on their arguments alone."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name in _CALLED.items():
            place = import_module(f"shiftproof.{module}")
            patch.setattr(place, name, once(getattr(place, name)))
        yield


def once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Remember what a function returns, and where it leaves the generators that it draws with."""
    known: dict[str, tuple[Any, list[Any]]] = {}

    def call(*args: Any, **options: Any) -> Any:
        given = (*args, *options.values())
        generators = [value.bit_generator for value in given if isinstance(value, np.random.Generator)]
        try:
            key = joblib.hash((args, options))
        except (PicklingError, AttributeError):  # a class that a page defines
            return function(*args, **options)
        if key not in known:
            known[key] = function(*args, **options), [generator.state for generator in generators]
        result, states = known[key]
        # What is drawn next must be what would be drawn after the work.
        for generator, state in zip(generators, states, strict=True):
            generator.state = state
        return result

    return call
