"""How each column enters the statistics: as a number, a category, a date, or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, cast, get_args

import numpy as np

from shiftproof.core import (
    Argument,
    Column,
    ColumnsLeftOut,
    Family,
    Phrase,
    Text,
    as_table,
    check_choice,
    check_comparable,
    comparable,
    fault,
    in_threads,
    listed,
    nature,
    shown,
    unknown_name,
)
from shiftproof.core import warn as tell_user

#: How a column enters the statistics.
Kind = Literal["continuous", "nominal", "date", "text", "identifier", "unsupported"]

#: The kinds that cannot be tested.
LEFT_OUT: tuple[Kind, ...] = ("text", "identifier", "unsupported")

_KINDS: tuple[str, ...] = tuple(kind for kind in get_args(Kind) if kind != "unsupported")

# Fewer rows than this can be all different, or count up, by chance.
_FEWEST_ROWS = 30
# Rows looked at first: counting distinct text in a long column is slow.
_SAMPLE = 10_000
# Text or categories are an identifier if this share of the values differ. The shares and the number of words below are
# conventions; no benchmark set them, and `kinds` overrides them.
_NEARLY_ALL = 0.95
# Text of several words is free text if this share of its cells differ.
_MANY = 0.5
_WORDS_OF_FREE_TEXT = 4
# An ending of its own, so that "paid" and "grid" do not count.
_CALLED_IDENTIFIER = re.compile(r"(?i:(?:^|[_\W])(?:id|uuid|guid)$)|(?<=[a-z])I[dD]$")
# So many columns are named in one warning.
_NAMED = 8

# The kinds that a family of values can have, the default first.
_POSSIBLE: dict[Family, tuple[Kind, ...]] = {
    "number": ("continuous", "nominal", "text", "identifier"),
    "duration": ("continuous", "nominal", "text", "identifier"),
    "date": ("date", "continuous", "nominal", "text", "identifier"),
    "boolean": ("nominal", "text", "identifier"),
    "text": ("nominal", "text", "identifier"),
    "category": ("nominal", "text", "identifier"),
    "mixed": ("nominal", "text", "identifier"),
    "empty": ("continuous", "nominal", "date", "text", "identifier"),
    "unsupported": ("unsupported", "text", "identifier"),
}


def feature_kinds(X: object, *, kinds: Mapping[Any, str] | None = None, warn: bool = True) -> dict[str, Kind]:
    """Return how each column of a table enters the statistics.

    Numbers and durations are ``continuous``, however few different values they have; moments in time
    are ``date`` (compared as microseconds); booleans, text and categories are ``nominal``. Three kinds
    are left out of tests, with one warning that names them:

    - ``identifier``: text, categories or a mixture of which at least 95% of the values differ, integers that count
      the rows, or integers of which at least 95% differ in a column with a name such as customer_id;
    - ``text``: several words per cell, which rarely repeat;
    - ``unsupported``: lists and other nested cells, bytes, times of day and complex numbers.

    Parameters
    ----------
    X : table
        Anything that `shiftproof.core.as_table` takes.
    kinds : dict from column to kind, optional
        Overrides, such as ``{"zip": "nominal"}``.
    warn : bool
        Whether to name the columns that are left out.

    Returns
    -------
    dict from str to str
        The kind of every column, in the table's order.

    Warns
    -----
    ShiftproofWarning
        If columns are left out that ``kinds`` does not mention.

    Notes
    -----
    A table of fewer than 30 rows has no identifiers or free text: so few values may differ by chance. A
    column without values gets the kind of its type; without a type it is continuous.

    Examples
    --------
    >>> table = {"age": [31, 45, 31], "job": ["clerk", "nurse", "clerk"], "zip": [10115, 80331, 20095]}
    >>> feature_kinds(table, kinds={"zip": "nominal"})
    {'age': 'continuous', 'job': 'nominal', 'zip': 'nominal'}
    """
    table = as_table(X)
    given = _given(kinds, table.names, "X")
    guessed: dict[str, Kind] = {}
    families: dict[str, Family] = {}
    for name in table.names:
        column = table.column(name)
        families[name] = column.family
        guessed[name] = _kind(column, given.get(name))
    if warn:
        _warn_of_left_out(guessed, families, given)
    return guessed


def joint_kinds(
    reference: object,
    current: object,
    *,
    kinds: Mapping[Any, str] | None = None,
    exclude: Iterable[Any] | None = None,
    warn: bool = True,
    adjustable: bool = True,
    modelled: bool = False,
    called: tuple[str, str] = ("reference", "current"),
    use: Callable[[Kind, list[Column]], None] | None = None,
    correct: Callable[[Mapping[str, Kind]], Mapping[str, Kind]] | None = None,
    n_jobs: int | None = None,
) -> dict[str, Kind]:
    """Return how each column that two tables share enters the statistics.

    The reference decides; if it has no values in a column, the current table does.

    Parameters
    ----------
    reference, current : table
        Anything that `shiftproof.core.as_table` takes.
    kinds : dict from column to kind, optional
        Overrides, such as ``{"zip": "nominal"}``.
    exclude : sequence of columns, optional
        Columns to leave out, even if ``kinds`` names them.
    warn : bool
        Whether to name the columns that are left out.
    adjustable : bool
        Whether the caller's own caller can pass kinds and exclude, so that the warning may say so.
    modelled : bool
        Whether models are fitted on these columns, also on those that no test can use.
    called : pair of str
        The arguments that hold the two tables, as errors name them.
    use : function of a kind and a list of two columns, optional
        Called with each column of both tables while they are in memory, so that tables elsewhere are read once. It may
        take columns out of the list when they are not needed any more.
    correct : function of kinds, optional
        Where the tables are samples: returns the columns that are something else in all rows.
    n_jobs : int, optional
        Threads that decide and `use` columns; by default one per core.

    Returns
    -------
    dict from str to str
        The kind of every column that both tables have and ``exclude`` does not name, in the reference's order.

    Raises
    ------
    InputError
        If a column holds numbers in one table and text in the other, or has a time zone in one only.

    Warns
    -----
    ShiftproofWarning
        If columns are left out of tests that ``kinds`` does not mention; see `feature_kinds`.

    Examples
    --------
    >>> joint_kinds({"age": [31, 45], "new": [None, None]}, {"age": [27.5, None], "new": ["a", "b"]})
    {'age': 'continuous', 'new': 'nominal'}
    """
    old, new = as_table(reference, "reference"), as_table(current, "current")
    names = tuple(dict.fromkeys(old.names + new.names))
    given = _given(kinds, names, "the two tables")
    shared = set(new.names) - _excluded(exclude, names)

    def decide(name: str) -> tuple[Kind, Family]:
        columns = [old.column(name), new.column(name)]
        earlier, later = map(nature, columns)
        # The reference decides, unless only the current table has values.
        deciding = int(earlier.made_of == "empty" != later.made_of)
        kind, family = _kind(columns[deciding], given.get(name)), columns[deciding].family
        if kind not in LEFT_OUT and not comparable(earlier, later, nominal=kind == "nominal"):
            _refuse_clash(kind, columns[0], columns[1], called)
        if use is not None:
            use(kind, columns)
        return kind, family

    # Deciding alone is quicker than starting threads.
    names_shared = [name for name in old.names if name in shared]
    decided = dict(in_threads(decide, names_shared, 1 if use is None else n_jobs))
    joint = {name: kind for name, (kind, _) in decided.items()}
    if correct is not None:
        joint |= {name: kind for name, kind in correct(joint).items() if name not in given}
    if warn:
        families = {name: family for name, (_, family) in decided.items()}
        _warn_of_left_out(joint, families, given, adjustable=adjustable, modelled=modelled)
    return joint


def _excluded(exclude: Iterable[Any] | None, names: tuple[str, ...]) -> set[str]:
    """Check the columns to leave out; their names are compared as text."""
    if isinstance(exclude, str):
        raise fault("exclude", "be a list of column names", exclude, Phrase("write ", Argument("exclude", [exclude])))
    excluded = [str(name) for name in exclude or ()]
    for name in excluded:
        if name not in names:
            raise unknown_name("exclude", "name columns of the tables", name, names)
    return set(excluded)


def _given(kinds: Mapping[Any, str] | None, names: tuple[str, ...], where: str) -> dict[str, Kind]:
    """Check the user's own kinds; names of columns are compared as text."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise fault("kinds", "be a dict that maps columns to kinds", kinds, "write it as {'zip': 'nominal'}")
    for key, kind in kinds.items():
        if str(key) not in names:
            raise unknown_name("kinds", f"name columns of {where}", key, names)
        # Nobody would choose "unsupported", but the kinds of another table may hold it.
        if kind != "unsupported":
            check_choice(kind, Argument("kinds", key=key), _KINDS)
    return {str(key): cast(Kind, kind) for key, kind in kinds.items()}


