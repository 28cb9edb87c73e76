"""The runs of a store as the page lists them, and those that it shows when it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.report.experiment.axes import axes_of
from ackclock.report.experiment.measures import flow_groups
from ackclock.report.tables import cell_text
from ackclock.results.names import field_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.store import Store
    from ackclock.store.asked import Sweep

__all__ = ["HANDFUL", "listed", "opening", "sweep_names", "titles"]

HANDFUL = 6
"""Runs that the page overlays when it opens, at most."""


def listed(store: Store, done: Sequence[str]) -> tuple[list[str], list[dict[str, Any]]]:
    """The names of all that was varied, and each run with its values, as reports write them, and its sweeps.

    Parameters
    ----------
    store
        See `ackclock.open`.
    done
        Keys of the runs.
    """
    names = list(dict.fromkeys(name for sweep in store.sweeps for name in sweep.varied))
    points = [point for sweep in store.sweeps for point in sweep.points]
    given = {name: [{name: point[name]} for point in points if point.get(name) is not None] for name in names}
    known = {axis.name: axis for one in given.values() for axis in axes_of(one)}

    def text(name: str, value: Any) -> str:
        return known[name].text(value) if name in known else cell_text(value)

    found: dict[str, dict[str, Any]] = {run: {"values": {}, "sweeps": []} for run in done}
    for number, sweep in enumerate(store.sweeps):
        for run, point, seed, _ in sweep.runs:
            if run in found:
                one = found[run]
                one["seed"] = seed
                # Sweeps that share a run may have varied different fields.
                one["values"] |= sweep.points[point]
                if number not in one["sweeps"]:
                    one["sweeps"].append(number)
    runs = [
        {
            "run": run,
            "seed": one["seed"],
            "values": [text(name, one["values"].get(name)) for name in names],
            "sweeps": one["sweeps"],
        }
        for run, one in found.items()
    ]
    return names, runs


def titles(store: Store, names: Sequence[str]) -> list[str]:
    """The names of varied fields in words, as reports have them."""
    flows = flow_groups(store)
    known = {axis.name: axis.title for sweep in store.sweeps for axis in axes_of(sweep.points, flows)}
    return [known.get(name) or field_name(name, flows) for name in names]


def sweep_names(sweeps: Sequence[Sweep]) -> list[str]:
    """The names of sweeps; those of one name with their ids as well."""
    names = [sweep.name for sweep in sweeps]
    return [sweep.name if names.count(sweep.name) == 1 else f"{sweep.name} ({sweep.id})" for sweep in sweeps]


def opening(sweeps: Sequence[Sweep], done: set[str]) -> list[str]:
    """The runs that the page overlays when it opens: of the last sweep, the first seed of each setting.

    With more than a handful of settings, these are the values of what was varied first, with all else as in the first
    point; of more than a handful of values, some that are spread over all.
    """
    for sweep in reversed(sweeps):
        first: dict[int, str] = {}
        for run, point, _, _ in sweep.runs:
            if run in done and run not in first.values():
                first.setdefault(point, run)
        if first:
            points = [point for point in _along_the_first(sweep.points) if point in first] or list(first)
            places = np.unique(np.linspace(0, len(points) - 1, min(HANDFUL, len(points))).round().astype(int))
            return [first[points[place]] for place in places.tolist()]
    return []


def _along_the_first(points: Sequence[Mapping[str, Any]]) -> list[int]:
    """Numbers of all points, or where they are many, of those that differ from the first in its first field alone."""
    if len(points) <= HANDFUL:
        return list(range(len(points)))
    start = points[0]
    differing = [name for name in start if any(point.get(name) != start[name] for point in points)]
    fixed = {name: start[name] for name in differing[1:]}
    return [number for number, point in enumerate(points) if all(point.get(name) == fixed[name] for name in fixed)]
