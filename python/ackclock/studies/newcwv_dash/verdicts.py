"""Compares the claims with the measured numbers under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.studies.framework import ALL_CELLS, ClaimResult, Sheet, assess_all
from ackclock.studies.framework.setups.newcwv import NEWCWV, PACED, SPREAD
from ackclock.studies.newcwv_dash.readings import CONTROLS, CORRECTED, FLAWED, FLAWED_LOW, MAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind, Variant

__all__ = ["RATES", "SLIDES", "agreement", "assess_claims", "closest", "findings", "readings_sheet", "retracted_sheet"]

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


def assess_claims(grid: Grid, traces: Grid, retracted: Grid) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    rated, controlled, both = f"{MAIN}; {RATE}", f"{MAIN}; {CONTROL}", f"{MAIN}; {RATE}; {CONTROL}"
    controls = {
        f"{reading.name}; {rate}; {control}": grid.mean(reading.name, variant.name, measure)
        for reading in grid.readings
        for rate, measure in RATES.items()
        for control, variant in CONTROLS.items()
    }
    collapse = {f"{MAIN}; {name}": traces.mean(MAIN, v.name, "window_left") for name, v in CONTROLS.items()}
    freeze = {f"{MAIN}; {v.label}": traces.mean(MAIN, v.name, "window_left") for v in (NEWCWV, PACED)}
    measured: dict[str, tuple[Mapping[str, Estimate], str]] = {
        "newreno-segment-rate": (controls, both),
        "newcwv-segment-rate": (_rates(grid, NEWCWV), rated),
        "newcwv-pacing-segment-rate": (_rates(grid, PACED), rated),
        "newcwv-lowers": (_changes(grid, NEWCWV), both),
        "pacing-raises": (_changes(grid, PACED), both),
        "newreno-collapses": (collapse, controlled),
        "newcwv-freezes": (freeze, f"{MAIN}; {NEWCWV.label}"),
        "newcwv-burst-losses": (_burst_losses(grid), controlled),
        "pacing-removes-losses": (
            {
                reading.name: grid.difference(reading.name, PACED.name, NEWCWV.name, "drops")
                for reading in grid.readings
            },
            MAIN,
        ),
        "pacing-spreads": (
            {
                MAIN: traces.mean(MAIN, PACED.name, "spread_srtt"),
                f"{MAIN}; paced over an SRTT": traces.mean(MAIN, SPREAD.name, "spread_srtt"),
            },
            MAIN,
        ),
    }
    for identifier, control in (("retracted", FLAWED), ("retraction", CORRECTED)):
        for suffix, name in (("switches", "switches"), ("rebuffering", "stalled_s")):
            cells = _against(retracted, control, name)
            if control is FLAWED:
                low = _against(retracted, FLAWED_LOW, name)
                cells |= {f"{cell}; ssthresh = cwnd": estimate for cell, estimate in low.items()}
            measured[f"{identifier}-{suffix}"] = (cells, ALL_CELLS)
    retracted_cells = {ALL_CELLS, *(reading.name for reading in retracted.readings)}

    def kind_of(name: str) -> Kind:
        parts = name.split("; ")
        if parts[0] in retracted_cells:
            return "cell"
        return "definition" if DOWNLOAD in parts else "assumption"

    return assess_all(__package__, lambda name: measured[name][0], lambda name: measured[name][1], kind_of)


def _rates(grid: Grid, variant: Variant) -> dict[str, Estimate]:
    return {
        f"{reading.name}; {rate}": grid.mean(reading.name, variant.name, measure)
        for reading in grid.readings
        for rate, measure in RATES.items()
    }


def _changes(grid: Grid, variant: Variant) -> dict[str, Estimate]:
    return {
        f"{reading.name}; {rate}; {name}": grid.change(reading.name, variant.name, control.name, measure)
        for reading in grid.readings
        for rate, measure in RATES.items()
        for name, control in CONTROLS.items()
    }


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
    """The estimate and the verdict of a claim under a reading, rate and control. It may depend on some of them only."""
    reading, rate, control = name.split("; ")
    for key in (name, f"{reading}; {rate}", f"{reading}; {control}", reading):
        if key in result.readings:
            return result.readings[key]
    raise KeyError(name)


def agreement(claims: Sequence[ClaimResult]) -> dict[str, list[bool]]:
    """Reading, rate and control to whether each of the claims in `SLIDES` holds under them."""
    by_id = {result.claim.id: result for result in claims}
    return {
        name: [_under(by_id[identifier], name)[1] == "reproduced" for identifier in SLIDES]
        for name in by_id["newcwv-lowers"].readings
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
        "documents (the study's page says how blindly). The slides leave the ladder, the segments, the queue, the "
        f"meaning of 200 ms, that of “segment rate” and what NewReno did with its window over pauses open: {total} "
        "readings were run."
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
            drops = [float(grid.values(reading.name, v.name, "drops").mean()) for v in (control, NEWCWV, PACED)]
            for rate, measure in RATES.items():
                means = [grid.mean(reading.name, v.name, measure).value for v in (control, NEWCWV, PACED)]
                changes = [grid.change(reading.name, v.name, control.name, measure).value for v in (NEWCWV, PACED)]
                count = sum(held[f"{reading.name}; {rate}; {name}"])
                rows.append([reading.name, rate, name, *means, *changes, *drops, f"{count} of {len(SLIDES)}"])
    rows.sort(key=lambda row: -int(str(row[-1]).split()[0]))
    columns = ["reading", "rate is", "control", "control kbit/s", "newCWV", "with pacing", "newCWV %", "with pacing %"]
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
