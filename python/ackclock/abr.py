"""Rate adaptations of DASH as Python classes.

The public name of `ackclock.cc.abr`.
"""

from ackclock.cc.abr import Download, Playback, RateAdaptation, Video, rate_adaptation

__all__ = ["Download", "Playback", "RateAdaptation", "Video", "rate_adaptation"]
