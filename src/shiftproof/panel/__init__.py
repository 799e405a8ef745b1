"""What do candidate models predict for rows that they never saw?

Every model is fitted once per fold; its out-of-fold scores then serve evaluation, detection, selection and more.
"""

from shiftproof.panel._balancing import with_odds as with_odds
from shiftproof.panel._bayes import MixedNaiveBayes as MixedNaiveBayes
from shiftproof.panel._columns import columns_used as columns_used
from shiftproof.panel._cross_fit import cross_fit as cross_fit
from shiftproof.panel._cross_fit import fold_pairs as fold_pairs
from shiftproof.panel._direction import reversed_models as reversed_models
from shiftproof.panel._fitted import is_fitted as is_fitted
from shiftproof.panel._fitted import warn_refitted as warn_refitted
from shiftproof.panel._inputs import Features as Features
from shiftproof.panel._inputs import PreparedRows as PreparedRows
from shiftproof.panel._inputs import as_features as as_features
from shiftproof.panel._inputs import check_lengths as check_lengths
from shiftproof.panel._inputs import encode_known as encode_known
from shiftproof.panel._inputs import encode_labels as encode_labels
from shiftproof.panel._inputs import fingerprint_features as fingerprint_features
from shiftproof.panel._inputs import known_label_array as known_label_array
from shiftproof.panel._inputs import match_columns as match_columns
from shiftproof.panel._inputs import take as take
from shiftproof.panel._laplace import ByTrees as ByTrees
from shiftproof.panel._laplace import LaplaceTree as LaplaceTree
from shiftproof.panel._models import default_models as default_models
from shiftproof.panel._models import prepares_tables as prepares_tables
from shiftproof.panel._named_models import named_by_class as named_by_class
from shiftproof.panel._named_models import named_entries as named_entries
from shiftproof.panel._named_models import named_models as named_models
from shiftproof.panel._panel import Panel as Panel
from shiftproof.panel._progress import Progress as Progress
from shiftproof.panel._progress import run_all as run_all
from shiftproof.panel._resampling import Bootstrap as Bootstrap
from shiftproof.panel._resampling import balanced_sample as balanced_sample
from shiftproof.panel._resampling import bootstrap_632 as bootstrap_632
from shiftproof.panel._resampling import holdout as holdout
from shiftproof.panel._resampling import k_fold as k_fold
from shiftproof.panel._resampling import leave_one_out as leave_one_out
from shiftproof.panel._resampling import repeated_holdout as repeated_holdout
from shiftproof.panel._resampling import repeated_k_fold as repeated_k_fold
from shiftproof.panel._resampling import three_way_split as three_way_split
from shiftproof.panel._resampling import zero_one as zero_one
from shiftproof.panel._scoring import Scorer as Scorer
from shiftproof.panel._scoring import scoring as scoring
from shiftproof.panel._tables import TablePreparer as TablePreparer
