"""Every warning that the library gives on purpose, with its facts as fields."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Mapping
from types import FrameType

from shiftproof.core._errors import Failure, Worded, failed, way_out, without_secrets
from shiftproof.core._format import listed, percent, shown
from shiftproof.core._phrases import Argument, Phrase, Text


class ShiftproofWarning(Worded, UserWarning):
    """The result is computed, but the user should check something.

    The tree::

        ShiftproofWarning
        ├── AlertsWaiting         alerts of a monitor could not be delivered yet
        ├── ColumnsLeftOut        columns are not tested or not used, such as identifiers
        ├── CopiedRows            rows are tested by models that were trained on exact copies of them
        ├── DatesReadAsText       columns of dates are text because of how they are written
        ├── IdentifierUsed        models may learn from columns that look like identifiers
        ├── InfiniteValues        columns have infinite values, which few models accept
        ├── LabelNearlyRevealed   features separate the classes nearly perfectly
        ├── LabelRevealed         features determine the label of every row
        ├── LabelsAlike           labels that differ only in case or spaces count as different classes
        ├── LabelsOfOneClass      labels of new rows were probably not drawn at random
        ├── MarksReadAsText       columns of numbers are text because of marks such as "?"
        ├── MethodCaution         a method has a caution about its own estimate, such as fewer folds
        ├── ModelsLeftOut         models failed
        ├── RefittedModel         models that were fitted before are fitted again
        ├── SameTables            both tables have the same rows
        ├── ScoresReversed        a model ranks the classes in reverse: its scores may be those of the other class
        ├── TimeIsFeature         columns repeat the time of each row, and are not used as features
        ├── WeightsIgnored        models do not accept sample_weight
        └── ResultUnreliable      the result should not be relied on, and says so itself
            ├── CountsUnreliable      estimated class proportions
            ├── EstimateRefused       performance on new data cannot be estimated
            └── RankingUnreliable     the order of the models

    Parameters
    ----------
    *parts : str, Sensitive, Argument or Phrase
        The sentence, with its full stop.
    """

    def __init__(self, *parts: Text | Argument) -> None:
        self.phrase = without_secrets(Phrase(*parts))
        super().__init__(str(self.phrase))


class AlertsWaiting(ShiftproofWarning):
    """Alerts of a monitor could not be delivered yet; `count` is their number, None if it is not known."""

    def __init__(self, count: int | None, reasons: str) -> None:
        self.count, self.reasons = count, reasons
        which = "alerts may be" if count is None else "1 alert is" if count == 1 else f"{count:,} alerts are"
        super().__init__(
            f"{which} waiting to be sent ({reasons}); adding the next batch or running shiftproof monitor deliver "
            "tries again."
        )


class ColumnsLeftOut(ShiftproofWarning):
    """Columns are not tested, such as identifiers, or not used at all; `columns` maps each to the reason."""

    def __init__(self, columns: Mapping[str, str], hint: Text, *, of: str = "tests") -> None:
        self.columns = dict(columns)
        which = ", ".join(f"{name!r} ({why})" for name, why in list(self.columns.items())[:8])
        more = f" and {len(self.columns) - 8} more" if len(self.columns) > 8 else ""
        super().__init__(f"left out of {of}: {which}{more}", Phrase("; ", hint) if hint else "", ".")


class CopiedRows(ShiftproofWarning):
    """Rows are tested by models that were trained on exact copies of them; `share` is their share of all rows."""

    def __init__(self, share: float) -> None:
        self.share = share
        super().__init__(
            f"{percent(share)} of the labelled rows have an exact copy in another fold, in the columns that models "
            "use. Models are then tested on rows that they were trained on, and look better than they are. Drop the "
            "copies, or pass ",
            Argument("groups", ...),
            " to keep copies in the same fold.",
        )


class DatesReadAsText(ShiftproofWarning):
    """Columns of dates are text because the year is not first; `orders` maps each to the order, "day/month/year"."""

    def __init__(self, path: object, orders: Mapping[str, str]) -> None:
        self.path, self.orders = str(path), dict(orders)
        which = ", ".join(f"{column!r} ({order})" for column, order in list(self.orders.items())[:8])
        more = f" and {len(self.orders) - 8} more" if len(self.orders) > 8 else ""
        many = len(self.orders) > 1
        verbs = ("look", "were") if many else ("looks", "was")
        super().__init__(
            f"{path}: {which}{more} {verbs[0]} like dates but {verbs[1]} read as categories; write dates as "
            f"2016-12-31, or leave the column{'s' * many} out."
        )


class IdentifierUsed(ShiftproofWarning):
    """Models may learn from columns that look like identifiers, which mean nothing in other rows.

    `columns` lists them.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self.columns = tuple(columns)
        look, them = ("looks like an identifier", "it") if len(self.columns) == 1 else ("look like identifiers", "them")
        words = f"{listed(self.columns)} {look}, and models can still use {them}. To leave {them} out: "
        super().__init__(words, Argument("exclude", list(self.columns), instead=f"drop {them} from X"), ".")


