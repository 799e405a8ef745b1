"""Text in parts that are marked: cells of the user's data, and names of arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

#: What stands on a redacted page in place of sensitive text.
HIDDEN = "(hidden)"


@dataclass(frozen=True)
class Sensitive:
    """Text that may hold cells of the user's data, such as a category or a model's error message.

    Parameters
    ----------
    text : str
        The text as it is.
    instead : str
        What a redacted page shows in its place.
    """

    text: str
    instead: str = HIDDEN

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Argument:
    """An argument within a sentence; the command line calls it by its option instead.

    Parameters
    ----------
    name : str
        Its name in Python.
    value : object
        The value to pass, written as ``name=value``; a `Phrase` for code, ``...`` where the reader knows best.
    key : object
        Which entry of a mapping is meant, written as ``name[key]``.
    instead : str
        What to do in Python, where only the command line has this option.

    Examples
    --------
    >>> print(Argument("cv"), Argument("cv", 3), Argument("control", ...), Argument("kinds", key="zip"))
    cv cv=3 control= kinds['zip']
    >>> print(Argument("exclude", ["id"], instead="drop it from X"))
    drop it from X
    """

    name: str
    value: object = None
    key: object = None
    instead: str = ""

    def __str__(self) -> str:
        if self.instead:
            return self.instead
        if self.key is not None:
            return f"{self.name}[{self.key!r}]"
        if self.value is None:
            return self.name
        value = self.value if isinstance(self.value, Phrase) else "" if self.value is ... else repr(self.value)
        return f"{self.name}={value}"


@dataclass(frozen=True, init=False, repr=False)
class Phrase:
    """Text in parts, some of which may be sensitive, and some the names of arguments.

    Parameters
    ----------
    *parts : str, Sensitive, Argument or Phrase
        Parts in order; phrases among them are taken apart.

    Examples
    --------
    >>> phrase = Phrase("'svm' failed: ", Sensitive("cannot convert 'Smith' to float"), ".")
    >>> str(phrase)
    "'svm' failed: cannot convert 'Smith' to float."
    >>> phrase.redacted()
    "'svm' failed: (hidden)."
    """

    parts: tuple[str | Sensitive | Argument, ...]

    def __init__(self, *parts: str | Sensitive | Argument | Phrase) -> None:
        flat = (piece for part in parts for piece in (part.parts if isinstance(part, Phrase) else (part,)))
        object.__setattr__(self, "parts", tuple(flat))  # the dataclass is frozen

    def __repr__(self) -> str:
        return repr(str(self))  # as users read it in a dict of reasons

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __add__(self, other: Text) -> Phrase:
        return Phrase(self, other)

    def capitalized(self) -> Phrase:
        """Return the phrase as the beginning of a sentence.

        Examples
        --------
        >>> str(Phrase("every row has a label.").capitalized())
        'Every row has a label.'
        """
        first, *rest = self.parts or ("",)
        return Phrase(first[:1].upper() + first[1:], *rest) if isinstance(first, str) else self

    def redacted(self) -> str:
        """Return the text with its sensitive parts replaced."""
        return "".join(part.instead if isinstance(part, Sensitive) else str(part) for part in self.parts)

    def written(self, argument: Callable[[Argument], str]) -> str:
        """Return the text with arguments written by a function.

        Examples
        --------
        >>> Phrase("pass ", Argument("cv", 3)).written(lambda argument: f"--folds {argument.value}")
        'pass --folds 3'
        """
        return "".join(argument(part) if isinstance(part, Argument) else str(part) for part in self.parts)

    @property
    def sensitive(self) -> bool:
        """Whether a part may hold cells of the user's data."""
        return any(isinstance(part, Sensitive) for part in self.parts)

    @classmethod
    def joined(cls, separator: str, texts: Iterable[Text]) -> Phrase:
        """Join texts as ``str.join`` does.

        Examples
        --------
        >>> Phrase.joined(" ", ["One.", Phrase("Two: ", Sensitive("x"))]).redacted()
        'One. Two: (hidden)'
        """
        parts: list[Text] = []
        for text in texts:
            parts += [separator, text] if parts else [text]
        return cls(*parts)


#: Anything that a page or a terminal can show as text.
Text = str | Sensitive | Phrase


def sentence(text: Text) -> Phrase:
    """Return text as a sentence: its first letter a capital, a full stop at the end.

    Examples
    --------
    >>> str(sentence("the type of shift is unclear"))
    'The type of shift is unclear.'
    """
    # A sentence may begin with an empty part, before what is filled in.
    first, *rest = [part for part in Phrase(text).parts if part] or [""]
    if isinstance(first, str):
        first = first[:1].upper() + first[1:]
    return Phrase(first, *rest, "" if str(text).endswith((".", "?", "!")) else ".")


@dataclass(frozen=True, kw_only=True)
class Note:
    """A fact that the reader of a result should know; `_words` of its package turns it into a sentence.

    Parameters
    ----------
    code : str
        Which fact it is, such as "model left out".
    subject : str
        What it is about: a model, a column, a class.
    detail : str
        More about it, such as a model's error message.
    sensitive : bool
        Whether the detail may hold cells of the user's data.
    """

    code: str
    subject: str = ""
    detail: str = ""
    sensitive: bool = False

    @property
    def shown_detail(self) -> Text:
        """The detail, marked where it is sensitive."""
        return Sensitive(self.detail) if self.sensitive else self.detail
