"""Measurements of real connections as a reference for a run: iperf3's JSON, logs of ``ss -ti``, files of flent.

The public name of `ackclock.plot.reference`.
"""

from ackclock.plot.reference import (
    QUANTITIES,
    Difference,
    MeasurementError,
    Reference,
    Series,
    Stream,
    differences,
    read,
)

__all__ = ["QUANTITIES", "Difference", "MeasurementError", "Reference", "Series", "Stream", "differences", "read"]
