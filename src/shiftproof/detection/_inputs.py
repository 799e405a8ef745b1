"""What `detect` compares: both tables without labels and scores, the kind of every column, and pairs of scores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shiftproof.core import Argument, InputError, Phrase, Seed, Table, as_table, fault, listed, unknown_name
from shiftproof.data import LEFT_OUT, Kind, feature_kinds, joint_kinds, read
from shiftproof.detection._score_pairs import given_scores, panel_scores
from shiftproof.detection._scores import ScorePair
from shiftproof.stats import Scale

if TYPE_CHECKING:
    from shiftproof.panel import Panel

#: Why a column is not tested.
Omission = Literal["excluded", "score", "label", "absent from the reference"] | Kind


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The arguments of `detect` that say what is compared, as the caller gave them."""

    reference: Any
    current: Any
    reference_scores: Any = None
    current_scores: Any = None
    labels: Any = None
    panel: Panel | None = None
    kinds: Mapping[Any, str] | None = None
    exclude: Sequence[Any] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Inputs:
    """Checked inputs of both stages.

    Attributes
    ----------
    old, new : Table
        The features of both tables, without labels, scores and excluded columns.
    kinds : mapping of str to Kind
        The shared columns that are tested, and what each is.
    absent : mapping of str to Kind
        The columns that the new table lost.
    left_out : mapping of str to Omission
        Columns that are not tested, each with its reason.
    labels : sequence or None
        The labels of the reference rows, where they are known.
    pairs : tuple of ScorePair
        Each model's scores of both tables.
    failures : mapping of str to str
        Models that cannot score the new rows, each with its reason.
    """

    old: Table
    new: Table
    kinds: Mapping[str, Kind]
    absent: Mapping[str, Kind]
    left_out: Mapping[str, Omission]
    labels: Any
    pairs: tuple[ScorePair, ...]
    failures: Mapping[str, str]

    @classmethod
    def of(cls, sources: Sources, random_state: Seed) -> Inputs:
        """Check everything that is compared, and score the new rows where a panel is given."""
        _check_panel(sources.panel)
        old_source, new_source = load_table(sources.reference), load_table(sources.current)
        old, new = as_table(old_source, "reference"), as_table(new_source, "current")
        _require_rows(old, "reference")
        _require_rows(new, "current")
        left_out: dict[str, Omission] = dict.fromkeys(_excluded(sources.exclude, old, new), "excluded")
        given = sources.reference_scores, sources.current_scores
        left_out |= dict.fromkeys([column for column in given if isinstance(column, str)], "score")
        labels, label_column = _labels(sources.labels, sources.panel, old)
        if label_column is not None:
            left_out[label_column] = "label"
        failures: dict[str, str] = {}
        if sources.panel is None:
            pairs = given_scores(*given, old, new, labels)
        else:
            _check_reference(sources.panel, old_source, given)
            pairs, failures = panel_scores(sources.panel, old_source, new_source, new.n_rows, random_state)
        # A score column may be in one of the tables only.
        present = {*old.names, *new.names}
        decided = joint_kinds(old, new, kinds=sources.kinds, exclude=[name for name in left_out if name in present])
        # After the kinds are decided: errors about `kinds` may name any column.
        old, new = old.without(left_out), new.without(left_out)
        if not decided:
            raise _nothing_shared(old, new, left_out)
        left_out |= {name: kind for name, kind in decided.items() if kind in LEFT_OUT}
        left_out |= dict.fromkeys([name for name in new.names if name not in old.names], "absent from the reference")
        return cls(
            old=old,
            new=new,
            kinds={name: kind for name, kind in decided.items() if name not in left_out},
            absent=_absent_kinds(old, new, sources.kinds),
            left_out=left_out,
            labels=labels,
            pairs=pairs,
            failures=failures,
        )

    @property
    def scales(self) -> dict[str, Scale]:
        """How each tested column is compared: dates are numbers."""
        return {name: "nominal" if kind == "nominal" else "continuous" for name, kind in self.kinds.items()}


def load_table(source: Any) -> Any:
    """Read the file if a path is given."""
    return read(source) if isinstance(source, (str, os.PathLike)) else source


def excluded_names(exclude: Sequence[Any] | None) -> list[str]:
    """Return the names of excluded columns; a single text is a likely mistake for a list of one."""
    if isinstance(exclude, str):
        raise fault("exclude", "be a list of column names", exclude, Phrase("write ", Argument("exclude", [exclude])))
    return [str(name) for name in exclude or ()]


def _check_panel(panel: object) -> None:
    # By attribute: importing the class would import scikit-learn for every call without a panel.
    if panel is not None and not hasattr(panel, "fold_probabilities"):
        raise fault("panel", "be a Panel", type(panel).__name__, "make one by cross_fit or Panel.from_scores")


def _check_reference(panel: Panel, reference: Any, scores: tuple[object, object]) -> None:
    """Check that the panel was made from the reference rows, and that no other scores were given."""
    if any(given is not None for given in scores):
        raise fault("reference_scores", "be left out with a panel, which has scores", hint="pass one of the two")
    features = panel.features_of(reference, "reference") if panel.feature_names else reference
    panel.matches(features, called=("reference", "reference_labels"))


def _labels(given: Any, panel: Panel | None, old: Table) -> tuple[Any, str | None]:
    """Return the labels of the reference rows, if they are known, and the column that they came from."""
    column = given if isinstance(given, str) else None
    if column is not None:
        if column not in old.names:
            raise unknown_name("reference_labels", "name a column of the reference", column, old.names)
        given = old.column(column).cells()
    if given is not None:
        from shiftproof.panel import encode_labels

        n_labels = len(encode_labels(given, "reference_labels")[1])
        if n_labels != old.n_rows:
            got = Phrase(f"{n_labels:,} for {old.n_rows:,}")
            raise fault("reference_labels", "have one label per reference row", got, "align the two")
    if panel is None:
        return given, column
    panel.matches(y=given, called=("reference", "reference_labels"))
    return panel.classes_[panel.y], column


def _require_rows(table: Table, name: str) -> None:
    if not table.names:
        raise fault(name, "have at least one column", table.names, "pass the features as columns")
    if not table.n_rows:
        raise fault(name, "hold at least one row", table.n_rows, "check the filter or the file it came from")


def _excluded(exclude: Sequence[Any] | None, old: Table, new: Table) -> list[str]:
    names = excluded_names(exclude)
    unknown = [name for name in names if name not in old.names and name not in new.names]
    if unknown:
        raise unknown_name("exclude", "name columns of the tables", unknown[0], old.names)
    return names


def _absent_kinds(old: Table, new: Table, kinds: Mapping[Any, str] | None) -> dict[str, Kind]:
    lost = old.without(new.names)
    given = {name: kind for name, kind in (kinds or {}).items() if str(name) in lost.names}
    return feature_kinds(lost, kinds=given, warn=False)


def _nothing_shared(old: Table, new: Table, left_out: Mapping[str, Omission]) -> InputError:
    if left_out and not old.names:
        return fault("exclude", "leave at least one column", Phrase(listed(left_out)), "leave fewer out")
    got = Phrase(f"{listed(old.names, most=3)} against {listed(new.names, most=3)}")
    return fault("reference and current", "share at least one column", got, "check the headers of both")
