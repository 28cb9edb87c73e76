"""Compares the claims with the measured numbers under every reading, and makes the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.bbr_when import random_loss
from ackclock.studies.bbr_when.cells import (
    BBR,
    CUBIC,
    HEADLINE,
    MAIN,
    OTHER_BUFFERS,
    TABLE,
    VARIANTS,
    cell,
    choice_of,
    mix_name,
    name,
    powers,
)
from ackclock.studies.bbr_when.published import DEEP, SHALLOW, gains
from ackclock.studies.framework import ClaimResult, Sheet, assess_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind

__all__ = ["AT_THE_QUEUE", "Measured", "assess_claims", "gain", "grid_sheet", "table_sheet"]

AT_THE_QUEUE = "dropped at the queue"
"""The definition of loss beside the main one, which counts retransmissions."""

BUFFER_OF = {"shallow": SHALLOW, "deep": DEEP}
VARIANT_OF = {"cubic": CUBIC.name, "bbr": BBR.name}
MIXES = {"mix-10kB": 10_000, "mix-5MB": 5_000_000, "mix-10MB": 10_000_000}
HEADLINE_CELL, SHALLOW_CELL, DEEP_CELL = HEADLINE


@dataclass(frozen=True, slots=True)
class Measured:
    """The grids of a run. A quick run has no grid of other buffers."""

    cells: Grid
    """The cells of figure 5."""
    others: Grid
    """The cells of the text under other readings."""
    mixes: Sequence[Grid]
    """Both flows together."""
    loss: Grid
    """Random loss."""
    buffers: Grid | None = None
    """The cells with the other buffers."""


def assess_claims(measured: Measured) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(__package__, lambda identifier: _of_claim(measured, identifier), MAIN, kind_of)


def kind_of(reading: str) -> Kind:
    """The kind of a reading."""
    if reading in OTHER_BUFFERS:
        return "cell"
    return "definition" if reading == AT_THE_QUEUE else "assumption"


def gain(grid: Grid, reading: str) -> Estimate:
    """Relative change of the goodput from CUBIC to BBR, in %."""
    return grid.change(reading, BBR.name, CUBIC.name, "goodput_mbps")


def _of_claim(measured: Measured, identifier: str) -> dict[str, Estimate]:
    """The estimates for a claim under every reading that has its cells."""
    subject, _, rest = identifier.partition("-")
    if subject == "cliff":
        return {MAIN: random_loss.cliff(measured.loss)}
    if subject in ("mix", "table"):
        return _of_mix(measured.mixes, identifier)
    if subject in ("headline", "resent"):
        return _of_headline(measured, subject, rest)
    if subject == "loss":
        buffer, who = rest.split("-")
        return {
            MAIN: _mean_loss(measured.cells, BUFFER_OF[buffer], VARIANT_OF[who], "resent_percent"),
            AT_THE_QUEUE: _mean_loss(measured.cells, BUFFER_OF[buffer], VARIANT_OF[who], "dropped_percent"),
        }
    shallow, deep = (_mean_gain(measured.cells, buffer) for buffer in (SHALLOW, DEEP))
    if identifier == "shallow-favours-bbr":
        return {MAIN: stats.mean(shallow - deep)}
    if identifier == "deep-favours-cubic":
        return {MAIN: stats.mean(deep), **_mean_gains(measured.buffers)}
    return {MAIN: stats.mean(shallow if identifier == "grid-shallow" else deep)}


def _mean_gains(grid: Grid | None) -> dict[str, Estimate]:
    """The mean gain with every other buffer."""
    if grid is None:
        return {}
    return {buffer: stats.mean(_mean_gain(grid, buffer)) for buffer in OTHER_BUFFERS}


def _of_buffer(grid: Grid, buffer: str) -> list[str]:
    return [one.name for one in grid.readings if cell(one.name)[0] == buffer]


def _mean_gain(grid: Grid, buffer: str) -> NDArray[np.float64]:
    """The mean of the gains of all cells of a buffer in per cent, one number a seed."""
    each = [
        grid.values(reading, BBR.name, "goodput_mbps") / grid.values(reading, CUBIC.name, "goodput_mbps")
        for reading in _of_buffer(grid, buffer)
    ]
    return np.asarray(100 * (np.mean(each, axis=0) - 1), dtype=np.float64)


def _mean_loss(grid: Grid, buffer: str, variant: str, measure: str) -> Estimate:
    return stats.mean(grid.over(_of_buffer(grid, buffer), variant, measure))


def _of_headline(measured: Measured, subject: str, rest: str) -> dict[str, Estimate]:
    """The estimates for a claim about a cell of the text, under every reading."""
    resent = SHALLOW_CELL if rest.startswith("shallow") else DEEP_CELL
    at = HEADLINE_CELL if subject == "headline" else resent
    found = {}
    for grid in (measured.cells, measured.others):
        for choice in dict.fromkeys(choice_of(one.name) for one in grid.readings):
            found[choice] = _headline(grid, name(*at, choice), subject, rest)
    return found


def _headline(grid: Grid, reading: str, subject: str, rest: str) -> Estimate:
    if subject == "headline":
        return gain(grid, reading) if rest == "gain" else grid.mean(reading, VARIANT_OF[rest], "goodput_mbps")
    bbr, cubic = (grid.values(reading, one.name, "resent") for one in (BBR, CUBIC))
    if rest == "shallow-ratio":
        # Of no retransmission at all, one is counted.
        return stats.mean(bbr / np.maximum(cubic, 1))
    if rest == "deep-bbr":
        return stats.mean(bbr)
    counts = bbr if rest.endswith("bbr") else cubic
    return stats.mean(np.array([powers(count) for count in counts]))


def _of_mix(grids: Sequence[Grid], identifier: str) -> dict[str, Estimate]:
    """The estimates for a claim about both flows together, under every reading that has its buffer."""
    if identifier in MIXES:
        size, measure = MIXES[identifier], "bbr_percent"
    else:
        _, who, text = identifier.split("-")
        size = int(text)
        none = TABLE[size][0 if who == "bbr" else 1] == 0
        measure = f"{who}_resent" if none else f"{who}_resent_powers"
    found = {}
    for grid in grids:
        have = {one.name for one in grid.readings}
        for choice in dict.fromkeys(choice_of(one) for one in have):
            if mix_name(size, choice) in have:
                found[choice] = grid.mean(mix_name(size, choice), "", measure)
    return dict(sorted(found.items(), key=lambda one: one[0] != MAIN))


def grid_sheet(grids: Sequence[Grid]) -> Sheet:
    """Goodput and losses of every cell, with the published gain."""
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            buffer, rate, rtt = cell(reading.name)
            goodputs = [grid.mean(reading.name, one.name, "goodput_mbps").value for one in VARIANTS]
            losses = [grid.mean(reading.name, one.name, "resent_percent").value for one in VARIANTS]
            found = gain(grid, reading.name)
            told = gains().gain_percent.get((buffer, rate, rtt), "")
            rows.append([choice_of(reading.name), buffer, rate, rtt, told, found.value, *goodputs, *losses])
    columns = ["reading", "buffer", "Mbit/s", "RTT ms", "published gain %", "gain %"]
    columns += ["CUBIC Mbit/s", "BBR Mbit/s", "CUBIC retransmissions %", "BBR retransmissions %"]
    return Sheet("cells", "Goodput by buffer, rate and round-trip time", columns, rows, "Means over the replications.")


def table_sheet(grids: Sequence[Grid]) -> Sheet:
    """Table 1 with our numbers, and the shares."""
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            choice, _, size = reading.name.partition("; ")
            bytes_ = int(size.split()[0])
            means = [
                grid.mean(reading.name, "", measure).value
                for measure in ("bbr_resent", "cubic_resent", "bbr_percent", "total_mbps")
            ]
            rows.append([choice, bytes_, TABLE[bytes_][0], means[0], TABLE[bytes_][1], means[1], *means[2:]])
    columns = [
        "reading",
        "buffer B",
        "BBR published",
        "BBR",
        "CUBIC published",
        "CUBIC",
        "BBR's share %",
        "both Mbit/s",
    ]
    title = "Retransmissions of both flows together, as in table 1"
    return Sheet("together", title, columns, rows, "Means over the replications.")
