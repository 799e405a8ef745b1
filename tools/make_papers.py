"""Put the tables of the papers' experiments on the pages of docs/papers.

Usage::

    python tools/make_papers.py [FOLDER]

FOLDER is the folder that `shiftproof reproduce` wrote to. Its tables are copied to docs/papers/tables: those of the
full run of each experiment, or of the quick run if there is no other. Then every block of the pages between
``<!-- table: NAME/TABLE -->`` and ``<!-- end -->`` is rewritten from these files. So is every ``<!-- run: NAME -->``
block, which says what was run. Without FOLDER, only the blocks are rewritten. `tests/docs/test_papers.py` checks that
the pages match the files.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

from shiftproof.experiments import NAMES, RUN, as_markdown, read_table

PAPERS = Path(__file__).resolve().parents[1] / "docs" / "papers"
TABLES = PAPERS / "tables"
_BLOCK = re.compile(r"<!-- (table|run): (\S+) -->\n.*?<!-- end -->", re.DOTALL)


def copy_tables(run: Path) -> None:
    """Copy the tables of every experiment that was run."""
    for name in NAMES:
        found = next((folder for folder in (run / name, run / f"{name}-quick") if (folder / RUN).is_file()), None)
        if found is None:
            continue
        shutil.rmtree(TABLES / name, ignore_errors=True)
        (TABLES / name).mkdir(parents=True)
        for path in sorted([*found.glob("*.csv"), found / RUN]):
            shutil.copy(path, TABLES / name / path.name)


def block(kind: str, name: str, tables: Path = TABLES) -> str:
    """Return the text between the markers of a block."""
    if kind == "table":
        return as_markdown(read_table(tables / f"{name}.csv"))
    run = json.loads((tables / name / RUN).read_text(encoding="utf-8"))
    seeds = f"{run['seeds']} seed{'s' * (run['seeds'] != 1)}"
    length = "a run with `--quick`" if run["quick"] else "a full run"
    command = f"shiftproof reproduce {name} --data folder{' --quick' * run['quick']} --seeds {run['seeds']}"
    return (
        f"<!-- not run: it needs the data sets and takes minutes -->\n```sh no-run\n{command}\n```\n"
        f"The tables below come from {length} ({seeds}, {run['cells']:,} cells). It took as long as "
        f"{run['reference_fits']:,} reference fits on one core. (A reference fit is a logistic regression on 10,000 "
        "rows with 20 columns.)\n"
    )


def rewritten(text: str, tables: Path = TABLES) -> str:
    """Return a page with all blocks rewritten."""
    return _BLOCK.sub(
        lambda found: f"<!-- {found[1]}: {found[2]} -->\n{block(found[1], found[2], tables)}<!-- end -->", text
    )


def main() -> None:
    """Copy what was run, and write the pages."""
    if len(sys.argv) > 1:
        copy_tables(Path(sys.argv[1]))
    for page in sorted(PAPERS.glob("*.md")):
        page.write_text(rewritten(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
