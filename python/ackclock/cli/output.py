"""Output of the commands: JSON documents and tables."""

from __future__ import annotations

import json
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ackclock._errors import RenamedWarning
from ackclock.base.log import listeners
from ackclock.base.near import suggestion
from ackclock.base.shown import shortened
from ackclock.cli.grid import print_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ackclock.results.result import Replications, Result

__all__ = [
    "DONE",
    "FAILED",
    "WRONG_INPUT",
    "UsageError",
    "check_port",
    "complain",
    "did_you_mean",
    "messages",
    "print_json",
    "print_run",
    "print_summary",
    "print_table",
    "print_traceback",
    "say",
    "tell_doubt",
]

DONE, FAILED, WRONG_INPUT = 0, 1, 2
"""Exit statuses: done, something on record no longer holds, and wrong input."""

LARGEST_PORT = 65_535


class UsageError(ValueError):
    """The input of a command is wrong. The message states what the command accepts."""

    code = "ACK001"

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


def check_port(port: int) -> None:
    """Refuses a --port that is neither a TCP port nor 0, which stands for a free one."""
    if not 0 <= port <= LARGEST_PORT:
        raise UsageError(f"--port {port}: expected 0 to {LARGEST_PORT}")


def did_you_mean(written: str, names: Iterable[str]) -> str:
    """The end of a message: the name that is nearest to what was written, if one is near."""
    return suggestion(written, names)


def complain(message: str, code: str | None = None) -> None:
    """Prints a line on standard error, with a hint at what was probably meant and the code of the error."""
    from ackclock.cli.hints import hinted

    end = f" [{code}]" if code else ""
    print(f"ackclock: {shortened(hinted(message))}{end}", file=sys.stderr, flush=True)  # noqa: T201 -- this is where output is made


@contextmanager
def messages() -> Iterator[None]:
    """Prints what the library logs, and each old name in a scenario once, as lines on standard error."""
    told = set()
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, RenamedWarning):
            others(message, category, *place, **more)
        elif str(message) not in told:
            told.add(str(message))
            complain(str(message))

    listeners.append(complain)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", RenamedWarning)
            warnings.showwarning = show
            yield
    finally:
        listeners.remove(complain)


def print_traceback(error: BaseException) -> None:
    """Prints the traceback of the cause of an error, which is in code of the user, on standard error."""
    cause = error.__cause__
    # The traceback of a cause in another process is a note.
    if cause is not None and (cause.__traceback__ is not None or getattr(cause, "__notes__", None)):
        import traceback

        traceback.print_exception(cause, file=sys.stderr)


def say(line: str) -> None:
    """Prints a line on standard output."""
    sys.stdout.write(line + "\n")


def print_json(document: Any) -> None:
    """Prints a document as JSON on standard output."""
    json.dump(document, sys.stdout, allow_nan=False, indent=2)
    sys.stdout.write("\n")


def _number(digits: int, scale: float = 1.0) -> Callable[[Any], str]:
    return lambda value: "-" if value is None else f"{value * scale:,.{digits}f}"


def _text(value: Any) -> str:
    return "-" if value is None else str(value)


Spec = list[tuple[str, str, "Callable[[Any], str]"]]

