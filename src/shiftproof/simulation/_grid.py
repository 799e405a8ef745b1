"""The grid of shifted test sets of the papers, made one at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Argument,
    Column,
    InputError,
    Phrase,
    Rows,
    Seed,
    available_names,
    check_choice,
    fault,
    generator,
    is_number,
)
from shiftproof.simulation._moves import move_values
from shiftproof.simulation._order import Ranks, value_ranks
from shiftproof.simulation._prevalence import Labels, draw, largest_sizes, read_labels
from shiftproof.simulation._shifts import random_rows, soft_rows, spread, tail_rows
from shiftproof.simulation._tables import change_column, checked_table, find_feature, mask_values, take_rows

#: The families of shifts in a grid.
Family = Literal["base", "mcar", "mar", "mnar", "offset", "prior", "soft"]

FAMILIES: tuple[Family, ...] = get_args(Family)
# Soft selection is not among the papers' shifts.
_USUAL: tuple[Family, ...] = FAMILIES[:-1]
# The least probability of a soft selection: it keeps a row with probability 0.05 + 0.95 times its rank.
_FLOOR = 0.05


@dataclass(frozen=True)
class Cell:
    """One cell of the grid: which shift, how strong, and by which feature.

    Parameters
    ----------
    family : str
        ``base``, ``mcar``, ``mar``, ``mnar``, ``offset``, ``prior`` or ``soft``.
    strength : float
        The share dropped, the offset in standard deviations, the prevalence, or one minus the floor of a soft
        selection; 0 for the base.
    feature : str or None
        The feature that the shift is based on, if there is one.
    repeat : int
        The number of the random draw; 0 if there is only one.

    Examples
    --------
    >>> Cell("mar", 0.25, "age").label, Cell("offset", 1.0, "age").label, Cell("prior", 0.2).label
    ('MAR 25', 'offset 1 sd', 'P(+) 0.20')
    """

    family: Family
    strength: float = 0.0
    feature: str | None = None
    repeat: int = 0

    @property
    def label(self) -> str:
        """The name of the shift in charts."""
        return shift_label(self.family, self.strength)

    def random(self, root: int) -> np.random.Generator:
        """Return a random generator that depends only on this cell and the seed."""
        # Not Python's hash, which differs from run to run.
        key = repr((self.family, self.strength, self.feature, self.repeat)).encode()
        return np.random.default_rng([root, int.from_bytes(hashlib.blake2b(key, digest_size=8).digest())])


@dataclass(frozen=True, eq=False, kw_only=True)
class Shifted:
    """One shifted table.

    Parameters
    ----------
    family, strength, feature, repeat
        As in `Cell`.
    rows : ndarray of intp
        The rows of X that are kept, in rising order.
    changed : str or None
        The column whose values were altered (offset, mnar).
    """

    family: Family
    strength: float
    feature: str | None
    rows: Rows
    changed: str | None = None
    repeat: int = 0
    _grid: Grid = field(repr=False)

    @property
    def label(self) -> str:
        """The name of the shift in charts."""
        return shift_label(self.family, self.strength)

    @cached_property
    def table(self) -> Any:
        """The shifted table, of the type of X; made at first access."""
        return self._grid._table(self)


@dataclass(frozen=True)
class Skipped:
    """One cell of the grid that cannot be made, and why.

    Parameters
    ----------
    family, strength, feature
        As in `Cell`.
    reason : str
        Why the table cannot be made.
    """

    family: Family
    strength: float
    feature: str | None
    reason: str

    def __str__(self) -> str:
        by = "" if self.feature is None else f" by {self.feature!r}"
        return f"{shift_label(self.family, self.strength)}{by}: {self.reason}"


class Grid:
    """The papers' grid of shifts for one table; iterate over it to get the shifted tables.

    Rows are dropped at random, by each feature, and by class; each feature is masked, or moved by an offset. Random
    drops are repeated once per feature, so that all means are over the same number of tables.

    Parameters
    ----------
    X : table of any library, array, dict of columns or list of rows
        The table; it is not changed.
    y : sequence of labels, optional
        The labels; needed only for the family ``prior``.
    features : sequence of column names, optional
        The features to shift, one at a time; by default all.
    shares : sequence of float
        Shares of the rows to drop.
    strengths : sequence of float
        Offsets in standard deviations.
    prevalences : sequence of float
        Shares of the positive class.
    families : sequence of str
        Some of ``base`` (X unchanged), ``mcar``, ``mar``, ``mnar``, ``offset``, ``prior`` and ``soft``.
    pos_label : label, optional
        The positive class; by default the second of two. With more than two classes, it must be given.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed. A table depends only on the seed and on its own cell, not on which other tables are made.

    Attributes
    ----------
    cells : tuple of Cell
        The tables that will be made, in order.
    skipped : tuple of Skipped
        The tables that cannot be made, with the reasons: constant features, or prevalences that the rows do not allow.

    Examples
    --------
    >>> X = {"age": [20, 30, 40, 50], "job": ["a", "b", "a", "b"]}
    >>> grid = Grid(X, shares=[0.5], strengths=[1], families=["base", "mar", "offset"])
    >>> for shifted in grid:
    ...     print(shifted.label, shifted.feature, shifted.rows)
    base None [0 1 2 3]
    MAR 50 age [0 1]
    MAR 50 job [0 2]
    offset 1 sd age [0 1 2 3]
    >>> print(*grid.skipped)
    offset 1 sd by 'job': only numbers and dates can be offset
    """

    def __init__(
        self,
        X: object,
        y: object = None,
        *,
        features: Sequence[object] | None = None,
        shares: Sequence[float] = (0.25, 0.5),
        # The papers' grid; offsets and prevalences are those of 2009.
        strengths: Sequence[float] = (0.25, 0.5, 1.0, 2.0),
        prevalences: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
        families: Sequence[Family] = _USUAL,
        pos_label: object = None,
        random_state: Seed = 0,
    ) -> None:
        self._source = X
        self._columns = checked_table(X)
        self.features = self._chosen(features)
        self.families = _check_families(families)
        self._levels: dict[Family, tuple[float, ...]] = {
            "base": (0.0,),
            "offset": _check_levels(strengths, "strengths", above_one=True),
            "prior": _check_levels(prevalences, "prevalences"),
            "soft": (1 - _FLOOR,),
            **dict.fromkeys(("mcar", "mar", "mnar"), _check_levels(shares, "shares")),
        }
        self._pair, self._no_prior = self._priors(y, pos_label)
        # Drawn once: cells can then be made in any order.
        self._root = int(generator(random_state).integers(2**63))
        self._ranks: dict[str, Ranks] = {}
        self.cells, self.skipped = self._planned()

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Shifted]:
        return map(self.make, self.cells)

    def __repr__(self) -> str:
        without = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"Grid({len(self)} shifted tables of {self._columns.n_rows:,} rows{without})"

    def make(self, cell: Cell) -> Shifted:
        """Make one table of the grid; its rows are chosen now, its values are copied at first access."""
        hides = cell.family in ("mnar", "offset")
        return Shifted(
            family=cell.family,
            strength=cell.strength,
            feature=cell.feature,
            repeat=cell.repeat,
            rows=self._rows(cell),
            changed=cell.feature if hides else None,
            _grid=self,
        )

    def _rows(self, cell: Cell) -> Rows:
        n = self._columns.n_rows
        if cell.family in ("base", "offset"):
            return np.arange(n, dtype=np.intp)
        if cell.family == "mcar":
            return random_rows(n, cell.strength, cell.random(self._root))
        if cell.family == "prior":
            pair = cast(Labels, self._pair)  # these cells are planned with labels only
            return draw(pair, largest_sizes(pair, _shares(cell.strength)), cell.random(self._root))
        ranks = self._ranked(str(cell.feature))
        if cell.family == "soft":
            return soft_rows(ranks, _FLOOR, "low", cell.random(self._root))
        return tail_rows(ranks, cell.strength, "high")

    def _table(self, shifted: Shifted) -> Any:
        taken = take_rows(self._source, shifted.rows)
        if shifted.changed is None:
            return taken
        place = self._columns.names.index(shifted.changed)
        if shifted.family == "mnar":
            return change_column(taken, place, mask_values)
        # In standard deviations of the whole table, as the papers have it.
        column = self._columns.column(shifted.changed)
        amount = shifted.strength * spread(column)
        return change_column(taken, place, lambda values: move_values(values, column, amount))

    def _ranked(self, feature: str) -> Ranks:
        if feature not in self._ranks:
            self._ranks[feature] = value_ranks(self._columns.column(feature))
        return self._ranks[feature]

    def _planned(self) -> tuple[tuple[Cell, ...], tuple[Skipped, ...]]:
        # Refused now, not in the middle of a long run.
        reasons = {name: self._reasons(name) for name in self.features}
        cells: list[Cell] = []
        skipped: list[Skipped] = []
        for family in self.families:
            for level in self._levels[family]:
                for cell in self._of(family, level):
                    reason = self._prior_reason(level) if family == "prior" else ""
                    if family in ("mar", "mnar", "offset", "soft"):
                        reason = reasons[str(cell.feature)][family == "offset"]
                    if family in ("mcar", "mar", "mnar") and self._empties(level):
                        reason = "no row would be left"
                    if reason:
                        skipped.append(Skipped(family, level, cell.feature, reason))
                    else:
                        cells.append(cell)
        return tuple(cells), tuple(skipped)

    def _empties(self, share: float) -> bool:
        return round(share * self._columns.n_rows) == self._columns.n_rows

    def _of(self, family: Family, level: float) -> list[Cell]:
        if family in ("base", "prior"):
            return [Cell(family, level)]
        if family == "mcar":
            # One draw for each feature: the mean is then over as many tables as those of the other families.
            return [Cell(family, level, repeat=repeat) for repeat in range(len(self.features))]
        return [Cell(family, level, name) for name in self.features]

    def _reasons(self, name: str) -> tuple[str, str]:
        """Return why a feature cannot order the rows, and why it cannot be moved; empty if it can."""
        column = self._columns.column(name)
        if column.family == "unsupported":
            return ("its cells are not single values",) * 2
        ranks = self._ranked(name)
        if ranks.min() == ranks.max():
            return ("all its values are the same",) * 2
        return "", self._immovable(column)

    @staticmethod
    def _immovable(column: Column) -> str:
        if not column.ordered:
            return "only numbers and dates can be offset"
        try:
            spread(column)
        except InputError:
            return "all its finite values are the same"
        return ""

    def _priors(self, y: object, pos_label: object) -> tuple[Labels | None, str]:
        """Return the labels as positive against the rest, or why that is not possible."""
        if y is None:
            return None, "no labels were given"
        labels = read_labels(y, self._columns.n_rows)
        if pos_label is not None:
            return labels.against_rest(labels.place(pos_label, "pos_label")), ""
        if len(labels.classes) == 2:
            return labels.against_rest(1), ""
        return None, f"with {len(labels.classes)} classes, the positive class must be named"

    def _prior_reason(self, prevalence: float) -> str:
        if self._pair is None:
            return self._no_prior
        try:
            largest_sizes(self._pair, _shares(prevalence))
        except InputError:
            positive = int(self._pair.codes.sum())
            return f"not possible with {positive:,} positive of {len(self._pair.codes):,} rows"
        return ""

    def _chosen(self, features: Sequence[object] | None) -> tuple[str, ...]:
        if features is None:
            return self._columns.names
        if isinstance(features, str) or not isinstance(features, Iterable):
            hint = Phrase("write ", Argument("features", [features]))
            raise fault("features", "be a list of columns", features, hint)
        return tuple(dict.fromkeys(find_feature(self._source, self._columns, feature) for feature in features))


def shift_label(family: Family, strength: float) -> str:
    """Return the name of a shift in charts.

    Examples
    --------
    >>> shift_label("mnar", 0.5), shift_label("soft", 0.95), shift_label("base", 0)
    ('MNAR 50', 'soft selection', 'base')
    """
    if family == "prior":
        # Two digits, as in the papers' grid from 0.02 to 0.70.
        return f"P(+) {strength:.2f}" if round(strength, 2) == strength else f"P(+) {strength:g}"
    if family == "offset":
        return f"offset {strength:g} sd"
    return {"base": "base", "soft": "soft selection"}.get(family) or f"{family.upper()} {100 * strength:g}"


def _shares(prevalence: float) -> NDArray[np.float64]:
    return np.array([1 - prevalence, prevalence])


def _check_families(families: object) -> tuple[Family, ...]:
    if isinstance(families, str) or not isinstance(families, Sequence):
        raise fault("families", "be a list of names", families, Phrase("write ", Argument("families", [families])))
    for family in families:
        check_choice(family, "families", FAMILIES)
    if not len(families):
        raise fault("families", "name at least one kind of shift", families, available_names(FAMILIES))
    return tuple(dict.fromkeys(families))


def _check_levels(levels: object, name: str, *, above_one: bool = False) -> tuple[float, ...]:
    given: Any = [levels] if is_number(levels) else levels
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise fault(name, "be a list of numbers", levels, "leave it out to use those of the papers")
    given = list(given)
    for level in given:
        if above_one and not (is_number(level) and 0 < level < np.inf):
            raise fault(name, "hold finite numbers above 0", level, "1 means one standard deviation")
        if not above_one and not (is_number(level) and 0 < level < 1):
            raise fault(name, "hold numbers strictly between 0 and 1", level, "0.25 means 25%")
    return tuple(dict.fromkeys(float(level) for level in given))
