"""The units of scenarios, and quantities that are read from their canonical form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RATES", "TIMES", "VOLUMES", "quantity"]

TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
"""Units of time, in ns."""
RATES = {"bps": 1, "kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12}
"""Units of rates, in bit/s."""
VOLUMES = {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
"""Units of volumes, in bytes."""


def quantity(text: object, units: Mapping[str, int]) -> int:
    """A number and its unit, such as 20ms, in the smallest unit.

    Raises
    ------
    ValueError
        If that is no text, or nothing in these units.
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)", text) if isinstance(text, str) else None
    if found is None or found[2] not in units:
        raise ValueError(f"{text!r} is no quantity in {', '.join(units)}")
    return round(float(found[1]) * units[found[2]])
