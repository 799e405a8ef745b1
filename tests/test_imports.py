from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("matplotlib", "narwhals", "numba", "numpy", "pandas", "pyarrow", "scipy", "scipy.stats", "sklearn")


def python(program: str) -> str:
    """Run a program in a fresh interpreter, where warnings are errors as in all tests, and return what it printed."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-W", "error", "-W", "ignore::DeprecationWarning", "-c", program],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def loaded(statement: str) -> set[str]:
    """Return the heavy libraries that a statement loads."""
    return set(python(f"{statement}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])").split())


def processor_time(statement: str) -> float:
    """Return the seconds of work that a statement takes in a fresh interpreter."""
    program = f"import time\nbefore = time.process_time()\n{statement}\nprint(time.process_time() - before)"
    return float(python(program))


def test_the_package_loads_no_library() -> None:
    assert loaded("import shiftproof") == set()


def test_its_names_can_be_listed_without_loading_any() -> None:
    assert loaded("import shiftproof; dir(shiftproof); shiftproof.__all__; shiftproof.__version__") == set()


@pytest.mark.parametrize(
    ("statement", "unneeded"),
    [
        ("import shiftproof; shiftproof.InputError", {"matplotlib", "numba", "pandas", "pyarrow", "scipy", "sklearn"}),
        ("import shiftproof; shiftproof.read", {"matplotlib", "numba", "scipy", "sklearn"}),
        ("import shiftproof; shiftproof.detect({'a': [1, 2]}, {'a': [2, 3]})", {"matplotlib", "sklearn"}),
        (
            "import os, tempfile; os.chdir(tempfile.mkdtemp()); import numpy, shiftproof\n"
            "rows = {'a': numpy.arange(900) % 7, 'p': numpy.linspace(0, 1, 900)}\n"
            "shiftproof.Monitor('m.db', shiftproof.Baseline.of(rows, scores='p')).add(rows)",
            {"matplotlib", "scipy.stats", "sklearn"},
        ),
        ("import shiftproof.plots", {"matplotlib", "numba", "pandas", "pyarrow", "scipy", "sklearn"}),
        ("import shiftproof.reporting", {"matplotlib", "numba", "pandas", "pyarrow", "scipy", "sklearn"}),
        ("import shiftproof.cli", {"matplotlib", "numba", "pandas", "pyarrow", "scipy", "sklearn"}),
        (
            "import shiftproof.cli; shiftproof.cli.run(['--version'])",
            {"matplotlib", "numba", "pandas", "pyarrow", "scipy", "sklearn"},
        ),
    ],
)
def test_what_is_not_needed_is_not_loaded(statement: str, unneeded: set[str]) -> None:
    assert not loaded(statement) & unneeded


def test_the_package_costs_little_beside_the_libraries_it_stands_on() -> None:
    assert processor_time("import shiftproof") < processor_time("import sklearn.ensemble, pandas") / 5


def test_importing_changes_nothing_global() -> None:
    # The libraries come first, since they may do as they please.
    program = """
import random, threading, warnings
import matplotlib, narwhals, numba, numpy, pandas, pyarrow.csv, pyarrow.parquet, scipy.special, scipy.stats

def state():
    chance = random.getstate(), repr(numpy.random.get_state())
    return chance, numpy.geterr(), list(warnings.filters), threading.active_count(), matplotlib.rcParams.copy()

before = state()
import shiftproof.data, shiftproof.detection, shiftproof.plots, shiftproof.reporting, shiftproof.stats
print(state() == before)
"""
    assert python(program) == "True"
