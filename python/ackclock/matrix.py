"""Matrices of congestion controls, each beside each other.

The public name of `ackclock.judge.matrix`.
"""

from ackclock.judge.matrix import (
    CONTESTANTS,
    DURATION_S,
    MAPS,
    NETWORKS,
    SEEDS,
    WARM_UP_S,
    Map,
    Matrix,
    Network,
    contestant,
    label_of,
    make,
    network,
)

__all__ = [
    "CONTESTANTS", "DURATION_S", "MAPS", "NETWORKS", "SEEDS", "WARM_UP_S", "Map", "Matrix", "Network", "contestant",
    "label_of", "make", "network",
]  # fmt: skip
