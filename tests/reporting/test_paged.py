from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shiftproof.core import Phrase, Sensitive
from shiftproof.reporting import Page
from shiftproof.reporting._paged import PagedResult


@dataclass(frozen=True, eq=False, kw_only=True)
class Found(PagedResult):
    def to_page(self) -> Page:
        return Page(
            title="Its own title", verdict="Shifted", tone="bad", summary=Phrase("New: ", Sensitive("Smith"), ".")
        )

    def summary(self) -> str:
        return ""

    def to_frame(self) -> Any:
        return None

    def to_dict(self) -> dict[str, Any]:
        return {}


def test_save_writes_the_page_under_its_own_title_or_another(tmp_path: Path) -> None:
    own, other = Found().save(tmp_path / "a.html"), Found().save(tmp_path / "b.html", title="Another")
    assert own == tmp_path / "a.html"
    assert "Its own title" in own.read_text(encoding="utf-8")
    assert "Another" in other.read_text(encoding="utf-8")
    assert "Its own title" not in other.read_text(encoding="utf-8")


def test_save_hides_cells_only_if_told_to(tmp_path: Path) -> None:
    assert "Smith" in Found().save(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Smith" not in Found().save(tmp_path / "b.html", redact=True).read_text(encoding="utf-8")
