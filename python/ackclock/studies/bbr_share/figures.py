"""Figures: BBR's share over the queue and over the number of flows beside the model, and the mixes of ten flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.report import Choice, Figure, Plot, Series, colour_of
from ackclock.studies.bbr_share.cells import (
    ALONE,
    DEEP,
    FAST,
    MAIN,
    REPLICATED,
    SIXTEEN,
    SLOW,
    TEN,
    cell_of,
    modelled,
    ten_name,
)
from ackclock.studies.bbr_share.verdicts import model_percent

if TYPE_CHECKING:
    from ackclock.studies.framework import Grid

__all__ = ["by_number", "by_queue", "many_bbr", "ten"]

VARIANT = ALONE[0].name
QUEUE_AXIS = "queue (bandwidth-delay products)"
SHARE_AXIS = "BBR's share (%)"
QUIET = "#777777"
SHOWN = (1, SIXTEEN)
"""Numbers of CUBIC flows in the figure over the queue."""
SHOWN_BBR = (1, 2, 8, 32)
"""Numbers of BBR flows in the figure of several."""


def _series(grid: Grid, label: str, index: int, by: int, keep: dict[int, object], choice: str = MAIN) -> Series:
    """The measured shares of the cells that have the kept values, over the value at place `by` of a cell."""
    cells = {cell_of(one.name): one.name for one in grid.readings if one.name.startswith(f"{choice}; ")}
    chosen = sorted((cell[by], name) for cell, name in cells.items() if all(cell[at] == v for at, v in keep.items()))
    means = [grid.mean(name, VARIANT, "bbr_percent") for _, name in chosen]
    low, high = [mean.low for mean in means], [mean.high for mean in means]
    x = [float(value) for value, _ in chosen]
    return Series(label, x, [mean.value for mean in means], colour_of(index), "interval", low, high)


def _queues(grid: Grid) -> list[int]:
    return sorted({cell_of(one.name)[3] for one in grid.readings})


def by_queue(grid: Grid, command: str) -> Figure:
    """The share of one BBR flow over the queue, beside several numbers of CUBIC flows, with the model's line."""
    series = [
        _series(grid, f"beside {many} CUBIC", index, 3, {0: 1, 1: many, 2: "cubic"}) for index, many in enumerate(SHOWN)
    ]
    queues = _queues(grid)
    line = [model_percent((1, 1, "cubic", queue)) for queue in queues]
    series.append(Series("model, any number", queues, line, QUIET, dashed=True))
    caption = (
        "10 Mbit/s, 40 ms, 400 s after the first 500 s; 95 % intervals over replications. Model: Ware et al. 2019."
    )
    return Plot("One BBR flow by queue", QUEUE_AXIS, SHARE_AXIS, series, caption, command, x_log=True)


def by_number(grid: Grid, command: str) -> Figure:
    """The share of one BBR flow over the number of CUBIC flows, with several queues and the model's lines."""
    series = []
    queues = [queue for queue in (2, 8, DEEP) if queue in _queues(grid)]
    for index, queue in enumerate(queues):
        series.append(_series(grid, f"queue of {queue} BDP", index, 1, {0: 1, 2: "cubic", 3: queue}))
        line = [model_percent((1, 1, "cubic", queue))] * 2
        series.append(Series(f"{queue} BDP, model", [1, SIXTEEN], line, colour_of(index), dashed=True))
    caption = "Published: the share does not depend on the number; 40 % beside 16 CUBIC flows with a queue of 32 BDP."
    title = "One BBR flow by the number of CUBIC flows"
    return Plot(title, "CUBIC flows", SHARE_AXIS, series, caption, command, x_log=True)


def many_bbr(grid: Grid, fast: Grid | None, command: str) -> Figure:
    """The share of several BBR flows beside one flow over the queue with the model's lines: figure 8 of the paper."""
    panels = [("8a: CUBIC, 10 Mbit/s and 40 ms", _many(grid, SLOW, "cubic"))]
    if fast is not None:
        panels.append(("8b: CUBIC, 50 Mbit/s and 30 ms", _many(fast, FAST, "cubic")))
    panels.append(("8c: Reno, 10 Mbit/s and 40 ms", _many(grid, SLOW, "reno")))
    caption = "Dashed: the model. Figure 8 of Ware et al. 2019 has 1 to 32 BBR flows; the table has all of them."
    return Choice("BBR flows together beside one flow", "flow beside them", panels, caption, command)


def _many(grid: Grid, where: str, cc: str) -> Plot:
    """One part of figure 8."""
    choice = MAIN if where == SLOW else where
    cells = [cell for _, cell in modelled([one.name for one in grid.readings], cc, choice) if cell[1] == 1]
    queues = sorted({cell[3] for cell in cells})
    series = []
    for index, many in enumerate(number for number in SHOWN_BBR if any(cell[0] == number for cell in cells)):
        series.append(_series(grid, f"{many} BBR", index, 3, {0: many, 1: 1, 2: cc}, choice))
        line = [model_percent((many, 1, cc, queue), where) for queue in queues]
        series.append(Series(f"{many} BBR, model", queues, line, colour_of(index), dashed=True))
    return Plot(f"BBR beside one {cc}", QUEUE_AXIS, SHARE_AXIS, series, "", x_log=True)


def ten(grid: Grid, command: str) -> Figure:
    """The goodput of a flow over the number of BBR flows of ten, measured and replicated."""
    series = []
    for index, (who, label) in enumerate((("bbr", "BBR"), ("cubic", "CUBIC"))):
        have = [n for n in range(1, len(REPLICATED[who]) + 1) if any(one.name == ten_name(n) for one in grid.readings)]
        means = [grid.mean(ten_name(n), VARIANT, f"{who}_mbps") for n in have]
        low, high = [mean.low for mean in means], [mean.high for mean in means]
        series.append(Series(label, have, [mean.value for mean in means], colour_of(index), "interval", low, high))
        told = range(1, len(REPLICATED[who]) + 1)
        series.append(Series(f"{label}, Linux 5.4", list(told), REPLICATED[who], colour_of(index), "points"))
    series.append(Series("fair share", [1, TEN], [9.6, 9.6], QUIET, dashed=True))
    caption = (
        "Ten flows over 100 Mbit/s and 40 ms with a queue of 2 BDP. Points: medians of the replication on Linux 5.4."
    )
    return Plot(
        "Ten flows of BBR and CUBIC", "BBR flows of ten", "goodput of a flow (Mbit/s)", series, caption, command
    )
