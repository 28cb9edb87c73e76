"""Every reading of the settings that the original leaves open."""

from __future__ import annotations

from ackclock.scenario import Text
from ackclock.studies.framework import Reading, study_file
from ackclock.studies.framework.setups.http_vectors import vectors_name

__all__ = ["MAIN", "VECTORS", "readings"]

MAIN = "200 ms one-way, 1 BDP, 0.25 sessions a second"
VECTORS = "flows[0].app.vectors.file"


def readings(folder: str) -> list[Reading]:
    """The main reading, and those that change one setting of it. The vectors are in `folder`."""
    text = Text(study_file(__package__, "scenario.toml"), name="newcwv_http/scenario.toml", folder=folder)
    changes: dict[str, dict[str, object]] = {
        MAIN: {},
        "200 ms round trip": {"bottleneck.delay": "100ms"},
        "half a BDP": {"bottleneck.queue": "0.5bdp"},
        "2 BDP": {"bottleneck.queue": "2bdp"},
        "a tenth of a BDP": {"bottleneck.queue": "0.1bdp"},
        "20 ms one-way": {"bottleneck.delay": "20ms"},
        "20 ms one-way, a queue of 50 kB": {"bottleneck.delay": "20ms", "bottleneck.queue": "50kB"},
        "slow start with HyStart": {"flows[0].slow_start": "hystart"},
        "windows of at most 64 kB": {"flows[0].receive_buffer": "64kB"},
        "0.1 sessions a second": {VECTORS: vectors_name("-light", 1)},
        "0.4 sessions a second": {VECTORS: vectors_name("-heavy", 1)},
    }
    return [Reading(name, text, overrides) for name, overrides in changes.items()]
