"""A matrix of congestion controls: each beside each other, and alone, over several networks.

- `CONTESTANTS` and `NETWORKS` are what the matrix of the documentation has.
- `make` runs what is missing in a store, and gives a `Matrix` with shares, harm, delays and losses.
- The maps of a matrix (`MAPS`) are numbers for each pair of a row and a column.
"""

from __future__ import annotations

from ackclock.judge.matrix.contestants import CONTESTANTS, contestant, label_of
from ackclock.judge.matrix.matrix import MAPS, Map, Matrix
from ackclock.judge.matrix.networks import NETWORKS, Network, network
from ackclock.judge.matrix.perform import DURATION_S, SEEDS, WARM_UP_S, make

__all__ = [
    "CONTESTANTS", "DURATION_S", "MAPS", "NETWORKS", "SEEDS", "WARM_UP_S", "Map", "Matrix", "Network", "contestant",
    "label_of", "make", "network",
]  # fmt: skip
