"""Measurements of real connections as a reference for a run: iperf3's JSON, logs of ``ss -ti``, files of flent.

A reference is read with `read`, drawn over a figure of a run with `draw`, and compared with the run by `differences`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.plot import flent
from ackclock.plot.measured import MOST, MeasurementError, Reference, Series, Stream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = [
    "QUANTITIES",
    "Difference",
    "MeasurementError",
    "Reference",
    "Series",
    "Stream",
    "differences",
    "read",
]

LEAST_SHARE = 0.01
"""Connections with less than this share of the bytes of the largest are left out: those that control a test."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that runs and measurements have."""

    name: str
    """Name in words."""
    unit: str
    """Unit in which the quantity is shown."""
    factor: float
    """Factor from the unit of the series to `unit`."""
    column: str | None
    """The column of the table ``window``; None for a rate or a count over intervals."""


QUANTITIES = {
    "goodput_bps": Quantity("goodput", "Mbit/s", 1e-6, None),
    "retransmits": Quantity("retransmissions", "", 1.0, None),
    "cwnd": Quantity("cwnd", "kB", 1e-3, "cwnd"),
    "ssthresh": Quantity("ssthresh", "kB", 1e-3, "ssthresh"),
    "srtt_ms": Quantity("SRTT", "ms", 1.0, "srtt_ms"),
}
"""The quantities that are compared."""

FIGURES = {"cwnd": ("cwnd", "ssthresh"), "rtt": ("srtt_ms",), "throughput": ("goodput_bps",)}
"""The figures over which a reference can be drawn, with the quantities that each shows."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A quantity of a flow beside that of a measured connection, over the time that both have."""

    flow: str
    """Name of the flow."""
    stream: str
    """Name of the measured connection."""
    quantity: str
    """Name of the quantity, a key of `QUANTITIES`."""
    samples: int
    """Number of samples that are compared."""
    ours: float
    """Mean over the samples; of a count its sum."""
    measured: float
    """The same of the measured connection."""
    rms: float | None
    """Root of the mean square of the differences of the samples; None for a count."""


def read(path: Path | str) -> Reference:
    """Reads a measurement, whose form is found out.

    - iperf3's JSON (``iperf3 -J`` or ``--json-stream``): goodput, retransmissions, cwnd and RTT of each interval. At a
      sender, the goodput of an interval is what went into the socket; at a receiver, it is what arrived.
    - A log of ``ss -ti``, called again and again with the time in front of each call, as by
      ``while sleep 0.1; do date +%s.%N; ss -tin dst 192.0.2.1; done > ss.log``: cwnd, ssthresh, SRTT, acknowledged
      bytes and retransmissions of each connection. A time is a number of seconds, or a date with a time (ISO 8601); it
      stands in a line of its own or in front of each line, as ``ts "%.s"`` writes it.
    - A data file of flent (``.flent.gz``): the goodput of each upload and download, the SRTT of its socket if flent
      recorded it, and the round-trip times of the pings.

    A file that is compressed with gzip is decompressed.

    Raises
    ------
    MeasurementError
        If the file is none of them, with the line or the place of the mistake.
    OSError
        If the file cannot be read.
    """
    text = flent.document_of(path).decode("utf-8", errors="replace")
    if text.lstrip()[:1] in ("{", "["):
        document = _flent(text)
        if document is not None:
            return Reference(str(path), "flent", flent.streams_of(document, str(path)))
        return Reference(str(path), "iperf3", _iperf3(text, str(path)))
    return Reference(str(path), "ss", _ss(text, str(path)))


def _flent(text: str) -> dict[str, Any] | None:
    """The document, if it is one of flent."""
    if '"x_values"' not in text:
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return document if flent.is_flent(document) else None


# iperf3


