"""The figures of the study: the window's collapse and freeze, one burst on the wire, the rates with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Plot, Reference, Row, Series, colour_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.result import Result
    from ackclock.studies.grid import Grid, Variant

__all__ = ["PROBES", "figures"]

PROBES = {"duration": "60s", "probes.window": True, "probes.packets": True, "probes.interval": "20ms"}
"""What the traced runs record; a minute shows the pattern, which repeats."""


def figures(grid: Grid, variants: Sequence[Variant], traces: Sequence[Result], command: str) -> list[Figure]:
    """All figures; `traces` are probed runs of the main reading, one for each variant."""
    return [_rates(grid, variants, command), _window(variants, traces, command), _burst(variants, traces, command)]


def _rates(grid: Grid, variants: Sequence[Variant], command: str) -> Figure:
    rows = [
        Row(
            reading.summary, variant.label, grid.mean(reading.name, variant.name, "segment_rate_kbps"), colour_of(index)
        )
        for reading in grid.readings
        for index, variant in enumerate(variants)
    ]
    published = [(803.40, "NewReno"), (785.40, "newCWV"), (836.26, "newCWV with pacing")]
    references = [
        Reference(rate_kbps, f"published, {variant}", colour_of(index))
        for index, (rate_kbps, variant) in enumerate(published)
    ]
    caption = "Mean level of the segments with 95 % intervals, under each reading of what the original leaves open."
    return Intervals("Segment rate", "kbit/s", rows, caption, command, references=references)


def _window(variants: Sequence[Variant], traces: Sequence[Result], command: str) -> Figure:
    series = [
        Series(variant.label, trace.window["time_s"], trace.window["cwnd"] / 1e3, colour_of(index), "step")
        for index, (variant, trace) in enumerate(zip(variants, traces, strict=True))
    ]
    caption = "The congestion window of the server. NewReno's falls back after each pause; newCWV's stays."
    return Plot("Congestion window", "time (s)", "cwnd (kB)", series, caption, command, traces[0].seed)


def _burst(variants: Sequence[Variant], traces: Sequence[Result], command: str) -> Figure:
    """The data segments of the eleventh DASH segment, or of the last one where there are fewer."""
    series = []
    for index, (variant, trace) in enumerate(zip(variants, traces, strict=True)):
        segments = list(trace.dash_segments.rows())
        chosen = segments[min(10, len(segments) - 1)]
        end = chosen["done_s"] if chosen["done_s"] is not None else trace.meta["duration_s"]
        packets = trace.packets
        time = packets["time_s"]
        mine = (packets["event"] == "sent") & (packets["side"] == "source") & (packets["len"] > 0)
        mine &= (time >= chosen["request_s"]) & (time <= end)
        if not mine.any():
            continue
        offsets = packets["seq"][mine]
        since = (time[mine] - chosen["request_s"]) * 1e3
        series.append(Series(variant.label, since, (offsets - offsets.min()) / 1e3, colour_of(index), "points"))
    caption = "Data segments of one DASH segment as the server sends them, from the request on."
    return Plot(
        "One burst on the wire", "time since the request (ms)", "sent (kB)", series, caption, command, traces[0].seed
    )
