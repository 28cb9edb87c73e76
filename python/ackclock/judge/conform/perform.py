"""Runs of cases: the stages of a case, its run, and the verdicts of its checks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ackclock._errors import ScenarioError
from ackclock.engine.run import SIM
from ackclock.engine.run import run as run_scenario
from ackclock.judge.conform.case import merged
from ackclock.judge.conform.evidence import Absent, Evidence, Unreadable
from ackclock.judge.conform.measures import MEASURES
from ackclock.results.result import lateness_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.judge.conform.case import Case, Check
    from ackclock.results.result import Result

__all__ = ["FAIL", "NOT_APPLICABLE", "PASS", "Found", "Outcome", "Subject", "judged", "perform"]


class Late(Exception):  # noqa: N818 -- it is an answer, not an error
    """Packets left the emulated network of the running kernel too late. The message says how late."""


PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not applicable"


@dataclass(frozen=True)
class Subject:
    """The stack under test, and how its cases run."""

    cc: str | None = "bbr3"
    stack: str | None = "linux"
    transport: str | None = None
    backend: str = SIM
    overrides: tuple[tuple[str, str], ...] = ()
    version: int | None = None
    """Version of BBR, 1 or 3; None if the name of the congestion control says it."""
    library: str | None = None
    """Path of the library that the transport is in; None if it is built in."""

    def fields(self) -> dict[str, Any]:
        """The fields of the flow under test. The congestion control of a transport is a parameter of the transport."""
        if self.transport is None:
            given = {"cc": self.cc, "stack": self.stack}
            return {name: value for name, value in given.items() if value is not None}
        given = {"kind": self.transport, "library": self.library, "cc": self.cc}
        return {"transport": {name: value for name, value in given.items() if value is not None}}


@dataclass(frozen=True)
class Found:
    """A check's value and its verdict."""

    check: Check
    verdict: str
    value: float | str | None = None
    reason: str = ""

    @property
    def shown(self) -> str:
        """The value in words, or the reason why there is none."""
        if self.value is None:
            return self.reason
        if isinstance(self.value, str):
            return self.value
        return f"{self.value:.4g} {self.check.unit}".rstrip()


@dataclass(frozen=True)
class Outcome:
    """A case's verdict under one seed."""

    case: Case
    seed: int
    found: tuple[Found, ...] = ()
    reason: str = ""
    """Reason why the case is not applicable as a whole, or why it fails before a check is read."""
    absent: bool = False
    """Whether a stage waited in vain for a state, which is a failure of the case."""
    evidence: Evidence | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """A case fails if one of its checks fails; it passes if one passes; otherwise it is not applicable."""
        verdicts = {one.verdict for one in self.found}
        if self.absent or FAIL in verdicts:
            return FAIL
        return PASS if PASS in verdicts else NOT_APPLICABLE

    @property
    def why(self) -> str:
        """The reasons why the case, or some of its checks, are not applicable."""
        if self.reason:
            return self.reason
        return "; ".join(dict.fromkeys(one.reason for one in self.found if one.verdict == NOT_APPLICABLE))


def perform(case: Case, subject: Subject, seed: int = 1) -> Outcome:
    """Runs a case and judges its checks.

    A case is not applicable if a kernel cannot have its path, or if packets were late in a run on the running kernel.

    Raises
    ------
    ScenarioError
        If the stack under test, or an override, is not accepted.
    """
    try:
        return _performed(case, subject, seed)
    except Late as late:
        return Outcome(case, seed, reason=str(late))
    except ScenarioError as error:
        given = {path for path, _ in subject.overrides}
        paths = {problem["path"] for problem in error.problems}
        if subject.backend == SIM or paths & given or any(path.startswith("flows[0]") for path in paths):
            raise
        return Outcome(case, seed, reason=f"{subject.backend} cannot run the scenario: {'; '.join(error.lines())}")


def _performed(case: Case, subject: Subject, seed: int) -> Outcome:
    scenario = dict(case.scenario)
    scenario["flows"] = [scenario["flows"][0] | subject.fields(), *scenario["flows"][1:]]
    if subject.backend != SIM:
        # A kernel records no packets; the checks that need them say so.
        scenario["probes"] = {name: value for name, value in scenario["probes"].items() if name != "packets"}
    moment = None
    for stage in case.stages:
        run = _run(scenario, subject, seed)
        evidence = Evidence(run, case.rate_bps, packet_of(scenario), moment, subject.version)
        try:
            entered = evidence.phase(stage.enter, stage.nth)
        except Unreadable as error:
            return Outcome(case, seed, reason=str(error))
        except Absent as error:
            if evidence.version not in case.versions:
                return Outcome(case, seed, reason=case.why_not)
            return Outcome(case, seed, reason=str(error), absent=True, evidence=evidence)
        moment = entered.start_s
        sent = None
        if _asks_for_volume(stage.scenario) or _asks_for_volume(stage.subject):
            until = _run(scenario | {"duration": _time(moment)}, subject, seed)
            delivered = next(iter(until.flows.rows()))["bytes_delivered"]
            sent = int(delivered) + int(evidence.column("flight_size")[entered.first])
        scenario = merged(scenario, _filled(stage.scenario, moment, sent))
        scenario["flows"] = [
            merged(scenario["flows"][0], _filled(stage.subject, moment, sent)),
            *scenario["flows"][1:],
        ]
    evidence = Evidence(_run(scenario, subject, seed), case.rate_bps, packet_of(scenario), moment, subject.version)
    return judged(case, evidence, seed)


def judged(case: Case, evidence: Evidence, seed: int = 1) -> Outcome:
    """The verdict of a case from the records of a run."""
    if evidence.version not in case.versions:
        return Outcome(case, seed, reason=case.why_not, evidence=evidence)
    return Outcome(case, seed, tuple(_found(check, evidence) for check in case.checks), evidence=evidence)


def packet_of(scenario: dict[str, Any]) -> int:
    """IP packet size of a full segment in a scenario of a case, bytes."""
    return int(str(scenario["packet_size"]).removesuffix("B"))


def _found(check: Check, evidence: Evidence) -> Found:
    if evidence.version not in check.versions:
        return Found(check, NOT_APPLICABLE, reason=check.why_not)
    try:
        value = MEASURES[check.measure](evidence, **check.args)
    except Unreadable as error:
        return Found(check, NOT_APPLICABLE, reason=str(error))
    except Absent as error:
        return Found(check, FAIL, reason=str(error))
    return Found(check, PASS if check.accepts(value) else FAIL, value)


def _run(scenario: dict[str, Any], subject: Subject, seed: int) -> Result:
    run = run_scenario(scenario, seed=seed, overrides=subject.overrides, backend=subject.backend, threads=1)
    late = lateness_of(run.meta)
    if late is not None:
        raise Late(late)
    return run


MOMENT = re.compile(r"@(?:\+(?P<ms>[0-9]+(?:\.[0-9]+)?)ms)?$")


def _filled(value: Any, moment: float, sent: int | None) -> Any:
    """A stage's part of a scenario, with the moment's time and volume in it."""
    if isinstance(value, dict):
        return {key: _filled(one, moment, sent) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, moment, sent) for one in value]
    if value == "@sent":
        return f"{sent}B"
    if isinstance(value, str) and (match := MOMENT.match(value)):
        return _time(moment + float(match["ms"] or 0) / 1e3)
    return value


def _asks_for_volume(value: Any) -> bool:
    parts: Sequence[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value == "@sent" or any(_asks_for_volume(one) for one in parts)


def _time(seconds: float) -> str:
    return f"{round(seconds * 1e9)}ns"