def _iperf3(text: str, path: str) -> list[Stream]:
    intervals, error = _intervals(text, path)
    if error is not None:
        raise MeasurementError(f"{path}: the test of iperf3 failed: {error[:300]}; accepted: a test that ended")
    rows: dict[str, list[dict[str, Any]]] = {}
    omitted = 0.0
    for index, interval in enumerate(intervals):
        place = f"{path}: intervals[{index}]"
        streams = interval.get("streams") if isinstance(interval, dict) else None
        if not isinstance(streams, list):
            raise MeasurementError(f"{place} has no streams; accepted: the JSON of iperf3 -J")
        for at, row in enumerate(streams):
            if not isinstance(row, dict) or not all(_is_number(row.get(key)) for key in ("start", "end", "bytes")):
                raise MeasurementError(f"{place}.streams[{at}] has no start, end and bytes; accepted: numbers for each")
            if row.get("omitted"):
                omitted = max(omitted, float(row["end"]))
            # The clock of a test starts anew after the intervals that --omit leaves out.
            shift = 0.0 if row.get("omitted") else omitted
            rows.setdefault(str(row.get("socket", at)), []).append(
                row | {"start": row["start"] + shift, "end": row["end"] + shift}
            )
    found = [Stream(f"stream {name}", _of_intervals(own)) for name, own in rows.items() if own]
    # Of a test in both directions the streams that send here are those with a window.
    senders = [one for one in found if "cwnd" in one.series]
    found = senders or found
    if not found:
        raise MeasurementError(f"{path}: has no intervals; accepted: a test with intervals (iperf3 -i 1)")
    return found


def _intervals(text: str, path: str) -> tuple[list[Any], str | None]:
    """The intervals of a test, and its error: of one document, or of a document for each event."""
    try:
        document = json.loads(text)
    except ValueError as error:
        if '"event"' not in text.split("\n", 1)[0]:
            raise _no_json(error, path, 0) from None
    except RecursionError:
        raise MeasurementError(f"{path}: is nested too deeply; accepted: the JSON of iperf3 -J") from None
    else:
        if not isinstance(document, dict) or not isinstance(document.get("intervals", []), list):
            raise MeasurementError(f"{path}: is no object with intervals; accepted: the JSON of iperf3 -J")
        if "event" not in document:
            told = document.get("error")
            return document.get("intervals", []), None if told is None else str(told)
    intervals, failed = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except ValueError as error:
            raise _no_json(error, path, number) from None
        except RecursionError:
            raise MeasurementError(f"{path}: line {number}: is nested too deeply") from None
        if not isinstance(event, dict):
            raise MeasurementError(f"{path}: line {number}: is no object; accepted: what iperf3 --json-stream writes")
        if event.get("event") == "interval":
            intervals.append(event.get("data"))
        elif event.get("event") == "error":
            failed = str(event.get("data"))
    return intervals, failed


def _no_json(error: ValueError, path: str, number: int) -> MeasurementError:
    """A message with the place of a mistake; `number` is the line of the text, or zero for a text of several lines."""
    if not isinstance(error, json.JSONDecodeError):
        return MeasurementError(f"{path}: {error}")
    return MeasurementError(f"{path}: line {number or error.lineno}, column {error.colno}: no JSON: {error.msg}")


