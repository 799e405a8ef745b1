"""How do I show this to somebody? Plain values in, one self-contained HTML page out."""

from shiftproof.reporting._files import write_whole
from shiftproof.reporting._page import Drawing, Page, Reason, Section, Tone
from shiftproof.reporting._render import cell, render, save

__all__ = [
    "Drawing",
    "Page",
    "Reason",
    "Section",
    "Tone",
    "cell",
    "render",
    "save",
    "write_whole",
]
