"""Make the pictures of README and docs from the demo data, and write what README's shows below it.

Usage::

    python tools/make_pictures.py
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from xml.etree import ElementTree as ET

import shiftproof as sp
from shiftproof import plots
from shiftproof.cli import run

ROOT = Path(__file__).resolve().parents[1]
ACTS = "docs/images/acts.svg"


def main() -> None:
    """Run the demo and keep its chart; draw the features that changed most between its two years."""
    with tempfile.TemporaryDirectory() as folder:
        run(["demo", "--out", folder])
        shutil.copy(Path(folder) / "acts.svg", ROOT / ACTS)
    words = ET.parse(ROOT / ACTS).getroot().get("aria-label")  # noqa: S314 - our own file
    readme = ROOT / "README.md"
    picture = re.compile(rf"!\[[^\]]*\]\({re.escape(ACTS)}\)")
    text = picture.sub(lambda _: f"![{words}]({ACTS})", readme.read_text(encoding="utf-8"))
    readme.write_text(text, encoding="utf-8")
    old, new = (sp.load_demo(year=year).drop(columns="label") for year in (2009, 2010))
    plots.save_figure(sp.detect(old, new).plot_features(most=6), ROOT / "docs" / "demo-features.png")


if __name__ == "__main__":
    main()