def _is_number(value: object) -> bool:
    """Whether a value is a number of a size that a measurement may have."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -MOST <= value <= MOST


def _of_intervals(rows: list[dict[str, Any]]) -> dict[str, Series]:
    rows = [row for row in rows if row["end"] > row["start"]]
    start, end = (np.array([float(row[key]) for row in rows]) for key in ("start", "end"))
    volume = np.array([float(row["bytes"]) for row in rows])
    series = {"goodput_bps": Series(start, end, 8 * volume / (end - start))}
    if all(_is_number(row.get("retransmits")) for row in rows):
        series["retransmits"] = Series(start, end, np.array([float(row["retransmits"]) for row in rows]))
    # A sample is that of the end of the interval. Systems that do not tell say -1 or 0.
    for quantity, key, factor in (("cwnd", "snd_cwnd", 1.0), ("srtt_ms", "rtt", 1e-3)):
        told = [row for row in rows if _is_number(row.get(key)) and row[key] > 0]
        if told:
            at = np.array([float(row["end"]) for row in told])
            series[quantity] = Series(at, at, factor * np.array([float(row[key]) for row in told]))
    return series


# ss

STAMP = r"(?P<seconds>\d+(?:\.\d+)?)|(?P<date>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)"
ALONE = re.compile(rf"\s*[#\[]?\s*(?:{STAMP})\]?\s*$")
IN_FRONT = re.compile(rf"\s*\[?(?:{STAMP})\]?\s+(?=\S)")
ENDS = re.compile(r"(?:tcp\s+)?[A-Z][A-Z0-9-]+\s+\d+\s+\d+\s+(?P<local>\S+:\S+)\s+(?P<peer>\S+:\S+)")
PAIRS = re.compile(r"(?<![\w.])(cwnd|ssthresh|rtt|mss|bytes_acked|retrans):(\S+)")


@dataclass(slots=True)
class _Connection:
    """The samples of a connection: the time, and the numbers that `ss` gave then."""

    samples: list[tuple[float, dict[str, float]]] = field(default_factory=list)

    def acked(self) -> float:
        return max((numbers.get("bytes_acked", 0.0) for _, numbers in self.samples), default=0.0)


def _ss(text: str, path: str) -> list[Stream]:
    found: dict[tuple[str, str], _Connection] = {}
    now: float | None = None
    ends: tuple[str, str] | None = None
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole
        stamp = ALONE.match(line) or IN_FRONT.match(line)
        if stamp is not None:
            now, line = _time_of(stamp, path, number), line[stamp.end() :]
        heading = ENDS.search(line)
        if heading is not None:
            ends = (heading["local"], heading["peer"])
        pairs = dict(PAIRS.findall(line))
        if "cwnd" not in pairs:
            continue
        if ends is None:
            raise MeasurementError(f"{path}: line {number}: a connection without its addresses above; accepted: ss -ti")
        if now is None:
            raise MeasurementError(
                f"{path}: line {number}: a connection without a time above it; accepted: a time for each call, as "
                "date +%s.%N writes it"
            )
        found.setdefault(ends, _Connection()).samples.append((now, _numbers(pairs, path, number)))
        ends = None
    if not found:
        raise MeasurementError(
            f"{path}: has no connection; accepted: iperf3's JSON (iperf3 -J), or a log of ss -ti with times"
        )
    most = max(one.acked() for one in found.values())
    origin = min(one.samples[0][0] for one in found.values())
    chosen = {ends: one for ends, one in found.items() if one.acked() >= LEAST_SHARE * most}
    return [Stream(f"{local} to {peer}", _of_samples(one, origin)) for (local, peer), one in chosen.items()]


def _time_of(stamp: re.Match[str], path: str, number: int) -> float:
    if stamp["seconds"] is not None:
        return float(stamp["seconds"])
    try:
        at = datetime.fromisoformat(stamp["date"].replace(",", "."))
    except ValueError:
        raise MeasurementError(
            f"{path}: line {number}, column {stamp.start('date') + 1}: {stamp['date']} is no time"
        ) from None
    # Times without a zone are all of one zone; only their differences count.
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _numbers(pairs: dict[str, str], path: str, number: int) -> dict[str, float]:
    numbers = {}
    for key, value in pairs.items():
        # rtt:mean/variation, retrans:in flight/total
        text = value.split("/")[-1 if key == "retrans" else 0]
        try:
            numbers[key] = float(text)
        except ValueError:
            raise MeasurementError(
                f"{path}: line {number}: {key}:{value[:60]} is no number; accepted: what ss -ti writes"
            ) from None
    return numbers


def _of_samples(connection: _Connection, origin: float) -> dict[str, Series]:
    at = np.array([time - origin for time, _ in connection.samples])
    column = {
        key: np.array([numbers.get(key, np.nan) for _, numbers in connection.samples])
        for key in ("cwnd", "ssthresh", "rtt", "mss", "bytes_acked", "retrans")
    }
    series = {}
    for quantity, values in (
        ("cwnd", column["cwnd"] * column["mss"]),
        ("ssthresh", column["ssthresh"] * column["mss"]),
        ("srtt_ms", column["rtt"]),
    ):
        told = np.isfinite(values)
        if told.any():
            series[quantity] = Series(at[told], at[told], values[told])
    # ss leaves out what is zero.
    totals = (
        ("goodput_bps", 8 * np.nan_to_num(column["bytes_acked"])),
        ("retransmits", np.nan_to_num(column["retrans"])),
    )
    later = np.diff(at) > 0
    for quantity, total in totals:
        width = np.diff(at)[later] if quantity == "goodput_bps" else 1.0
        if later.any():
            series[quantity] = Series(at[:-1][later], at[1:][later], np.diff(total)[later] / width)
    return series


# Comparison


def differences(
    result: Result, reference: Reference, *, flow: str | Sequence[str] | None = None, offset_s: float = 0.0
) -> list[Difference]:
    """The quantities of flows of a run beside those of the measured connections, over the time that both have.

    The measurement begins with the flow, plus `offset_s`. Flows and connections are paired in their order. One flow is
    compared with the sum of several connections: their goodputs and retransmissions.

    Windows and SRTTs need ``probes.window``, and goodputs ``probes.rates``. Retransmissions need ``probes.packets``.

    Raises
    ------
    MeasurementError
        If there are more flows than connections, or nothing can be compared.
    """
    found = []
    for name, stream in pairs(result, reference, flow):
        start_s = _start_of(result, name) + offset_s
        for quantity, series in stream.series.items():
            one = _difference(result, name, quantity, series.shifted(start_s))
            if one is not None:
                samples, ours, measured = one
                is_count = quantity == "retransmits"
                mine, theirs = (float(np.sum(one) if is_count else np.mean(one)) for one in (ours, measured))
                rms = None if is_count else float(np.sqrt(np.mean((ours - measured) ** 2)))
                found.append(Difference(name, stream.name, quantity, samples, mine, theirs, rms))
    if not found:
        raise MeasurementError(
            f"{reference.path}: has nothing in common with the run; accepted: a measurement of the same time, and a "
            "run with probes.window and probes.rates"
        )
    return found


def pairs(result: Result, reference: Reference, flow: str | Sequence[str] | None) -> list[tuple[str, Stream]]:
    """Flows of a run with the connections that they are compared with."""
    table = result.flows
    datagrams = ("cbr", "voip", "call")
    known = [str(name) for name, app in zip(table["flow"], table["app"], strict=True) if app not in datagrams]
    flows = known if flow is None else [flow] if isinstance(flow, str) else list(flow)
    for name in flows:
        if name not in known:
            raise MeasurementError(f"no flow {name} that can be compared; accepted: {', '.join(known) or 'none'}")
    streams = [one for one in reference.streams if set(one.series) & set(QUANTITIES)]
    if len(flows) == 1 and len(streams) > 1:
        return [(flows[0], sum_of(streams))]
    if len(flows) > len(streams):
        raise MeasurementError(
            f"{reference.path}: has {len(streams)} connections for {len(flows)} flows; accepted: at most as many "
            "flows, named with --flow (flow= in Python)"
        )
    return list(zip(flows, streams, strict=False))


def sum_of(streams: list[Stream]) -> Stream:
    """Several connections as one: the sums of their rates and counts, at the times of the first."""
    series = {}
    for quantity in ("goodput_bps", "retransmits"):
        own = [one.series[quantity] for one in streams if quantity in one.series]
        if own:
            edges = np.append(own[0].start_s, own[0].end_s[-1:])
            is_rate = quantity == "goodput_bps"
            total = sum(_over(one, edges, is_rate=is_rate) for one in own)
            series[quantity] = Series(edges[:-1], edges[1:], np.asarray(total))
    return Stream(f"sum of {len(streams)} connections", series)


def _over(series: Series, edges: NDArray[np.float64], *, is_rate: bool) -> NDArray[np.float64]:
    """A rate or a count over other intervals, as if it were even within its own."""
    amount = series.value * (series.end_s - series.start_s) if is_rate else series.value
    times = np.append(series.start_s, series.end_s[-1:])
    total = np.interp(edges, times, np.concatenate([[0.0], np.cumsum(amount)]))
    value: NDArray[np.float64] = np.diff(total) / (np.diff(edges) if is_rate else 1.0)
    return value


def _start_of(result: Result, flow: str) -> float:
    return float(result.flows["start_s"][result.flows["flow"] == flow][0])


def _difference(
    result: Result, flow: str, quantity: str, measured: Series
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]] | None:
    """The number of samples that both have, and the values of the run and of the measurement at them."""
    column = QUANTITIES[quantity].column
    if column is not None:
        time, own = _sampled(result, flow, column)
        if not len(time):
            return None
        place = np.searchsorted(time, measured.end_s, side="right") - 1
        both = (place >= 0) & (measured.end_s <= result.meta["duration_s"])
        ours, theirs = own[np.maximum(place, 0)][both], measured.value[both]
        told = np.isfinite(ours)
        return (int(told.sum()), ours[told], theirs[told]) if told.any() else None
    time, total = _totals(result, flow, quantity)
    both = (measured.start_s >= 0) & (measured.end_s <= (time[-1] if len(time) else -1.0) + 1e-9)
    if not both.any():
        return None
    start, end = measured.start_s[both], measured.end_s[both]
    amount = np.interp(end, time, total) - np.interp(start, time, total)
    ours = amount / (end - start) if quantity == "goodput_bps" else amount
    return int(both.sum()), ours, measured.value[both]


def _sampled(result: Result, flow: str, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    table = result.tables.get("window")
    if table is None:
        return np.empty(0), np.empty(0)
    mine = table["flow"] == flow
    return table["time_s"][mine].astype(np.float64), table[column][mine].astype(np.float64)


def _totals(result: Result, flow: str, quantity: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The bits that the sink has received, or the retransmissions, up to each time."""
    empty = np.empty(0), np.empty(0)
    if quantity == "goodput_bps":
        table = result.tables.get("rates")
        if table is None:
            return empty
        mine = table["flow"] == flow
        time, amount = table["time_s"][mine].astype(np.float64), 8.0 * table["bytes_delivered"][mine]
    else:
        table = result.tables.get("packets")
        if table is None:
            return empty
        mine = (table["flow"] == flow) & (table["side"] == "source") & (table["event"] == "sent")
        time = np.append(table["time_s"][mine].astype(np.float64), result.meta["duration_s"])
        amount = np.append(table["retransmission"][mine].astype(np.float64), 0.0)
    return np.concatenate([[0.0], time]), np.concatenate([[0.0], np.cumsum(amount)])


