"""A baseline as a folder: JSON for what is small, Parquet for counts, and checksums. Nothing in it runs code."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.case import DriftRecord
from shiftproof.core import FileError, Note, plain
from shiftproof.counting import Calibration
from shiftproof.monitoring._parts import ReferencePart
from shiftproof.monitoring._performance import ReferencePerformance
from shiftproof.monitoring._scores import ScoreColumns
from shiftproof.monitoring._seasons import Seasons
from shiftproof.monitoring._segments import Segments
from shiftproof.monitoring._tables import (
    TABLES,
    column_facts,
    moment_arrays,
    read_columns,
    read_moments,
    write_tables,
)

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.robustness import Envelope

# Raised when the files change in a way that older versions cannot read.
_VERSION = 1
_MAIN, _SUMS = "baseline.json", "SHA256SUMS"
_FILES = (_MAIN, *(f"{name}.parquet" for name in TABLES))
_SEGMENTS = "segments"
_EARLIER = (
    "written by a version of shiftproof from before the first release, with a different format; make the baseline "
    "again, and a new monitor from it"
)


def save_baseline(baseline: Baseline, folder: str | os.PathLike[str]) -> Path:
    """Write the files of a baseline, each whole or not at all, their checksums last."""
    place = Path(folder)
    files = write_files(baseline)
    sums = "".join(f"{sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    try:
        place.mkdir(parents=True, exist_ok=True)
        known = {*_FILES, _SUMS, _SEGMENTS}
        strangers = sorted(path.name for path in place.iterdir() if path.name.removesuffix(".part") not in known)
        if strangers:
            raise FileError(place, f"the folder contains another file, {strangers[0]!r}; choose an empty folder")
        for name, content in {**files, _SUMS: sums.encode()}.items():
            part = place / f"{name}.part"
            part.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(content)
            part.replace(place / name)
    except OSError as error:
        raise FileError(place, f"the baseline cannot be written ({error.strerror})") from None
    return place


def write_files(baseline: Baseline) -> dict[str, bytes]:
    """Return the contents of the files of a baseline."""
    import pyarrow.parquet as pq

    files = {_MAIN: json.dumps(main_facts(baseline), indent=1).encode()}
    for name, table in write_tables(baseline.whole, baseline.parts).items():
        buffer = io.BytesIO()
        pq.write_table(table, buffer)
        files[f"{name}.parquet"] = buffer.getvalue()
    for place, segment in enumerate(baseline.segments.values()):
        files |= {f"{_SEGMENTS}/{place}/{name}": content for name, content in write_files(segment).items()}
    return files


def main_facts(baseline: Baseline) -> dict[str, Any]:
    """Return everything but counts and moments as values for JSON."""
    scores, performance, moments, envelope = (
        baseline.scores,
        baseline.performance,
        baseline.moments,
        baseline.envelope,
    )
    shapes = [] if moments is None else [(name, what, array.shape) for name, what, array in moment_arrays(moments)]
    facts: dict[str, Any] = plain(
        {
            "version": _VERSION,
            "shiftproof": __version__,
            "n_rows": baseline.n_rows,
            "n_classes": len(next(iter(baseline.reference.values())).by_class),
            "columns": [column_facts(column) for column in baseline.reference.values()],
            "scores": None if scores is None else asdict(scores),
            "performance": None if performance is None else asdict(performance),
            "moments": shapes,
            "seasons": None if baseline.seasons is None else asdict(baseline.seasons),
            "parts": [
                {"n_rows": part.n_rows, "performance": None if part.performance is None else asdict(part.performance)}
                for part in baseline.parts
            ],
            "by": None if baseline.by is None else _written_segments(baseline.by),
            "history": asdict(baseline.history),
            "left_out": dict(baseline.left_out),
            "redacted": baseline.redacted,
            "salt": baseline.salt.hex(),
            "design_effect": dict(baseline.design_effect),
            "mean_period": baseline.mean_period,
            "envelope": None if envelope is None else asdict(envelope),
            "notes": [asdict(note) for note in baseline.notes],
        }
    )
    return facts


def load_fields(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the fields of a baseline from its folder; refuse files that are missing, damaged or too new."""
    place = Path(folder)
    return read_fields(_checked_files(place), place)


def read_fields(files: Mapping[str, bytes], source: object) -> dict[str, Any]:
    """Read the fields of a baseline, and of those of its segments, from its files; errors name the place."""
    try:
        return _read_fields(files, source)
    except (KeyError, TypeError):
        # Checksums are right, so nothing is damaged: a field was added or renamed since.
        raise FileError(source, _EARLIER) from None


