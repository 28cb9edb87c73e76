"""The numbers that a store keeps of each run of a matrix.

A change of this file makes other runs: stores know what they keep by its source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.judge.card.measures import goodput, queue_delay, retransmitted, value_of

if TYPE_CHECKING:
    from ackclock.results.result import Result

__all__ = ["numbers"]


def numbers(result: Result, *, from_s: float) -> dict[str, float]:
    """Goodputs in Mbit/s, retransmissions in per cent, queueing delay in ms, and utilisation in per cent.

    Goodputs and delays are those after `from_s`; retransmissions and utilisation are those of the whole run.
    """
    end = float(result.meta["duration_s"])
    found = {
        "delay_p50_ms": queue_delay(result, from_s, end, 0.5),
        "delay_p95_ms": queue_delay(result, from_s, end, 0.95),
        "utilisation": 100 * value_of(result, "links[bottleneck].utilisation", {}),
    }
    for name in dict.fromkeys(str(one) for one in result.flows["flow"]):
        found[f"{name}_mbps"] = goodput(result, [name], from_s)
        found[f"{name}_retransmitted"] = retransmitted(result, [name])
    return found
