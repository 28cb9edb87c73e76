"""Measures of fairness between flows, from the rates of a run and from runs with and without other flows.

The public name of `ackclock.results.fairness`.
"""

from ackclock.results.fairness import bounded_harm, convergence_time, harm, jain_over_time

__all__ = ["bounded_harm", "convergence_time", "harm", "jain_over_time"]