class InfiniteValues(ShiftproofWarning):
    """Columns have infinite values; the default models use the largest or smallest finite value instead.

    `columns` lists them.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self.columns = tuple(columns)
        have, their = ("has", "its") if len(self.columns) == 1 else ("have", "their")
        super().__init__(
            f"{listed(self.columns)} {have} infinite values. The default models use {their} largest or smallest finite "
            "value instead, and most other models fail. Replace the infinite values, or mark them as missing."
        )


class LabelNearlyRevealed(ShiftproofWarning):
    """Single features separate two classes nearly perfectly; `columns` maps each to its AUC."""

    def __init__(self, columns: Mapping[str, float]) -> None:
        self.columns = dict(columns)
        named = ", ".join(f"{shown(name)} (AUC {area:.3f})" for name, area in self.columns.items())
        separates = "separates" if len(self.columns) == 1 else "each separate"
        super().__init__(
            f"{named} {separates} the classes almost perfectly; leave out columns that become known only with "
            "the label."
        )


class LabelRevealed(ShiftproofWarning):
    """Features determine the label of every row, by their values or by where they are missing; `columns` names them."""

    def __init__(self, columns: Iterable[str]) -> None:
        self.columns = tuple(columns)
        which = (
            f"the column {shown(self.columns[0])} determines"
            if len(self.columns) == 1
            else (f"each of the columns {listed(self.columns)} determines")
        )
        super().__init__(f"{which} every label; leave it out if its values become known only with the label.")


class LabelsAlike(ShiftproofWarning):
    """Labels that differ only in case or spaces count as different classes; `labels` lists the first of them."""

    def __init__(self, labels: Iterable[object]) -> None:
        self.labels = tuple(labels)
        which = f"the labels {listed(self.labels)} differ only in case or spaces"
        super().__init__(
            f"{which} but count as {len(self.labels)} classes; if they mean the same, spell them the same way."
        )


class LabelsOfOneClass(ShiftproofWarning):
    """Labels of new rows are all of one class, which is unlikely for a random sample."""


class MarksReadAsText(ShiftproofWarning):
    """Columns are text because of marks such as "?" among numbers; `marks` maps each to its marks and their counts."""

    def __init__(self, path: object, marks: Mapping[str, Mapping[str, int]]) -> None:
        self.path = str(path)
        self.marks = {column: dict(counts) for column, counts in marks.items()}
        which = ", ".join(f"{column!r} ({_counted_marks(counts)})" for column, counts in list(marks.items())[:8])
        more = f" and {len(marks) - 8} more" if len(marks) > 8 else ""
        every = Argument("missing", list(dict.fromkeys(mark for counts in marks.values() for mark in counts)))
        words = f"{path}: columns were read as text because of some cells: {which}{more}; pass "
        super().__init__(words, every, " if these marks mean missing.")


def _counted_marks(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{mark!r} in {times:,} row{'s' * (times != 1)}" for mark, times in counts.items())


class MethodCaution(ShiftproofWarning):
    """A method has a caution about its own estimate."""

    def __init__(self, method: str, caution: Text) -> None:
        self.method, self.caution = method, caution
        super().__init__(f"{method}: " if method else "", caution, ".")


class ModelsLeftOut(ShiftproofWarning):
    """Models failed and were left out; `failures` maps each to its error."""

    def __init__(self, failures: Mapping[str, Failure]) -> None:
        self.failures = dict(failures)
        super().__init__("left out: ", failed(self.failures), way_out(self.failures), ".")


class RefittedModel(ShiftproofWarning):
    """Models that were fitted before are fitted again; `models` names them."""

    def __init__(self, models: Iterable[str], use: Text | Argument) -> None:
        self.models, self.use = tuple(models), use
        super().__init__(
            f"refitting models that are already fitted: {', '.join(map(repr, self.models))}. Pass ",
            use,
            " to use them as is, with labelled rows that they were not trained on. To refit them without this "
            "warning, pass unfitted clones.",
        )


class SameTables(ShiftproofWarning):
    """Both tables have the same rows in the same order, so nothing can have changed."""

    def __init__(self) -> None:
        super().__init__(
            "both tables have the same rows, so no change can be found; check that the second table is the new data."
        )


class ScoresReversed(ShiftproofWarning):
    """A model ranks two classes in reverse: `auc` is below 0.5 by more than chance.

    Scores that were given, or those of a deployed model, may be probabilities of the other class. For a cross-fitted
    model (`fitted`), the classes are known: then features and labels are related differently in the held-out rows.
    """

    def __init__(self, model: str, auc: float, label: object, other: object, *, fitted: bool = False) -> None:
        self.model, self.auc, self.label, self.other, self.fitted = model, auc, label, other, fitted
        if fitted:
            super().__init__(
                f"{shown(model)} ranks the classes of held-out rows in reverse (AUC {auc:.2f}), which is worse than "
                "guessing. Check that labels and rows match, and whether rows depend on their order or on groups."
            )
            return
        super().__init__(
            f"{shown(model)} ranks the classes in reverse (AUC {auc:.2f}): are these the probabilities of "
            f"class {shown(label)}? If they are those of class {shown(other)}, pass ",
            Argument("pos_label", other),
            ". If a model computed them, check the order of its classes.",
        )


class TimeIsFeature(ShiftproofWarning):
    """Columns repeat the time of each row, and are not used as features; `columns` names them."""

    def __init__(self, columns: Iterable[str]) -> None:
        self.columns = tuple(columns)
        one = len(self.columns) == 1
        words = "repeats the time of each row and is" if one else "repeat the time of each row and are"
        super().__init__(f"{listed(self.columns)} {words} not used as {'a feature' if one else 'features'}.")


class WeightsIgnored(ShiftproofWarning):
    """Models do not accept `sample_weight` and are fitted without it; `models` names them."""

    def __init__(self, models: Iterable[str]) -> None:
        self.models = tuple(models)
        one = len(self.models) == 1
        words = "does not accept sample_weight and was" if one else "do not accept sample_weight and were"
        super().__init__(f"{listed(self.models)} {words} fitted without it.")


class ResultUnreliable(ShiftproofWarning):
    """The result should not be relied on, and says so itself."""


class CountsUnreliable(ResultUnreliable):
    """The class proportions of the new data cannot be estimated."""

    def __init__(self, refusal: Text) -> None:
        self.refusal = refusal
        super().__init__("no estimate of the class proportions: ", refusal)


class EstimateRefused(ResultUnreliable):
    """Performance on the new data cannot be estimated."""

    def __init__(self, refusal: Text) -> None:
        self.refusal = refusal
        super().__init__(
            "no estimate: ", refusal, " Call plan() on the result to see which new rows to label to get one."
        )


class RankingUnreliable(ResultUnreliable):
    """The order of the models should not be relied on."""

    def __init__(self, concern: Text) -> None:
        self.concern = concern
        super().__init__("do not rely on the ranking: ", concern)


def warn(warning: ShiftproofWarning) -> None:
    """Give a warning that points at the line which called into shiftproof, however deep we are."""
    frame, level = inspect.currentframe(), 1
    # Python 3.12 has `skip_file_prefixes` for this.
    while frame and frame.f_back and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    # A cached property, such as those of a case, puts a frame of functools between two of ours.
    return str(frame.f_globals.get("__name__")).partition(".")[0] in (__name__.partition(".")[0], "functools")
