"""How do I run this from a terminal or a nightly job? One command per question, exit codes for machines."""

from shiftproof.cli._app import main as main
from shiftproof.cli._app import run as run
