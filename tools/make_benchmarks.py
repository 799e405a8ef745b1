"""Write docs/benchmarks.md from the files that benchmarks write.

Usage::

    python -m tools.make_benchmarks

`make bench` runs the benchmarks with ``--write docs/benchmarks`` and then this script. Benchmarks without a file are
listed as not measured. `tests/docs/test_benchmarks.py` checks that the page matches the files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

from benchmarks.ratios import FOLDER, ROOT, UNITS, Agreement, Measured, Ratio, Run, times

PAGE = ROOT / "docs" / "benchmarks.md"
# How libraries spell their names, by their names on the package index.
NAMES = {"duckdb": "DuckDB", "evidently": "Evidently", "nannyml": "NannyML", "quapy": "QuaPy"}


class Section(NamedTuple):
    """A part of the page: its title, the target of the Makefile that measures it, what is compared, and how."""

    title: str
    target: str
    text: str
    #: The heading of benchmarks/README.md that describes how peers are run.
    method: str = "benchmarks"


SECTIONS: Mapping[str, Section] = {
    "two-sample": Section(
        "Statistics of two tables",
        "bench",
        "Our full record has Kolmogorov-Smirnov, Kruskal-Wallis, Cramér-von Mises, Wasserstein, Hellinger and "
        "missing values for every column. scipy computes only the first two. We measured on AMD Zen 4, where "
        "numpy's AVX-512 sort is [several times slower](https://github.com/numpy/x86-simd-sort/issues/6) than its AVX2 "
        "sort. That flatters our ratio to `np.sort`, and may flatter the ratios to scipy, which sorts too.",
    ),
    "drift-detection": Section(
        "Drift detection",
        "bench",
        "Two tables with 30 numeric columns and 5 categorical ones. Every library runs with its defaults, so they do "
        "not all compute the same things: ours has six statistics for each numeric column, Evidently also draws "
        "figures, and NannyML computes distances between histograms for ten chunks. "
        "Preparation is timed once.",
        "how-each-peer-is-run",
    ),
    "cross-fit": Section(
        "Cross-fitting",
        "bench",
        "`cross_fit` of the default models on the demo data, compared with the fits and predictions that it contains.",
    ),
    "quantification-speed": Section(
        "Quantification, artificial prevalences",
        "bench",
        "Ten quantifiers based on a logistic regression are fitted, then evaluated on samples of 500 rows at 21 "
        "prevalences. Peers fit a classifier for each quantifier; our ten share one cross-fit, which explains much "
        "of the ratio.",
        "quantification",
    ),
    "quantification-thesis": Section(
        "Quantification, the thesis's protocol",
        "bench",
        "Ten folds, each under-sampled to 11 prevalences, on small data sets. With the same fits, rates are learnt "
        "within each fold, as in the peers. Our default fits less often, by design. In both cases our ten "
        "quantifiers share their fits, and each is charged a tenth of the cost.",
        "quantification",
    ),
    "quantification-accuracy": Section(
        "Quantification, error with two classes",
        "bench",
        "Mean absolute error of class proportions on the same samples, with every quantifier at its defaults. "
        "Differences come with their standard error over data sets. `Combined` is our default. For each peer, only "
        "the quantifier with the lowest error is shown, which favours the peer. We knew the data sets when we "
        "designed `Combined`, which favours [ours](quantification.md#compared-with-other-libraries).",
        "quantification",
    ),
    "quantification-multiclass": Section(
        "Quantification, error with more classes",
        "bench",
        "The same on data sets with six to ten classes.",
        "quantification",
    ),
    "quantification-agreement": Section(
        "Quantification, agreement",
        "bench",
        "Estimates of the share of class 1 from the same scores, with the same settings.",
        "quantification",
    ),
    "quantification-labels": Section(
        "Quantification, types of labels",
        "bench",
        "The same rows with labels -1/1, 1/2, strings and booleans, ten quantifiers each (six of "
        "quantificationlib): the share of estimates that differ from the one with labels 0/1, or end in an error.",
        "quantification",
    ),
    "neighbors": Section(
        "Quantification by nearest neighbours",
        "bench",
        "Fits of `NearestNeighbors` and `ProportionWeightedNeighbors` with all their k and alpha, compared with one "
        "scikit-learn query for the neighbours of the same rows.",
    ),
    "structured-svm": Section(
        "Structural SVM",
        "bench",
        "A fit of the classifier within `StructuredSVM`, compared with scikit-learn's linear SVM. Ours minimizes "
        "losses of whole samples, which `LinearSVC` cannot do, and takes more CPU for it.",
    ),
    "comparison": Section(
        "Methods over data sets",
        "bench",
        "Statistics for 3 to 10 methods over 6 to 80 data sets, with CPU summed over five tables. autorank also "
        "tests normality and computes effect sizes. `sp.compare` also computes Wilcoxon's and the Bayesian "
        "signed-rank test for all pairs, which autorank does not do in this mode. baycomp and ours use random "
        "draws; autorank's critical difference comes from a fitted formula.",
    ),
    "audit": Section(
        "An audit compared with its fits", "bench-audit", "What `sp.audit` costs compared with its own model fits."
    ),
    "deployed": Section(
        "An audit of scores compared with `sp.detect`",
        "bench-deployed",
        "Functions on the scores of a deployed model, compared with `sp.detect` on the same tables. The model itself "
        "is not fitted.",
    ),
    "large-tables-detect": Section(
        "Tables larger than memory",
        "bench-large",
        "`sp.detect` on two Parquet files, read directly, with DuckDB and with polars. A scan reads every column of "
        "both files once. *SQL alone* computes the main figures of a record with queries in DuckDB; it is timed on two "
        "columns and scaled up to all columns.",
    ),
    "large-tables-audit": Section(
        "Audits of scores larger than memory",
        "bench-large",
        "`shiftproof audit --score-column` on two Parquet files, compared with one scan of both.",
    ),
    "monitor": Section(
        "Monitors",
        "bench-monitor",
        "Streams of 200 quiet batches of 100 rows, then 20 changed ones. Ours is the alarm *changed*. Peers run with "
        "their defaults and promise nothing about whole streams, so their false alarms are not bugs. A peer that "
        "raises an alarm in most batches also has short delays, so read both figures together. *Never* means that in "
        "at least half of the streams there was no alarm within the 20 changed batches. The slower peers run on fewer "
        "streams.",
    ),
}

TEXT = """# Benchmarks

