"""The figures of the study: collapse and freeze, one burst on the wire, rates, losses, and the retracted study."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import Figure, Intervals, Plot, Reference, Row, Series, colour_of
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, VARIANTS
from ackclock.studies.framework.setups.newcwv_2014 import in_rfc, is_rfc
from ackclock.studies.newcwv_dash.measures import bursts
from ackclock.studies.newcwv_dash.readings import MAIN
from ackclock.studies.newcwv_dash.verdicts import RATES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.framework import Grid

__all__ = ["figures"]

PUBLISHED_KBPS = {"NewReno": 803.40, "newCWV": 785.40, "newCWV with pacing": 836.26}
SHOWN_S = (200.0, 260.0)
"""First and last time of the figures of the window, in seconds: the buffer is full, and the client pauses."""

WINDOWS = {"off": (NEWRENO.name,), "on": (NEWCWV.name, PACED.name)}
"""The figures of the window: whether newCWV is on, and the variants that are drawn."""

POINTS = 4000
"""Points of a drawn line at most."""


def figures(
    grid: Grid, retracted: Grid, traces: Sequence[Result], commands: Mapping[str, str], command: str
) -> list[Figure]:
    """All figures. `traces` are probed runs of the main reading, one for each variant; `commands` repeat them."""
    traced = "\n".join(commands[variant.name] for variant in VARIANTS)
    return [
        *(_window(traces, commands, what, of) for what, of in WINDOWS.items()),
        _burst(traces, traced),
        _rates(grid, "level", command),
        _rates(grid, "download", command),
        _losses(grid, command),
        _retracted(retracted, "switches", "Quality switches, the retracted study", "switches a client", command),
        _retracted(retracted, "stalled_s", "Rebuffering, the retracted study", "stalled, s a client", command),
    ]


def _window(traces: Sequence[Result], commands: Mapping[str, str], what: str, names: Collection[str]) -> Figure:
    """The window over time as on the slides, which show it with newCWV off and with newCWV on."""
    series = []
    kept = [(variant, trace) for variant, trace in zip(VARIANTS, traces, strict=True) if variant.name in names]
    for index, (variant, trace) in enumerate(kept):
        shown = (trace.window["time_s"] >= SHOWN_S[0]) & (trace.window["time_s"] <= SHOWN_S[1])
        time, cwnd = trace.window["time_s"][shown], trace.window["cwnd"][shown] / 1e3
        # Every change of direction stays. Only the equal steps between them are thinned.
        turns = np.flatnonzero(np.diff(np.sign(np.diff(cwnd))) != 0) + 1
        step = max(1, time.size // POINTS)
        drawn = np.unique(np.concatenate([turns, np.arange(0, time.size, step), [time.size - 1]]))
        series.append(Series(variant.label, time[drawn], cwnd[drawn], colour_of(index), "step"))
    caption = {
        "off": "The server's congestion window, main reading. It falls with each pause of the client, and grows back.",
        "on": "The server's congestion window, main reading. It is left alone over the pauses, and falls with losses.",
    }[what]
    command = "\n".join(commands[variant.name] for variant, _ in kept)
    return Plot(f"Congestion window, newCWV {what}", "time (s)", "cwnd (kB)", series, caption, command, traces[0].seed)


def _burst(traces: Sequence[Result], command: str) -> Figure:
    series = []
    for index, (variant, trace) in enumerate(zip(VARIANTS, traces, strict=True)):
        found = bursts(trace)
        if not found:
            continue
        start = found[len(found) // 2][0][0]
        packets = trace.packets
        time = packets["time_s"]
        mine = (packets["event"] == "sent") & (packets["side"] == "source") & (packets["len"] > 0)
        mine &= (time >= start) & (time <= start + 1.5)
        offset = packets["seq"][mine]
        since_ms = (time[mine] - start) * 1e3
        series.append(Series(variant.label, since_ms, (offset - offset[0]) / 1e3, colour_of(index), "points"))
    caption = (
        "The data segments of one DASH segment as the server sends them. newCWV sends its preserved window at once; "
        "pacing spreads it over the round trip."
    )
    return Plot(
        "One burst on the wire",
        "time since its first segment (ms)",
        "sent (kB)",
        series,
        caption,
        command,
        traces[0].seed,
    )


def _near_main(grid: Grid) -> list[str]:
    """The main reading, and those that differ from it in one thing."""
    parts = MAIN.split(", ")

    def near(name: str) -> bool:
        if is_rfc(name):
            return name == in_rfc(MAIN)
        return name.startswith("main, ") or sum(a != b for a, b in zip(parts, name.split(", "), strict=True)) <= 1

    return [reading.name for reading in grid.readings if near(reading.name)]


def _rates(grid: Grid, rate: str, command: str) -> Figure:
    rows = [
        Row(name, variant.label, grid.mean(name, variant.name, RATES[rate]), colour_of(index))
        for name in _near_main(grid)
        for index, variant in enumerate(VARIANTS)
    ]
    references = [
        Reference(kbps, f"published, {name}", colour_of(index))
        for index, (name, kbps) in enumerate(PUBLISHED_KBPS.items())
    ]
    what = {"level": "the bitrate of the segments", "download": "the rate the segments were downloaded at"}[rate]
    caption = f"“Segment rate” read as {what}: the main reading and every single change of it, 95 % intervals."
    return Intervals(f"Segment rate, as {rate}", "kbit/s", rows, caption, command, references=references)


def _losses(grid: Grid, command: str) -> Figure:
    rows = [
        Row(name, variant.label, grid.mean(name, variant.name, "drops"), colour_of(index))
        for name in _near_main(grid)
        for index, variant in enumerate(VARIANTS)
    ]
    caption = "Packets dropped at the bottleneck in a run of 640 s, 95 % intervals."
    return Intervals("Losses", "packets a run", rows, caption, command)


def _retracted(grid: Grid, measure: str, title: str, unit: str, command: str) -> Figure:
    rows = [
        Row(reading.name, variant.label, grid.mean(reading.name, variant.name, measure), colour_of(index))
        for reading in grid.readings
        for index, variant in enumerate(grid.variants)
    ]
    caption = (
        "Means over the clients with 95 % intervals: two readings of the flawed control, the corrected one, newCWV."
    )
    return Intervals(title, unit, rows, caption, command)
