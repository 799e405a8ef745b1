"""Has the classifier's world changed, and where? Two tables in, the features to blame out."""

from shiftproof.detection._detect import detect
from shiftproof.detection._detection import Detection
from shiftproof.detection._features import FeatureShift

__all__ = ["Detection", "FeatureShift", "detect"]
