"""A small table with a real shift, which comes with the package."""

from __future__ import annotations

from importlib import resources

import pandas as pd

from shiftproof.core import fault
from shiftproof.data._read import read

_YEARS = (2008, 2009, 2010)


def load_demo(*, year: int | None = None) -> pd.DataFrame:
    """Load the demo data: 45,211 calls in which a Portuguese bank offered a term deposit.

    The calls are in time order, from May 2008 to November 2010. Fewer and fewer people were called, a growing share of
    them subscribed, and the other columns changed too: a model trained on calls from 2009 meets very different data in
    2010.

    Parameters
    ----------
    year : {2008, 2009, 2010}, optional
        Load only the calls of that year, without ``t``, because the time itself always differs between two years. By
        default all calls, with ``t``.

    Returns
    -------
    pandas.DataFrame
        One row per call and these columns:

        - ``t``: the month of the call, as the date of its first day;
        - ``age``, ``job``, ``marital``, ``education``: the person called;
        - ``default``, ``housing``, ``loan``: credit in default, a housing loan, a personal loan (``yes``
          or ``no``), and ``balance``: the average yearly balance in euros;
        - ``contact``, ``day``, ``month``: the kind of telephone, and the day and month of the call;
        - ``campaign``: calls to this person in this campaign; ``pdays``: days since the previous campaign (-1: never
          called before); ``previous``: calls before this campaign; ``poutcome``: their outcome;
        - ``label``: 1 if the person subscribed, else 0.

        ``unknown`` is a category of its own; no cell is missing.

    Notes
    -----
    This is the Bank Marketing data of the UCI Machine Learning Repository (data set 222,
    doi:10.24432/C5K306) under CC BY 4.0, without ``duration``, which is known only after the call.
    Please cite S. Moro, P. Cortez and P. Rita, "A Data-Driven Approach to Predict the Success of
    Bank Telemarketing", Decision Support Systems 62:22-31, 2014.

    Examples
    --------
    >>> calls = load_demo()
    >>> calls.shape
    (45211, 17)
    >>> calls.groupby(calls["t"].dt.year)["label"].mean().round(2).to_dict()
    {2008: 0.05, 2009: 0.17, 2010: 0.52}

    Train on the calls of 2009, with the calls of 2010 as new data:

    >>> train, new = load_demo(year=2009), load_demo(year=2010)
    >>> train.shape, new.shape
    ((14862, 16), (2620, 16))
    """
    if year is not None and year not in _YEARS:
        raise fault("year", "be 2008, 2009 or 2010", year, "leave it out to get all calls")
    with resources.as_file(resources.files("shiftproof.data") / "bank_calls.parquet") as path:
        calls = read(path)
    if year is None:
        return calls
    of_year: pd.DataFrame = calls[calls["t"].dt.year == year].drop(columns="t").reset_index(drop=True)
    return of_year
