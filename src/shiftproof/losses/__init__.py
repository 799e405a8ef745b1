"""How wrong is an estimated prevalence, and which errors of a classifier cancel? Losses, scores and their figures."""

from shiftproof.losses._adjustment import Scaling, Trend, adjusted, scaling, trend
from shiftproof.losses._conflict import PerfectQuantifiers, perfect_quantifiers
from shiftproof.losses._policies import ThresholdPolicies, threshold_policies
from shiftproof.losses._prevalence import (
    absolute_error,
    bias,
    kld,
    match_distance,
    nas,
    nkld,
    nss,
    relative_absolute_error,
    squared_error,
)
from shiftproof.losses._q_measure import q_measure
from shiftproof.losses._surface import Surface, surface

__all__ = [
    "PerfectQuantifiers",
    "Scaling",
    "Surface",
    "ThresholdPolicies",
    "Trend",
    "absolute_error",
    "adjusted",
    "bias",
    "kld",
    "match_distance",
    "nas",
    "nkld",
    "nss",
    "perfect_quantifiers",
    "q_measure",
    "relative_absolute_error",
    "scaling",
    "squared_error",
    "surface",
    "threshold_policies",
    "trend",
]
