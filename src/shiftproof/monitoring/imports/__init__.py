"""What did another tool find before this monitor began? Reads results of NannyML and Evidently, and knows no store."""

from shiftproof.monitoring.imports._batch import ImportedBatch as ImportedBatch
from shiftproof.monitoring.imports._batch import ImportedColumn as ImportedColumn
from shiftproof.monitoring.imports._batch import ImportedFigure as ImportedFigure
from shiftproof.monitoring.imports._batch import Tool as Tool
from shiftproof.monitoring.imports._batch import ToolResults as ToolResults
from shiftproof.monitoring.imports._history import ImportedHistory as ImportedHistory
from shiftproof.monitoring.imports._history import ImportedLine as ImportedLine
from shiftproof.monitoring.imports._history import imported_history as imported_history
from shiftproof.monitoring.imports._history import imported_line as imported_line
from shiftproof.monitoring.imports._read import read_results as read_results
from shiftproof.monitoring.imports._words import TOOL_NAMES as TOOL_NAMES
from shiftproof.monitoring.imports._words import imported_words as imported_words
