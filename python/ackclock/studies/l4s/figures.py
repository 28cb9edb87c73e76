"""Figures: shares as published and measured, and delays over rates and round-trip times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Figure, Intervals, Plot, Reference, Row, Series, colour_of
from ackclock.studies.l4s.cells import MIXED, Cell, name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.studies.framework import Grid

__all__ = ["delays", "ratios", "shares"]


def shares(tests: Grid, command: str) -> Figure:
    """The share of Prague in every cell of the tests."""
    rows = [
        Row(
            one.name.partition(",")[0],
            one.name.partition(", ")[2],
            tests.mean(one.name, MIXED.name, "first_percent"),
            colour_of(0),
        )
        for one in tests.readings
    ]
    caption = "Prague beside CUBIC; 95 % intervals over replications."
    return Intervals(
        "Prague's share", "share of both flows (%)", rows, caption, command, references=[Reference(50.0, "equal")]
    )


def delays(ranged: Grid, span: Sequence[Cell], command: str) -> list[Figure]:
    """The 99th percentile of the queueing delay of each of the two flows over the rate, a curve for each RTT."""
    return [
        _over_rates(
            ranged, span, f"{which}_p99_ms", f"Queueing delay of {label} in DualPI2", "99th percentile (ms)", command
        )
        for which, label in (("first", "Prague"), ("second", "CUBIC"))
    ]


def ratios(ranged: Grid, span: Sequence[Cell], command: str) -> Figure:
    """The share of Prague over the rate, a curve for each RTT."""
    return _over_rates(ranged, span, "first_percent", "Prague's share in DualPI2", "share of both flows (%)", command)


def _over_rates(ranged: Grid, span: Sequence[Cell], measure: str, title: str, label: str, command: str) -> Figure:
    series = []
    cells = [one for one in span if one.queue == "dualpi2"]
    for index, rtt in enumerate(dict.fromkeys(one.rtt for one in cells)):
        mine = [one for one in cells if one.rtt == rtt]
        means = [ranged.mean(name(one), MIXED.name, measure) for one in mine]
        value, low, high = ([getattr(one, end) for one in means] for end in ("value", "low", "high"))
        series.append(Series(f"{rtt} ms", [one.rate for one in mine], value, colour_of(index), "interval", low, high))
    return Plot(title, "rate (Mbit/s)", label, series, "One flow of Prague and one of CUBIC.", command, x_log=True)
