"""The sweeps of a store: what was asked for, whatever has come of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arro3.core import Array, DataType, Field, RecordBatch, Schema
from arro3.core import Table as ArrowTable

from ackclock.base import reading
from ackclock.base.documents import parse
from ackclock.base.near import suggestion
from ackclock.stats.weighted import normalised
from ackclock.store.layout import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ackclock.store.layout import Layout

__all__ = ["Sweep", "asked", "chosen", "read_sweep", "uncovered"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A requested sweep, as the store has it."""

    id: str
    name: str
    version: str
    """The build of the engine: version and digest."""
    points: Sequence[Mapping[str, Any]]
    """The varied fields of every point: name to value."""
    runs: Sequence[tuple[str, int, int, str]]
    """Key, number of the point, seed and scenario hash of every run, in order."""
    document: Mapping[str, Any]
    """All of ``sweeps/ID.json``: the scenario, the points with what they set, the seeds."""

    @property
    def varied(self) -> list[str]:
        """The names of all varied fields, in the order of the points."""
        return list(dict.fromkeys(name for point in self.points for name in point))

    @property
    def measures(self) -> list[str]:
        """The measures that the sweep is about; none if it did not say."""
        return [str(one) for one in self.document.get("measures", [])]

    @property
    def competing(self) -> list[list[str]]:
        """Names of flows whose goodputs are shares of the same capacity at every point; see `competing_of`."""
        return [[str(name) for name in names] for names in self.document.get("competing", [])]

    @property
    def weights(self) -> list[float] | None:
        """The weight of every point; None if the points have no weights."""
        given = [point.get("weight") for point in self.document["points"]]
        return None if not given or None in given else [float(one) for one in given]

    @property
    def population(self) -> list[str]:
        """The names over which the weights are: at each setting of all other names there is a whole population."""
        return [str(name) for name in self.document.get("population", [])]


def read_sweep(layout: Layout, one: str) -> Sweep:
    """One of the sweeps of a store.

    Raises
    ------
    StoreError
        If its document cannot be read or is damaged.
    """
    path = layout.sweeps / f"{one}.json"
    try:
        document = parse(reading.contents(path))
        found = Sweep(
            one,
            str(document["name"]),
            str(document["version"]),
            [dict(point["params"]) for point in document["points"]],
            [
                (str(run), _below(point, len(document["points"])), _below(seed, 2**64), scenario_hash)
                for run, point, seed in document["runs"]
                for scenario_hash in [str(document["points"][point]["scenario_hash"])]
            ],
            document,
        )
        if found.weights is not None:
            normalised(found.weights)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError):
        raise StoreError(f"{path}: damaged; the sweep, started again, writes it anew") from None
    return found


def _below(value: Any, most: int) -> int:
    """A whole number from zero to below `most`, as a damaged file may not have it."""
    if not isinstance(value, int) or not 0 <= value < most:
        raise ValueError(f"{value} is no number from 0 to {most - 1}")
    return value


def chosen(sweeps: list[Sweep], sweep: str | None, version: str | None, path: Path) -> list[Sweep]:
    """The sweeps with an id that begins so, or else this name, and with this version.

    Raises
    ------
    StoreError
        If there is none.
    """
    found = sweeps
    if sweep is not None:
        found = [one for one in found if one.id.startswith(sweep)] or [one for one in found if one.name == sweep]
        if not found:
            told = ", ".join(f"{one.id} ({one.name})" for one in sweeps) or "none"
            near = suggestion(sweep, [one.name for one in sweeps])
            raise StoreError(f"{path}: no sweep {sweep!r}; there are {told}{near}")
    if version is not None:
        builds = dict.fromkeys(one.version for one in found)
        found = [one for one in found if version in (one.version, one.version.partition("+")[0])]
        if not found:
            raise StoreError(f"{path}: no results of version {version!r}; there are {', '.join(builds) or 'none'}")
    return found


def uncovered(sweeps: list[Sweep]) -> list[Sweep]:
    """The sweeps without those of which a later one has every run: more seeds make a sweep that covers the first."""
    runs = [{run for run, *_ in one.runs} for one in sweeps]
    return [one for place, one in enumerate(sweeps) if not any(later >= runs[place] for later in runs[place + 1 :])]


def asked(sweeps: Sequence[Sweep]) -> ArrowTable:
    """Every run that was asked for, once: several sweeps may have asked for it, and the last one names it."""
    if len(sweeps) == 1:
        # Points of one sweep may be the same scenario under two names; each keeps its row.
        entries = list(dict.fromkeys(sweeps[0].runs))
        owners = [sweeps[0]] * len(entries)
    else:
        last = {one[0]: (sweep, one) for sweep in sweeps for one in sweep.runs}
        entries = [one for _, one in last.values()]
        owners = [sweep for sweep, _ in last.values()]
    # A store may have a million runs: columns of what is there already, and no row by itself.
    params = [sweep.points[point] for sweep, (_, point, _, _) in zip(owners, entries, strict=True)]
    columns: dict[str, tuple[list[Any], DataType]] = {
        "place": (list(range(len(entries))), DataType.int64()),
        "run": ([run for run, _, _, _ in entries], DataType.string()),
        "sweep": ([sweep.id for sweep in owners], DataType.string()),
        "point": ([point for _, point, _, _ in entries], DataType.int64()),
        "seed": ([seed for _, _, seed, _ in entries], DataType.uint64()),
    }
    for name in dict.fromkeys(name for one in params for name in one):
        columns[name] = _column([one.get(name) for one in params])
    columns["scenario_hash"] = ([scenario_hash for _, _, _, scenario_hash in entries], DataType.string())
    columns["version"] = ([sweep.version for sweep in owners], DataType.string())
    schema = Schema([Field(name, kind) for name, (_, kind) in columns.items()])
    arrays = [Array(cells, type=kind) for cells, kind in columns.values()]
    return ArrowTable.from_batches([RecordBatch.from_arrays(arrays, schema=schema)])


def _column(cells: list[Any]) -> tuple[list[Any], DataType]:
    """Cells and their type: whole numbers, numbers or truth values where all are, else text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return cells, DataType.bool()
    if kinds == {int} and all(cell is None or -(2**63) <= cell < 2**63 for cell in cells):
        return cells, DataType.int64()
    if kinds <= {int, float} and kinds:
        return [None if cell is None else float(cell) for cell in cells], DataType.float64()
    texts = [cell if cell is None or isinstance(cell, str) else json.dumps(cell) for cell in cells]
    return texts, DataType.string()
