"""The result of `kind_of_shift`: the answer with its evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof._version import __version__
from shiftproof.core import Floats, Interval, Result, plain
from shiftproof.shift._decide import CORRELATION, ENTROPY, OUTSIDE, QUIET, SAME, SURE, Evidence, Kind
from shiftproof.shift._words import kind_finding, kind_summary

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnRows:
    """Rows that were drawn from a table, and what was computed for them: of a large table only some are.

    Parameters
    ----------
    rows : ndarray of shape (r,)
        Their numbers.
    n : int
        How many rows the table has.
    scores : ndarray of shape (r, k)
        Class probabilities from models that never saw the row.
    weights : ndarray of shape (r,)
        Of the reference: what makes it look like the new rows.
    """

    rows: NDArray[np.int64]
    n: int
    scores: Floats
    weights: Floats

    @property
    def all_scored(self) -> bool:
        """Whether every row of the table has scores."""
        return len(self.rows) == self.n and not np.isnan(self.scores).any()

    def whole(self, values: Floats, *, fill: float) -> Floats:
        """Give values to all rows of the table."""
        full = values.view()
        if len(self.rows) < self.n:
            full = np.full((self.n, *values.shape[1:]), fill)
            full[self.rows] = values
        full.flags.writeable = False
        return full


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
    drawn, new_drawn : DrawnRows
        The rows that were drawn from the labelled and from the new table, and what was computed for them.
    left_out : mapping of str to str
        Columns that were not used, each with the reason.
    n_reference, n_current : int
        The numbers of labelled and of new rows.
    newest : str
        The column with the largest share of new values that the labelled rows do not cover; empty if not known.
    """

    kind: Kind
    reasons: tuple[str, ...]
    evidence: Evidence
    prevalence: Mapping[Any, Interval]
    training_prevalence: Mapping[Any, float]
    drawn: DrawnRows
    new_drawn: DrawnRows
    left_out: Mapping[str, str]
    n_reference: int
    n_current: int
    newest: str = ""

    @property
    def weights(self) -> Floats:
        """Weights that make the reference look like the new rows (entropy balancing), of shape (n_reference,).

        They add up to 1. Rows that were not drawn have the weight 0.
        """
        return self.drawn.whole(self.drawn.weights, fill=0.0)

    @property
    def reference_scores(self) -> Floats:
        """Class probabilities from models that never saw the row, of shape (n_reference, k); NaN for rows not drawn."""
        return self.drawn.whole(self.drawn.scores, fill=math.nan)

    @property
    def current_scores(self) -> Floats:
        """Class probabilities of the new rows, of shape (n_current, k)."""
        return self.new_drawn.whole(self.new_drawn.scores, fill=math.nan)

    @property
    def refused(self) -> bool:
        """Whether the type is "too different": the labelled rows hardly cover the new rows."""
        return self.kind == "too different"

    @property
    def p_none(self) -> float:
        """The p-value of no shift at all."""
        return self.evidence.p_none

    @property
    def p_prior(self) -> float:
        """The p-value of prior shift: only the class proportions changed."""
        return self.evidence.p_prior

    @property
    def p_covariate(self) -> float:
        """The p-value of covariate shift: whether the score still differs after weighting rows by their features."""
        return self.evidence.p_covariate

    @property
    def p_prevalence(self) -> float:
        """The p-value of unchanged class proportions, assuming that nothing else changed."""
        return self.evidence.p_prevalence

    @property
    def gain(self) -> float:
        """How much changed class proportions add to the log-likelihood of the new rows, beyond weights by features."""
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
            (
                "Does a change of class proportions explain some of the difference?",
                "p_prevalence",
                evidence.p_prevalence,
            ),
            ("Is anything left that a change of class proportions cannot explain?", "p_prior", evidence.p_prior),
            ("Is anything left that weighting cannot explain?", "p_covariate", evidence.p_covariate),
        ]
        could_change = (
            "Could the class proportions have changed a lot unnoticed?",
            "largest_change",
            evidence.reach_of_shares,
            SAME,
        )
        # Class shares of data that are too different cannot be estimated, so neither can their change.
        sizes = [
            *([] if self.refused else [could_change]),
            (
                "Does a change of class proportions fit better than a change of inputs (gain in log-likelihood)?",
                "gain",
                evidence.gain,
                evidence.gain_limit,
            ),
            ("Do too few labelled rows resemble the new data?", "entropy", evidence.entropy, ENTROPY),
            ("Do many new rows lack a similar labelled row?", "outside", evidence.outside, OUTSIDE),
            ("Are features correlated differently?", "correlation_change", evidence.correlation_change, CORRELATION),
        ]
        rows = [(*row, SURE, "yes" if row[2] < SURE else "no" if row[2] >= QUIET else "unclear") for row in p_values]
        rows += [(*row, "yes" if row[2] > row[3] else "no") for row in sizes]
        if evidence.too_many_outside and evidence.outside_by_chance:
            # So few rows can have as many by chance, which is why the type of shift ignores them.
            rows = [(*row[:-1], "unclear") if row[1] == "outside" else row for row in rows]
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
            "resembling": evidence.resembling,
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
        """Return which type of shift it is, why, and what cannot be known without labels."""
        return kind_summary(self)
