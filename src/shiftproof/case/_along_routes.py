"""Estimate a measure of every model on the new data along every route, with the covariances of the errors.

Errors are normal along each route. They come from the labels of the new rows, which may differ from their posterior;
from the labelled rows that correct the posterior; and, on the route for prior shift, from the class proportions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._blocks import RowWise, columns_at, equal_weights, over_classes, range_over_classes, weights_at
from shiftproof.case._candidates import Candidates
from shiftproof.case._routes import Route, Routes
from shiftproof.case._soft import Decided, Soft, SoftMeasure
from shiftproof.core import Floats, blocks

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
    nudged = [_moved(measure, decided, candidates, route) for route in routes.nudged]
    share_noise = np.zeros_like(row_noise)
    for place, route in enumerate(routes.ways):
        # Only the tilted route depends on the class proportions, which have errors of their own.
        if route.kind == "prior" and nudged:
            moved = np.array(nudged) - said[place] - correction[place]
            # Routes that move all shares at once each have the whole noise. One of k shares follows from the others.
            times = 1 if len(nudged) == candidates.k else len(nudged)
            share_noise[place] = moved.T @ moved * (candidates.k - 1) / candidates.k / times
    return Estimates(tuple(sides), said, correction, label_noise, row_noise, share_noise)


def _along(
    measure: SoftMeasure, sides: Sequence[Sides], candidates: Candidates, route: Route
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return what the posterior says of each model, its correction, and the noise of new labels and labelled rows."""
    said = [measure.function(side.new, route.new, equal_weights(candidates.m)) for side in sides]
    true = [measure.function(side.actual, candidates.labels, route.weights) for side in sides]
    validated = [measure.function(side.expected, route.old, route.weights) for side in sides]
    values, actual, expected = (np.array([soft.value for soft in part]) for part in (said, true, validated))
    # Doubly robust: the sum of the two is right if either the posterior or the weights are.
    return values, actual - expected, _label_noise(said, route.new), _row_noise(true, validated, candidates, route)


def _moved(measure: SoftMeasure, sides: Sequence[Sides], candidates: Candidates, route: Route) -> Floats:
    """Return the estimates along a route, without their noise."""
    equal = equal_weights(candidates.m)
    return np.array(
        [
            measure.function(side.new, route.new, equal).value
            + measure.function(side.actual, candidates.labels, route.weights).value
            - measure.function(side.expected, route.old, route.weights).value
            for side in sides
        ]
    )


def _label_noise(said: Sequence[Soft], posterior: RowWise) -> Floats:
    """Return the covariances of the models' errors that come from the labels of the new rows."""
    # Estimates are about the new rows at hand, not a population, so each row counts the same.
    m, noise, least = len(posterior), np.zeros((len(said), len(said))), np.zeros((len(said), len(said)))
    for rows in blocks(m):
        probable = columns_at(posterior, rows)
        # With roots of the posterior, one matrix product sums over rows and classes.
        roots = np.sqrt(probable)
        offs, steps = [], []
        for soft in said:
            influence = soft.at(rows)
            # Around each row's own mean: only what its label adds is noise.
            offs.append((roots * (influence - over_classes(probable, influence)[:, None])).ravel(order="K"))
            steps.append(range_over_classes(influence))
        off, step = np.array(offs), np.array(steps)
        noise += off @ off.T
        least += step @ step.T
    noise = noise / m
    # A posterior that is sure of every row would leave no noise; a surprise is always possible.
    least = SURPRISE * (least / m) / m
    short = np.sqrt(np.clip(np.diag(least) - np.diag(noise), 0.0, None))
    # As one surprise for all models, so that their differences stay as sharp as they are.
    return np.asarray((noise + np.outer(short, short)) * (1 / m + 1 / KNOWN_FROM))


def _row_noise(true: Sequence[Soft], validated: Sequence[Soft], candidates: Candidates, route: Route) -> Floats:
    """Return the covariances of the corrections: what the labels of labelled rows add to what was expected of them."""
    noise = RowNoise(len(true), candidates.groups)
    for rows in blocks(candidates.n):
        codes, probable = candidates.codes[rows], columns_at(route.old, rows)
        weights = weights_at(route.weights, rows)
        at = np.arange(len(codes)), codes
        added = np.array(
            [
                weights * (actual.at(rows)[at] - over_classes(probable, expected.at(rows)))
                for actual, expected in zip(true, validated, strict=True)
            ]
        )
        noise.add(added, rows)
    return noise.covariances


class RowNoise:
    """Adds up the covariances of l sums over labelled rows, block by block; rows of one group are not independent."""

    def __init__(self, size: int, groups: NDArray[np.int64] | None) -> None:
        self._groups = groups
        self._sums = np.zeros((size, size if groups is None else int(groups.max()) + 1))

    def add(self, added: Floats, rows: slice) -> None:
        """Take what the rows of a block add to each sum, of shape (l, b)."""
        if self._groups is None:
            self._sums += added @ added.T
        else:
            groups, size = self._groups[rows], self._sums.shape[1]
            self._sums += [np.bincount(groups, each, minlength=size) for each in added]

    @property
    def covariances(self) -> Floats:
        """The covariances, of shape (l, l)."""
        return self._sums if self._groups is None else np.asarray(self._sums @ self._sums.T)