FLOWS: Spec = [
    ("flow", "name", _text),
    ("stack", "stack", _text),
    ("cc", "cc", _text),
    ("validation", "validation", _text),
    ("pacing", "pacing", _text),
    ("goodput Mbit/s", "goodput_bps", _number(3, 1e-6)),
    ("segments", "segments_sent", _number(0)),
    ("retransmissions", "retransmits", _number(0)),
    ("timeouts", "timeouts", _number(0)),
    ("SRTT ms", "srtt_ms", _number(1)),
]
LINKS: Spec = [
    ("link", "name", _text),
    ("utilisation %", "utilisation", _number(1, 100)),
    ("packets", "packets", _number(0)),
    ("drops", "drops", _number(0)),
    ("drop rate %", "drop_rate", _number(3, 100)),
]
DELAYS: Spec = [(f"queue {name} ms", name, _number(1)) for name in ("mean", "p50", "p95", "p99")]
WAITS: Spec = [(f"delay {name} ms", f"delay_{name}_ms", _number(1)) for name in ("mean", "p50", "p95", "p99", "max")]
ITEMS: Spec = [
    ("flow", "flow", _text),
    ("no.", "index", _number(0)),
    ("kB", "bytes", _number(1, 1e-3)),
    ("start s", "start_s", _number(3)),
    ("duration s", "duration_s", _number(3)),
    ("goodput Mbit/s", "goodput_bps", _number(3, 1e-6)),
]
EXCHANGED: Spec = [
    ("kB of initiator", "initiator_bytes", _number(1, 1e-3)),
    ("kB of acceptor", "acceptor_bytes", _number(1, 1e-3)),
]
SPAN: Spec = [("start s", "start_s", _number(3)), ("duration s", "duration_s", _number(3))]
APPLICATIONS: dict[str, Spec] = {
    "paths": [
        ("flow", "flow", _text),
        ("path", "path", _text),
        ("goodput Mbit/s", "goodput_bps", _number(3, 1e-6)),
        ("segments", "segments_sent", _number(0)),
        ("retransmissions", "retransmits", _number(0)),
        ("timeouts", "timeouts", _number(0)),
        ("SRTT ms", "srtt_ms", _number(1)),
    ],
    "limits": [
        ("flow", "flow", _text),
        ("busy s", "busy_s", _number(3)),
        *[(f"{name} s", f"{name}_limited_s", _number(3)) for name in ("cwnd", "rwnd", "sndbuf", "pacing", "app")],
        ("idle s", "idle_s", _number(3)),
    ],
    "transfers": ITEMS,
    "bursts": ITEMS,
    "items": ITEMS,
    "rounds": ITEMS,
    "time_on": [
        ("flow", "flow", _text),
        ("periods", "periods", _number(0)),
        ("time on s", "time_on_s", _number(3)),
        ("kB", "bytes", _number(1, 1e-3)),
        ("throughput Mbit/s", "throughput_bps", _number(3, 1e-6)),
    ],
    "onoff": ITEMS,
    "cbr": [
        ("flow", "flow", _text),
        ("sent", "sent", _number(0)),
        ("received", "received", _number(0)),
        ("lost", "lost", _number(0)),
        ("loss %", "loss", _number(3, 100)),
        ("reordered", "reordered", _number(0)),
        ("received kbit/s", "received_bps", _number(1, 1e-3)),
        *WAITS,
        ("jitter ms", "jitter_ms", _number(2)),
    ],
    "breakers": [
        ("flow", "flow", _text),
        ("tripped s", "tripped_s", _number(3)),
        ("reason", "reason", _text),
        ("measured", "measurements", _number(0)),
        ("exceeded", "exceeded", _number(0)),
        ("largest loss %", "loss_max", _number(3, 100)),
    ],
    "voip": [
        ("flow", "flow", _text),
        ("sent", "sent", _number(0)),
        ("lost", "lost", _number(0)),
        ("late", "late", _number(0)),
        ("loss %", "loss", _number(3, 100)),
        ("delay mean ms", "delay_mean_ms", _number(1)),
        ("mouth to ear ms", "mouth_to_ear_ms", _number(1)),
        ("R", "r", _number(1)),
        ("MOS", "mos", _number(2)),
    ],
    "call": [
        ("flow", "flow", _text),
        ("control", "control", _text),
        ("frames", "frames", _number(0)),
        ("played", "played", _number(0)),
        ("freezes", "freezes", _number(0)),
        ("frozen s", "freeze_s", _number(2)),
        ("frame p95 ms", "frame_delay_p95_ms", _number(1)),
        ("delay mean ms", "delay_mean_ms", _number(1)),
        ("delay p95 ms", "delay_p95_ms", _number(1)),
        ("loss %", "loss", _number(3, 100)),
        ("received kbit/s", "received_bps", _number(1, 1e-3)),
        ("feedback kbit/s", "feedback_bps", _number(1, 1e-3)),
    ],
    "call_frames": [
        ("flow", "flow", _text),
        ("index", "index", _number(0)),
        ("bytes", "bytes", _number(0)),
        ("packets", "packets", _number(0)),
        ("captured s", "captured_s", _number(3)),
        ("played s", "played_s", _number(3)),
        ("delay ms", "delay_ms", _number(1)),
    ],
    "call_rates": [
        ("flow", "flow", _text),
        ("time s", "at_s", _number(3)),
        ("target kbit/s", "target_bps", _number(1, 1e-3)),
        ("sent kbit/s", "sent_bps", _number(1, 1e-3)),
        ("received kbit/s", "received_bps", _number(1, 1e-3)),
        ("delay ms", "delay_ms", _number(1)),
        ("lost", "lost", _number(0)),
        ("freezes", "freezes", _number(0)),
    ],
    "dash": [
        ("client", "flow", _text),
        ("segments", "segments", _number(0)),
        ("level kbit/s", "mean_level_bps", _number(1, 1e-3)),
        ("download kbit/s", "mean_download_bps", _number(1, 1e-3)),
        ("switches", "switches", _number(0)),
        ("stalls", "stalls", _number(0)),
        ("stalled s", "stall_s", _number(2)),
    ],
    "live": [
        ("client", "flow", _text),
        ("segments", "segments", _number(0)),
        ("level kbit/s", "mean_level_bps", _number(1, 1e-3)),
        ("switches", "switches", _number(0)),
        ("stalls", "stalls", _number(0)),
        ("stalled s", "stall_s", _number(2)),
        ("latency mean s", "latency_mean_s", _number(2)),
        ("latency p95 s", "latency_p95_s", _number(2)),
        ("rate", "rate_mean", _number(4)),
        ("skips", "skips", _number(0)),
    ],
    "live_samples": [
        ("client", "flow", _text),
        ("time s", "at_s", _number(3)),
        ("latency s", "latency_s", _number(2)),
        ("buffer s", "buffer_s", _number(2)),
        ("rate", "rate", _number(4)),
        ("level kbit/s", "level_bps", _number(1, 1e-3)),
        ("stalls", "stalls", _number(0)),
    ],
    "moq": [
        ("sink", "flow", _text),
        ("groups", "groups", _number(0)),
        ("dropped", "groups_dropped", _number(0)),
        ("frames shown", "frames_shown", _number(0)),
        ("frames skipped", "frames_skipped", _number(0)),
        ("stalls", "stalls", _number(0)),
        ("stalled s", "stall_s", _number(2)),
        ("latency mean s", "latency_mean_s", _number(3)),
        ("latency p95 s", "latency_p95_s", _number(3)),
        ("rate", "rate_mean", _number(4)),
        ("skips", "skips", _number(0)),
    ],
    "moq_samples": [
        ("sink", "flow", _text),
        ("time s", "at_s", _number(3)),
        ("latency s", "latency_s", _number(3)),
        ("buffer s", "buffer_s", _number(3)),
        ("rate", "rate", _number(4)),
        ("stalls", "stalls", _number(0)),
        ("skipped s", "skipped_s", _number(2)),
    ],
    "web": [
        ("flow", "flow", _text),
        ("sessions", "sessions", _number(0)),
        ("sessions done", "sessions_done", _number(0)),
        ("pages", "pages", _number(0)),
        ("objects", "objects", _number(0)),
        ("objects failed", "objects_failed", _number(0)),
        ("connections", "connections", _number(0)),
        ("most at once", "connections_max", _number(0)),
    ],
    "web_pages": [
        ("flow", "flow", _text),
        ("session", "session", _number(0)),
        ("no.", "index", _number(0)),
        ("objects", "objects", _number(0)),
        ("kB", "bytes", _number(1, 1e-3)),
        *SPAN,
    ],
    "web_objects": [
        ("flow", "flow", _text),
        ("session", "session", _number(0)),
        ("page", "page", _number(0)),
        ("no.", "index", _number(0)),
        ("kB", "bytes", _number(1, 1e-3)),
        *SPAN,
    ],
    "tmix": [
        ("flow", "flow", _text),
        ("connections", "connections", _number(0)),
        ("done", "connections_done", _number(0)),
        ("failed", "connections_failed", _number(0)),
        ("most at once", "connections_max", _number(0)),
    ],
    "tmix_connections": [
        ("flow", "flow", _text),
        ("connection", "connection", _number(0)),
        ("exchanges", "epochs", _number(0)),
        *EXCHANGED,
        *SPAN,
    ],
    "tmix_epochs": [
        ("flow", "flow", _text),
        ("connection", "connection", _number(0)),
        ("no.", "index", _number(0)),
        *EXCHANGED,
        ("idle s", "idle_s", _number(3)),
        *SPAN,
    ],
    "completions": [
        ("flow", "flow", _text),
        ("what", "what", _text),
        ("complete", "count", _number(0)),
        ("incomplete", "open", _number(0)),
        *[(f"{name} s", f"{name}_s", _number(3)) for name in ("mean", "p50", "p95", "p99", "max")],
        ("slowdown p50", "slowdown_p50", _number(2)),
        ("slowdown p99", "slowdown_p99", _number(2)),
    ],
    "delays": [
        ("flow", "flow", _text),
        ("packets", "packets", _number(0)),
        *[(f"delay {name} ms", f"{name}_ms", _number(1)) for name in ("mean", "p50", "p95", "p99", "max")],
    ],
}
"""The tables of senders, applications and one-way delays, in the order in which they are printed, with their columns.

The segments of a video are left out: each run of `dash` has them, besides its summary.
"""

