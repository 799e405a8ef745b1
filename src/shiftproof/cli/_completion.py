"""What a shell offers after TAB: names of models, measures and methods, and the columns of a file."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import typer

# These three repeat names of the library, because importing it would keep the shell waiting; a test compares them.
MODEL_NAMES = {
    "lr": "logistic regression",
    "nb": "naive Bayes",
    "tree": "probability tree",
    "knn": "nearest neighbours",
    "svm": "support vector machine",
    "forest": "random forest",
    "boost": "boosted trees",
}
MEASURE_NAMES = ("accuracy", "error", "precision", "recall", "f1", "auc", "brier", "profit")
FAMILY_NAMES = ("mcar", "mar", "mnar", "offset", "prior", "soft")
#: How compressed files and Parquet files begin.
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
_STORE = b"SQLi"
# Enough for the header of any table and for some rows of results, without reading a large file.
_HEAD_BYTES = 100_000
# Names are evaluated by some shells: letters, digits, blanks and marks that mean nothing to any of them.
_HARMLESS = re.compile(r"[\w%+./:=@][\w%+./:=@ -]*")


def complete_models(incomplete: str) -> list[tuple[str, str]]:
    """Offer the next model of those joined by commas, and files of models.

    Examples
    --------
    >>> complete_models("lr,n")
    [('lr,nb', 'naive Bayes')]
    """
    files = {path.name: "a model in a file" for path in sorted(Path().glob("*.skops"))}
    return _next_of_list(incomplete, MODEL_NAMES | files)


def complete_families(incomplete: str) -> list[tuple[str, str]]:
    """Offer the next family of shifts of those joined by commas.

    Examples
    --------
    >>> complete_families("mar,s")
    [('mar,soft', '')]
    """
    return _next_of_list(incomplete, dict.fromkeys(FAMILY_NAMES, ""))


def complete_measure(incomplete: str) -> list[str]:
    """Offer the measures that may rank models on unlabelled data.

    Examples
    --------
    >>> complete_measure("a")
    ['accuracy', 'auc']
    """
    return _starting(incomplete, MEASURE_NAMES)


def complete_known_measure(incomplete: str) -> list[str]:
    """Offer the measures that may rank models on labelled data.

    Examples
    --------
    >>> complete_known_measure("b")
    ['balanced_accuracy', 'brier']
    """
    from shiftproof.measures import MEASURES

    return _starting(incomplete, (*MEASURES, "profit"))


def complete_rival(incomplete: str) -> list[str]:
    """Offer the methods that rank models.

    Examples
    --------
    >>> complete_rival("rou")
    ['routed pool']
    """
    from shiftproof.selection import RIVALS

    return _starting(incomplete, RIVALS)


def complete_quantifier(incomplete: str) -> list[str]:
    """Offer the methods that count.

    Examples
    --------
    >>> complete_quantifier("comb")
    ['combined']
    """
    from shiftproof.quantification import METHODS

    return _starting(incomplete, METHODS)


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the columns of the first file on the line, if it can be read."""
    return _starting(incomplete, _first_rows(context)[0])


def complete_method(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the methods in the first lines of the results, from the column `method` or from the header."""
    header, *rows = _first_rows(context)
    if "method" not in header:
        return _starting(incomplete, header[1:])
    place = header.index("method")
    return _starting(incomplete, dict.fromkeys(row[place] for row in rows if len(row) > place))


def _first_rows(context: typer.Context) -> list[list[str]]:
    """Read the header of the first file on the line, and some rows of text; a header without names if it cannot be."""
    # While the value of an option is incomplete, typer has not assigned all words to parameters yet.
    values = [value if isinstance(value, (list, tuple)) else [value] for value in context.params.values()]
    paths = [*map(Path, context.args), *(value for several in values for value in several if isinstance(value, Path))]
    try:
        # The store of a monitor comes before the files, and has no columns of the user's.
        starts = ((path, _start(path)) for path in paths if path.is_file())
        path, start = next(pair for pair in starts if pair[1] != _STORE)
        if start == PARQUET:
            import pyarrow.parquet as pq

            return [list(pq.read_schema(path).names)]
        opened: Callable[..., gzip.GzipFile] = gzip.open if start.startswith(GZIP) else open  # type: ignore[assignment]
        with opened(path, "rb") as stream:
            lines = stream.read(_HEAD_BYTES).decode("utf-8-sig", errors="replace").split("\n")
        # The last line may be cut off.
        return list(csv.reader(lines[:-1] or lines, delimiter=max(",;\t|", key=lines[0].count)))
    except (StopIteration, LookupError, OSError, ValueError, csv.Error):  # a shell has no place for error messages
        return [[]]


def _start(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(4)


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    """Return the names to offer: shells run parts of what they are given, and take a dash for an option."""
    return [name for name in names if name.startswith(incomplete) and _HARMLESS.fullmatch(name)]


def _next_of_list(incomplete: str, descriptions: Mapping[str, str]) -> list[tuple[str, str]]:
    before, comma, start = incomplete.rpartition(",")
    taken = before.split(",")  # a model cannot be named twice
    return [(before + comma + name, descriptions[name]) for name in _starting(start, descriptions) if name not in taken]
