"""Tables of the family *app*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import FilePath, Record
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
    "RateAdaptation",
    "Rpc",
    "Tmix",
    "Transfer",
    "UseOfConnections",
    "Vectors",
    "Voip",
    "Web",
]

RateAdaptation: TypeAlias = Literal[
    "throughput",
    "bba",
    "bola",
    "hybrid",
]
"""Rule of rate adaptation.

- ``throughput``: the highest level within the estimated throughput, the lowest while the buffer is low
- ``bba``: BBA-0: a map from buffer level to rate with a reservoir and a cushion, and hysteresis
- ``bola``: BOLA as in dash.js: utility and buffer weighed by Lyapunov optimisation, with a placeholder buffer
- ``hybrid``: DYNAMIC of dash.js: 0.9 of a moving average of throughput at low buffer, BOLA at high
"""

Estimator: TypeAlias = Literal[
    "last",
    "mean",
    "ewma",
]
"""How the throughput rule estimates.

- ``last``: the rate of the last segment
- ``mean``: all bytes so far over all time spent downloading them
- ``ewma``: the lower of a fast and a slow moving average, as dash.js has them
"""

UseOfConnections: TypeAlias = Literal[
    "per-object",
    "per-page",
    "per-session",
]
"""What a connection is used for before it is closed.

- ``per-object``: one object, after which the server closes it (HTTP/1.0)
- ``per-page``: the objects of one page, one after the other, after which the client closes it
- ``per-session``: all pages of a session, or of a user who never leaves
"""

Codec: TypeAlias = Literal[
    "g711",
    "g711-no-plc",
    "g729",
]
"""Codec.

- ``g711``: 64 kbit/s, losses concealed
- ``g711-no-plc``: 64 kbit/s, silence for what is lost
- ``g729``: 8 kbit/s (Annex A)
"""

End: TypeAlias = Literal[
    "source",
    "sink",
]
"""The end that opens the connections; the sink makes the source a server.

- ``source``: the end whose data crosses the bottleneck in the forward direction
- ``sink``: the other end
"""

Name: TypeAlias = Literal[
    "bulk",
    "voip",
]
"""The names of the family *app* that need no values.

