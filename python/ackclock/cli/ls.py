"""``ackclock ls``: the sweeps of a store."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- cyclopts reads the annotations
from typing import TYPE_CHECKING, Any

from ackclock.cli.output import print_json, print_table

if TYPE_CHECKING:
    from ackclock.store import Store

__all__ = ["ls"]


def ls(folder: Path, /, *, json: bool = False) -> int:
    """List the sweeps of a store.

    A sweep of which a later one has every run is listed, too. Other commands show the later one alone.

    Parameters
    ----------
    folder
        The store of sweeps.
    json
        Print one JSON document: a list of sweeps.
    """
    from ackclock.store import open_store

    rows = []
    with open_store(folder, mixed=True, covered=True) as store:
        ids = [sweep.id for sweep in store.sweeps]
        if len(ids) == 1:
            rows.append(_row(store))
    # A run of several sweeps is one row there, and each sweep has to count it.
    for one in ids if len(ids) > 1 else []:
        with open_store(folder, sweep=one) as store:
            rows.append(_row(store))
    if json:
        print_json(rows)
        return 0
    names = ["name", "id", "points", "seeds", "done", "failed", "missing", "varied", "version"]
    cells = [[_told(row[name]) for name in names] for row in rows]
    print_table(str(folder), names, cells)
    return 0


def _row(store: Store) -> dict[str, Any]:
    [sweep] = store.sweeps
    seeds = {seed for _, _, seed, _ in sweep.runs}
    return {
        "name": sweep.name,
        "id": sweep.id,
        "points": len(sweep.points),
        "seeds": len(seeds),
        "done": store.finished - store.failed,
        "failed": store.failed,
        "missing": store.missing,
        "varied": sweep.varied,
        "version": sweep.version,
    }


def _told(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
