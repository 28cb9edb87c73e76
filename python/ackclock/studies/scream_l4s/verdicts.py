"""Compares the claims with the measured numbers, and makes the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.studies.framework import ClaimResult, Sheet, assess_all
from ackclock.studies.scream_l4s.cells import (
    EVEN,
    HEADROOM,
    L4S,
    MAIN,
    NONE,
    RTTS,
    TCPS,
    VARYING,
    Example,
    Tested,
    fair_mbps,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind

__all__ = ["MEASURES", "PUBLISHED", "assess_claims", "examples_sheet", "tests_sheet"]

PUBLISHED: Mapping[tuple[str, int], tuple[int, ...]] = {
    (EVEN, 5): (80, 55, 35, 25, 22),
    (EVEN, 10): (75, 55, 44, 30, 23),
    (EVEN, 25): (75, 60, 48, 40, 30),
    (EVEN, 50): (72, 50, 32, 27, 22),
    (VARYING, 5): (69, 45, 35, 26, 18),
    (VARYING, 10): (66, 46, 40, 28, 21),
    (VARYING, 25): (64, 53, 40, 32, 22),
    (VARYING, 50): (63, 52, 39, 25, 18),
}
"""The tables of tests 2 and 3: frames and round-trip time in ms to rates in Mbit/s beside 0 to 4 flows."""

ON_DUALPI2 = "DualPI2"

LEVELS: Mapping[str, tuple[str, str]] = {
    "two-marks": ("ramp", "marks_per_rtt"),
    "milliseconds": ("ramp", "queue_p95_ms"),
    "step-low": ("step", "step_mean_ms"),
    "two-fair": ("two calls", "jain"),
}
"""Claims on runs with L4S: the example and the measure."""

DIFFERENCES: Mapping[str, tuple[str, str]] = {
    "delay-ramp": ("ramp", "queue_mean_ms"),
    "delay-dualpi2": ("DualPI2", "queue_mean_ms"),
    "rate-lower": ("ramp", "call_mbps"),
    "step-delay": ("step", "step_mean_ms"),
    "step-jitter": ("step", "step_jitter_ms"),
    "step-rate": ("step", "call_mbps"),
}
"""Claims on runs with L4S and without: the example and the measure."""


def kind_of(reading: str) -> Kind:
    """The kind of a reading: another queue is another cell."""
    return "cell" if reading == ON_DUALPI2 else "assumption"


def assess_claims(
    of_test: Sequence[tuple[Grid, Sequence[Tested]]], of_readme: Sequence[tuple[Grid, Sequence[Example]]]
) -> list[ClaimResult]:
    """Every claim, with readings of what the test and the README leave open. First grids have the main reading."""
    return assess_all(__package__, lambda claim: _of_claim(of_test, of_readme, claim), MAIN, kind_of)


def _of_claim(
    of_test: Sequence[tuple[Grid, Sequence[Tested]]], of_readme: Sequence[tuple[Grid, Sequence[Example]]], claim: str
) -> dict[str, Estimate]:
    if claim in OF_TEST:
        found = {}
        for tests, tested in of_test:
            for choice in dict.fromkeys(one.choice for one in tested if one.choice != HEADROOM):
                estimate = OF_TEST[claim](tests, [one for one in tested if one.choice == choice])
                if estimate is not None:
                    found[choice] = estimate
        return found
    if claim == "underuse-by-headroom":
        return {MAIN: _headroom(*of_test[0])}
    if claim == "smaller-variations":
        main = of_readme[0][0]
        pair = (main.values(one.name, L4S.name, "call_mbps") for one in (Example("ramp", EVEN), Example("ramp")))
        return {MAIN: stats.paired_difference(*pair)}
    found = {}
    for compared, examples in of_readme:
        found |= _of_example(compared, examples, claim)
    return found


def _of_example(compared: Grid, examples: Sequence[Example], claim: str) -> dict[str, Estimate]:
    if claim == "rate-kept":
        kind = "ramp"
    elif claim in LEVELS or claim in DIFFERENCES:
        kind = (LEVELS.get(claim) or DIFFERENCES[claim])[0]
    else:
        return {}
    names = {one.choice: one.name for one in examples if one.kind == kind}
    if claim == "two-marks" and MAIN in names:
        names[ON_DUALPI2] = Example(ON_DUALPI2).name
    return {label: _estimate(compared, name, claim) for label, name in names.items()}


def _estimate(compared: Grid, name: str, claim: str) -> Estimate:
    if claim in LEVELS:
        return compared.mean(name, L4S.name, LEVELS[claim][1])
    if claim in DIFFERENCES:
        return compared.difference(name, L4S.name, NONE.name, DIFFERENCES[claim][1])
    with_l4s, without = (compared.values(name, one.name, "call_mbps") for one in (L4S, NONE))
    return stats.mean(100 * with_l4s / without)


def _rates(tests: Grid, cells: Sequence[Tested]) -> NDArray[np.float64]:
    """The mean rate over some cells, one number a seed."""
    return tests.over([one.name for one in cells], L4S.name, "call_mbps")


def _mean_of(frames: str, tcps: int) -> Callable[[Grid, Sequence[Tested]], Estimate | None]:
    """The mean rate over the round-trip times."""

    def estimate(tests: Grid, cells: Sequence[Tested]) -> Estimate | None:
        mine = [one for one in cells if (one.frames, one.tcps) == (frames, tcps)]
        return stats.mean(_rates(tests, mine)) if mine else None

    return estimate


def _alone(cells: Sequence[Tested], frames: str) -> list[Tested]:
    return [one for one in cells if (one.frames, one.tcps) == (frames, 0)]


def _shares(tests: Grid, cells: Sequence[Tested], frames: Sequence[str]) -> NDArray[np.float64]:
    """Rates beside Prague over the fair share: cells x seeds."""
    mine = [one for one in cells if one.tcps and one.frames in frames]
    return np.stack([tests.values(one.name, L4S.name, "call_mbps") / fair_mbps(one.tcps) for one in mine])


def _same_over_rtts(tests: Grid, cells: Sequence[Tested]) -> Estimate:
    even = [one for one in cells if one.frames == EVEN]
    means = np.stack([_rates(tests, [one for one in even if one.rtt == rtt]) for rtt in {one.rtt for one in even}])
    return stats.mean(means.max(axis=0) / means.min(axis=0))


def _underuse(tests: Grid, cells: Sequence[Tested]) -> Estimate | None:
    alone = _alone(cells, EVEN)
    return stats.mean(tests.over([one.name for one in alone], L4S.name, "used_percent")) if alone else None


def _lower_varying(tests: Grid, cells: Sequence[Tested]) -> Estimate | None:
    if not _alone(cells, EVEN):
        return None
    return stats.paired_difference(*(_rates(tests, _alone(cells, frames)) for frames in (VARYING, EVEN)))


def _more_than_fair(tests: Grid, cells: Sequence[Tested]) -> Estimate:
    return stats.mean(np.exp(np.log(_shares(tests, cells, (EVEN,))).mean(axis=0)))


def _fairer_varying(tests: Grid, cells: Sequence[Tested]) -> Estimate:
    varying, even = (np.abs(np.log(_shares(tests, cells, (one,)))).mean(axis=0) for one in (VARYING, EVEN))
    return stats.paired_difference(varying, even)


def _robust(tests: Grid, cells: Sequence[Tested]) -> Estimate:
    return stats.mean(_shares(tests, cells, (EVEN, VARYING)).min(axis=0))


def _headroom(tests: Grid, cells: Sequence[Tested]) -> Estimate:
    """The rate alone with the headroom of the test, less that with one of 10 %."""
    less = [one for one in cells if one.choice == HEADROOM]
    usual = [one for one in cells if one.choice == MAIN]
    return stats.paired_difference(_rates(tests, _alone(usual, EVEN)), _rates(tests, less))


OF_TEST: Mapping[str, Callable[[Grid, Sequence[Tested]], Estimate | None]] = {
    **{f"even-{count}": _mean_of(EVEN, count) for count in TCPS},
    **{f"varying-{count}": _mean_of(VARYING, count) for count in TCPS},
    "same-over-rtts": _same_over_rtts,
    "underuse": _underuse,
    "more-than-fair": _more_than_fair,
    "fairer-varying": _fairer_varying,
    "lower-varying": _lower_varying,
    "robust": _robust,
}
"""Claims on the test: the estimate from the cells of one choice."""


def tests_sheet(tests: Grid, tested: Sequence[Tested]) -> Sheet:
    """The tables of the test, published and measured."""
    rows: list[list[object]] = []
    for (frames, rtt), published in PUBLISHED.items():
        mine = {one.tcps: one for one in tested if (one.frames, one.rtt, one.choice) == (frames, rtt, MAIN)}
        if mine:
            measured = {count: tests.mean(one.name, L4S.name, "call_mbps").value for count, one in mine.items()}
            rows.append([frames, rtt, "published", *published])
            rows.append([frames, rtt, "measured", *(measured.get(count) for count in TCPS)])
    columns = ["frames", "RTT ms", "", *(f"{count} TCP" for count in TCPS)]
    caption = (
        f"Rates of SCReAM in Mbit/s beside Prague over DualPI2 at {fair_mbps(0):g} Mbit/s; round-trip times of "
        f"{min(RTTS)} to {max(RTTS)} ms. Fair shares: {', '.join(f'{fair_mbps(count):.0f}' for count in TCPS)}."
    )
    return Sheet("tests", "The tables of the test", columns, rows, caption)


MEASURES = (
    "call_mbps",
    "other_mbps",
    "queue_mean_ms",
    "queue_p95_ms",
    "marks_per_rtt",
    "loss_percent",
    "frame_p95_ms",
    "step_mean_ms",
)


def examples_sheet(grids: Sequence[Grid]) -> Sheet:
    """Every measure of every example."""
    rows: list[list[object]] = [
        [*one.name.split("; "), variant.label]
        + [compared.mean(one.name, variant.name, measure).value for measure in MEASURES]
        for compared in grids
        for one in compared.readings
        for variant in compared.variants
    ]
    columns = ["reading", "example", "SCReAM", "call Mbit/s", "other Mbit/s", "queueing ms", "95 %", "marks in an RTT"]
    columns += ["loss %", "frame ms, 95 %", "queueing ms, 50 to 70 s"]
    return Sheet("examples", "SCReAM with L4S and without", columns, rows, "Means over the replications.")
