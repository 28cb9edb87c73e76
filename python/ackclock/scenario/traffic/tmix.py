"""Connection vectors for the application ``tmix``: generated from distributions, or taken from a capture.

The model is that of Weigle, Adurthi, Hernandez-Campos, Jeffay and Smith, "Tmix: a tool for generating realistic TCP
application workloads in ns-2" (CCR 36(3), 2006): a connection is a list of application data units with the times
between them. Files are written in the original format, as ns-2's reader of it expects them.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from ackclock.scenario.traffic.captures import CaptureError, segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["CaptureError", "Connection", "Unit", "Workload", "convert", "generate", "text"]

MICROSECONDS = 1_000_000

WINDOW = 65_535
"""Bytes of both receive windows in files: ns-2 sends nothing without them, and scenarios have windows of their own."""

MOST_SECONDS = 87_600 * 3_600
"""Ten years: scenarios accept no longer time."""

MOST_BYTES = 2**60
"""Scenarios accept no larger volume."""

MOST_UNITS = 1_000_000
"""Data units that `generate` makes on average at most. A scenario reads files of at most 16 MiB, which hold fewer."""


@dataclass(frozen=True, slots=True)
class Unit:
    """An application data unit: `wait_us` after what the format counts from, `size` bytes from one side."""

    initiator: bool
    """Whether the side sends that opened the connection."""
    size: int
    """Bytes."""
    wait_us: int = 0
    """Microseconds before the unit is sent."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A connection vector. In a `concurrent` one a wait counts from the side's own last unit."""

    start_us: int
    """Time at which the connection begins, in microseconds from the start of the trace."""
    units: tuple[Unit, ...]
    """The data units of both sides, in the order of the trace."""
    concurrent: bool = False
    """Whether both sides send without waiting for each other."""
    close_us: int = 0
    """Time after the last unit at which a sequential connection closes."""

    def lines(self, number: int) -> Iterator[str]:
        """The connection in the original format; `number` is both of its identities."""
        turns = [unit.initiator for unit in self.units]
        if self.concurrent:
            yield f"CONC {self.start_us} {turns.count(True)} {turns.count(False)} {number} {number}"
        else:
            first = [True, *(turn and not before for before, turn in itertools.pairwise(turns))]
            yield f"SEQ {self.start_us} {sum(first)} {number} {number}"
        yield f"w {WINDOW} {WINDOW}"
        mark = "c" if self.concurrent else ""
        for index, unit in enumerate(self.units):
            side = ">" if unit.initiator else "<"
            if unit.wait_us > 0 or (index > 0 and not self.concurrent):
                yield f"t{side if self.concurrent else ''} {unit.wait_us}"
            yield f"{mark}{side} {unit.size}"
        if self.close_us > 0 and not self.concurrent:
            yield f"t {self.close_us}"


def text(connections: Iterable[Connection], comment: str = "") -> str:
    """Connection vectors as a file says them."""
    head = [f"# {line}" for line in comment.splitlines()]
    body = [line for number, connection in enumerate(connections) for line in connection.lines(number)]
    return "\n".join([*head, *body, ""])


@dataclass(frozen=True, slots=True)
class Workload:
    """Web sessions, each over one connection that stays open: requests, answers, and thinking between them.

    Sizes of answers and thinking are those of SURGE (Barford and Crovella, SIGMETRICS 1998): a log-normal body with a
    Pareto tail, and Pareto think times. What SURGE has no number for, or has without an end, is chosen here and said
    so.
    """

    sessions_per_second: float = 0.5
    """Arrivals, as a Poisson process; chosen here."""
    epochs: float = 5.0
    """Mean number of exchanges of a session, geometric; chosen here."""
    request: int = 300
    """Bytes of a request; chosen here."""
    body_mu: float = 9.357
    """Mean of the logarithms of the body of answers in bytes (SURGE)."""
    body_sigma: float = 1.318
    """Standard deviation of these logarithms (SURGE)."""
    tail_from: int = 133_000
    """Size at which the Pareto tail of answers begins, in bytes (SURGE)."""
    tail_alpha: float = 1.1
    """Exponent of the tail (SURGE)."""
    tail_share: float = 0.07
    """Part of the answers that is of the tail (SURGE: the body covers 93 %)."""
    largest: int = 10_000_000
    """Largest answer, in bytes: with an exponent of 1.1 a tail without an end has hardly a mean. Chosen here."""
    think_least_s: float = 1.0
    """Least Pareto think time (SURGE: k = 1 s)."""
    think_alpha: float = 1.5
    """Exponent of the Pareto think times (SURGE: 1.5)."""
    think_most_s: float = 60.0
    """Longest think time; chosen here."""
    server_think_s: float = 0.02
    """Mean time of a server until it answers, exponential; chosen here."""

    def __post_init__(self) -> None:
        for name, (least, is_least_accepted, most) in BOUNDS.items():
            value = getattr(self, name)
            if not (least < value <= most or (is_least_accepted and value == least)):
                low = f"of at least {least:g}" if is_least_accepted else f"above {least:g}"
                raise ValueError(f"{name} is a number {low} and at most {most:g}, not {_shown(value)}")
        if self.think_most_s < self.think_least_s:
            raise ValueError(f"think_most_s is at least think_least_s, not {_shown(self.think_most_s)}")


