"""How good is a classifier, how certain is that, and what is it worth? Measures with intervals, curves, benefits."""

from shiftproof.measures._auc import compare_auc
from shiftproof.measures._benefit import Amount, Benefit, BenefitMatrix
from shiftproof.measures._benefit_checks import check_benefit as check_benefit
from shiftproof.measures._benefit_checks import check_open_decision as check_open_decision
from shiftproof.measures._benefit_checks import profit_without_benefit as profit_without_benefit
from shiftproof.measures._calibration import CalibrationCurve, calibration_curve
from shiftproof.measures._cost_curve import CostCurve, cost_curve
from shiftproof.measures._curves import PrecisionRecallCurve, RocCurve, precision_recall_curve, roc_curve
from shiftproof.measures._decisions import (
    BestCut,
    NetBenefitCurve,
    ProfitCurve,
    best_list_size,
    best_threshold,
    net_benefit_curve,
    profit_curve,
)
from shiftproof.measures._decisions_training import ExpectedAmounts, cost_resample, cost_weights, fit_expected
from shiftproof.measures._hull import OperatingPoint, RocHull, RocMixture, iso_slope, roc_hull
from shiftproof.measures._lift import LiftCurve, lift_at, lift_curve
from shiftproof.measures._names import measure_name as measure_name
from shiftproof.measures._registry import MEASURES, Measure, measure
from shiftproof.measures._scores import IntervalPlan, Scores

__all__ = [
    "MEASURES",
    "Amount",
    "Benefit",
    "BenefitMatrix",
    "BestCut",
    "CalibrationCurve",
    "CostCurve",
    "ExpectedAmounts",
    "IntervalPlan",
    "LiftCurve",
    "Measure",
    "NetBenefitCurve",
    "OperatingPoint",
    "PrecisionRecallCurve",
    "ProfitCurve",
    "RocCurve",
    "RocHull",
    "RocMixture",
    "Scores",
    "best_list_size",
    "best_threshold",
    "calibration_curve",
    "compare_auc",
    "cost_curve",
    "cost_resample",
    "cost_weights",
    "fit_expected",
    "iso_slope",
    "lift_at",
    "lift_curve",
    "measure",
    "net_benefit_curve",
    "precision_recall_curve",
    "profit_curve",
    "roc_curve",
    "roc_hull",
]
