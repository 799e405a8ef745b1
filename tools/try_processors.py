"""Run the tests as other processors would: other kernels of OpenBLAS, no vector instructions, one thread and four.

Usage::

    python tools/try_processors.py [--only NAME] [pytest arguments]

The last digits of a float depend on these settings; no test may. Prints a table and exits with status 1 if a test fails
under any of them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time

import numpy as np

# What the libraries that `make test` uses would choose on some other machine.
_ASK = """
import json, numpy, scipy.linalg, threadpoolctl
from numba.core import config
found = {pool["architecture"] for pool in threadpoolctl.threadpool_info() if pool["internal_api"] == "openblas"}
simd = [name for name in numpy._core._multiarray_umath.__cpu_dispatch__
        if numpy._core._multiarray_umath.__cpu_features__[name]]
print(json.dumps([sorted(found), simd, config.CPU_NAME]))
"""
# What OpenBLAS calls the kernel where its build does not tell the two apart.
_CALLED = {"Prescott": "Katmai"}
_RESULT = re.compile(r"(\d+) (passed|failed|errors?|skipped)\b")


def settings() -> dict[str, dict[str, str]]:
    """Return what to set for each row of the table."""
    simd = ask({})[1]
    # A scalar build of numpy and of our own kernels.
    scalar = {"NPY_DISABLE_CPU_FEATURES": " ".join(simd), "NUMBA_CPU_NAME": "generic"}
    return {
        "Haswell": {"OPENBLAS_CORETYPE": "Haswell", **threads(1)},
        "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX", **threads(4)},
        "Prescott": {"OPENBLAS_CORETYPE": "Prescott", **threads(1)},
        "no SIMD": {**scalar, **threads(4)},
    }


def threads(count: int) -> dict[str, str]:
    """Return what limits every pool of threads to `count`."""
    return {f"{pool}_NUM_THREADS": str(count) for pool in ("OMP", "OPENBLAS", "NUMBA")}


def ask(chosen: dict[str, str]) -> tuple[list[str], list[str], str | None]:
    """Return which kernels, vector instructions and processor are used with these settings."""
    done = subprocess.run(
        [sys.executable, "-c", _ASK], env=os.environ | chosen, capture_output=True, text=True, check=True
    )
    kernels, simd, processor = json.loads(done.stdout)
    return kernels, simd, processor


def why_not(name: str, chosen: dict[str, str]) -> str:
    """Return why this machine cannot be set so, or nothing."""
    features = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    # numpy 2.4 has other names for groups of instructions.
    if name == "SkylakeX" and not features.get("X86_V4", features.get("AVX512_SKX")):
        return "this processor has no AVX-512"
    kernels, simd, processor = ask(chosen)
    wanted = chosen.get("OPENBLAS_CORETYPE")
    if wanted and kernels not in ([wanted], [_CALLED.get(wanted)]):
        return f"OpenBLAS uses {', '.join(kernels) or 'no kernel'} instead"
    if "NPY_DISABLE_CPU_FEATURES" in chosen and (simd or processor != "generic"):
        return f"numpy still uses {', '.join(simd)}"
    return ""


def main() -> int:
    """Run the tests once for each setting, and print a line about each."""
    only, arguments = None, sys.argv[1:]
    if arguments[:1] == ["--only"]:
        only, arguments = arguments[1], arguments[2:]
    print(f"{'kernel':<10} {'threads':>7} {'passed':>7} {'failed':>7} {'skipped':>7} {'seconds':>8}", flush=True)
    failures: list[str] = []
    for name, chosen in settings().items():
        if only not in (None, name):
            continue
        if reason := why_not(name, chosen):
            print(f"{name:<10} skipped: {reason}", flush=True)
            continue
        began = time.monotonic()
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
        environment = os.environ | chosen
        done = subprocess.run([*command, *arguments], check=False, env=environment, capture_output=True, text=True)
        counts = {word.rstrip("s"): int(count) for count, word in _RESULT.findall(done.stdout.splitlines()[-1])}
        failed = counts.get("failed", 0) + counts.get("error", 0)
        print(
            f"{name:<10} {chosen['OMP_NUM_THREADS']:>7} {counts.get('passed', 0):>7,} {failed:>7,} "
            f"{counts.get('skipped', 0):>7,} {time.monotonic() - began:>8.0f}",
            flush=True,
        )
        if done.returncode:
            # Without the dots of what passed.
            report = done.stdout[max(done.stdout.find("= FAILURES"), 0) :]
            failures.append(f"{name}:\n{report}")
    print("\n".join(failures), end="")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
