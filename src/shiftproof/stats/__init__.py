"""Are two samples different, by how much, and is that more than chance? Which of several methods ranks best?

`compare` and `Reference` make one sufficient record per feature; every test and distance is a function of it.
"""

from shiftproof.stats._bayesian import SignedRankPosterior, bayesian_signed_rank, bayesian_signed_rank_matrix
from shiftproof.stats._blocked import blocked_kruskal_wallis
from shiftproof.stats._bootstrap import bootstrap, bootstrap_difference
from shiftproof.stats._distances import (
    detectable_hellinger,
    detectable_ks,
    detectable_share,
    hellinger,
    hellinger_interval,
    ks_interval,
    psi,
    skewness,
    wasserstein,
)
from shiftproof.stats._intervals import clopper_pearson, jeffreys, newcombe, wilson
from shiftproof.stats._multiple import MOST_METHODS as MOST_METHODS
from shiftproof.stats._multiple import (
    benjamini_hochberg,
    bergmann_hommel,
    cauchy_combination,
    hochberg,
    holm,
    hommel,
    shaffer,
)
from shiftproof.stats._numeric import numeric_error
from shiftproof.stats._phi import MeanPhi, mean_phi, phi_as_printed, phi_correlation
from shiftproof.stats._ranks import Spread as Spread
from shiftproof.stats._ranks import (
    critical_difference,
    critical_value,
    friedman,
    iman_davenport,
    post_hoc_p_value,
    rank_rows,
    sign_test,
    wilcoxon,
)
from shiftproof.stats._records import N_BINS as N_BINS
from shiftproof.stats._records import N_CELLS as N_CELLS
from shiftproof.stats._records import ContinuousRecord, NominalRecord, compare
from shiftproof.stats._records import Ordered as Ordered
from shiftproof.stats._records import Record as Record
from shiftproof.stats._records import compare_counts as compare_counts
from shiftproof.stats._records import step_places as step_places
from shiftproof.stats._reference import Reference, compare_tables
from shiftproof.stats._reference import Scale as Scale
from shiftproof.stats._reference import compare_columns as compare_columns
from shiftproof.stats._result import TestResult
from shiftproof.stats._schemes import (
    SchemeComparison,
    VCBound,
    corrected_resampled_t,
    five_by_two_f,
    mcnemar,
    signed_rank_comparison,
    vc_bound,
)
from shiftproof.stats._schemes import VCForm as VCForm
from shiftproof.stats._two_sample import chi_square, cramer_von_mises, kolmogorov_smirnov, kruskal_wallis, missingness
from shiftproof.stats._two_sample import ks_test as ks_test

__all__ = [
    "ContinuousRecord",
    "MeanPhi",
    "NominalRecord",
    "Reference",
    "SchemeComparison",
    "SignedRankPosterior",
    "TestResult",
    "VCBound",
    "bayesian_signed_rank",
    "bayesian_signed_rank_matrix",
    "benjamini_hochberg",
    "bergmann_hommel",
    "blocked_kruskal_wallis",
    "bootstrap",
    "bootstrap_difference",
    "cauchy_combination",
    "chi_square",
    "clopper_pearson",
    "compare",
    "compare_tables",
    "corrected_resampled_t",
    "cramer_von_mises",
    "critical_difference",
    "critical_value",
    "detectable_hellinger",
    "detectable_ks",
    "detectable_share",
    "five_by_two_f",
    "friedman",
    "hellinger",
    "hellinger_interval",
    "hochberg",
    "holm",
    "hommel",
    "iman_davenport",
    "jeffreys",
    "kolmogorov_smirnov",
    "kruskal_wallis",
    "ks_interval",
    "mcnemar",
    "mean_phi",
    "missingness",
    "newcombe",
    "numeric_error",
    "phi_as_printed",
    "phi_correlation",
    "post_hoc_p_value",
    "psi",
    "rank_rows",
    "shaffer",
    "sign_test",
    "signed_rank_comparison",
    "skewness",
    "vc_bound",
    "wasserstein",
    "wilcoxon",
    "wilson",
]
