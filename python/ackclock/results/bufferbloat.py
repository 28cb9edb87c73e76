"""The delay of a path when it is idle and when it is loaded, and what that is called.

The delay is the round-trip time of small requests: the rounds of a flow with the application ``rpc``. Rounds that begin
before the first flow of the application ``bulk`` are idle, and the others are under load. A round begins a while after
the answer to the round before it, so that long rounds are fewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock._errors import RefusedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["GRADES", "Bufferbloat", "bufferbloat", "pings"]

GRADES = ((5.0, "A+"), (30.0, "A"), (60.0, "B"), (200.0, "C"), (400.0, "D"))
"""Increases of the mean round-trip time in ms below which a line has a grade; above all of them it has F.

The grades are those of DSLReports' speed test (dslreports.com/faq/17930), which takes the mean of the increases during
an upload and during a download.
"""


@dataclass(frozen=True, slots=True)
class Bufferbloat:
    """Round-trip times in ms, without and with load."""

    flow: str
    """The flow whose rounds were measured."""
    idle_ms: float
    """Median of the idle rounds."""
    loaded_ms: float
    """Mean of the rounds under load."""
    loaded_p95_ms: float
    """95th percentile of the rounds under load."""
    loaded_p99_ms: float
    """99th percentile of the rounds under load."""
    rounds: int
    """Rounds under load."""

    @property
    def increase_ms(self) -> float:
        """Increase of the round-trip time by the load, in ms: the mean under load minus the idle median."""
        return self.loaded_ms - self.idle_ms

    @property
    def grade(self) -> str:
        """The letter of the increase, from A+ to F; see `GRADES`."""
        return next((letter for least, letter in GRADES if self.increase_ms < least), "F")

    @property
    def round_trips_per_minute(self) -> float:
        """Round trips per minute under load: 60 s over the mean round-trip time.

        The unit RPM is that of draft-ietf-ippm-responsiveness; its method, with requests inside the loaded connections,
        is another.
        """
        return 60_000.0 / self.loaded_ms

    def __str__(self) -> str:
        return (
            f"bufferbloat: grade {self.grade}; the round-trip time of {self.flow} is {self.idle_ms:.1f} ms when idle, "
            f"and {self.loaded_ms:.1f} ms under load (95th percentile {self.loaded_p95_ms:.1f} ms), "
            f"{self.round_trips_per_minute:,.0f} round trips per minute"
        )


def pings(result: Result, flow: str | None = None) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
    """The flow that measures the round-trip time, the starts of its rounds in seconds, and their times in ms.

    Rounds that were not over at the end of the run are left out. Without `flow`, the first flow with rounds is taken.

    Raises
    ------
    RefusedError
        If the run has no rounds.
    """
    table = result.tables.get("rounds")
    names = [] if table is None else list(dict.fromkeys(table["flow"].tolist()))
    if table is None or not names or (flow is not None and flow not in names):
        told = f"no rounds of {flow}; there are {', '.join(names)}" if flow is not None and names else "no rounds"
        raise RefusedError(f"{told}: the round-trip time is that of a flow with the application rpc")
    name = names[0] if flow is None else flow
    mine = (table["flow"] == name) & np.isfinite(table["duration_s"])
    return name, table["start_s"][mine].astype(np.float64), 1e3 * table["duration_s"][mine].astype(np.float64)


def bufferbloat(result: Result, flow: str | None = None) -> Bufferbloat:
    """The round-trip times of a run without and with load.

    Parameters
    ----------
    result
        A run with a flow of the application ``rpc``, and one of ``bulk`` that starts later.
    flow
        The flow whose rounds count; by default, the first that has some.

    Raises
    ------
    RefusedError
        If the run has no rounds, no load, or no round on one side of its beginning.
    """
    name, start, rtt = pings(result, flow)
    flows = result.flows
    loads = flows["start_s"][flows["app"] == "bulk"]
    if not loads.size:
        raise RefusedError("no flow of the application bulk loads the path; accepted: a run with one")
    loaded = start >= float(loads.min())
    if loaded.all() or not loaded.any():
        when = "before" if loaded.all() else "after"
        raise RefusedError(f"{name} has no round {when} the load begins at {float(loads.min()):g} s; expected some")
    p95, p99 = (float(value) for value in np.percentile(rtt[loaded], (95, 99)))
    idle_ms, loaded_ms = float(np.median(rtt[~loaded])), float(rtt[loaded].mean())
    return Bufferbloat(name, idle_ms, loaded_ms, p95, p99, int(loaded.sum()))
