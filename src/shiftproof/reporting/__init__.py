"""How do I show this to somebody? Plain values in, one self-contained HTML page out."""

from shiftproof.reporting._page import Page, Section, Tone, cell, render, save, write_whole
from shiftproof.reporting._words import chance, counted, effect, percent, share

__all__ = [
    "Page",
    "Section",
    "Tone",
    "cell",
    "chance",
    "counted",
    "effect",
    "percent",
    "render",
    "save",
    "share",
    "write_whole",
]
