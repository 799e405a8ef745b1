"""What the families of shifts are called."""

from __future__ import annotations

from collections.abc import Mapping

#: What people call the families.
CALLED: Mapping[str, str] = {
    "base": "no shift",
    "mcar": "rows lost at random",
    "mar": "rows lost by a feature",
    "mnar": "rows lost, feature hidden",
    "offset": "a feature moves",
    "prior": "classes change balance",
    "soft": "rows thinned by a feature",
}


def shift_name(family: str) -> str:
    """Write the name of a family as the papers do.

    Examples
    --------
    >>> shift_name("mnar"), shift_name("offset")
    ('MNAR', 'offset')
    """
    return family.upper() if family in ("mcar", "mar", "mnar") else family
