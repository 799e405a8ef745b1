"""The result of `kind_of_shift`: the answer with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import Floats, Interval, Result, plain
from shiftproof.shift._decide import CORRELATION, ENTROPY, OUTSIDE, QUIET, SAME, SURE, Evidence, Kind
from shiftproof.shift._words import kind_finding, kind_summary

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class ShiftKind(Result):
    """Which type of shift it is, and why.

    Attributes
    ----------
    kind : {"none", "prior", "covariate", "unclear", "too different"}
        The answer.
    reasons : tuple of str
        Why, in plain sentences.
    evidence : Evidence
        The figures behind the answer.
    prevalence : mapping of label to Interval
        The estimated class proportions of the new rows; they are valid only under prior shift or none.
    training_prevalence : mapping of label to float
        The class proportions of the labelled rows.
    weights : array of shape (n_reference,)
        Weights that make the reference look like the new rows (entropy balancing); they add up to 1. Rows that were
        not drawn have none.
    reference_scores, current_scores : arrays of shapes (n_reference, k) and (n_current, k)
        Class probabilities from models that never saw the row; NaN for rows that were not drawn.
    left_out : mapping of str to str
        Columns that took no part, each with its reason.
    n_reference, n_current : int
        Rows on both sides.
    newest : str
        The column with the most new values that the labelled rows do not cover; empty if that is not known.
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
    newest: str = ""

    @property
    def refused(self) -> bool:
        """Whether the type is "too different": the labelled rows hardly cover the new ones."""
        return self.kind == "too different"

    @property
    def p_none(self) -> float:
        """The p-value of no shift at all."""
        return self.evidence.p_none

    @property
    def p_prior(self) -> float:
        """The p-value of prior shift: other class proportions and nothing else."""
        return self.evidence.p_prior

    @property
    def p_covariate(self) -> float:
        """The p-value of covariate shift: whether weights by features leave a change of the score."""
        return self.evidence.p_covariate

    @property
    def p_prevalence(self) -> float:
        """The p-value of unchanged class proportions, if nothing else can change."""
        return self.evidence.p_prevalence

    @property
    def gain(self) -> float:
        """What other class proportions add to the log-likelihood of the new rows beyond weights by features."""
        return self.evidence.gain

    @property
    def entropy(self) -> float:
        """How uneven the weights are, sum w log(n w): 0 if equal."""
        return self.evidence.entropy

    @property
    def outside(self) -> float:
        """The share of new rows without a similar labelled row."""
        return self.evidence.outside

    @property
    def correlation_change(self) -> float:
        """The change of the features' rank correlations beyond chance, on Fisher's scale."""
        return self.evidence.correlation_change

    def to_frame(self) -> pd.DataFrame:
        """Return one row per piece of evidence: the question, the figure, its limit and the answer."""
        import pandas as pd

        evidence = self.evidence
        p_values = [
            ("Do the tables differ?", "p_none", evidence.p_none),
            ("Do changed class proportions explain some of the difference?", "p_prevalence", evidence.p_prevalence),
            ("Does something remain that changed class proportions cannot explain?", "p_prior", evidence.p_prior),
            ("Does something remain that weighting cannot explain?", "p_covariate", evidence.p_covariate),
        ]
        could_change = (
            "Could the class proportions have changed much?",
            "largest_change",
            evidence.reach_of_shares,
            SAME,
        )
        # Class shares of data that are too different cannot be estimated, so neither can their change.
        sizes = [
            *([] if self.refused else [could_change]),
            ("Do changed class proportions fit better than weighting?", "gain", evidence.gain, evidence.gain_limit),
            ("Are the weights too uneven?", "entropy", evidence.entropy, ENTROPY),
            ("Do many new rows lack a similar labelled row?", "outside", evidence.outside, OUTSIDE),
            ("Are features correlated differently?", "correlation_change", evidence.correlation_change, CORRELATION),
        ]
        rows = [(*row, SURE, "yes" if row[2] < SURE else "no" if row[2] >= QUIET else "unclear") for row in p_values]
        rows += [(*row, "yes" if row[2] > row[3] else "no") for row in sizes]
        return pd.DataFrame(rows, columns=["question", "figure", "value", "limit", "answer"])

    def to_dict(self) -> dict[str, Any]:
        """Return the answer, the reasons and the evidence as plain values."""
        evidence = self.evidence
        return {
            "shiftproof": __version__,
            "kind": self.kind,
            "refused": self.refused,
            "summary": self.summary(),
            "reasons": list(self.reasons),
            "n_reference": self.n_reference,
            "n_current": self.n_current,
            "p_none": evidence.p_none,
            "p_prior": evidence.p_prior,
            "p_covariate": evidence.p_covariate,
            "p_prevalence": evidence.p_prevalence,
            "gain": evidence.gain,
            "entropy": evidence.entropy,
            "outside": evidence.outside,
            "correlation_change": evidence.correlation_change,
            "evidence": plain(self.to_frame().to_dict("records")),
            "prevalence": plain(self.prevalence),
            "training_prevalence": plain(self.training_prevalence),
            "left_out": dict(self.left_out),
        }

    @property
    def finding(self) -> str:
        """Which type of shift it is, and why, without the caveat of `summary`."""
        return kind_finding(self)

    def summary(self) -> str:
        """Say which type of shift it is, why, and what cannot be known without labels."""
        return kind_summary(self)
