"""In which order the names of periods come, whatever order their rows have."""

from __future__ import annotations

import pytest

from shiftproof.core import InputError
from shiftproof.data._order import natural_order


@pytest.mark.parametrize(
    "ordered",
    [
        ["w1", "w2", "w9", "w10", "w12"],
        ["w01", "w1", "w2"],
        ["31.01.2020", "02.03.2020", "01.04.2021"],
        ["31.01.20 9:00", "31.01.20 10:00", "01.02.20 8:00"],
        ["1/31/2020", "2/1/2020", "12/1/2020"],
        ["05/04/2019", "04/05/2020"],
        ["2020-1", "2020-10", "2021-2"],
        ["01.2020", "02.2020", "01.2021"],
        ["Q4 2019", "Q1 2020"],
        ["week 52/2019", "week 1/2020"],
        ["January 2020", "March 2020", "Feb 2021"],
        ["Jan", "Feb", "mar"],
        ["-5", "3", "10"],
        ["0.9.1", "0.10.0"],
        ["99.99.2020", "100.2.2020"],
        ["", "1", "a", "\N{GREEK SMALL LETTER BETA}"],
        ["9" * 5_000, "1" * 5_001],
    ],
)
def test_natural_order_of_names(ordered: list[str]) -> None:
    assert natural_order(ordered[::-1], "when") == ordered
    assert natural_order(ordered[1::2] + ordered[::2], "when") == ordered


def test_natural_order_refuses_dates_whose_month_is_unclear() -> None:
    with pytest.raises(InputError) as refusal:
        natural_order(["01/02/2020", "02/01/2020"], "day")
    assert str(refusal.value) == (
        "by must name a column with an unambiguous order, got 'day' with dates such as '01/02/2020', which may be "
        "day-first or month-first; convert it to dates."
    )
    # Either way these come in the same order.
    assert natural_order(["02/03/2020", "01/02/2020"], "day") == ["01/02/2020", "02/03/2020"]
