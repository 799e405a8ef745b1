"""How far can you trust a classifier on unlabelled data?

Public names load when they are first used, so ``import shiftproof`` takes next to no time.
"""

from importlib import import_module

from shiftproof._version import __version__

# The only list of the top level's names, by the package that holds them. `make reference` writes the stub beside this
# file from it: a stub that is read at run time would be missing from frozen programs.
_NAMES_BY_PACKAGE = {
    "auditing": ("Audit", "Verification", "audit"),
    "backtesting": ("Backtest", "backtest"),
    "comparison": ("Comparison", "compare"),
    "core": (
        "AlertsWaiting",
        "ColumnsLeftOut",
        "CopiedRows",
        "CountsUnreliable",
        "DatesReadAsText",
        "EstimateRefused",
        "FileError",
        "IdentifierUsed",
        "InfiniteValues",
        "InputError",
        "Interval",
        "LabelNearlyRevealed",
        "LabelRevealed",
        "LabelsAlike",
        "LabelsOfOneClass",
        "MarksReadAsText",
        "MethodCaution",
        "ModelsLeftOut",
        "RankingUnreliable",
        "RefittedModel",
        "ResultUnreliable",
        "SameTables",
        "ScoresReversed",
        "ShiftproofError",
        "ShiftproofWarning",
        "StoreError",
        "TimeIsFeature",
        "WeightsIgnored",
    ),
    "data": ("load_demo", "read"),
    "detection": ("Detection", "Timeline", "detect", "detect_by"),
    "evaluation": ("Evaluation", "LearningCurve", "evaluate", "learning_curve"),
    "measures": ("Amount", "Benefit"),
    "monitoring": (
        *("AlertChannel", "Baseline", "BatchPlan", "BatchSummary", "ImportedHistory", "Incident", "LabelUpdate"),
        *("Monitor", "MonitorAlerts", "MonitorRehearsal", "MonitorStatus", "TrackRecord", "Update", "WaitingAlert"),
    ),
    "panel": ("Bootstrap", "Panel", "bootstrap_632", "cross_fit", "default_models", "leave_one_out"),
    "quantification": ("Quantification", "quantify"),
    "robustness": ("Stress", "stress"),
    "selection": ("Performance", "Selection", "estimate_performance", "select"),
}
_PUBLIC_PACKAGES = ("alerts", "losses", "measures", "quantification", "selection", "shift", "simulation", "stats")
_PACKAGE_OF = {name: package for package, names in _NAMES_BY_PACKAGE.items() for name in names}

__all__ = ["__version__", *_PACKAGE_OF, *_PUBLIC_PACKAGES]  # noqa: PLE0604 - the names above, not a second list


def __getattr__(name: str) -> object:
    if name in _PACKAGE_OF:
        value: object = getattr(import_module(f"shiftproof.{_PACKAGE_OF[name]}"), name)
    elif name in _PUBLIC_PACKAGES:
        value = import_module(f"shiftproof.{name}")
    else:
        raise AttributeError(f"module 'shiftproof' has no attribute {name!r}")
    # The next access finds the name without coming here.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
