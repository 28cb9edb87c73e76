"""A grid of simulations: readings of the original x variants x paired seeds, over all cores."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock import _core, stats
from ackclock.cc import registry
from ackclock.cc.registry import named_in
from ackclock.engine.run import Job
from ackclock.scenario import override_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.scenario import Text
    from ackclock.studies.framework.claims import Kind

__all__ = [
    "ALL_CELLS",
    "Grid",
    "Reading",
    "Variant",
    "bounds_of",
    "command_of",
    "geometric",
    "hash_of",
    "hashes",
    "job",
]

ALL_CELLS = "mean of all cells"
"""The name of a number over all readings, beside the numbers of each reading."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a setting that the original work left open."""

    name: str
    scenario: Text
    overrides: Mapping[str, object] = field(default_factory=dict)
    kind: Kind = "assumption"
    """Subject that the reading varies."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the alternatives that a study compares. Its place in the list decides its colour in every figure."""

    name: str
    label: str
    overrides: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grid:
    """The measured numbers of a grid."""

    readings: tuple[Reading, ...]
    variants: tuple[Variant, ...]
    seeds: Mapping[str, tuple[int, ...]]
    """Reading to its seeds."""
    cells: Mapping[tuple[str, str], Mapping[str, NDArray[np.float64]]]
    """(reading, variant) to measure to its values in the order of the seeds."""

    def values(self, reading: str, variant: str, measure: str) -> NDArray[np.float64]:
        """One number a seed, in the order of the seeds: values of two variants are pairs."""
        return self.cells[reading, variant][measure]

    def mean(self, reading: str, variant: str, measure: str) -> stats.Estimate:
        """The mean over the seeds, with a Student t interval that ends at the bounds of the measure."""
        return stats.mean(self.values(reading, variant, measure)).within(*bounds_of(measure))

    def change(self, reading: str, variant: str, against: str, measure: str) -> stats.Estimate:
        """The relative change of the mean from variant `against`, in per cent, over paired seeds."""
        pair = self.values(reading, variant, measure), self.values(reading, against, measure)
        return stats.relative_change(*pair).scaled(100)

    def difference(self, reading: str, variant: str, against: str, measure: str) -> stats.Estimate:
        """The mean difference from variant `against`, in the unit of the measure, over paired seeds."""
        pair = self.values(reading, variant, measure), self.values(reading, against, measure)
        return stats.paired_difference(*pair)

    def over(self, readings: Sequence[str], variant: str, measure: str) -> NDArray[np.float64]:
        """The mean over several readings, one number a seed, for claims about all of these readings."""
        stacked = np.stack([self.values(reading, variant, measure) for reading in readings])
        return np.asarray(stacked.mean(axis=0), dtype=np.float64)

    def log_ratios(self, readings: Sequence[str], variant: str, against: str, measure: str) -> NDArray[np.float64]:
        """The logarithms of the ratios to variant `against`, averaged over some readings: one number a seed."""
        ratios = [
            np.log(self.values(reading, variant, measure) / self.values(reading, against, measure))
            for reading in readings
        ]
        return np.asarray(np.mean(ratios, axis=0), dtype=np.float64)

    def geometric_change(self, readings: Sequence[str], variant: str, against: str, measure: str) -> stats.Estimate:
        """The change from variant `against` in per cent over some readings, which all have the same weight."""
        return geometric(self.log_ratios(readings, variant, against, measure))

    def rows(self) -> tuple[list[str], list[list[object]]]:
        """Every number as a table: columns, and one row a (reading, variant, seed)."""
        measures = list(next(iter(self.cells.values())))
        rows: list[list[object]] = [
            [reading.name, variant.name, seed]
            + [float(self.values(reading.name, variant.name, measure)[index]) for measure in measures]
            for reading in self.readings
            for variant in self.variants
            for index, seed in enumerate(self.seeds[reading.name])
        ]
        return ["reading", "variant", "seed", *measures], rows


def bounds_of(measure: str) -> tuple[float, float]:
    """The bounds of a study's measure by its name: a part of a whole in per cent, or Jain's index."""
    if measure.endswith("_percent"):
        return 0.0, 100.0
    if measure in ("jain", "fairness") or measure.endswith("_fairness"):
        return 0.0, 1.0
    return -math.inf, math.inf


def job(reading: Reading, variant: Variant, seed: int | None, overrides: Mapping[str, object] | None = None) -> Job:
    """The job of one cell. `overrides` replace those of the reading and the variant, for example to add a probe."""
    merged = {**reading.overrides, **variant.overrides, **(overrides or {})}
    return Job(reading.scenario, tuple(override_pairs(merged)), seed)


def geometric(log_ratios: NDArray[np.float64]) -> stats.Estimate:
    """The geometric mean of ratios, less one, in per cent. The interval is Student's for the logarithms."""
    mean = stats.mean(log_ratios)
    value, low, high = (100 * math.expm1(number) for number in (mean.value, mean.low, mean.high))
    return replace(mean, value=value, low=low, high=high)


def hash_of(reading: Reading, variant: Variant) -> str:
    """The hash of the scenario of a reading and a variant."""
    one = job(reading, variant, None)
    text = one.scenario
    return _core.scenario_hash(text.text, text.format, list(one.overrides), text.folder, registry.algorithms())


def hashes(readings: Iterable[Reading], variant: Variant) -> dict[str, str]:
    """The hash of the scenario of every reading with one variant, by the name of the reading."""
    return {reading.name: hash_of(reading, variant) for reading in readings}


def command_of(reading: Reading, variant: Variant, seed: int, overrides: Mapping[str, object] | None = None) -> str:
    """The command that repeats one run in the folder that the study was written to."""
    one = job(reading, variant, seed, overrides)
    sets = [f"--set '{path}={value}'" for path, value in one.overrides]
    loads = [f"--load {shlex.quote(file)}" for file in registry.files(_algorithms(one))]
    return " ".join(["ackclock run scenario.toml", *loads, f"--seed {seed}", *sets])


def _algorithms(one: Job) -> tuple[str, ...]:
    """The names of the congestion controls of a run."""
    text = one.scenario
    checked = _core.check(text.text, text.format, list(one.overrides), text.folder, registry.algorithms())
    return named_in(json.loads(checked))
