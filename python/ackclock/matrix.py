"""Matrices of congestion controls, each beside each other.

The public name of `ackclock.judge.matrix`.
"""

from ackclock.judge.matrix import CONTESTANTS, MAPS, NETWORKS, Map, Matrix, Network, contestant, make, network

__all__ = ["CONTESTANTS", "MAPS", "NETWORKS", "Map", "Matrix", "Network", "contestant", "make", "network"]
