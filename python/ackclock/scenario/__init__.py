"""Scenarios: files, text and dicts, and typed objects whose classes follow from the engine's schema.

>>> from ackclock.scenario import Bottleneck, Flow, Scenario, app, queue
>>> short = queue.FqCodel(target="2ms")
>>> path = Bottleneck(rate="10Mbps", delay="20ms", queue=short)
>>> scenario = Scenario(duration="60s", bottleneck=path, flows=[Flow(cc="cubic", app=app.Bulk())])

What is not given is left out, and the engine's default holds. Tables that come in kinds are in modules of their own:
abr, app, arrival, cc, delay_table, distribution, jitter, loss, media, netem_loss, pacing, policer, queue, rate, slot.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ackclock.scenario._source import (
    Overrides,
    Source,
    Text,
    catalogue,
    check,
    event_schema,
    foreign,
    load,
    named,
    override_pairs,
    schema,
)

if TYPE_CHECKING:
    from ackclock.scenario._access import Access
    from ackclock.scenario._bottleneck import (
        Bottleneck,
        Delay,
        DelayStep,
        Fate,
        Netem,
        Outage,
        Preset,
        TreatmentOfLargePackets,
    )
    from ackclock.scenario._flows import (
        CarefulResume,
        Change,
        CodePoint,
        EcnMode,
        Flow,
        FlowAccess,
        Handshake,
        Reading,
        ReadingPause,
        Recovery,
        RestartAfterIdle,
        SlowStart,
        Stack,
        TimeoutRule,
        TreatmentOfEcnInATunnel,
        Tunnel,
        WindowUnit,
        WindowValidation,
    )
    from ackclock.scenario._links import Link
    from ackclock.scenario._probes import Probes
    from ackclock.scenario._scenario import Scenario

__all__ = [
    "Access",
    "Bottleneck",
    "CarefulResume",
    "Change",
    "CodePoint",
    "Delay",
    "DelayStep",
    "EcnMode",
    "Fate",
    "Flow",
    "FlowAccess",
    "Handshake",
    "Link",
    "Netem",
    "Outage",
    "Overrides",
    "Preset",
    "Probes",
    "Reading",
    "ReadingPause",
    "Recovery",
    "RestartAfterIdle",
    "Scenario",
    "SlowStart",
    "Source",
    "Stack",
    "Text",
    "TimeoutRule",
    "TreatmentOfEcnInATunnel",
    "TreatmentOfLargePackets",
    "Tunnel",
    "WindowUnit",
    "WindowValidation",
    "catalogue",
    "check",
    "event_schema",
    "foreign",
    "load",
    "named",
    "override_pairs",
    "schema",
]

_HOMES = {
    "Access": "ackclock.scenario._access",
    "Bottleneck": "ackclock.scenario._bottleneck",
    "CarefulResume": "ackclock.scenario._flows",
    "Change": "ackclock.scenario._flows",
    "CodePoint": "ackclock.scenario._flows",
    "Delay": "ackclock.scenario._bottleneck",
    "DelayStep": "ackclock.scenario._bottleneck",
    "EcnMode": "ackclock.scenario._flows",
    "Fate": "ackclock.scenario._bottleneck",
    "Flow": "ackclock.scenario._flows",
    "FlowAccess": "ackclock.scenario._flows",
    "Handshake": "ackclock.scenario._flows",
    "Link": "ackclock.scenario._links",
    "Netem": "ackclock.scenario._bottleneck",
    "Outage": "ackclock.scenario._bottleneck",
    "Preset": "ackclock.scenario._bottleneck",
    "Probes": "ackclock.scenario._probes",
    "Reading": "ackclock.scenario._flows",
    "ReadingPause": "ackclock.scenario._flows",
    "Recovery": "ackclock.scenario._flows",
    "RestartAfterIdle": "ackclock.scenario._flows",
    "Scenario": "ackclock.scenario._scenario",
    "SlowStart": "ackclock.scenario._flows",
    "Stack": "ackclock.scenario._flows",
    "TimeoutRule": "ackclock.scenario._flows",
    "TreatmentOfEcnInATunnel": "ackclock.scenario._flows",
    "TreatmentOfLargePackets": "ackclock.scenario._bottleneck",
    "Tunnel": "ackclock.scenario._flows",
    "WindowUnit": "ackclock.scenario._flows",
    "WindowValidation": "ackclock.scenario._flows",
}
"""Modules of the classes. A module is imported at first use, because imports take time."""


if not TYPE_CHECKING:  # A type checker that sees it takes every name for one of these.

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
