"""Compares the claims with the measured medians, and makes the tables of medians."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import numpy as np

from ackclock.studies.framework import ClaimResult, Sheet, assess_all, study_file
from ackclock.studies.remy import medians
from ackclock.studies.remy.measures import MBPS, QUEUE_MS
from ackclock.studies.remy.readings import DELTAS, MAIN, SCHEMES, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid
    from ackclock.studies.remy.medians import Sample

    Values: TypeAlias = NDArray[np.float64]

__all__ = [
    "Measured",
    "assess_claims",
    "datacentre_sheet",
    "measured_in",
    "medians_sheet",
    "published",
    "rerun",
    "rtts_sheet",
]

REMY = "remy-0.1"
"""The RemyCC table of the published ratios."""

Measured = dict[str, dict[str, tuple[dict[str, "Sample"], dict[str, "Sample"]]]]
"""Setting to reading to throughputs and queueing delays of every scheme."""


def measured_in(grids: Mapping[str, list[Grid]]) -> Measured:
    """The samples of the senders in the grids of every setting."""
    measured: Measured = {}
    for setting in SETTINGS:
        of_setting = measured.setdefault(setting.name, {})
        for grid in grids.get(setting.name, []):
            for reading in grid.readings:
                named = {name: medians.samples(grid, reading.name, name, setting.senders) for name in (MBPS, QUEUE_MS)}
                of_setting[reading.name] = (named[MBPS], named[QUEUE_MS])
    return measured


def assess_claims(measured: Measured, datacentre: Grid | None) -> list[ClaimResult]:
    """Every claim, in the order of ``claims.toml``."""
    return assess_all(__package__, lambda name: _of_claim(name, measured, datacentre), MAIN)


def _of_claim(name: str, measured: Measured, datacentre: Grid | None) -> dict[str, Estimate]:
    """Reading to the estimate of a claim. The name of the claim is its setting, its subject and its scheme."""
    setting, what, scheme = [*name.split("-", 2), ""][:3]
    if setting == "dc":
        if datacentre is None or what not in {one.name for one in datacentre.variants}:
            return {}
        return {MAIN: datacentre.mean(MAIN, what, scheme)}
    estimates = {reading: _estimate(what, scheme, *samples) for reading, samples in measured[setting].items()}
    return {reading: one for reading, one in estimates.items() if one is not None}


def _estimate(what: str, scheme: str, mbps: Mapping[str, Sample], queue: Mapping[str, Sample]) -> Estimate | None:
    """The estimate for a claim under one reading, or None if a scheme that it needs was not run."""
    best = [REMY, *(one.name for one in SCHEMES if not one.name.startswith("remy"))]
    tables = [f"remy-{delta}" for delta in DELTAS]
    kinds: dict[str, tuple[list[tuple[Mapping[str, Sample], str]], Callable[..., Values]]] = {
        "speedup": ([(mbps, REMY), (mbps, scheme)], _ratio),
        "delay": ([(queue, scheme), (queue, REMY)], _ratio),
        "mbps": ([(mbps, scheme)], _itself),
        "queue": ([(queue, scheme)], _itself),
        "fastest": ([(mbps, one) for one in best], _over_largest),
        "quickest": ([(queue, one) for one in best], _over_least),
        "ordered": ([(mbps, one) for one in tables] + [(queue, one) for one in tables], _least_step),
    }
    needed, statistic = kinds[what]
    if not all(name in samples for samples, name in needed):
        return None
    return medians.estimate(statistic, *(samples[name] for samples, name in needed))


def _itself(median: Values) -> Values:
    return median


def _ratio(first: Values, second: Values) -> Values:
    return first / second


def _over_largest(first: Values, *others: Values) -> Values:
    return np.asarray(first / np.max(np.stack(others), axis=0))


def _over_least(first: Values, *others: Values) -> Values:
    return np.asarray(first / np.min(np.stack(others), axis=0))


def _least_step(*three: Values) -> Values:
    """The least of the ratios of neighbours, of three throughputs and of three delays."""
    values = np.stack(three)
    steps = np.concatenate([values[0:2] / values[1:3], values[3:5] / values[4:6]])
    return np.asarray(np.min(steps, axis=0))


def published() -> dict[str, dict[str, tuple[float, float]]]:
    """Setting to scheme to the medians of the published figures: queueing delay in ms and Mbit/s."""
    return _points("published.toml")


def rerun() -> dict[str, dict[str, tuple[float, float]]]:
    """The same of the authors' scripts, run again in ns-2.35."""
    return _points("rerun.toml")


def _points(name: str) -> dict[str, dict[str, tuple[float, float]]]:
    rows = tomllib.loads(study_file(__package__, name))
    return {
        setting: {scheme: (float(point[0]), float(point[1])) for scheme, point in schemes.items()}
        for setting, schemes in rows.items()
    }


def medians_sheet(measured: Measured) -> Sheet:
    """The medians of every setting and scheme beside those of the published figures."""
    figures, again = published(), rerun()
    rows: list[list[object]] = []
    for setting in SETTINGS:
        for reading, (mbps, queue) in measured[setting.name].items():
            for scheme in SCHEMES:
                if scheme.name in mbps:
                    delay, speed = figures[setting.name].get(scheme.name, (None, None))
                    delay_again, speed_again = again[setting.name].get(scheme.name, (None, None))
                    delays = [delay, delay_again, queue[scheme.name].median]
                    speeds = [speed, speed_again, mbps[scheme.name].median]
                    rows.append([setting.label, reading, scheme.label, *delays, *speeds])
    columns = ["network", "reading", "scheme", "published ms", "ns-2 ms", "queueing ms"]
    columns += ["published Mbit/s", "ns-2 Mbit/s", "Mbit/s"]
    caption = (
        "Medians over all senders of all replications. The published ones were read off figures; those of ns-2 are "
        "of 8 runs of the authors' scripts."
    )
    return Sheet("medians", "Medians", columns, rows, caption)


def rtts_sheet(grid: Grid) -> Sheet:
    """Shares of the throughput over differing round-trip times."""
    rtts = (50, 100, 150, 200)
    rows: list[list[object]] = []
    for variant in grid.variants:
        shares = [grid.mean(MAIN, variant.name, f"rtt{rtt}_share") for rtt in rtts]
        rows.append([variant.label, *(one.value for one in shares), *(one.half_width for one in shares)])
    columns = ["scheme", *(f"RTT {rtt} ms" for rtt in rtts), *(f"+- at {rtt} ms" for rtt in rtts)]
    caption = (
        "Throughput over the time on as a part of the mean of the four senders; means over the replications, with half "
        "the width of their 95 % intervals. No published numbers are known, so nothing is claimed."
    )
    return Sheet("rtts", "Shares over differing round-trip times", columns, rows, caption)


def datacentre_sheet(grid: Grid) -> Sheet:
    """The measures in the datacentre."""
    names = ["mbps-mean", "mbps-median", "rtt-mean", "rtt-median", "utilisation_percent", "drop_rate_percent"]
    rows: list[list[object]] = [
        [variant.label, *(grid.mean(MAIN, variant.name, name).value for name in names)] for variant in grid.variants
    ]
    caption = "Means over the replications, of throughput in Mbit/s and of round-trip times in ms."
    return Sheet("datacentre", "The datacentre", ["scheme", *names], rows, caption)
