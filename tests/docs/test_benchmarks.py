"""The page of benchmarks is what the tool makes of the committed files, and make writes all of them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.ratios import FOLDER, ROOT, Agreement, Measured, Ratio, Run
from tools import make_benchmarks as tool

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
RUN = Run(
    command=".venv/bin/python benchmarks/x.py",
    month="2026-11",
    versions={"shiftproof": "0.1.0", "Python": "3.11.7"},
    cores=2,
    default=True,
)
FASTER = Ratio(task="ten", peer="quapy", version="0.2.3", unit="CPU s", ours=1.0, theirs=40.0)
SLOWER = Ratio(task="nas", peer="scikit-learn, `LinearSVC`", version="1.9", unit="CPU s", ours=3.0, theirs=2.0)
FITS = Ratio(task="all", peer="the 3 fits", version="", unit="CPU s", ours=2.2, theirs=2.0, baseline=True)
CLOSE = Agreement(task="share", peer="quapy, CC", version="0.2.3", difference=2e-16, allowed=1e-6)


def test_page_is_made_from_the_files() -> None:
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(tool.read_all()), "run make bench-page"


def test_every_file_is_named_after_its_benchmark_and_free_of_paths() -> None:
    for path in FOLDER.glob("*.json"):
        assert Measured.read(path).benchmark == path.stem
        assert not re.search(r'"[^"]*(?<![\w.])/(home|root|tmp|work|usr)/', path.read_text(encoding="utf-8"))


def test_every_section_is_written_by_a_benchmark_that_make_runs() -> None:
    scripts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py")}
    for name, section in tool.SECTIONS.items():
        # Two scripts complete the name with a table or a verb.
        start = next(word for word in (f'"{name}"', f'"{name.rpartition("-")[0]}-{{') if _saving(scripts, word))
        script = _saving(scripts, start)
        recipe = re.search(rf"^{section.target}:.*\n((?:\t.*\n)+)", MAKEFILE, flags=re.MULTILINE)
        assert recipe is not None
        lines = [line for line in recipe[1].splitlines() if re.search(rf"benchmarks[/.]{script}(\.py)?\s", line)]
        assert lines, name
        assert all("--write $(RATIOS)" in line for line in lines), name
        assert "bench-page" in recipe[1], name


def _saving(scripts: dict[Path, str], word: str) -> str:
    return next((path.stem for path, text in scripts.items() if re.search(rf"save\(\s*f?{re.escape(word)}", text)), "")


def _made(*measured: Measured) -> str:
    return tool.page(measured)


def test_page_shows_peers_versions_figures_and_the_command() -> None:
    page = _made(
        Measured(benchmark="quantification-speed", run=RUN, ratios=(FASTER,)),
        Measured(benchmark="quantification-agreement", run=RUN, agreements=(CLOSE,)),
        Measured(benchmark="structured-svm", run=RUN, ratios=(SLOWER,)),
        Measured(benchmark="audit", run=RUN, ratios=(FITS,)),
    )
    assert "| QuaPy 0.2.3 | ten | 1 s | 40 s | 40 x less CPU |" in page
    assert "| QuaPy 0.2.3, CC | share | 2e-16 | 1e-06 |" in page
    assert "| scikit-learn 1.9, `LinearSVC` | nas | 3 s | 2 s | **1.5 x more CPU** |" in page
    assert "| the 3 fits (baseline) | all | 2.2 s | 2 s | 1.10 x more CPU |" in page
    assert "Of 2 ratios to other libraries, ours is better in 1, worse in 1 and equal in 0." in page
    assert "Repeat it with `make bench-audit`, or this table alone with `.venv/bin/python benchmarks/x.py`." in page
    assert page.count("Measured in November 2026, on 2 cores: shiftproof 0.1.0, Python 3.11.7.") == 1
    assert "Not measured yet:\n- Statistics of two tables: `make bench`\n- Drift detection: `make bench`\n" in page
    assert "shorter than the default" not in page


def test_sections_say_what_differs_from_the_other_runs() -> None:
    usual = Measured(benchmark="cross-fit", run=RUN, ratios=(FITS,))
    other = replace(RUN, cores=1, default=False)
    page = _made(usual, replace(usual, benchmark="neighbors"), replace(usual, benchmark="audit", run=other))
    assert page.count("This run was shorter than the default; the command shows how.") == 1
    assert page.count("Measured in November 2026, on 1 core:") == 1


def test_page_says_that_the_machine_was_busy() -> None:
    runs = [replace(RUN, load=load) for load in (1.5, 4.26, 6.0, None)]
    names = ("cross-fit", "neighbors", "audit", "deployed")
    measured = [Measured(benchmark=name, run=run, ratios=(FITS,)) for name, run in zip(names, runs, strict=True)]
    assert "Other work ran on the machine: the load average was 4.3 to 6.0." in _made(*measured)
    assert "Other work ran" not in _made(measured[0], measured[3])


def test_range_words_say_the_lowest_and_the_highest() -> None:
    slowest = replace(SLOWER, theirs=0.3)
    assert tool.range_words([FASTER, replace(FASTER, theirs=8.0)]) == "8.0 x to 40 x less CPU"
    assert tool.range_words([SLOWER, slowest]) == "**1.5 x to 10 x more CPU**"
    assert tool.range_words([SLOWER, FASTER]) == "**1.5 x more CPU** to 40 x less CPU"
    assert tool.range_words([SLOWER]) == "**1.5 x more CPU**"


def test_a_file_without_a_section_is_an_error(tmp_path: Path) -> None:
    Measured(benchmark="toy", run=RUN).write(tmp_path)
    with pytest.raises(ValueError, match=r"^toy\.json has no section; add one to SECTIONS"):
        tool.read_all(tmp_path)
