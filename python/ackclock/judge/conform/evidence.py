"""The series of the flow under test, as measures read them from a run's tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.engine.run import SIM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.base.table import Table
    from ackclock.results.result import Result

__all__ = ["HEADERS", "MARGIN", "SUBJECT", "Absent", "Evidence", "Phase", "Unreadable"]

SUBJECT = "subject"
"""Name of the flow under test in every case."""
MARGIN = 0.99
"""Share of the estimated bandwidth at which BBR paces: BBR.PacingMarginPercent is 1 (section 5.6.2 of the draft)."""
HEADERS = 40
"""Bytes of a packet's headers that the pacing rate of the simulator's TCP counts besides the payload. The pacing rate
of Linux is one of payload (net/ipv4/tcp_bbr.c, bbr_rate_bytes_per_sec)."""
OPTIONS = 12
"""Bytes of TCP's timestamps in each segment, which neither the payload nor the pacing rate counts."""

TICK_S = 1e-6
"""Tolerance of comparisons of times, which are sums of rounded numbers; no packet takes as little time."""


class Unreadable(Exception):  # noqa: N818 -- it is an answer, not an error
    """A check cannot be read from what the stack shows. The message is the reason."""


class Absent(Exception):  # noqa: N818 -- it is an answer, not an error
    """The behaviour that a check asks for did not occur. The message says which."""


@dataclass(frozen=True)
class Phase:
    """An uninterrupted time in one state: rows `first` to `end`, the latter not included."""

    state: str
    first: int
    end: int
    start_s: float
    end_s: float
    over: bool
    """Whether the flow left the state before the run's end."""


