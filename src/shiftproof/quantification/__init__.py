"""How many rows of each class do unlabelled data have? Estimated from scores, for many samples at once."""

from shiftproof.counting._learned import Learned
from shiftproof.counting._method import METHODS, Method
from shiftproof.counting._samples import Labelled, RowScores, Samples
from shiftproof.quantification._adapt import adapt_probabilities
from shiftproof.quantification._estimates import QuantifyOptions as QuantifyOptions
from shiftproof.quantification._protocols import (
    ArtificialPrevalence,
    NaturalPrevalence,
    SampleProtocol,
    ThesisProtocol,
    UniformSimplex,
)
from shiftproof.quantification._quantifier import ClassifierQuantifier, Quantifier
from shiftproof.quantification._quantifiers import (
    QUANTIFIERS,
    AdjustedCount,
    ClassifyAndCount,
    Combined,
    DistributionMatching,
    EnergyMatching,
    ExpectationMaximization,
    HellingerMatching,
    KernelDensityMatching,
    MedianSweep,
    ProbabilityAverage,
    ScaledProbabilityAverage,
    Threshold50,
    ThresholdMax,
    ThresholdX,
    TrainingPrevalence,
)
from shiftproof.quantification._quantify import class_shares as class_shares
from shiftproof.quantification._quantify import quantify
from shiftproof.quantification._quantify import quantify_case as quantify_case
from shiftproof.quantification._result import PeriodShares, Quantification
from shiftproof.quantification._run import run_protocol
from shiftproof.quantification._totals import class_totals
from shiftproof.quantification._words import impossible_share as impossible_share
from shiftproof.quantification.neighbors._quantifiers import NearestNeighbors, ProportionWeightedNeighbors
from shiftproof.quantification.neighbors._votes import class_weights as class_weights
from shiftproof.quantification.structured._classifier import StructuredClassifier as StructuredClassifier
from shiftproof.quantification.structured._quantifier import StructuredSVM
from shiftproof.quantification.structured._solver import mix as mix

__all__ = [
    "METHODS",
    "QUANTIFIERS",
    "AdjustedCount",
    "ArtificialPrevalence",
    "ClassifierQuantifier",
    "ClassifyAndCount",
    "Combined",
    "DistributionMatching",
    "EnergyMatching",
    "ExpectationMaximization",
    "HellingerMatching",
    "KernelDensityMatching",
    "Labelled",
    "Learned",
    "MedianSweep",
    "Method",
    "NaturalPrevalence",
    "NearestNeighbors",
    "PeriodShares",
    "ProbabilityAverage",
    "ProportionWeightedNeighbors",
    "Quantification",
    "Quantifier",
    "RowScores",
    "SampleProtocol",
    "Samples",
    "ScaledProbabilityAverage",
    "StructuredSVM",
    "ThesisProtocol",
    "Threshold50",
    "ThresholdMax",
    "ThresholdX",
    "TrainingPrevalence",
    "UniformSimplex",
    "adapt_probabilities",
    "class_totals",
    "quantify",
    "run_protocol",
]
