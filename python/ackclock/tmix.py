"""Connection vectors for the application ``tmix``: generated from distributions, or taken from a capture.

The public name of `ackclock.scenario.traffic.tmix`.
"""

from ackclock.scenario.traffic.tmix import CaptureError, Connection, Unit, Workload, convert, generate, text

__all__ = ["CaptureError", "Connection", "Unit", "Workload", "convert", "generate", "text"]