def _kind(column: Column, given: Kind | None) -> Kind:
    possible = _POSSIBLE[column.family]
    if given is None:
        return _guess(column)
    if given in possible:
        return given
    values = nature(column)
    example = f" such as {values.example}" if values.example else ""
    wanted = {"continuous": "numbers", "nominal": "text or numbers", "date": "dates"}.get(given)
    convert = f", or convert the column to {wanted}" if wanted else ""
    raise fault(
        Argument("kinds", key=column.name),
        f"fit a column of {values.called}{example}",
        given,
        f"choose {listed(possible, last='or')}{convert}",
    )


def _guess(column: Column) -> Kind:
    if column.family == "number" and (_counts_rows(column) or _names_rows(column)):
        return "identifier"
    if column.family == "text":
        return _kind_of_text(column.values)
    if column.family in ("category", "mixed"):
        return _kind_of_categories(column)
    return _POSSIBLE[column.family][0]


def is_called_identifier(name: str) -> bool:
    """Say whether a column is called an identifier.

    Examples
    --------
    >>> [name for name in ("id", "customer_id", "order id", "CustomerID", "paid", "grid") if is_called_identifier(name)]
    ['id', 'customer_id', 'order id', 'CustomerID']
    """
    return _CALLED_IDENTIFIER.search(name) is not None


