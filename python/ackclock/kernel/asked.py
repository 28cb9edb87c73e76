"""Request of a scenario to a kernel. A field that a kernel cannot obey is refused with its path."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.base.quantities import TIMES, VOLUMES
from ackclock.kernel.workload import WRITE, module_of, stacks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ackclock._errors import Problem

__all__ = ["Asked", "asked"]

MOST_FLOWS = 100
"""Most copies of flows of one run: each has two network namespaces."""
SMALLEST_DATAGRAM = 8 + 28
"""Bytes of the smallest datagram with its headers: it carries its number."""

PLAIN = {
    "name", "count", "app", "start", "start_jitter", "group_jitter", "arrival", "class", "dscp", "source_host",
    "sink_host", "route", "return_route", "access", "write_size", "nagle", "reading", "source_reading",
}  # fmt: skip
"""Fields of a flow that the emulator, the applications or the sockets have as they are."""

SYSCTLS: dict[str, tuple[str, dict[object, str]]] = {
    "timestamps": ("net.ipv4.tcp_timestamps", {True: "1", False: "0"}),
    "sack": ("net.ipv4.tcp_sack", {True: "1", False: "0"}),
    "dsack": ("net.ipv4.tcp_dsack", {True: "1", False: "0"}),
    "frto": ("net.ipv4.tcp_frto", {True: "2", False: "0"}),
    "tlp": ("net.ipv4.tcp_early_retrans", {True: "3", False: "0"}),
    "rack": ("net.ipv4.tcp_recovery", {True: "1", False: "0"}),
    "ecn": ("net.ipv4.tcp_ecn", {"off": "0", "passive": "2", "classic": "1"}),
    "restart_after_idle": ("net.ipv4.tcp_slow_start_after_idle", {"off": "0"}),
}
"""Fields of a flow that are settings of its namespaces, with the kernel's values."""
LOADED = {"compound": "ctcp"}
"""Congestion controls that Linux has not, and that are loaded into the running kernel for a run, with their modules."""
AFTER_IDLE = "after-idle"
PACING = {"quantum": "2 packets"}
"""Fields of pacing that a kernel cannot change."""
VALIDATED = {"reno": "newcwv", "cubic": "newcwv_cubic"}
"""Modules of the running kernel with newCWV, by the congestion control that they stand in front of."""
BUFFERS = {
    "send_buffer": "16KiB",
    "send_buffer_max": "4MiB",
    "receive_buffer": "128KiB",
    "receive_buffer_max": "6MiB",
}
"""Fields of buffers, and the memory that Linux gives them without the field (tcp_wmem and tcp_rmem)."""
LEAST_BUFFER = 4608
"""Memory of the smallest send buffer (SOCK_MIN_SNDBUF), in bytes."""
LARGEST_BUFFER = 2**31 - 1
"""Largest value of tcp_wmem and tcp_rmem, in bytes."""
HEADERS = 40
"""Bytes of the headers of a segment without options."""
PROBES = ("packets", "timeouts", "delays")
"""Probes that a kernel does not fill."""