- ``bulk``: The source sends as fast as TCP allows, until the run ends.
- ``voip``: One direction of a telephone call, from the source, which the E-model rates.
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Bulk(Record):
    """The source sends as fast as TCP allows, until the run ends."""

    kind: ClassVar = "bulk"


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Transfer(Record):
    """The source sends so many bytes, once or several times, over a new connection each.

    Parameters
    ----------
    size
        Size of a transfer. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    count
        How many there are. Accepted: a whole number of transfers from 1 to 1000000. Default: 1.
    gap
        How long after the end of a transfer the next one starts. Accepted: a time such as "200ms" (units: ns, us, ms,
        s, min, h). Default: "0s".
    """

    kind: ClassVar = "transfer"

    size: str
    count: int | None = None
    gap: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Live(Record):
    """Live video, whose segments become available as time goes on.

    Parameters
    ----------
    latency
        How far behind the present the client joins: its first segment holds the moment so long before its start.
        Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    """

    latency: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Dash(Record):
    """A client of adaptive video over HTTP fetches one segment after the other from the source.

    Parameters
    ----------
    ladder
        Bitrates that the video exists in. Accepted: a list with at least one bitrate, each a rate above zero such as
        "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps), in ascending order.
    segment
        Duration of a segment of video. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h).
    segments
        How many segments there are. Accepted: a whole number of segments from 1 to 1000000. Absent: segments until the
        run ends.
    abr
        Rule of rate adaptation. Accepted: throughput, bba, bola, hybrid. Default: "throughput".
    buffer
        Size of the player's buffer in playing time. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s,
        min, h). Default: "12s".
    startup
        Playing time in the buffer with which playback starts. Accepted: a time above zero such as "200ms" (units: ns,
        us, ms, s, min, h). Absent: the value of segment.
    resume
        Playing time in the buffer with which playback resumes after a stall. Accepted: a time above zero such as
        "200ms" (units: ns, us, ms, s, min, h). Absent: the value of segment.
    think
        How long the server thinks before it answers a request. Accepted: a time such as "200ms" (units: ns, us, ms, s,
        min, h). Default: "0s".
    think_jitter
        The server thinks longer by a time drawn uniformly from zero to this, for every request. Accepted: a time such
        as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    request_size
        Size of a request. Accepted: a volume from "1B" to "1MiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Default:
        "300B".
    header_size
        Size of the header of an answer. Accepted: a volume from "0B" to "1MiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
        Default: "300B".
    size_cv
        Coefficient of variation of the segments' sizes, log-normal; all levels of a segment vary alike. Accepted: a
        number from 0 to 10. Default: 0.
    safety
        Part of the estimated throughput that the throughput rule uses. Accepted: a number from 0.01 to 10. Default: 1.
    estimator
        How the throughput rule estimates. Accepted: last, mean, ewma. Default: "mean".
    live
        Live video, whose segments become available as time goes on. Absent: on demand: every segment is there from the
        start.
    """

    kind: ClassVar = "dash"

    ladder: Sequence[str]
    segment: str
    segments: int | None = None
    abr: RateAdaptation | None = None
    buffer: str | None = None
    startup: str | None = None
    resume: str | None = None
    think: str | None = None
    think_jitter: str | None = None
    request_size: str | None = None
    header_size: str | None = None
    size_cv: float | None = None
    safety: float | None = None
    estimator: Estimator | None = None
    live: Live | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Bursts(Record):
    """The source sends bursts of a size at an interval, all over one connection.

    Parameters
    ----------
    size
        Size of a burst. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    interval
        From the start of a burst to that of the next, whether or not it is complete by then. Accepted: a time above
        zero such as "200ms" (units: ns, us, ms, s, min, h).
    count
        How many there are. Accepted: a whole number of bursts from 1 to 1000000. Absent: bursts until the run ends.
    """

    kind: ClassVar = "bursts"

    size: str
    interval: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Onoff(Record):
    """The source is on and off in turn, off first: on, it sends over a new connection each time, or all over one.

    Parameters
    ----------
    on
        How long the source is on; what TCP has not sent by then is not sent. Accepted: a class of
        `ackclock.scenario.distribution`, or a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent:
        until size is delivered.
    size
        How much the source sends in an on period. Accepted: a class of `ackclock.scenario.distribution`, or a volume
        above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB). Absent: as much as it can in the time on.
    off
        How long the source is off. Accepted: a class of `ackclock.scenario.distribution`, or a time above zero such as
        "200ms" (units: ns, us, ms, s, min, h).
    persistent
        Whether all on periods go over one connection, which keeps what TCP has learnt; else each has a new one. What
        becomes of its window over an off period, restart_after_idle and validation say. Default: False.
    """

    kind: ClassVar = "onoff"

    on: Distribution[str] | None = None
    size: Distribution[str] | None = None
    off: Distribution[str]
    persistent: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Item(Record):
    """A volume at a time.

    Parameters
    ----------
    at
        When it is there to be sent, from the start of the flow. Accepted: a time such as "200ms" (units: ns, us, ms, s,
        min, h).
    size
        How much it is. Accepted: a volume above zero such as "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    """

    at: str
    size: str


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class List(Record):
    """The source sends the volumes of a list at the times of it.

    Parameters
    ----------
    items
        What is sent when. Accepted: a list with at least one item, each of class `Item`.
    persistent
        Whether all go over one connection that stays open, where they wait for one another. Default: False.
    """

    kind: ClassVar = "list"

    items: Sequence[Item]
    persistent: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Web(Record):
    """Sessions of web pages, whose objects the sink asks for over parallel connections.

    Parameters
    ----------
    sessions_per_second
        Sessions that arrive per second, as a Poisson process. Accepted: a number from 0.000001 to 1000000. Absent:
        there are users.
    users
        Users, each of which thinks and asks for a page in turn until the run ends. Accepted: a whole number of users
        from 1 to 1000000. Absent: sessions arrive.
    pages
        Pages of a session; users do not stop. Accepted: a class of `ackclock.scenario.distribution`, or a whole number
        from 1 to 1000000. Default: 1.
    think
        How long a user thinks before each page, and a session's after its first. Accepted: a class of
        `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "1s".
    objects
        Objects of a page, the main one included. Accepted: a class of `ackclock.scenario.distribution`, or a whole
        number from 1 to 1000000. Default: 1.
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
        How long the server thinks before it answers a request. Accepted: a class of `ackclock.scenario.distribution`,
        or a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    parallel
        The most connections of a page at once. Accepted: a whole number of connections from 1 to 1000. Default: 6.
    connections
        What a connection is used for before it is closed. Accepted: per-object, per-page, per-session. Default:
        "per-page".
    records
        Whether every object and page is a row of the tables web_objects and web_pages, which grow with the run.
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
    connections: UseOfConnections | None = None
    records: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Rpc(Record):
    """The sink asks several servers at once, waits for all answers, and asks again.

    Parameters
    ----------
    servers
        How many servers are asked at once, over a connection each. Accepted: a whole number of servers from 1 to
        100000. Default: 1.
    rounds
        How many rounds there are. Accepted: a whole number of rounds from 1 to 10000000. Absent: rounds until the run
        ends.
    request_size
        Size of a request. Accepted: a class of `ackclock.scenario.distribution`, or a volume above zero such as "64KiB"
        (units: B, kB, KiB, MB, MiB, GB, GiB). Default: "300B".
    response_size
        Size of a server's answer. Accepted: a class of `ackclock.scenario.distribution`, or a volume above zero such as
        "64KiB" (units: B, kB, KiB, MB, MiB, GB, GiB).
    server_think
        How long a server thinks before it answers. Accepted: a class of `ackclock.scenario.distribution`, or a time
        such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    think
        How long the client waits between the last answer of a round and the next round. Accepted: a class of
        `ackclock.scenario.distribution`, or a time such as "200ms" (units: ns, us, ms, s, min, h). Default: "0s".
    persistent
        Whether connections stay open from round to round. Default: True.
    """

    kind: ClassVar = "rpc"

    servers: int | None = None
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
        Rate, headers included. Accepted: a rate above zero such as "1.5Mbps" (units: bps, kbps, Mbps, Gbps, Tbps).
    packet_size
        IP packet size, with 28 bytes of headers. Accepted: a volume from "28B" to "65535B" (units: B, kB, KiB, MB, MiB,
        GB, GiB). Default: "1500B".
    on
        How long the source sends. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent:
        until the run ends.
    """

    kind: ClassVar = "cbr"

    rate: str
    packet_size: str | None = None
    on: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Voip(Record):
    """One direction of a telephone call, from the source, which the E-model rates.

    Parameters
    ----------
    codec
        Codec. Accepted: g711, g711-no-plc, g729. Default: "g711".
    playout
        How long the first packet to arrive waits in the play-out buffer, which is fixed. Accepted: a time such as
        "200ms" (units: ns, us, ms, s, min, h). Default: "60ms".
    on
        How long there is speech. Accepted: a time above zero such as "200ms" (units: ns, us, ms, s, min, h). Absent:
        until the run ends.
    advantage
        The E-model's advantage factor, what people forgive: 20 for places reached by several satellite hops. Accepted:
        a number from 0 to 20. Default: 0.
    """

    kind: ClassVar = "voip"

    codec: Codec | None = None
    playout: str | None = None
    on: str | None = None
    advantage: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Vectors(Record):
    """The vectors.

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
    """Connections with the data units and think times of tmix connection vectors, which lie in a file.

    Parameters
    ----------
    vectors
        The vectors.
    initiator
        The end that opens the connections; the sink makes the source a server. Accepted: source, sink. Default: "sink".
    records
        Whether every connection and epoch is a row of the tables tmix_connections and tmix_epochs, which grow with the
        run. Default: False.
    """

    kind: ClassVar = "tmix"

    vectors: Vectors
    initiator: End | None = None
    records: bool | None = None


App: TypeAlias = Name | Bulk | Transfer | Dash | Bursts | Onoff | List | Web | Rpc | Cbr | Voip | Tmix
"""What a field accepts that takes a table of the family *app*."""
