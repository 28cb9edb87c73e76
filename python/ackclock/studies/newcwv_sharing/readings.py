"""The variants, the traffic beside DASH, and every reading of the settings that the original leaves open."""

from __future__ import annotations

from ackclock.scenario import Text
from ackclock.studies.framework import Reading, Variant, study_file
from ackclock.studies.framework.setups.http_vectors import vectors_name
from ackclock.studies.framework.setups.newcwv import LADDER_700, NEWCWV, NEWRENO, ONE_WAY, PACED, ROUND_TRIP, SPREAD

__all__ = ["FTP", "HTTP", "MAIN", "OTHER_DELAY", "RIVALS", "VARIANTS", "VECTORS", "readings", "variants"]

FTP, HTTP = "ftp", "http"
RIVALS = {FTP: "FTP (NewReno)", HTTP: "HTTP (newCWV)"}
"""The traffic that shares the link with DASH: name of the scenario and of its second class to its label."""

VARIANTS = (NEWCWV, SPREAD, PACED, NEWRENO)
"""The original's first, then both readings of its pacing, then the control."""

MAIN = f"{ROUND_TRIP}, 1 BDP"
OTHER_DELAY = f"{ONE_WAY}, 1 BDP"
VECTORS = "flows[1].app.vectors.file"

_COMMON: dict[str, dict[str, object]] = {
    MAIN: {},
    OTHER_DELAY: {"bottleneck.delay": "200ms"},
    "half a BDP": {"bottleneck.queue": "0.5bdp"},
    "2 BDP": {"bottleneck.queue": "2bdp"},
    "10-s segments": {"flows[0].app.segment": "10s"},
    "ladder from 200 to 700": {"flows[0].app.ladder": LADDER_700},
    "2 DASH clients": {"flows[0].count": 2},
    "what the RFCs say": {"flows[0].stack": "rfc", "flows[1].stack": "rfc"},
}
_OWN: dict[str, dict[str, dict[str, object]]] = {
    FTP: {
        "2 FTP flows": {"flows[1].count": 2},
        "2 DASH clients, 2 FTP flows": {"flows[0].count": 2, "flows[1].count": 2},
        "640 s": {"duration": "640s"},
        "a file with a window of 12 kB": {"flows[1].receive_buffer": "12kB"},
        "a file with a window of 24 kB": {"flows[1].receive_buffer": "24kB"},
    },
    HTTP: {
        "0.1 sessions a second": {VECTORS: vectors_name("-light", 1)},
        "0.4 sessions a second": {VECTORS: vectors_name("-heavy", 1)},
    },
}


def readings(rival: str, folder: str) -> list[Reading]:
    """The main reading, and those that change one thing of it; the vectors of HTTP lie in `folder`."""
    text = Text(study_file(__package__, f"{rival}.toml"), name=f"newcwv_sharing/{rival}.toml", folder=folder)
    return [Reading(name, text, changes) for name, changes in {**_COMMON, **_OWN[rival]}.items()]


def variants(rival: str) -> tuple[Variant, ...]:
    """The variants of DASH; HTTP has the same as DASH, FTP is NewReno's."""
    if rival == FTP:
        return VARIANTS
    return tuple(
        Variant(
            one.name,
            one.label,
            {**one.overrides, **{path.replace("flows[0]", "flows[1]"): value for path, value in one.overrides.items()}},
        )
        for one in VARIANTS
    )
