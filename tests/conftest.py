"""Settings and helpers for all tests."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import matplotlib as mpl
import pytest
from hypothesis import HealthCheck, settings
from tests._forests import few_trees, whole_forests
from tests._stores import FileStores, PostgresStores, Stores
from tests.engines._server import PostgresServer, why_no_server

mpl.use("Agg")
_TESTS = Path(__file__).resolve().parent
# Kernels compile during the first example, so no deadline; the same examples on every run of the whole suite.
settings.register_profile(
    "suite", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


# Files whose tests take more than about a second of processor time together: `make check` leaves them out.
_SLOW = {
    ".": "imports",
    "alerts": "apprise email program",
    "auditing": "audit chart contradictions counts elsewhere golden no_shift page past result schema verdict "
    "verification without",
    "backtesting": "backtest keep replay",
    "benchmarks": "smoke",
    "browser": "dashboard page report",
    "case": "along_routes candidates case label_shares labels named_scores pool soft",
    "cli": "alerts app audit backtest compare demo detect elsewhere evaluate import monitor monitor_labels quantify "
    "rehearse reproduce select serve show stress",
    "comparison": "compare page result words",
    "core": "aligned checks remote",
    "counting": "assumption averages bootstrap kernels matching thresholds",
    "data": "elsewhere read",
    "detection": "baseline detect detect_by elsewhere hostile page result score_pairs scores",
    "docs": "docs",
    "evaluation": "evaluate learning",
    "experiments": "boolean_worlds experiment fractures fractures_runs monitors_runs report "
    "reverse_costs reverse_criteria reverse_runs reverse_testing runner slides slides_runs thesis_neighbours "
    "thesis_open thesis_program thesis_runs thesis_structured",
    "examples": "grafana recipes",
    "hostile": "commands metamorphic mutants refused review table",
    "losses": "prevalence",
    "measures": "auc average_precision benefit benefit_interval decisions lift probability registry threshold",
    "monitoring": "alerts assembly crash delivery elsewhere import_history incidents label_facts labelling monitor "
    "page reader watch",
    "monitoring/alarms": "alarms kernels simulations",
    "monitoring/rehearsal": "harm_delays page rehearse result shift_delays words",
    "monitoring/store": "sqlite",
    "panel": "cross_fit models resampling",
    "plots": "axis comparison_pairs curves export pairs prevalence selection stress surfaces timeline tips tournament",
    "quantification": "labels protocols quantifier quantifiers quantify run totals words",
    "quantification/neighbors": "quantifiers search",
    "quantification/structured": "classifier losses quantifier",
    "reporting": "redaction render",
    "robustness": "page result stress",
    "selection": "baseline estimate page plan rehearsal select",
    "selection/rivals": "density_ratio learners methods reverse training_error",
    "shift": "calibration domain kind prevalence reference_score shift_kind",
    "simulation": "shifts",
    "tools": "smoke",
    "web": "app forms labels_view monitor_view pages",
    "stats": "blocked bootstrap calibration distances intervals multiple ranks schemes two_sample",
}
SLOW_FILES = {_TESTS / folder / f"test_{name}.py" for folder, names in _SLOW.items() for name in names.split()}

# Tests of these packages look at what is reported, not at how far the forests behind `shift` see or how often counts
# are resampled: few trees and resamples will do. Elsewhere, as in the pages of the docs, in the verdicts and goldens of
# audits and where a test is marked, figures are those that users get.
_FEW_PACKAGES = {
    "auditing", "backtesting", "browser", "cli", "detection", "hostile", "quantification", "reporting", "selection",
}  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the tests of monitors run on another database."""
    parser.addoption("--stores", choices=("sqlite", "postgres"), default="sqlite", help="where monitors keep stores")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a server for all tests that need one."""
    if reason := why_no_server():
        pytest.skip(reason)
    server = PostgresServer()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def stores(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """Return where the stores of tests are."""
    if request.config.getoption("--stores") == "postgres":
        return PostgresStores(request.getfixturevalue("postgres"))
    return FileStores(tmp_path_factory.mktemp("stores"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Spare `make check` the import of slow files, and everything but `make engines` the tests that need servers."""
    if collection_path == _TESTS / "engines":
        return not any("engines" in argument for argument in config.args)
    return True if config.getoption("markexpr") == "not slow" and collection_path in SLOW_FILES else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow files."""
    for item in items:
        if item.path in SLOW_FILES:
            item.add_marker("slow")


def pytest_collection_finish() -> None:
    """Let garbage collections pass over what was collected: half a million objects that stay to the end."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let the end of the process find them again: DuckDB reports what is left of it on standard error."""
    gc.unfreeze()


# Of the module, because results that its tests share are made before any fixture of a test.
@pytest.fixture(autouse=True, scope="module")
def _few_trees(request: pytest.FixtureRequest) -> Iterator[None]:
    few = request.path.is_relative_to(_TESTS) and request.path.relative_to(_TESTS).parts[0] in _FEW_PACKAGES
    with few_trees() if few else nullcontext():
        yield


@pytest.fixture(autouse=True)
def _whole_forests_if_marked(request: pytest.FixtureRequest) -> Iterator[None]:
    with whole_forests() if request.node.get_closest_marker("whole_forests") else nullcontext():
        yield


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data sets beside the checkout, where it exists."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder of real data sets (../shared/data) is not beside this checkout")
    return folder


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    """Close what a test or a page of the docs drew without axes of its own; the next test starts with none."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
