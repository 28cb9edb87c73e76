"""The evaluation of a table beside congestion controls made by people, on its design range and off it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ackclock import _core, stats
from ackclock.base import reading
from ackclock.engine.run import Job, run_job
from ackclock.engine.threads import default_threads, execute
from ackclock.scenario import Text, check, override_pairs

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from ackclock.base.progress import ProgressCallback
    from ackclock.results.result import Result

__all__ = ["NETWORKS", "SCHEMES", "Cell", "Evaluation", "Network", "evaluate"]

RESAMPLES = 1000

SCHEMES: dict[str, dict[str, object]] = {
    "CUBIC": {"cc": "cubic-rfc9438"},
    "Compound": {"cc": "compound"},
    "NewReno": {"cc": "reno"},
    "Vegas": {"cc": "vegas"},
    "CUBIC over sfqCoDel": {"cc": "cubic-rfc9438", "queue": {"kind": "sfq-codel"}},
}
"""The schemes beside the table: the congestion control of the flows, and the queue where it is not the network's.

A scheme's queue has the limit of the network's queue."""


@dataclass(frozen=True, slots=True)
class Network:
    """A change of the networks that were drawn."""

    name: str
    rate: float = 1.0
    delay: float = 1.0
    senders: float = 1.0


NETWORKS = (
    Network("the design range"),
    Network("rate / 10", rate=0.1),
    Network("rate x 10", rate=10.0),
    Network("RTT x 4", delay=4.0),
    Network("senders x 3", senders=3.0),
)
"""The design range, and networks off it in one respect each."""

QUEUE = "1000 packets"
"""Limit of the bottleneck's queue in the evaluation of a design without a limit, as in section 5 of the paper. CUBIC
and NewReno fill a queue of any size, so a queue without a limit would say nothing about them."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A scheme on a kind of network: medians over flows and over networks, with intervals over the networks."""

    mbps: stats.Estimate
    """Throughput while on of flows with on periods, and goodput of all others, in Mbit/s."""
    delay_ms: stats.Estimate
    """Mean queueing delay of the bottleneck, in ms."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A table's rules and their use, and its comparison with other schemes."""

    score: float
    """Mean objective of a flow on the validation networks."""
    rules: list[dict[str, Any]]
    """Each rule: range, action, uses on the validation networks."""
    specimens: list[dict[str, Any]]
    """Each validation network: drawn values, seed, score, flows, uses of the rules."""
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    """Cells by network and scheme."""
    table: str = "the table"
    """Name of the table among the schemes."""
    limited: bool = False
    """Whether the design's queue has no limit, so that `QUEUE` is the limit on all networks."""


def evaluate(
    design: str,
    table: str | Path,
    settings: Mapping[str, Any],
    *,
    folder: Path = Path(),
    networks: Sequence[Network] = NETWORKS,
    schemes: Mapping[str, Mapping[str, object]] | None = None,
    count: int = 8,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
) -> Evaluation:
    """Evaluates a table on the validation networks of its search, and on `count` of them beside other schemes.

    All schemes have the same networks and seeds. `design` is the text of the design, and `folder` the one of the files
    that it names. `settings` are those of the search, as its log has them.

    Raises
    ------
    ScenarioError
        For a wrong design.
    ValueError
        For a file that is not a table, and for wrong settings.
    """
    table = Path(table)
    text = Text(design, name="the design", folder=str(folder))
    schemes = SCHEMES if schemes is None else schemes
    whole = json.loads(
        _core.evaluate_table(
            text.text, json.dumps(dict(settings)), reading.contents(table), threads or default_threads(), folder=folder
        )
    )
    specimens = whole["specimens"][:count]
    checked = [check(text, specimen["drawn"]) for specimen in specimens]
    limited = any(_has_no_limit(one) for one in checked)
    names = {str(checked[0]["flows"][index]["name"]) for index in whole["designed"]}
    networks = [one for one in networks if all(_can_vary(one, each) for each in checked)]
    own: dict[str, object] = {"cc": {"kind": "remycc", "table": str(table.resolve())}}
    all_schemes = {table.stem: own, **schemes}
    jobs: list[Job] = []
    for network, (_, scheme), specimen in product(networks, all_schemes.items(), specimens):
        overrides = _overrides(text, specimen["drawn"], network, scheme, whole["designed"])
        jobs.append(Job(text, tuple(override_pairs(overrides)), specimen["seed"]))
    results = iter(execute(jobs, partial(_measured, flows=names), threads=threads, progress=progress))
    cells = {}
    for network, name in product(networks, all_schemes):
        samples = [next(results) for _ in specimens]
        cells[network.name, name] = Cell(_median([mbps for mbps, _ in samples]), _median([ms for _, ms in samples]))
    return Evaluation(whole["score"], whole["rules"], whole["specimens"], cells, table.stem, limited)


