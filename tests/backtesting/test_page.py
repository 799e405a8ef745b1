from __future__ import annotations

from pathlib import Path

from shiftproof.backtesting import Backtest


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


def test_a_redacted_page_hides_the_names_of_periods(result: Backtest, tmp_path: Path) -> None:
    whole = result.save(tmp_path / "whole.html").read_text(encoding="utf-8")
    redacted = result.save(tmp_path / "redacted.html", redact=True).read_text(encoding="utf-8")
    assert "2020-04" in whole
    assert "2020-04" not in redacted
    assert "month 2" in redacted