BOUNDS: dict[str, tuple[float, bool, float]] = {
    "sessions_per_second": (0, False, 1e9),
    "epochs": (1, True, MOST_UNITS),
    "request": (1, True, MOST_BYTES),
    "body_mu": (-100, True, 100),
    "body_sigma": (0, True, 100),
    "tail_from": (0, False, MOST_BYTES),
    "tail_alpha": (0.01, True, 100),
    "tail_share": (0, True, 1),
    "largest": (1, True, MOST_BYTES),
    "think_least_s": (0, False, MOST_SECONDS),
    "think_alpha": (0.01, True, 100),
    "think_most_s": (0, False, MOST_SECONDS),
    "server_think_s": (0, True, MOST_SECONDS),
}
"""The least value of each number of a workload, whether that is accepted itself, and the largest value."""


def _shown(value: float) -> str:
    """A number for a message, shortened if it has hundreds of digits."""
    text = str(value)
    return text if len(text) <= 30 else f"{text[:20]}..."


def generate(duration_s: float, *, seed: int, workload: Workload | None = None) -> list[Connection]:
    """Sessions that arrive within a time. The same seed gives the same vectors, on every machine.

    Every distribution is drawn by inversion from `random.random`, whose sequence Python does not change.

    Raises
    ------
    ValueError
        If `duration_s` is not above zero and at most ten years, or so many sessions arrive within it that they have
        more than a million data units on average.
    """
    if not 0 < duration_s <= MOST_SECONDS:
        raise ValueError(f"duration_s is a number above 0 and at most {MOST_SECONDS}, not {_shown(duration_s)}")
    work = workload or Workload()
    # A request and an answer for each exchange.
    per_second = work.sessions_per_second * work.epochs * 2
    if duration_s * per_second > MOST_UNITS:
        raise ValueError(
            f"duration_s {duration_s:g} makes {duration_s * per_second:.3g} data units on average, at "
            f"{work.sessions_per_second:g} sessions per second of {work.epochs:g} exchanges each; "
            f"accepted: at most {MOST_UNITS} data units, which are {MOST_UNITS / per_second:.6g} s"
        )
    draw = random.Random(seed).random  # noqa: S311 -- a simulation's numbers
    connections = []
    now = 0.0
    while (now := now + _exponential(draw(), 1 / work.sessions_per_second)) < duration_s:
        units: list[Unit] = []
        while True:
            think = 0.0 if not units else _pareto(draw(), work.think_least_s, work.think_alpha, work.think_most_s)
            units.append(Unit(True, work.request, round(think * MICROSECONDS)))
            answering = round(_exponential(draw(), work.server_think_s) * MICROSECONDS)
            units.append(Unit(False, _answer(draw, work), answering))
            if draw() < 1 / work.epochs:
                break
        connections.append(Connection(round(now * MICROSECONDS), tuple(units)))
    return connections


def _answer(draw: Any, work: Workload) -> int:
    tail, number = draw(), draw()
    if tail < work.tail_share:
        size = _pareto(number, work.tail_from, work.tail_alpha, work.largest)
    else:
        # Beyond the exponent of 700, near the largest float, every size is the largest.
        exponent = work.body_mu + work.body_sigma * NormalDist().inv_cdf(max(number, 2**-53))
        size = math.exp(min(exponent, 700.0))
    return max(1, round(min(size, work.largest)))