def _names_rows(column: Column) -> bool:
    """Say whether nearly all integers differ, in a column that is called an identifier."""
    if not is_called_identifier(column.name) or not _has_integers(column):
        return False
    values, _ = column.numbers()
    return len(values) >= _FEWEST_ROWS and len(np.unique(values)) >= _NEARLY_ALL * len(values)


def _has_integers(column: Column) -> bool:
    cells = column.values
    return bool(cells.dtype.kind in "iu" if isinstance(cells, np.ndarray) else cells.dtype.is_integer())


def _counts_rows(column: Column) -> bool:
    """Say whether integers go up, or down, by one from each row to the next."""
    if not _has_integers(column) or len(column) < _FEWEST_ROWS:
        return False
    values, missing = column.numbers()
    if missing:
        return False
    first, second, last = (int(values[row]) for row in (0, 1, -1))  # Python's integers do not overflow
    step = second - first
    # Three cells rule out nearly every column before all are looked at.
    if abs(step) != 1 or last - first != step * (len(values) - 1):
        return False
    steps = np.diff(values)
    return bool((steps == steps[0]).all())


def _kind_of_text(values: Any) -> Kind:
    """Judge by a sample; the whole column is counted only if nearly all of the sample differs."""
    sample = values.gather_every(max(1, len(values) // _SAMPLE)).drop_nulls()
    # Values may be rare among missing cells, and the sample may have met none.
    if len(sample) < _FEWEST_ROWS:
        sample = values.drop_nulls()
    if len(sample) < _FEWEST_ROWS:
        return "nominal"
    words = [len(cell.split()) for cell in sample.head(1000).to_list()]
    free = sum(words) >= _WORDS_OF_FREE_TEXT * len(words)
    share = _MANY if free else _NEARLY_ALL
    if sample.n_unique() < share * len(sample):
        return "nominal"
    present = values.drop_nulls()
    if present.n_unique() < share * len(present):
        return "nominal"
    return "text" if free else "identifier"


def _kind_of_categories(column: Column) -> Kind:
    """Apply the rule of text to categories and mixtures, which may hold identifiers as well."""
    counts, missing = column.counts()
    present = len(column) - missing
    return "identifier" if present >= _FEWEST_ROWS and len(counts) >= _NEARLY_ALL * present else "nominal"


def _warn_of_left_out(
    kinds: Mapping[str, Kind],
    families: Mapping[str, Family],
    given: Mapping[str, Kind],
    *,
    adjustable: bool = True,
    modelled: bool = False,
) -> None:
    left = [name for name, kind in kinds.items() if kind in LEFT_OUT and name not in given]
    if not left:
        return
    hint: Text = "drop the column, or turn its cells into numbers, dates or text"
    usable = [name for name in left if families[name] != "unsupported"]
    if usable and modelled:
        hint = _still_used(left, how_to_test=_to_test(usable[0], left, families) if adjustable else Phrase())
    elif usable and adjustable:
        hint = Phrase("pass ", _to_test(usable[0], left, families))
    elif usable:
        hint = "drop such columns from the tables unless models should use them"
    tell_user(ColumnsLeftOut({name: kinds[name] for name in left}, hint))


def _to_test(name: str, left: list[str], families: Mapping[str, Family]) -> Phrase:
    kind = "continuous" if families[name] == "number" else "nominal"
    return Phrase(Argument("kinds", {name: kind}), f" to test {'it' if len(left) == 1 else shown(name)} anyway")


def _still_used(left: list[str], *, how_to_test: Phrase) -> Phrase:
    """Return that models see columns that no test can use, and how to leave them out."""
    them = "it" if len(left) == 1 else "them"
    # A verb without kinds has no exclude either, but its command does.
    exclude = Argument("exclude", left[:_NAMED], instead="" if how_to_test else f"drop {them} from both tables")
    still = Phrase(f"models still get {them}. To hide {them} from models too: ", exclude)
    return Phrase(still, "; or pass ", how_to_test) if how_to_test else still


def _refuse_clash(kind: Kind, before: Column, after: Column, called: tuple[str, str]) -> None:
    """Refuse to compare, say, numbers with text."""
    leave = Phrase(Argument("exclude", [before.name]), " to leave the column out")
    if kind != "nominal" and comparable(before, after, nominal=True):
        leave = Phrase(Argument("kinds", {before.name: "nominal"}), " to compare them as categories, or ", leave)
    reference, current = map(Argument, called)
    check_comparable(
        f"column {before.name!r}",
        before,
        after,
        nominal=kind == "nominal",
        way_out=Phrase("pass ", leave),
        reference=reference,
        current=current,
    )
