"""What `kind_of_shift` found: the answer, the evidence, the words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.core import Floats, Interval, Result, counted, plain, share, shown
from shiftproof.shift._decide import CORRELATION, ENTROPY, OUTSIDE, QUIET, SAME, SURE, Evidence, Kind

if TYPE_CHECKING:
    import pandas as pd

_FINDING: dict[Kind, str] = {
    "none": "No shift",
    "prior": "Prior shift: only the shares of the classes changed",
    "covariate": "Covariate shift: other rows came in, in the same classes as far as features tell",
    "unclear": "Cannot tell which kind of shift this is",
    "too different": "Out of reach: the new rows are too unlike the reference for any statement about them",
}
_MIXED = "A mix of covariate and prior shift can look like this."
_BLIND = "Concept shift, a change of P(y|x), cannot be seen without labels."


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftKind(Result):
    """Which kind of shift it is, and why.

    Attributes
    ----------
    kind : {"none", "prior", "covariate", "unclear", "too different"}
        The answer.
    reasons : tuple of str
        Why, in plain sentences.
    evidence : Evidence
        The figures behind the answer.
    prevalence : mapping of label to Interval
        The estimated shares of the classes among the new rows; they mean something only under prior shift or none.
    training_prevalence : mapping of label to float
        The shares among the reference rows.
    weights : array of shape (n_reference,)
        Weights that make the reference look like the new rows (entropy balancing); they add up to 1. Rows that were
        not drawn have none.
    reference_scores, current_scores : arrays of shapes (n_reference, k) and (n_current, k)
        Class probabilities from models that never saw the row; NaN for rows that were not drawn.
    left_out : mapping of str to str
        Columns that took no part, each with its reason.
    n_reference, n_current : int
        Rows on both sides.
    """

    kind: Kind
    reasons: tuple[str, ...]
    evidence: Evidence
    prevalence: Mapping[Any, Interval]
    training_prevalence: Mapping[Any, float]
    weights: Floats
    reference_scores: Floats
    current_scores: Floats
    left_out: Mapping[str, str]
    n_reference: int
    n_current: int

    @property
    def refused(self) -> bool:
        """Whether the new rows are too different from the reference, so that nothing should be estimated for them."""
        return self.kind == "too different"

    @property
    def p_none(self) -> float:
        """The p-value of no shift at all."""
        return self.evidence.p_none

    @property
    def p_prior(self) -> float:
        """The p-value of prior shift: other class shares and nothing else."""
        return self.evidence.p_prior

    @property
    def p_covariate(self) -> float:
        """The p-value of covariate shift: what weights by features leave of the score's change."""
        return self.evidence.p_covariate

    @property
    def p_prevalence(self) -> float:
        """The p-value of unchanged class shares, if class shares are all that can change."""
        return self.evidence.p_prevalence

    @property
    def gain(self) -> float:
        """What other class shares add to the log-likelihood of the new rows beyond weights by features."""
        return self.evidence.gain

    @property
    def entropy(self) -> float:
        """How uneven the weights are, sum w log(n w): 0 if equal."""
        return self.evidence.entropy

    @property
    def outside(self) -> float:
        """The share of new rows where the reference has none."""
        return self.evidence.outside

    @property
    def correlation_change(self) -> float:
        """The change of the features' rank correlations beyond chance, on Fisher's scale."""
        return self.evidence.correlation_change

    def to_frame(self) -> pd.DataFrame:
        """Return one row per piece of evidence: the question, the figure, its limit and the answer."""
        import pandas as pd

        found = self.evidence
        p_values = [
            ("Do the tables differ?", "p_none", found.p_none),
            ("Did the class shares change?", "p_prevalence", found.p_prevalence),
            ("Is there more than other class shares?", "p_prior", found.p_prior),
            ("Is there more than weights explain?", "p_covariate", found.p_covariate),
        ]
        sizes = [
            ("Could the class shares have changed much?", "largest_change", found.reach_of_shares, SAME),
            ("Do other class shares add to weights?", "gain", found.gain, found.gain_limit),
            ("Are the weights too uneven?", "entropy", found.entropy, ENTROPY),
            ("Do new rows lie outside?", "outside", found.outside, OUTSIDE),
            ("Do features go together otherwise?", "correlation_change", found.correlation_change, CORRELATION),
        ]
        rows = [(*row, SURE, "yes" if row[2] < SURE else "no" if row[2] >= QUIET else "unclear") for row in p_values]
        rows += [(*row, "yes" if row[2] > row[3] else "no") for row in sizes]
        return pd.DataFrame(rows, columns=["question", "figure", "value", "limit", "answer"])

    def to_dict(self) -> dict[str, Any]:
        """Return the answer, the reasons and the evidence as plain values."""
        found = self.evidence
        return {
            "shiftproof": __version__,
            "kind": self.kind,
            "refused": self.refused,
            "summary": self.summary(),
            "reasons": list(self.reasons),
            "n_reference": self.n_reference,
            "n_current": self.n_current,
            "p_none": found.p_none,
            "p_prior": found.p_prior,
            "p_covariate": found.p_covariate,
            "p_prevalence": found.p_prevalence,
            "gain": found.gain,
            "entropy": found.entropy,
            "outside": found.outside,
            "correlation_change": found.correlation_change,
            "evidence": plain(self.to_frame().to_dict("records")),
            "prevalence": plain(self.prevalence),
            "training_prevalence": plain(self.training_prevalence),
            "left_out": dict(self.left_out),
        }

    def summary(self) -> str:
        """Say what kind of shift it is, why, and what cannot be known."""
        finding = f"{_FINDING[self.kind]} ({self._sizes()}). " + " ".join(self.reasons)
        more = {"prior": self._shares(), "covariate": _MIXED}.get(self.kind, "")
        return " ".join(filter(None, [finding, more, _BLIND]))

    def _sizes(self) -> str:
        return f"{counted(self.n_reference, 'labelled row')} against {self.n_current:,}"

    def _shares(self) -> str:
        """Name the class that changed most: of two the second, which is usually the positive one."""
        labels = list(self.prevalence)
        moved = np.abs(self.evidence.shares - self.evidence.training)
        at = 1 if len(labels) == 2 else int(moved.argmax())
        interval = self.prevalence[labels[at]]
        now = f"{share(interval.estimate)} ({share(interval.low)} to {share(interval.high)})"
        return f"Class {shown(labels[at])} went from {share(self.training_prevalence[labels[at]])} to about {now}."
