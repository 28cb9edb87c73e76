"""Tables of the family *app*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import FilePath, Record
from ackclock.scenario.abr import Abr
from ackclock.scenario.distribution import Distribution
from ackclock.scenario.media import Media

__all__ = [
    "App",
    "Bulk",
    "Bursts",
    "Call",
    "Cbr",
    "CircuitBreaker",
    "Codec",
    "ControlOfThePlaybackRate",
    "Dash",
    "DashLive",
    "EcnField",
    "End",
    "Estimator",
    "Fec",
    "Format",
    "Item",
    "KindOfStreams",
    "List",
    "Live",
    "Measurement",
    "Moq",
    "Name",
    "Onoff",
    "OrderOfGroups",
    "Parity",
    "Pause",
    "RecordedRate",
    "Rpc",
    "Tmix",
    "Transfer",
    "UseOfConnections",
    "Vectors",
    "Voip",
    "Web",
]

Estimator: TypeAlias = Literal[
    "last",
    "mean",
    "ewma",
]
"""Method by which the throughput rule estimates the throughput.

- ``last``: the rate of the last segment
- ``mean``: all bytes so far over all time spent downloading them
- ``ewma``: the lower of a fast and a slow moving average, as dash.js has them
"""

Measurement: TypeAlias = Literal[
    "chunks",
    "segments",
]
"""Measurement of a download that the rate adaptation hears of.

- ``chunks``: the bytes of each chunk over the time in which they arrive
- ``segments``: the bytes of the segment over the time from its first to its last byte
"""

ControlOfThePlaybackRate: TypeAlias = Literal[
    "latency",
    "lol-plus",
    "off",
]
"""Control of the playback rate.

- ``latency``: a sigmoid of the latency, the default mode of dash.js
- ``lol-plus``: the same, slower while the buffer is below 0.5 s, the mode LoL+ of dash.js
- ``off``: always 1
"""

KindOfStreams: TypeAlias = Literal[
    "groups",
    "one",
]
"""Streams that carry the groups.

- ``groups``: a unidirectional stream for each group; the transport needs such streams
- ``one``: one stream for all groups in their order; any transport has it
"""

OrderOfGroups: TypeAlias = Literal[
    "descending",
    "ascending",
]
"""Order in which groups leave if the network does not carry all of them (the group order of a subscription).

- ``descending``: newer groups leave first
- ``ascending``: older groups leave first
"""

UseOfConnections: TypeAlias = Literal[
    "per-object",
    "per-page",
    "per-session",
]
"""Use of a connection before it is closed.

- ``per-object``: one object, after which the server closes it (HTTP/1.0)
- ``per-page``: the objects of one page, one after the other, after which the client closes it
- ``per-session``: all pages of a session, or of a user who never leaves
"""

Codec: TypeAlias = Literal[
    "g711",
    "g711-no-plc",
    "g729",
]
"""Speech codec of the call.

- ``g711``: 64 kbit/s, losses concealed
- ``g711-no-plc``: 64 kbit/s, silence for what is lost
- ``g729``: 8 kbit/s (Annex A)
"""

Parity: TypeAlias = Literal[
    "rows",
    "columns",
    "both",
]
"""Packets that have a parity.

- ``rows``: a repair packet for each row, which repairs one loss of the row
- ``columns``: a repair packet for each column of a block, which repairs bursts as long as a row
- ``both``: both
"""

Format: TypeAlias = Literal[
    "ccfb",
    "twcc",
]
"""Format of the receiver's reports.

- ``ccfb``: RTP congestion control feedback (RFC 8888)
- ``twcc``: transport-wide feedback, as WebRTC has it
"""

EcnField: TypeAlias = Literal[
    "off",
    "ect0",
    "ect1",
]
"""ECN field of the video's packets.

- ``off``: packets are dropped and never marked
- ``ect0``: ECN-capable (RFC 3168)
- ``ect1``: ECN-capable, for L4S (RFC 9331)
"""

End: TypeAlias = Literal[
    "source",
    "sink",
]
"""End that opens the connections; with the sink as initiator the source is a server.

- ``source``: the end whose data crosses the bottleneck in the forward direction
- ``sink``: the other end
"""

Name: TypeAlias = Literal[
    "bulk",
    "voip",
    "call",
]
"""The names of the family *app* that need no values.

