"""Stores: the results of sweeps on disk, in Parquet, to be questioned later.

`ackclock.sweep` writes them and `ackclock.open` reads them, at the same time if need be. Each run is known by its
scenario, its seed, the build of the engine and what is kept of it, so that nothing is run twice and results of
different versions do not mix.
"""

from __future__ import annotations

from ackclock.store.asked import Sweep
from ackclock.store.layout import StoreError
from ackclock.store.reader import Store, open_store

__all__ = ["Store", "StoreError", "Sweep", "open_store"]
