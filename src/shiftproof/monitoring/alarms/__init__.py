"""When is a stream of batches worth an alarm, however often one looks?

Counts go in and a new state comes out. This package knows no tables, files or stores.
"""

from shiftproof.monitoring.alarms._alarms import BIAS_SD as BIAS_SD
from shiftproof.monitoring.alarms._alarms import RUN_LENGTH as RUN_LENGTH
from shiftproof.monitoring.alarms._alarms import Alarms as Alarms
from shiftproof.monitoring.alarms._alarms import How as How
from shiftproof.monitoring.alarms._alarms import Reading as Reading
from shiftproof.monitoring.alarms._alarms import level_alphas as level_alphas
from shiftproof.monitoring.alarms._alarms import next_share as next_share
from shiftproof.monitoring.alarms._changed import cell_functions as cell_functions
from shiftproof.monitoring.alarms._dependence import LEAST_PERIODS as LEAST_PERIODS
from shiftproof.monitoring.alarms._dependence import design_effect as design_effect
from shiftproof.monitoring.alarms._dependence import effect_of_batch as effect_of_batch
from shiftproof.monitoring.alarms._dependence import period_freedom as period_freedom
from shiftproof.monitoring.alarms._evidence import LEVELS as LEVELS
from shiftproof.monitoring.alarms._evidence import Level as Level
from shiftproof.monitoring.alarms._evidence import Mode as Mode
from shiftproof.monitoring.alarms._facts import N_CUTS as N_CUTS
from shiftproof.monitoring.alarms._facts import BatchFacts as BatchFacts
from shiftproof.monitoring.alarms._facts import CellPlan as CellPlan
from shiftproof.monitoring.alarms._harm import CORRECTED as CORRECTED
from shiftproof.monitoring.alarms._harm import LABEL_STEPS as LABEL_STEPS
from shiftproof.monitoring.alarms._harm import HarmBets as HarmBets
from shiftproof.monitoring.alarms._harm import LabelFacts as LabelFacts
from shiftproof.monitoring.alarms._harm import lowered_floor as lowered_floor
from shiftproof.monitoring.alarms._material import DISTANCE as DISTANCE
from shiftproof.monitoring.alarms._material import MISSING as MISSING
from shiftproof.monitoring.alarms._material import pooled_levels as pooled_levels
from shiftproof.monitoring.alarms._seasons import mixed_counts as mixed_counts
from shiftproof.monitoring.alarms._seasons import mixture_weights as mixture_weights
from shiftproof.monitoring.alarms._state import State as State
from shiftproof.monitoring.alarms._uniforms import uniforms as uniforms
