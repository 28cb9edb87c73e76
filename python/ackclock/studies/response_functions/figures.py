"""Figures: the response functions, how far they are from the formulas, the sawteeth, and CUBIC's way to its cycle."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ackclock.report import Figure, Plot, Series, colour_of
from ackclock.studies.response_functions.cells import ALGORITHMS, MAIN, SEGMENT, cycle_windows, loss, size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.results.result import Result
    from ackclock.studies.response_functions.cells import Windows

__all__ = ["DRAWN", "WAYS", "away", "responses", "sawteeth", "tooth", "way", "ways"]

DRAWN = 4
"""Exponent of the loss rate at which cycles are drawn."""
TEETH = 4
WAYS = (0.5, 1.0, 3.0)
"""First losses of the way to CUBIC's cycle, as parts of the largest window of theory."""
WAY_CYCLES = 300
CUBIC = next(one for one in ALGORITHMS if one.name == "cubic")


def responses(windows: Windows, command: str) -> Figure:
    """Average window by loss rate, measured and published, both as powers of ten."""
    series = []
    for index, one in enumerate(ALGORITHMS):
        exponents = windows.exponents(MAIN, one.name)
        x = [-exponent for exponent in exponents]
        published = [math.log10(one.window(10.0**-exponent)) for exponent in exponents]
        measured = [math.log10(windows.mean(MAIN, one.name, exponent).value) for exponent in exponents]
        series.append(Series(f"{one.label}, formula", x, published, colour_of(index), dashed=True))
        series.append(Series(f"{one.label}, measured", x, measured, colour_of(index), "points"))
    caption = "Powers of ten on both axes. Formulas: RFC 9438 table 1, RFC 3649 tables 2 and 3; Scalable: 0.08/p."
    return Plot(
        "Response functions", "log10 of the loss rate", "log10 of the window (segments)", series, caption, command
    )


def away(windows: Windows, command: str) -> Figure:
    """The differences of the measured windows from the formulas."""
    series = []
    for index, one in enumerate(ALGORITHMS):
        exponents = windows.exponents(MAIN, one.name)
        means = [windows.mean(MAIN, one.name, exponent) for exponent in exponents]
        ratios = [
            [getattr(mean, end) / one.window(10.0**-exponent) for mean, exponent in zip(means, exponents, strict=True)]
            for end in ("value", "low", "high")
        ]
        value, low, high = (np.array(part) * 100 - 100 for part in ratios)
        x = np.array(exponents) * -1.0 + 0.05 * (index - 1.5)
        series.append(Series(one.label, x, value, colour_of(index), "interval", low, high))
    caption = "Claims allow 10 % either way. Intervals over three first losses; marks are moved apart sideways."
    title = "Measured windows against the formulas"
    return Plot(title, "log10 of the loss rate", "away from the formula (%)", series, caption, command, from_zero=False)


def tooth(name: str) -> dict[str, object]:
    """A run whose window is drawn: some cycles after the first few."""
    algorithm = next(one for one in ALGORITHMS if one.name == name)
    first = round(algorithm.window(10.0**-DRAWN) * algorithm.peak)
    return {"flows[0].cc": name, **loss(DRAWN, first), **size(DRAWN, TEETH), "probes.interval": "20ms"}


def sawteeth(results: Mapping[str, Result], command: str) -> Figure:
    """The window over time of each algorithm."""
    series = []
    for index, one in enumerate(ALGORITHMS):
        window = results[one.name].window
        series.append(Series(one.label, window["time_s"], window["cwnd"] / SEGMENT, colour_of(index)))
    caption = f"The first cycles at a loss of 1e-{DRAWN}; the first packet is lost where theory has the largest window."
    return Plot("Windows over time", "time (s)", "cwnd (segments)", series, caption, command, 1)


def way(start: float) -> dict[str, object]:
    """A long run of CUBIC."""
    first = round(CUBIC.window(10.0**-DRAWN) * CUBIC.peak * start)
    return {"flows[0].cc": CUBIC.name, **loss(DRAWN, first), **size(DRAWN, WAY_CYCLES)}


def ways(results: Sequence[Result], command: str) -> Figure:
    """The average window of each cycle of CUBIC, from different first losses."""
    series = []
    for index, (start, result) in enumerate(zip(WAYS, results, strict=True)):
        windows = cycle_windows(result, 10**DRAWN)
        label = f"first loss at {start:g} of the largest window"
        series.append(Series(label, np.arange(1, len(windows) + 1), windows, colour_of(index)))
    published = CUBIC.window(10.0**-DRAWN)
    series.append(Series("formula", [1, WAY_CYCLES], [published, published], "#777777", dashed=True))
    caption = f"Packets per round-trip time from one loss to the next, at a loss of 1e-{DRAWN}."
    title = "CUBIC's way to its cycle"
    return Plot(title, "cycle", "window (segments)", series, caption, command, 1, from_zero=False)
