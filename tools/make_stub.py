"""Write `src/shiftproof/__init__.pyi`, which shows type checkers the names that load late.

Usage::

    python tools/make_stub.py

The names come from `shiftproof/__init__.py`, the only list of them; a test compares.
"""

from __future__ import annotations

from pathlib import Path

STUB = Path(__file__).resolve().parents[1] / "src" / "shiftproof" / "__init__.pyi"


def stub_text() -> str:
    """Return the stub: one explicit re-export for each public name."""
    import shiftproof

    library = vars(shiftproof)
    pairs = [("shiftproof", package) for package in library["_PUBLIC_PACKAGES"]]
    pairs += [("shiftproof._version", "__version__")]
    pairs += [(f"shiftproof.{package}", name) for name, package in library["_PACKAGE_OF"].items()]
    return "".join(f"from {module} import {name} as {name}\n" for module, name in sorted(pairs))


def main() -> None:
    """Write the stub."""
    STUB.write_text(stub_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
