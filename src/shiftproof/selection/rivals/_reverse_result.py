"""What `reverse_test` returns: which model beats which on unlabelled data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, Note, Phrase, Result, plain, unknown_name
from shiftproof.selection.rivals._words import note_text, reverse_summary

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


#: Which learners decide between two classifiers: their own two, or all.
Judges = Literal["pair", "all"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ReverseTest(Result):
    """Which model beats which on new data, judged by learners that are fitted on each model's labels.

    Attributes
    ----------
    names : tuple of str
        The models.
    matrix : ndarray of shape (l, l)
        One row per classifier and one column per learner: the learner is fitted on the new rows with the classifier's
        labels, and scored on the labelled rows. With resamples, the mean over the resamples. NaN where nothing could be
        learnt.
    judges : {"pair", "all"}
        Which learners decide between two classifiers: their own two, or all (by the mean of their scores).
    score : {"accuracy", "benefit"}
        Whether the matrix has accuracies or total benefits.
    confidence : ndarray of shape (l, l) or None
        The share of the resamples in which the model in the row beats the one in the column.
    resamples : int
        The number of resamples of the new rows.
    fits : int
        The number of models that were fitted.
    seconds : float
        The time that the test took, in seconds.
    n_labelled, n_new : int
        The numbers of labelled and of new rows.
    notes : tuple of Note
        What the user should know about the result.
    """

    names: tuple[str, ...]
    matrix: Floats
    judges: Judges
    score: Literal["accuracy", "benefit"]
    confidence: Floats | None
    resamples: int = 0
    fits: int
    seconds: float
    n_labelled: int
    n_new: int
    notes: tuple[Note, ...] = ()

    @property
    def beats(self) -> NDArray[np.bool_]:
        """Whether the model in the row beats the one in the column, of shape (l, l).

        With resamples the majority of those counts in which one of the two beats the other.
        """
        if self.confidence is None:
            return beaten(self.matrix, self.judges)
        # Resamples in which neither wins count for nobody.
        return np.asarray(self.confidence > self.confidence.T)

    @property
    def wins(self) -> dict[str, int]:
        """The number of models that each model beats."""
        return dict(zip(self.names, self.beats.sum(axis=1).tolist(), strict=True))

    @property
    def order(self) -> tuple[tuple[str, ...], ...]:
        """The models, ordered by wins minus losses, best first; tied models are in one group."""
        # A tournament may run in a circle, so that wins alone do not give an order.
        net = self.beats.sum(axis=1) - self.beats.sum(axis=0)
        groups = sorted(set(net.tolist()), reverse=True)
        return tuple(tuple(n for n, own in zip(self.names, net, strict=True) if own == each) for each in groups)

    @property
    def undecided(self) -> tuple[tuple[str, str], ...]:
        """The pairs in which neither model beats the other."""
        return tuple(pair for pair in combinations(self.names, 2) if self.verdict(*pair) is None)

    def verdict(self, a: str, b: str) -> str | None:
        """Return which of two models beats the other; None if the pair is undecided.

        Parameters
        ----------
        a, b : str
            Their names, in any order.
        """
        one, other = self._place(a, "a"), self._place(b, "b")
        beats = self.beats
        return a if beats[one, other] else b if beats[other, one] else None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: ``model, other, winner, confidence``.

        ``winner`` is None where the pair is undecided. ``confidence`` is the share of the resamples in which the winner
        won; it is missing without resamples and without a winner.
        """
        import pandas as pd

        pairs = [*combinations(self.names, 2)]
        winners = [self.verdict(a, b) for a, b in pairs]
        sure = [
            self._confidence(winner, b if winner == a else a) for (a, b), winner in zip(pairs, winners, strict=True)
        ]
        return pd.DataFrame(
            {
                "model": [a for a, _ in pairs],
                "other": [b for _, b in pairs],
                # None would become NaN in a column of text.
                "winner": pd.Series(winners, dtype=object),
                "confidence": np.array(sure, dtype=np.float64),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return self._plain_fields("notes") | {
            "pairs": plain(self.to_frame().to_dict("records")),
            "wins": self.wins,
            "order": plain(self.order),
            "notes": [str(note_text(note)) for note in self.notes],
        }

    def summary(self) -> str:
        """Return which model beats which, which pairs are undecided, and how many fits this took."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which notes are marked as sensitive."""
        return reverse_summary(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the matrix, which shows how well each learner does with each model's labels."""
        from shiftproof import plots

        return plots.reverse_matrix(self.names, self.matrix, beats=self.beats, score=self.score, ax=ax)

    def plot_tournament(self, ax: Axes | None = None) -> Axes:
        """Draw the models on a circle, with an arrow from each winner to each loser."""
        from shiftproof import plots

        return plots.tournament(self.names, self.beats, confidence=self.confidence, ax=ax)

    def victories(self) -> list[tuple[str, list[str]]]:
        """Return the models that each model beats; the model with the most net wins comes first."""
        beats, names = self.beats, self.names
        ranked = [names.index(name) for group in self.order for name in group]
        return [(names[at], [names[other] for other in ranked if beats[at, other]]) for at in ranked]

    def _confidence(self, winner: str | None, loser: str) -> float:
        if self.confidence is None or winner is None:
            return math.nan
        return float(self.confidence[self.names.index(winner), self.names.index(loser)])

    def _place(self, name: str, called: str) -> int:
        if name not in self.names:
            raise unknown_name(called, "be one of the models", name, self.names)
        return self.names.index(name)


def beaten(matrix: Floats, judges: Judges) -> NDArray[np.bool_]:
    """Return which model beats which by one matrix; NaN leaves a pair undecided.

    Examples
    --------
    Both learners do better with the labels of the first classifier:

    >>> beaten(np.array([[0.9, 0.8], [0.7, 0.6]]), "pair").tolist()
    [[False, True], [False, False]]

    One each, so that the pair is undecided; on average the first is better:

    >>> beaten(np.array([[0.9, 0.6], [0.7, 0.7]]), "pair").any()
    np.False_
    >>> beaten(np.array([[0.9, 0.6], [0.7, 0.7]]), "all").tolist()
    [[False, True], [False, False]]
    """
    size = len(matrix)
    found = np.zeros((size, size), dtype=np.bool_)
    for one in range(size):
        for other in range(size):
            mine, theirs = matrix[one], matrix[other]
            if judges == "pair":
                found[one, other] = mine[one] > theirs[one] and mine[other] > theirs[other]
            else:
                # Only judges that judged both. `fsum` is exact, so equal scores in another order are a tie.
                both = np.isfinite(mine) & np.isfinite(theirs)
                found[one, other] = math.fsum(mine[both]) > math.fsum(theirs[both])
    return found
