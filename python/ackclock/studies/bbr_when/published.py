"""The numbers of figure 5 as the paper prints them: the gain in goodput of BBR over CUBIC in every cell."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ackclock.studies.framework import study_file

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DEEP", "SHALLOW", "Gains", "gains"]

SHALLOW, DEEP = "100 kB", "10 MB"


@dataclass(frozen=True, slots=True)
class Gains:
    """The heat-maps: their rates and round-trip times, and the gain in per cent by buffer, rate and round-trip time."""

    rates_mbps: tuple[int, ...]
    rtts_ms: tuple[int, ...]
    gain_percent: Mapping[tuple[str, int, int], float]


@cache
def gains() -> Gains:
    """The heat-maps of both buffers."""
    document = tomllib.loads(study_file(__package__, "published.toml"))
    rates, rtts = document["rates_mbps"], document["rtts_ms"]
    found = {
        (buffer, rate, rtt): float(value)
        for buffer, lines in document["gain_percent"].items()
        for rate, line in zip(rates, lines, strict=True)
        for rtt, value in zip(rtts, line, strict=True)
    }
    return Gains(tuple(rates), tuple(rtts), found)
