"""Sentences about columns that look mishandled."""

from __future__ import annotations

from collections.abc import Sequence

from shiftproof.core import Phrase, Sensitive, Text, listed, shown
from shiftproof.detection._suspicions import Suspicion

# More sentences than these are not read.
_MOST = 3


def suspicion_texts(suspicions: Sequence[Suspicion]) -> list[Phrase]:
    """Say which columns look mishandled, the first few in a sentence each."""
    sentences = [suspicion_text(suspicion) for suspicion in suspicions[:_MOST]]
    more = dict.fromkeys(name for suspicion in suspicions[_MOST:] for name in suspicion.features)
    return [*sentences, Phrase(f"Also check {listed(more)}.")] if more else sentences


def suspicion_text(suspicion: Suspicion) -> Phrase:
    """Say what seems to have happened to a column of the new data, and ask."""
    name = shown(suspicion.features[0])
    if suspicion.mishap == "swapped":
        names = f"{name} and {shown(suspicion.features[1])}"
        return Phrase(f"{names} look swapped in the new data: each has the values of the other.")
    if suspicion.mishap == "spelled":
        new, old = map(shown, suspicion.categories)
        example = Sensitive(f", such as {new} for {old}", "")
        return Phrase(f"{name} is spelled differently in the new data", example, ": is the column coded as before?")
    if suspicion.mishap == "exchanged":
        one, other = map(shown, suspicion.categories)
        pair = Sensitive(f"{one} and {other}", "Two categories")
        return Phrase(pair, f" of {name} look swapped in the new data: is the column coded as before?")
    if suspicion.mishap == "reversed":
        low = "low values look like high ones"
        return Phrase(f"{name} looks reversed in the new data, where {low}: is the column coded as before?")
    question = "has its sign changed?" if suspicion.factor == -1 else "has its unit changed?"
    return Phrase(f"{name} looks {_conversion(suspicion)} in the new data: {question}")


def _conversion(suspicion: Suspicion) -> str:
    factor, offset = suspicion.factor, suspicion.offset
    if offset and factor != 1:
        scales = ("Celsius", "Fahrenheit") if offset > 0 else ("Fahrenheit", "Celsius")
        return f"converted from {scales[0]} to {scales[1]}"
    if offset:
        return f"{'increased' if offset > 0 else 'decreased'} by {abs(offset):g}"
    # "divided by 1,000" is easier to recognise than "multiplied by 0.001".
    divided = abs(factor) < 1
    return f"{'divided' if divided else 'multiplied'} by {_factor(1 / factor if divided else factor)}"


def _factor(factor: float) -> str:
    """Write a factor between units.

    Examples
    --------
    >>> _factor(12.0), _factor(86400.0), _factor(2.2046226)
    ('12', '86,400', '2.205')
    """
    return f"{factor:,.0f}" if float(factor).is_integer() else f"{factor:.4g}"


def suspected(suspicions: Sequence[Suspicion], feature: str) -> Text:
    """Say in a few words how a feature looks mishandled; empty if it does not."""
    suspicion = next((suspicion for suspicion in suspicions if feature in suspicion.features), None)
    if suspicion is None:
        return ""
    if suspicion.mishap == "swapped":
        first, second = suspicion.features
        return f"looks swapped with {shown(second if feature == first else first)}"
    if suspicion.mishap == "spelled":
        new, old = map(shown, suspicion.categories)
        return Phrase("is spelled differently", Sensitive(f": {new} for {old}", ""))
    if suspicion.mishap == "exchanged":
        one, other = map(shown, suspicion.categories)
        return Phrase("looks as if ", Sensitive(f"{one} and {other}", "two categories"), " were swapped")
    return f"looks {_conversion(suspicion)}" if suspicion.mishap == "unit" else "looks reversed"
