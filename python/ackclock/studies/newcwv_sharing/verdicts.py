"""Compares the claims with the measured numbers under every reading and variant, and makes the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock.studies.framework import ClaimResult, Sheet, assess_all, side_sheet
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, ONE_WAY, PACINGS, ROUND_TRIP
from ackclock.studies.framework.setups.newcwv_2014 import is_rfc
from ackclock.studies.newcwv_sharing.readings import FTP, HTTP, MAIN, RIVALS, VARIANTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind, Variant

__all__ = ["GAINS", "HARMS", "SHARES", "assess_claims", "decides", "delays_sheet", "kind_of", "main_of", "sheets"]

RATIOS = {"": "ratio_by_class", "; by answer under way": "ratio_by_flow"}
"""Suffix of a reading to the measure of the shares. The main reading has the first."""

SHARES = {
    "both_percent": "both busy %",
    "dash_kbps": "DASH kbit/s",
    "rival_kbps": "other kbit/s",
    "dash_share_percent": "DASH's share %",
    "ratio_by_class": "ratio",
    "ratio_by_flow": "ratio by answer",
    "level_kbps": "level kbit/s",
    "stalled_s": "stalled s",
    "dash_burst_s": "DASH s a Mbit",
}
"""Measure of the first table to the name of its column."""

HARMS = {
    "windows_dash": "DASH's windows",
    "starved_dash": "DASH starved",
    "windows_rival": "other's windows",
    "starved_rival": "other starved",
    "loss_percent": "lost %",
    "dash_loss_percent": "DASH's lost %",
    "rival_loss_percent": "other's lost %",
}
"""Measure of the second table to the name of its column."""


OWN, BESIDE_HTTP, AGAINST_NEWRENO = "; DASH's own", "; beside HTTP", "; against NewReno"


def main_of(identifier: str) -> str | list[str]:
    """The readings that decide a claim, the first of which is shown. Both pacings have the same rank."""
    return [f"{MAIN}; {name}" for name in PACINGS] if identifier in GAINS else MAIN


def assess_claims(grids: Mapping[str, Grid]) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``; `grids` are by the traffic that shares the link with DASH."""

    def measured(identifier: str) -> dict[str, Estimate]:
        if identifier in GAINS:
            return GAINS[identifier](grids)
        rival, _, subject = identifier.partition("-")
        return {"proportional": _ratios, "starves": _starved}[subject](grids[rival])

    return assess_all(__package__, measured, main_of, kind_of)


def decides(identifier: str) -> str:
    """The first of the readings that decide a claim."""
    main = main_of(identifier)
    return main if isinstance(main, str) else main[0]


def delays_sheet(claims: Sequence[ClaimResult]) -> Sheet:
    """Every claim with 200 ms as a round trip and one way."""
    return side_sheet(claims, ROUND_TRIP, ONE_WAY, decides)


def _fewer_losses(grids: Mapping[str, Grid]) -> dict[str, Estimate]:
    """Losses with pacing less those without, in points: all losses at the bottleneck, or those of DASH alone."""
    return {
        f"{name}{suffix}": grid.difference(reading, variant, NEWCWV.name, measure)
        for name, grid, reading, variant in _paced(grids)
        for suffix, measure in (("", "loss_percent"), (OWN, "dash_loss_percent"))
    } | {
        f"{name}{AGAINST_NEWRENO}": grid.difference(reading, variant, NEWRENO.name, "loss_percent")
        for name, grid, reading, variant in _paced(grids)
    }


def _lower_loss(grids: Mapping[str, Grid]) -> dict[str, Estimate]:
    """Losses with newCWV less those with NewReno, in points."""
    return {
        f"{name}{suffix}": grid.difference(reading, variant, NEWRENO.name, measure)
        for name, grid, reading, variant in _treated(grids)
        for suffix, measure in (("", "loss_percent"), (OWN, "dash_loss_percent"))
    }


def _burst_times(grids: Mapping[str, Grid]) -> dict[str, Estimate]:
    """The change of the time in which DASH gets a volume, against NewReno; beside HTTP also that of HTTP's answers."""
    own = {
        name: grid.change(reading, variant, NEWRENO.name, "dash_burst_s")
        for name, grid, reading, variant in _treated(grids)
    }
    answers = {
        f"{name}; its answers": grid.change(reading, variant, NEWRENO.name, "rival_burst_s")
        for name, grid, reading, variant in _treated(grids)
        if grid is grids[HTTP]
    }
    return own | answers


