"""Compares the claims with the measured numbers under every reading, and makes the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all
from ackclock.studies.satellite import harm
from ackclock.studies.satellite.cells import HSTCP, LARGE, MAIN, MODERATE, NEWRENO, PLAYOUTS, SMALL, mos_of, name

if TYPE_CHECKING:
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind

__all__ = ["assess_claims", "calls_sheet", "harm_sheet", "sheet"]

HARM = "-harm"
"""The suffix of the ids of claims about harm, after the name of the variant."""


def assess_claims(grids: list[Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(__package__, lambda name: _of_claim(grids, name), MAIN, kind_of)


def kind_of(name: str) -> Kind:
    """The kind of a reading: other words for harm are definitions."""
    return "definition" if name in harm.DEFINITIONS else "assumption"


def _of_claim(grids: list[Grid], identifier: str) -> dict[str, Estimate]:
    """The estimates for a claim under every reading that has its queues."""
    measured = {}
    for grid in grids:
        have = {one.name for one in grid.readings}
        for choice in dict.fromkeys(one.name.partition("; ")[0] for one in grid.readings):
            if {name(queue, choice) for queue in _queues(identifier)} <= have:
                measured[choice] = _measure(grid, choice, identifier)
    if identifier == "moderate-mos":
        measured |= {f"play-out of {playout}": _calls(grids[0], MAIN, mos_of(playout)) for playout in PLAYOUTS}
    if identifier.endswith(HARM):
        at, variant = name(MODERATE), identifier.removesuffix(HARM)
        measured |= {
            definition: harm.relative_to_hstcp(grids[0], at, variant, applications)
            for definition, applications in harm.DEFINITIONS.items()
        }
    return measured


def _queues(identifier: str) -> tuple[int, ...]:
    """The queues that a claim is about."""
    return {"moderate-use": (MODERATE, SMALL), "moderate-mos": (MODERATE, LARGE)}.get(identifier, (MODERATE,))


def _measure(grid: Grid, choice: str, identifier: str) -> Estimate:
    at = name(MODERATE, choice)
    if identifier == "moderate-use":
        return _over_variants(grid, at, name(SMALL, choice), "utilisation_percent")
    if identifier == "moderate-mos":
        return _calls(grid, choice, "mos")
    if identifier == "hstcp":
        others = [grid.values(at, one.name, "ftp_mbps") for one in grid.variants if one.name != HSTCP.name]
        return stats.mean(grid.values(at, HSTCP.name, "ftp_mbps") - np.max(others, axis=0))
    if identifier.endswith(HARM):
        return harm.relative_to_hstcp(grid, at, identifier.removesuffix(HARM))
    return grid.change(at, identifier, HSTCP.name, "ftp_mbps")


def _calls(grid: Grid, choice: str, measure: str) -> Estimate:
    return _over_variants(grid, name(MODERATE, choice), name(LARGE, choice), measure)


def _over_variants(grid: Grid, reading: str, against: str, measure: str) -> Estimate:
    """The mean over all variants of the difference between two queues, over paired seeds."""
    pairs = [grid.values(reading, one.name, measure) - grid.values(against, one.name, measure) for one in grid.variants]
    return stats.mean(np.mean(pairs, axis=0))


COLUMNS = {
    "ftp_mbps": "4 FTP Mbit/s",
    "ftp_resent_percent": "4 FTP resent %",
    "ftp_timeouts": "4 FTP timeouts",
    "hftp_mbps": "HFTP Mbit/s",
    "ftp64_mbps": "64-packet FTP Mbit/s",
    "utilisation_percent": "utilisation %",
    "drop_rate_percent": "dropped %",
    "web_s": "web page s",
    "web_mean_s": "web page s, mean",
    "http_s": "64 kB page s",
    "http_mean_s": "64 kB page s, mean",
    "http_open_percent": "64 kB pages open %",
    "queue_delay_mean_ms": "queueing ms",
    "mos": "MOS",
    "call_loss_percent": "call loss %",
    "mouth_to_ear_ms": "mouth to ear ms",
}
"""Measure to the name of its column."""


def sheet(grids: list[Grid]) -> Sheet:
    """Every measure of every variant, at every queue and under every reading."""
    caption = (
        "Means over the replications; pages: medians, or means where so named; the call with the play-out that suited "
        "it best."
    )
    columns = ["reading", "variant", "queue", *COLUMNS.values()]
    return Sheet("measures", "What everybody got", columns, _rows(grids, list(COLUMNS)), caption)


def calls_sheet(grids: list[Grid]) -> Sheet:
    """The call with every play-out time."""
    columns = ["reading", "variant", "queue", *PLAYOUTS]
    rows = _rows(grids, [mos_of(playout) for playout in PLAYOUTS])
    return Sheet("calls", "MOS of the call by play-out time", columns, rows, "Means over the replications.")


def harm_sheet(grids: list[Grid]) -> Sheet:
    """The harm of every variant to every application, at every queue and under every reading."""
    caption = (
        "Harm in per cent, beside four NewReno flows in the same place: 0 is no harm, below 0 a gain. Means over the "
        "replications. The last column is the goodput of the variant's four flows beside that of HSTCP's."
    )
    columns = ["reading", "variant", "queue", *(one.label for one in harm.APPLICATIONS), harm.MEAN_HARM, "goodput %"]
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            choice, _, queue = reading.name.partition("; ")
            for one in (variant for variant in grid.variants if variant != NEWRENO):
                at = reading.name, one.name
                each = [stats.mean(harm.of(grid, *at, application)).value for application in harm.APPLICATIONS]
                mean = stats.mean(harm.mean_harm(grid, *at)).value
                goodput = 0.0 if one == HSTCP else grid.change(*at, HSTCP.name, "ftp_mbps").value
                rows.append([choice, one.label, queue, *each, mean, goodput])
    return Sheet("harm", "Harm by application and variant", columns, rows, caption)


def _rows(grids: list[Grid], measures: list[str]) -> list[list[object]]:
    rows: list[list[object]] = []
    for grid in grids:
        for reading in grid.readings:
            choice, _, queue = reading.name.partition("; ")
            for one in grid.variants:
                means = [grid.mean(reading.name, one.name, measure).value for measure in measures]
                rows.append([choice, one.label, queue, *means])
    return rows
