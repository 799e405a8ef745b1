"""How do I show this to somebody? Plain values in, one self-contained HTML page out."""

from shiftproof.reporting._files import write_whole
from shiftproof.reporting._page import Drawing, Page, Reason, Section, Tone
from shiftproof.reporting._render import cell, render, save
from shiftproof.reporting._words import chance, counted, effect, p_words, percent, share

__all__ = [
    "Drawing",
    "Page",
    "Reason",
    "Section",
    "Tone",
    "cell",
    "chance",
    "counted",
    "effect",
    "p_words",
    "percent",
    "render",
    "save",
    "share",
    "write_whole",
]
