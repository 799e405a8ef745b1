"""The experiments by name; a module is imported when its experiment is run."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from shiftproof.core import unknown_name

if TYPE_CHECKING:
    from shiftproof.experiments._experiment import Experiment

#: The experiments, each with the module that holds it.
NAMES = {
    "fractures": "_fractures",
    "monitors": "_monitors",
    "reverse-testing": "_reverse_testing",
    "slides": "_slides",
    "thesis-neighbours": "_thesis_neighbours",
    "thesis-structured": "_thesis_structured",
}


def find_experiment(name: str) -> Experiment:
    """Return an experiment by its name on the command line."""
    if name not in NAMES:
        raise unknown_name("NAME", "be an experiment", name, NAMES, most=len(NAMES))
    experiment: Experiment = import_module(f"shiftproof.experiments.{NAMES[name]}").EXPERIMENT
    return experiment
