"""How do two tables differ that are in an engine? The same records as of arrays, made where the rows are.

Rows stay in the engine: ranges of values are joined and measured there, and only counts and sums come back.
"""

from shiftproof.warehouse._assemble import added as added
from shiftproof.warehouse._records import PlannedColumn as PlannedColumn
from shiftproof.warehouse._records import plan_columns as plan_columns
from shiftproof.warehouse._runs import PIECES as PIECES
from shiftproof.warehouse._runs import ColumnPlan as ColumnPlan
from shiftproof.warehouse._runs import each_range as each_range
from shiftproof.warehouse._runs import pieces_of as pieces_of
from shiftproof.warehouse._runs import tables_of as tables_of
from shiftproof.warehouse._runs import unpacked as unpacked
from shiftproof.warehouse._spark import SCORED as SCORED
from shiftproof.warehouse._spark import SparkColumns as SparkColumns
from shiftproof.warehouse._spark import SparkPair as SparkPair
from shiftproof.warehouse._spark import SparkRanges as SparkRanges
from shiftproof.warehouse._spark import check_one_engine as check_one_engine
from shiftproof.warehouse._spark import on_spark as on_spark
from shiftproof.warehouse._spark import open_frame as open_frame
from shiftproof.warehouse._spark import quoted as quoted
from shiftproof.warehouse._spark import renamed as renamed
from shiftproof.warehouse._spark import scored_rows as scored_rows
from shiftproof.warehouse._spark import sent as sent
from shiftproof.warehouse._spark import spark_errors as spark_errors
