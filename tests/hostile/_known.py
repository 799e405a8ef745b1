"""Findings that are not fixed yet: the inputs and the verbs in which they show."""

from __future__ import annotations

FINDINGS: dict[tuple[str, str], tuple[str, ...]] = {}
#: Files of the same kind.
PENDING_FILES: set[str] = set()
#: Tests of findings of the review that are not fixed yet.
PENDING = {
    "test_s7_class_proportions_of_weighted_rows_are_weighted",
    "test_s7_row_of_weight_zero_does_not_count",
}


def known(name: str, verb: str) -> str:
    """Return the finding that a case is a part of; empty if it must hold."""
    return next((finding for (finding, odd), verbs in FINDINGS.items() if odd == name and verb in verbs), "")