- ``bulk``: The source sends as fast as TCP allows, until the run ends.
- ``voip``: One direction of a telephone call, from the source to the sink; the E-model rates its quality.
- ``call``: One direction of a video call: frames of an encoder, whose rate follows a congestion control for media, go
  from the source to the sink in RTP packets.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Bulk(Record):
    """The source sends as fast as TCP allows, until the run ends."""

    kind: ClassVar = "bulk"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Transfer(Record):
    """The source sends a fixed number of bytes, once or several times, each time over a new connection.

    Parameters
    ----------
    size
        Size of a transfer. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    count
        Number of transfers. Accepted: a whole number of transfers from 1 to 1000000. Default: 1.
    gap
        Time from the end of a transfer to the start of the next. Accepted: a time such as "200ms" (units: ns, us, ms,
        s, min, h). Default: "0s".
    """

    kind: ClassVar = "transfer"

    size: str
    count: int | None = None
    gap: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class DashLive(Record):
    """Live video, whose segments become available over time.

    Parameters
    ----------
    latency
        Delay of the client behind the live event when it joins: its first segment contains the moment this long before
        its start. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    """

    latency: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Dash(Record):
    """A client of adaptive video over HTTP, which fetches one segment after the other from the source.

    Parameters
    ----------
    ladder
        Bitrates in which the video is available. Accepted: a list with at least one bitrate, each a rate above zero
        such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps), in ascending order.
    segment
        Playing time of a segment of the video. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min,
        h).
    segments
        Number of segments. Accepted: a whole number of segments from 1 to 1000000. Absent: segments until the run ends.
    abr
        Rate adaptation algorithm. Accepted: throughput, bba, bola, hybrid, mpc, robust-mpc, l2a, lol-plus, a class of
        `ackclock.scenario.abr`, the name of one in Python, or a dict of its kind and its parameters. Default:
        "throughput".
    buffer
        Capacity of the player's buffer, in playing time. Accepted: a time above zero such as "200ms" (units: ns, us,
        ms, s, min, h). Default: "12s".
    startup
        Playing time in the buffer at which playback starts. Accepted: a time above zero such as "200ms" (units: ns, us,
        ms, s, min, h). Absent: the value of segment.
    resume
        Playing time in the buffer at which playback resumes after a stall. Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h). Absent: the value of segment.
    think
        Think time of the server before it answers a request. Accepted: a time such as "200ms" (units: ns, us, ms, s,
        min, h). Default: "0s".
    think_jitter
        Maximum extra think time, drawn uniformly from zero to this value for every request. Accepted: a time such as
        "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    request_size
        Size of a request. Accepted: a volume from "1B" to "1MiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default:
        "300B".
    header_size
        Size of the header of an answer. Accepted: a volume from "0B" to "1MiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
        Default: "300B".
    size_cv
        Coefficient of variation of the segment sizes, which are log-normal; all bitrates of a segment vary by the same
        factor. Accepted: a number from 0 to 10. Default: 0.
    sizes
        Sizes of the segments: for each bitrate a list with the size of each segment, as a manifest has them. After the
        last segment they start again. Accepted: a list with at least one list of sizes, each a list with at least one
        size, each a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: bitrate times
        duration.
    safety
        Fraction of the estimated throughput that the throughput rule uses. Accepted: a number from 0.01 to 10. Default:
        1.
    estimator
        Method by which the throughput rule estimates the throughput. Accepted: last, mean, ewma. Default: "mean".
    live
        Live video, whose segments become available over time. Absent: on demand: every segment is there from the start.
    """

    kind: ClassVar = "dash"

    ladder: Sequence[str]
    segment: str
    segments: int | None = None
    abr: Abr | None = None
    buffer: str | None = None
    startup: str | None = None
    resume: str | None = None
    think: str | None = None
    think_jitter: str | None = None
    request_size: str | None = None
    header_size: str | None = None
    size_cv: float | None = None
    sizes: Sequence[Sequence[str]] | None = None
    safety: float | None = None
    estimator: Estimator | None = None
    live: DashLive | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Live(Record):
    """A client of live video at low latency, which fetches segments from the source in chunks as they are made.

    Parameters
    ----------
    ladder
        Bitrates in which the video is available. Accepted: a list with at least one bitrate, each a rate above zero
        such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps), in ascending order.
    segment
        Playing time of a segment of the video. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min,
        h).
    chunk
        Playing time of a chunk, of which a whole number is in a segment. Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h).
    latency
        Time from an event to its playback that the client keeps to, as in the example of DASH-IF's guidelines.
        Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Default: "3500ms".
    encode
        Time from the end of a chunk's recording until the server has the chunk. Accepted: a time such as "200ms"
        (units: ns, us, ms, s, min, h). Default: "0s".
    abr
        Rate adaptation algorithm. Accepted: throughput, bba, bola, hybrid, mpc, robust-mpc, l2a, lol-plus, a class of
        `ackclock.scenario.abr`, the name of one in Python, or a dict of its kind and its parameters. Default:
        "throughput".
    safety
        Fraction of the estimated throughput that the throughput rule uses (`bandwidthSafetyFactor` of dash.js).
        Accepted: a number from 0.01 to 10. Default: 0.9.
    estimator
        Method by which the throughput rule estimates the throughput. Accepted: last, mean, ewma. Default: "ewma".
    measure
        Measurement of a download that the rate adaptation hears of. Accepted: chunks, segments. Default: "chunks".
    catchup
        Control of the playback rate. Accepted: latency, lol-plus, off. Default: "latency".
    rate_min
        Lowest playback rate, as in the example of DASH-IF's guidelines. Accepted: a number from 0.1 to 1. Default:
        0.96.
    rate_max
        Highest playback rate, as in the example of DASH-IF's guidelines. Accepted: a number from 1 to 4. Default: 1.04.
    max_drift
        Latency above its target from which on the client skips media, such as the 12 s of dash.js. Accepted: a time
        above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent: media is never skipped.
    startup
        Playing time in the buffer at which playback starts. Accepted: a time above zero such as "200ms" (units: ns, us,
        ms, s, min, h). Absent: the value of chunk.
    resume
        Playing time in the buffer at which playback resumes after a stall. Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h). Absent: the value of chunk.
    think
        Think time of the server before it answers a request. Accepted: a time such as "200ms" (units: ns, us, ms, s,
        min, h). Default: "0s".
    request_size
        Size of a request. Accepted: a volume from "1B" to "1MiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default:
        "300B".
    header_size
        Size of the header of an answer. Accepted: a volume from "0B" to "1MiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
        Default: "300B".
    size_cv
        Coefficient of variation of the segment sizes, which are log-normal; all bitrates of a segment vary by the same
        factor. Accepted: a number from 0 to 10. Default: 0.
    sample
        Interval of the rows of `live_samples`. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min,
        h). Absent: no rows.
    """

    kind: ClassVar = "live"

    ladder: Sequence[str]
    segment: str
    chunk: str
    latency: str | None = None
    encode: str | None = None
    abr: Abr | None = None
    safety: float | None = None
    estimator: Estimator | None = None
    measure: Measurement | None = None
    catchup: ControlOfThePlaybackRate | None = None
    rate_min: float | None = None
    rate_max: float | None = None
    max_drift: str | None = None
    startup: str | None = None
    resume: str | None = None
    think: str | None = None
    request_size: str | None = None
    header_size: str | None = None
    size_cv: float | None = None
    sample: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Moq(Record):
    """Live video over streams (Media over QUIC).

    A source publishes groups of pictures, each in a stream of its own, and the sink plays them at low latency.

    Parameters
    ----------
    rate
        Rate of the video, without headers. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps,
        Tbps).
    group
        Playing time of a group of pictures, which begins with a key frame. Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h). Default: "1s".
    frame
        Playing time of a frame, of which a whole number is in a group. Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h). Default: "40ms".
    key_frame
        Size of a key frame over the size of another frame. Accepted: a number from 1 to 1000. Default: 5.
    latency
        Time from an event to its playback that the sink keeps to. Accepted: a time above zero such as "200ms" (units:
        ns, us, ms, s, min, h). Default: "500ms".
    encode
        Time from the end of a frame's recording until the source has the frame. Accepted: a time such as "200ms"
        (units: ns, us, ms, s, min, h). Default: "0s".
    streams
        Streams that carry the groups. Accepted: groups, one. Default: "groups".
    order
        Order in which groups leave if the network does not carry all of them (the group order of a subscription).
        Accepted: descending, ascending. Default: "descending".
    delivery_timeout
        Time after the last frame of a group from which on the source resets the group's stream, if the sink has not
        acknowledged all of it. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent:
        groups are never dropped.
    catchup
        Control of the playback rate. Accepted: latency, lol-plus, off. Default: "latency".
    rate_min
        Lowest playback rate. Accepted: a number from 0.1 to 1. Default: 0.96.
    rate_max
        Highest playback rate. Accepted: a number from 1 to 4. Default: 1.04.
    max_drift
        Latency above its target from which on the sink skips to a newer group that has begun to arrive. Accepted: a
        time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent: groups are skipped only if they are
        dropped.
    request_size
        Size of the request for the video. Accepted: a volume from "1B" to "1MiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
        Default: "100B".
    size_cv
        Coefficient of variation of the sizes of groups, which are log-normal. Accepted: a number from 0 to 10. Default:
        0.
    sample
        Interval of the rows of `moq_samples`. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min,
        h). Absent: no rows.
    """

    kind: ClassVar = "moq"

    rate: str
    group: str | None = None
    frame: str | None = None
    key_frame: float | None = None
    latency: str | None = None
    encode: str | None = None
    streams: KindOfStreams | None = None
    order: OrderOfGroups | None = None
    delivery_timeout: str | None = None
    catchup: ControlOfThePlaybackRate | None = None
    rate_min: float | None = None
    rate_max: float | None = None
    max_drift: str | None = None
    request_size: str | None = None
    size_cv: float | None = None
    sample: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Bursts(Record):
    """The source sends bursts of a fixed size at a fixed interval over one connection.

    Parameters
    ----------
    size
        Size of a burst. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    interval
        Time from the start of a burst to the start of the next, whether or not the burst is complete by then. Accepted:
        a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    count
        Number of bursts. Accepted: a whole number of bursts from 1 to 1000000. Absent: bursts until the run ends.
    """

    kind: ClassVar = "bursts"

    size: str
    interval: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Onoff(Record):
    """The source alternates between off and on periods, starting with an off period; it sends in the on periods.

    Parameters
    ----------
    on
        Duration of an on period; data that TCP has not sent by its end is withdrawn. Accepted: a class of
        `ackclock.scenario.distribution`, or a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent:
        until size is delivered.
    size
        Volume that the source sends in an on period. Accepted: a class of `ackclock.scenario.distribution`, or a volume
        above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: as much as it can in the time on.
    off
        Duration of an off period. Accepted: a class of `ackclock.scenario.distribution`, or a time above zero such as
        "200ms" (units: ns, us, ms, s, min, h).
    persistent
        Whether all on periods use one connection, whose TCP keeps its state; otherwise each on period has a new
        connection. The fields restart_after_idle and validation determine the window after an off period. Default:
        False.
    tail
        Time by which an on period of a volume outlasts the delivery of its last byte, where it lasts until the last
        acknowledgment is back, for example. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h). Default:
        "0s".
    """

    kind: ClassVar = "onoff"

    on: Distribution[str] | None = None
    size: Distribution[str] | None = None
    off: Distribution[str]
    persistent: bool | None = None
    tail: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Item(Record):
    """A volume and the time at which it is sent.

    Parameters
    ----------
    at
        Time at which the volume is available for sending, from the start of the flow. Accepted: a time such as "200ms"
        (units: ns, us, ms, s, min, h).
    size
        Size of the volume. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    """

    at: str
    size: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class List(Record):
    """The source sends the volumes of a list at the times of the list.

    Parameters
    ----------
    items
        Volumes to send, each with its time. Accepted: a list with at least one item, each of class `Item`.
    persistent
        Whether all items use one connection that stays open, over which each item is sent after the items before it.
        Default: False.
    """

    kind: ClassVar = "list"

    items: Sequence[Item]
    persistent: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Web(Record):
    """Sessions of web pages, whose objects the sink requests over parallel connections.

    Parameters
    ----------
    sessions_per_second
        Mean number of sessions that arrive per second, as a Poisson process. Accepted: a number from 0.000001 to
        1000000. Absent: there are users.
    users
        Number of users, each of whom thinks and requests a page in turn until the run ends. Accepted: a whole number of
        users from 1 to 1000000. Absent: sessions arrive.
    pages
        Number of pages of a session; users do not stop. Accepted: a class of `ackclock.scenario.distribution`, or a
        whole number from 1 to 1000000. Default: 1.
    think
        Think time of a user before each page, and of a session before each page but the first. Accepted: a class of
        `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "1s".
    objects
        Number of objects of a page, including the main object. Accepted: a class of `ackclock.scenario.distribution`,
        or a whole number from 1 to 1000000. Default: 1.
    object_size
        Size of an object. Accepted: a class of `ackclock.scenario.distribution`, or a volume above zero such as "64KiB"
        (units: B, kB, KiB, MB, MiB, GB, GiB).
    main_size
        Size of a page's main object, which is fetched before the others. Accepted: a class of
        `ackclock.scenario.distribution`, or a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
        Absent: as object_size.
    request_size
        Size of a request. Accepted: a class of `ackclock.scenario.distribution`, or a volume above zero such as "64KiB"
        (units: B, kB, KiB, MB, MiB, GB, GiB). Default: "300B".
    server_think
        Think time of the server before it answers a request. Accepted: a class of `ackclock.scenario.distribution`, or
        a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    parallel
        Maximum number of parallel connections of a page. Accepted: a whole number of connections from 1 to 1000.
        Default: 6.
    hosts
        Number of client hosts, each with a server host of its own; sessions, or users, are on them in turn. Each host
        has an access link of its own. Accepted: a whole number of hosts from 1 to 100000. Absent: one client host and
        one server host.
    connections
        Use of a connection before it is closed. Accepted: per-object, per-page, per-session. Default: "per-page".
    records
        Whether the tables web_objects and web_pages have a row for every object and page; they grow with the run.
        Default: False.
    """

    kind: ClassVar = "web"

    sessions_per_second: float | None = None
    users: int | None = None
    pages: Distribution[int] | None = None
    think: Distribution[str] | None = None
    objects: Distribution[int] | None = None
    object_size: Distribution[str]
    main_size: Distribution[str] | None = None
    request_size: Distribution[str] | None = None
    server_think: Distribution[str] | None = None
    parallel: int | None = None
    hosts: int | None = None
    connections: UseOfConnections | None = None
    records: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Rpc(Record):
    """The sink sends requests to several servers at once, waits for all answers, and starts again.

    Parameters
    ----------
    servers
        Number of servers that receive a request at once, over one connection each. Accepted: a whole number of servers
        from 1 to 100000. Default: 1.
    server_hosts
        Number of hosts on which the servers run, in turn; each host has an access link of its own. Accepted: a whole
        number of hosts from 1 to 100000. Absent: a host for each server.
    rounds
        Number of rounds. Accepted: a whole number of rounds from 1 to 10000000. Absent: rounds until the run ends.
    request_size
        Size of a request. Accepted: a class of `ackclock.scenario.distribution`, or a volume above zero such as "64KiB"
        (units: B, kB, KiB, MB, MiB, GB, GiB). Default: "300B".
    response_size
        Size of a server's answer. Accepted: a class of `ackclock.scenario.distribution`, or a volume above zero such as
        "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    server_think
        Think time of a server before it answers. Accepted: a class of `ackclock.scenario.distribution`, or a time such
        as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    think
        Think time of the client between the last answer of a round and the next round. Accepted: a class of
        `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    persistent
        Whether connections stay open from round to round. Default: True.
    """

    kind: ClassVar = "rpc"

    servers: int | None = None
    server_hosts: int | None = None
    rounds: int | None = None
    request_size: Distribution[str] | None = None
    response_size: Distribution[str]
    server_think: Distribution[str] | None = None
    think: Distribution[str] | None = None
    persistent: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class CircuitBreaker(Record):
    """Circuit breaker (RFC 8084), which ends the stream when its losses stay high.

    Parameters
    ----------
    interval
        Measurement interval: the sink reports once in each. RFC 8084 asks for many round-trip times. Accepted: a time
        above zero such as "200ms" (units: ns, us, ms, s, min, h). Default: "5s".
    loss
        Part of the packets of an interval whose loss counts as excessive congestion. Accepted: a number from 0 to 1.
        Default: 0.1.
    intervals
        Number of successive intervals with more loss, or without a report, that end the stream. Accepted: a whole
        number of intervals from 1 to 1000. Default: 3.
    """

    interval: str | None = None
    loss: float | None = None
    intervals: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Cbr(Record):
    """The source sends UDP datagrams of one size at a constant rate.

    Parameters
    ----------
    rate
        Sending rate, headers included. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps,
        Tbps).
    packet_size
        IP packet size, including 28 bytes of headers. Accepted: a volume from "28B" to "65535B" (units: B, kB, KiB, MB,
        MiB, GB, GiB). Default: "1500B".
    on
        Time for which the source sends. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
        Absent: until the run ends.
    circuit_breaker
        Circuit breaker (RFC 8084), which ends the stream when its losses stay high. Absent: none.
    """

    kind: ClassVar = "cbr"

    rate: str
    packet_size: str | None = None
    on: str | None = None
    circuit_breaker: CircuitBreaker | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Voip(Record):
    """One direction of a telephone call, from the source to the sink; the E-model rates its quality.

    Parameters
    ----------
    codec
        Speech codec of the call. Accepted: g711, g711-no-plc, g729. Default: "g711".
    playout
        Time that the first packet to arrive spends in the play-out buffer, whose delay is fixed. Accepted: a time such
        as "200ms" (units: ns, us, ms, s, min, h). Default: "60ms".
    on
        Duration of the speech. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent:
        until the run ends.
    advantage
        Advantage factor of the E-model: the impairment that users accept, up to 20 for places reached by several
        satellite hops. Accepted: a number from 0 to 20. Default: 0.
    """

    kind: ClassVar = "voip"

    codec: Codec | None = None
    playout: str | None = None
    on: str | None = None
    advantage: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Pause(Record):
    """A pause of the media.

    Parameters
    ----------
    at
        Beginning, from the start of the flow. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    until
        End, from the start of the flow. Accepted: a time such as "200ms" (units: ns, us, ms, s, min, h).
    """

    at: str
    until: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class RecordedRate(Record):
    """Frame sizes of an encoder at one rate.

    Parameters
    ----------
    rate
        Target rate of the encoder. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps).
    sizes
        Sizes of the frames in their order; after the last one they start again behind the first 20. Accepted: a list
        with at least one frame size, each a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    """

    rate: str
    sizes: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Fec(Record):
    """Forward error correction beside the requests.

    Parameters
    ----------
    parity
        Packets that have a parity. Accepted: rows, columns, both. Default: "rows".
    columns
        Packets in a row (L of RFC 8627). Accepted: a whole number of packets from 1 to 255.
    rows
        Rows of a block, where columns have a parity (D of RFC 8627). Accepted: a whole number of rows from 2 to 255.
        Absent: rows alone have a parity.
    """

    parity: Parity | None = None
    columns: int
    rows: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Call(Record):
    """One direction of a video call.

    Frames of an encoder, whose rate follows a congestion control for media, go from the source to the sink in RTP
    packets.

    Parameters
    ----------
    control
        Congestion control of the media. Accepted: nada, scream, scream2, gcc, gcc-draft, fixed, a class of
        `ackclock.scenario.media`, the name of one in Python, or a dict of its kind and its parameters. Default: "gcc".
    min_rate
        Least rate of the video, with all headers. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps,
        Mbps, Gbps, Tbps). Default: "150kbps".
    max_rate
        Largest rate of the video, with all headers. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps,
        Mbps, Gbps, Tbps). Default: "1500kbps".
    start_rate
        Rate of the video at the start, with all headers. Accepted: a rate above zero such as "1.5Mbps" (units: bps,
        kbps, Mbps, Gbps, Tbps). Absent: min_rate.
    fps
        Frames per second. Accepted: a whole number of frames per second from 1 to 240. Default: 30.
    on
        Time for which the media is sent. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
        Absent: until the run ends.
    pauses
        Times in which neither video nor audio is sent. Accepted: a list with at least one pause, each of class `Pause`.
        Absent: none.
    reaction
        Least time between two changes of the encoder's rate (tau_v of RFC 8593 section 5.1). Accepted: a time such as
        "200ms" (units: ns, us, ms, s, min, h). Default: "200ms".
    size_scale
        Scale of the Laplace distribution of frame sizes about their mean (SCALE_B of RFC 8593 section 5.3). Accepted: a
        number from 0 to 1. Default: 0.15.
    interval_scale
        Scale of the Laplace distribution of the times between frames about their mean (SCALE_t of RFC 8593 section
        5.3). Accepted: a number from 0 to 1. Default: 0.15.
    burst_frames
        Frames over which an abrupt change of the rate, or a key frame, is visible in frame sizes (K_d of RFC 8593
        section 5.2). Accepted: a whole number of frames from 2 to 1000. Default: 8.
    burst_size
        Size of the first of these frames over the mean frame size (K_B of RFC 8593 over B0: 13.5 kB over 4.17 kB).
        Accepted: a number from 1 to 100. Default: 3.24.
    abrupt
        Relative change of the rate from which on it is abrupt. Accepted: a number from 0 to 100. Default: 0.2.
    key_interval
        Time between key frames. The first frame is a key frame, and the receiver asks for more if it needs them.
        Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent: key frames on request alone.
    trace
        Recorded frame sizes of an encoder, one list for each of several rates (RFC 8593 section 6). Sizes between two
        rates are interpolated. Accepted: a list with at least one recorded rate, each of class `RecordedRate`. Absent:
        the statistical model of RFC 8593 section 5.
    payload
        Largest RTP payload. Accepted: a volume from "100B" to "65kB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default:
        "1200B".
    skip_after
        Waiting time in the pacer from which on the encoder skips frames. Accepted: a time above zero such as "200ms"
        (units: ns, us, ms, s, min, h). Default: "500ms".
    audio
        Rate of the audio's payload, whose packets hold 20 ms each and pass the congestion control by. Accepted: a rate
        above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps). Absent: no audio.
    nack
        Whether the receiver asks for lost packets (NACK). Default: True.
    nack_retries
        Requests for the same packet at most. Accepted: a whole number of requests from 1 to 1000. Default: 10.
    fec
        Forward error correction beside the requests. Absent: none.
    wait
        Time after its capture for which a frame with missing packets is waited for; then the receiver asks for a key
        frame. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Default: "1s".
    playout
        Least delay from the capture of a frame to its play-out. Accepted: a time such as "200ms" (units: ns, us, ms, s,
        min, h). Default: "0s".
    playout_max
        Largest delay that the jitter buffer adds so that frames play at even intervals. Accepted: a time such as
        "200ms" (units: ns, us, ms, s, min, h). Default: "1s".
    feedback
        Format of the receiver's reports. Accepted: ccfb, twcc. Absent: that of the control: twcc for gcc, ccfb for the
        others.
    feedback_interval
        Time between the receiver's reports. Accepted: a time from "1ms" to "10s" (units: ns, us, ms, s, min, h).
        Absent: that of the control.
    ecn
        ECN field of the video's packets. Accepted: off, ect0, ect1. Default: "off".
    breaker
        Whether a circuit breaker (RFC 8083) stops the media. Default: False.
    frames
        Whether each frame is a row of `call_frames`. Default: False.
    sample
        Interval of the rows of `call_rates`. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min,
        h). Absent: no rows.
    """

    kind: ClassVar = "call"

    control: Media | None = None
    min_rate: str | None = None
    max_rate: str | None = None
    start_rate: str | None = None
    fps: int | None = None
    on: str | None = None
    pauses: Sequence[Pause] | None = None
    reaction: str | None = None
    size_scale: float | None = None
    interval_scale: float | None = None
    burst_frames: int | None = None
    burst_size: float | None = None
    abrupt: float | None = None
    key_interval: str | None = None
    trace: Sequence[RecordedRate] | None = None
    payload: str | None = None
    skip_after: str | None = None
    audio: str | None = None
    nack: bool | None = None
    nack_retries: int | None = None
    fec: Fec | None = None
    wait: str | None = None
    playout: str | None = None
    playout_max: str | None = None
    feedback: Format | None = None
    feedback_interval: str | None = None
    ecn: EcnField | None = None
    breaker: bool | None = None
    frames: bool | None = None
    sample: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Vectors(Record):
    """File with the connection vectors.

    Parameters
    ----------
    file
        The file, in the original format or in the alternate one. Accepted: the path, from the scenario's folder, of a
        file of tmix connection vectors such as "web.cvec".
    sha256
        SHA-256 of the file in hexadecimal; a file with another is refused. Accepted: 64 hexadecimal digits. Absent:
        whatever the file has.
    """

    file: FilePath
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Tmix(Record):
    """Connections with the data units and think times of tmix connection vectors, which are read from a file.

    Parameters
    ----------
    vectors
        File with the connection vectors.
    initiator
        End that opens the connections; with the sink as initiator the source is a server. Accepted: source, sink.
        Default: "sink".
    records
        Whether the tables tmix_connections and tmix_epochs have a row for every connection and epoch; they grow with
        the run. Default: False.
    """

    kind: ClassVar = "tmix"

    vectors: Vectors
    initiator: End | None = None
    records: bool | None = None


App: TypeAlias = (
    Name | Bulk | Transfer | Dash | Live | Moq | Bursts | Onoff | List | Web | Rpc | Cbr | Voip | Call | Tmix
)
"""Type of the fields that accept a table of the family *app*."""
