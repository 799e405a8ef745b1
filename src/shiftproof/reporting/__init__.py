"""How do I show this to somebody? Plain values in, one self-contained HTML page or a terminal's text out."""

from shiftproof.reporting._files import check_page_name as check_page_name
from shiftproof.reporting._files import write_whole as write_whole
from shiftproof.reporting._limits import MOST_ROWS as MOST_ROWS
from shiftproof.reporting._page import Bar as Bar
from shiftproof.reporting._page import Detail as Detail
from shiftproof.reporting._page import Drawing as Drawing
from shiftproof.reporting._page import Figure as Figure
from shiftproof.reporting._page import Page as Page
from shiftproof.reporting._page import Reason as Reason
from shiftproof.reporting._page import Section as Section
from shiftproof.reporting._page import Sections as Sections
from shiftproof.reporting._page import Tone as Tone
from shiftproof.reporting._paged import PagedResult as PagedResult
from shiftproof.reporting._picture import as_picture as as_picture
from shiftproof.reporting._redaction import redacted as redacted
from shiftproof.reporting._render import cell as cell
from shiftproof.reporting._render import render as render
from shiftproof.reporting._render import save as save
from shiftproof.reporting._render import stylesheet as stylesheet
from shiftproof.reporting._render import template_environment as template_environment
from shiftproof.reporting._terminal import NARROW as NARROW
from shiftproof.reporting._terminal import STYLES as STYLES
from shiftproof.reporting._terminal import print_section as print_section
from shiftproof.reporting._terminal import print_verdict as print_verdict
from shiftproof.reporting._terminal import styled as styled
from shiftproof.reporting._walk import rewritten as rewritten
