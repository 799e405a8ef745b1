"""Can this classifier be trusted on unlabelled data?

One call asks everything else in this library, and answers with a verdict, its reasons and a report.
"""

from shiftproof.auditing._audit import audit as audit
from shiftproof.auditing._next_step import what_to_do as what_to_do
from shiftproof.auditing._result import Audit as Audit
from shiftproof.auditing._verification import Claim as Claim
from shiftproof.auditing._verification import Verification as Verification
from shiftproof.auditing._verification_words import verification_summary as verification_summary
from shiftproof.auditing._without import NewValues as NewValues
from shiftproof.auditing._without import Without as Without
from shiftproof.auditing._words import no_count_text as no_count_text
from shiftproof.auditing._words import order_text as order_text
