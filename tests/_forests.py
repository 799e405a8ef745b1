"""How many trees and resamples stand behind results: as many as users get, or few where tests do not look at that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module

import pytest

# The module below `shiftproof` and the name of its constant.
_Place = tuple[str, str]
_FEW: dict[_Place, int] = {
    ("shift._domain", "_TREES"): 12,
    ("shift._reference_score", "_TREES"): 12,
    ("counting._assumption", "_RESAMPLES"): 40,
    ("counting._bootstrap", "_FIRST"): 20,
    # As of very many classes: 40 resamples.
    ("counting._bootstrap", "_ALL_RESAMPLES"): 0,
}


@contextmanager
def few_trees() -> Iterator[None]:
    """Grow 12 trees instead of 50 or 60 and draw 40 resamples instead of 200."""
    _whole()  # read before they are changed
    with _having(_FEW):
        yield


@contextmanager
def whole_forests() -> Iterator[None]:
    """Grow as many trees and draw as many resamples as users get, also within `few_trees`."""
    with _having(_whole()):
        yield


@cache
def _whole() -> dict[_Place, int]:
    return {(module, name): getattr(import_module(f"shiftproof.{module}"), name) for module, name in _FEW}


@contextmanager
def _having(sizes: Mapping[_Place, int]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), size in sizes.items():
            patch.setattr(import_module(f"shiftproof.{module}"), name, size)
        yield
