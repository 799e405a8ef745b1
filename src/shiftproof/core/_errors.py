"""Every exception that the library raises on purpose, with its facts as fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from shiftproof.core._format import listed, shown, without_passwords
from shiftproof.core._phrases import Argument, Phrase, Sensitive, Text

# Longer ones were computed, not typed.
_LONGEST_NUMBER = 12
_AS_IT_IS = Phrase("fit it on other rows, then ", Argument("prefit", instead="pass cv='prefit'"))
# What to do about errors of libraries that users often meet, by a part of the message.
_WAYS_OUT: dict[str, Text] = {
    "to float": "turn text columns into numbers, for example with OneHotEncoder in a pipeline, or leave them out",
    "contains NaN": "fill in missing values, for example with SimpleImputer in a pipeline",
    # xgboost
    "Invalid classes inferred": (
        "encode the labels of all tables as 0, 1 and so on before the fit, for example with LabelEncoder"
    ),
    "enable_categorical": "give text columns the dtype 'category' and the model enable_categorical=True",
    # LightGBM
    "pandas dtypes must be int": "give text columns the dtype 'category'",
    # CatBoost with cat_features
    "Cannot clone object": _AS_IT_IS,
    "has no attribute 'fit'": _AS_IT_IS,
}


class _Absent(Enum):
    ABSENT = "absent"


#: Stands for a value that an error does not have; None is a value.
ABSENT: Final = _Absent.ABSENT


class Worded:
    """A sentence in parts; copies and pickles keep the parts."""

    phrase: Phrase

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, self.__dict__)  # type: ignore[attr-defined]

    @property
    def sensitive(self) -> bool:
        """Whether the message may show values from the user's data."""
        return self.phrase.sensitive


def _restored(kind: type[BaseException], arguments: tuple[Any, ...], facts: dict[str, Any]) -> BaseException:
    # The sentence is ready: __init__ would write it a second time.
    made = kind.__new__(kind, *arguments)
    made.__dict__.update(facts)
    return made


class ShiftproofError(Exception):
    """Base of all errors that shiftproof raises on purpose.

    The tree::

        ShiftproofError
        └── InputError (also a ValueError)   an input is not acceptable
            ├── FileError                    a file cannot be read as a table
            └── StoreError                   a monitor's store cannot be opened, read or written
    """


class InputError(Worded, ShiftproofError, ValueError):
    """An argument, a column or a file is not acceptable.

    The sentence names the argument, the rule, the value and what to do. It is made from the fields, or from `parts` if
    no single argument is wrong; both are given without a full stop.

    Parameters
    ----------
    *parts : str, Sensitive, Argument or Phrase
        The sentence, if it has another form than "X must ..., got ...; ...".
    argument : str or Argument, optional
        The wrong argument.
    rule : str, optional
        What it must do, without "must".
    got : object
        The value, or a `Phrase` that describes it.
    hint : str, Phrase or Argument
        What to do.
    near : sequence
        The names that were probably meant.
    sensitive : bool
        Whether the value may come from the user's data.

    Attributes
    ----------
    clause : Phrase
        The sentence without its end, for use within another sentence.
    phrase : Phrase
        The whole sentence.

    Examples
    --------
    >>> error = InputError(argument="model", rule="be one of 'lr', 'nb'", got="lrr", near=["lr"])
    >>> print(error)
    model must be one of 'lr', 'nb'; got 'lrr'. Did you mean 'lr'?
    >>> error.name, error.got
    ('model', 'lrr')
    """

    def __init__(
        self,
        *parts: Text | Argument,
        argument: str | Argument | None = None,
        rule: Text | None = None,
        got: object = ABSENT,
        hint: Text | Argument = "",
        near: Sequence[object] = (),
        sensitive: bool = False,
    ) -> None:
        self.argument = Argument(argument) if isinstance(argument, str) else argument
        self.rule, self.got, self.hint, self.near = rule, got, hint, tuple(near)
        self.clause = without_secrets(Phrase(*parts) if rule is None else self._ruled(rule, sensitive))
        end = f". Did you mean {listed(self.near, last='or')}?" if near else "."
        self.phrase = Phrase(self.clause, end)
        super().__init__(str(self.phrase))

    def _ruled(self, rule: Text, sensitive: bool) -> Phrase:
        must = Phrase(self.argument or "it", " must ", rule)
        hint = Phrase("; ", self.hint) if self.hint else Phrase()
        if self.got is ABSENT:
            return Phrase(must, hint)
        value = self.got if isinstance(self.got, (Phrase, Sensitive)) else _value(self.got)
        shielded = Sensitive(str(value)) if sensitive else value
        return Phrase(must, ", got " if hint else "; got ", shielded, hint)

    def renamed(self, name: str, other: str) -> InputError:
        """Return the error with another name for the argument; errors about other arguments stay the same."""
        if self.name != name:
            return self
        if self.rule is None:
            named = (isinstance(part, Argument) and part.name == name for part in self.clause.parts)
            parts = (other if is_name else part for is_name, part in zip(named, self.clause.parts, strict=True))
            return InputError(*parts, argument=other, near=self.near)
        return InputError(
            argument=other, rule=self.rule, got=self.got, hint=self.hint, near=self.near, sensitive=self.sensitive
        )

    @property
    def name(self) -> str | None:
        """The name of the wrong argument; None if the error is about several arguments."""
        return None if self.argument is None else self.argument.name