def _overrides(
    text: Text,
    drawn: Sequence[tuple[str, str]],
    network: Network,
    scheme: Mapping[str, object],
    designed: Sequence[int],
) -> dict[str, object]:
    """The overrides that make a specimen the network of a scheme."""
    overrides: dict[str, object] = dict(drawn)
    overrides |= {f"flows[{index}].cc": scheme["cc"] for index in designed}
    resolved = check(text, overrides)
    queue = dict(resolved["bottleneck"]["queue"])
    if _has_no_limit(resolved):
        queue["limit"] = QUEUE
        overrides["bottleneck.queue"] = queue
    if "queue" in scheme:
        own = {"limit": queue["limit"]} if "limit" in queue else {}
        overrides["bottleneck.queue"] = {**own, **scheme["queue"]}  # type: ignore[dict-item]
    factors = {
        "bottleneck.rate": network.rate,
        "bottleneck.delay": network.delay,
        "bottleneck.reverse_delay": network.delay,
    }
    for path, factor in factors.items():
        value = resolved["bottleneck"].get(path.split(".")[1])
        if factor != 1.0 and isinstance(value, str):
            overrides[path] = _times(value, factor)
    if network.senders != 1.0:
        for index in designed:
            overrides[f"flows[{index}].count"] = max(1, round(resolved["flows"][index]["count"] * network.senders))
    return overrides


def _can_vary(network: Network, resolved: Mapping[str, Any]) -> bool:
    """Whether the rate and the delay of a network are quantities, so that a multiple of them is another network."""
    bottleneck = resolved["bottleneck"]
    return all(
        factor == 1.0 or isinstance(bottleneck.get(name), str)
        for name, factor in (("rate", network.rate), ("delay", network.delay))
    )


def _has_no_limit(resolved: Mapping[str, Any]) -> bool:
    return bool(resolved["bottleneck"]["queue"].get("limit") == "unlimited")


def _times(quantity: str, factor: float) -> str:
    """A quantity times a factor, in the same unit."""
    match = re.fullmatch(r"([0-9.]+)\s*([A-Za-z]+)", quantity)
    if match is None:
        raise ValueError(f"{quantity!r} is not a number with a unit, so it cannot be varied")
    return f"{float(match[1]) * factor:.9f}".rstrip("0").rstrip(".") + match[2]


def _measured(
    job: Job, cancel: _core.Cancel, progress: ProgressCallback, *, flows: Container[str]
) -> tuple[list[float], list[float]]:
    return measured(run_job(job, cancel, progress), flows)


def measured(result: Result, flows: Container[str]) -> tuple[list[float], list[float]]:
    """Throughput of these flows with their copies in Mbit/s, and the mean queueing delay of the bottleneck in ms.

    The throughput of a flow with on periods is that while it was on; a flow that never was on has none. That of any
    other flow is its goodput.
    """
    on: dict[str, float] = {}
    if "time_on" in result.tables:
        on = dict(zip(result.time_on["flow"], result.time_on["throughput_bps"], strict=True))
    every = [
        on.get(flow, bps)
        for flow, bps in zip(result.flows["flow"], result.flows["goodput_bps"], strict=True)
        if re.sub(r"\.[0-9]+$", "", flow) in flows
    ]
    rates = [rate / 1e6 for rate in every if math.isfinite(rate)]
    links = result.tables["links"]
    delay = next(
        ms for link, ms in zip(links["link"], links["queue_delay_mean_ms"], strict=True) if link == "bottleneck"
    )
    return rates, [delay] if math.isfinite(delay) else []


def _median(samples: list[list[float]]) -> stats.Estimate:
    """The median over all flows; the networks are resampled whole, as the flows of one network share its link."""
    values = np.concatenate(samples)
    count = len(samples)
    if not values.size:
        return stats.Estimate(math.nan, math.nan, math.nan, count, method="percentile")
    if count < 2:
        return stats.Estimate(float(np.median(values)), math.nan, math.nan, count, method="percentile")
    picks = np.random.default_rng(stats.RESAMPLING_SEED).integers(count, size=(RESAMPLES, count))
    resampled = [float(np.median(np.concatenate([samples[index] for index in row]))) for row in picks]
    low, high = np.quantile(resampled, [0.025, 0.975])
    return stats.Estimate(float(np.median(values)), float(low), float(high), count, method="percentile")
