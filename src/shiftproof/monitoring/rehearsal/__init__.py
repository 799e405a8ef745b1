"""What would this monitor have said of our own past, and how soon would it have known of a change?

Past batches go through the alarms. Then shifts and drops of accuracy are put into them.
"""

from shiftproof.monitoring.rehearsal._past import past_batches as past_batches
from shiftproof.monitoring.rehearsal._rehearse import RehearsalPlan as RehearsalPlan
from shiftproof.monitoring.rehearsal._rehearse import rehearse as rehearse
from shiftproof.monitoring.rehearsal._result import Delay as Delay
from shiftproof.monitoring.rehearsal._result import MonitorRehearsal as MonitorRehearsal
