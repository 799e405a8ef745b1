"""Write small results of NannyML and Evidently on data made here, for the tests of what a monitor imports.

Run it in the environment of the peers: .venv-monitor/bin/python tools/make_tool_results.py
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

os.environ |= {"DO_NOT_TRACK": "1", "NML_DISABLE_USAGE_LOGGING": "1"}
warnings.filterwarnings("ignore")

import evidently.metrics as of  # noqa: E402
import nannyml as nml  # noqa: E402
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from evidently import BinaryClassification, DataDefinition, Dataset, Report  # noqa: E402

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "monitoring" / "imports" / "results"
SCORES = {"y_pred_proba": "p", "y_pred": "answer", "y_true": "y", "problem_type": "classification_binary"}
WEEKLY = {"timestamp_column_name": "time", "chunk_period": "W"}
VALUE: dict[str, Any] = {"business_value_matrix": [[0, -1], [-1, 1]]}


def rows(n: int, start: str, *, shift: float = 0.0) -> pd.DataFrame:
    """Return rows of every hour with a score, an answer and a label."""
    rng = np.random.default_rng(n + int(shift))
    age = rng.normal(40 + shift, 10, n).round(1)
    p = 1 / (1 + np.exp((40 - age) / 5))
    return pd.DataFrame(
        {
            "time": pd.date_range(start, periods=n, freq="h"),
            "age": age,
            "job": rng.choice(["clerk", "nurse", "pilot"], n),
            "p": p.round(4),
            "answer": (p >= 0.5).astype(int),
            "y": (rng.random(n) < p).astype(int),
        }
    )


def write_nannyml(reference: pd.DataFrame, new: pd.DataFrame) -> None:
    """Write chunk results in all forms in which users may have them."""
    estimator = nml.CBPE(metrics=["accuracy", "roc_auc", "business_value"], **SCORES, **WEEKLY, **VALUE)
    estimated = estimator.fit(reference).estimate(new)
    estimated.to_df().to_csv(FOLDER / "nannyml-estimated.csv")
    estimated.to_df(multilevel=False).to_csv(FOLDER / "nannyml-estimated-flat.csv", index=False)
    undated = nml.CBPE(metrics=["accuracy"], chunk_size=300, **SCORES).fit(reference).estimate(new)
    undated.to_df().to_csv(FOLDER / "nannyml-undated.csv", index=False)
    calculator = nml.PerformanceCalculator(metrics=["accuracy"], **SCORES, **WEEKLY).fit(reference)
    calculator.calculate(new).to_df().to_parquet(FOLDER / "nannyml-realized.parquet")
    drift = nml.UnivariateDriftCalculator(
        column_names=["age", "job"],
        continuous_methods=["kolmogorov_smirnov", "wasserstein"],
        categorical_methods=["chi2", "jensen_shannon"],
        **WEEKLY,
    )
    changes = drift.fit(reference).calculate(new)
    changes.to_df().to_csv(FOLDER / "nannyml-drift.csv", index=False)
    changes.to_df(multilevel=False).to_csv(FOLDER / "nannyml-drift-flat.csv", index=False)
    missing = nml.MissingValuesCalculator(column_names=["age"], **WEEKLY).fit(reference).calculate(new)
    missing.to_df().to_csv(FOLDER / "nannyml-missing.csv", index=False)


def write_evidently(reference: pd.DataFrame, new: pd.DataFrame) -> None:
    """Write a snapshot in both forms."""
    classes = [BinaryClassification(target="y", prediction_labels="answer")]
    definition = DataDefinition(numerical_columns=["age", "p"], categorical_columns=["job"], classification=classes)
    before, after = (Dataset.from_pandas(table, data_definition=definition) for table in (reference, new))
    metrics = [
        of.RowCount(),
        of.Accuracy(),
        of.F1Score(),
        of.ValueDrift(column="age"),
        of.ValueDrift(column="job", method="jensenshannon"),
        of.MissingValueCount(column="age"),
        of.MissingValueCount(column="job"),
        of.UniqueValueCount(column="job"),
    ]
    moment = new["time"].max().to_pydatetime()
    plain = Report(metrics).run(after, before)
    plain.save_json(str(FOLDER / "evidently-2024-02.json"))
    dumped = Report(metrics, include_tests=True).run(after, before, timestamp=moment).dump_dict()
    # Charts are ten times the rest, and nobody reads them here.
    dumped |= {"widgets": [], "tests_widgets": []}
    for result in dumped["metric_results"].values():
        result["widget"] = []
    (FOLDER / "evidently-dump.json").write_text(json.dumps(dumped, default=str), encoding="utf-8")


def main() -> None:
    """Write all results."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    labelled = rows(720, "2024-01-01")
    unlabelled = pd.concat([rows(504, "2024-01-31"), rows(168, "2024-02-21", shift=10)], ignore_index=True)
    write_nannyml(labelled, unlabelled)
    write_evidently(labelled, unlabelled)


if __name__ == "__main__":
    main()