This page shows what shiftproof costs compared with other libraries, and whether their results agree. Every ratio comes
with versions and the command to repeat it. `make bench` measures most of them and writes this page from the files in
`docs/benchmarks`. No figure is typed by hand.

```sh
make bench           # takes an hour; also: {targets}
```

## How to read it
- A ratio compares our figure with a peer's, from one run of one script on one machine. "12 x less CPU" means that the
  peer takes 12 times as much.
- CPU is processor time of all threads and child processes. Other work on the machine affects it less than wall time.
- **Bold** ratios are those where ours is worse.
- A *baseline* is not another library that does the same. It is a unit of measure, such as the model fits that a task
  contains. A task is expected to take more than its baseline; the ratio says how much more.
- Peers run in separate environments, with the versions shown. For what each computes, and why the comparison is fair,
  see [how the benchmarks are run](../benchmarks/README.md).
- `DATA` in a command stands for a folder with the data sets that the script names.

Of {count} ratios to other libraries, ours is better in {better}, worse in {worse} and equal in {equal}.
{environment}{missing}

## All peers
This table shows CPU only; the sections below have the rest.

{glance}"""


def read_all(folder: Path = FOLDER) -> list[Measured]:
    """Return what was measured, in the order of the page."""
    by_name = {path.stem: Measured.read(path) for path in folder.glob("*.json")}
    unknown = sorted(by_name.keys() - SECTIONS.keys())
    if unknown:
        raise ValueError(f"{unknown[0]}.json has no section; add one to SECTIONS in tools/make_benchmarks.py.")
    return [by_name[name] for name in SECTIONS if name in by_name]


def page(measured: Sequence[Measured]) -> str:
    """Return the page."""
    others = [ratio for each in measured for ratio in each.ratios if not ratio.baseline]
    worse = sum(ratio.worse for ratio in others)
    equal = sum(ratio.words == UNITS[ratio.unit].same for ratio in others)
    usual = Counter(_environment(each.run) for each in measured).most_common(1)[0][0]
    targets = sorted({section.target for section in SECTIONS.values()} - {"bench"})
    text = TEXT.format(
        targets=", ".join(f"make {target}" for target in targets),
        count=len(others),
        better=len(others) - worse - equal,
        worse=worse,
        equal=equal,
        environment=f"Measured in {usual}.{_busy([each.run for each in measured])}",
        missing=_missing({each.benchmark for each in measured}),
        glance=glance(measured),
    )
    return "\n".join([text, *(section_of(each, usual) for each in measured)])


def section_of(measured: Measured, usual: str) -> str:
    """Return the section of one benchmark; its environment only if it is not the usual one."""
    section, run = SECTIONS[measured.benchmark], measured.run
    parts = [f"## {section.title}", fill(section.text, 120, break_on_hyphens=False), ""]
    if measured.ratios:
        rows = [[_peer(each), each.task, *each.figures(), _bold(each)] for each in measured.ratios]
        parts += [_table(["peer", "task", "ours", "theirs", "ratio"], rows)]
    if measured.agreements:
        differences = [
            [_peer(each), each.task, f"{each.difference:.1g}", f"{each.allowed:g}"] for each in measured.agreements
        ]
        parts += [_table(["peer", "result", "largest difference", "allowed"], differences)]
    notes = [f"Repeat it with `make {section.target}`, or this table alone with `{run.command}`."]
    if not run.default:
        notes.append("This run was shorter than the default; the command shows how.")
    if _environment(run) != usual:
        notes.append(f"Measured in {_environment(run)}.")
    notes.append(f"[How it is run](../benchmarks/README.md#{section.method}).")
    return "\n".join([*parts, " ".join(notes), ""])


def glance(measured: Sequence[Measured]) -> str:
    """Return one row per library and section, with the range of the ratios of CPU."""
    ranges: dict[tuple[str, str], list[Ratio]] = {}
    for each in measured:
        for ratio in each.ratios:
            if ratio.unit == "CPU s" and not ratio.baseline:
                ranges.setdefault((_library(ratio), each.benchmark), []).append(ratio)
    rows = []
    for (library, benchmark), ratios in sorted(ranges.items(), key=lambda item: item[0][0].casefold()):
        title = SECTIONS[benchmark].title
        rows.append([f"{library} {ratios[0].version}", f"[{title}](#{_anchor(title)})", range_words(ratios)])
    return _table(["peer", "section", "ratio"], rows)


def range_words(ratios: Iterable[Ratio]) -> str:
    """Return the lowest and the highest ratio in words, in bold where ours is worse.

    Examples
    --------
    >>> pair = [Ratio(task="", peer="", version="", unit="CPU s", ours=1.0, theirs=cost) for cost in (8.0, 40.0)]
    >>> range_words(pair), range_words(pair[:1])
    ('8.0 x to 40 x less CPU', '8.0 x less CPU')
    """
    ordered = sorted(ratios, key=lambda ratio: ratio.value)
    low, high = ordered[0], ordered[-1]
    if low.words == high.words:
        return _bold(low)
    if low.value > 1:
        return f"{times(low.value)} x to {high.words}"
    if high.value < 1:
        return f"**{times(1 / high.value)} x to {low.words}**"
    return f"{_bold(low)} to {high.words}"


def _bold(ratio: Ratio) -> str:
    return f"**{ratio.words}**" if ratio.worse and not ratio.baseline else ratio.words


def _library(row: Ratio | Agreement) -> str:
    name = row.peer.partition(",")[0]
    return NAMES.get(name, name)


def _peer(row: Ratio | Agreement) -> str:
    """Return a peer with its version after the library's name."""
    comma, rest = row.peer.partition(",")[1:]
    shown = f"{_library(row)} {row.version}{comma}{rest}" if row.version else row.peer
    return f"{shown} (baseline)" if isinstance(row, Ratio) and row.baseline else shown


def _environment(run: Run) -> str:
    month = date.fromisoformat(f"{run.month}-01")
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    return f"{month:%B %Y}, on {run.cores} core{'s' * (run.cores != 1)}: {versions}"


def _busy(runs: Sequence[Run]) -> str:
    """Say that other work ran beside the benchmarks, if the load was above the number of cores."""
    loads = [run.load for run in runs if run.load is not None and run.load > run.cores]
    if not loads:
        return ""
    low, high = f"{min(loads):.1f}", f"{max(loads):.1f}"
    return f"\nOther work ran on the machine: the load average was {low if low == high else f'{low} to {high}'}."


def _missing(there: set[str]) -> str:
    absent = [f"- {section.title}: `make {section.target}`" for name, section in SECTIONS.items() if name not in there]
    return "\n".join(["\n\nNot measured yet:", *absent]) if absent else ""


def _anchor(title: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, *rows]
    shown = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([shown[0], "|" + "---|" * len(header), *shown[1:], ""])


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(read_all()), encoding="utf-8")
    print(f"page: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