def _paced(grids: Mapping[str, Grid]) -> Iterator[tuple[str, Grid, str, str]]:
    """Name, grid, reading and variant of every cell with pacing. The slide is about FTP; HTTP is another cell."""
    for beside, grid in (("", grids[FTP]), (BESIDE_HTTP, grids[HTTP])):
        for reading in grid.readings:
            for name, variant in PACINGS.items():
                yield f"{reading.name}; {name}{beside}", grid, reading.name, variant.name


def _treated(grids: Mapping[str, Grid]) -> Iterator[tuple[str, Grid, str, str]]:
    """Yields the cells of `_paced`, and the cells with newCWV alone."""
    yield from _paced(grids)
    for beside, grid in (("", grids[FTP]), (BESIDE_HTTP, grids[HTTP])):
        for reading in grid.readings:
            yield f"{reading.name}; {UNPACED}{beside}", grid, reading.name, NEWCWV.name


UNPACED = "without pacing"

GAINS: dict[str, Callable[[Mapping[str, Grid]], dict[str, Estimate]]] = {
    "pacing-fewer-losses": _fewer_losses,
    "lower-loss": _lower_loss,
    "burst-times": _burst_times,
}
"""The claims about losses and times while sharing, and their estimates."""


def kind_of(name: str) -> Kind:
    """The kind of a reading. Another variant of DASH, HTTP and RFC 7661 are cells other than those of the claims."""
    labels = [_suffix(one.label) for one in VARIANTS[1:]]
    of_others = tuple(label + suffix for label in labels for suffix in RATIOS)
    if BESIDE_HTTP in name or is_rfc(name) or name.endswith(of_others):
        return "cell"
    definitions = [suffix for suffix in RATIOS if suffix] + [OWN, AGAINST_NEWRENO, f"; {UNPACED}"]
    return "definition" if name.endswith(tuple(definitions)) else "assumption"


def _suffix(variant_label: str) -> str:
    """The suffix of the readings of a variant. Those of newCWV, which the claims are about, have none."""
    return "" if variant_label == NEWCWV.label else f"; {variant_label}"


def _ratios(grid: Grid) -> dict[str, Estimate]:
    return {
        f"{reading}{_suffix(variant.label)}{suffix}": grid.mean(reading, variant.name, measure)
        for suffix, measure in RATIOS.items()
        for variant, reading in _different(grid)
    }


def _starved(grid: Grid) -> dict[str, Estimate]:
    return {
        f"{reading}{_suffix(variant.label)}": grid.mean(reading, variant.name, "starved_percent")
        for variant, reading in _different(grid)
    }


def _different(grid: Grid) -> Iterator[tuple[Variant, str]]:
    """Every variant with every reading, but NewReno once: it is the same beside both forms of newCWV."""
    for variant in VARIANTS:
        for reading in grid.readings:
            if variant is not NEWRENO or not is_rfc(reading.name):
                yield variant, reading.name


def sheets(grids: Mapping[str, Grid]) -> list[Sheet]:
    """Every measure under every reading and variant."""
    shared = (
        "Means over the replications. Share and ratios are those of the time in which both have an answer under way; "
        "the first column is how much of the run that is."
    )
    harmed = (
        "Means over the replications. Windows are those of 10 s in which a class has an answer under way "
        "all along, and those of them in which it starved."
    )
    return [
        Sheet("sharing", "What both got", *_rows(grids, SHARES), shared),
        Sheet("harm", "Starvation and losses", *_rows(grids, HARMS), harmed),
    ]


def _rows(grids: Mapping[str, Grid], measures: Mapping[str, str]) -> tuple[list[str], list[list[object]]]:
    rows: list[list[object]] = [
        [RIVALS[rival], reading.name, variant.label]
        + [grid.mean(reading.name, variant.name, measure).value for measure in measures]
        for rival, grid in grids.items()
        for reading in grid.readings
        for variant in grid.variants
    ]
    return ["DASH beside", "reading", "variant", *measures.values()], rows
