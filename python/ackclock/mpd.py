"""Manifests of MPEG-DASH (MPD, ISO/IEC 23009-1) as ladders of the application ``dash``.

The public name of `ackclock.scenario.traffic.mpd`.
"""

from ackclock.scenario.traffic.mpd import ManifestError, Presentation, read

__all__ = ["ManifestError", "Presentation", "read"]
