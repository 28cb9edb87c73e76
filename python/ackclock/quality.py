"""The quality of adaptive video as one number: bitrate, minus rebuffering, minus switches.

The public name of `ackclock.results.quality`.
"""

from ackclock.results.quality import KINDS, Kind, Quality, measure, quality

__all__ = ["KINDS", "Kind", "Quality", "measure", "quality"]
