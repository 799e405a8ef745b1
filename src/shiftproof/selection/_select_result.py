"""What `select` returns: which model to use on the new data, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.case import FEWEST_NEW, SOFT_MEASURES, Assume, too_few_rows, unknowable
from shiftproof.core import Floats, Note, Phrase, plain
from shiftproof.reporting import Page, PagedResult, Tone
from shiftproof.selection._rehearsal import Rehearsal
from shiftproof.selection._words import note_text, selection_headline, selection_summary
from shiftproof.selection.rivals._reverse_result import ReverseTest
from shiftproof.shift import ShiftKind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.selection._page import SelectionSections

#: The method that `select` uses unless another is named.
DEFAULT = "routed pool"
# Two models are as good as equal if neither is better with this probability.
_SURE = 0.75


def ranked(
    probabilities: Mapping[str, float],
    scores: Mapping[str, float],
    validated: Mapping[str, float],
    higher_is_better: bool,
) -> tuple[str, ...]:
    """Return the models in the order of `Selection.ranking`."""
    sign = 1 if higher_is_better else -1

    def place(name: str) -> tuple[bool, float, float, float]:
        score, likely, tie_break = scores[name], probabilities[name], validated[name]
        tie_break = 0.0 if math.isnan(tie_break) else -sign * tie_break
        if math.isnan(score):
            return True, 0.0, 0.0, tie_break
        # A method that does not say how sure it is has NaN, which is not above anything.
        likely = round(likely, 9) if likely > 0 else 0.0
        # Rounded: models that decide alike differ in the last bits only.
        return False, -likely, -sign * round(score, 12), tie_break

    return tuple(sorted(scores, key=place))


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection(PagedResult):
    """Which model to use on unlabelled data.

    Attributes
    ----------
    scores : mapping of str to float
        The measure on the new rows, estimated from all models together; it ranks the models. `estimate_performance`
        fully corrects it with the labelled rows. This lowers the bias but adds variance, which makes a ranking worse.
    probabilities : mapping of str to float
        The probability that each model is the best, from `beats`; NaN if the method gives no probabilities.
    beats : ndarray of shape (l, l)
        The probability that the model of the row is better than the model of the column, in the order of `scores`.
    validated : mapping of str to float
        The figures on the labelled data, from cross-validation or of deployed models.
    method, measure : str
        The method and the measure of the ranking.
    reverse : ReverseTest or None
        The result of ReverseTesting.
    reverse_skipped : Note or None
        Why `reverse` is None.
    shift : ShiftKind
        The type of shift between labelled and new rows.
    assume : {"natural", "no drift", "prior shift"}
        What the caller assumed to have changed.
    training : mapping of label to float
        The class proportions of the labelled rows, weighted as the validated figures are.
    likely : mapping of str to float
        The probability of each type of shift.
    pool : mapping of str to float
        The weight of each model in the posterior that all models are compared with.
    rehearsal : Rehearsal or None
        How well the models could be ranked on shifted halves of the labelled rows.
    others : mapping of str to mapping of str to float
        The accuracy of each model as estimated by other methods.
    fits, reverse_fits : int
        How many models were fitted, in total and for ReverseTesting.
    seconds : float
        How many seconds it took.
    n_labelled, n_new : int
        Number of labelled rows and of new rows.
    n_labels : int
        Number of labels of new rows that were used.
    notes : tuple of Note
        Cautions.
    """

    scores: Mapping[str, float]
    probabilities: Mapping[str, float]
    beats: Floats
    validated: Mapping[str, float]
    method: str
    measure: str
    reverse: ReverseTest | None
    reverse_skipped: Note | None
    shift: ShiftKind
    assume: Assume
    training: Mapping[Any, float]
    likely: Mapping[str, float]
    pool: Mapping[str, float]
    rehearsal: Rehearsal | None
    others: Mapping[str, Mapping[str, float]]
    fits: int
    reverse_fits: int
    seconds: float
    n_labelled: int
    n_new: int
    n_labels: int = 0
    notes: tuple[Note, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in the order in which they were given."""
        return tuple(self.scores)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The models by their probability of being the best, the most likely first.

        Models with equal probabilities, and models that are never the best, are ordered by their scores, then by their
        validated figures. Models whose measure is undefined come last.
        """
        return ranked(self.probabilities, self.scores, self.validated, SOFT_MEASURES[self.measure].higher_is_better)

    @property
    def best(self) -> str:
        """The model to use."""
        return self.ranking[0]

    @property
    def majority(self) -> Any:
        """The most frequent class among the labelled rows."""
        return max(self.training, key=lambda label: self.training[label])

    @property
    def order_probability(self) -> pd.DataFrame:
        """The probability that the model of the row is better than the model of the column."""
        import pandas as pd

        return pd.DataFrame(self.beats, index=list(self.names), columns=list(self.names))

    def probability_over(self, other: str) -> float:
        """Return the probability that the best model is better than another; NaN if the method gives none."""
        return float(self.beats[self.names.index(self.best), self.names.index(other)])

    @property
    def rival(self) -> str | None:
        """The closest rival: the model that the best one is least likely to beat; None if there is no other."""
        others = [name for name in self.ranking[1:] if not math.isnan(self.scores[name])] or self.ranking[1:]
        # NaN, where the method does not say how sure it is, leaves the next in rank.
        known = [name for name in others if not math.isnan(self.probability_over(name))]
        return min(known, key=self.probability_over) if known else next(iter(others), None)

    @property
    def refused(self) -> bool:
        """Whether the new data are too different or too few for scores to mean anything; ranks are then a guess."""
        return bool(self.concerns)

    @property
    def contenders(self) -> tuple[str, ...]:
        """The models that the best one does not clearly beat, without models whose measure is undefined."""
        defined = (name for name in self.ranking[1:] if not math.isnan(self.scores[name]))
        # `not >=` instead of `<`: NaN, where the method does not say, is not clearly beaten.
        return tuple(name for name in defined if not self.probability_over(name) >= _SURE)

    @property
    def concerns(self) -> tuple[str, ...]:
        """The reasons not to rely on the ranking; empty if there are none."""
        # Labels of new rows rank models whatever shifted.
        if self.n_labels:
            return ()
        # How natural drift changes an order was measured for our own method only.
        if unknowable(self.shift, self.assume if self.method == DEFAULT else "no drift"):
            return tuple(self.shift.reasons)
        return (too_few_rows(self.n_new),) if self.n_new < FEWEST_NEW else ()

    def without_figures(self) -> Selection:
        """Return the result without any figure of the new data; ranks are then those of the validated figures."""
        nothing = dict.fromkeys(self.scores, math.nan)
        beats = np.full_like(self.beats, math.nan)
        return replace(self, scores=nothing, probabilities=nothing, beats=beats, others={})

    @property
    def headline(self) -> str:
        """Which model to use, how certain this is, and whether ReverseTesting agrees."""
        return selection_headline(self)

    @property
    def tone(self) -> Tone:
        """The tone of the answer, which sets its colour."""
        if self.concerns:
            return "bad"
        return "good" if not self.contenders else "care"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, the best first: ``model, rank, score, probability_best``, then further columns.

        The further columns are ``validated``, ``best_beats`` (the probability that the best model is better) and
        ``reverse_wins`` (pairs won in ReverseTesting). Scores are missing if the ranking should not be relied on.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "model": self.ranking,
                "rank": range(1, len(self.ranking) + 1),
                "score": [self.scores[name] for name in self.ranking],
                "probability_best": [self.probabilities[name] for name in self.ranking],
                "validated": [self.validated[name] for name in self.ranking],
                "best_beats": [math.nan, *map(self.probability_over, self.ranking[1:])],
                # A model that was not refitted takes no part in ReverseTesting.
                "reverse_wins": [None if self.reverse is None else self.reverse.wins.get(n) for n in self.ranking],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        scored = ("scores", "probabilities", "beats", "validated", "training")
        return self._plain_fields(*scored, "reverse", "reverse_skipped", "notes") | {
            "best": self.best,
            "ranking": list(self.ranking),
            "models": plain(self.to_frame().to_dict("records")),
            "order_probability": plain(self.order_probability.to_dict("index")),
            "concerns": list(self.concerns),
            "others": plain(self.others),
            "reverse_testing": plain(self.reverse),
            "reverse_skipped": "" if self.reverse_skipped is None else str(note_text(self.reverse_skipped)),
            "notes": [str(note_text(note)) for note in self.notes],
        }

    def summary(self) -> str:
        """Return which model to use, how certain this is, the cautions, and the time it took."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which notes are marked as sensitive."""
        return selection_summary(self)

    @property
    def method_says(self) -> bool:
        """Whether the method gives probabilities."""
        return bool(np.isfinite(list(self.probabilities.values())).all())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each model's ranking score next to its value on the labelled rows, and how likely it is the best."""
        from shiftproof import plots

        order = list(self.ranking)
        return plots.margins(
            order,
            [self.scores[name] for name in order],
            [self.validated[name] for name in order],
            [self.probabilities[name] for name in order],
            xlabel=self.measure,
            ax=ax,
        )

    def plot_order(self, ax: Axes | None = None) -> Axes:
        """Draw the probability that each pair is in the right order."""
        from shiftproof import plots

        order = [self.names.index(name) for name in self.ranking]
        return plots.order_matrix(list(self.ranking), self.beats[np.ix_(order, order)], ax=ax)

    def sections(self, *, shift_explained: bool = False) -> SelectionSections:
        """Return the parts of the page, for use in another page, which may already explain the type of shift."""
        from shiftproof.selection._page import selection_sections

        return selection_sections(self, shift_explained=shift_explained)

    def to_page(self, *, title: str = "Which model to use") -> Page:
        """Return the result as a page for `shiftproof.reporting`."""
        from shiftproof.selection._page import selection_page

        return selection_page(self, title)
