"""What a shell may offer after TAB: names of models, of measures, of methods, and of the columns of a file."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

import typer

#: The models that come with the package; said here too, as a shell waits for what is imported.
MODEL_NAMES = {
    "lr": "logistic regression",
    "nb": "naive Bayes",
    "tree": "a tree of probabilities",
    "knn": "nearest neighbours",
    "svm": "support vector machine",
    "forest": "random forest",
    "boost": "boosted trees",
}
#: What may rank models on rows without labels.
MEASURE_NAMES = ("accuracy", "error", "precision", "recall", "f1", "auc", "brier", "profit")
#: What shifts there are to try.
FAMILY_NAMES = ("mcar", "mar", "mnar", "offset", "prior", "soft")
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_HEADER = 100_000


def complete_models(incomplete: str) -> list[tuple[str, str]]:
    """Offer the next model of those joined by commas, and files of models.

    Examples
    --------
    >>> complete_models("lr,n")
    [('lr,nb', 'naive Bayes')]
    """
    before, comma, begun = incomplete.rpartition(",")
    files = {path.name: "a model in a file" for path in sorted(Path().glob("*.skops"))}
    return _offered(before + comma, begun, MODEL_NAMES | files)


def complete_families(incomplete: str) -> list[tuple[str, str]]:
    """Offer the next family of shifts of those joined by commas.

    Examples
    --------
    >>> complete_families("mar,s")
    [('mar,soft', '')]
    """
    before, comma, begun = incomplete.rpartition(",")
    return _offered(before + comma, begun, dict.fromkeys(FAMILY_NAMES, ""))


def complete_measure(incomplete: str) -> list[str]:
    """Offer what may rank models on rows without labels.

    Examples
    --------
    >>> complete_measure("a")
    ['accuracy', 'auc']
    """
    return [name for name in MEASURE_NAMES if name.startswith(incomplete)]


def complete_known_measure(incomplete: str) -> list[str]:
    """Offer what may rank models on labelled rows.

    Examples
    --------
    >>> complete_known_measure("b")
    ['balanced_accuracy', 'brier']
    """
    from shiftproof.measures import MEASURES

    return [name for name in (*MEASURES, "profit") if name.startswith(incomplete)]


def complete_rival(incomplete: str) -> list[str]:
    """Offer the methods that rank models.

    Examples
    --------
    >>> complete_rival("rou")
    ['routed pool']
    """
    from shiftproof.selection import RIVALS

    return [name for name in RIVALS if name.startswith(incomplete)]


def complete_quantifier(incomplete: str) -> list[str]:
    """Offer the methods that count.

    Examples
    --------
    >>> complete_quantifier("comb")
    ['combined']
    """
    from shiftproof.quantification import METHODS

    return [name for name in METHODS if name.startswith(incomplete)]


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the columns of the first file on the line, where it can be read."""
    # Before the option's value is there, the shell's words are not taken apart yet.
    paths = [*map(Path, context.args), *(value for value in context.params.values() if isinstance(value, Path))]
    file = next((path for path in paths if path.is_file()), None)
    try:
        return [name for name in _columns(file) if name.startswith(incomplete)] if file is not None else []
    except (OSError, ValueError, csv.Error):  # a shell has no place for complaints
        return []


def complete_method(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the methods that the first lines of the results name, in a column `method` or at the head of columns."""
    paths = [*map(Path, context.args), *(value for value in context.params.values() if isinstance(value, Path))]
    file = next((path for path in paths if path.is_file()), None)
    try:
        names = _methods(file) if file is not None else []
    except (OSError, ValueError, csv.Error):
        return []
    return [name for name in names if name.startswith(incomplete)]


def _methods(path: Path) -> list[str]:
    columns = _columns(path)
    with path.open("rb") as stream:
        if stream.read(4).startswith((_GZIP, _PARQUET)):
            return []
    if "method" not in columns:
        return columns[1:]
    with path.open("rb") as stream:
        lines = stream.read(_HEADER).decode("utf-8-sig", errors="replace").splitlines()
    mark, at = max(",;\t|", key=lines[0].count), columns.index("method")
    return list(dict.fromkeys(row[at] for row in csv.reader(lines[1:-1], delimiter=mark) if len(row) > at))


def _columns(path: Path) -> list[str]:
    """Read the names of a file's columns without its rows."""
    with path.open("rb") as stream:
        start = stream.read(4)
    if start == _PARQUET:
        import pyarrow.parquet as pq

        return list(pq.read_schema(path).names)
    opened: Callable[..., gzip.GzipFile] = gzip.open if start.startswith(_GZIP) else open  # type: ignore[assignment]
    with opened(path, "rb") as stream:
        head = stream.read(_HEADER).decode("utf-8-sig", errors="replace").splitlines()[:1]
    mark = max(",;\t|", key=head[0].count) if head else ","
    return next(csv.reader(head, delimiter=mark), [])


def _offered(before: str, begun: str, names: dict[str, str]) -> list[tuple[str, str]]:
    taken: Iterable[str] = before.split(",")
    return [(before + name, told) for name, told in names.items() if name.startswith(begun) and name not in taken]
