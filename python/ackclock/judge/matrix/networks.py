"""The networks of a matrix: one bottleneck each, with a rate, an RTT and a buffer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ackclock._errors import RefusedError

__all__ = ["NETWORKS", "Network", "network"]

TIME = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(us|ms|s)")
UNITS = {"us": "µs", "ms": "ms", "s": "s", "kbps": "kbit/s", "Mbps": "Mbit/s", "Gbps": "Gbit/s", "bps": "bit/s"}


@dataclass(frozen=True)
class Network:
    """A path with a drop-tail queue."""

    rate: str
    """Rate of the bottleneck, as a scenario has it."""
    rtt: str
    """Round-trip time without queueing, such as ``50ms``."""
    buffer: str
    """Queue of the bottleneck, as a scenario has it, such as ``4bdp``."""

    @property
    def name(self) -> str:
        """The network as `network` reads it."""
        return f"{self.rate},{self.rtt},{self.buffer}"

    @property
    def title(self) -> str:
        """The network in words."""
        return f"{_words(self.rate)}, {_words(self.rtt)}, {_words(self.buffer)}"

    def tables(self) -> dict[str, Any]:
        """The tables of a scenario."""
        return {"bottleneck": {"rate": self.rate, "delay": _halved(self.rtt), "queue": self.buffer}}


def network(text: str) -> Network:
    """The network of a text such as ``8Mbps,50ms,4bdp``: rate, RTT and buffer.

    Raises
    ------
    RefusedError
        If it is not three values, or the second is not a time. The other two are read by the scenario's reader.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(parts):
        raise RefusedError(f"network {text}: expected RATE,RTT,BUFFER, for example 8Mbps,50ms,4bdp")
    try:
        _halved(parts[1])
    except ValueError as error:
        raise RefusedError(f"network {text}: {error}; expected a time above zero such as 50ms") from None
    return Network(*parts)


def _halved(rtt: str) -> str:
    """The one-way delay of a link. Halves of decimal numbers are exact in twelve digits.

    Raises
    ------
    ValueError
        If the text is not a time above zero.
    """
    found = TIME.fullmatch(rtt)
    if found is None or not float(found[1]) > 0:
        raise ValueError(f"{rtt} is not an RTT")
    return f"{float(found[1]) / 2:.12g}{found[2]}"


def _words(quantity: str) -> str:
    """A quantity with a space before its unit."""
    found = re.fullmatch(r"([0-9.]+)\s*([A-Za-z]+)", quantity)
    if found is None:
        return quantity
    return f"{found[1]} {UNITS.get(found[2], 'BDP' if found[2] == 'bdp' else found[2])}"


NETWORKS = (
    Network("8Mbps", "50ms", "4bdp"),
    Network("50Mbps", "50ms", "4bdp"),
    Network("50Mbps", "50ms", "0.5bdp"),
    Network("20Mbps", "10ms", "1bdp"),
    Network("20Mbps", "150ms", "1bdp"),
)
"""The networks when none are named. The first two are the settings of Prudentia (Philip, Athapathu, Ware and others,
SIGCOMM 2024): 8 and 50 Mbit/s, 50 ms, 4 BDP."""
