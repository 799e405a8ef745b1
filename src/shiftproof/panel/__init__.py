"""What do candidate models say of rows that they never saw?

Every model is fitted once per fold; its out-of-fold scores then serve evaluation, detection, selection and more.
"""

from shiftproof.panel._bayes import MixedNaiveBayes
from shiftproof.panel._cross_fit import cross_fit, named_by_class
from shiftproof.panel._inputs import (
    Features,
    as_features,
    check_lengths,
    encode_known,
    encode_labels,
    fingerprint_features,
    is_texts,
    like,
    take,
)
from shiftproof.panel._laplace import ByTrees, LaplaceTree
from shiftproof.panel._models import default_models
from shiftproof.panel._panel import Panel
from shiftproof.panel._progress import run_all
from shiftproof.panel._resampling import (
    Bootstrap,
    balanced_sample,
    bootstrap_632,
    holdout,
    k_fold,
    leave_one_out,
    repeated_holdout,
    repeated_k_fold,
    three_way_split,
    zero_one,
)
from shiftproof.panel._scoring import scoring
from shiftproof.panel._tables import TablePreparer

__all__ = [
    "Bootstrap",
    "ByTrees",
    "Features",
    "LaplaceTree",
    "MixedNaiveBayes",
    "Panel",
    "TablePreparer",
    "as_features",
    "balanced_sample",
    "bootstrap_632",
    "check_lengths",
    "cross_fit",
    "default_models",
    "encode_known",
    "encode_labels",
    "fingerprint_features",
    "holdout",
    "is_texts",
    "k_fold",
    "leave_one_out",
    "like",
    "named_by_class",
    "repeated_holdout",
    "repeated_k_fold",
    "run_all",
    "scoring",
    "take",
    "three_way_split",
    "zero_one",
]
