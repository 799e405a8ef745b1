"""Text that knows which of its parts may hold cells of the user's data, so that one filter can hide them."""

from __future__ import annotations

from collections.abc import Iterable
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


@dataclass(frozen=True, init=False)
class Phrase:
    """Text in parts, some of which may be sensitive.

    Parameters
    ----------
    *parts : str, Sensitive or Phrase
        Parts in order; phrases among them are taken apart.

    Examples
    --------
    >>> phrase = Phrase("'svm' failed: ", Sensitive("cannot convert 'Smith' to float"), ".")
    >>> str(phrase)
    "'svm' failed: cannot convert 'Smith' to float."
    >>> phrase.redacted()
    "'svm' failed: (hidden)."
    """

    parts: tuple[str | Sensitive, ...]

    def __init__(self, *parts: str | Sensitive | Phrase) -> None:
        flat = (piece for part in parts for piece in (part.parts if isinstance(part, Phrase) else (part,)))
        object.__setattr__(self, "parts", tuple(flat))

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    def __add__(self, other: Text) -> Phrase:
        return Phrase(self, other)

    def redacted(self) -> str:
        """Return the text with its sensitive parts replaced."""
        return "".join(part.instead if isinstance(part, Sensitive) else part for part in self.parts)

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


@dataclass(frozen=True, kw_only=True)
class Note:
    """A fact that the reader of a result should know; its sentence is made by `_words` of the package it is from.

    Parameters
    ----------
    code : str
        Which fact it is, such as "model left out".
    subject : str
        What it is about: a model, a column, a class.
    detail : str
        What else there is to say, such as a model's error message.
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
