"""A matrix as numbers: shares, harm, delays and losses for each pair of a row and a column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock import _core, stats
from ackclock.results.fairness import bounded_harm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ackclock.judge.matrix.networks import Network
    from ackclock.stats import Estimate

__all__ = ["MAPS", "Map", "Matrix"]

Runs = dict[int, dict[str, float]]
"""The numbers of runs by seed."""


@dataclass(frozen=True)
class Map:
    """A number for each row and column."""

    name: str
    title: str
    """The number in words: `row` and `column` are the contestants."""
    unit: str
    value: Callable[[Matrix, str, str, str, int], float]
    """The number of a matrix for a network, a row, a column and a seed; NaN if there is none."""
    middle: float | None = None
    """Number that has no colour, between two colours; None if colours go from the smallest to the largest."""

    @property
    def label(self) -> str:
        """The number with its unit."""
        return f"{self.title} ({self.unit})"


@dataclass(frozen=True)
class Matrix:
    """Contestants beside each other."""

    networks: tuple[Network, ...]
    contestants: tuple[str, ...]
    """Labels, in the order in which they were given."""
    against: tuple[str, ...]
    """Labels of those whose rows alone were asked for; empty if every row was."""
    seeds: tuple[int, ...]
    duration_s: float
    warm_up_s: float
    values: Mapping[tuple[str, str, str], Runs]
    """Numbers of runs by name of the network, first and second contestant; the second is empty in runs alone."""
    failures: Sequence[str]
    """A line for each run that failed."""

    def goodput(self, network: str, row: str, column: str, seed: int) -> float:
        """Goodput of the row beside the column, Mbit/s; of the row alone if the column is empty."""
        return self._of(network, row, column, seed, "mbps")

    def retransmitted(self, network: str, row: str, column: str, seed: int) -> float:
        """Retransmissions of the row beside the column over its segments with payload, per cent."""
        return self._of(network, row, column, seed, "retransmitted")

    def delay(self, network: str, row: str, column: str, seed: int, quantile: str = "p50") -> float:
        """Queueing delay of the two, ms."""
        return self._run(network, row, column, seed)[0].get(f"delay_{quantile}_ms", math.nan)

    def share(self, network: str, row: str, column: str, seed: int) -> float:
        """Share of the row in the goodput of both, per cent; NaN if neither delivers anything.

        Beside itself, the share of the slower of the two flows.
        """
        mine, other = self.goodput(network, row, column, seed), self.goodput(network, column, row, seed)
        if row == column:
            found, _ = self._run(network, row, column, seed)
            mine, other = sorted(found.get(f"{flow}_mbps", math.nan) for flow in ("a", "b"))
        return 100 * mine / (mine + other) if mine + other > 0 else math.nan

    def utilisation(self, network: str, row: str, column: str, seed: int) -> float:
        """Share of the time in which the bottleneck sends, per cent."""
        return self._run(network, row, column, seed)[0].get("utilisation", math.nan)

    def harm(self, what: str, network: str, row: str, column: str, seed: int) -> float:
        """Harm that the row does to the column (Ware and others, HotNets 2019), per cent.

        `what` is goodput, retransmitted or delay: the column's number beside the row against its number alone.
        """
        number: Callable[[str, str, str, int], float] = getattr(self, what)
        together, alone = number(network, column, row, seed), number(network, column, "", seed)
        return 100 * bounded_harm(together, alone, more_is_better=what == "goodput")

    def cell(self, one: Map, network: str, row: str, column: str) -> Estimate | None:
        """The mean of a number over the seeds that have it, with its interval; None if none has it."""
        found = [one.value(self, network, row, column, seed) for seed in self.seeds]
        finite = [value for value in found if math.isfinite(value)]
        return stats.mean(finite) if finite else None

    def ordered(self) -> tuple[str, ...]:
        """The contestants, those with the largest mean share over all networks and columns first."""

        def mean(row: str) -> float:
            shares = [
                cell.value
                for network in self.networks
                for column in self.contestants
                if column != row and (cell := self.cell(MAPS[0], network.name, row, column)) is not None
            ]
            return -sum(shares) / len(shares) if shares else 0.0

        return tuple(sorted(self.contestants, key=mean))

    def rows(self) -> tuple[str, ...]:
        """The rows that were asked for, in order."""
        return tuple(one for one in self.ordered() if not self.against or one in self.against)

    def document(self, command: str = "") -> dict[str, Any]:
        """Everything for JSON."""
        return {
            "version": _core.version(),
            "engine": _core.engine()[:8],
            "command": command,
            "seeds": list(self.seeds),
            "duration_s": self.duration_s,
            "warm_up_s": self.warm_up_s,
            "networks": [
                {"rate": one.rate, "rtt": one.rtt, "buffer": one.buffer, "name": one.name} for one in self.networks
            ],
            "contestants": list(self.contestants),
            "against": list(self.against),
            "maps": [{"name": one.name, "label": one.label, "unit": one.unit} for one in MAPS],
            "cells": [
                {"network": network.name, "row": row, "column": column}
                | {one.name: _told(self.cell(one, network.name, row, column)) for one in MAPS}
                for network in self.networks
                for row in self.rows()
                for column in self.ordered()
            ],
            "failures": list(self.failures),
        }

    def _run(self, network: str, row: str, column: str, seed: int) -> tuple[dict[str, float], str]:
        """The numbers of the run of two contestants, whichever is first, and the flow of the row."""
        found = self.values.get((network, row, column), {}).get(seed)
        if found is not None:
            return found, "a"
        return self.values.get((network, column, row), {}).get(seed, {}), "b"

    def _of(self, network: str, row: str, column: str, seed: int, what: str) -> float:
        found, flow = self._run(network, row, column, seed)
        if row == column and found:
            # Two flows of the same contestant: the mean of both.
            return (found.get(f"a_{what}", math.nan) + found.get(f"b_{what}", math.nan)) / 2
        return found.get(f"{flow}_{what}", math.nan)


def _told(one: Estimate | None) -> dict[str, Any]:
    return {"mean": None, "ci": None, "n": 0} if one is None else one.document()


MAPS = (
    Map("share", "Share of the row in the goodput of both", "%", Matrix.share, 50.0),
    Map(
        "harm_goodput", "Harm of the row to the column's goodput", "%",
        lambda matrix, *cell: matrix.harm("goodput", *cell), 50.0,
    ),
    Map(
        "harm_delay", "Harm of the row to the column's queueing delay", "%",
        lambda matrix, *cell: matrix.harm("delay", *cell),
    ),
    Map(
        "harm_loss", "Harm of the row to the column's losses", "%",
        lambda matrix, *cell: matrix.harm("retransmitted", *cell),
    ),
    Map("delay", "Median of the queueing delay", "ms", Matrix.delay),
    Map("delay_p95", "95th percentile of the queueing delay", "ms", lambda matrix, *cell: matrix.delay(*cell, "p95")),
    Map("loss", "Segments of the row that are retransmitted", "%", Matrix.retransmitted),
    Map("utilisation", "Utilisation of the bottleneck", "%", Matrix.utilisation),
)  # fmt: skip
"""The maps of a matrix. Harm of a half to the goodput is what an equal share does, and has no colour."""
