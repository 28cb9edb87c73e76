"""Hints in messages: what was probably meant, before a long list of what is accepted."""

from __future__ import annotations

import dataclasses
import re

from ackclock.base.near import suggestion

__all__ = ["hinted", "scenario_fields"]

LONG = 30
"""Names in a list, from which on the nearest name comes before the list."""

NEAREST = re.compile(
    r"(?P<what>.*?)(?P<names>; (?:accepted|there are):? .*)(?P<near>; did you mean \".*\"\?)", re.DOTALL
)
UNKNOWN_NAME = re.compile(
    r'(?P<what>.*"(?P<name>[^"]+)" is not a known [a-z ]+); accepted: (?P<names>[^";]+)', re.DOTALL
)
UNKNOWN_UNIT = re.compile(
    r'.*"(?P<number>[-+.0-9eE]+) ?(?P<unit>[^"]*)" has the unknown unit .*\(units: (?P<units>.*)\)', re.DOTALL
)
UNKNOWN_KEY = re.compile(r"(?:.*: )?(?P<key>[A-Za-z_]+): unknown key; accepted: (?P<names>.*)", re.DOTALL)
RATES = (("bit/s", "bps"), ("bits", "bps"), ("bit", "bps"), ("b/s", "bps"))
"""Other ways to write the unit of a rate, as tc and iperf do."""


def hinted(message: str) -> str:
    """The message with what was probably meant; a message that nothing is known about stays as it is."""
    if "did you mean" not in message:
        message = _unit(message) or _key(message) or _name(message) or message
    found = NEAREST.fullmatch(message)
    if found is not None and found["names"].count(", ") >= LONG:
        return found["what"] + found["near"] + found["names"].replace("; ", " ", 1)
    return message


def scenario_fields() -> dict[str, list[str]]:
    """The names of the fields in the sections of a scenario that most settings are about."""
    from ackclock.scenario import Access, Bottleneck, Flow, Probes

    sections = {"bottleneck": Bottleneck, "flows[0]": Flow, "probes": Probes, "access": Access}
    return {name: [one.name.rstrip("_") for one in dataclasses.fields(kind)] for name, kind in sections.items()}


def _unit(message: str) -> str | None:
    """A quantity with the accepted unit that is nearest to an unknown one, such as 10Mbps for 10Mbit."""
    found = UNKNOWN_UNIT.fullmatch(message)
    if found is None:
        return None
    units = found["units"].split(", ")
    written = found["unit"]
    lower = {unit.lower(): unit for unit in units}
    for ending, rate in RATES:
        if written.lower().endswith(ending):
            written = written[: -len(ending)] + rate
            break
    meant = lower.get(written.lower())
    if meant is not None:
        return f'{message}; did you mean "{found["number"]}{meant}"?'
    return message + suggestion(written, units)


def _key(message: str) -> str | None:
    """The path of a field for its name without the path, such as bottleneck.queue for queue."""
    found = UNKNOWN_KEY.fullmatch(message)
    if found is None:
        return None
    for section, fields in scenario_fields().items():
        if found["key"] in fields:
            return f'{message}; did you mean "{section}.{found["key"]}"?'
    return message + suggestion(found["key"], found["names"].split(", "))


def _name(message: str) -> str | None:
    """The nearest of the names that a message lists; for an algorithm without one, how to load a new one."""
    found = UNKNOWN_NAME.fullmatch(message)
    if found is None:
        return None
    names = found["names"].split(", ")
    near = suggestion(found["name"].replace("_", "-"), names)
    if near:
        return message + near
    if found["what"].endswith(("congestion control", "rate adaptation")):
        return f"{found['what']}; --load FILE loads one of your own; accepted: {found['names']}"
    return None