def _read_fields(files: Mapping[str, bytes], source: object) -> dict[str, Any]:
    import pyarrow.parquet as pq

    absent = [name for name in _FILES if name not in files]
    if absent:
        raise FileError(source, f"{absent[0]} is missing; restore it from a copy")
    main = json.loads(files[_MAIN])
    if main["version"] > _VERSION:
        raise FileError(
            source, f"the baseline was written by shiftproof {main['shiftproof']}, which is newer; update shiftproof"
        )
    tables = {name: pq.read_table(io.BytesIO(files[f"{name}.parquet"])) for name in TABLES}
    salt, scores, seasons = bytes.fromhex(main["salt"]), main["scores"], main["seasons"]
    whole, *parts = _parts(main, tables, salt)
    by = None if main["by"] is None else _read_segments(main["by"], salt)
    return {
        "n_rows": whole.n_rows,
        "reference": whole.columns,
        "scores": None if scores is None else _scores(scores),
        "performance": whole.performance,
        "moments": whole.moments,
        "seasons": None if seasons is None else Seasons(**seasons | {"groups": tuple(seasons["groups"])}),
        "parts": tuple(parts),
        "by": by,
        "segments": {}
        if by is None
        else {name: read_fields(_below(files, f"{_SEGMENTS}/{place}/"), source) for place, name in enumerate(by.names)},
        "history": _history(main["history"]),
        "salt": salt,
        "envelope": None if main["envelope"] is None else _envelope(main["envelope"]),
        "notes": tuple(Note(**note) for note in main["notes"]),
        **{name: main[name] for name in ("left_out", "redacted", "design_effect", "mean_period")},
    }


def _below(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    return {name.removeprefix(folder): content for name, content in files.items() if name.startswith(folder)}


def _written_segments(by: Segments) -> dict[str, Any]:
    places = {str(number): place for number, place in by.places.items()}
    return {"column": by.column, "names": list(by.names), "places": places, "redacted": by.redacted}


def _read_segments(facts: Mapping[str, Any], salt: bytes) -> Segments:
    places = {int(number): place for number, place in facts["places"].items()}
    return Segments(**{**facts, "names": tuple(facts["names"]), "places": places}, salt=salt)


def _parts(main: Mapping[str, Any], tables: Mapping[str, Any], salt: bytes) -> list[ReferencePart]:
    """Read what is kept of all rows, then of each season."""
    facts = [main, *main["parts"]]
    columns = read_columns(tables, main["columns"], main["n_classes"], salt, len(facts))
    performances = [None if fact["performance"] is None else _performance(fact["performance"]) for fact in facts]
    labelled = [np.asarray(one.rows, np.int64) for one in performances if one is not None]
    moments = read_moments(tables["moments"], main["moments"], labelled) if labelled and main["moments"] else []
    return [
        ReferencePart(n_rows=fact["n_rows"], columns=own, performance=performance, moments=of_part)
        for fact, own, performance, of_part in zip_longest(facts, columns, performances, moments)
    ]


def _checked_files(place: Path) -> dict[str, bytes]:
    try:
        lines = (place / _SUMS).read_text().splitlines()
        sums = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
        nested = [name for name in sums if name.startswith(f"{_SEGMENTS}/") and ".." not in name]
        files = {name: (place / name).read_bytes() for name in (*_FILES, *nested)}
    except (FileNotFoundError, NotADirectoryError) as error:
        absent = Path(error.filename).name
        raise FileError(
            place, f"not a baseline, because it has no {absent}; pass a folder that Baseline.save wrote"
        ) from None
    except (OSError, ValueError) as error:
        raise FileError(place, f"the baseline cannot be read ({type(error).__name__})") from None
    damaged = [name for name, content in files.items() if sha256(content).hexdigest() != sums.get(name)]
    if damaged:
        raise FileError(
            place, f"{damaged[0]} is damaged (wrong checksum); restore it from a copy, or make the baseline again"
        )
    return files


def _scores(facts: Mapping[str, Any]) -> ScoreColumns:
    return ScoreColumns(names=tuple(facts["names"]), classes=tuple(facts["classes"]), positive=facts["positive"])


def _performance(facts: Mapping[str, Any]) -> ReferencePerformance:
    slope, biases = facts["calibration"]["slope"], facts["calibration"]["biases"]
    return ReferencePerformance(
        calibration=Calibration(slope, np.array(biases, dtype=np.float64)),
        rows=np.array(facts["rows"], dtype=np.int64),
        right=np.array(facts["right"], dtype=np.int64),
        confidence=np.array(facts["confidence"], dtype=np.float64),
        squares=np.array(facts["squares"], dtype=np.float64),
        probabilities=np.array(facts["probabilities"], dtype=np.float64),
    )


def _envelope(facts: Mapping[str, Any]) -> Envelope:
    from shiftproof.robustness import Envelope

    # JSON has no NaN.
    values: dict[str, Any] = {name: math.nan if value is None else value for name, value in facts.items()}
    return Envelope(**values)


def _history(facts: Mapping[str, Any]) -> DriftRecord:
    return DriftRecord(
        squares={measure: tuple(squares) for measure, squares in facts["squares"].items()},
        weights={measure: tuple(weights) for measure, weights in facts["weights"].items()},
        covered={
            measure: {model: (counts[0], counts[1]) for model, counts in models.items()}
            for measure, models in facts["covered"].items()
        },
        noun=facts["noun"],
    )
