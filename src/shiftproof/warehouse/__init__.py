"""How do two tables differ that are in an engine? The same records as of arrays, made where the rows are.

Rows stay in the engine: ranges of values are joined and measured there, and only counts and sums come back.
"""

from shiftproof.warehouse._spark import SparkColumns as SparkColumns
from shiftproof.warehouse._spark import SparkPair as SparkPair
from shiftproof.warehouse._spark import check_one_engine as check_one_engine
from shiftproof.warehouse._spark import on_spark as on_spark
from shiftproof.warehouse._spark import open_frame as open_frame
from shiftproof.warehouse._spark import scored_rows as scored_rows
