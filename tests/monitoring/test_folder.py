from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.monitoring.conftest import Table, make_table

from shiftproof import FileError
from shiftproof.case import DriftRecord
from shiftproof.monitoring import Baseline
from shiftproof.robustness import Envelope

ENVELOPE = Envelope(
    model="nb",
    tolerance=0.02,
    share=0.95,
    hellinger=math.nan,
    failing=0.4,
    base_hellinger=0.05,
    seen_hellinger=0.3,
    seen_failing=1.0,
    n_within=0,
    n_cells=100,
)
HISTORY = DriftRecord(
    squares={"accuracy": (0.1, 0.2, 0.3)},
    weights={"accuracy": (0.9, 0.5, 0.2)},
    covered={"accuracy": {"nb": (3, 3)}},
    noun="month",
)


def test_load_returns_what_was_saved(table: Table, tmp_path: Path) -> None:
    rows = table | {"day": np.repeat(np.arange(20), 20)}
    made = Baseline.of(rows, scores="p", labels="y", time="day", history=HISTORY, envelope=ENVELOPE, redact=True)
    assert made.save(tmp_path / "new" / "baseline") == tmp_path / "new" / "baseline"
    opened = Baseline.load(tmp_path / "new" / "baseline")
    assert opened.same_as(made)
    assert not opened.same_as(Baseline.of(rows, scores="p", labels="y"))
    assert opened.history == HISTORY
    assert opened.bias_sd == made.bias_sd
    assert opened.envelope is not None
    assert opened.envelope.never
    limit = "The accuracy of 'nb' changes by more than 2 points even under the smallest of these shifts."
    assert limit in opened.summary()
    batch = make_table(80, shift=2, seed=3)
    assert opened.summarise(batch).to_dict() == made.summarise(batch).to_dict()
    assert opened.to_dict() == made.to_dict()
    written = b"".join(path.read_bytes() for path in (tmp_path / "new" / "baseline").iterdir())
    assert b"clerk" not in written


@pytest.mark.parametrize("options", [{}, {"scores": "p"}, {"labels": "y"}])
def test_load_without_scores_or_labels(table: Table, tmp_path: Path, options: dict[str, str]) -> None:
    made = Baseline.of(table, **options)  # type: ignore[arg-type]
    assert Baseline.load(made.save(tmp_path)).same_as(made)


def test_save_replaces_a_baseline_and_nothing_else(baseline: Baseline, tmp_path: Path) -> None:
    baseline.save(tmp_path)
    baseline.save(tmp_path)
    (tmp_path / "thesis.txt").touch()
    message = f"{tmp_path}: the folder contains another file, 'thesis.txt'; choose an empty folder."
    with pytest.raises(FileError, match=f"^{re.escape(message)}$"):
        baseline.save(tmp_path)
    with pytest.raises(FileError, match="the baseline cannot be written"):
        baseline.save(tmp_path / "thesis.txt")


def _damage(folder: Path) -> None:
    path = folder / "counts.parquet"
    path.write_bytes(path.read_bytes()[:-1] + b"?")


def _rewrite(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "baseline.json"
    main = json.loads(path.read_text())
    change(main)
    path.write_text(json.dumps(main))
    sums = folder / "SHA256SUMS"
    digest = sha256(path.read_bytes()).hexdigest()
    sums.write_text(re.sub(r"\w+  baseline.json", f"{digest}  baseline.json", sums.read_text()))


def _update(folder: Path) -> None:
    """Raise the version, as a later release might."""
    _rewrite(folder, lambda main: main.update(version=99, shiftproof="9.9"))


_EARLIER = (
    "written by a version of shiftproof from before the first release, with a different format; make the baseline "
    "again, and a new monitor from it."
)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (_damage, "counts.parquet is damaged (wrong checksum); restore it from a copy, or make the baseline again."),
        (_update, "the baseline was written by shiftproof 9.9, which is newer; update shiftproof."),
        # As earlier programs wrote them: without a field, and with one that is gone.
        (lambda folder: _rewrite(folder, lambda main: main.pop("by")), _EARLIER),
        (lambda folder: _rewrite(folder, lambda main: main["notes"].append({"text": "x"})), _EARLIER),
        (
            lambda folder: (folder / "SHA256SUMS").unlink(),
            "not a baseline, because it has no SHA256SUMS; pass a folder that Baseline.save wrote.",
        ),
        (
            lambda folder: (folder / "edges.parquet").unlink(),
            "not a baseline, because it has no edges.parquet; pass a folder that Baseline.save wrote.",
        ),
        (
            lambda folder: (folder / "SHA256SUMS").write_bytes(b"\xff\xfe"),
            "the baseline cannot be read (UnicodeDecodeError).",
        ),
    ],
)
def test_load_refuses(baseline: Baseline, tmp_path: Path, harm: Callable[[Path], object], message: str) -> None:
    baseline.save(tmp_path)
    harm(tmp_path)
    with pytest.raises(FileError, match=f"^{re.escape(f'{tmp_path}: {message}')}$"):
        Baseline.load(tmp_path)
