"""Which type of shift is it, without labels of the new rows? None, prior, covariate, unclear or too different."""

from shiftproof.shift._battery import quad as quad
from shiftproof.shift._decide import NEW_VALUES as NEW_VALUES
from shiftproof.shift._decide import QUIET as QUIET
from shiftproof.shift._decide import SURE as SURE
from shiftproof.shift._decide import Evidence
from shiftproof.shift._decide import Kind as Kind
from shiftproof.shift._decide import decide as decide
from shiftproof.shift._domain import DomainCheck, domain_check
from shiftproof.shift._domain import row_codes as row_codes
from shiftproof.shift._evidence import PartShift as PartShift
from shiftproof.shift._kind import kind_of_shift
from shiftproof.shift._kind import shifts_of_parts as shifts_of_parts
from shiftproof.shift._shift_kind import DrawnRows as DrawnRows
from shiftproof.shift._shift_kind import ShiftKind
from shiftproof.shift._words import evidence_rows as evidence_rows
from shiftproof.shift._words import reason_sentences as reason_sentences

__all__ = [
    "DomainCheck",
    "Evidence",
    "ShiftKind",
    "domain_check",
    "kind_of_shift",
]
