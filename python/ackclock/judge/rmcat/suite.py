"""Runs of the cases, the verdicts of the numbers that the RFCs give, and the documents and pages."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ackclock import _core, stats
from ackclock._errors import RefusedError
from ackclock.base import files
from ackclock.engine.run import run
from ackclock.judge.rmcat.case import LEAST_BPS, MOST_BPS
from ackclock.judge.rmcat.measures import call_measures, phase_measures, tcp_goodput
from ackclock.results.measure import Measure
from ackclock.scenario import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ackclock.judge.rmcat.case import Case, Variant
    from ackclock.judge.rmcat.measures import CallMeasures, PhaseMeasures
    from ackclock.results.result import Result

__all__ = ["Check", "Outcome", "Suite", "run_suite"]

RATIO = 3.0
"""Bound of the ratio of the rates of flows with the same priority and a similar RTT (RFC 8868 section 3: "the relative
ratio ... should be bounded between 0.333 and 3")."""


@dataclass(frozen=True)
class Check:
    """A number of a run for which an RFC gives a bound.

    Parameters
    ----------
    what
        The quantity.
    value, low, high
        Its value and the accepted range.
    source
        Section with the bound.
    """

    what: str
    value: float
    low: float
    high: float
    source: str

    @property
    def passes(self) -> bool:
        """Whether the value lies within the bounds."""
        return self.low <= self.value <= self.high


@dataclass(frozen=True)
class Outcome:
    """A case with one control, variant and seed."""

    case: Case
    variant: Variant
    control: str
    seed: int
    calls: dict[str, CallMeasures]
    phases: tuple[PhaseMeasures, ...]
    tcp_bps: float
    checks: tuple[Check, ...]
    result: Result

    @property
    def utilisation(self) -> float:
        """The mean over the phases; the share that the bottleneck carried of its capacity if the run draws that."""
        if all(math.isnan(phase.capacity_bps) for phase in self.case.phases):
            return float(Measure.parse("links[bottleneck].utilisation").of(self.result))
        return sum(phase.utilisation for phase in self.phases) / len(self.phases)

    def document(self) -> dict[str, Any]:
        """The outcome for JSON; numbers that a run does not have are null."""
        document: dict[str, Any] = _plain(
            {
                "document": self.case.document,
                "case": self.case.number,
                "name": self.case.name,
                "variant": self.variant.name,
                "control": self.control,
                "seed": self.seed,
                "calls": {name: asdict(one) for name, one in self.calls.items()},
                "phases": [
                    {"start_s": phase.start_s, "end_s": phase.end_s, "capacity_bps": phase.capacity_bps, **asdict(one)}
                    for phase, one in zip(self.case.phases, self.phases, strict=True)
                ],
                "tcp_goodput_bps": self.tcp_bps,
                "checks": [{**asdict(check), "passes": check.passes} for check in self.checks],
            }
        )
        return document


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Suite:
    """All outcomes of a run of the suite."""

    outcomes: tuple[Outcome, ...]
    seeds: tuple[int, ...]

    @property
    def failed(self) -> list[Outcome]:
        """The outcomes with a check that fails."""
        return [one for one in self.outcomes if not all(check.passes for check in one.checks)]

    def document(self) -> dict[str, Any]:
        """Everything for JSON."""
        return {
            "suite": "rmcat",
            "version": _core.version(),
            "seeds": list(self.seeds),
            "outcomes": [one.document() for one in self.outcomes],
            "summary": {"checks": sum(len(one.checks) for one in self.outcomes), "failed": len(self.failed)},
        }

    def of(self, case: Case, variant: Variant, control: str) -> list[Outcome]:
        """The outcomes of a case with a variant and a control, by seed."""
        return [one for one in self.outcomes if (one.case, one.variant, one.control) == (case, variant, control)]

    def groups(self) -> list[tuple[Case, Variant, str]]:
        """The contents of the table's rows: cases, their variants, and the controls within each."""
        return [
            (case, variant, control)
            for case in dict.fromkeys(one.case for one in self.outcomes)
            for variant in case.variants
            for control in dict.fromkeys(one.control for one in self.outcomes)
            if self.of(case, variant, control)
        ]

    def rows(self) -> list[list[str]]:
        """The table of the suite: a row for each case, variant and control, with means over the seeds."""
        rows = []
        for case, variant, control in self.groups():
            mine = self.of(case, variant, control)
            last = [one.phases[-1] for one in mine]
            calls = [one for outcome in mine for one in outcome.calls.values()]
            checks = [check for outcome in mine for check in outcome.checks]
            rows.append(
                [
                    f"{case.number} {case.name}" + (f", {variant.name}" if variant.name else ""),
                    control,
                    _mean([100 * one.utilisation for one in mine], 0),
                    _mean([one.phases[0].convergence_s for one in mine], 0),
                    _mean([100 * phase.oscillation for phase in last], 0),
                    _mean([one.delay_mean_ms for one in calls], 0),
                    _mean([max(one.delay_p95_ms for one in outcome.calls.values()) for outcome in mine], 0),
                    _mean([100 * one.loss for one in calls], 2),
                    _mean([phase.ratio for phase in last], 2),
                    _mean([sum(one.freezes for one in outcome.calls.values()) for outcome in mine], 1),
                    "-" if not checks else "pass" if all(check.passes for check in checks) else "fail",
                ]
            )
        return rows

    def write(self, folder: Path, command: str) -> None:
        """Writes ``rmcat.json``, ``rmcat.html`` and a figure of each case, ``NUMBER-NAME.svg``, into a folder."""
        from matplotlib import pyplot as plt

        from ackclock.judge.rmcat.figure import figure
        from ackclock.judge.rmcat.page import page
        from ackclock.plot.canvas import figure_of, save

        files.write_json(folder / "rmcat.json", self.document())
        page(self, command).write(folder / "rmcat.html")
        for case, variant in dict.fromkeys(one[:2] for one in self.groups()):
            axes = figure(self, case, variant)
            label = variant.label
            save(axes, folder / f"{case.number.replace('/', '-')}-{case.name}{label}.svg")
            plt.close(figure_of(axes))


HEADER = [
    "case", "control", "utilisation %", "first rise s", "oscillation %", "delay ms", "p95 ms", "loss %", "max/min",
    "freezes", "checks",
]  # fmt: skip
"""Names of the columns of `Suite.rows`."""


def _mean(values: Sequence[float], digits: int) -> str:
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return "-"
    middle = sum(known) / len(known)
    text = f"{middle:.{digits}f}"
    if len(known) >= 2 and len(known) == len(values):
        known_mean = stats.mean(known)
        text += f" ±{(known_mean.high - known_mean.low) / 2:.{digits}f}"
    return text


def checks_of(case: Case, phases: Sequence[PhaseMeasures]) -> tuple[Check, ...]:
    """The checks of an outcome: the few numbers that RFC 8867 and RFC 8868 give."""
    found = []
    several = "RFC 8868 section 3"
    if case.equal:
        found.append(Check("largest over smallest rate in the last phase", phases[-1].ratio, 1.0, RATIO, several))
    if case.name.endswith(("long-tcp", "short-tcp")):
        least = min(phases[-1].rates_bps.values())
        source = f"{case.document} section {case.number}: at least the minimum media bit rate"
        found.append(Check("least rate in the last phase, bit/s", least, 0.95 * LEAST_BPS, math.inf, source))
    if case.name.endswith("pause"):
        least = min(phases[1].rates_bps.values())
        source = "RFC 8867 section 5.8: the others reach the maximum media bit rate"
        found.append(Check("least rate during the pause, bit/s", least, 0.9 * MOST_BPS, math.inf, source))
    return tuple(found)


def _variants(case: Case, control: str) -> list[Variant]:
    return [one for one in case.variants if case.applies(control, one)]


def run_suite(
    cases: Sequence[Case],
    controls: Sequence[str],
    seeds: Sequence[int],
    *,
    threads: int | None = None,
    overrides: dict[str, Any] | None = None,
    progress: Callable[[Outcome], object] = lambda _: None,
) -> Suite:
    """Runs cases for controls and seeds.

    Parameters
    ----------
    cases
        The cases, with all their variants.
    controls
        Names of congestion controls of media.
    seeds
        Seeds of the runs.
    threads
        Simultaneous runs of a case.
    overrides
        Values by key path that replace those of every scenario.
    progress
        Called after each outcome.

    Raises
    ------
    ScenarioError
        If a control or an override is not accepted.
    RefusedError
        If no case applies to a control.
    """
    known = {one["name"] for one in catalogue()["media"]}
    idle = [one for one in controls if one in known and not any(_variants(case, one) for case in cases)]
    if idle:
        lines = [f"--control {one}: none of the chosen cases applies to it" for one in idle]
        accepted = dict.fromkeys(one for case in cases for one in case.controls)
        raise RefusedError("\n".join([*lines, f"accepted: {', '.join(accepted)}"]))
    outcomes = []
    for case in cases:
        for control in controls:
            for variant in _variants(case, control):
                scenario = case.scenario(control, variant)
                runs = run(scenario, seeds=list(seeds), threads=threads, overrides=overrides)
                for seed, result in zip(seeds, runs, strict=True):
                    calls = {name: call_measures(result, name) for name in case.calls}
                    phases = tuple(phase_measures(result, phase) for phase in case.phases)
                    checks = checks_of(case, phases)
                    tcp = tcp_goodput(result, case)
                    one = Outcome(case, variant, control, seed, calls, phases, tcp, checks, result)
                    progress(one)
                    outcomes.append(one)
    return Suite(tuple(outcomes), tuple(seeds))
