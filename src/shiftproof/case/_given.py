"""What a verb was given: models and tables, opened and checked, and the columns that nobody may see."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypedDict

from shiftproof.case._aside import columns_aside, has_scores_alone, is_panel, warn_of_columns_aside
from shiftproof.case._decisions import DecisionOptions
from shiftproof.case._named_scores import names_scores, read_scored
from shiftproof.case._tables import Tables, check_excluded, column_of
from shiftproof.case._tables import hide as hide_columns
from shiftproof.core import InfiniteValues, InputError, Rows, Seed, Table, check_row_order, fault, listed, warn
from shiftproof.measures import Benefit
from shiftproof.warehouse import SparkColumns, open_frame

if TYPE_CHECKING:
    from shiftproof.panel import Panel


class Fitting(TypedDict, total=False):
    """How models are cross-fitted, as for `cross_fit`; None leaves its default."""

    cv: object
    repeats: int | None
    groups: object
    time: object
    sample_weight: object
    balance: bool | None
    refit: bool | None


class Running(TypedDict):
    """How the work is done, as for `cross_fit`."""

    random_state: Seed
    n_jobs: int | None
    progress: bool | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Given:
    """Models and tables of a verb, on the way to a case.

    Parameters
    ----------
    models : dict, list, estimator, Panel or None
        Classifiers to cross-fit, or a panel of them.
    X, y, X_new : table, labels, table
        Labelled and new data; samples of tables that are not in memory.
    names : three str
        What errors call X, y and X_new.
    required : bool
        Whether models cannot come without new data.
    hidden : frozenset of str
        Columns that neither models nor comparisons may see.
    whole : pair of Table, optional
        All rows of tables that are not in memory.
    sampled : pair of arrays of row numbers, optional
        Which of the panel's labelled and new rows the tables hold, if these are samples.
    settings : dict
        How models are cross-fitted, where the caller said so.
    """

    models: object
    X: object
    y: object
    X_new: object
    names: tuple[str, str, str]
    required: bool
    hidden: frozenset[str]
    whole: tuple[Table, Table] | None
    sampled: tuple[Rows, Rows] | None
    settings: dict[str, Any]

    @classmethod
    def opened(
        cls,
        models: object,
        tables: tuple[object, object, object],
        *,
        names: tuple[str, str, str],
        required: bool,
        hide: Iterable[str],
        whole: tuple[Table, Table] | None,
        pos_label: object,
    ) -> Self:
        """Open the tables; columns of scores become a panel."""
        (X, y, X_new), sampled = tables, None
        X, X_new = open_frame(X), open_frame(X_new)
        if names_scores(models):
            if required and X_new is None:
                raise fault(names[2], "be given with columns of scores", hint="pass the new rows with their scores")
            columns = read_scored(models, X, y, X_new, pos_label=pos_label, names=names)
            models, (X, X_new), y = columns.panel, columns.tables, None
            whole, sampled, hide = columns.whole, columns.sampled, {*hide, *columns.hidden}
        elif isinstance(X, SparkColumns) or isinstance(X_new, SparkColumns):
            hint = "write {'model': 'column'}, with the probabilities of its positive class"
            raise fault("models", "name a column of scores of Spark DataFrames", models, hint)
        return cls(
            models=models,
            X=X,
            y=y,
            X_new=X_new,
            names=names,
            required=required,
            hidden=frozenset(hide),
            whole=whole,
            sampled=sampled,
            settings={},
        )

    def fitted_by(self, fitting: Fitting, exclude: Sequence[object] | None) -> Self:
        """Add how models are cross-fitted: columns that are groups or times become values, and are no features."""
        # None stands for `cross_fit`'s own default, so that verbs can pass on what they were given.
        settings: dict[str, Any] = {name: value for name, value in fitting.items() if value is not None}
        for name, values in ((self.names[1], self.y), *settings.items()):
            check_row_order(self.X, values, name, of=self.names[0])
        excluded = check_excluded(exclude, (self.X, self.X_new))
        if is_panel(self.models) and not has_scores_alone(self.models):
            _check_not_needed(self.models, excluded)
        hidden = excluded | self.hidden
        for name in ("groups", "time"):
            values, column = column_of(self.X, settings.get(name), name)
            settings |= {name: values} if column else {}
            hidden |= column
        return replace(self, settings=settings, hidden=hidden)

    def tables(self, kinds: Mapping[Any, str] | None, n_jobs: int | None) -> Tables:
        """Return the tables without the columns that would only mislead, such as identifiers."""
        cv = self.settings.get("cv")
        fitted = isinstance(cv, str) and cv == "prefit"
        aside = columns_aside(self.models, self.X, self.X_new, hidden=self.hidden, kinds=kinds, fitted=fitted)
        # Models that are not fitted now have their columns already, whatever is compared.
        scored = fitted or is_panel(self.models)
        warn_of_columns_aside(aside, self.X, adjustable=kinds is not None, scored=scored)
        return Tables(
            labelled=self.X,
            new=self.X_new,
            hidden=self.hidden if scored else self.hidden | {*aside},
            aside=aside,
            kinds_given=kinds,
            modelled=self.models is not None and not is_panel(self.models),
            n_jobs=n_jobs,
            names=(self.names[0], self.names[2]),
            whole=self.whole,
        )

    def panel(
        self, tables: Tables, options: DecisionOptions, own_folds: Fitting | None, running: Running
    ) -> Panel | None:
        """Return the panel, or make it of the models; None if there are none."""
        if is_panel(self.models):
            panel = _matching(self.models, tables.X, self.y, self.settings, called=self.names[:2])
            if options.pos_label is not None:
                panel.positive(options.pos_label)  # refuses a class that the scores may not be meant for
            return panel
        if self.models is None:
            return None
        _require_tables({"X": self.X, "y": self.y} | ({"X_new": self.X_new} if self.required else {}))
        settings = self.settings
        if own_folds and "cv" not in settings:
            settings = settings | _own(own_folds, self.models)
        if tables.infinite:
            warn(InfiniteValues(tables.infinite))
        return _fitted(self.models, tables.X, self.y, options.benefit, {**running, **settings})


def _check_not_needed(panel: Panel, excluded: Collection[str]) -> None:
    """Refuse to exclude columns that the models of a panel need."""
    needed = [name for name in panel.feature_names if panel.named and name in excluded]
    if needed:
        are, them = ("is", "it") if len(needed) == 1 else ("are", "them")
        made = f"but the panel was made with {them}"
        raise InputError(f"{listed(needed)} {are} excluded, {made}; make the panel again without {them}")


def _matching(panel: Panel, X: object, y: object, given: Mapping[str, object], *, called: tuple[str, str]) -> Panel:
    """Return a panel that was made from these rows; settings of a fit come too late, but for a refit."""
    for name, value in given.items():
        if name != "refit":
            raise fault(name, "be left out with a Panel", value, "give it to cross_fit, which makes the panel")
    panel.matches(X, y, called=called)
    return panel


def _own(folds: Fitting, models: object) -> Fitting:
    """Warn of a refit: `cross_fit` takes folds for the caller's wish, and these are not."""
    from shiftproof.panel import named_models, warn_refitted

    warn_refitted(named_models(models))
    return folds


def _fitted(models: object, X: object, y: object, benefit: object, settings: dict[str, Any]) -> Panel:
    """Cross-fit the models; actual amounts are known only afterwards, so no model may learn from them."""
    from shiftproof.panel import cross_fit

    amounts = benefit.actual_columns if isinstance(benefit, Benefit) else frozenset()
    return cross_fit(models, hide_columns(X, amounts), y, **settings)


def _require_tables(tables: Mapping[str, object]) -> None:
    """Refuse models without their tables, before anything is fitted."""
    for name, value in tables.items():
        if value is None:
            raise InputError(f"{name} is missing; pass models, {', '.join(tables)}, or a Panel", argument=name)
