"""Measures of fairness between flows, from the rates of a run and from runs with and without other flows.

The public name of `ackclock.results.fairness`.
"""

from ackclock.results.fairness import convergence_time, harm, jain_over_time

__all__ = ["convergence_time", "harm", "jain_over_time"]
