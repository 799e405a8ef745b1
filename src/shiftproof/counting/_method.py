"""All methods by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from shiftproof.core import InputError, Phrase, check_choice, fault, unknown_name
from shiftproof.counting._averages import learn_probability_average, learn_scaled_probability_average
from shiftproof.counting._combined import learn_combined
from shiftproof.counting._counts import (
    learn_adjusted_count,
    learn_classify_and_count,
    learn_training_prevalence,
)
from shiftproof.counting._density import learn_kernel_density_matching
from shiftproof.counting._expectation import learn_expectation_maximization
from shiftproof.counting._learned import Learned
from shiftproof.counting._matching import learn_distribution_matching, learn_energy_matching, learn_hellinger_matching
from shiftproof.counting._samples import Labelled
from shiftproof.counting._thresholds import (
    learn_median_sweep,
    learn_threshold_50,
    learn_threshold_max,
    learn_threshold_x,
)


@dataclass(frozen=True)
class Method:
    """A method that estimates prevalences from scores, with its options.

    Parameters
    ----------
    name : str
        The name of the method.
    learner : function
        Called with a `Labelled` and the options; returns a `Learned`.
    options : mapping of str to object
        Options that differ from their defaults.

    Examples
    --------
    >>> from shiftproof.counting import METHODS, Labelled, Samples
    >>> scores = [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.3, 0.7], [0.6, 0.4], [0.1, 0.9]]
    >>> learned = METHODS["adjusted count"].learn(Labelled(scores, [0, 0, 0, 1, 1, 1]))
    >>> samples = Samples.from_lists(scores, [[0, 3], [0, 1, 4]])
    >>> learned.estimate(samples).round(6)
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> learned.raw(samples).round(6)
    array([[ 0.5,  0.5],
           [ 2. , -1. ]])
    """

    name: str
    learner: Callable[..., Learned]
    options: Mapping[str, Any] = field(default_factory=dict)

    def learn(self, labelled: Labelled) -> Learned:
        """Learn from labelled scores; every class must have at least one row."""
        # Rates of a class without rows are undefined, in every method.
        absent = np.flatnonzero(labelled.counts == 0)
        if len(absent):
            raise fault(
                "labelled",
                "hold rows of every class",
                Phrase(f"none of class {labelled.names[absent[0]]}"),
                "label some, or leave out its column",
            )
        return self.learner(labelled, **self.options)

    def having(self, **options: Any) -> Method:
        """Return the same method with other options, such as ``rates="pooled"``.

        Examples
        --------
        >>> from shiftproof.counting import METHODS
        >>> METHODS["adjusted count"].having(rates="pooled").options
        {'rates': 'pooled'}
        """
        # The learner's signature is the only list of options, so that none can be forgotten here.
        known = [name for name in inspect.signature(self.learner).parameters if name != "labelled"]
        for name in options:
            if not known:
                raise InputError(f"{self.name} has no options, got {name!r}; leave it out")
            check_choice(name, f"an option of {self.name}", known)
        return replace(self, options={**self.options, **options})


_LEARNERS: dict[str, Callable[..., Learned]] = {
    "training prevalence": learn_training_prevalence,
    "classify and count": learn_classify_and_count,
    "adjusted count": learn_adjusted_count,
    "threshold x": learn_threshold_x,
    "threshold 50": learn_threshold_50,
    "threshold max": learn_threshold_max,
    "median sweep": learn_median_sweep,
    "median sweep grid": learn_median_sweep,
    "probability average": learn_probability_average,
    "scaled probability average": learn_scaled_probability_average,
    "expectation maximization": learn_expectation_maximization,
    "hellinger matching": learn_hellinger_matching,
    "distribution matching": learn_distribution_matching,
    "energy matching": learn_energy_matching,
    "kernel density matching": learn_kernel_density_matching,
    "combined": learn_combined,
}
#: The counting methods by name; each turns scores into class proportions.
METHODS = {
    name: Method(name, learner, {"grid": True} if name == "median sweep grid" else {})
    for name, learner in _LEARNERS.items()
}

# What other libraries and papers call the methods, to suggest ours.
_ELSEWHERE = {
    "classify and count": ("cc",),
    "adjusted count": ("ac", "acc", "adjusted classify and count"),
    "threshold 50": ("t50",),
    "median sweep": ("ms",),
    "probability average": ("pa", "pcc", "probabilistic classify and count"),
    "scaled probability average": ("spa", "pacc"),
    "expectation maximization": ("em", "emq", "sld"),
    "hellinger matching": ("hdy",),
    "distribution matching": ("dm", "dmy", "dys"),
    "energy matching": ("ed", "edy"),
    "kernel density matching": ("kde", "kdey", "kdeyml"),
}


def named_method(name: object) -> Method:
    """Return the method with this name, or suggest one that other libraries call so.

    Examples
    --------
    >>> named_method("adjusted count").name
    'adjusted count'
    >>> named_method("CC")
    Traceback (most recent call last):
    shiftproof.core._errors.InputError: method must name a counting method; got 'CC'. Did you mean 'classify and count'?
    """
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    meant = [ours for ours, others in _ELSEWHERE.items() if str(name).casefold() in others]
    if meant:
        raise InputError(argument="method", rule="name a counting method", got=name, near=meant)
    raise unknown_name("method", "name a counting method", name, METHODS, most=len(METHODS))
