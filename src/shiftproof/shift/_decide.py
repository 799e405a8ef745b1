"""From evidence to one of five answers. Every limit stands here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special

from shiftproof.core import Floats, counted, p_words, share

#: The five answers.
Kind = Literal["none", "prior", "covariate", "unclear", "too different"]

#: Below this a p-value says yes; between the two nothing is said.
SURE, QUIET = 0.01, 0.05
#: Class shares are the same if the change is below this for sure, and have changed if it is at least half of it.
SAME = 0.1
#: Above these the new rows are too different from the reference.
ENTROPY, OUTSIDE, CORRELATION = 1.2, 0.10, 0.14
#: With fewer new rows no kind is named.
FEWEST = 20
# The normal quantile for a change that is ruled out at 5%.
_ONE_SIDED_95 = 1.645
#: A class of fewer rows is not known well enough.
RAREST = 5
_NO_CHANCE = 0.001


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """Everything that the answer depends on.

    Attributes
    ----------
    p_none, p_prevalence, p_prior, p_covariate : float
        P-values of: no shift; the same class shares; a change of class shares and nothing else; weights by features.
    gain : float
        By how much the log-likelihood of the new rows grows if class shares may change beyond such weights.
    training, shares, errors : arrays of shape (k,)
        The class shares in the reference, those estimated for the new rows, and their standard errors.
    entropy, outside, correlation_change : float
        How uneven the weights are, the share of new rows outside, the change of the correlations.
    n_reference, n_current : int
        Rows that these come from.
    """

    p_none: float
    p_prevalence: float
    p_prior: float
    p_covariate: float
    gain: float
    training: Floats
    shares: Floats
    errors: Floats
    entropy: float
    outside: float
    correlation_change: float
    n_reference: int
    n_current: int

    @property
    def moved(self) -> float:
        """The largest change of a class share."""
        return float(np.abs(self.shares - self.training).max())

    @property
    def reach_of_shares(self) -> float:
        """The largest change of a class share that cannot be ruled out."""
        return float((np.abs(self.shares - self.training) + _ONE_SIDED_95 * self.errors).max())

    @property
    def gain_limit(self) -> float:
        """The gain from which on class shares are thought to have changed too; weights never fit perfectly."""
        return 3 + 0.01 * self.n_current

    @property
    def weights_too_uneven(self) -> bool:
        """Whether only a few labelled rows resemble the new data."""
        return self.entropy > ENTROPY

    @property
    def too_many_outside(self) -> bool:
        """Whether too many new rows have no similar labelled row."""
        return self.outside > OUTSIDE

    @property
    def correlated_differently(self) -> bool:
        """Whether the features are correlated too differently."""
        return self.correlation_change > CORRELATION


def decide(found: Evidence) -> tuple[Kind, tuple[str, ...]]:
    """Choose the answer, and say why in plain sentences."""
    # First: the tests below compare tables that overlap.
    refusals = _too_different(found)
    if refusals:
        return "too different", refusals
    if found.n_current < FEWEST:
        return "unclear", (f"{counted(found.n_current, 'new row')} cannot tell kinds of shift apart.",)
    rarest = round(float(found.training.min()) * found.n_reference)
    if rarest < RAREST:
        few = f"A class with {counted(rarest, 'labelled row')} is not known well enough"
        return "unclear", (f"{few}; join it with another, or label more.",)
    if found.p_none >= QUIET:
        return _quiet(found)
    if found.p_none >= SURE:
        return "unclear", (f"There are signs of a shift, but weak ones ({p_words(found.p_none)}).",)
    differ = f"The tables differ ({p_words(found.p_none)})"
    if found.p_prior >= QUIET:
        return _explained_by_shares(found, differ)
    if found.p_prior >= SURE:
        return "unclear", (f"{differ}, and other class shares explain that badly ({p_words(found.p_prior)}).",)
    unlike = f"{differ}, and other class shares cannot explain how ({p_words(found.p_prior)})"
    if found.p_covariate < SURE:
        weights = f"neither can weights of the reference rows by their features ({p_words(found.p_covariate)})"
        return "unclear", (f"{unlike}; {weights}.",)
    # Weights by features can imitate a prior shift; the likelihood tells the two apart.
    if found.gain >= found.gain_limit:
        more = f"other class shares explain more than weights alone (gain {found.gain:.1f})"
        return "unclear", (f"{unlike}; {more}.",)
    return "covariate", (
        f"{unlike}.",
        f"Weights of the reference rows by their features can ({p_words(found.p_covariate)}).",
    )


def _too_different(found: Evidence) -> tuple[str, ...]:
    reasons = []
    if found.weights_too_uneven:
        reasons.append(
            "To look like the new rows, the reference would have to lean on few of its rows "
            f"(entropy {found.entropy:.2f}, at most {ENTROPY})."
        )
    if found.too_many_outside and _beyond_chance(found):
        reasons.append(
            f"{share(found.outside)} of the new rows lie where the reference has none, at most {OUTSIDE:.0%}."
        )
    if found.correlated_differently:
        reasons.append(
            f"The features go together in another way (correlations changed by {found.correlation_change:.2f}, "
            f"at most {CORRELATION})."
        )
    return tuple(reasons)


def _beyond_chance(found: Evidence) -> bool:
    """Tell whether so many rows outside are no accident; a small reference has more of them."""
    # 1% of the reference rows lie beyond their own 99% quantile, which few rows give only to within some rows.
    usual = min(0.01 + 5 / found.n_reference, 1.0)
    count = round(found.outside * found.n_current)
    return bool(special.bdtrc(count - 1, found.n_current, usual) < _NO_CHANCE)


def _quiet(found: Evidence) -> tuple[Kind, tuple[str, ...]]:
    alike = f"No difference was found ({p_words(found.p_none)})"
    reach = found.reach_of_shares
    if reach > SAME:
        return "unclear", (f"{alike}, but class shares could have changed by {min(reach, 1.0):.2f} unnoticed.",)
    return "none", (f"{alike}.", f"A change of class shares by more than {reach:.2f} would have been seen.")


def _explained_by_shares(found: Evidence, differ: str) -> tuple[Kind, tuple[str, ...]]:
    explained = f"other class shares explain how ({p_words(found.p_prior)})"
    if found.p_prevalence >= SURE or found.moved < SAME / 2:
        unsure = f"{p_words(found.p_prevalence)}, largest change {found.moved:.2f}"
        return "unclear", (f"{differ} and {explained}, but the class shares are much the same ({unsure}).",)
    return "prior", (f"{differ}.", f"{explained[0].upper()}{explained[1:]}.")
