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

__all__ = [
    "App",
    "Bulk",
    "Bursts",
    "Cbr",
    "Codec",
    "Dash",
    "End",
    "Estimator",
    "Item",
    "List",
    "Live",
    "Name",
    "Onoff",
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
]
"""The names of the family *app* that need no values.

- ``bulk``: The source sends as fast as TCP allows, until the run ends.
- ``voip``: One direction of a telephone call, from the source to the sink; the E-model rates its quality.
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
class Live(Record):
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
    live: Live | None = None


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
    """

    kind: ClassVar = "cbr"

    rate: str
    packet_size: str | None = None
    on: str | None = None


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


App: TypeAlias = Name | Bulk | Transfer | Dash | Bursts | Onoff | List | Web | Rpc | Cbr | Voip | Tmix
"""Type of the fields that accept a table of the family *app*."""