QUALITY: Spec = [
    ("client", "flow", _text),
    ("score Mbit/s", "score", _number(3)),
    ("bitrate Mbit/s", "bitrate", _number(3)),
    ("- 4.3 x stalled s", "rebuffering", _number(3)),
    ("- changes Mbit/s", "switching", _number(3)),
]
"""The linear score of videos, see `ackclock.results.quality`, and its parts."""

SHOWN = 20
"""Number of rows of a table that are printed. All rows are in --json and --out."""


def _print_spec(title: str, spec: Spec, rows: Sequence[dict[str, Any]]) -> None:
    if not rows:
        return
    spec = [column for column in spec if column[1] in rows[0]]
    shown = [[render(row[key]) for _, key, render in spec] for row in rows[:SHOWN]]
    print_table(title, [header for header, _, _ in spec], shown)
    if len(rows) > SHOWN:
        say(f"{len(rows) - SHOWN} more rows of {title} are in --json and --out")


def _paced(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows without their pacing if nothing is paced, to leave the column out."""
    if any(row.get("pacing") not in (None, "off") for row in rows):
        return rows
    return [{key: value for key, value in row.items() if key != "pacing"} for row in rows]


def print_run(result: Result) -> None:
    """Prints the tables of a run."""
    document = result.document()
    say(
        f"{document['name']}: {document['duration_s']:g} s, seed {document['seed']}, "
        f"scenario {document['scenario_hash']}, ackclock {document['version']}"
    )
    _print_spec("flows", FLOWS, _paced(document["flows"]))
    _print_spec("links", LINKS + DELAYS, [row | row["queue_delay_ms"] for row in document["links"]])
    for name, spec in APPLICATIONS.items():
        _print_spec(name, spec, document.get(name, []))
        if name == "dash":
            _print_spec("quality, for each segment", QUALITY, _scores(result))


def _scores(result: Result) -> list[dict[str, Any]]:
    """The linear scores of the clients whose segments have arrived, and their parts, for each segment."""
    if "dash" not in result.tables:
        return []
    from ackclock.results.quality import quality

    found = []
    for row in result.tables["dash"].rows():
        if row["segments"]:
            [one] = quality(result, row["flow"])
            parts = {name: getattr(one, name) / one.segments for name in ("bitrate", "rebuffering", "switching")}
            found.append({"flow": one.flow, "score": one.per_segment, **parts})
    return found


def print_summary(runs: Replications) -> None:
    """Prints the means of replications with their intervals."""
    meta = runs[0].meta
    say(
        f"{meta['name']}: {meta['duration_s']:g} s, {len(runs)} seeds from {runs.seeds[0]}, "
        f"scenario {meta['scenario_hash']}, ackclock {meta['version']}; means with 95 % intervals"
    )
    summary = runs.summary()
    queueing: Spec = [(head, f"queue_delay_{name}_ms", render) for head, name, render in DELAYS]
    for title, spec in {"flows": FLOWS, "links": [*LINKS, *queueing], **APPLICATIONS}.items():
        rows = summary.get(title, [])
        columns = [column for column in spec[1:] if any(column[1] in row for row in rows)]
        cells = [
            [row["name"]] + [_interval(row.get(key), render) for _, key, render in columns] for row in rows[:SHOWN]
        ]
        if cells:
            print_table(title, [spec[0][0]] + [header for header, _, _ in columns], cells)

    estimates = [one for rows in summary.values() for row in rows for one in row.values() if isinstance(one, dict)]
    if estimates and all(has_no_width(one) for one in estimates if one["ci"] is not None):
        complain(f"all {len(runs)} runs gave the same: {NOT_DRAWN}")
    tell_doubt([one for rows in runs.estimates().values() for row in rows for one in row.values()])


def tell_doubt(found: Iterable[object], name: str = "") -> None:
    """Says how many of the estimates among some objects are doubtful, if any are."""
    from ackclock.stats import Estimate
    from ackclock.stats.estimate import doubt

    estimates = [one for one in found if isinstance(one, Estimate) and one.has_interval and one.low < one.high]
    count = sum(one.is_doubtful for one in estimates)
    if count:
        complain(f"{f'{name}: ' if name else ''}{doubt(count, len(estimates))}")


NOT_DRAWN = (
    "nothing that the seed decides, such as start_jitter or loss, has an effect, "
    "and an interval of no width means nothing"
)
"""The explanation of a result that is the same under all seeds."""


def has_no_width(estimate: dict[str, Any]) -> bool:
    """Whether the interval of an estimate has no width, because all runs gave the same value."""
    ci = estimate["ci"]
    return ci is not None and ci[0] == ci[1]


def _interval(estimate: dict[str, Any] | None, render: Callable[[Any], str]) -> str:
    if estimate is None:
        return "-"
    if estimate["ci"] is None:
        return render(estimate["mean"])
    low, high = estimate["ci"]
    return f"{render(estimate['mean'])} [{render(low)}, {render(high)}]"
