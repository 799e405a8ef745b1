"""Columns whose new values look mishandled rather than changed: swapped, in another unit, or coded differently."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from shiftproof.core import Floats
from shiftproof.detection._links import Links
from shiftproof.stats import ContinuousRecord, NominalRecord, Record

#: What seems to have happened to a column.
Mishap = Literal["swapped", "unit", "exchanged", "reversed", "spelled"]

# A column is only suspected if its new values are at least this far from its old ones (KS; Hellinger for categories).
_FAR, _FAR_CATEGORIES = 0.5, 1.0
# Two columns with the same categories, such as yes and no, may be nearer: their shares must fit crosswise.
_FAR_SHARES = 0.3
# A few values in another spelling are typing errors; from this share of the new rows on the whole column was changed.
_SPELLED = 0.05
# A multiple may be nearer: many columns are spread over several powers of ten.
_FAR_MULTIPLE = 0.35
# The explanation must leave no more than this distance, and no more than this part of the distance without it.
_NEAR, _PART = 0.2, 0.25
# Smaller factors are as common in nature as between units (warm and cold months, young and old people). They must fit
# as closely as a random half of the same data would, and no other column may have moved as far.
_SMALL_FACTOR, _NEAR_SMALL = 10.0, 0.06
# A mistake moves few columns: if more than these moved, the tables are different throughout. Wide tables are searched
# for other codes in their first columns, and columns in their most frequent categories.
_MOST_SWAPPED, _MOST_COLUMNS, _MOST_CATEGORIES = 40, 200, 12
# Distances closer than this are alike.
_ALIKE = 0.02
# Fewer values than this fit another column, or a multiple, by chance.
_FEWEST = 30
# Exchanged shares must fit this closely; without visible links to other columns, they must have differed by this much.
_NEAR_SHARES, _SHARES_APART = 0.1, 0.3
# A pair of rarer categories has too few rows for its links to be known.
_FEWEST_OF_CATEGORY = 30
# Numbers with so few different values are codes or grades, whose order may have been reversed.
_MOST_GRADES = 12
# Links with all other columns have turned round if the cosine of before and now is below this.
_OPPOSITE = -0.7

_FOOT, _POUND = 0.3048, 0.45359237
#: How many of one unit make another, the more common ones first: powers of ten, times, lengths, weights, volumes,
#: energies, speeds, blood sugar, bytes.
FACTORS: tuple[float, ...] = (
    *(10.0**power for power in range(1, 10)),
    12.0, 60.0, 24.0, 7.0, 365.0, 52.0, 1440.0, 3600.0, 86400.0, 2.54, 1.609344, 1 / _FOOT, 1 / _POUND,
    28.349523, 3.785412, 4.184, 3.6, 18.016, 1024.0, 1024.0**2, 1024.0**3,
)  # fmt: skip
# The opposite sign; Celsius to Fahrenheit and back, and to Kelvin and back.
_SHIFTED_SCALES = [(-1.0, 0.0), (1.8, 32.0), (1 / 1.8, -32 / 1.8), (1.0, 273.15), (1.0, -273.15)]


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """A column, or two of them, whose new values look mishandled.

    Attributes
    ----------
    mishap : {"swapped", "unit", "exchanged", "reversed", "spelled"}
        What seems to have happened: two columns trade places, a column has another unit, two of its categories trade
        places, its codes run the other way, or its categories have another spelling.
    features : tuple of str
        The column; both of them if they are swapped.
    factor, offset : float
        The new values look like the labelled ones times `factor` plus `offset`; 1 and 0 unless the unit changed.
    categories : tuple
        The two categories that trade places; the most frequent new spelling and the labelled one; else empty.
    distance, explained : float
        How far new values are from the labelled ones as they are, and after undoing the mishap: KS distances for
        numbers, Hellinger distances for categories.
    """

    mishap: Mishap
    features: tuple[str, ...]
    factor: float = 1.0
    offset: float = 0.0
    categories: tuple[Any, ...] = ()
    distance: float
    explained: float

    @property
    def natural(self) -> bool:
        """Whether it is a change by so small a factor that nature may have made it as well."""
        # Nature changes neither the sign of all values nor adds 273.15 to them.
        usual = self.mishap == "unit" and self.factor not in (1.0, -1.0)
        return usual and max(self.factor, 1 / self.factor) < _SMALL_FACTOR


def suspicions(records: Mapping[str, Record], links: Callable[[], Links]) -> tuple[Suspicion, ...]:
    """Return the columns that look swapped, in another unit, or coded or spelled differently, the farthest first.

    Parameters
    ----------
    records : mapping of str to Record
        The compared columns.
    links : callable
        Makes the links between columns; called only if a column has values that may be coded differently.
    """
    usable = {name: record for name, record in records.items() if min(record.n, record.m) >= _FEWEST}
    numbers = {name: record for name, record in usable.items() if isinstance(record, ContinuousRecord)}
    categories = {name: record for name, record in usable.items() if isinstance(record, NominalRecord)}
    spelled = [suspicion for name, record in categories.items() if (suspicion := _spelled(name, record)) is not None]
    as_before = {name: record for name, record in categories.items() if name not in _named(spelled)}
    swapped = [
        *_swapped(numbers, lambda new, old: _ks_between(numbers[new], numbers[old]), _FAR),
        *_swapped(as_before, lambda new, old: _hellinger_between(as_before[new], as_before[old]), _FAR_CATEGORIES),
    ]
    rest_of_codes = {name: record for name, record in as_before.items() if name not in _named(swapped)}
    swapped += _swapped_codes(rest_of_codes)
    explained = _named([*spelled, *swapped])
    rest = {name: record for name, record in numbers.items() if name not in explained}
    units = [suspicion for name, record in rest.items() if (suspicion := _unit(name, record)) is not None]
    units = _unless_natural(units, {name for name, record in rest.items() if record.d >= _FAR_MULTIPLE})
    explained |= {suspicion.features[0] for suspicion in units}
    recoded = _recoded({name: record for name, record in usable.items() if name not in explained}, links)
    every = (*spelled, *swapped, *units, *recoded)
    return tuple(sorted(every, key=lambda suspicion: -suspicion.distance))


def _named(suspicions: Iterable[Suspicion]) -> set[str]:
    return {name for suspicion in suspicions for name in suspicion.features}


def _spelled(name: str, record: NominalRecord) -> Suspicion | None:
    """Return that new categories differ from labelled ones in nothing but case and blanks, as 'YES' from 'yes'."""
    seen = record.counts_reference > 0
    texts = [category if isinstance(category, str) else "" for category in record.categories]
    forms = [" ".join(text.casefold().split()) for text in texts]
    known = {form: place for place, form in enumerate(forms) if seen[place] and form}
    # Where the labelled data have two spellings themselves, another one is their habit.
    habit = len(known) < sum(bool(form) and bool(seen[place]) for place, form in enumerate(forms))
    renamed = {place: known[form] for place, form in enumerate(forms) if not seen[place] and form in known}
    now = record.counts_current / record.m
    if habit or sum(now[place] for place in renamed) < _SPELLED:
        return None
    before, after = record.counts_reference / record.n, now.copy()
    for new, old in renamed.items():
        after[old] += after[new]
        after[new] = 0.0
    most = max(renamed, key=lambda place: float(now[place]))
    return Suspicion(
        mishap="spelled",
        features=(name,),
        categories=(record.categories[most], record.categories[renamed[most]]),
        distance=_hellinger(before, now),
        explained=_hellinger(before, after),
    )


def _swapped_codes(records: Mapping[str, NominalRecord]) -> Iterator[Suspicion]:
    """Yield pairs of columns with the same categories whose shares have changed sides, as two of yes and no."""
    for suspicion in _swapped(records, lambda new, old: _hellinger_between(records[new], records[old]), _FAR_SHARES):
        first, second = (records[name] for name in suspicion.features)
        if set(first.categories) == set(second.categories) and suspicion.explained <= _NEAR_SHARES:
            yield suspicion


def _swapped(names: Iterable[str], between: Callable[[str, str], float], far: float) -> Iterator[Suspicion]:
    """Yield pairs of columns whose new values are far from their own old ones and near to each other's."""
    moved = {name: distance for name in names if (distance := between(name, name)) > far}
    for first, second in itertools.combinations(moved if len(moved) <= _MOST_SWAPPED else (), 2):
        distance = min(moved[first], moved[second])
        crossed = max(between(first, second), between(second, first))
        if _explains(distance, crossed):
            yield Suspicion(mishap="swapped", features=(first, second), distance=distance, explained=crossed)


