"""A session of Spark for all tests that need one."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest


def why_no_spark() -> str:
    """Say what is missing to run Spark; empty if nothing is."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "needs pyspark; make engines installs it"
    return "" if shutil.which("java") else "needs Java; on Debian make engines installs it for root"


def start_spark() -> Any:
    """Start Spark with two threads in this process."""
    from pyspark.sql import SparkSession

    # Workers must have the packages of this environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    return session


# Of a module: the last test of one lets its cluster die.
@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Start a session for all tests of a module."""
    if reason := why_no_spark():
        pytest.skip(reason)
    session = start_spark()
    yield session
    session.stop()
