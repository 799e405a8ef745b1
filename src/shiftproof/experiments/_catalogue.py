"""The data sets of the sources: their sizes as printed, and where else than in a folder they are to be had."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DataSet:
    """A data set.

    Parameters
    ----------
    file : str
        The name of its file, without the ending.
    rows, columns : int, optional
        Its rows and features as its source prints them; None where they differ from source to source.
    bundled : str
        What scikit-learn calls it, if it comes with scikit-learn.
    openml : int, optional
        Its number at OpenML.
    positive : str, optional
        The class that is positive there, all others being negative.
    """

    file: str
    rows: int | None = None
    columns: int | None = None
    bundled: str = ""
    openml: int | None = None
    positive: str | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether it can be had without a folder."""
        return bool(self.bundled) or self.openml is not None


#: Table 5.2 of the thesis: rows, attributes, the number at OpenML and the positive class there.
_THESIS: dict[str, tuple[int, int, int | None, str | None]] = {
    "acute.a": (120, 6, None, None),
    "acute.b": (120, 6, None, None),
    "balance.1": (625, 4, 11, "L"),
    "balance.2": (625, 4, 11, "B"),
    "balance.3": (625, 4, 11, "R"),
    "cmc.1": (1473, 9, 23, "1"),
    "cmc.2": (1473, 9, 23, "2"),
    "cmc.3": (1473, 9, 23, "3"),
    "haberman": (306, 3, 43, "2"),
    "ionosphere": (351, 34, 59, "b"),
    "sonar": (208, 60, 40, "Rock"),
    "spectf": (267, 44, None, None),
    "tictactoe": (958, 9, None, None),
    "transfusion": (748, 4, 1464, "2"),
}
#: The sets of Cieslak and Chawla: file, rows and features.
_FRACTURES = {
    "estate": ("hddt_estate", 5322, 12),
    "mammography": ("mammography", 11183, 6),
    "oil": ("hddt_oil", 937, 49),
    "page": ("hddt_page", 5473, 10),
    "pendigits": ("hddt_pendigits", 10992, 16),
    "phoneme": ("hddt_phoneme", 5404, 5),
    "satimage": ("satimage_multiclass", 6435, 36),
    "segment": ("hddt_segment", 2310, 19),
}

CATALOGUE: dict[str, DataSet] = {
    **{
        name: DataSet(name, rows, columns, openml=number, positive=positive)
        for name, (rows, columns, number, positive) in _THESIS.items()
    },
    **{f"iris.{at + 1}": DataSet(f"iris.{at + 1}", 150, 4, "iris", positive=str(at)) for at in range(3)},
    **{f"wine.{at + 1}": DataSet(f"wine.{at + 1}", 178, 13, "wine", positive=str(at)) for at in range(3)},
    "wdbc": DataSet("wdbc", 569, 30, "breast_cancer", positive="0"),
    # One file for three problems; the label has three values, and the column CLASS gives it away.
    "ctg": DataSet("ctg", 2126, 22),
    **{name: DataSet(file, rows, columns) for name, (file, rows, columns) in _FRACTURES.items()},
    "breast_w": DataSet("breast_w", 699, 9, openml=15, positive="malignant"),
    "iris": DataSet("iris", 150, 4, "iris"),
    "pima": DataSet("pima", 768, 8, openml=37, positive="tested_positive"),
    "vote": DataSet("vote", 435, 16, openml=56, positive="republican"),
    "wine": DataSet("wine", 178, 13, "wine"),
    "news6pairs": DataSet("news6pairs", 11658, 3),
    "drift_bank": DataSet("drift_bank", 45211, 17),
}
