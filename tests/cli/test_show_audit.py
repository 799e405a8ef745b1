"""How an audit looks in a terminal."""

from __future__ import annotations

import math
from io import StringIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from rich.console import Console

from shiftproof.auditing import Claim, Verification
from shiftproof.cli._show_audit import show_changes, show_next_step, show_verification
from shiftproof.detection import FeatureShift
from shiftproof.selection import BLIND

if TYPE_CHECKING:
    from shiftproof.auditing import Audit


def audit(*rows: FeatureShift, tested: bool = True) -> Audit:
    return cast("Audit", SimpleNamespace(detection=SimpleNamespace(rows=rows, verdict="no shift") if tested else None))


def shifted(feature: str, effect: float) -> FeatureShift:
    return FeatureShift(
        feature=feature, kind="continuous", test="ks", statistic=1.0, p_value=0.0, verdict="shifted", effect=effect
    )


def changes(result: Audit) -> str:
    stream = StringIO()
    show_changes(Console(file=stream, width=300), result)
    return stream.getvalue()


def next_step(verdict: str, plan: Any = None, **facts: object) -> str:
    known = {
        "verdict": verdict,
        "best": "lr",
        "reversed": False,
        "without": None,
        "untried": (),
        "panel_given": False,
        "perhaps_unused": (),
        "growing": (),
        "labels_biased": False,
        "cautions": (),
        "emptied": (),
        "judged_by_accuracy": True,
        "measure": "accuracy",
        "interval": SimpleNamespace(low=0.7, high=0.79),
    }
    known |= {"loss": 0.0, "harmful_loss": 0.05, "refused": False, "no_better": False}
    performance = SimpleNamespace(all_labelled=False, notes=(), labelled=())
    result = SimpleNamespace(**known | facts, suspects=(), performance=performance)
    stream = StringIO()
    show_next_step(Console(file=stream, width=300), cast("Audit", result), plan, "Use --plan.", checked=None)
    *lines, caveat = stream.getvalue().splitlines(keepends=True)
    assert caveat == f"{BLIND}\n"
    return "".join(lines)


def test_show_changes_names_five_features_and_counts_the_rest() -> None:
    rows = [shifted(f"x{number}", 0.9 - number / 10) for number in range(7)]
    assert changes(audit(*rows)) == (
        "changed most: x0 (KS distance 0.90), x1 (KS distance 0.80), x2 (KS distance 0.70), x3 (KS distance 0.60), "
        "x4 (KS distance 0.50) and 2 more.\n"
    )


def test_show_changes_names_a_feature_once_whose_missing_values_changed_too() -> None:
    rows = [shifted("x", 0.5), shifted("z", 0.4), shifted("x", 0.3)]
    assert changes(audit(*rows)) == "changed most: x (KS distance 0.50), z (KS distance 0.40).\n"


def test_show_changes_says_that_nothing_changed_or_nothing_was_tested() -> None:
    assert changes(audit()) == "features: none changed enough to matter.\n"
    assert changes(audit(tested=False)) == ""


@pytest.mark.parametrize(
    ("verdict", "facts", "sentence"),
    [
        ("trust", {}, "You can use lr on the new data."),
        ("check first", {}, "If 70.0% accuracy would still be good enough, use lr."),
        (
            "trust",
            {"no_better": True},
            "Accuracy gives no reason to use lr: compare models by AUC or cost, or improve lr.",
        ),
        (
            "do not trust",
            {"reversed": True},
            "Check which class the scores belong to; --positive names the positive class. To be sure, label some new "
            "rows (plan() lists them; on the command line, use --plan FILE).",
        ),
    ],
)
def test_show_next_step_is_that_of_the_verdict(verdict: str, facts: dict[str, object], sentence: str) -> None:
    assert next_step(verdict, **facts) == f"next step: {sentence}\n"


def test_show_next_step_points_to_the_rows_to_label() -> None:
    plan = SimpleNamespace(summary=lambda: "Label 10 rows.")
    assert next_step("cannot tell", plan) == (
        'next step: Label some new rows ("label" below) before using lr.\nlabel: Label 10 rows. Use --plan.\n'
    )
    assert next_step("cannot tell") == (
        "next step: Label some new rows (plan() lists them; on the command line, use --plan FILE) before using lr.\n"
    )


def test_show_next_step_offers_to_exclude_columns_with_new_values() -> None:
    without = SimpleNamespace(refused=False, columns=("zip code", "month"))
    assert " (--exclude 'zip code' --exclude month), or label some " in next_step("cannot tell", without=without)


def test_show_verification_says_which_intervals_cover_the_actual_value() -> None:
    claims = [
        Claim(about="lr", measure="accuracy", validated=0.9, estimate=0.8, low=0.75, high=0.85, actual=0.81),
        Claim(about="nb", measure="accuracy", validated=0.9, estimate=0.8, low=0.75, high=0.85, actual=0.6),
        Claim(
            about="tree", measure="accuracy", validated=0.9, estimate=math.nan, low=math.nan, high=math.nan, actual=0.5
        ),
    ]
    share = Claim(about="yes", measure="share", validated=0.4, estimate=0.5, low=0.4, high=0.6, actual=0.55)
    verification = Verification(
        claims=(*claims, share),
        verdict="check first",
        best="lr",
        measure="accuracy",
        level=0.9,
        refusal="",
        deployed=False,
        harmful_loss=0.05,
        positive="yes",
        majority="yes",
        n_new=100,
        n_actual=100,
    )
    stream = StringIO()
    show_verification(Console(file=stream, width=500), verification)
    headline, head, *rows, _, words = stream.getvalue().splitlines()
    assert headline == (
        "Actual accuracy of lr: 81.0% (always answering yes: 55.0%). The interval, 75.0% to 85.0%, contains it."
    )
    assert words.startswith("The check was needed: lr lost 9.0 points, more than the tolerance of 5. ")
    assert head.split() == ["model", "validated", "estimated", "actual", "covered"]
    assert [row.split() for row in rows] == [
        ["lr", "90.0%", "75.0%", "to", "85.0%", "81.0%", "yes"],
        ["nb", "90.0%", "75.0%", "to", "85.0%", "60.0%", "no"],
        ["tree", "90.0%", "no", "estimate", "50.0%", "–"],
    ]