def _explains(distance: float, left: float) -> bool:
    return left <= min(_NEAR, _PART * distance)


def _unit(name: str, record: ContinuousRecord) -> Suspicion | None:
    """Return the change of unit that explains the new values best, if any does."""
    if record.family != "number" or record.d < _FAR_MULTIPLE:
        return None
    scales = [(scale, 0.0) for factor in FACTORS for scale in (factor, 1 / factor)] + _SHIFTED_SCALES
    with np.errstate(over="ignore"):  # the largest numbers, multiplied
        distances = [_ks((record.steps_current - offset) / factor, record.steps_reference) for factor, offset in scales]
    # Chance may favour 1,024 over 1,000: of those that fit alike, the first in the list is the most common.
    best = next(place for place, distance in enumerate(distances) if distance <= min(distances) + _ALIKE)
    (factor, offset), explained = scales[best], distances[best]
    suspicion = Suspicion(
        mishap="unit", features=(name,), factor=factor, offset=offset, distance=record.d, explained=explained
    )
    close = explained <= _NEAR_SMALL or not suspicion.natural
    # Standardised values look like their negatives, unless they moved far.
    far = record.d >= _FAR or max(abs(factor), 1 / abs(factor)) >= _SMALL_FACTOR
    return suspicion if close and far and _explains(record.d, explained) else None


