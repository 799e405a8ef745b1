"""Estimate a measure of every model on the new data along every route, with the covariances of the errors.

Errors are normal along each route. They come from the labels of the new rows, which may differ from their posterior;
from the labelled rows that correct the posterior; and, on the route for prior shift, from the class proportions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._candidates import Candidates
from shiftproof.case._routes import Route, Routes
from shiftproof.case._soft import Decided, SoftMeasure, over_classes
from shiftproof.core import Floats

#: However many rows there are, no more is known than from so many: the posterior is never exactly right.
KNOWN_FROM = 5_000
#: The variance of one row whose label is a coin toss, in units of right and wrong: 0.5 x 0.5.
SURPRISE = 0.25


@dataclass(frozen=True, eq=False, kw_only=True)
class Sides:
    """What one model decides on labelled and new data.

    Attributes
    ----------
    actual : Decided
        Labelled rows, with what the decisions actually brought.
    expected : Decided
        The same rows, with what the decisions were expected to bring; they differ only in amounts known afterwards.
    new : Decided
        New rows, with what the decisions are expected to bring.
    """

    actual: Decided
    expected: Decided
    new: Decided


@dataclass(frozen=True, eq=False)
class Estimates:
    """One measure of l models along three routes.

    Attributes
    ----------
    names : tuple of str
        The models.
    said, correction : ndarrays of shape (3, l)
        What the posterior says of the new rows, and its error on the labelled ones; their sum is the estimate.
    label_noise, row_noise, share_noise : ndarrays of shape (3, l, l)
        Covariances: from the new rows' labels, from the labelled rows, from the class proportions.
    """

    names: tuple[str, ...]
    said: Floats
    correction: Floats
    label_noise: Floats
    row_noise: Floats
    share_noise: Floats

    def values(self, trust: float = 1.0) -> Floats:
        """Return the estimates, of shape (3, l), with `trust` times the correction."""
        return self.said + trust * self.correction

    def covariances(self, trust: float = 1.0) -> Floats:
        """Return the covariances of the errors, of shape (3, l, l)."""
        # A part of the correction brings the square of that part as variance.
        return self.label_noise + trust**2 * self.row_noise + self.share_noise


def estimate(measure: SoftMeasure, sides: Mapping[str, Sides], candidates: Candidates, routes: Routes) -> Estimates:
    """Estimate a measure of all models along every route."""
    decided = list(sides.values())
    along = [_along(measure, decided, candidates, route) for route in routes.ways]
    said, correction, label_noise, row_noise = map(np.array, zip(*along, strict=True))
    nudged = [_along(measure, decided, candidates, route)[:2] for route in routes.nudged]
    share_noise = np.zeros_like(row_noise)
    for place, route in enumerate(routes.ways):
        # Only the tilted route depends on the class proportions, which have errors of their own.
        if route.kind == "prior" and nudged:
            moved = np.sum(nudged, axis=1) - said[place] - correction[place]
            # Routes that move all shares at once each have the whole noise. One of k shares follows from the others.
            times = 1 if len(nudged) == candidates.k else len(nudged)
            share_noise[place] = moved.T @ moved * (candidates.k - 1) / candidates.k / times
    return Estimates(tuple(sides), said, correction, label_noise, row_noise, share_noise)


def _along(
    measure: SoftMeasure, sides: Sequence[Sides], candidates: Candidates, route: Route
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return what the posterior says of each model, its correction, and the noise of new labels and labelled rows."""
    m = len(route.new)
    # Estimates are about the new rows at hand, not a population, so each row counts the same.
    equal = np.full(m, 1 / m)
    at = np.arange(candidates.n), candidates.codes
    # With roots of the posterior, one matrix product sums over rows and classes.
    roots = np.sqrt(route.new)
    said, correction, of_labels, of_rows, steps = [], [], [], [], []
    for side in sides:
        new = measure.function(side.new, route.new, equal)
        true = measure.function(side.actual, candidates.labels, route.weights)
        validated = measure.function(side.expected, route.old, route.weights)
        said.append(new.value)
        # Doubly robust: the sum of the two is right if either the posterior or the weights are.
        correction.append(true.value - validated.value)
        # Around each row's own mean: only what its label adds is noise.
        off = new.influence - over_classes(route.new, new.influence)[:, None]
        of_labels.append((roots * off).ravel())
        # What a labelled row's own label adds to what the posterior expected of it.
        of_rows.append(route.weights * (true.influence[at] - over_classes(route.old, validated.influence)))
        steps.append(_range_over_classes(new.influence))
    influence, rows, step = np.array(of_labels), sum_by_group(np.array(of_rows), candidates.groups), np.array(steps)
    noise = influence @ influence.T / m
    # A posterior that is sure of every row would leave no noise; a surprise is always possible.
    least = SURPRISE * (step @ step.T / m) / m
    short = np.sqrt(np.clip(np.diag(least) - np.diag(noise), 0.0, None))
    # As one surprise for all models, so that their differences stay as sharp as they are.
    noise = noise + np.outer(short, short)
    return np.array(said), np.array(correction), noise * (1 / m + 1 / KNOWN_FROM), rows @ rows.T


def _range_over_classes(influence: Floats) -> Floats:
    """Return the largest minus the smallest entry of each row; column by column, which is fast for few classes."""
    columns = influence.T
    return np.asarray(reduce(np.maximum, columns) - reduce(np.minimum, columns))


def sum_by_group(rows: Floats, groups: NDArray[np.int64] | None) -> Floats:
    """Add up the influence of each group's rows, which are not independent."""
    if groups is None:
        return rows
    return np.array([np.bincount(groups, weights=each) for each in rows])
