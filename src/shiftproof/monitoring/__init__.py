"""Have the new data changed since the model was validated, does it matter, and since when?

A `Baseline` is what a monitor remembers of the reference; a `Monitor` compares every batch with it and keeps a record.
"""

from shiftproof.monitoring._alert_channels import AlertChannel as AlertChannel
from shiftproof.monitoring._alert_channels import WaitingAlert as WaitingAlert
from shiftproof.monitoring._alerts import Deliveries as Deliveries
from shiftproof.monitoring._alerts import MonitorAlerts as MonitorAlerts
from shiftproof.monitoring._alerts import deliver_alerts as deliver_alerts
from shiftproof.monitoring._baseline import Baseline as Baseline
from shiftproof.monitoring._baseline_words import note_text as note_text
from shiftproof.monitoring._baseline_words import with_init_options as with_init_options
from shiftproof.monitoring._label_file import MOST_LABEL_COLUMNS as MOST_LABEL_COLUMNS
from shiftproof.monitoring._label_file import batch_of_labels as batch_of_labels
from shiftproof.monitoring._label_file import labels_of_frame as labels_of_frame
from shiftproof.monitoring._label_result import BatchPlan as BatchPlan
from shiftproof.monitoring._label_result import LabelUpdate as LabelUpdate
from shiftproof.monitoring._label_result import NextStep as NextStep
from shiftproof.monitoring._label_result import TrackRecord as TrackRecord
from shiftproof.monitoring._label_result import key_column as key_column
from shiftproof.monitoring._label_words import class_words as class_words
from shiftproof.monitoring._label_words import labelled_batches as labelled_batches
from shiftproof.monitoring._labelling import SHARE_BY_LABELS as SHARE_BY_LABELS
from shiftproof.monitoring._monitor import Monitor as Monitor
from shiftproof.monitoring._old_and_new import OldAndNew as OldAndNew
from shiftproof.monitoring._performance import FEWEST_ROWS as FEWEST_ROWS
from shiftproof.monitoring._reader import MonitorReader as MonitorReader
from shiftproof.monitoring._reader import StoreReader as StoreReader
from shiftproof.monitoring._reader import actual_accuracy as actual_accuracy
from shiftproof.monitoring._result import BatchName as BatchName
from shiftproof.monitoring._result import Incident as Incident
from shiftproof.monitoring._result import LevelEvidence as LevelEvidence
from shiftproof.monitoring._result import Update as Update
from shiftproof.monitoring._status import BatchLine as BatchLine
from shiftproof.monitoring._status import MonitorStatus as MonitorStatus
from shiftproof.monitoring._summary import BatchSummary as BatchSummary
from shiftproof.monitoring._summary import ColumnChange as ColumnChange
from shiftproof.monitoring._times import utc as utc
from shiftproof.monitoring._times import written_time as written_time
from shiftproof.monitoring._words import alarm_text as alarm_text
from shiftproof.monitoring._words import batches_text as batches_text
from shiftproof.monitoring._words import floor_words as floor_words
from shiftproof.monitoring._words import incident_words as incident_words
from shiftproof.monitoring._words import periods_words as periods_words
from shiftproof.monitoring._words import tone_of_open as tone_of_open
from shiftproof.monitoring._words import waiting_words as waiting_words
from shiftproof.monitoring.imports import ImportedHistory as ImportedHistory
from shiftproof.monitoring.rehearsal import Delay as Delay
from shiftproof.monitoring.rehearsal import MonitorRehearsal as MonitorRehearsal
