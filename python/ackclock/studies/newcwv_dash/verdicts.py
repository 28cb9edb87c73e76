"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.studies.framework import ALL_CELLS, ClaimResult, Sheet, assess_all, side_sheet
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, ONE_WAY, PACINGS, ROUND_TRIP
from ackclock.studies.framework.setups.newcwv_2014 import is_rfc
from ackclock.studies.newcwv_dash import window
from ackclock.studies.newcwv_dash.readings import CONTROLS, CORRECTED, FLAWED, FLAWED_LOW, MAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind, Variant

__all__ = [
    "RATES",
    "SLIDES",
    "agreement",
    "assess_claims",
    "closest",
    "decides",
    "delays_sheet",
    "findings",
    "main_of",
    "readings_sheet",
    "retracted_sheet",
]

DOWNLOAD = "download"
RATES = {"level": "level_kbps", DOWNLOAD: "download_kbps"}
"""Both readings of "segment rate": the bitrate of the segments, or the rate they were downloaded at."""

SLIDES = (
    "newreno-segment-rate",
    "newcwv-segment-rate",
    "newcwv-pacing-segment-rate",
    "newcwv-lowers",
    "pacing-raises",
    "newcwv-burst-losses",
    "pacing-removes-losses",
)
"""The claims that are measured under every reading."""

RATE, CONTROL = "level", "Linux's NewReno"
"""The main reading's choice of both."""

PACED = {f"; {name}": variant for name, variant in PACINGS.items()}
"""Suffix of a reading to the variant with pacing. Both have the same rank."""

BY_PACING = ("newcwv-pacing-segment-rate", "pacing-raises", "pacing-removes-losses", "pacing-spreads")
"""The claims that depend on the pacing."""

TRAVELLED = "; way up and down"
"""The other measure of an oscillation."""

MAINS = {
    "newreno-segment-rate": f"{MAIN}; {RATE}; {CONTROL}",
    "newcwv-segment-rate": f"{MAIN}; {RATE}",
    "newcwv-pacing-segment-rate": f"{MAIN}; {RATE}",
    "newcwv-lowers": f"{MAIN}; {RATE}; {CONTROL}",
    "pacing-raises": f"{MAIN}; {RATE}; {CONTROL}",
    "newreno-collapses": f"{MAIN}; {CONTROL}",
    "newcwv-burst-losses": f"{MAIN}; {CONTROL}",
    **dict.fromkeys(
        ("retracted-switches", "retracted-rebuffering", "retraction-switches", "retraction-rebuffering"), ALL_CELLS
    ),
    "retraction-contrast": ALL_CELLS,
    **window.MAINS,
}
"""The main readings of the claims that have another than `MAIN`."""


def assess_claims(grid: Grid, traces: Grid, retracted: Grid, windows: Grid) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    controls = {
        f"{reading.name}; {rate}; {control}": grid.mean(reading.name, variant.name, measure)
        for reading in grid.readings
        if not is_rfc(reading.name)
        for rate, measure in RATES.items()
        for control, variant in CONTROLS.items()
    }
    traced = [reading.name for reading in traces.readings]
    measured: dict[str, Mapping[str, Estimate]] = {
        "newreno-segment-rate": controls,
        "newcwv-segment-rate": _rates(grid, {"": NEWCWV}),
        "newcwv-pacing-segment-rate": _rates(grid, PACED),
        "newcwv-lowers": _changes(grid, {"": NEWCWV}),
        "pacing-raises": _changes(grid, PACED),
        "newreno-collapses": {
            f"{reading}; {name}": traces.mean(reading, v.name, "window_left")
            for reading in traced
            if not is_rfc(reading)
            for name, v in CONTROLS.items()
        },
        "newcwv-freezes": {f"{reading}": traces.mean(reading, NEWCWV.name, "window_left") for reading in traced},
        "newcwv-burst-losses": _burst_losses(grid),
        "pacing-removes-losses": {
            f"{reading.name}{suffix}": grid.difference(reading.name, variant.name, NEWCWV.name, "drops")
            for reading in grid.readings
            for suffix, variant in PACED.items()
        },
        "pacing-spreads": {
            f"{reading}{suffix}": traces.mean(reading, variant.name, "spread_srtt")
            for reading in traced
            for suffix, variant in PACED.items()
        },
        "more-stable": {
            f"{reading}{suffix}": traces.change(reading, NEWCWV.name, NEWRENO.name, name)
            for reading in traced
            for suffix, name in (("", "deviation"), (TRAVELLED, "travelled"))
        },
        **window.estimates(windows),
    }
    for identifier, control in (("retracted", FLAWED), ("retraction", CORRECTED)):
        for suffix, name in (("switches", "switches"), ("rebuffering", "stalled_s")):
            found = _against(retracted, control, name)
            if control is FLAWED:
                low = _against(retracted, FLAWED_LOW, name)
                found |= {f"{cell}; ssthresh = cwnd": estimate for cell, estimate in low.items()}
            measured[f"{identifier}-{suffix}"] = found
    measured["retraction-contrast"] = _flaw(retracted)
    losses = [window.WORST, *map(window.name_of, window.LOST)]
    cells = {ALL_CELLS, *losses, *map(window.later, losses), *(one.name for one in retracted.readings)}

    def kind_of(name: str) -> Kind:
        parts = name.split("; ")
        if parts[0] in cells or is_rfc(name):
            return "cell"
        return "definition" if DOWNLOAD in parts or name.endswith(TRAVELLED) else "assumption"

    return assess_all(__package__, measured.__getitem__, main_of, kind_of)


