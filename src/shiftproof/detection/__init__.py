"""Has the classifier's world changed, where, and since when? Scores first, then the features to blame."""

from shiftproof.detection._detect import detect
from shiftproof.detection._detect_by import detect_by
from shiftproof.detection._features import EFFECT, FeatureShift
from shiftproof.detection._result import Detection
from shiftproof.detection._timeline import Period, Timeline

__all__ = ["EFFECT", "Detection", "FeatureShift", "Period", "Timeline", "detect", "detect_by"]
