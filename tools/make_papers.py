"""Put the tables of the papers' experiments on the pages of docs/papers.

Usage::

    python tools/make_papers.py [FOLDER]

FOLDER is the folder that `shiftproof reproduce` wrote to. Its tables are copied to docs/papers/tables: of each
experiment the whole run, or the quick one where there is no other. Then every block of the pages between
``<!-- table: NAME/TABLE -->`` and ``<!-- end -->`` is written anew from these files, and so is ``<!-- run: NAME -->``,
which says what was run. Without FOLDER only the blocks are written. `tests/docs/test_papers.py` checks that they match.
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
    """Return what stands between the marks of a block."""
    if kind == "table":
        return as_markdown(read_table(tables / f"{name}.csv"))
    run = json.loads((tables / name / RUN).read_text(encoding="utf-8"))
    seeds = f"{run['seeds']} seed{'s' * (run['seeds'] != 1)}"
    length = "The tables below come from `--quick`" if run["quick"] else "The tables below come from a whole run"
    command = f"shiftproof reproduce {name} --data folder{' --quick' * run['quick']} --seeds {run['seeds']}"
    fits = f"{run['cells']:,} cells, as long as {run['reference_fits']:,} reference fits on one core"
    return (
        f"<!-- not run: it needs the data sets, and minutes -->\n```sh no-run\n{command}\n```\n"
        f"{length}: {seeds}, {fits}. (A reference fit is a logistic regression on 10,000 rows with 20 columns.)\n"
    )


def rewritten(text: str, tables: Path = TABLES) -> str:
    """Return a page with all blocks written anew."""
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
