"""Of which kind is the shift? Prior, covariate, none, or out of reach; without labels for the new rows."""

from shiftproof.shift._decide import QUIET, Evidence, Kind
from shiftproof.shift._domain import DomainCheck, domain_check, row_codes
from shiftproof.shift._kind import kind_of_shift
from shiftproof.shift._shift_kind import ShiftKind

__all__ = ["QUIET", "DomainCheck", "Evidence", "Kind", "ShiftKind", "domain_check", "kind_of_shift", "row_codes"]
