"""How robust are the models against shifts that have not happened yet?"""

from shiftproof.robustness._envelope import Envelope as Envelope
from shiftproof.robustness._judge import Lead as Lead
from shiftproof.robustness._omissions import LeftOut as LeftOut
from shiftproof.robustness._omissions import UnmadeShifts as UnmadeShifts
from shiftproof.robustness._result import Stress as Stress
from shiftproof.robustness._rows import ModelCell as ModelCell
from shiftproof.robustness._rows import ModelShift as ModelShift
from shiftproof.robustness._rows import TableCell as TableCell
from shiftproof.robustness._rows import TableShift as TableShift
from shiftproof.robustness._stress import stress as stress