def main_of(identifier: str) -> str | list[str]:
    """The readings that decide a claim, the first of which is shown. Both pacings have the same rank."""
    main = MAINS.get(identifier, MAIN)
    return [f"{main}{suffix}" for suffix in PACED] if identifier in BY_PACING else main


def decides(identifier: str) -> str:
    """The first of the readings that decide a claim."""
    main = main_of(identifier)
    return main if isinstance(main, str) else main[0]


def delays_sheet(claims: Sequence[ClaimResult]) -> Sheet:
    """Every claim of the slides with 200 ms as a round trip and one way."""
    return side_sheet(claims, ROUND_TRIP, ONE_WAY, decides)


def _rates(grid: Grid, variants: Mapping[str, Variant]) -> dict[str, Estimate]:
    return {
        f"{reading.name}; {rate}{suffix}": grid.mean(reading.name, variant.name, measure)
        for reading in grid.readings
        for rate, measure in RATES.items()
        for suffix, variant in variants.items()
    }


def _changes(grid: Grid, variants: Mapping[str, Variant]) -> dict[str, Estimate]:
    return {
        f"{reading.name}; {rate}; {name}{suffix}": grid.change(reading.name, variant.name, control.name, measure)
        for reading in grid.readings
        for rate, measure in RATES.items()
        for name, control in CONTROLS.items()
        for suffix, variant in variants.items()
    }


def _flaw(grid: Grid) -> dict[str, Estimate]:
    """The switches of the corrected control less those of the flawed one: how much of the benefit is the flaw's."""
    names = [reading.name for reading in grid.readings]
    every = stats.paired_difference(*(grid.over(names, variant.name, "switches") for variant in (CORRECTED, FLAWED)))
    return {ALL_CELLS: every} | {name: grid.difference(name, CORRECTED.name, FLAWED.name, "switches") for name in names}


def _burst_losses(grid: Grid) -> dict[str, Estimate]:
    return {
        f"{reading.name}; {name}": grid.difference(reading.name, NEWCWV.name, control.name, "drops")
        for reading in grid.readings
        for name, control in CONTROLS.items()
    }


def _against(grid: Grid, control: Variant, measure: str) -> dict[str, Estimate]:
    """newCWV less the control: the mean over all cells, pair by pair, and every cell."""
    names = [reading.name for reading in grid.readings]
    everything = stats.paired_difference(*(grid.over(names, variant.name, measure) for variant in (NEWCWV, control)))
    return {ALL_CELLS: everything} | {name: grid.difference(name, NEWCWV.name, control.name, measure) for name in names}


def _under(result: ClaimResult, name: str) -> tuple[Estimate, str]:
    """The estimate and the verdict of a claim under a reading, rate, control and pacing, of which it needs not all."""
    reading, *parts = name.split("; ")
    for size in range(len(parts), -1, -1):
        for some in combinations(parts, size):
            key = "; ".join([reading, *some])
            if key in result.readings:
                return result.readings[key]
    raise KeyError(name)


