"""The question that every verb answers a part of, with what they share computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from shiftproof.case._aside import LATER, is_panel
from shiftproof.case._candidates import Candidates
from shiftproof.case._chosen import chosen_rows_notes
from shiftproof.case._decisions import DecisionOptions, make_rule
from shiftproof.case._drift import ASSUMPTIONS, Assume, ShareShift, share_shifts
from shiftproof.case._given import Fitting, Given, Running
from shiftproof.case._labels import (
    Known,
    known_labels,
    labels_notes,
    leaves_verdicts_out,
    one_class_notes,
    strata_by_score,
    strata_of,
)
from shiftproof.case._leaks import (
    copied_share,
    label_revealing_columns,
    looks_like_identifier,
    nearly_revealing_columns,
    repeats_as_often,
    same_scores,
)
from shiftproof.case._prospect import Prospect
from shiftproof.case._record import NO_RECORD, DriftRecord, read_history
from shiftproof.case._scores import NewScores, applied_scores, comparable_scores, given_new_scores, prepared_new
from shiftproof.case._tables import Tables, is_table
from shiftproof.case._type_of_shift import by_features, by_past, by_scores, parts_by_features, parts_by_scores
from shiftproof.core import (
    Codes,
    InputError,
    Note,
    Phrase,
    Rows,
    ScoresReversed,
    Seed,
    Table,
    as_table,
    check_choice,
    check_jobs,
    check_row_order,
    fault,
    listed,
    percent,
    seed_number,
    warn,
)
from shiftproof.data import feature_kinds
from shiftproof.shift import DomainCheck, ShiftKind, domain_check

if TYPE_CHECKING:
    from shiftproof.panel import Panel, PreparedRows

T = TypeVar("T")


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """Models, labelled data and new data; any of them may be missing.

    `Case.of` is the only place that turns models into a panel and hides columns. Everything else is computed when it
    is first asked for, and once: a table is converted and fingerprinted once, however many verbs look at it.

    Parameters
    ----------
    scored : Panel, optional
        The models with their scores of the labelled rows.
    tables : Tables
        Labelled and new data.
    labels : sequence of labels, optional
        Of the labelled rows; without them those of the panel.
    options : DecisionOptions
        How decisions are made and what they are worth.
    given_shift : ShiftKind, optional
        The type of shift, if it is known already.
    assume : {"natural", "no drift", "prior shift"}
        What may have changed.
    history : DriftRecord
        How far estimates were off in the user's own past.
    seed : int
        Of everything that is drawn. A generator becomes a seed once, so that all verbs draw the same folds.
    purpose : str
        What the verb does, for errors that say what it needs.
    n_fits : int
        How many models were fitted to make the panel.
    sampled : pair of arrays of row numbers, optional
        Which of the panel's labelled and new rows the tables hold, if these are samples.
    """

    scored: Panel | None
    tables: Tables
    labels: object = None
    options: DecisionOptions = field(default_factory=DecisionOptions)
    given_shift: ShiftKind | None = None
    assume: Assume = "natural"
    history: DriftRecord = NO_RECORD
    seed: int = 0
    n_jobs: int | None = None
    progress: bool | None = None
    purpose: str = "this"
    n_fits: int = 0
    sampled: tuple[Rows, Rows] | None = None
    # What upper layers derive from the case, by the function that derives it.
    _derived: dict[Callable[..., Any], Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        models: object,
        X: object = None,
        y: object = None,
        X_new: object = None,
        *,
        purpose: str,
        new_required: bool = False,
        options: DecisionOptions | None = None,
        exclude: Sequence[object] | None = None,
        hide: Iterable[str] = (),
        kinds: Mapping[Any, str] | None = None,
        names: tuple[str, str, str] = ("X", "y", "X_new"),
        whole: tuple[Table, Table] | None = None,
        shift: ShiftKind | None = None,
        assume: Assume = "natural",
        history: object = None,
        random_state: Seed = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
        own_folds: Fitting | None = None,
        **fitting: Unpack[Fitting],
    ) -> Self:
        """Make a case of what a verb was given.

        Parameters
        ----------
        models : dict, list, estimator, Panel or None
            Classifiers to cross-fit, or a panel, which X and y must match; or columns of scores by model, with y a
            column of labels; None if the verb needs no models.
        X, y, X_new : table, labels, table
            As for the verbs.
        purpose : str
            What the verb does, such as "selecting a model".
        new_required : bool
            Whether the verb cannot answer without new data.
        options : DecisionOptions, optional
            How decisions are made and what they are worth.
        exclude : sequence of column names, optional
            Columns that the caller wants nobody to see; each must exist.
        hide : iterable of str
            More columns that nobody may see, such as scores and labels; they need not exist.
        kinds : mapping of column to kind, optional
            What the caller knows better about columns.
        names : three str
            What errors call X, y and X_new.
        whole : pair of Table, optional
            All rows of tables that are not in memory; X, y and X_new are then of a random sample.
        shift : ShiftKind, optional
            The type of shift, if it is known already.
        assume : {"natural", "no drift", "prior shift"}
            What may have changed.
        history : DriftRecord or Backtest, optional
            How far estimates were off in the user's own past.
        own_folds : Fitting, optional
            Folds that the verb wants where the caller named none.
        random_state, n_jobs, progress, **fitting
            As for `cross_fit`.
        """
        options = options or DecisionOptions()
        check_choice(assume, "assume", ASSUMPTIONS)
        given = Given.opened(
            models,
            (X, y, X_new),
            names=names,
            required=new_required,
            hide=hide,
            whole=whole,
            pos_label=options.pos_label,
        ).fitted_by(fitting, exclude)
        # Drawn from once: two draws of a generator would give two verbs different folds.
        seed, n_jobs = seed_number(random_state), check_jobs(n_jobs)
        tables = given.tables(kinds, n_jobs)
        running = Running(random_state=seed, n_jobs=n_jobs, progress=progress)
        scored = given.panel(tables, options, own_folds, running)
        case = cls(
            scored=scored,
            tables=tables,
            labels=given.y,
            options=options,
            given_shift=shift,
            assume=assume,
            history=read_history(history, assume),
            seed=seed,
            n_jobs=n_jobs,
            progress=progress,
            purpose=purpose,
            sampled=given.sampled,
            # A panel that was passed in was fitted before, and is not counted again.
            n_fits=0 if scored is None or is_panel(given.models) else scored.n_fits,
        )
        for warning in case.reversed_models:
            warn(warning)
        return case

    def require_memory(self, argument: str, given: object) -> None:
        """Refuse what belongs to the rows of the new table by their order, if the table is not in memory."""
        if given is not None and self.tables.whole is not None:
            hint = "read both tables into memory"
            raise fault(argument, "be left out for tables that are not in memory", Phrase("some"), hint)

    @property
    def panel(self) -> Panel:
        """The models with their scores of the labelled rows."""
        if self.scored is None:
            raise InputError(f"{self.purpose} needs models; pass classifiers or a Panel")
        return self.scored

    @cached_property
    def reversed_models(self) -> list[ScoresReversed]:
        """A warning for each model that ranks the classes in reverse."""
        if self.scored is None:
            return []
        from shiftproof.panel import reversed_models

        return reversed_models(self.scored, self.options.pos_label)

    @cached_property
    def known_labels(self) -> object:
        """The labels of the labelled rows; None if there are none."""
        return self.labels if self.scored is None else self.scored.classes_[self.scored.y]

    @cached_property
    def prepared(self) -> PreparedRows:
        """The new rows in the form that the models know, with their fingerprint."""
        return prepared_new(self.panel, self.tables.X_new, self.purpose)

    @property
    def new_fingerprint(self) -> str:
        """The hash of the new rows; empty if there are none, only their scores."""
        if self.tables.X_new is None:
            return ""
        # Such a panel may have no models to prepare rows for.
        if self.panel.new_scores:
            from shiftproof.panel import as_features, fingerprint_features

            return fingerprint_features(as_features(self.tables.X_new))
        return self.prepared.fingerprint

    @cached_property
    def folds(self) -> NDArray[np.int64]:
        """For each new row the fold whose model scores it, of shape (1, m): a mean over repeats is another model."""
        return self.panel.draw_folds(self.prepared.n_rows, random_state=self.seed)[:1]

    @cached_property
    def comparable(self) -> NewScores:
        """Scores of the new rows that were made as those of the labelled rows."""
        panel = self.panel
        if panel.new_scores:
            return NewScores(given_new_scores(panel, self.tables.X_new), {})
        prepared = self.prepared  # refuses panels without models
        # Deployed models saw neither table, so their scores of both compare as they are.
        if panel.origin == "prefit":
            return self.applied
        if panel.fold_scorers and (self.folds >= 0).all():
            return comparable_scores(panel, prepared, self.folds)
        # The folds' models were not kept, or some rows have none: refitted models are the next best.
        if panel.scorers:
            return self.applied
        # Some rows were tested in later repeats only, so every repeat scores.
        return comparable_scores(panel, prepared, panel.draw_folds(prepared.n_rows, random_state=self.seed))

    @cached_property
    def applied(self) -> NewScores:
        """Scores of the new rows by the models that will be used."""
        panel = self.panel
        # Without refitted models the folds' ones are all there is.
        if panel.new_scores or not panel.scorers:
            return self.comparable
        return applied_scores(panel, self.prepared)

    @cached_property
    def scored_by(self) -> tuple[str, ...]:
        """The models that can score the new rows; refuses a case in which none can."""
        names = tuple(n for n in self.panel.names if n in self.comparable.values and n in self.applied.values)
        if not names:
            first = next(iter(self.score_failures.values()))
            raise InputError("the classifier cannot score X_new: ", first.shown_detail)
        return names

    @property
    def score_failures(self) -> dict[str, Note]:
        """The models that cannot score the new rows, with their errors."""
        return {**self.applied.failures, **self.comparable.failures}

    @cached_property
    def feature_shift(self) -> ShiftKind | Note:
        """The type of shift by the features, or why they cannot say it."""
        shift: ShiftKind | Note | None = self.given_shift
        if shift is None:
            labels = self.known_labels
            if self.sampled is not None:
                labels = self.panel.classes_[self.panel.y[self.sampled[0]]]
            shift = by_features(self.tables, labels, seed=self.seed, n_jobs=self.n_jobs)
        return shift if isinstance(shift, Note) else by_past(shift, self.history)

    @cached_property
    def shift(self) -> ShiftKind:
        """The type of shift by the features, or by the scores where features cannot say it."""
        if not isinstance(self.feature_shift, Note):
            return self.feature_shift
        comparable = {name: self.comparable.values[name] for name in self.scored_by}
        shift = by_scores(self.panel, comparable, why=self.feature_shift, seed=self.seed, n_jobs=self.n_jobs)
        return by_past(shift, self.history)

    def shifts_of(self, parts: Sequence[Rows]) -> list[ShareShift]:
        """Return what may have moved the class proportions in all new rows, and in parts of them."""
        if self.assume == "no drift":
            return [self.prospect.share_shift] * (1 + len(parts))
        if not parts:
            return [ShareShift.of(self.shift)]
        if isinstance(self.feature_shift, Note):
            comparable = {name: self.comparable.values[name] for name in self.scored_by}
            found = parts_by_scores(self.panel, comparable, parts, seed=self.seed, n_jobs=self.n_jobs)
        else:
            found = parts_by_features(self.tables, self.known_labels, parts, seed=self.seed, n_jobs=self.n_jobs)
        return [ShareShift.of(self.shift), *share_shifts(self.shift, found)]

    @cached_property
    def domain(self) -> DomainCheck:
        """How well a classifier tells new rows from labelled ones."""
        old, new = self.tables.old, self.tables.current
        return domain_check(old, new, self.tables.tested, random_state=self.seed)

    @cached_property
    def candidates(self) -> Candidates:
        """What every model says of both sides."""
        applied, comparable = (
            {name: scores.values[name] for name in self.scored_by} for scores in (self.applied, self.comparable)
        )
        # Scores say the type of shift of all rows, where features of a sample cannot.
        drawn = None if isinstance(self.feature_shift, Note) else self.sampled
        sizes = (len(self.panel.y), len(next(iter(applied.values())))) if drawn is None else map(len, drawn)
        _check_shift(self.shift, *sizes)
        return Candidates.of(self.panel, applied, comparable, self.shift, drawn=None if drawn is None else drawn[0])

    @cached_property
    def prospect(self) -> Prospect:
        """Decisions and routes, from which measures on the new data are estimated."""
        rule = make_rule(self.options, self.panel, self.candidates.rows, self.tables)
        return Prospect(self.candidates, rule, self.assume, self.history)

    @cached_property
    def strata(self) -> Codes:
        """The strata of new rows within which labels are a random sample."""
        return strata_of(self.prospect.routes.posterior) if self.verdicts is None else self.verdicts

    @cached_property
    def verdicts(self) -> Codes | None:
        """The strata of new rows of which nothing but a few different scores is known, such as a judge's yes or no."""
        if not self.tables.not_compared:
            return None
        return strata_by_score([self.candidates.new[name] for name in self.candidates.names])

    def labels_of_new(self, labels: object) -> Known:
        """Read labels that were given for some of the new rows."""
        self.require_memory("labels", labels)
        check_row_order(self.tables.new, labels, "labels", of="X_new")
        return known_labels({} if labels is None else labels, self.panel.classes_, self.prospect.candidates.m)

    def label_notes(self, known: Known, *, used: bool) -> tuple[Note, ...]:
        """Return what speaks against labels of new rows: they are too few, of one class, or of chosen rows."""
        notes = (
            *labels_notes(known, used=used),
            *one_class_notes(known, self.prospect, self.panel.classes_.tolist()),
        )
        if not used:
            return notes
        if self.verdicts is not None and leaves_verdicts_out(known, self.verdicts):
            return (*notes, Note(code="labels of chosen rows", subject=listed(self.candidates.names)))
        # Without features nothing else can be said of the rows.
        if self.tables.not_compared:
            return notes
        # Rows are often chosen by their date, even if it is left out of models and comparisons.
        dates = [name for name, why in self.tables.aside.items() if why == LATER]
        table = as_table(self.tables.new)
        return (*notes, *chosen_rows_notes(table, [*self.tables.tested, *dates], self.strata, known))

    @property
    def left_out(self) -> tuple[Note, ...]:
        """The models that could not be fitted, or cannot score the new rows."""
        failed = (
            Note(code="model left out", subject=name, detail=str(reason), sensitive=True)
            for name, reason in self.panel.failures.items()
        )
        return (*failed, *self.score_failures.values())

    @cached_property
    def cautions(self) -> tuple[Note, ...]:
        """What is odd about the data: scores in reverse, rows that are copies, features that give the label away."""
        copied = copied_share(self.tables)
        notes = [
            Note(code="held-out rows reversed" if warning.fitted else "scores reversed", subject=warning.model)
            for warning in self.reversed_models
        ]
        if copied:
            notes.append(Note(code="new rows copied", detail=percent(copied)))
        elif self._same_scores:
            notes.append(Note(code="same scores"))
        repeated = self.panel.n_copied / len(self.panel.y)
        if repeated and not repeats_as_often(self.tables, repeated):
            notes.append(Note(code="copied rows", detail=percent(repeated)))
        for name in self.label_revealing:
            identifier = looks_like_identifier(self.tables.old.column(name))
            notes.append(Note(code=f"label given away{' by an identifier' * identifier}", subject=name))
        for name, area in self.nearly_revealing.items():
            notes.append(Note(code="label nearly given away", subject=name, detail=f"{area:.3f}"))
        return tuple(notes)

    @property
    def _same_scores(self) -> bool:
        """Whether the given scores show that the new rows are the labelled rows, where no features could."""
        given = self.panel.new_scores
        return bool(self.tables.not_compared and given) and same_scores(self.panel.out_of_fold, given)

    @cached_property
    def label_revealing(self) -> tuple[str, ...]:
        """The features that determine the label of every row."""
        if not is_table(self.tables.labelled):
            return ()
        return label_revealing_columns(self.tables.old, set(self.panel.feature_names), self.panel.y)

    @cached_property
    def nearly_revealing(self) -> dict[str, float]:
        """The other features that separate two classes nearly perfectly, each with its AUC."""
        if not is_table(self.tables.labelled):
            return {}
        names = set(self.panel.feature_names) - set(self.label_revealing)
        return nearly_revealing_columns(self.tables.old, names, self.panel.y)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """The features that look like identifiers."""
        if not is_table(self.tables.labelled):
            return ()
        old = self.tables.old
        kinds = feature_kinds(old.only([name for name in self.panel.feature_names if name in old.names]), warn=False)
        return tuple(name for name, kind in kinds.items() if kind == "identifier")

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What the reader of any result of this case should know."""
        notes = [*self.left_out, *self.cautions]
        if isinstance(self.feature_shift, Note):
            detail, sensitive = self.feature_shift.detail, self.feature_shift.sensitive
            notes.append(Note(code="type of shift from scores", detail=detail, sensitive=sensitive))
        return (*notes, *self.shift_test_notes)

    @property
    def shift_test_notes(self) -> tuple[Note, ...]:
        """What the test for the type of shift does not take into account."""
        weights = self.panel.sample_weight
        notes = [] if self.panel.groups is None else [Note(code="type of shift without groups")]
        if weights is not None and weights.min() < weights.max():
            notes.append(Note(code="type of shift without weights"))
        return tuple(notes)

    def once(self, derive: Callable[[Case], T]) -> T:
        """Return what a function of an upper layer derives from this case; it is called once."""
        if derive not in self._derived:
            self._derived[derive] = derive(self)
        derived: T = self._derived[derive]
        return derived


def _check_shift(shift: ShiftKind, n: int, m: int) -> None:
    """Refuse a type of shift that was determined on other tables."""
    if (shift.n_reference, shift.n_current) != (n, m):
        got = f"one of {shift.n_reference:,} and {shift.n_current:,} rows for {n:,} and {m:,}"
        raise fault("shift", "be about these tables", Phrase(got), "leave it out")
