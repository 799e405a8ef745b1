"""The eight sets of Cieslak and Chawla's papers that are to be had, from a folder of CSV files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Name in the papers -> file.
FILES = {
    "estate": "hddt_estate.csv",
    "mammography": "mammography.csv",
    "oil": "hddt_oil.csv",
    "page": "hddt_page.csv",
    "pendigits": "hddt_pendigits.csv.gz",
    "phoneme": "hddt_phoneme.csv",
    "satimage": "satimage_multiclass.csv.gz",
    "segment": "hddt_segment.csv",
}
_SATIMAGE_POSITIVE = "4"


def load_set(folder: Path, name: str) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Return the features of a set, and 1 for its rarer class (of satimage, class 4)."""
    table = pd.read_csv(folder / FILES[name])
    label = table.pop("label").astype(str)
    positive = _SATIMAGE_POSITIVE if name == "satimage" else label.value_counts().idxmin()
    return table, (label == positive).to_numpy().astype(np.int64)
