"""One message about an incident: the same content as JSON, as plain text and as HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from shiftproof.core import shortened, tame

# Longer subjects are cut off by most mail programs.
_LONGEST_SUBJECT = 120
_STYLE = "font-family: sans-serif; max-width: 42em; line-height: 1.5"


@dataclass(frozen=True)
class AlertMessage:
    """What is sent.

    Parameters
    ----------
    content : mapping
        Plain values, as ``docs/alert.schema.json`` describes them: ``id``, ``event``, ``monitor``, ``store``,
        ``created``, ``headline``, ``details``, ``next`` and figures.

    Examples
    --------
    >>> message = AlertMessage(
    ...     {
    ...         "id": "7f",
    ...         "event": "opened",
    ...         "monitor": "default",
    ...         "store": "calls.db",
    ...         "created": "2024-03-01T06:00:00+00:00",
    ...         "headline": "The data changed enough to matter.",
    ...         "details": ["Columns that changed: 'age'."],
    ...         "next": ["shiftproof monitor status calls.db"],
    ...     }
    ... )
    >>> message.subject
    '[shiftproof] default: The data changed enough to matter.'
    >>> print(message.text)
    The data changed enough to matter.
    <BLANKLINE>
    Columns that changed: 'age'.
    <BLANKLINE>
    What to do next:
        shiftproof monitor status calls.db
    <BLANKLINE>
    Monitor 'default' in calls.db. Alert 7f of 2024-03-01T06:00:00+00:00.
    """

    content: Mapping[str, Any]

    @property
    def id(self) -> str:
        """What a second copy of the same message has in common with it."""
        return str(self.content["id"])

    @property
    def event(self) -> str:
        """What happened to the incident."""
        return str(self.content["event"])

    @property
    def body(self) -> bytes:
        """The content as JSON, always with the same bytes."""
        return json.dumps(self.content, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode()

    @property
    def subject(self) -> str:
        """One line; names in it cannot break it into several."""
        return shortened(tame(f"[shiftproof] {self.content['monitor']}: {self.content['headline']}"), _LONGEST_SUBJECT)

    @property
    def text(self) -> str:
        """The message for people, as plain text."""
        steps = [f"    {step}" for step in self._steps]
        parts = [str(self.content["headline"]), *self.content["details"]]
        text = "\n\n".join(map(tame, parts))
        return "\n".join([text, *(["", "What to do next:", *steps] if steps else []), "", self._origin])

    @property
    def html(self) -> str:
        """The message for people, as HTML; all of its text is escaped."""
        details = "".join(f"<p>{escape(tame(sentence))}</p>" for sentence in self.content["details"])
        steps = "".join(f"<pre>{escape(step)}</pre>" for step in self._steps)
        next_steps = f"<p>What to do next:</p>{steps}" if steps else ""
        head = f"<h1 style='font-size: 1.3em'>{escape(tame(str(self.content['headline'])))}</h1>"
        origin = f"<p style='color: #666'>{escape(self._origin)}</p>"
        return f"<!doctype html><html><body style='{_STYLE}'>{head}{details}{next_steps}{origin}</body></html>"

    @property
    def _steps(self) -> list[str]:
        return [tame(step) for step in self.content["next"]]

    @property
    def _origin(self) -> str:
        content = self.content
        return tame(
            f"Monitor {content['monitor']!r} in {content['store']}. Alert {content['id']} of {content['created']}."
        )
