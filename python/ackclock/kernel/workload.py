"""Translation of a scenario into the question for a kernel. A field that the kernel cannot obey is refused."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import Problem, ScenarioError
from ackclock.base.quantities import RATES, TIMES, VOLUMES, quantity
from ackclock.cc import registry
from ackclock.scenario._source import load, named, override_pairs

if TYPE_CHECKING:
    from ackclock.kernel.builds import Built
    from ackclock.scenario._source import Overrides, Source

__all__ = ["module_of", "question_of", "stacks_of"]

STACK = "linux"
NAMES = {"bbr1": "bbr"}
"""Congestion controls whose full name is not the kernel's name with the ending -linux."""
WRITE = "16MiB"
"""The largest write where the scenario has no limit, as the simulator's application has none. The end of a write can be
a small segment, and the next small one then waits for its acknowledgment (Nagle's algorithm with Minshall's change)."""
APPS = ("bulk", "transfer", "bursts")
MOST_FLOWS = 250

PLAIN: dict[str, tuple[object, ...]] = {
    "count": (1,),
    "start_jitter": ("0s",),
    "group_jitter": ("0s",),
    "class": (0,),
    "dscp": ("CS0",),
}
"""Fields of a flow that have to be as they are here; other fields than these and the ones that are read are refused."""


def module_of(name: str) -> str:
    """The kernel's name of a congestion control: bbr for bbr1, vegas for vegas-linux."""
    return NAMES.get(name, name.removesuffix("-linux"))


def stacks_of(version: str) -> tuple[str, ...]:
    """The stacks that mean a kernel of a version such as 6.12.117: linux, and linux-6.12."""
    return STACK, f"{STACK}-{'.'.join(version.split('.')[:2])}"


def question_of(scenario: Source, overrides: Overrides | None, kernel: Built) -> tuple[dict[str, Any], dict[str, Any]]:
    """The question for a kernel, and the scenario's canonical form.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario, or that the kernel cannot do.
    """
    text = load(scenario)
    with named(text):
        given = (text.text, text.format, override_pairs(overrides), text.folder, registry.algorithms())
        document, digest, _ = _core.read_scenario(*given)
        canonical: dict[str, Any] = {**json.loads(document), "hash": digest}
    reader = _Reader(canonical, kernel)
    question = reader.question()
    if reader.problems:
        raise ScenarioError(reader.problems, text.name)
    return question, canonical