def _exponential(number: float, mean: float) -> float:
    return -mean * math.log1p(-number)


def _pareto(number: float, least: float, alpha: float, most: float) -> float:
    try:
        return float(min(most, least * (1 - number) ** (-1 / alpha)))
    except OverflowError:
        return float(most)


@dataclass(slots=True)
class _Stream:
    """A connection of a capture, seen once in each direction of its segments."""

    start_us: int
    next: dict[bool, int] = field(default_factory=dict)
    """The next new sequence number by side, true for the initiator."""
    data: list[tuple[int, bool, int]] = field(default_factory=list)
    """Time, side and bytes of what was new."""


def convert(capture: Path | str, *, quiet_s: float = 0.5, least_bytes: int = 1) -> list[Connection]:
    """The connections of a capture as connection vectors, from their SYN on; those that began before it are left out.

    A unit ends where the other side sends data, or where the side was quiet for longer than `quiet_s`. Bytes seen
    before count once. Between units of two sides the wait runs from the last segment of the one to the first of the
    other, as the capture's place saw them: taken where the answers are sent, it is the server's thinking; the client's
    has the round-trip time in it. Between units of one side it runs from first segment to first segment, as the
    application replays it. The sides are seen as taking turns, so concurrent data becomes many small turns.

    Parameters
    ----------
    capture
        A file in the format pcap or pcapng, of Ethernet, of all interfaces of Linux (``tcpdump -i any``) or macOS, of
        the loopback of any system, of raw IP or of PPP.
    quiet_s
        What ends a unit, besides the other side's data.
    least_bytes
        Connections with less data are left out.

    Raises
    ------
    CaptureError
        If the file is no capture, is damaged or cut off, has links of an unknown type, or has no connection from its
        SYN on.
    ValueError
        If `quiet_s` is negative or more than ten years.
    """
    if not 0 <= quiet_s <= MOST_SECONDS:
        raise ValueError(f"quiet is a number of seconds from 0 to {MOST_SECONDS}, not {quiet_s}")
    streams: dict[tuple[Any, ...], _Stream] = {}
    done: list[_Stream] = []
    for one in segments(capture):
        time_us, ends, length = round(one.time_ns / 1000), (one.source, one.destination), one.length
        key = ends if ends in streams else (one.destination, one.source)
        side = key == ends
        if one.flags & 2 and not one.flags & 16 and (ends not in streams or streams[ends].data):
            streams.pop(key, None)
            stream = streams[ends] = _Stream(time_us)
            done.append(stream)
            stream.next[True] = (one.seq + 1) % 2**32
            continue
        seen = streams.get(key)
        if seen is None:
            continue
        first = one.seq + (1 if one.flags & 2 else 0)
        expected = seen.next.setdefault(side, first % 2**32)
        # Modulo 2^32: how far the end of this segment lies beyond what was seen.
        beyond = (first + length - expected + 2**31) % 2**32 - 2**31
        if beyond > 0 and length > 0:
            seen.next[side] = (expected + beyond) % 2**32
            seen.data.append((time_us, side, beyond))
    origin = min((stream.start_us for stream in done), default=0)
    found = [_connection(stream, origin, round(quiet_s * MICROSECONDS)) for stream in done if stream.data]
    chosen = [one for one in found if sum(unit.size for unit in one.units) >= least_bytes]
    if not chosen:
        raise CaptureError(f"{capture}: no TCP connection from its SYN on, with at least {least_bytes} B of data")
    return sorted(chosen, key=lambda connection: connection.start_us)


def _connection(stream: _Stream, origin: int, quiet_us: int) -> Connection:
    units: list[Unit] = []
    began = ended = stream.data[0][0]
    for time_us, side, length in stream.data:
        last = units[-1] if units else None
        if last is not None and last.initiator == side and time_us - ended <= quiet_us:
            units[-1] = Unit(side, last.size + length, last.wait_us)
        else:
            since = time_us if last is None else began if last.initiator == side else ended
            # The clocks of captures go backwards at times.
            units.append(Unit(side, length, max(0, time_us - since)))
            began = time_us
        ended = time_us
    return Connection(stream.start_us - origin, tuple(units))
