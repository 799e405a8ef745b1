"""How much should we believe this classifier on data that nobody has labelled yet?

The public names load when they are first used, so ``import shiftproof`` costs next to nothing.
"""

from importlib import import_module
from typing import Any

from shiftproof._version import __version__

# name -> the package it lives in; packages themselves stand for themselves
_HOMES = {
    "Amount": "measures",
    "Audit": "auditing",
    "Benefit": "measures",
    "Comparison": "comparison",
    "Detection": "detection",
    "Evaluation": "evaluation",
    "FileError": "core",
    "InputError": "core",
    "Interval": "core",
    "Panel": "panel",
    "Performance": "selection",
    "Quantification": "quantification",
    "Selection": "selection",
    "ShiftproofError": "core",
    "ShiftproofWarning": "core",
    "Stress": "robustness",
    "audit": "auditing",
    "compare": "comparison",
    "cross_fit": "panel",
    "default_models": "panel",
    "detect": "detection",
    "estimate_performance": "selection",
    "evaluate": "evaluation",
    "load_demo": "data",
    "quantify": "quantification",
    "read": "data",
    "select": "selection",
    "stress": "robustness",
}
_PACKAGES = (
    "auditing",
    "comparison",
    "core",
    "data",
    "detection",
    "evaluation",
    "losses",
    "measures",
    "panel",
    "plots",
    "quantification",
    "reporting",
    "robustness",
    "selection",
    "shift",
    "simulation",
    "stats",
)

__all__ = [
    "Amount",
    "Audit",
    "Benefit",
    "Comparison",
    "Detection",
    "Evaluation",
    "FileError",
    "InputError",
    "Interval",
    "Panel",
    "Performance",
    "Quantification",
    "Selection",
    "ShiftproofError",
    "ShiftproofWarning",
    "Stress",
    "__version__",
    "audit",
    "compare",
    "cross_fit",
    "default_models",
    "detect",
    "estimate_performance",
    "evaluate",
    "load_demo",
    "losses",
    "measures",
    "quantification",
    "quantify",
    "read",
    "select",
    "selection",
    "shift",
    "simulation",
    "stats",
    "stress",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"shiftproof.{_HOMES[name]}"), name)
    elif name in _PACKAGES:
        value = import_module(f"shiftproof.{name}")
    else:
        raise AttributeError(f"module 'shiftproof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_PACKAGES})
