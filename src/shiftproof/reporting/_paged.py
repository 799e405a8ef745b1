"""The base of results that have a page."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path

from shiftproof.core import Result, Text
from shiftproof.reporting._page import Page


@dataclass(frozen=True, eq=False, kw_only=True)
class PagedResult(Result):
    """A result that can be shown as one page, in a browser or in a terminal."""

    def words(self) -> Text:
        """Return the sentences of `summary`, with values from the data marked as sensitive."""
        return self.summary()

    @abstractmethod
    def to_page(self) -> Page:
        """Return the result as a page for `shiftproof.reporting`."""

    def save(self, path: str | Path, *, title: str | None = None, redact: bool = False) -> Path:
        """Write the result as one self-contained HTML page.

        Parameters
        ----------
        path : str or Path
            The file to write.
        title : str, optional
            The heading of the page.
        redact : bool, default False
            Whether to hide everything that may contain values from the data: categories, extreme values, dates,
            periods, file names and error messages. Names of columns, models and classes stay.

        Returns
        -------
        Path
            The path of the page.
        """
        # Rendering needs jinja2, which a result that is only read does not.
        from shiftproof.reporting._render import save

        page = self.to_page()
        return save(page if title is None else replace(page, title=title), path, redact=redact)
