"""The cases as data: one TOML file each, with its scenario, its stages and its checks."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ackclock._errors import RefusedError
from ackclock.base.near import suggestion

__all__ = ["Case", "Check", "Stage", "cases", "chosen", "merged", "read"]

FOLDER = Path(__file__).with_name("cases")
SUITES = {"bbr": "draft-ietf-ccwg-bbr, the test cases of its appendix"}
"""The documents whose cases there are."""


@dataclass(frozen=True)
class Check:
    """One check of a case: a measure and the values that are accepted."""

    text: str
    """The check as a sentence."""
    measure: str
    """Name of a function of `ackclock.judge.conform.measures`."""
    basis: str
    """Source of the accepted values: `case`, the text of the case; `draft`, a constant of the draft; or `derived`, with
    `how`."""
    how: str = ""
    """Derivation of the accepted values."""
    low: float | None = None
    high: float | None = None
    equals: str | None = None
    """Accepted text, instead of `low` and `high`. Alternatives are separated by a bar."""
    unit: str = ""
    versions: tuple[int, ...] = (1, 3)
    """Versions of BBR to which the check applies."""
    why_not: str = ""
    """Reason why the check does not apply to other versions."""
    args: dict[str, Any] = field(default_factory=dict)
    """Arguments of the measure."""

    @property
    def accepted(self) -> str:
        """The accepted values in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.equals is not None:
            return self.equals.replace("|", " or ")
        if self.low is None:
            return f"at most {self.high:g}{unit}"
        if self.high is None:
            return f"at least {self.low:g}{unit}"
        if self.low == self.high:
            return f"{self.low:g}{unit}"
        return f"{self.low:g} to {self.high:g}{unit}"

    def accepts(self, value: float | str) -> bool:
        """Whether a value is accepted."""
        if self.equals is not None:
            return str(value) in self.equals.split("|")
        number = float(value)
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)


@dataclass(frozen=True)
class Stage:
    """A change of the scenario at the moment at which the flow under test enters a state.

    The run before the change finds the moment. In the changed scenario, the text ``@`` is the moment, ``@+60ms`` a time
    after it, and ``@sent`` the volume that the flow has sent by then. Both runs are the same until the moment.
    """

    enter: str
    nth: int
    scenario: dict[str, Any]
    subject: dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A case of the draft's appendix."""

    number: int
    name: str
    title: str
    """Title of the case in the draft."""
    summary: str
    """The scenario in a sentence."""
    scenario: dict[str, Any]
    rate_bps: float
    """Rate of the bottleneck that the checks compare with: after the last stage, if a stage changes it."""
    checks: tuple[Check, ...]
    stages: tuple[Stage, ...] = ()
    versions: tuple[int, ...] = (1, 3)
    why_not: str = ""
    remark: str = ""
    """Departures from the case's text and their reasons."""


def cases(suite: str = "bbr") -> list[Case]:
    """All cases of a suite, in the order of the draft."""
    return list(_cases(suite))


@cache
def _cases(suite: str) -> tuple[Case, ...]:
    if suite not in SUITES:
        raise RefusedError(f"unknown suite {suite}; accepted: {', '.join(SUITES)}{suggestion(suite, SUITES)}")
    folder = FOLDER / suite
    base = tomllib.loads((folder / "base.toml").read_text(encoding="utf-8"))
    found = [
        read(tomllib.loads(path.read_text(encoding="utf-8")), base, path.stem.partition("-")[2])
        for path in sorted(folder.glob("[0-9]*.toml"))
    ]
    return tuple(sorted(found, key=lambda case: case.number))


def chosen(suite: str, names: tuple[str, ...]) -> list[Case]:
    """The cases with these names or numbers, in the order of the draft; all without names.

    Raises
    ------
    RefusedError
        With every name that no case has.
    """
    every = cases(suite)
    known = {case.name: case for case in every} | {str(case.number): case for case in every}
    wrong = [name for name in names if name not in known]
    if wrong:
        places = "\n".join(
            f"unknown case {name}; accepted: a number from 1 to {len(every)}, or a name of --list"
            f"{suggestion(name, [case.name for case in every])}"
            for name in wrong
        )
        raise RefusedError(places)
    wanted = {known[name].number for name in names}
    return [case for case in every if not names or case.number in wanted]


def read(text: dict[str, Any], base: dict[str, Any], name: str) -> Case:
    """The case of a parsed TOML file, over the scenario that all cases have in common."""
    scenario = merged(base["scenario"], text.get("scenario", {}))
    scenario["name"] = name
    scenario["flows"] = [merged(base["subject"], text.get("subject", {})), *text.get("others", [])]
    return Case(
        number=text["number"],
        name=name,
        title=text["title"],
        summary=text["summary"],
        scenario=scenario,
        rate_bps=float(text.get("rate_bps", base["rate_bps"])),
        checks=tuple(Check(**(one | {"versions": tuple(one.get("versions", (1, 3)))})) for one in text["checks"]),
        stages=tuple(
            Stage(one["enter"], one.get("nth", 1), one.get("scenario", {}), one.get("subject", {}))
            for one in text.get("stages", [])
        ),
        versions=tuple(text.get("versions", (1, 3))),
        why_not=text.get("why_not", ""),
        remark=text.get("remark", ""),
    )


def merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """One table over another; tables within them are merged in the same way, unless they have a kind."""
    result = dict(under)
    for key, value in over.items():
        before = result.get(key)
        if isinstance(before, dict) and isinstance(value, dict) and "kind" not in value:
            result[key] = merged(before, value)
        else:
            result[key] = value
    return result