def agreement(claims: Sequence[ClaimResult]) -> dict[str, list[bool]]:
    """Reading, rate, control and pacing to whether each of the claims in `SLIDES` holds under them."""
    by_id = {result.claim.id: result for result in claims}
    return {
        name: [_under(by_id[identifier], name)[1] == "reproduced" for identifier in SLIDES]
        for name in by_id["pacing-raises"].readings
    }


def closest(claims: Sequence[ClaimResult]) -> tuple[str, int]:
    """The reading with the most of the claims in `SLIDES`, and of those the one nearest to the published rates."""
    by_id = {result.claim.id: result for result in claims}

    def distance(name: str) -> float:
        rates = [by_id[identifier] for identifier in SLIDES[:3]]
        return sum(abs(_under(rate, name)[0].value - float(rate.claim.published)) for rate in rates)

    held = {name: sum(row) for name, row in agreement(claims).items()}
    best = min(held, key=lambda name: (-held[name], distance(name)))
    return best, held[best]


def findings(claims: Sequence[ClaimResult]) -> str:
    """A summary in Markdown of the unstated settings that the verdicts depend on."""
    by_id = {result.claim.id: result for result in claims}
    best, count = closest(claims)
    rates = [f"{_under(by_id[identifier], best)[0].value:.0f}" for identifier in SLIDES[:3]]
    published = [f"{float(by_id[identifier].claim.published):.0f}" for identifier in SLIDES[:3]]
    total = len(agreement(claims))
    main = (
        f"The verdicts above are those of the main reading (*{MAIN}; {RATE}; {CONTROL}*), which was chosen from the "
        "documents (the study's page says how blindly), with both readings of the pacing. The slides leave the ladder, "
        "the segments, the queue, the meaning of 200 ms, that of “segment rate”, the rate of the pacing and what "
        f"NewReno did with its window over pauses open: {total} readings were run."
    )
    together = (
        f"Most of the slides' claims hold together under *{best}*: {count} of {len(SLIDES)}, with {', '.join(rates)} "
        f"kbit/s where {', '.join(published)} were published. That reading was found after the fact: it says what the "
        "original may have been, and is no independent evidence for its claims."
    )
    shares = [f"- {by_id[name].claim.statement}: {_share(by_id[name])}" for name in SLIDES]
    return "\n".join(["## How far the verdicts depend on what is unknown", main, "", *shares, "", together])


def _share(result: ClaimResult) -> str:
    return f"holds under {len(result.holds_under)} of {len(result.readings)} readings."


def readings_sheet(grid: Grid, claims: Sequence[ClaimResult]) -> Sheet:
    """Every reading with its rates, changes and losses, and how many of the slides' claims hold under it."""
    held = agreement(claims)
    rows: list[list[object]] = []
    for reading in grid.readings:
        for name, control in CONTROLS.items():
            for (rate, measure), (pacing, paced) in product(RATES.items(), PACINGS.items()):
                three = (control, NEWCWV, paced)
                means = [grid.mean(reading.name, v.name, measure).value for v in three]
                changes = [grid.change(reading.name, v.name, control.name, measure).value for v in three[1:]]
                drops = [float(grid.values(reading.name, v.name, "drops").mean()) for v in three]
                count = f"{sum(held[f'{reading.name}; {rate}; {name}; {pacing}'])} of {len(SLIDES)}"
                rows.append([reading.name, rate, name, pacing, *means, *changes, *drops, count])
    rows.sort(key=lambda row: -int(str(row[-1]).split()[0]))
    columns = [
        "reading",
        "rate is",
        "control",
        "pacing at",
        "control kbit/s",
        "newCWV",
        "with pacing",
        "newCWV %",
        "with pacing %",
    ]
    columns += ["control lost", "newCWV", "with pacing", "claims that hold"]
    caption = (
        "Means over the replications; changes are relative to the control. Readings under which most claims hold first."
    )
    return Sheet("readings", "What the original leaves open", columns, rows, caption)


def retracted_sheet(grid: Grid) -> Sheet:
    """Switches, stalls and level of every cell and variant of the retracted study."""
    rows: list[list[object]] = [
        [reading.name, variant.label]
        + [grid.mean(reading.name, variant.name, name).value for name in ("switches", "stalled_s", "level_kbps")]
        for reading in grid.readings
        for variant in grid.variants
    ]
    columns = ["cell", "variant", "switches", "stalled s", "level kbit/s"]
    return Sheet("retracted", "The retracted study", columns, rows, "Means over clients and replications of 640 s.")