class Evidence:
    """The records of the flow under test, one for each acknowledgment, at most one in a millisecond.

    Parameters
    ----------
    result
        The run.
    rate_bps
        Rate of the bottleneck with which measures compare, headers included.
    packet
        IP packet size of a full segment, bytes.
    moment_s
        Time at which the last stage changed the scenario; None without stages.
    version
        Version of BBR, 1 or 3. By default 1 for the controls `bbr1` of ackclock and `bbr` of Linux, and otherwise 3.
    """

    def __init__(
        self,
        result: Result,
        rate_bps: float,
        packet: int,
        moment_s: float | None = None,
        version: int | None = None,
    ) -> None:
        self.result = result
        self.rate_bps = rate_bps
        self.moment_s = moment_s
        flow = next(row for row in result.flows.rows() if row["flow"] == SUBJECT)
        self.mss = packet - HEADERS - OPTIONS
        """Payload of a full segment of TCP with timestamps, bytes."""
        window = result.window
        mine = window.where(window["flow"] == SUBJECT)
        self.window = mine
        self.time: NDArray[Any] = mine["time_s"]
        self.counted = HEADERS if result.meta.get("backend", SIM) == SIM else 0
        """Bytes of headers that count in the pacing rate."""
        self.version = version or (1 if flow["cc"] in ("bbr1", "bbr") else 3)
        self.capacity = rate_bps * self.mss / packet
        """Payload that the bottleneck carries, bit/s."""

    def column(self, name: str) -> NDArray[Any]:
        """A column of `window`.

        Raises
        ------
        Unreadable
            If the stack does not show the quantity.
        """
        if name not in self.window or not len(self.window) or self.window.is_empty(name):
            raise Unreadable(f"the stack does not show {WORDS.get(name, name)}")
        values: NDArray[Any] = self.window[name]
        if values.dtype.kind == "f" and not np.isfinite(values).any():
            raise Unreadable(f"the stack does not show {WORDS.get(name, name)}")
        return values

    @cached_property
    def rtt(self) -> NDArray[Any]:
        """RTT samples in seconds; the smoothed RTT where the stack does not show samples."""
        try:
            return self.column("latest_rtt_ms") / 1e3
        except Unreadable:
            return self.column("srtt_ms") / 1e3

    def need_samples(self) -> None:
        """Refuses to count rounds exactly without RTT samples: the smoothed RTT lags behind while a queue grows.

        Raises
        ------
        Unreadable
            If the stack does not show RTT samples.
        """
        self.column("latest_rtt_ms")

    @cached_property
    def phases(self) -> list[Phase]:
        """The states in their order. Times without a state are left out, such as that before the first acknowledgment.

        Raises
        ------
        Unreadable
            If the stack shows no states of its congestion control.
        """
        states = np.array([state or "" for state in self.column("cc_state")])
        cuts = [0, *(np.flatnonzero(states[1:] != states[:-1]) + 1), len(states)]
        end_s = float(self.time[-1])
        return [
            Phase(
                str(states[first]),
                int(first),
                int(end),
                float(self.time[first]),
                float(self.time[end]) if end < len(states) else end_s,
                bool(end < len(states)),
            )
            for first, end in pairwise(cuts)
            if states[first]
        ]

    def phase(self, state: str, nth: int = 1, *, after: bool = False) -> Phase:
        """The phase of this number, counted from 1, in a state.

        With `after`, phases that end before the moment of the last stage do not count.

        Raises
        ------
        Absent
            If there is none.
        """
        found = [one for one in self.phases if one.state == state and (not after or one.end_s > (self.moment_s or 0.0))]
        if len(found) < nth:
            raise Absent(f"the flow was {len(found)} times in {state}, {nth} expected")
        return found[nth - 1]

    def following(self, phase: Phase) -> Phase:
        """The phase after a phase.

        Raises
        ------
        Absent
            If the flow did not leave the phase before the end of the run.
        """
        later = self.phases[self.phases.index(phase) + 1 :]
        if not phase.over or not later:
            raise Absent(f"the flow stays in {phase.state} until the run ends")
        return later[0]

    def row_at(self, time_s: float) -> int:
        """Number of the first row at a time or after it; the last row if there is none.

        Raises
        ------
        Unreadable
            If the stack shows no window at all.
        """
        if not len(self.time):
            raise Unreadable("the stack does not show its congestion window")
        return min(int(np.searchsorted(self.time, time_s)), len(self.time) - 1)

    def round_starts(self, first: int, end: int) -> list[int]:
        """Rows at which packet-timed rounds begin, from row `first` to `end`, which is not included.

        A round ends with the acknowledgment of a packet that was sent after the round began (section 5.5.1).
        """
        starts = [first]
        sent = self.time - self.rtt
        for row in range(first + 1, min(end, len(self.time))):
            if sent[row] >= self.time[starts[-1]] - TICK_S:
                starts.append(row)
        return starts

    def min_rtt_s(self, row: int) -> float:
        """Smallest RTT until a row, seconds."""
        return float(np.nanmin(self.column("min_rtt_ms")[: row + 1])) / 1e3

    def best_rate(self, row: int) -> float:
        """Largest delivery rate until a row, bit/s of payload."""
        rates = self.column("delivery_bps")[: row + 1]
        if not np.isfinite(rates).any():
            raise Absent("there was no delivery rate yet")
        return float(np.nanmax(rates))

    def bdp(self, row: int) -> float:
        """Bandwidth-delay product at a row in bytes, from the largest delivery rate and the smallest RTT so far."""
        return self.best_rate(row) * self.min_rtt_s(row) / 8

    def estimates(self) -> NDArray[Any]:
        """Estimated bandwidth in bit/s of payload, from the pacing rate where the pacing gain is one."""
        pacing = self.column("pacing_bps")
        return pacing / MARGIN * self.mss / (self.mss + self.counted)

    def packets(self) -> Table:
        """The packets of the flow.

        Raises
        ------
        Unreadable
            If the backend does not record packets.
        """
        if "packets" not in self.result.tables:
            raise Unreadable("the backend does not record packets")
        packets = self.result.packets
        return packets.where(packets["flow"] == SUBJECT)


WORDS = {
    "pacing_bps": "its pacing rate",
    "delivery_bps": "delivery rates",
    "cc_state": "states of its congestion control",
    "cwnd": "its congestion window",
    "pipe": "the data in flight",
    "min_rtt_ms": "its smallest RTT",
    "srtt_ms": "its RTT",
    "latest_rtt_ms": "RTT samples, with which rounds are counted exactly",
}
