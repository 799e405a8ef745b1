"""May this classifier be trusted on rows that nobody has labelled?

One call asks everything else in this library, and answers with a verdict, its reasons and a report.
"""

from shiftproof.auditing._audit import audit
from shiftproof.auditing._result import Audit, Stage
from shiftproof.auditing._verdict import Reason, Verdict
from shiftproof.auditing._verification import Claim, Verification

__all__ = ["Audit", "Claim", "Reason", "Stage", "Verdict", "Verification", "audit"]
