"""Many runs at once: those that are in no part yet, and all those of a part, for which a query each would take long."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from arro3.core import Array
from arro3.core import Table as ArrowTable

from ackclock.base.table import Table
from ackclock.store.layout import read
from ackclock.store.packed import DamagedRunError, unbatch, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ackclock.store.layout import Layout
    from ackclock.store.packed import Packed

__all__ = ["by_run", "pending_runs"]


def pending_runs(layout: Layout) -> Iterator[tuple[str, Packed]]:
    """The finished runs that are in no part, by their keys."""
    for path in layout.batches():
        # What has gone became part of parts; what is damaged has not finished, and the next start runs it again.
        with suppress(FileNotFoundError):
            for data in unbatch(read(path)):
                with suppress(DamagedRunError):
                    packed = unpack(data)
                    yield packed.record["run"], packed


def by_run(rows: ArrowTable) -> dict[str, Table]:
    """The rows of each run, in the order in which they are in `rows`, without the column ``run``.

    Runs that follow each other, as in every part that ackclock writes, share the memory of `rows`.
    """
    keys = np.asarray(rows.column("run").to_pylist(), dtype=object)
    bare = rows.select([name for name in rows.column_names if name != "run"]).combine_chunks()
    edges = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist(), keys.size] if keys.size else []
    found: dict[str, list[tuple[int, int]]] = {}
    for begin, end in pairwise(edges):
        found.setdefault(str(keys[begin]), []).append((begin, end))
    return {run: Table(_of(bare, stretches)) for run, stretches in found.items()}


def _of(rows: ArrowTable, stretches: list[tuple[int, int]]) -> ArrowTable:
    if len(stretches) == 1:
        [(begin, end)] = stretches
        return rows.slice(begin, end - begin)
    places = Array.from_numpy(np.concatenate([np.arange(*one, dtype=np.int64) for one in stretches]))
    return ArrowTable.from_batches([batch.take(places) for batch in rows.to_batches()], schema=rows.schema)
