"""What `select` found: which model to use on the new rows, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof._version import __version__
from shiftproof.case import FEWEST_NEW, SOFT_MEASURES, too_few
from shiftproof.core import Floats, Note, Phrase, Text, counted, listed, plain, sentence, share
from shiftproof.reporting import Page, PagedResult, Tone
from shiftproof.selection._rehearsal import Rehearsal
from shiftproof.selection._words import called, note_text, written
from shiftproof.selection.rivals._reverse_result import ReverseTest
from shiftproof.shift import ShiftKind

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from shiftproof.selection._page import SelectionSections

# Two models are as good as equal if neither is better with this probability.
_SURE = 0.75
_OVER = 0.99


@dataclass(frozen=True, eq=False, kw_only=True)
class Selection(PagedResult):
    """Which model to use on rows that nobody has labelled.

    Attributes
    ----------
    scores : mapping of str to float
        What the ranking goes by: the measure on the new rows as all models together see it. `estimate_performance`
        corrects that by the labelled rows, which makes it truer and noisier; an order is better without.
    probabilities : mapping of str to float
        The probability that each is the best of them; NaN where the method does not say.
    beats : ndarray of shape (l, l)
        The probability that the model of the row is better than that of the column, in the order of `scores`.
    validated : mapping of str to float
        What cross-validation claims.
    method, measure : str
        What ranks them, by which measure.
    reverse : ReverseTest or None
        ReverseTesting's opinion.
    reverse_skipped : Note or None
        Why `reverse` is None.
    shift : ShiftKind
        The kind of shift between labelled and new rows.
    likely : mapping of str to float
        How likely each kind was taken to be.
    pool : mapping of str to float
        What each model counts in the posterior that judges them all.
    rehearsal : Rehearsal or None
        How well the models could be ordered on shifted halves of the labelled rows.
    others : mapping of str to mapping of str to float
        What other methods say of the accuracy of each model.
    fits, reverse_fits : int
        How many models were fitted: in all, and for ReverseTesting.
    seconds : float
        How long it took.
    n_labelled, n_new : int
        Rows on both sides.
    n_labels : int
        Labels of new rows that were used.
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
        """The models, in the order they were given in."""
        return tuple(self.scores)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The models, the best first; of equals the one that cross-validation likes better.

        Those whose measure is not defined come last.
        """
        sign = 1 if SOFT_MEASURES[self.measure].higher_is_better else -1

        def place(name: str) -> tuple[bool, float, float]:
            score, validated = self.scores[name], self.validated[name]
            if math.isnan(score):
                return True, 0.0, 0.0
            return False, -sign * round(score, 12), 0.0 if math.isnan(validated) else -sign * validated

        return tuple(sorted(self.names, key=place))

    @property
    def best(self) -> str:
        """The model to use."""
        return self.ranking[0]

    @property
    def order_probability(self) -> pd.DataFrame:
        """The probability that the model of the row is better than that of the column."""
        import pandas as pd

        return pd.DataFrame(self.beats, index=list(self.names), columns=list(self.names))

    @property
    def contenders(self) -> tuple[str, ...]:
        """The models that the best one does not clearly beat; those whose measure is not defined are none."""
        at = self.names.index(self.best)
        return tuple(
            name
            for name in self.ranking[1:]
            if not self.beats[at, self.names.index(name)] >= _SURE and not math.isnan(self.scores[name])
        )

    @property
    def concerns(self) -> tuple[str, ...]:
        """Why the ranking should not be relied on; none where nothing speaks against it."""
        if self.n_labels:
            return ()
        if self.shift.refused:
            return tuple(self.shift.reasons)
        return (f"{too_few(self.n_new)}.",) if self.n_new < FEWEST_NEW else ()

    @property
    def headline(self) -> str:
        """Say which model to use, how sure that is, and whether ReverseTesting agrees."""
        if len(self.names) == 1:
            return f"Only {self.best!r} is there to choose."
        second = self.ranking[1]
        sure = self.beats[self.names.index(self.best), self.names.index(second)]
        if abs(sure - 0.5) < 1e-9:
            return f"{self.best} and {second} cannot be told apart."
        how = f", {_told(sure)} it beats {second}" if np.isfinite(sure) else f", before {second}"
        agrees = self._agreement(second)
        words = f"{self.best}{how}{f'; {agrees}' if agrees else ''}."
        return f"Do not rely on it: {words}" if self.concerns else words

    @property
    def tone(self) -> Tone:
        """How the answer is to be taken."""
        if self.concerns:
            return "bad"
        return "good" if not self.contenders else "care"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per model, the best first: ``model, rank, score, probability_best``, then what others say.

        Further columns are ``cross_validation``, ``beats_next`` (the probability to be better than the next in rank)
        and ``reverse_wins`` (pairs won in ReverseTesting).
        """
        import pandas as pd

        rows = []
        for rank, name in enumerate(self.ranking):
            at = self.names.index(name)
            after = self.ranking[rank + 1] if rank + 1 < len(self.names) else None
            rows.append(
                {
                    "model": name,
                    "rank": rank + 1,
                    "score": self.scores[name],
                    "probability_best": self.probabilities[name],
                    "cross_validation": self.validated[name],
                    "beats_next": np.nan if after is None else self.beats[at, self.names.index(after)],
                    "reverse_wins": None if self.reverse is None else self.reverse.wins.get(name),
                }
            )
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "shiftproof": __version__,
            "summary": self.summary(),
            "best": self.best,
            "ranking": list(self.ranking),
            "method": self.method,
            "measure": self.measure,
            "models": plain(self.to_frame().to_dict("records")),
            "order_probability": {
                name: {other: plain(float(p)) for other, p in zip(self.names, row, strict=True)}
                for name, row in zip(self.names, self.beats, strict=True)
            },
            "concerns": list(self.concerns),
            "shift": self.shift.to_dict(),
            "likely": plain(self.likely),
            "pool": plain(self.pool),
            "rehearsal": plain(self.rehearsal),
            "others": plain(self.others),
            "reverse_testing": None if self.reverse is None else self.reverse.to_dict(),
            "reverse_skipped": "" if self.reverse_skipped is None else str(note_text(self.reverse_skipped)),
            "fits": self.fits,
            "reverse_fits": self.reverse_fits,
            "seconds": self.seconds,
            "n_labelled": self.n_labelled,
            "n_new": self.n_new,
            "n_labels": self.n_labels,
            "notes": [str(note_text(note)) for note in self.notes],
        }

    def summary(self) -> str:
        """Say which model to use and how sure that is, what was not as it should be, and what it cost."""
        return str(self.words())

    def words(self) -> Phrase:
        """Return the sentences of `summary`, in which notes are marked as sensitive."""
        words: list[Text] = [f"{self.headline[0].upper()}{self.headline[1:]}" if self.concerns else self.headline]
        words += list(self.concerns)
        then = written(self.validated[self.best], self.measure)
        words.append(
            f"On the labelled rows its {called(self.measure)} is {then}; `estimate_performance` says what to expect."
        )
        if self.contenders and len(self.names) > 1 and self.method_says:
            words.append(f"{listed(list(self.contenders))} may be as good.")
        words += [sentence(note_text(note)) for note in self.notes]
        spent = f"{counted(self.fits, 'fit')} in {self.seconds:.1f} s"
        of = f", {self.reverse_fits} of them for ReverseTesting" if self.reverse_fits else ""
        return Phrase.joined(" ", [*words, f"{spent}{of}."])

    @property
    def method_says(self) -> bool:
        """Whether the method says how sure it is."""
        return bool(np.isfinite(list(self.probabilities.values())).all())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each model's ranking score beside its value on the labelled rows, and how likely it is the best."""
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
        """Draw the probability that each pair is ordered right."""
        from shiftproof import plots

        order = [self.names.index(name) for name in self.ranking]
        return plots.order_matrix(list(self.ranking), self.beats[np.ix_(order, order)], ax=ax)

    def sections(self, *, shift_explained: bool = False) -> SelectionSections:
        """Return the parts of the page, to be shown elsewhere, perhaps where the type of shift is explained."""
        from shiftproof.selection._page import selection_sections

        return selection_sections(self, shift_explained=shift_explained)

    def to_page(self, *, title: str = "Which model to use") -> Page:
        """Lay the answer out for `save`, or for a larger report."""
        from shiftproof.selection._page import selection_page

        return selection_page(self, title)

    def _agreement(self, second: str) -> str:
        if self.reverse is None:
            return ""
        if self.best not in self.reverse.names or second not in self.reverse.names:
            return "ReverseTesting could not tell"
        winner = self.reverse.verdict(self.best, second)
        if winner is None:
            return "ReverseTesting is undecided"
        by = "" if self.measure in ("accuracy", "error", "profit") else ", by accuracy,"
        return f"ReverseTesting{by} agrees" if winner == self.best else f"ReverseTesting{by} prefers {second}"


def _told(sure: float) -> str:
    """Say how sure; what nobody can see without labels leaves room for doubt."""
    return "over 99% sure" if sure > _OVER else f"{'only ' if sure < _SURE else ''}{share(sure)} sure"
