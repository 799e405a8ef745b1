"""Has the classifier's world changed, where, and since when? Scores first, then the features to blame."""

from shiftproof.detection._detect import detect as detect
from shiftproof.detection._detect import detect_case as detect_case
from shiftproof.detection._detect_by import detect_by as detect_by
from shiftproof.detection._features import MATERIAL as MATERIAL
from shiftproof.detection._features import FeatureShift as FeatureShift
from shiftproof.detection._inputs import excluded_names as excluded_names
from shiftproof.detection._result import Detection as Detection
from shiftproof.detection._scores import MATERIAL_SCORES as MATERIAL_SCORES
from shiftproof.detection._scores import ScoreShift as ScoreShift
from shiftproof.detection._suspicion_words import suspicion_texts as suspicion_texts
from shiftproof.detection._suspicions import Suspicion as Suspicion
from shiftproof.detection._timeline import Period as Period
from shiftproof.detection._timeline import Timeline as Timeline
from shiftproof.detection._words import change_size as change_size
from shiftproof.detection._words import what_happened as what_happened
