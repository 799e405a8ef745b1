"""Where does a monitor remember what it has seen? One SQLite file, in which each batch is one transaction.

This package needs SQLAlchemy and alembic, so that only `shiftproof.monitoring._monitor` imports it, and late.
"""

from shiftproof.monitoring.store._course import ColumnField as ColumnField
from shiftproof.monitoring.store._course import ColumnLine as ColumnLine
from shiftproof.monitoring.store._course import CourseLine as CourseLine
from shiftproof.monitoring.store._course import CoursePoint as CoursePoint
from shiftproof.monitoring.store._course import CourseSpan as CourseSpan
from shiftproof.monitoring.store._course import FigureLine as FigureLine
from shiftproof.monitoring.store._course import read_course as read_course
from shiftproof.monitoring.store._export import export_history as export_history
from shiftproof.monitoring.store._export import history_frame as history_frame
from shiftproof.monitoring.store._labels import LabelLog as LabelLog
from shiftproof.monitoring.store._log import KEPT_READINGS as KEPT_READINGS
from shiftproof.monitoring.store._log import MonitorLog as MonitorLog
from shiftproof.monitoring.store._monitors import baseline_files as baseline_files
from shiftproof.monitoring.store._monitors import create_monitor as create_monitor
from shiftproof.monitoring.store._monitors import find_monitor as find_monitor
from shiftproof.monitoring.store._monitors import monitor_names as monitor_names
from shiftproof.monitoring.store._outbox import Outbox as Outbox
from shiftproof.monitoring.store._outbox import SendClaim as SendClaim
from shiftproof.monitoring.store._pages import PageQueries as PageQueries
from shiftproof.monitoring.store._pages import Pulse as Pulse
from shiftproof.monitoring.store._pages import SentAlert as SentAlert
from shiftproof.monitoring.store._pages import before as before
from shiftproof.monitoring.store._pages import every_monitor as every_monitor
from shiftproof.monitoring.store._records import AlertRecord as AlertRecord
from shiftproof.monitoring.store._records import BatchRecord as BatchRecord
from shiftproof.monitoring.store._records import ChannelRecord as ChannelRecord
from shiftproof.monitoring.store._records import ColumnRecord as ColumnRecord
from shiftproof.monitoring.store._records import ComparisonRecord as ComparisonRecord
from shiftproof.monitoring.store._records import FigureRecord as FigureRecord
from shiftproof.monitoring.store._records import IncidentRecord as IncidentRecord
from shiftproof.monitoring.store._records import MonitorRecord as MonitorRecord
from shiftproof.monitoring.store._store import Store as Store
