"""Connections that were measured: series over time, whatever tool wrote them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST", "MeasurementError", "Reference", "Series", "Stream"]

MOST = 1e18
"""Numbers of a measurement at most."""


class MeasurementError(ValueError):
    """A file that is no measurement of a known form, or has nothing that can be compared."""

    code = "ACK042"


@dataclass(frozen=True, slots=True)
class Series:
    """Values over time."""

    start_s: NDArray[np.float64]
    """Times of the samples in seconds; of a rate or a count the beginnings of the intervals."""
    end_s: NDArray[np.float64]
    """The same times; of a rate or a count the ends of the intervals."""
    value: NDArray[np.float64]
    """The samples, in the unit of the quantity."""

    def shifted(self, by_s: float) -> Series:
        """The same values later by a time."""
        return Series(self.start_s + by_s, self.end_s + by_s, self.value)


@dataclass(frozen=True, slots=True)
class Stream:
    """A connection that was measured."""

    name: str
    """Name of the connection."""
    series: dict[str, Series]
    """Series by quantity: ``goodput_bps``, ``retransmits``, ``cwnd``, ``ssthresh`` and ``srtt_ms``, or ``ping_ms`` of
    a ping."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The connections of a measurement. Times count from its beginning."""

    path: str
    """File of the measurement."""
    kind: str
    """``iperf3``, ``ss`` or ``flent``."""
    streams: list[Stream]
    """Its connections, without those that control a test."""
