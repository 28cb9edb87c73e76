"""The private extension: thin bindings to the Rust engine. Use the public names of `ackclock` instead."""

import os
import sys
from collections.abc import Callable
from typing import Any, Literal, final

from arro3.core import Table

from ackclock.learn.cluster import Elsewhere
from ackclock.results.result import Meta
from ackclock.scenario._renamed import OldName

__all__ = [
    "Ack",
    "Algorithm",
    "Cancel",
    "Congestion",
    "Context",
    "Delivery",
    "Download",
    "Environment",
    "Lost",
    "Networks",
    "Playback",
    "RateSample",
    "RecoveryEnd",
    "Search",
    "Situation",
    "Trace",
    "Video",
    "Window",
    "catalogue",
    "check",
    "contract",
    "drill",
    "engine",
    "estimate",
    "evaluate_table",
    "event_schema",
    "learn_settings",
    "library",
    "old_names",
    "read_scenario",
    "receive_buffer",
    "replay_queue",
    "resolved",
    "revision",
    "run",
    "scenario_hash",
    "schema",
    "suggestion",
    "tables",
    "version",
]

if sys.platform == "linux":
    __all__ += ["Emulator", "live_drill", "live_run"]

@final
class Cancel:
    def __new__(cls) -> Cancel: ...
    def cancel(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...

@final
class Trace:
    def __new__(
        cls,
        captures: list[str],
        *,
        ipv6: bool,
        payload: bool,
        events: bool,
        qlog: bool,
        flows: list[str],
        start: str | None,
        end: str | None,
    ) -> Trace: ...

@final
class Networks:
    def __new__(cls, design: str, settings: str, purpose: str, *, folder: str | os.PathLike[str] = ...) -> Networks: ...
    def scores(self, trials: list[tuple[int, bytes]]) -> list[tuple[float, int, list[int], int]]: ...
    def memories(self, trials: list[tuple[int, bytes]], rule: int) -> list[bytes]: ...

@final
class Search:
    def __new__(
        cls, design: str, settings: str, decisions: list[str], *, folder: str | os.PathLike[str] = ...
    ) -> Search: ...
    def apply(self, decision: str) -> None: ...
    def step(self, threads: int, cancel: Cancel | None = None, elsewhere: Elsewhere | None = None) -> str | None: ...
    def validate(self, threads: int, cancel: Cancel | None = None) -> float: ...
    @property
    def table(self) -> bytes: ...
    @property
    def best(self) -> bytes: ...
    @property
    def status(self) -> str: ...

@final
class Environment:
    def __new__(
        cls,
        text: str,
        format: str,
        overrides: list[tuple[str, str]],
        seed: int,
        steered: list[str],
        *,
        paces: bool,
        folder: str | os.PathLike[str] = ...,
        algorithms: list[Algorithm] = ...,
    ) -> Environment: ...
    def begin(self) -> tuple[bool, int, int | None]: ...
    def step(self, targets: list[tuple[int, int | None] | None], until: int) -> tuple[bool, int, list[list[Any]]]: ...

@final
class Algorithm:
    def __new__(
        cls,
        name: str,
        source: str,
        make: Callable[[list[tuple[str, float]]], object],
        *,
        parameters: list[tuple[str, float, float]],
        overridden: set[str],
        scope: tuple[bool, bool, bool, bool, bool] | None,
    ) -> Algorithm: ...
    @staticmethod
    def rule(
        name: str,
        source: str,
        make: Callable[[list[tuple[str, float]]], object],
        *,
        parameters: list[tuple[str, float, float]],
        overridden: set[str],
    ) -> Algorithm: ...

@final
class Video:
    """The video and the player of a DASH client."""

    @property
    def ladder(self) -> tuple[int, ...]:
        """Bitrates in which the video is available, bit/s, ascending. A level is an index in them."""
    @property
    def segment(self) -> float:
        """Playing time of a segment, seconds."""
    @property
    def buffer(self) -> float:
        """Most media that the player holds, seconds."""
    @property
    def target(self) -> float:
        """Highest buffer level at which a segment is requested, seconds: the buffer must have room for it."""

@final
class Download:
    """A segment that has arrived."""

    @property
    def level(self) -> int:
        """Its level."""
    @property
    def bytes(self) -> int:
        """Its size, without the header of the response."""
    @property
    def requested(self) -> float:
        """Simulated time of the request, seconds."""
    @property
    def first_byte(self) -> float:
        """Simulated time at which the first byte of the response arrived, seconds."""
    @property
    def done(self) -> float:
        """Simulated time at which the last byte arrived, seconds."""
    @property
    def bps(self) -> float:
        """Its size divided by the time from the request to the last byte, bit/s."""
    @property
    def buffer_at_request(self) -> float:
        """Buffer level at the request, seconds."""
    @property
    def buffer_before(self) -> float:
        """Buffer level at the arrival, without the segment, seconds."""
    @property
    def buffer(self) -> float:
        """Buffer level with the segment, seconds."""

@final
class Playback:
    """The state of a DASH client before it requests a segment."""

    @property
    def now(self) -> float:
        """The simulated time, seconds."""
    @property
    def buffer(self) -> float:
        """Media in the buffer, seconds."""
    @property
    def last(self) -> int | None:
        """Level of the previous segment; None before the first one."""
    @property
    def playing(self) -> bool:
        """Whether the player plays. It does not before it starts, and in a stall."""
    @property
    def latency(self) -> float | None:
        """Time from a live event to its playback, seconds; None for video on demand."""
    @property
    def index(self) -> int:
        """Index of the segment that is chosen now, from 0."""
    @property
    def left(self) -> int | None:
        """Number of segments that are left, with the one that is chosen now; None if they outlast the run."""
    @property
    def sizes(self) -> list[list[int]]:
        """Bytes of the next segments, at most 8, by level: ``sizes[0][2]`` is the next segment at level 2."""
    @property
    def history(self) -> list[Download]:
        """All segments that have arrived, in order."""

@final
class Window:
    """A connection's window; callbacks set it."""

    @property
    def cwnd(self) -> int:
        """Congestion window, bytes."""
    @cwnd.setter
    def cwnd(self, value: float) -> None: ...
    @property
    def ssthresh(self) -> int:
        """Slow-start threshold, bytes; 2^64 - 1 until the first congestion."""
    @ssthresh.setter
    def ssthresh(self, value: float) -> None: ...
    @property
    def pacing_rate(self) -> int | None:
        """Pacing rate, bytes per second; None leaves it to the pacer."""
    @pacing_rate.setter
    def pacing_rate(self, value: float | None) -> None: ...
    @property
    def in_slow_start(self) -> bool:
        """Whether cwnd is below ssthresh."""

@final
class Context:
    """The sender's state at an event, after it was taken into account. Bytes and nanoseconds."""

    @property
    def now(self) -> int:
        """The time of the event."""
    @property
    def mss(self) -> int:
        """Sender maximum segment size (SMSS)."""
    @property
    def initial_window(self) -> int:
        """Initial window, also the restart window."""
    @property
    def snd_una(self) -> int:
        """Stream offset of the first unacknowledged byte."""
    @property
    def snd_nxt(self) -> int:
        """Stream offset of the next new byte to send."""
    @property
    def flight_size(self) -> int:
        """Data sent and not cumulatively acknowledged (FlightSize, RFC 5681)."""
    @property
    def pipe(self) -> int:
        """Estimate of the data in flight (RFC 6675), or FlightSize without SACK."""
    @property
    def unsent(self) -> int:
        """Data that the application has written and TCP has never sent."""
    @property
    def receive_window(self) -> int:
        """The window that the peer advertised last."""
    @property
    def srtt(self) -> int | None:
        """Smoothed round-trip time; None before the first sample."""
    @property
    def min_rtt(self) -> int | None:
        """Smallest round-trip time seen."""
    @property
    def rto(self) -> int:
        """Retransmission timeout, backoff included."""
    @property
    def in_recovery(self) -> bool:
        """Whether loss recovery is under way."""

@final
class Ack:
    """An acknowledgment that moved snd_una or SACKed new data. Bytes and nanoseconds."""

    @property
    def ctx(self) -> Context:
        """State after the acknowledgment."""
    @property
    def acked(self) -> int:
        """Data by which snd_una advanced."""
    @property
    def sacked(self) -> int:
        """Data newly SACKed; one segment for a duplicate ACK without SACK."""
    @property
    def lost(self) -> int:
        """Data newly deemed lost."""
    @property
    def rtt(self) -> int | None:
        """Round-trip sample, if Karn's rule allows one."""
    @property
    def cwnd_limited(self) -> bool:
        """Whether the window was full within the flight that the acknowledgment covers."""
    @property
    def marked(self) -> int:
        """Data newly reported as having arrived with a mark."""

@final
class Congestion:
    """Congestion: loss, a mark, or a retransmission timeout."""

    @property
    def cause(self) -> Literal["loss", "ecn", "timeout"]:
        """Signal of the congestion."""
    @property
    def abe(self) -> bool:
        """Whether the response to a mark is to be that of ABE (RFC 8511)."""
    @property
    def ctx(self) -> Context:
        """State at detection, before the response."""

@final
class RecoveryEnd:
    """The end of fast recovery."""

    @property
    def ctx(self) -> Context:
        """State at the end."""
    @property
    def retransmitted(self) -> int:
        """Bytes that were deemed lost, retransmitted in the recovery and delivered."""

@final
class RateSample:
    """A sample of the delivery rate (draft-ietf-ccwg-bbr section 4.1). Bytes and nanoseconds."""

    @property
    def delivered(self) -> int:
        """Data delivered over the interval."""
    @property
    def prior_delivered(self) -> int:
        """Data known to be delivered when the segment was sent."""
    @property
    def interval(self) -> int:
        """Length of the sample's interval; zero where the sample gives no rate."""
    @property
    def tx_in_flight(self) -> int:
        """Data in flight just after the segment was sent."""
    @property
    def lost(self) -> int:
        """Data deemed lost since the segment was sent."""
    @property
    def app_limited(self) -> bool:
        """Whether the application had nothing to send at some time in the interval."""
    @property
    def bytes_per_second(self) -> int | None:
        """The rate; None where the sample gives no rate."""

@final
class Delivery:
    """Deliveries that an acknowledgment reports, in every phase. Bytes and nanoseconds."""

    @property
    def ack(self) -> Ack:
        """The acknowledgment."""
    @property
    def newly(self) -> int:
        """Data newly known to have arrived, in order or not."""
    @property
    def delivered(self) -> int:
        """Total data known to have arrived."""
    @property
    def lost(self) -> int:
        """Total data ever deemed lost."""
    @property
    def sent_at(self) -> int | None:
        """Send time of the newest segment that has arrived, if the segment was sent once."""
    @property
    def forward_delay(self) -> int | None:
        """One-way delay from the sender to the receiver, up to a constant; None without timestamps."""
    @property
    def rate(self) -> RateSample | None:
        """Sample of the delivery rate, a separate object; None where no data is newly known to have arrived."""

@final
class Lost:
    """A segment that is deemed lost. Bytes."""

    @property
    def ctx(self) -> Context:
        """State after the segment was deemed lost."""
    @property
    def len(self) -> int:
        """Length of the segment."""
    @property
    def tx_in_flight(self) -> int:
        """Data in flight just after the segment was sent."""
    @property
    def lost_since(self) -> int:
        """Data deemed lost since the segment was sent, the segment included."""
    @property
    def app_limited(self) -> bool:
        """Whether the application had nothing more to send when the segment was sent."""

@final
class Situation:
    """Situation in which a rule of `ackclock.WindowRules` is asked for a decision. Segments and seconds."""

    @property
    def now(self) -> float:
        """The simulated time."""
    @property
    def mss(self) -> int:
        """Sender maximum segment size, bytes."""
    @property
    def cwnd(self) -> float:
        """The congestion window."""
    @property
    def ssthresh(self) -> float:
        """Slow-start threshold; infinite until the first congestion."""
    @property
    def initial_window(self) -> float:
        """The initial window of the scenario."""
    @property
    def acked(self) -> float:
        """Data newly acknowledged; 0 where no acknowledgment asks for the decision."""
    @property
    def flight_size(self) -> float:
        """Data sent and not cumulatively acknowledged."""
    @property
    def pipe(self) -> float:
        """Estimate of the data in flight."""
    @property
    def rtt(self) -> float | None:
        """Round-trip sample of the acknowledgment, if there is one."""
    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time; None before the first sample."""
    @property
    def min_rtt(self) -> float | None:
        """Smallest round-trip time seen."""
    @property
    def cause(self) -> Literal["loss", "ecn", "timeout"] | None:
        """Signal of the congestion that asks for the decision; None without congestion."""
    @property
    def abe(self) -> bool:
        """Whether the response to a mark is to be that of ABE."""
    @property
    def idle(self) -> float:
        """Time since the last segment was sent, where sending resumes."""

def engine() -> str:
    """16 hexadecimal digits of the engine's source: builds that may give different results have different ones."""

def revision() -> str | None:
    """The git revision that the build was given, as wheels are; None for a build in a checkout."""

def version() -> str: ...
def old_names(text: str, format: Literal["toml", "json"], overrides: list[tuple[str, str]]) -> list[OldName]: ...
def check(
    text: str,
    format: Literal["toml", "json"],
    overrides: list[tuple[str, str]],
    folder: str | os.PathLike[str] = ...,
    algorithms: list[Algorithm] = ...,
) -> str: ...
def suggestion(written: str, names: list[str]) -> str:
    """``; did you mean "NAME"?`` for the name that is nearest to what was written; empty if none is near."""

def read_scenario(
    text: str,
    format: Literal["toml", "json"],
    overrides: list[tuple[str, str]],
    folder: str | os.PathLike[str] = ...,
    algorithms: list[Algorithm] = ...,
) -> tuple[str, str, float]:
    """The canonical JSON of a scenario, its hash, and the bytes of memory that a run is expected to take."""

def receive_buffer(window: int, mss: int, *, timestamps: bool) -> int:
    """The receive buffer of the stack ``linux``, in bytes, that offers a window once segments of `mss` have arrived."""

def scenario_hash(
    text: str,
    format: Literal["toml", "json"],
    overrides: list[tuple[str, str]],
    folder: str | os.PathLike[str] = ...,
    algorithms: list[Algorithm] = ...,
) -> str: ...
def estimate(
    text: str,
    format: Literal["toml", "json"],
    overrides: list[tuple[str, str]],
    folder: str | os.PathLike[str] = ...,
    algorithms: list[Algorithm] = ...,
) -> tuple[float, float, float, float, list[tuple[str, float]]]: ...
def resolved(
    text: str,
    format: Literal["toml", "json"],
    overrides: list[tuple[str, str]],
    folder: str | os.PathLike[str] = ...,
    algorithms: list[Algorithm] = ...,
) -> str: ...
def schema() -> str: ...
def event_schema() -> str: ...
def contract() -> list[tuple[str, str]]: ...
def library(
    path: str, source: str
) -> list[tuple[str, str, list[tuple[str, str, float, float, float]], bool, Algorithm]]: ...
def catalogue() -> str: ...
def tables() -> str: ...
def learn_settings(settings: str) -> str: ...
def evaluate_table(
    design: str,
    settings: str,
    table: bytes,
    threads: int,
    *,
    folder: str | os.PathLike[str] = ...,
    cancel: Cancel | None = None,
) -> str: ...
def drill(text: str, folder: str, stack: str, defines: list[tuple[str, str]]) -> str: ...

if sys.platform == "linux":
    def live_drill(
        text: str, folder: str, defines: list[tuple[str, str]], tun: str, patience_s: int, alignment_ms: int
    ) -> str: ...
    def live_run(
        text: str, format: str, folder: str, seed: int, places: list[dict[str, Any]], virtual_clock: bool
    ) -> str: ...
    @final
    class Emulator:
        def __new__(
            cls,
            text: str,
            format: str,
            overrides: list[tuple[str, str]],
            folder: str,
            *,
            seed: int | None = None,
        ) -> Emulator: ...
        @property
        def rtts_ms(self) -> list[float]: ...
        @property
        def links(self) -> list[str]: ...
        def looks(self) -> list[tuple[float, list[tuple[int, int, int, int, int]]]]: ...
        def forward(
            self, pairs: list[tuple[int, int, int]], stop: int, *, every: int | None = None
        ) -> tuple[dict[str, Any], Table]: ...

def replay_queue(
    name: str,
    rate: int,
    limit: tuple[Literal["packets", "bytes"], int] | None,
    parameters: list[tuple[str, float]],
    packets: list[tuple[int, int, int, int, int]],
    seed: bytes,
    packet_size: int = 1500,
    headers: list[tuple[int, int, int]] | None = None,
    netem: str | None = None,
    idle: bool = True,
) -> list[tuple[Literal["sent", "queue", "aqm", "loss", "waits"], int | None, int | None]]: ...
def run(
    text: str,
    format: Literal["toml", "json"],
    overrides: list[tuple[str, str]],
    seed: int | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[float], object] | None = None,
    trace: Trace | None = None,
    write: Callable[[str, bytes], object] | None = None,
    folder: str | os.PathLike[str] = ...,
    algorithms: list[Algorithm] = ...,
    verify: bool = False,
    check: bool = False,
    calls: str | os.PathLike[str] | None = None,
    threads: int = 1,
) -> tuple[Meta, dict[str, Table]]: ...
