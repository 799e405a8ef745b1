"""Put the figures of natural and made shifts on the pages: README, how-right and others.

Usage::

    python tools/make_how_right.py

``make bench-real`` writes all figures to docs/how-right.json. Blocks of the pages between ``<!-- figures: NAME -->``
and ``<!-- end -->`` are tables of them. Between ``<!-- = NAME -->`` and ``<!-- end -->`` stands one figure. Constants
come from the code. `tests/docs/test_how_right.py` checks that the pages match.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shiftproof.case import ALLOWANCES, BREAK_CHANCE, BREAK_SIZE
from shiftproof.case._drift import _ODDS
from shiftproof.case._share_drift import _OF_POOL

ROOT = Path(__file__).resolve().parents[1]
FIGURES = "docs/how-right.json"
_BLOCK = re.compile(r"<!-- figures: (.+?) -->\n.*?<!-- end -->", re.DOTALL)
_INLINE = re.compile(r"<!-- = (.+?) -->.*?<!-- end -->", re.DOTALL)
#: How the pages call the data.
DATA = {
    "natural": "first list",
    "natural2": "second list",
    "both": "both lists",
    "textbook": "textbook prior shift",
    "natural + prior": "natural tables, prior shift added",
    "halves": "random halves",
}
MEASURES = {"f1": "F1", "auc": "AUC", "brier": "Brier score"}
Row = Mapping[str, Any]
Figures = Mapping[str, Sequence[Row]]
#: What a column of a table shows of a row.
Column = Callable[[Row], object]
#: What happened in the worst cases, by data set and pair.
NOTES = {
    "spam: tenth 0->1": (
        "Class 1 fell from 76% to 45%. The model predicts it for 92%: the new messages of the other class look "
        "like class 1."
    ),
    "student: portuguese->maths": (
        "Another subject: class 1 fell from 85% to 67%, the model predicts it for 95%, and its AUC fell from 0.82 "
        "to 0.65."
    ),
    "portal_rats: 1990->2000": (
        "Class 1 rose from 12% to 31%, the model predicts it for 4%, and its AUC fell from 0.83 to 0.65."
    ),
    "bike: summer->winter": (
        "Class 1 fell from 62% to 28%, the model predicts it for 65%. We expected a loss, but not all of it."
    ),
    "student: portuguese GP->portuguese MS": (
        "Another school: class 1 fell from 92% to 70%, the model predicts it for 99%."
    ),
    "sba_california: 2004-2005->2006-2006": (
        "Class 1 rose from 27% to 49% of the loans, the model predicts it for 18%."
    ),
    "mpls_stops: precinct 3->4": (
        "Class 1 rose from 29% to 58%, the model predicts it for 25%. Its AUC hardly changed: the same stops end "
        "otherwise."
    ),
    "adult: school->college": (
        "Class 1 rose from 12% to 46%, the model predicts it for 16%. Its AUC did not fall: education, which was "
        "left out, matters."
    ),
    "hotel: City 2015Q4->City 2016Q1": (
        "Class 1 rose from 21% to 27%, the model predicts it for 3%, and its AUC fell from 0.86 to 0.68."
    ),
    "mpls_stops: precinct 2->3": (
        "Class 1 fell from 70% to 31%, the model predicts it for 59%. Its AUC rose: the same stops end otherwise."
    ),
    "doctor: at work->out of work": (
        "The model hardly has skill (AUC 0.59) and nearly always predicts class 1, which rose from 57% to 70%. So "
        "it is better than expected."
    ),
    "wages: full time->part time": "Class 1 fell from 53% to 6%, the model predicts it for 38%.",
    "comics: 1930-79->1990-2015": (
        "The model predicts the first class for 71%, which has 46%, and the third for 1%, which has 16%."
    ),
    "doctor: men->women": (
        "The model hardly has skill (AUC 0.60) and mostly predicts class 1, which rose from 57% to 69%. So it is "
        "better than expected."
    ),
    "football: E0->SP1": "Hardly anything changed; the estimate is too careful.",
    "covid: days 41-70->71-107": (
        "Hardly anything changed for the model, which always predicts class 0; the estimate is too careful."
    ),
    "covid: patients->other adults": (
        "Class 1 rose from 4% to 10%. The model always predicts class 0; the estimate expects nearly twice that loss."
    ),
    "football: I1->G1": "Hardly anything changed; the estimate is too careful.",
    "wages: town->country": "Class 1 fell from 53% to 38%, the model predicts it for 55%.",
    "comics: male->female": "The first class fell from 53% to 32%, the model predicts it for 55%.",
}


def rows(figures: Figures, name: str, **where: object) -> list[Row]:
    """Return the rows of a table with these values."""
    return [row for row in figures[name] if all(row[key] == value for key, value in where.items())]


def one(figures: Figures, name: str, **where: object) -> Row:
    """Return the only row of a table with these values."""
    (row,) = rows(figures, name, **where)
    return row


def whole(share: float | None) -> str:
    """Return a share as a percentage without decimals."""
    return "–" if share is None else f"{100 * share:.0f}%"


def beside(name: str, digits: int = 3) -> Column:
    """Return what shows a mean and its standard error."""
    return lambda row: f"{row[name]:.{digits}f} ± {row[f'{name} se']:.{digits}f}"


def plainly(name: str, form: str = "") -> Column:
    """Return what shows a value in this form; "%" stands for a percentage without decimals."""
    return lambda row: whole(row[name]) if form == "%" else f"{row[name]:{form}}"


def table(columns: Mapping[str, Column], lines: Sequence[Row]) -> str:
    """Return a Markdown table."""
    head = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
    return head + "".join(f"| {' | '.join(str(show(line)) for show in columns.values())} |\n" for line in lines)


def _data(row: Row) -> str:
    return DATA[row["data"]]


def _measure(row: Row) -> str:
    return MEASURES.get(row["measure"], row["measure"])


def _in_list(name: str, figures: Figures) -> Column:
    def show(row: Row) -> str:
        found = rows(figures, "measures", data=name, measure=row["measure"])
        return whole(found[0]["covered"]) if found else "–"

    return show


def _verdicts(figures: Figures) -> str:
    def pairs(verdict: str) -> Column:
        def show(row: Row) -> str:
            of_it = one(figures, "verdicts", data=row["data"], verdict=verdict)
            return f"{of_it['pairs']} ({of_it['lost']})" if of_it["pairs"] else "0"

        return show

    verdicts = dict.fromkeys(row["verdict"] for row in figures["verdicts"])
    lines = rows(figures, "verdicts", verdict=next(iter(verdicts)))
    return table({"pairs": _data} | {verdict: pairs(verdict) for verdict in verdicts}, lines)


def _worst(figures: Figures, kind: str) -> str:
    columns: dict[str, Column] = {
        "pair": lambda row: f"`{row['set']}`: {row['pair'].replace('->', ' → ')}",
        "cross-validation": plainly("validated", ".1%"),
        "estimate": lambda row: f"{row['estimate']:.1%} [{row['low']:.1%}, {row['high']:.1%}]",
        "actual": plainly("actual", ".1%"),
        "majority": plainly("majority", ".1%"),
        "verdict": plainly("verdict"),
        "what happened": lambda row: NOTES[f"{row['set']}: {row['pair']}"],
    }
    return table(columns, rows(figures, "worst", kind=kind))


def _constants() -> str:
    columns: dict[str, Column] = {
        "measure": _measure,
        "every shift": plainly("constant", ".4f"),
        "times the distance from cross-validation": plainly("by_move", ".3f"),
    }
    return table(columns, [{"measure": name, **vars(rule)} for name, rule in ALLOWANCES.items() if name != "error"])


_RIGHT: dict[str, Column] = {"mean width": plainly("width", ".2f"), "error": beside("error")}
_VALIDATED: dict[str, Column] = {"error of cross-validation": beside("cross-validation")}
_CALIBRATED: dict[str, Column] = {"error of calibrated confidence": beside("calibrated confidence")}
_CASES: dict[str, Column] = {"cases": plainly("cases")}
_COVERED: dict[str, Column] = {"90% intervals contain the actual accuracy": beside("covered", 2)}
_BRIER: dict[str, Column] = {
    "Brier score of the chance": plainly("brier", ".3f"),
    "of the base rate": plainly("base rate", ".3f"),
}
#: The columns of the tables that show the rows of one table of the file.
SIMPLE: dict[str, dict[str, Column]] = {
    "accuracy": {"data": _data, "sets": plainly("sets")}
    | _CASES
    | {"answered": plainly("answered", "%")}
    | _COVERED
    | _RIGHT
    | _VALIDATED
    | _CALIBRATED
    | {"error of average thresholded confidence": beside("average thresholded confidence")},
    "types": {"type of shift": plainly("type")} | _CASES | _COVERED | _RIGHT | _VALIDATED | _CALIBRATED,
    "sets": {"data set": plainly("data"), "cases": plainly("cases")}
    | {"intervals contain the actual accuracy": plainly("covered", "%"), "mean width": plainly("width", ".2f")}
    | {"error": plainly("error", ".3f"), "error of cross-validation": plainly("cross-validation", ".3f")}
    | {"error of calibrated confidence": plainly("calibrated confidence", ".3f")},
    "shares": {"data": _data, "shares": plainly("cases"), "error": beside("error")}
    | {"error of the mean probability": beside("mean probability")}
    | {"error of the labelled share": beside("left as it was")}
    | {"90% intervals contain the actual share": beside("covered", 2), "mean width": plainly("width", ".2f")},
    "orders": {"data": _data, "pairs of models": plainly("pairs"), "better one first": beside("right")}
    | {"by cross-validation": beside("right by cross-validation"), "choices": plainly("choices")}
    | {"the chosen model is below the best by": beside("regret", 4)}
    | {"by cross-validation's choice": beside("regret by cross-validation", 4)},
    "chance": {"data": _data}
    | _CASES
    | _BRIER
    | {"says on average": plainly("says", "%"), "happens": plainly("happens", "%")},
    "bins": {"chance": lambda row: f"{whole(row['from'])} to {whole(row['to'])}"}
    | _CASES
    | {"says on average": plainly("says", "%")}
    | {"happens": lambda row: f"{whole(row['happens'])} ± {whole(row['happens se'])}"},
}


def block(figures: Figures, name: str) -> str:
    """Return the table of a block."""
    if name == "constants":
        return _constants()
    if name == "verdicts":
        return _verdicts(figures)
    if name.startswith("worst "):
        return _worst(figures, name.removeprefix("worst "))
    if name == "measures":
        columns: dict[str, Column] = {"measure": _measure} | _CASES
        columns |= {
            f"contain the actual value, {DATA[kind]}": _in_list(kind, figures)
            for kind in DATA
            if "natural" in kind and "+" not in kind
        }
        columns |= _RIGHT | {"error of cross-validation": beside("validated")} | _BRIER
        return table(columns, rows(figures, "measures", data="both"))
    return table(SIMPLE[name], figures[name])


def figure(figures: Figures, name: str) -> str:
    """Return one figure by ``TABLE/KEY/KEY: COLUMN as FORMAT``, such as ``accuracy/both: covered as %``."""
    if name in CODE:
        return CODE[name]
    where, _, rest = name.partition(": ")
    column, _, form = rest.partition(" as ")
    of_table, *keys = where.split("/")
    (row,) = [row for row in figures[of_table] if set(keys) <= set(map(str, row.values()))]
    if form == "points":
        return f"{100 * row[column]:.1f}"
    return plainly(column, form)(row)


CODE = {
    "share constant": f"{_OF_POOL.constant:g}",
    "share by move": f"{_OF_POOL.by_move:g}",
    "prior odds": f"{_ODDS:g}",
    "break chance": f"{BREAK_CHANCE:.0%}",
    "break size": f"{100 * BREAK_SIZE * ALLOWANCES['accuracy'].constant:.0f}",
    "break times": f"{BREAK_SIZE:.0f}",
    "every shift": f"{100 * ALLOWANCES['accuracy'].constant:.1f}",
}


def read(root: Path = ROOT) -> Figures:
    """Read the figures."""
    figures: Figures = json.loads((root / FIGURES).read_text(encoding="utf-8"))
    return figures


def rewritten(text: str, figures: Figures) -> str:
    """Return a page with all figures rewritten."""
    text = _BLOCK.sub(lambda at: f"<!-- figures: {at[1]} -->\n{block(figures, at[1])}<!-- end -->", text)
    return _INLINE.sub(lambda at: f"<!-- = {at[1]} -->{figure(figures, at[1])}<!-- end -->", text)


def pages(root: Path = ROOT) -> list[Path]:
    """Return the pages that have figures."""
    found = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    return [page for page in found if re.search("<!-- (figures:|=) ", page.read_text(encoding="utf-8"))]


def main() -> None:
    """Rewrite all pages."""
    figures = read(ROOT)
    for page in pages(ROOT):
        page.write_text(rewritten(page.read_text(encoding="utf-8"), figures), encoding="utf-8")


if __name__ == "__main__":
    main()