def draw(
    axes: Any,
    figure: str,
    result: Result,
    reference: Reference,
    *,
    flow: str | Sequence[str] | None = None,
    offset_s: float = 0.0,
) -> None:
    """Draws a measurement over the axes of a figure of a run: ``cwnd``, ``rtt`` or ``throughput``.

    The measurement is drawn in the ink of the axes, thresholds dotted.

    Raises
    ------
    MeasurementError
        If the measurement has nothing that the figure shows.
    """
    from ackclock.plot.canvas import INK, from_zero, legend, paper

    drawn = False
    for name, stream in pairs(result, reference, flow):
        start_s = _start_of(result, name) + offset_s
        for quantity in FIGURES[figure]:
            series = stream.series.get(quantity)
            if series is None:
                continue
            value = series.value * QUANTITIES[quantity].factor
            line: dict[str, Any] = {"color": INK, "linewidth": 0.9, "zorder": 5}
            label = f"measured ({reference.kind})" if not drawn else f"_{stream.name}"
            if quantity == "ssthresh":
                line["linestyle"] = ":"
                label = f"_{stream.name} ssthresh"
            if quantity == "goodput_bps":
                x, y = np.append(series.start_s, series.end_s[-1:]), np.append(value, value[-1:])
            else:
                x, y = series.end_s, value
            axes.step(x + start_s, y, where="post", label=label, **line)
            drawn = True
    if not drawn:
        what = " and ".join(QUANTITIES[quantity].name for quantity in FIGURES[figure])
        raise MeasurementError(f"{reference.path}: has no {what}, which the figure {figure} shows")
    limits = axes.get_xlim()
    axes.set_xlim(limits[0], min(limits[1], 1.01 * result.meta["duration_s"]))
    with paper():
        from_zero(axes)
        before = axes.get_legend()
        # Of panels one below the other, the first alone has a legend.
        if before is not None:
            legend(axes, _other_entries(axes, before))


def _other_entries(axes: Any, before: Any) -> list[Any]:
    """The entries of a legend that belong to no line of the axes."""
    own = set(axes.get_legend_handles_labels()[1])
    from matplotlib.lines import Line2D

    entries = zip(before.legend_handles, (text.get_text() for text in before.get_texts()), strict=True)
    return [_copy(handle, label, Line2D) for handle, label in entries if label not in own]


def _copy(handle: Any, label: str, line: type) -> Any:
    if isinstance(handle, line):
        copy = line([], [])
        copy.update_from(handle)
        copy.set_label(label)
        return copy
    handle.set_label(label)
    return handle
