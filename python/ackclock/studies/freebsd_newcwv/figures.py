"""Figures of the study besides its sweeps: how the starts of flows decide, and the ranges of the slides' topology."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Choice, Figure, HeatMap, Plot, Series, colour_of
from ackclock.studies.framework import Reading, Sheet
from ackclock.studies.freebsd_newcwv.readings import DISPERSIONS, NEWCWV, PRR, RESTARTED, STOCK

if TYPE_CHECKING:
    from ackclock.scenario import Text
    from ackclock.studies.framework import Grid
    from ackclock.studies.framework.sweep import Swept

__all__ = [
    "LOSSES_PERCENT",
    "RATES_MBPS",
    "RTTS_MS",
    "dispersion",
    "dispersion_sheet",
    "topology",
    "topology_readings",
]

RATES_MBPS = (1, 2, 5, 10, 20, 35)
RTTS_MS = (10, 40, 80, 120)
LOSSES_PERCENT = (0, 1, 10)
"""Over the ranges that stand beside the slides' topology: 1 to 35 Mbit/s, RTTs of 10 to 120 ms, losses of 0 to 10 %."""

BURST = "64kB"
PACKET_BYTES = 1500
EXTREMES = ("smallest", "largest")


def dispersion(flows: Swept, command: str) -> Figure:
    """The smallest and the largest benefit by flows over the time within which the flows start."""
    have = {one.name for one in flows.assumptions}
    series: list[Series] = []
    for nagle, names in DISPERSIONS.items():
        times = [ms for ms, name in names.items() if name in have]
        for extreme in EXTREMES if times else ():
            found = [getattr(flows, extreme)(names[ms], NEWCWV.name, STOCK.name) for ms in times]
            low, high = [one.low for one in found], [one.high for one in found]
            label, colour = f"{extreme}, {'with' if nagle else 'without'} Nagle", colour_of(len(series))
            series.append(Series(label, times, [one.value for one in found], colour, "interval", low, high))
    caption = "The extremes over 1 to 10 flows, with 95 % intervals. Published: 0.4 to 38.6 %."
    title = "Benefit by flows, by the dispersion of their starts"
    return Plot(title, "flows start within (ms)", "benefit (% of the time)", series, caption, command)


def dispersion_sheet(flows: Swept, restarted: Swept) -> Sheet:
    """The extremes by flows for every dispersion of starts, restart of the stock, and with and without Nagle."""
    rows: list[list[object]] = []
    for swept, control, restart in ((flows, STOCK, "4,380 bytes"), (restarted, RESTARTED, "the initial window")):
        have = {one.name for one in swept.assumptions}
        for nagle, names in DISPERSIONS.items():
            for ms, name in names.items():
                if name in have:
                    ends = [getattr(swept, extreme)(name, NEWCWV.name, control.name) for extreme in EXTREMES]
                    numbers = [number for end in ends for number in (end.value, end.low, end.high)]
                    rows.append([restart, "on" if nagle else "off", ms, *numbers])
    columns = ["stock restarts with", "Nagle", "flows start within ms"]
    columns += [f"{extreme}{part} %" for extreme in EXTREMES for part in ("", ", low", ", high")]
    caption = "The benefit over 1 to 10 flows, with 95 % intervals. Published: 0.4 to 38.6 %."
    return Sheet("dispersion", "Benefit by flows, by the dispersion of their starts", columns, rows, caption)


def topology_readings(text: Text) -> list[Reading]:
    """A burst a second over every path of the slides' topology that the figure shows."""
    return [
        Reading(
            _name(rate, rtt, loss),
            text,
            {
                "bottleneck.rate": f"{rate}Mbps",
                "bottleneck.delay": f"{rtt // 2}ms",
                "bottleneck.loss": f"{loss}%",
                "flows[0].app.size": BURST,
                # A queue takes one packet at least, where the BDP is less.
                **({"bottleneck.queue": "1 packets"} if rate * rtt * 125 < PACKET_BYTES else {}),
            },
            "cell",
        )
        for loss in LOSSES_PERCENT
        for rate in RATES_MBPS
        for rtt in RTTS_MS
    ]


def _name(rate: int, rtt: int, loss: int) -> str:
    return f"{rate} Mbit/s, {rtt} ms, {loss} % of loss"


def topology(grid: Grid, command: str) -> Figure:
    """The benefit over the ranges of the topology, a map for each loss and variant."""
    columns, rows = [str(rtt) for rtt in RTTS_MS], [str(rate) for rate in RATES_MBPS]
    maps = [
        (
            f"{variant.label}, {loss} % of loss",
            HeatMap(
                "round-trip time (ms)",
                "rate (Mbit/s)",
                columns,
                rows,
                {
                    (x, y): grid.change(_name(rate, rtt, loss), variant.name, STOCK.name, "time_s").scaled(-1)
                    for x, rtt in enumerate(RTTS_MS)
                    for y, rate in enumerate(RATES_MBPS)
                },
                "%",
                diverging=True,
            ),
        )
        for variant in (NEWCWV, PRR)
        for loss in LOSSES_PERCENT
    ]
    caption = (
        "Benefit for one flow with a burst of 64 kB a second, in per cent of its mean time. The axes are the ranges "
        "that the slides print beside their topology; they publish no number for these paths."
    )
    return Choice("Benefit over the topology's ranges", "numbers", maps, caption, command)
