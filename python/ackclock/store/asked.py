"""The sweeps of a store: what was asked for, whatever has come of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from arro3.core import Array, DataType, Field, RecordBatch, Schema
from arro3.core import Table as ArrowTable

from ackclock.base import reading
from ackclock.base.near import suggestion
from ackclock.stats.weighted import normalised
from ackclock.store.layout import StoreError
from ackclock.store.runs import CHUNK, Keys, Requested, Runs, split
from ackclock.store.sound import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

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
    runs: Runs
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
        document, (keys, places, seeds) = split(reading.contents(path).decode("utf-8"))
        check(document)
        points = [dict(point["params"]) for point in document["points"]]
        if places.size and int(places.max()) >= len(points):
            raise ValueError("a run is of no point")
        runs = Runs(keys, places, seeds, [point["scenario_hash"] for point in document["points"]])
        document["runs"] = Requested(runs)
        found = Sweep(one, document["name"], document["version"], points, runs, document)
        if found.weights is not None:
            normalised(found.weights)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError):
        raise StoreError(f"{path}: damaged; the sweep, started again, writes it anew") from None
    return found


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
    if len(sweeps) < 2:
        return sweeps
    keys = [np.unique(one.runs.keys.column) for one in sweeps]

    def covers(later: NDArray[np.bytes_], earlier: NDArray[np.bytes_]) -> bool:
        return later.size >= earlier.size and bool(np.isin(earlier, later, assume_unique=True).all())

    return [
        one for place, one in enumerate(sweeps) if not any(covers(later, keys[place]) for later in keys[place + 1 :])
    ]


def asked(sweeps: Sequence[Sweep]) -> Iterator[tuple[NDArray[np.bytes_], ArrowTable]]:
    """Every run that was asked for, once: several sweeps may have asked for it, and the last one names it.

    The runs come in tables of at most `CHUNK` rows, each with the column of their keys; there is at least one table.
    """
    keys, owners, points, seeds = _once(sweeps)
    # Each point has the same cells in all of its runs. The points are in the order of their first runs.
    _, first, number = np.unique(owners << 48 | points, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.argsort(order)[number]
    named = [(sweeps[owner], point) for owner, point in zip(owners[first[order]], points[first[order]], strict=True)]
    params = [sweep.points[point] for sweep, point in named]
    cells: dict[str, tuple[list[Any], DataType]] = {
        name: _column([one.get(name) for one in params])
        for name in dict.fromkeys(name for one in params for name in one)
    }
    cells["scenario_hash"] = ([sweep.runs.hashes[point] for sweep, point in named], DataType.string())
    cells["version"] = ([sweep.version for sweep, _ in named], DataType.string())
    ids = [sweep.id for sweep, _ in named]
    whole = DataType.int64()
    kinds = {"place": whole, "run": DataType.string(), "sweep": DataType.string(), "point": whole}
    kinds |= {"seed": DataType.uint64(), **{name: kind for name, (_, kind) in cells.items()}}
    schema = Schema([Field(name, kind) for name, kind in kinds.items()])
    # A store may have a million runs, of which there are not so many Python objects at once.
    for begin in range(0, max(1, len(keys)), CHUNK):
        own = slice(begin, begin + CHUNK)
        which = number[own].tolist()
        arrays = [
            Array.from_numpy(np.arange(begin, begin + len(which))),
            Array(keys.texts(begin), type=DataType.string()),
            Array([ids[one] for one in which], type=DataType.string()),
            Array.from_numpy(points[own]),
            Array.from_numpy(seeds[own]),
            *(Array([column[one] for one in which], type=kind) for column, kind in cells.values()),
        ]
        yield keys.column[own], ArrowTable.from_batches([RecordBatch.from_arrays(arrays, schema=schema)])


def _once(sweeps: Sequence[Sweep]) -> tuple[Keys, NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """The key, the number of the sweep, that of the point, and the seed of every run, each run once."""
    nothing = np.array([], dtype=np.bytes_), np.array([], dtype=np.int64), np.array([], dtype=np.uint64)
    keys = np.concatenate([nothing[0], *(one.runs.keys.column for one in sweeps)])
    points = np.concatenate([nothing[1], *(one.runs.points for one in sweeps)])
    seeds = np.concatenate([nothing[2], *(one.runs.seeds for one in sweeps)])
    owners = np.repeat(np.arange(len(sweeps), dtype=np.int64), [len(one.runs) for one in sweeps])
    first, last = _places(keys)
    if first.size < keys.size:
        if len(sweeps) == 1:
            # Points of one sweep may be the same scenario under two names; each keeps its row.
            same = np.lexsort((seeds, points, keys))
            new = np.ones(keys.size, dtype=bool)
            new[1:] = np.any([column[same][1:] != column[same][:-1] for column in (keys, points, seeds)], axis=0)
            chosen = np.sort(same[new])
        else:
            chosen = last[np.argsort(first)]
        keys, owners, points, seeds = keys[chosen], owners[chosen], points[chosen], seeds[chosen]
    return Keys(keys), owners, points, seeds


def _places(keys: NDArray[np.bytes_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last place of each of the different keys, in the order of the keys."""
    order = np.argsort(keys, kind="stable")
    inside = keys[order]
    edges = np.flatnonzero(np.concatenate([[True], inside[1:] != inside[:-1]])) if keys.size else order
    ends = np.concatenate([edges[1:], [keys.size]])[: edges.size].astype(np.int64) - 1
    return order[edges], order[ends]


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
