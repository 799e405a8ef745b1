"""Fill a store with the bank's calls, month by month, to be looked at with `shiftproof monitor serve`.

The model is trained and validated on calls of May to July 2008. Every third month 50 rows are labelled. Beside it a
second monitor gets rows of the same months as the reference, in which nothing changes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

import shiftproof as sp

_LABELLED, _EVERY = 50, 3


def main() -> None:
    """Create the store that the command line names; an older one of this name is replaced."""
    place = Path(sys.argv[1])
    for old in place.parent.glob(f"{place.name}*"):
        old.unlink()
    calls = sp.load_demo().drop(columns=["month", "day"])
    past = calls[calls["t"] < "2008-08-01"].sample(frac=1, random_state=0).reset_index(drop=True)
    features = list(past.columns.drop(["label", "t"]))
    model = sp.default_models(only=["lr"])["lr"].fit(past[features][:6000], past["label"][:6000])

    def scored(rows: pd.DataFrame) -> pd.DataFrame:
        return rows[features].assign(p=model.predict_proba(rows[features])[:, 1])

    reference = past[6000:12000].reset_index(drop=True)
    baseline = sp.Baseline.of(scored(reference), scores="p", labels=reference["label"])
    monitor = sp.Monitor(place, baseline, name="bank calls")
    later = calls[calls["t"].between("2008-08-01", "2009-08-31")]
    for number, (month, rows) in enumerate(later.groupby(later["t"].dt.strftime("%Y-%m"))):
        monitor.add(scored(rows), at=month, id=month)
        if number % _EVERY == _EVERY - 1:
            labels = rows["label"].to_numpy()
            monitor.label(month, {row: labels[row] for row in monitor.plan(month, _LABELLED).rows})
    quiet = sp.Monitor(place, baseline, name="the same months again")
    for day in range(20):
        rows = past[12000 + 150 * day : 12150 + 150 * day]
        quiet.add(scored(rows), at=f"2008-07-{day + 1:02d}", id=f"part {day + 1}")


if __name__ == "__main__":
    main()
