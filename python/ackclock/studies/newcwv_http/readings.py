"""Every reading of the settings that the original leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.scenario import Text
from ackclock.studies.framework import Reading, Variant, study_file
from ackclock.studies.framework.setups.http_vectors import vectors_name
from ackclock.studies.framework.setups.newcwv import NEWCWV, ONE_WAY, ROUND_TRIP

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CLOSED",
    "CONNECTIONS",
    "KEPT",
    "MAIN",
    "OTHER_DELAY",
    "VECTORS",
    "every_object_its_own",
    "pages",
    "readings",
]

MAIN = f"{ROUND_TRIP}, 1 BDP, 0.25 sessions a second"
OTHER_DELAY = f"{ONE_WAY}, 1 BDP, 0.25 sessions a second"
VECTORS = "flows[0].app.vectors.file"


def readings(folder: str) -> list[Reading]:
    """The main reading, and those that change one setting of it. The vectors are in `folder`."""
    text = Text(study_file(__package__, "scenario.toml"), name="newcwv_http/scenario.toml", folder=folder)
    changes: dict[str, dict[str, object]] = {
        MAIN: {},
        OTHER_DELAY: {"bottleneck.delay": "200ms"},
        "half a BDP": {"bottleneck.queue": "0.5bdp"},
        "2 BDP": {"bottleneck.queue": "2bdp"},
        "a quarter of a BDP": {"bottleneck.queue": "0.25bdp"},
        "a tenth of a BDP": {"bottleneck.queue": "0.1bdp"},
        "20 ms one-way": {"bottleneck.delay": "20ms"},
        "20 ms one-way, a queue of 50 kB": {"bottleneck.delay": "20ms", "bottleneck.queue": "50kB"},
        "slow start with HyStart": {"flows[0].slow_start": "hystart"},
        "windows of at most 64 kB": {"flows[0].receive_buffer": "64kB"},
        "0.1 sessions a second": {VECTORS: vectors_name("-light", 1)},
        "0.4 sessions a second": {VECTORS: vectors_name("-heavy", 1)},
    }
    return [Reading(name, text, overrides) for name, overrides in changes.items()]


CONNECTIONS = "flows[0].app.connections"
KEPT = Variant("persistent", "a persistent connection", {**NEWCWV.overrides, CONNECTIONS: "per-page"})
CLOSED = Variant("per-object", "a connection for each object", {**NEWCWV.overrides, CONNECTIONS: "per-object"})


def pages() -> list[Reading]:
    """Web pages over the study's link, for the claims about persistent connections: both readings of the delay."""
    text = Text(study_file(__package__, "pages.toml"), name="newcwv_http/pages.toml")
    return [Reading(f"pages, {ROUND_TRIP}", text), Reading(f"pages, {ONE_WAY}", text, {"bottleneck.delay": "200ms"})]


def every_object_its_own(overrides: Mapping[str, object]) -> dict[str, object]:
    """Takes the persistent connections from a run."""
    return {CONNECTIONS: "per-object"} if CONNECTIONS in overrides else {}
