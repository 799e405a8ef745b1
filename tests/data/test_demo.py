from __future__ import annotations

import runpy
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shiftproof.core import InputError
from shiftproof.data import joint_kinds, load_demo

TOOL = Path(__file__).parents[2] / "tools" / "make_demo_data.py"
FEATURES = [
    *("age", "job", "marital", "education", "default", "balance", "housing", "loan", "contact"),
    *("day", "month", "campaign", "pdays", "previous", "poutcome"),
]


def test_all_calls_in_the_order_of_time() -> None:
    calls = load_demo()
    assert list(calls) == ["t", *FEATURES, "label"]
    assert len(calls) == 45_211
    assert calls["t"].is_monotonic_increasing
    assert calls["t"].min() == pd.Timestamp("2008-05-01")
    assert calls["t"].max() == pd.Timestamp("2010-11-01")
    assert calls["t"].dt.strftime("%b").str.lower().tolist() == calls["month"].tolist()
    assert int(calls.isna().sum().sum()) == 0
    assert int(calls["label"].sum()) == 5_289
    assert calls["pdays"].min() == -1


def test_types_are_ordinary() -> None:
    calls = load_demo()
    kinds = {name: calls[name].dtype.kind for name in calls}
    assert kinds.pop("t") == "M"
    numbers = {"age", "balance", "day", "campaign", "pdays", "previous", "label"}
    for name, kind in kinds.items():
        assert (kind == "i") == (name in numbers)
        assert kind in "iO"
    assert set(joint_kinds(load_demo(year=2009), load_demo(year=2010)).values()) == {"continuous", "nominal"}


@pytest.mark.parametrize(
    ("year", "n_rows", "base_rate"), [(2008, 27_729, 0.05), (2009, 14_862, 0.17), (2010, 2_620, 0.52)]
)
def test_a_year_comes_without_its_time(year: int, n_rows: int, base_rate: float) -> None:
    calls = load_demo(year=year)
    assert list(calls) == [*FEATURES, "label"]
    assert calls.index.tolist() == list(range(n_rows))
    assert round(calls["label"].mean(), 2) == base_rate
    whole = load_demo()
    pd.testing.assert_frame_equal(calls, whole[whole["t"].dt.year == year].drop(columns="t").reset_index(drop=True))


@pytest.mark.parametrize("year", [2011, "2009", 9])
def test_another_year_is_refused(year: Any) -> None:
    with pytest.raises(InputError) as error:
        load_demo(year=year)
    assert str(error.value) == f"year must be 2008, 2009 or 2010, got {year!r}; leave it out to get all calls."


def test_every_call_gets_its_own_copy() -> None:
    calls = load_demo()
    calls["age"] = 0
    assert load_demo()["age"].max() == 95


def test_the_file_is_small_and_attributed() -> None:
    folder = resources.files("shiftproof.data")
    assert len((folder / "bank_calls.parquet").read_bytes()) < 700_000
    attribution = (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    for words in ("CC BY 4.0", "S. Moro, P. Cortez and P. Rita", "10.24432/C5K306", "What was changed"):
        assert words in attribution


def test_the_file_is_what_its_tool_makes(shared_data: Path, tmp_path: Path) -> None:
    embedded = resources.files("shiftproof.data") / "bank_calls.parquet"
    remade = tmp_path / "bank_calls.parquet"
    runpy.run_path(str(TOOL))["make"](shared_data / "drift_bank.csv.gz", remade)
    with resources.as_file(embedded) as path:
        writer = pq.ParquetFile(path).metadata.created_by
        assert pq.read_table(path).equals(pq.read_table(remade))
    if writer.endswith(f"version {pa.__version__}"):  # other versions may lay out the same table differently
        assert remade.read_bytes() == embedded.read_bytes()


def test_nothing_but_the_duration_was_lost(shared_data: Path) -> None:
    source = pd.read_csv(shared_data / "drift_bank.csv.gz").drop(columns="duration")
    calls = load_demo()
    calls["t"] = calls["t"].dt.year * 100 + calls["t"].dt.month
    pd.testing.assert_frame_equal(calls, source, check_dtype=False)


def test_the_tool_says_what_it_wrote(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "calls.parquet"
    monkeypatch.setattr("sys.argv", ["make_demo_data.py", str(shared_data / "drift_bank.csv.gz"), str(target)])
    runpy.run_path(str(TOOL), run_name="__main__")
    assert capsys.readouterr().out == f"{target}: {target.stat().st_size:,} bytes\n"
