"""How do I show this to somebody? Plain values in, one self-contained HTML page out."""

from shiftproof.reporting._files import write_whole as write_whole
from shiftproof.reporting._page import Drawing as Drawing
from shiftproof.reporting._page import Page as Page
from shiftproof.reporting._page import Reason as Reason
from shiftproof.reporting._page import Section as Section
from shiftproof.reporting._page import Tone as Tone
from shiftproof.reporting._render import cell as cell
from shiftproof.reporting._render import render as render
from shiftproof.reporting._render import save as save