class Asked:
    """The question for a kernel."""

    def __init__(self, canonical: dict[str, Any], modules: Sequence[str], kernel: str, *, loads: bool) -> None:
        self.canonical = canonical
        self.modules = modules
        self.loads = loads
        """Whether modules of ackclock can be loaded into the kernel."""
        self.kernel = kernel
        """The kernel's name in messages."""
        self.problems: list[Problem] = []

    def refuse(self, path: str, message: str) -> None:
        """Notes that a field cannot be as it is."""
        self.problems.append({"path": path, "line": None, "message": message})

    def number(self, path: str, value: object, units: dict[str, int]) -> int:
        """A quantity in its smallest unit; 0 after a refusal."""
        found = re.fullmatch(r"([0-9.]+) ?([A-Za-z]+)", value) if isinstance(value, str) else None
        if found is None or found[2] not in units:
            self.refuse(path, f"{json.dumps(value)} is nothing that a kernel can be given; accepted: a single value")
            return 0
        return round(float(found[1]) * units[found[2]])

    def question(self) -> dict[str, Any]:
        """The question, without the scenario and the seed."""
        canonical, probes = self.canonical, self.canonical["probes"]
        for probe in PROBES:
            if probes[probe]:
                self.refuse(f"probes.{probe}", "is nothing that a kernel records; accepted: false")
        links = [canonical["bottleneck"], *canonical.get("links", [])]
        for number, link in enumerate(links):
            self.link("bottleneck" if number == 0 else f"links[{number - 1}]", link)
        flows = []
        for number, flow in enumerate(canonical["flows"]):
            wanted = self.flow(f"flows[{number}]", flow)
            flows += [wanted] * min(flow["count"], MOST_FLOWS + 1)
        if len(flows) > MOST_FLOWS:
            self.refuse("flows", f"are more than {MOST_FLOWS}; accepted: at most {MOST_FLOWS} with all copies")
        return {
            "duration_ns": self.number("duration", canonical["duration"], TIMES),
            "mtu": self.number("packet_size", canonical["packet_size"], VOLUMES),
            "flows": flows,
        }

    def link(self, path: str, link: dict[str, Any]) -> None:
        """Refuses what the emulated network, which the kernel's packets pass one by one, does not have."""
        for key, plain in (("gso", "off"), ("reverse_gso", "off"), ("host_queue", False)):
            if link.get(key, plain) != plain:
                message = f"would have no effect in the emulated network; accepted: {json.dumps(plain)}"
                self.refuse(f"{path}.{key}", message)
        for queue in ("queue", "reverse_queue"):
            if link.get(queue, {}).get("kind") == "xcp":
                self.refuse(f"{path}.{queue}", "xcp needs a header that Linux does not send; accepted: another kind")

    def flow(self, path: str, flow: dict[str, Any]) -> dict[str, Any]:
        """Request of a flow to the kernel."""
        stacks = stacks_of(self.kernel.removeprefix("Linux "))
        if flow["stack"] not in stacks:
            accepted = ", ".join(json.dumps(one) for one in stacks)
            self.refuse(f"{path}.stack", f"{json.dumps(flow['stack'])} is not the kernel's; accepted: {accepted}")
        wanted: dict[str, Any] = {
            "cc": self.module(path, flow),
            "nagle": flow.get("nagle", True),
            "paced": False,
            "write_size": self.number(f"{path}.write_size", flow.get("write_size", WRITE), VOLUMES),
            "sysctls": {"net.ipv4.tcp_no_metrics_save": "1"},
            "route": [],
        }
        others: dict[str, Callable[[str, Any, dict[str, Any]], None]] = {
            "pacing": self.pacing,
            "initial_window": self.initial_window,
            "min_rto": self.min_rto,
            "dup_thresh": self.dup_thresh,
        }
        for key, value in flow.items():
            if key in SYSCTLS:
                name, values = SYSCTLS[key]
                if value in values:
                    wanted["sysctls"][name] = values[value]
                else:
                    accepted = ", ".join(json.dumps(one) for one in values)
                    self.refuse(f"{path}.{key}", f"{json.dumps(value)} is no setting of Linux; accepted: {accepted}")
            elif key in others:
                others[key](f"{path}.{key}", value, wanted)
            elif key == "notsent_lowat":
                low = self.number(f"{path}.{key}", value, VOLUMES)
                wanted["sysctls"]["net.ipv4.tcp_notsent_lowat"] = str(low)
            elif key not in PLAIN and key not in BUFFERS and key not in ("stack", "cc", "validation"):
                self.refuse(f"{path}.{key}", "is nothing that Linux can be told; accepted: leave it out")
        self.buffers(path, flow, wanted)
        self.datagrams(f"{path}.app", flow["app"])
        self.rule(f"{path}.app.abr", flow["app"].get("abr"))
        return wanted

    def rule(self, path: str, rule: object) -> None:
        """Refuses a rate adaptation of the user, which is a class in this process."""
        if isinstance(rule, dict) and "source" in rule:
            message = f"{rule['kind']} is a class in Python, which only the simulator calls; accepted: another rule"
            self.refuse(path, message)

    def buffers(self, path: str, flow: dict[str, Any], wanted: dict[str, Any]) -> None:
        """The memory of both buffers.

        It is twice the size of a field, as with SO_SNDBUF and SO_RCVBUF. For a receive buffer that does not grow, it is
        the memory whose window has this size.
        """
        memory = {
            key: self.number(f"{path}.{key}", flow.get(key, default), VOLUMES) * (2 if key in flow else 1)
            for key, default in BUFFERS.items()
        }
        for name, kind in (("net.ipv4.tcp_wmem", "send_buffer"), ("net.ipv4.tcp_rmem", "receive_buffer")):
            given, most = kind in flow, f"{kind}_max" in flow
            if not given and not most:
                continue
            start, end = memory[kind], memory[f"{kind}_max"]
            if kind == "receive_buffer" and given and (not most or start == end):
                mss = max(self.number("packet_size", self.canonical["packet_size"], VOLUMES) - HEADERS, 1)
                start = end = 2 * _core.receive_buffer(start // 2, mss, timestamps=flow.get("timestamps", True))
            elif given and not most:
                end = start
            if kind == "send_buffer":
                start, end = max(start, LEAST_BUFFER), max(end, LEAST_BUFFER)
            if end > LARGEST_BUFFER:
                field = f"{kind}_max" if most else kind
                self.refuse(f"{path}.{field}", "is more memory than Linux gives a socket; accepted: less than 1 GiB")
            wanted["sysctls"][name] = f"4096 {start} {end}"

    def module(self, path: str, flow: dict[str, Any]) -> str:
        """The kernel's name of the congestion control."""
        cc = flow.get("cc", "cubic-linux")
        found = module_of(cc) if isinstance(cc, str) else ""
        if self.loads:
            found = LOADED.get(found, found)
        offered = [*self.modules, *(LOADED.values() if self.loads else ())]
        if found not in offered:
            names = {module: name for name, module in LOADED.items()}
            accepted = ", ".join(dict.fromkeys(names.get(one, one) for one in offered))
            self.refuse(
                f"{path}.cc", f"{json.dumps(cc)} is no congestion control of {self.kernel}; accepted: {accepted}"
            )
        return self.validated(path, flow, found)

    def validated(self, path: str, flow: dict[str, Any], base: str) -> str:
        """The name of the module that validates the window in front of a congestion control of the kernel."""
        validation = flow.get("validation", "linux")
        if validation == "linux":
            return base
        if validation != "newcwv":
            message = f'{json.dumps(validation)} is nothing that Linux can be told; accepted: "linux", "newcwv"'
        elif not self.loads:
            message = (
                f'"newcwv" is a BPF program, which {self.kernel} cannot load; accepted: "linux", or --backend linux'
            )
        elif base not in VALIDATED:
            message = f'"newcwv" stands in front of {" or ".join(VALIDATED)}, and not of {base}; accepted: "linux"'
        else:
            paced = flow.get("pacing", {}).get("kind") == AFTER_IDLE
            return VALIDATED[base] + ("" if paced else "_np")
        self.refuse(f"{path}.validation", message)
        return base

    def pacing(self, path: str, value: dict[str, Any], wanted: dict[str, Any]) -> None:
        """The kernel's own pacing with its ratios."""
        if value["kind"] == "off" or (value["kind"] == AFTER_IDLE and wanted["cc"] in VALIDATED.values()):
            return
        if value["kind"] == AFTER_IDLE:
            message = f'"{AFTER_IDLE}" is what newCWV does in Linux; accepted: "off", "fq", or validation = "newcwv"'
            self.refuse(f"{path}.kind", message)
            return
        for key, fixed in PACING.items():
            if value.get(key, fixed) != fixed:
                self.refuse(f"{path}.{key}", f'{json.dumps(value[key])} cannot be set in Linux; accepted: "{fixed}"')
        wanted["paced"] = True
        for key, name in (("slow_start_percent", "ss"), ("avoidance_percent", "ca")):
            if key in value:
                wanted["sysctls"][f"net.ipv4.tcp_pacing_{name}_ratio"] = str(value[key])

    def initial_window(self, _: str, value: int, wanted: dict[str, Any]) -> None:
        """An attribute of the route."""
        wanted["route"] += ["initcwnd", str(value)]

    def min_rto(self, path: str, value: str, wanted: dict[str, Any]) -> None:
        """An attribute of the route, in whole milliseconds."""
        time_ns = self.number(path, value, TIMES)
        if time_ns % 10**6:
            self.refuse(path, f'{json.dumps(value)} is no whole number of milliseconds; accepted: such as "200ms"')
        wanted["route"] += ["rto_min", f"{time_ns // 10**6}ms"]

    def dup_thresh(self, _: str, value: int, wanted: dict[str, Any]) -> None:
        """The reordering that is assumed at the start."""
        wanted["sysctls"]["net.ipv4.tcp_reordering"] = str(value)

    def datagrams(self, path: str, app: dict[str, Any]) -> None:
        """Datagrams carry their numbers."""
        size = app.get("packet_size") if app["kind"] == "cbr" else None
        if size is not None and self.number(f"{path}.packet_size", size, VOLUMES) < SMALLEST_DATAGRAM:
            message = f'{json.dumps(size)} has no room for a number; accepted: at least "{SMALLEST_DATAGRAM}B"'
            self.refuse(f"{path}.packet_size", message)


def asked(
    canonical: dict[str, Any], modules: Sequence[str], kernel: str, *, loads: bool = False
) -> tuple[dict[str, Any], list[Problem]]:
    """The question for a kernel with these congestion controls, and everything that it cannot do."""
    reader = Asked(canonical, modules, kernel, loads=loads)
    return reader.question(), reader.problems
