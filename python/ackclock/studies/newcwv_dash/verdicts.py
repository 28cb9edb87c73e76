"""The claims against what was measured, under every reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.claims import ClaimResult, assess, load_claims
from ackclock.studies.newcwv_dash.readings import CORRECTED, FLAWED, FLAWED_LOW, MAIN, NEWCWV, NEWRENO, PACED, page
from ackclock.studies.study import Sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.grid import Grid, Variant

__all__ = ["RATES", "SLIDES", "agreement", "assess_claims", "closest", "findings", "readings_sheet", "retracted_sheet"]

RATES = {"level": "level_kbps", "download": "download_kbps"}
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

ALL_CELLS = "mean of all cells"


def assess_claims(grid: Grid, traces: Grid, retracted: Grid) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    claims = load_claims(page("claims.toml"))
    main = f"{MAIN}; level"
    measured: dict[str, tuple[Mapping[str, Estimate], str]] = {
        "newreno-segment-rate": (_rates(grid, NEWRENO), main),
        "newcwv-segment-rate": (_rates(grid, NEWCWV), main),
        "newcwv-pacing-segment-rate": (_rates(grid, PACED), main),
        "newcwv-lowers": (_changes(grid, NEWCWV), main),
        "pacing-raises": (_changes(grid, PACED), main),
        "newreno-collapses": ({MAIN: traces.mean(MAIN, NEWRENO.name, "window_left")}, MAIN),
        "newcwv-freezes": (
            {f"{MAIN}; {v.label}": traces.mean(MAIN, v.name, "window_left") for v in (NEWCWV, PACED)},
            f"{MAIN}; {NEWCWV.label}",
        ),
        "newcwv-burst-losses": (_drops(grid, NEWCWV, NEWRENO), MAIN),
        "pacing-removes-losses": (_drops(grid, PACED, NEWCWV), MAIN),
        "pacing-spreads": ({MAIN: traces.mean(MAIN, PACED.name, "spread_srtt")}, MAIN),
    }
    for identifier, control in (("retracted", FLAWED), ("retraction", CORRECTED)):
        for suffix, name in (("switches", "switches"), ("rebuffering", "stalled_s")):
            cells = _against(retracted, control, name)
            if control is FLAWED:
                low = _against(retracted, FLAWED_LOW, name)
                cells |= {f"{cell}; ssthresh = cwnd": estimate for cell, estimate in low.items()}
            measured[f"{identifier}-{suffix}"] = (cells, ALL_CELLS)
    return [assess(claim, *measured[identifier]) for identifier, claim in claims.items()]


def _rates(grid: Grid, variant: Variant) -> dict[str, Estimate]:
    return {
        f"{reading.name}; {rate}": grid.mean(reading.name, variant.name, measure)
        for reading in grid.readings
        for rate, measure in RATES.items()
    }


def _changes(grid: Grid, variant: Variant) -> dict[str, Estimate]:
    return {
        f"{reading.name}; {rate}": grid.change(reading.name, variant.name, NEWRENO.name, measure)
        for reading in grid.readings
        for rate, measure in RATES.items()
    }


def _drops(grid: Grid, variant: Variant, against: Variant) -> dict[str, Estimate]:
    names = [reading.name for reading in grid.readings]
    return {name: grid.difference(name, variant.name, against.name, "drops") for name in names}


def _against(grid: Grid, control: Variant, measure: str) -> dict[str, Estimate]:
    """newCWV less the control: the mean over all cells, pair by pair, and every cell."""
    names = [reading.name for reading in grid.readings]

    def mean_of_cells(variant: str) -> NDArray[np.float64]:
        stacked = np.stack([grid.values(name, variant, measure) for name in names])
        return np.asarray(stacked.mean(axis=0), dtype=np.float64)

    everything = stats.paired_difference(mean_of_cells("newcwv"), mean_of_cells(control.name))
    return {ALL_CELLS: everything} | {name: grid.difference(name, "newcwv", control.name, measure) for name in names}


def agreement(claims: Sequence[ClaimResult]) -> dict[str, list[bool]]:
    """Reading and rate to whether each of the claims in `SLIDES` holds under it."""
    by_id = {result.claim.id: result for result in claims}
    held: dict[str, list[bool]] = {}
    for name in by_id["newcwv-lowers"].readings:
        reading = name.rpartition("; ")[0]
        row = []
        for identifier in SLIDES:
            readings = by_id[identifier].readings
            _, verdict = readings.get(name) or readings[reading]
            row.append(verdict == "reproduced")
        held[name] = row
    return held


def closest(claims: Sequence[ClaimResult]) -> tuple[str, int]:
    """The reading with the most of the claims in `SLIDES`, and of those the one nearest to the published rates."""
    by_id = {result.claim.id: result for result in claims}

    def distance(name: str) -> float:
        return sum(
            abs(by_id[identifier].readings[name][0].value - float(by_id[identifier].claim.published))
            for identifier in SLIDES[:3]
        )

    held = {name: sum(row) for name, row in agreement(claims).items()}
    best = min(held, key=lambda name: (-held[name], distance(name)))
    return best, held[best]


def findings(claims: Sequence[ClaimResult]) -> str:
    """What the verdicts depend on, in Markdown."""
    by_id = {result.claim.id: result for result in claims}
    best, count = closest(claims)
    rates = [f"{by_id[identifier].readings[best][0].value:.0f}" for identifier in SLIDES[:3]]
    published = [f"{float(by_id[identifier].claim.published):.0f}" for identifier in SLIDES[:3]]
    total = len(agreement(claims))
    main = (
        f"The verdicts above are those of the main reading (*{MAIN}; level*), which was chosen from the documents, not "
        "from the results. The slides leave the ladder, the segments, the queue, the meaning of 200 ms and that of "
        f"“segment rate” open: {total} readings were run. Of these,"
    )
    together = (
        f"Most of the slides' claims hold together under *{best}*: {count} of {len(SLIDES)}, with {', '.join(rates)} "
        f"kbit/s where {', '.join(published)} were published. That reading was found after the fact: it says what the "
        "original may have been, and is no independent evidence for its claims."
    )
    shares = [f"- {by_id[name].claim.statement}: {_share(by_id[name])}" for name in SLIDES[3:]]
    return "\n".join(["## How far the verdicts depend on what is unknown", main, "", *shares, "", together])


def _share(result: ClaimResult) -> str:
    return f"holds under {len(result.holds_under)} of {len(result.readings)}."


def readings_sheet(grid: Grid, claims: Sequence[ClaimResult]) -> Sheet:
    """Every reading with its rates, changes and losses, and how many of the slides' claims hold under it."""
    held = agreement(claims)
    rows: list[list[object]] = []
    for reading in grid.readings:
        drops = [float(grid.values(reading.name, v.name, "drops").mean()) for v in (NEWRENO, NEWCWV, PACED)]
        for rate, measure in RATES.items():
            means = [grid.mean(reading.name, v.name, measure).value for v in (NEWRENO, NEWCWV, PACED)]
            changes = [grid.change(reading.name, v.name, NEWRENO.name, measure).value for v in (NEWCWV, PACED)]
            count = sum(held[f"{reading.name}; {rate}"])
            rows.append([reading.name, rate, *means, *changes, *drops, f"{count} of {len(SLIDES)}"])
    rows.sort(key=lambda row: -int(str(row[-1]).split()[0]))
    columns = ["reading", "rate is", "NewReno kbit/s", "newCWV", "with pacing", "newCWV %", "with pacing %"]
    columns += ["NewReno lost", "newCWV", "with pacing", "claims that hold"]
    caption = (
        "Means over the replications; changes are relative to NewReno. Readings under which most claims hold first."
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
