"""Make the pictures of README and docs, and write what they show as their alternative text.

Usage::

    python tools/make_pictures.py
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import shiftproof as sp
from shiftproof import plots
from shiftproof.cli import run
from shiftproof.reporting import as_picture

ROOT = Path(__file__).resolve().parents[1]
ACTS, CHANCE = "docs/images/acts.svg", "docs/images/chance.svg"
FIGURES = "docs/how-right.json"
TITLE = "A loss happens about as often as the chance says"
Bin = Mapping[str, Any]


def chance_words(bins: Sequence[Bin]) -> str:
    """Return what `chance_chart` shows, as its alternative text."""
    points = (
        f"chance {one['says']:.0%}: happens in {one['happens']:.0%} ± {one['happens se']:.0%} of {one['cases']} cases"
        for one in bins
    )
    return f"{TITLE}; {'; '.join(points)}."


def chance_chart(bins: Sequence[Bin], *, ax: Any) -> Any:
    """Draw how often a loss happened against its stated chance, with standard errors and counts."""
    says, happens, errors = ([one[name] for one in bins] for name in ("says", "happens", "happens se"))
    ax.plot([0, 1], [0, 1], color=plots.QUIET, linewidth=1.5, linestyle="--")
    ax.errorbar(says, happens, yerr=errors, fmt="o", markersize=6, color=plots.ESTIMATE, elinewidth=2)
    for one in bins:
        below = one["happens"] < one["says"]
        ax.annotate(
            f"{one['cases']}",
            (one["says"], one["happens"]),
            (8, -8 if below else 8),
            textcoords="offset points",
            fontsize=8,
            va="center",
            color=plots.INK,
        )
    ax.annotate("says = happens", (0.86, 0.86), (6, -12), textcoords="offset points", fontsize=8, color=plots.INK)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xlabel("chance of losing more than five points, as stated before any label", fontsize=8)
    ax.set_ylabel("cases in which it happened", fontsize=8)
    ax.set_title(TITLE, fontsize=10, loc="left", fontweight="bold")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.tick_params(labelsize=8)
    return ax


def show_in(page: Path, picture: str, words: str | None) -> None:
    """Write the alternative text of a picture on a page."""
    name = picture if page.name == "README.md" else picture.removeprefix("docs/")
    link = re.compile(rf"!\[[^\]]*\]\({re.escape(name)}\)")
    page.write_text(link.sub(lambda _: f"![{words}]({name})", page.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    """Draw the demo, how right chances are, and the features that changed most between the years of the demo."""
    with tempfile.TemporaryDirectory() as folder:
        run(["demo", "--out", folder])
        shutil.copy(Path(folder) / "acts.svg", ROOT / ACTS)
    words = ET.parse(ROOT / ACTS).getroot().get("aria-label")  # noqa: S314 - our own file
    show_in(ROOT / "README.md", ACTS, words)
    bins = json.loads((ROOT / FIGURES).read_text(encoding="utf-8"))["bins"]
    drawn = plots.drawn_svg(partial(chance_chart, bins), (5.6, 5.0), "chance")
    (ROOT / CHANCE).write_text(as_picture(drawn, chance_words(bins)), encoding="utf-8")
    show_in(ROOT / "docs" / "how-right.md", CHANCE, chance_words(bins))
    old, new = (sp.load_demo(year=year).drop(columns="label") for year in (2009, 2010))
    plots.save_figure(sp.detect(old, new).plot_features(most=6), ROOT / "docs" / "demo-features.png")


if __name__ == "__main__":
    main()