def without_secrets(phrase: Phrase) -> Phrase:
    """Leave the passwords out of the addresses in a sentence, wherever in it a user's words stand."""
    return Phrase(
        *(
            replace(part, text=without_passwords(part.text))
            if isinstance(part, Sensitive)
            else without_passwords(part)
            if isinstance(part, str)
            else part
            for part in phrase.parts
        )
    )


def _value(got: object) -> str:
    """Write a value; of a computed number as many digits as say what is wrong.

    Examples
    --------
    >>> _value(0.6896631760034524), _value(1.0000000000000002), _value(0.25)
    ('0.689663', '1.0000000000000002', '0.25')
    """
    text = shown(got)
    if not isinstance(got, float) or len(text) <= _LONGEST_NUMBER:
        return text
    # Rounded to a whole number, a value just outside its bounds would look right.
    rounded = f"{got:.6g}"
    return text if float(rounded).is_integer() else rounded


class FileError(InputError):
    """A file cannot be read as a table; the message names the file and, if known, the line.

    Parameters
    ----------
    path : path-like
        The file.
    *parts : str, Sensitive, Argument or Phrase
        What is wrong with it and what to do, without a full stop.
    near : sequence
        The names that were probably meant.

    Attributes
    ----------
    problem : Phrase
        The sentence without the file, for callers who know the file by another name.
    """

    def __init__(self, path: object, *parts: Text | Argument, near: Sequence[object] = ()) -> None:
        self.path, self.problem = str(path), Phrase(*parts)
        # On its own: a quotation mark that is not closed would make a password of the whole sentence.
        super().__init__(f"{without_passwords(self.path)}: ", *parts, near=near)


class StoreError(InputError):
    """A monitor's store cannot be opened, read or written; the message names the file, the reason and what to do.

    Parameters
    ----------
    path : path-like
        The store.
    *parts : str, Sensitive, Argument or Phrase
        What is wrong with it and what to do, without a full stop.
    near : sequence
        The names that were probably meant.
    """

    def __init__(self, path: object, *parts: Text | Argument, near: Sequence[object] = ()) -> None:
        self.path = str(path)
        super().__init__(f"{without_passwords(self.path)}: ", *parts, near=near)


@dataclass(frozen=True)
class Failure:
    """How a model, or other code of the user, failed.

    Parameters
    ----------
    kind : str
        The name of the exception's class.
    message : str
        The first line of its message, without a full stop. It may hold cells of the user's data.

    Examples
    --------
    >>> failure = Failure.of(ValueError("cannot convert 'Smith' to float."))
    >>> str(failure)
    "ValueError: cannot convert 'Smith' to float"
    >>> failure.phrase.redacted()
    'ValueError: (hidden)'
    """

    kind: str
    message: str = ""

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Record an exception's class and the first line of its message."""
        text = str(error.clause) if isinstance(error, InputError) else str(error)
        # scikit-learn's messages run over paragraphs; their first line says what is wrong.
        lines = (line.strip() for line in text.splitlines())
        return cls(type(error).__name__, next(filter(None, lines), "").rstrip("."))

    @property
    def detail(self) -> Sensitive:
        """The exception's message, or its class if the message is empty."""
        return Sensitive(self.message or self.kind)

    @property
    def phrase(self) -> Phrase:
        """The failure in words, its message marked as sensitive."""
        return Phrase(f"{self.kind}: ", Sensitive(self.message)) if self.message else Phrase(self.kind)

    def __str__(self) -> str:
        return str(self.phrase)


def failed(failures: Mapping[str, Failure]) -> Phrase:
    """Write which models failed, and how; an error of this package needs no class.

    Examples
    --------
    >>> str(failed({"svm": Failure("MemoryError")}))
    "'svm' failed with MemoryError"
    >>> str(failed({"svm": Failure("InputError", "SVM gives no scores")}))
    "'svm' failed: SVM gives no scores"
    """
    return Phrase.joined("; ", (_failed(name, why) for name, why in failures.items()))


def _failed(name: str, why: Failure) -> Phrase:
    if why.kind == InputError.__name__:
        return Phrase(f"{name!r} failed: ", why.detail)
    return Phrase(f"{name!r} failed with ", why.phrase)


def way_out(failures: Mapping[str, Failure], hint: Text = "") -> Phrase:
    """Write what to do about failures, if that is known, to follow what failed.

    Examples
    --------
    >>> str(way_out({"svm": Failure("ValueError", "Input X contains NaN")}))
    '; fill in missing values, for example with SimpleImputer in a pipeline'
    """
    messages = " ".join(why.message for why in failures.values())
    usual = next((words for part, words in _WAYS_OUT.items() if part in messages), "")
    return Phrase("; ", hint or usual) if hint or usual else Phrase()


def all_failed(failures: Mapping[str, Failure], hint: Text = "") -> Phrase:
    """Write that no model is left, why, and what to do.

    Examples
    --------
    >>> str(all_failed({"svm": Failure("MemoryError")}))
    "'svm' failed with MemoryError"
    >>> str(all_failed({"svm": Failure("MemoryError"), "knn": Failure("MemoryError")}))
    "every model failed: 'svm' failed with MemoryError; 'knn' failed with MemoryError"
    """
    return Phrase("every model failed: " * (len(failures) > 1), failed(failures), way_out(failures, hint))