def _unless_natural(units: list[Suspicion], moved: set[str]) -> list[Suspicion]:
    """Leave out small factors if columns moved as far that no change of a unit explains."""
    unexplained = moved - {suspicion.features[0] for suspicion in units}
    return [suspicion for suspicion in units if not (suspicion.natural and unexplained)]


def _recoded(records: Mapping[str, Record], links: Callable[[], Links]) -> Iterator[Suspicion]:
    """Yield columns whose links with all other columns turned round, as they do if codes are exchanged."""
    for name, record in itertools.islice(records.items(), _MOST_COLUMNS):
        if isinstance(record, NominalRecord):
            yield from _exchanged(name, record, links)
        elif (grades := _grades(record)) is not None and (suspicion := _reversed(name, record, grades, links)):
            yield suspicion


def _exchanged(name: str, record: NominalRecord, links: Callable[[], Links]) -> Iterator[Suspicion]:
    before, now = record.counts_reference / record.n, record.counts_current / record.m
    rarer = np.minimum(record.counts_reference, record.counts_current)
    most = np.argsort(-rarer, kind="stable")[:_MOST_CATEGORIES]
    # In the order of the record, so that sentences name categories in a fixed order.
    frequent = np.sort(most[rarer[most] >= _FEWEST_OF_CATEGORY])
    distance = _hellinger(before, now)
    for one, other in itertools.combinations(frequent.tolist(), 2):
        swapped = now.copy()
        swapped[[one, other]] = now[[other, one]]
        explained = _hellinger(before, swapped)
        # With other shares than the other category had, it is another change.
        if explained > max(distance, _chance(record)) or explained > _NEAR_SHARES:
            continue
        cosine = links().of_categories(name, (one, other))
        apart = abs(before[one] - before[other])
        unlinked = math.isnan(cosine) and apart >= _SHARES_APART
        if cosine <= _OPPOSITE or unlinked:
            categories = (record.categories[one], record.categories[other])
            yield Suspicion(
                mishap="exchanged", features=(name,), categories=categories, distance=distance, explained=explained
            )


def _reversed(name: str, record: ContinuousRecord, grades: Floats, links: Callable[[], Links]) -> Suspicion | None:
    turned = grades[0] + grades[-1] - record.steps_current.astype(np.float64)
    explained = _ks(turned, record.steps_reference)
    fits = explained <= min(max(record.d, _chance(record)), _NEAR_SHARES)
    if not fits or not links().of_numbers(name) <= _OPPOSITE:
        return None
    return Suspicion(mishap="reversed", features=(name,), distance=record.d, explained=explained)


def _grades(record: ContinuousRecord) -> Floats | None:
    """Return the different values of codes or grades, which are few and the same on both sides; None if many."""
    grades = np.unique(record.steps_reference).astype(np.float64)
    same = len(grades) == len(np.unique(record.steps_current)) and record.family == "number"
    return grades if same and 2 <= len(grades) <= _MOST_GRADES and grades[-1] == record.high else None


def _chance(record: Record) -> float:
    """Return the distance that chance alone makes: about the 95% quantile of KS."""
    return 1.36 * math.sqrt(1 / record.n + 1 / record.m)


def _ks_between(first: ContinuousRecord, second: ContinuousRecord) -> float:
    """Return the KS distance of the first column's new values from the second one's labelled ones."""
    if first.family != second.family:
        return 0.0 if first is second else 1.0
    return _ks(first.steps_current, second.steps_reference)


def _ks(values: Floats, others: Floats) -> float:
    """Return the KS distance of two samples, here of order statistics at even steps."""
    values, others = np.sort(values), np.sort(others)
    both = np.concatenate([values, others])
    shares = [np.searchsorted(side, both, side="right") / len(side) for side in (values, others)]
    return float(np.abs(shares[0] - shares[1]).max(initial=0.0))


def _hellinger_between(first: NominalRecord, second: NominalRecord) -> float:
    places: dict[Any, tuple[int, int]] = {}
    for side, (record, counts) in enumerate([(first, first.counts_current), (second, second.counts_reference)]):
        for category, count in zip(record.categories, counts.tolist(), strict=True):
            pair = places.get(category, (0, 0))
            places[category] = (count, pair[1]) if side == 0 else (pair[0], count)
    new, old = np.array(list(places.values()), dtype=np.float64).T
    return _hellinger(new / new.sum(), old / old.sum())


def _hellinger(first: Floats, second: Floats) -> float:
    """Return the Hellinger distance of two distributions, from 0 to 1.41."""
    return float(np.sqrt(((np.sqrt(first) - np.sqrt(second)) ** 2).sum()))
