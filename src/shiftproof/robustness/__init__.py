"""How do the models bear shifts that have not happened yet?"""

from shiftproof.robustness._envelope import Envelope
from shiftproof.robustness._judge import Lead
from shiftproof.robustness._result import LeftOut, ModelCell, ModelShift, Stress, TableCell, TableShift
from shiftproof.robustness._stress import stress

__all__ = [
    "Envelope",
    "Lead",
    "LeftOut",
    "ModelCell",
    "ModelShift",
    "Stress",
    "TableCell",
    "TableShift",
    "stress",
]
