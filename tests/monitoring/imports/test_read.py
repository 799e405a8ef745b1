from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from tests.monitoring.imports.test_nannyml import RESULTS

from shiftproof.core import FileError
from shiftproof.monitoring.imports import read_results


def test_results_are_read_from_files_frames_and_objects(tmp_path: Path) -> None:
    file = RESULTS / "nannyml-estimated.csv"
    packed = tmp_path / "estimated.csv.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    frame = pd.read_csv(file, header=[0, 1], index_col=0)
    expected = read_results(file, "nannyml")
    sources: list[Any] = [str(file), packed, frame, SimpleNamespace(to_df=lambda: frame)]
    assert [read_results(source, "nannyml") == expected for source in sources] == [True] * 4
    frame.to_parquet(tmp_path / "estimated.parquet")
    assert read_results(tmp_path / "estimated.parquet", "nannyml") == expected


def test_snapshots_are_read_from_files_dicts_and_objects() -> None:
    file = RESULTS / "evidently-dump.json"
    values = json.loads(file.read_text())
    expected = read_results(file, "evidently", name="one")
    for source in (values, SimpleNamespace(dump_dict=lambda: values)):
        assert repr(read_results(source, "evidently", name="one")) == repr(expected)
    assert read_results(values, "evidently").batches[0].id == "evidently 2024-02-27T23:00:00+00:00"


@pytest.mark.parametrize(
    ("content", "tool", "clause"),
    [
        (b"a,b\n1,2\n", "nannyml", "found no chunks with results; save what results.to_df() returns in NannyML"),
        (b"\xff\xfe\x00", "nannyml", "found no chunks with results; save what results.to_df() returns in NannyML"),
        (b"PAR1 no", "nannyml", "cannot be read as a table; save what results.to_df() returns in NannyML as CSV or"),
        (b'chunk,chunk\nkey,period\n"1,2\n', "nannyml", "cannot be read as a table; save what results.to_df() retu"),
        (b"\x1f\x8b broken", "nannyml", "cannot be read (damaged)"),
        (b"{", "evidently", "cannot be read as JSON; save an Evidently snapshot with save_json"),
        (b"\xff", "evidently", "cannot be read as JSON; save an Evidently snapshot with save_json"),
    ],
)
def test_file_of_another_kind_is_refused(tmp_path: Path, content: bytes, tool: Any, clause: str) -> None:
    path = tmp_path / "results"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_results(path, tool)
    assert str(caught.value).startswith(f"{path}: {clause}")


@pytest.mark.parametrize(
    ("source", "tool", "sentence"),
    [
        ("none.csv", "nannyml", "none.csv: cannot be read (No such file or directory)."),
        (3, "nannyml", "source: not a DataFrame; pass what results.to_df() returns in NannyML."),
        (3, "evidently", "source: not a snapshot; pass an Evidently snapshot, or its dump_dict()."),
    ],
)
def test_source_that_is_nothing_is_refused(source: Any, tool: Any, sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        read_results(source, tool)
    assert str(caught.value) == sentence
