"""How do I show this to somebody? Plain values in, one self-contained HTML page out."""

from shiftproof.reporting._page import Page, Section, Tone, cell, render, save, write_whole

__all__ = ["Page", "Section", "Tone", "cell", "render", "save", "write_whole"]
