"""The checked inputs of `detect`: both tables without labels and scores, kinds of columns, pairs of scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from shiftproof.case import Aside, Case, is_panel
from shiftproof.core import (
    Argument,
    InputError,
    Note,
    Phrase,
    Seed,
    Table,
    fault,
    listed,
    open_table,
    unknown_name,
)
from shiftproof.data import LEFT_OUT, Kind, feature_kinds, open_rows, read_rows
from shiftproof.detection._score_pairs import given_scores, panel_scores
from shiftproof.detection._scores import ScorePair
from shiftproof.warehouse import check_one_engine, open_frame, scored_rows

if TYPE_CHECKING:
    from shiftproof.panel import Panel

#: Why a column is not tested.
Omission = Literal["excluded", "score", "label", "absent from the reference"] | Aside | Kind


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The arguments of `detect` that name what is compared, as the caller gave them."""

    reference: object
    current: object
    reference_scores: object = None
    current_scores: object = None
    labels: object = None
    panel: Panel | None = None
    kinds: Mapping[Any, str] | None = None
    exclude: Sequence[Any] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Inputs:
    """Checked inputs of both stages.

    Attributes
    ----------
    case : Case
        Both tables without labels, scores and excluded columns, and what is computed from them.
    left_out : mapping of str to Omission
        Columns that are not tested, each with its reason.
    pairs : tuple of ScorePair
        Each model's scores of both tables.
    failures : tuple of Note
        Models that cannot score the new rows, each with its error message.
    """

    case: Case
    left_out: Mapping[str, Omission]
    pairs: tuple[ScorePair, ...] = ()
    failures: tuple[Note, ...] = ()

    @classmethod
    def of(cls, sources: Sources, *, random_state: Seed, n_jobs: int | None) -> Inputs:
        """Check everything that is compared, as the caller of `detect` gave it."""
        _check_panel(sources.panel)
        reference, current = (
            open_rows(source) if isinstance(source, (str, os.PathLike)) else open_frame(source)
            for source in (sources.reference, sources.current)
        )
        old, new = open_table(reference, "reference"), open_table(current, "current")
        check_one_engine(old, new, ("reference", "current"))
        remote = old.is_remote or new.is_remote
        if remote and sources.panel is not None:
            raise fault("panel", "be left out for tables that are not in memory", hint="name columns of scores")
        _require_rows(old, "reference")
        _require_rows(new, "current")
        left_out: dict[str, Omission] = dict.fromkeys(_excluded(sources.exclude, old, new), "excluded")
        # A column of scores must not be tested as a feature as well.
        given = sources.reference_scores, sources.current_scores
        left_out |= dict.fromkeys([column for column in given if isinstance(column, str)], "score")
        labels, label_column = _labels(sources.labels, old)
        if label_column is not None:
            left_out[label_column] = "label"
        if sources.panel is not None and any(scores is not None for scores in given):
            raise fault(
                "reference_scores", "be left out with a panel, which already has scores", hint="pass one of the two"
            )
        pairs: tuple[ScorePair, ...] = ()
        if sources.panel is None:
            pairs = given_scores(*given, scored_rows(old, given[0]), scored_rows(new, given[1]), labels)
        case = Case.of(
            sources.panel,
            old.drawn() if remote else reference,
            labels,
            new.drawn() if remote else current,
            whole=(old, new) if remote else None,
            purpose="comparing scores",
            hide=left_out,
            # None would mean that this verb has no such argument.
            kinds={} if sources.kinds is None else sources.kinds,
            names=("reference", "reference_labels", "current"),
            random_state=random_state,
            n_jobs=n_jobs,
        )
        return cls.of_case(case, left_out, pairs)

    @classmethod
    def of_case(
        cls, case: Case, left_out: Mapping[str, Omission] | None = None, pairs: tuple[ScorePair, ...] = ()
    ) -> Inputs:
        """Lay out what a case compares; with a panel, its scores of both tables."""
        tables = case.tables
        omitted: dict[str, Omission] = dict(left_out or {})
        if not tables.kinds:
            raise _nothing_shared(tables.old, tables.current, omitted, tables.names)
        omitted |= {name: kind for name, kind in tables.kinds.items() if kind in LEFT_OUT} | {**tables.aside}
        fresh = [name for name in tables.current.names if name not in tables.old.names]
        omitted |= dict.fromkeys(fresh, "absent from the reference")
        failures: tuple[Note, ...] = ()
        # Scores of a panel come from the case, which scores the new rows once for all verbs.
        if case.scored is not None:
            pairs, failures = panel_scores(case)
        return cls(case=case, left_out=omitted, pairs=pairs, failures=failures)

    @property
    def old(self) -> Table:
        """The features of the reference."""
        return self.case.tables.old

    @property
    def new(self) -> Table:
        """The features of the new rows."""
        return self.case.tables.current

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The shared columns that are tested, and what each is."""
        return self.case.tables.tested

    @cached_property
    def absent(self) -> dict[str, Kind]:
        """The columns that the new table lost, and what each is."""
        return _absent_kinds(self.old, self.new, self.case.tables.kinds_given)


def load_table(source: object) -> object:
    """Read the file if a path is given."""
    return read_rows(source) if isinstance(source, (str, os.PathLike)) else source


def excluded_names(exclude: Sequence[Any] | None) -> list[str]:
    """Return the names of excluded columns; a single text is a likely mistake for a list of one."""
    if isinstance(exclude, str):
        raise fault("exclude", "be a list of column names", exclude, Phrase("write ", Argument("exclude", [exclude])))
    if exclude is not None and not isinstance(exclude, Iterable):
        raise fault("exclude", "be a list of column names", exclude, "leave it out to keep all columns")
    return [str(name) for name in exclude or ()]


def _check_panel(panel: object) -> None:
    if panel is not None and not is_panel(panel):
        raise fault("panel", "be a Panel", panel, "make one with cross_fit or Panel.from_scores")


def _labels(given: object, old: Table) -> tuple[object, str | None]:
    """Return the labels of the reference rows, if they are known, and the column that they came from."""
    column = given if isinstance(given, str) else None
    if old.is_remote and given is not None and column is None:
        raise fault("reference_labels", "name a column of a reference that is not in memory", hint="add one to it")
    # Labels go with the rows that are looked at together.
    old = old.drawn()
    if column is not None:
        if column not in old.names:
            raise unknown_name("reference_labels", "name a column of the reference", column, old.names)
        given = old.column(column).cells()
    if given is not None:
        from shiftproof.panel import encode_labels

        n_labels = len(encode_labels(given, "reference_labels")[1])
        if n_labels != old.n_rows:
            got = Phrase(f"{n_labels:,} for {old.n_rows:,}")
            raise fault("reference_labels", "have one label per reference row", got, "pass the labels of the same rows")
    return given, column


def _require_rows(table: Table, name: str) -> None:
    if not table.names:
        raise fault(name, "have at least one column", Phrase("none"), "pass the features as columns")
    if not table.n_rows:
        raise fault(name, "hold at least one row", table.n_rows, "check the filter or the file it came from")


def _excluded(exclude: Sequence[Any] | None, old: Table, new: Table) -> list[str]:
    names = excluded_names(exclude)
    unknown = [name for name in names if name not in old.names and name not in new.names]
    if unknown:
        raise unknown_name("exclude", "name columns of the tables", unknown[0], old.names)
    return names


def _absent_kinds(old: Table, new: Table, kinds: Mapping[Any, str] | None) -> dict[str, Kind]:
    # Lost columns are not joint columns; their own values in the reference decide what they are.
    lost = old.without(new.names)
    # Kinds of other columns would be refused here, as names that do not exist.
    given = {name: kind for name, kind in (kinds or {}).items() if str(name) in lost.names}
    return feature_kinds(lost, kinds=given, warn=False)


def _nothing_shared(old: Table, new: Table, left_out: Mapping[str, Omission], names: tuple[str, str]) -> InputError:
    if left_out and not (old.names and new.names):
        is_out = "is left out" if len(left_out) == 1 else "are left out"
        # Without the column that it is cut by, one table alone may have none left.
        fewer = Phrase() if old.names else Phrase("; pass fewer columns to ", Argument("exclude"))
        return InputError(f"no column is left to compare, because {listed(left_out)} {is_out}", fewer)
    got = f"{listed(old.names, most=3)} against {listed(new.names, most=3) or 'none'}"
    share = f" must share at least one column, got {got}; check the headers of both"
    return InputError(Argument(names[0]), " and ", Argument(names[1]), share)