class _Reader:
    def __init__(self, canonical: dict[str, Any], kernel: Built) -> None:
        self.canonical = canonical
        self.kernel = kernel
        self.problems: list[Problem] = []

    def refuse(self, path: str, message: str) -> None:
        self.problems.append(Problem(path=path, line=None, message=message))

    def number(self, path: str, value: object, units: dict[str, int]) -> int:
        """A quantity in its smallest unit; 0 after a refusal."""
        try:
            return quantity(value, units)
        except ValueError:
            self.refuse(path, f"{json.dumps(value)} is nothing that a kernel can be given; accepted: a single value")
            return 0

    def question(self) -> dict[str, Any]:
        canonical = self.canonical
        duration = self.number("duration", canonical["duration"], TIMES)
        if canonical.get("links"):
            self.refuse("links", "is no path that the runner can build; accepted: the bottleneck alone")
        link, access = canonical["bottleneck"], canonical["access"]
        delay = self.number("bottleneck.delay", link["delay"], TIMES)
        for end in ("source_delay", "sink_delay"):
            delay += self.number(f"access.{end}", access[end], TIMES)
        interval = self.number("probes.interval", canonical["probes"]["interval"], TIMES)
        return {
            "duration_ns": duration,
            "limit_s": duration / 1e9 + 60,
            "interval_ns": interval if canonical["probes"]["window"] else 0,
            "rate_bps": self.number("bottleneck.rate", link["rate"], RATES),
            "delay_ns": delay,
            "queue_packets": self.queue(link),
            "offloads": self.offloads(link),
            "sysctls": {},
            "flows": [self.flow(number, flow) for number, flow in enumerate(self.flows())],
        }

    def flows(self) -> list[dict[str, Any]]:
        flows: list[dict[str, Any]] = self.canonical["flows"]
        if len(flows) > MOST_FLOWS:
            self.refuse("flows", f"are {len(flows)}; accepted: at most {MOST_FLOWS} for a kernel")
        return flows[:MOST_FLOWS]

    def queue(self, link: dict[str, Any]) -> int:
        for key in link:
            if key not in ("preset", "rate", "delay", "queue", "loss", "reverse_loss", "gso"):
                self.refuse(f"bottleneck.{key}", "is nothing that the kernel's path has; accepted: leave it out")
        for key in ("loss", "reverse_loss"):
            if link.get(key, {}).get("probability") not in ("0%", None):
                self.refuse(f"bottleneck.{key}", "would be drawn by the kernel, not by the seed; accepted: none")
        queue = link["queue"]
        if queue["kind"] != "drop-tail":
            self.refuse("bottleneck.queue", f"{queue['kind']} is not accepted for a kernel; accepted: drop-tail")
            return 0
        found = re.fullmatch(r"(\d+) packets?", str(queue["limit"]))
        if found is None:
            message = f'{json.dumps(queue["limit"])} is no number of packets; accepted: a limit such as "100 packets"'
            self.refuse("bottleneck.queue.limit", message)
            return 0
        return int(found[1])

    def offloads(self, link: dict[str, Any]) -> bool:
        """Whether large packets stay whole on the virtual interfaces of the path."""
        gso = link.get("gso", "off")
        if gso == "queue":
            message = 'needs a network card, and the path has virtual interfaces alone; accepted: "off", "whole"'
            self.refuse("bottleneck.gso", message)
        return bool(gso == "whole")

    def flow(self, number: int, flow: dict[str, Any]) -> dict[str, Any]:
        path = f"flows[{number}]"
        plain = PLAIN | {"stack": stacks_of(self.kernel.version)}
        for key, value in flow.items():
            if key in plain and value not in plain[key]:
                accepted = ", ".join(json.dumps(one) for one in plain[key])
                self.refuse(f"{path}.{key}", f"{json.dumps(value)} is not accepted for a kernel; accepted: {accepted}")
            elif key not in plain and key not in ("name", "app", "start", "cc", "nagle", "write_size"):
                self.refuse(f"{path}.{key}", "is nothing that a kernel is told; accepted: leave it out")
        cc = flow.get("cc", "cubic-linux")
        module = module_of(cc) if isinstance(cc, str) else ""
        if module not in self.kernel.modules:
            accepted = ", ".join(self.kernel.modules)
            message = f"{json.dumps(cc)} is no congestion control of Linux {self.kernel.version}; accepted: {accepted}"
            self.refuse(f"{path}.cc", message)
        wanted = {
            "name": flow["name"],
            "cc": module,
            "start_ns": self.number(f"{path}.start", flow["start"], TIMES),
            "nagle": flow.get("nagle", True),
            "write_bytes": self.number(f"{path}.write_size", flow.get("write_size", WRITE), VOLUMES),
        }
        return wanted | self.app(f"{path}.app", flow["app"])

    def app(self, path: str, app: dict[str, Any]) -> dict[str, Any]:
        kind = app["kind"]
        if kind not in APPS:
            accepted = ", ".join(APPS)
            self.refuse(path, f"{kind} is no application of the runner in a kernel yet; accepted: {accepted}")
        found: dict[str, Any] = {"kind": kind}
        if kind in ("transfer", "bursts"):
            found["size"] = self.number(f"{path}.size", app["size"], VOLUMES)
        if kind == "bursts":
            found["interval_ns"] = self.number(f"{path}.interval", app["interval"], TIMES)
            found["count"] = app.get("count", 0)
        return found
