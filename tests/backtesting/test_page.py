from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shiftproof.backtesting import Backtest
from shiftproof.core import Note


def test_page_has_the_chart_the_models_the_ages_and_every_period(result: Backtest) -> None:
    page = result.to_page()
    assert [section.title for section in page.sections] == [
        "Estimated and actual",
        "How far to trust the figures",
        "When to refit",
        f"Every month: accuracy of {result.best}",
    ]
    assert page.verdict == result.headline
    models = result.sections().models
    assert models.columns == ("model", "measure", "covered", "mean width", "validated off by", "estimate off by")
    assert len(models.rows) == 4
    assert "Always answering the class that was most frequent before would have been right for" in str(models.text)
    assert [row[-1] in ("yes", "no") for row in result.sections().periods.rows] == [True] * 3


def test_the_table_of_periods_has_a_baseline_for_accuracy_only_and_says_why_a_period_is_missing(
    result: Backtest,
) -> None:
    heads = result.sections().periods.columns
    assert [heads[3], heads[-1]] == ["baseline", "covered"]
    auc = [
        replace(period, estimates={name: {"auc": of["auc"]} for name, of in period.estimates.items()})
        for period in result.periods
    ]
    note = Note(code="too few rows", detail="3 rows; at least 20 are needed")
    auc[-1] = replace(auc[-1], estimates={}, skipped=note)
    table = replace(result, periods=tuple(auc)).sections().periods
    assert "baseline" not in table.columns
    assert {len(row) for row in table.rows} == {len(table.columns)}
    reason = table.rows[-1][[*table.columns].index("estimate")]
    assert str(reason) == "not replayed: 3 rows; at least 20 are needed"


def test_a_redacted_page_hides_the_names_of_periods(result: Backtest, tmp_path: Path) -> None:
    whole = result.save(tmp_path / "whole.html").read_text(encoding="utf-8")
    redacted = result.save(tmp_path / "redacted.html", redact=True).read_text(encoding="utf-8")
    assert "2020-04" in whole
    assert "2020-04" not in redacted
    assert "month 2" in redacted
