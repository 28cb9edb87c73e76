"""One scenario on several backends: what differs, by how much, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock.base import extras, files
from ackclock.base.quantities import TIMES, quantity
from ackclock.engine.compare import SHARES, compare
from ackclock.engine.run import SIM, run
from ackclock.kernel.runs import table_of
from ackclock.results.measure import Measure
from ackclock.results.result import Replications, Result
from ackclock.results.usual import all_compete
from ackclock.scenario._source import check, load, override_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from ackclock.engine.compare import Compared
    from ackclock.scenario._source import Overrides, Source, Text

__all__ = ["Backends", "Residual", "compare_backends"]

PROBES = {"probes.window": "true", "probes.queues": "true"}
"""Probes from which windows, round-trip times and queues are drawn."""
SAMPLED = ("time_s", "flow", "cwnd", "srtt_ms")
"""Columns of windows that both the simulator and a kernel have."""
MOST_FLOWS = 8
"""Most flows that have measures of their own by default."""
OF_FLOWS = (
    "flows[{}].goodput_bps",
    "flows[{}].retransmits",
    "flows[{}].recoveries",
    "flows[{}].timeouts",
    "window[{}].cwnd",
    "median(window[{}].srtt_ms)",
)
OF_ALL = ("sum(flows.goodput_bps)", "sum(flows.retransmits)", "sum(flows.timeouts)")
OF_LINKS = (
    "links[bottleneck].utilisation",
    "links[bottleneck].drops",
    "links[bottleneck].queue_delay_mean_ms",
    "links[bottleneck].queue_delay_p95_ms",
)


@dataclass(frozen=True)
class Residual:
    """Change of a measure by a backend, relative to the first backend."""

    measure: str
    unit: str | None
    backend: str
    reference: float
    """Mean over the runs of the first backend."""
    value: float
    """Mean over the runs of this backend."""
    low: float
    """Lower end of the interval of the difference of the means."""
    high: float
    verdict: str
    """``same``: the whole interval is within the tolerance; ``differs``: all of it is outside; ``open``: neither."""

    def document(self) -> dict[str, Any]:
        """The residual as JSON."""
        numbers = {"reference": self.reference, "value": self.value, "low": self.low, "high": self.high}
        shown = {name: number if math.isfinite(number) else None for name, number in numbers.items()}
        about = {"measure": self.measure, "unit": self.unit, "backend": self.backend}
        return about | shown | {"difference": self.value - self.reference, "verdict": self.verdict}


@dataclass(frozen=True)
class Backends:
    """Runs of one scenario on several backends, pair by pair."""

    runs: Mapping[str, Replications] = field(repr=False)
    """Runs by the name of the backend, in the order of the request."""
    residuals: Sequence[Residual]
    tolerance: float
    level: float

    @property
    def differing(self) -> list[Residual]:
        """The residuals that are outside the tolerance."""
        return [one for one in self.residuals if one.verdict == "differs"]

    def document(self) -> dict[str, Any]:
        """The JSON document of ``ackclock compare --json``."""
        about = {name: _about(runs) for name, runs in self.runs.items()}
        first = next(iter(self.runs.values()))
        return {
            "name": first[0].meta["name"],
            "scenario_hash": first[0].meta["scenario_hash"],
            "seeds": first.seeds,
            "tolerance": self.tolerance,
            "level": self.level,
            "backends": about,
            "residuals": [one.document() for one in self.residuals],
        }

    def write(self, folder: Path) -> None:
        """Writes the document as ``summary.json``, the runs of each backend, and the figure into a folder."""
        extras.require("matplotlib", "figures")
        from ackclock.plot.backends import overlay
        from ackclock.plot.canvas import save

        files.write_json(folder / "summary.json", self.document())
        for number, runs in enumerate(self.runs.values()):
            own = folder / f"backend-{number}"
            own.mkdir()
            runs.write(own)
        save(overlay(self.runs), folder / "overlay.png")


def compare_backends(
    scenario: Source,
    backends: Sequence[str],
    measures: Sequence[str] | None = None,
    *,
    seeds: int | Iterable[int] = 3,
    overrides: Overrides | None = None,
    tolerance: float = 0.01,
    level: float = 0.95,
    threads: int | None = None,
    progress: Callable[[str], bool | Callable[[float], object]] = lambda _: False,
) -> Backends:
    """Runs a scenario on several backends under the same seeds, and compares each with the first.

    Parameters
    ----------
    scenario
        The scenario. Windows and queues are recorded.
    backends
        At least two of ``sim``, ``linux``, ``linux:VERSION``, ``linux:DIGEST`` and ``linux:TREE``.
    measures
        What to compare; see `ackclock.Measure`. Without them goodput, retransmissions, recoveries, timeouts, mean
        window and median RTT of each flow, and utilisation, drops and queueing delay of the bottleneck.
    seeds
        A number of seeds, or the seeds.
    overrides
        Values that replace the scenario's.
    tolerance
        The difference that does not matter, relative to the first backend's mean.
    level
        Confidence of each interval.
    threads
        Runs at the same time, for backends without a real clock.
    progress
        A function of a backend's name; what `ackclock.run` takes as its `progress`.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario, or that a kernel cannot do.
    KernelError
        If a backend is no kernel that can be used, or a run in it fails.
    MeasureError
        If a measure cannot be read, or a run has no such table or column.
    """
    from ackclock.kernel import live
    from ackclock.kernel.backends import backend as kernel_of

    if len(backends) < 2 or len(set(backends)) < len(backends):
        raise ValueError(f"a comparison needs at least two different backends, not {', '.join(backends) or 'none'}")
    if not 0 <= tolerance < 1:
        raise ValueError(f"the tolerance is a share from 0 to 1, not {tolerance:g}")
    text = load(scenario)
    pairs = [*PROBES.items(), *override_pairs(overrides)]
    # All that can be refused is refused before the first run; trees are built here, too.
    for name in backends:
        if name != SIM:
            live.checked(text, kernel_of(name), pairs)
    interval_s = _interval_s(text, pairs)
    runs: dict[str, Replications] = {}
    for name in backends:
        report = progress(name)
        # Runs in real time take turns by themselves.
        runs[name] = run(
            text, seeds=seeds, overrides=pairs, threads=threads, progress=report, backend=name, large=name != SIM
        )
        seeds = runs[name].seeds
        runs[name] = Replications([_sampled(one, interval_s) for one in runs[name]])
    first, *others = backends
    chosen = list(measures) if measures is not None else _measures(list(runs.values()), check(text, pairs))
    residuals = [
        residual
        for name in others
        for residual in _residuals(name, compare(runs[name], runs[first], chosen, level=level), tolerance)
    ]
    return Backends(runs, residuals, tolerance, level)


def _about(runs: Replications) -> dict[str, Any]:
    """Backend, kernel, version and engine of the runs of a backend, and whether all of the runs are valid."""
    meta = runs[0].meta
    found = {key: meta[key] for key in ("backend", "kernel", "version", "engine") if key in meta}
    return found | {"valid": all(one.meta.get("valid", True) for one in runs)}


def _interval_s(text: Text, pairs: list[tuple[str, str]]) -> float:
    """The time between two samples of windows."""
    return quantity(check(text, pairs)["probes"]["interval"], TIMES) / 1e9


def _sampled(run: Result, interval_s: float) -> Result:
    """A run whose windows are sampled at every instant, and not at every ACK.

    Otherwise means would weigh times with many ACKs more on one side than on the other.
    """
    window = run.tables["window"]
    end_s = run.meta["duration_s"]
    instants = np.arange(1, int(end_s / interval_s) + 1) * interval_s
    cells: dict[str, list[Any]] = {name: [] for name in SAMPLED}
    for flow in dict.fromkeys(window["flow"]):
        mine = window["flow"] == flow
        last = np.searchsorted(window["time_s"][mine], instants, side="right") - 1
        there = last >= 0
        cells["time_s"] += instants[there].tolist()
        cells["flow"] += [flow] * int(there.sum())
        for name in SAMPLED[2:]:
            values = window[name][mine][last[there]].tolist()
            cells[name] += [None if isinstance(one, float) and math.isnan(one) else one for one in values]
    cells["cwnd"] = [int(one) for one in cells["cwnd"]]
    return Result(run.meta, {**run.tables, "window": table_of("window", cells)})


def _measures(sides: Sequence[Replications], canonical: Mapping[str, Any]) -> list[str]:
    """The measures that every run has a number for; Jain's index if all flows compete for the same capacity."""
    flows = list(dict.fromkeys(str(name) for name in sides[0][0].tables["flows"]["flow"]))
    wanted = [one.format(flow) for flow in flows for one in OF_FLOWS] if len(flows) <= MOST_FLOWS else list(OF_ALL)
    if len(flows) > MOST_FLOWS and all_compete(canonical):
        wanted.insert(1, SHARES)
    return [
        name for name in (*wanted, *OF_LINKS) if all(_has(run, Measure.parse(name)) for side in sides for run in side)
    ]


def _has(run: Any, measure: Measure) -> bool:
    table = run.tables.get(measure.table)
    return (
        table is not None
        and measure.column in table
        and (measure.component is None or measure.component in table[measure.key])
        and math.isfinite(measure.of(run))
    )


def _residuals(backend: str, compared: Compared, tolerance: float) -> list[Residual]:
    found = []
    for row in compared.rows():
        reference, value, unit = row["control"], row["treated"], row["unit"]
        # One pair has no interval, and says nothing of how sure a difference is.
        low, high = row["difference"]["ci"] or (math.nan, math.nan)
        room = tolerance * abs(reference)
        if low >= -room and high <= room:
            verdict = "same"
        elif low > room or high < -room:
            verdict = "differs"
        else:
            verdict = "open"
        found.append(Residual(row["measure"], unit, backend, reference, value, low, high, verdict))
    return found
