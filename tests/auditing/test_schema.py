"""The dict is what docs/audit.schema.json says: nothing missing, nothing more, all of it JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from sklearn.linear_model import LogisticRegression
from tests.auditing.cases import MODELS, audited, tables

from shiftproof import Benefit
from shiftproof.auditing import audit
from shiftproof.auditing._result import SCHEMA
from shiftproof.panel import Panel

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def schema() -> Any:
    found = json.loads((ROOT / "docs" / "audit.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def check(schema: Any, found: dict[str, Any]) -> None:
    read = json.loads(json.dumps(found, allow_nan=False))
    jsonschema.validate(read, schema, cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_audits_are_of_the_form(schema: Any, kind: str) -> None:
    found, y_new = audited(kind)
    check(schema, found.to_dict())
    check(schema, found.to_dict() | {"verification": found.verify(y_new).to_dict()})


def test_audit_of_scores_is_of_the_form(schema: Any) -> None:
    X, y, X_new, _ = tables("prior", n=300, m=200)
    model = LogisticRegression().fit(X[:100], y[:100])
    old, new = model.predict_proba(X[100:])[:, 1], model.predict_proba(X_new)[:, 1]
    check(schema, audit(Panel.from_scores(y[100:], {"p": old}, new={"p": new})).to_dict())


def test_audit_by_profit_with_labels_is_of_the_form(schema: Any) -> None:
    X, y, X_new, y_new = tables("prior", n=300, m=200)
    known = dict(enumerate(y_new[:40].tolist()))
    found = audit(MODELS, X, y, X_new, benefit=Benefit(tp=5, fp=-1), labels=known, quick=True, progress=False)
    check(schema, found.to_dict())


def test_the_form_has_a_number(schema: Any) -> None:
    assert schema["properties"]["schema"] == {"const": SCHEMA}
    found = audited("none")[0].to_dict()
    with pytest.raises(jsonschema.ValidationError):
        check(schema, found | {"schema": SCHEMA + 1})
    with pytest.raises(jsonschema.ValidationError):
        check(schema, {name: value for name, value in found.items() if name != "verdict"})
