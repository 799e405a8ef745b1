"""Are two samples different, by how much, and is that more than chance? Which of several methods ranks best?

`compare` and `Reference` make one sufficient record per feature; every test and distance is a function of it.
"""

from shiftproof.stats._bootstrap import bootstrap, bootstrap_difference
from shiftproof.stats._distances import (
    detectable_hellinger,
    detectable_ks,
    hellinger,
    ks_interval,
    psi,
    wasserstein,
)
from shiftproof.stats._intervals import clopper_pearson, jeffreys, newcombe, wilson
from shiftproof.stats._multiple import benjamini_hochberg, holm
from shiftproof.stats._ranks import (
    critical_difference,
    critical_value,
    friedman,
    iman_davenport,
    rank_rows,
    sign_test,
    wilcoxon,
)
from shiftproof.stats._records import ContinuousRecord, NominalRecord, Record, compare
from shiftproof.stats._reference import Reference, Scale, compare_tables
from shiftproof.stats._result import TestResult
from shiftproof.stats._two_sample import (
    chi_square,
    cramer_von_mises,
    kolmogorov_smirnov,
    kruskal_wallis,
    missingness,
)

__all__ = [
    "ContinuousRecord",
    "NominalRecord",
    "Record",
    "Reference",
    "Scale",
    "TestResult",
    "benjamini_hochberg",
    "bootstrap",
    "bootstrap_difference",
    "chi_square",
    "clopper_pearson",
    "compare",
    "compare_tables",
    "cramer_von_mises",
    "critical_difference",
    "critical_value",
    "detectable_hellinger",
    "detectable_ks",
    "friedman",
    "hellinger",
    "holm",
    "iman_davenport",
    "jeffreys",
    "kolmogorov_smirnov",
    "kruskal_wallis",
    "ks_interval",
    "missingness",
    "newcombe",
    "psi",
    "rank_rows",
    "sign_test",
    "wasserstein",
    "wilcoxon",
    "wilson",
]
