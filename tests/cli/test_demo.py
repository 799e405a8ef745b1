from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from shiftproof.panel import default_models

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _two_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let two of the seven models do, which say the same in less time."""
    monkeypatch.setattr("shiftproof.panel.default_models", lambda: default_models(only=["lr", "nb"]))


def test_another_year_is_not_to_be_trusted_and_the_labels_agree(command: Command, tmp_path: Path) -> None:
    code, out, err = command("demo", "--out", tmp_path / "bank")
    assert code == 0
    assert err == f"page: {tmp_path}/bank/report.html\nfigure: {tmp_path}/bank/features.png\n"
    assert sorted(file.name for file in (tmp_path / "bank").iterdir()) == ["features.png", "report.html"]
    assert (tmp_path / "bank" / "features.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "bank" / "report.html").read_text(encoding="utf-8")
    assert "A bank&#39;s calls: models of 2009 in the world of 2010" in page
    story, blank, verdict, *_ = out.splitlines()
    assert story.endswith("Seven models were built on the calls of 2009. Can they be trusted on those of 2010?")
    assert (blank, verdict[:12]) == ("", "Cannot tell ")
    assert re.search(r"^\d\. .*12 of 15 features shifted by enough to matter, 'month' most", out, re.MULTILINE)
    promised = re.findall(r"^(\w+) +([\d.]+)% +refused +([\d.]+)% +– *$", out, flags=re.MULTILINE)
    assert len(promised) == 2
    assert all(float(claim) > float(truth) + 15 for _, claim, truth in promised)
    assert "Nothing was wrong with the cross-validation. The world changed:\nchanged most: month (" in out
    assert plt.get_fignums() == []


def test_the_same_year_is_to_be_trusted(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = command("demo", "--no-shift", "--json", "-")
    assert code == 0
    assert err == "page: shiftproof-demo/report.html\nfigure: shiftproof-demo/features.png\n"
    told: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    assert told["verdict"] == "trust"
    assert told["verification"]["covered"] is True
    assert told["verification"]["n_new"] == 7431


def test_by_default_a_folder_of_its_own_is_made(command: Command) -> None:
    assert "Write the page and the figure to this folder. [default: shiftproof-demo]" in command("demo", "--help")[1]


def test_a_file_is_no_folder(command: Command, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\n1\n")
    code, out, err = command("demo", "--out", tmp_path / "rows.csv")
    assert (code, out) == (2, "")
    assert (
        err
        == f"shiftproof: --out must be a folder, got the file {str(tmp_path / 'rows.csv')!r}; choose another path.\n"
    )
