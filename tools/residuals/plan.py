"""The scenarios that are compared: single flows, shares, transfers, bursts, small windows and long fat paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ackclock.kernel.configuration import MODULES
from tools.residuals.paths import PATHS, Path

__all__ = ["EXPERIMENTS", "NETWORKS", "Experiment", "Network", "full_name"]

NAMES = {"bbr": "bbr1", "cdg": "cdg", "nv": "nv"}
"""Full names of the kernel's controls that are not the kernel's name with the ending -linux."""

STARTS_S = (1.0, 1.2, 1.7, 2.6, 4.1)
"""Times at which the second of two flows starts, in s: five runs of one case show the kernel's own spread."""

DRAWING = ("bbr", "cdg", "lp", "nv")
"""Controls whose course depends on random numbers: cdg and nv on their own, bbr on the phase in which ProbeBW begins,
and lp on the peer's first timestamp."""

DRAWS = 5
"""Runs of these controls, each with random numbers of its own: alone, where the page has medians, and in bursts."""

SIZES = (1_448, 4_344, 14_480, 15_928, 43_440, 100_000, 200_000, 500_000, 1_000_000, 5_000_000)
"""Sizes of transfers in bytes: one segment, the initial window, one segment more, and up to several slow starts."""

BURSTS = ((30_000, "1s"), (100_000, "1s"), (300_000, "2s"), (100_000, "10s"))
"""Sizes of bursts in bytes, and their distance."""


LOSSES = ("1%", "3%")
"""Shares of packets that are lost at random in transfers with loss."""

LOSSY_SIZES = (100_000, 1_000_000)
"""Sizes of transfers with loss, in bytes."""

SEEDS = 20
"""Runs of a transfer with loss."""

WINDOWS = (16_384, 32_768, 65_535, 131_070, 262_140)
"""Receive buffers in bytes, each of which is the limit of its flow."""

IDLE_BURSTS = ((300_000, "2s"),)
"""Bursts of the other controls."""


@dataclass(frozen=True)
class Network:
    """A bottleneck with a drop-tail queue; the delay is that of the path in one direction."""

    name: str
    rate: str
    delay: str
    packets: int
    duration: str = "30s"
    """Duration of the run of a flow alone: at least four of the flow's periods."""

    def scenario(self, duration: str, flows: list[dict[str, Any]]) -> dict[str, Any]:
        """A scenario on this network, whose windows are sampled."""
        return {
            "duration": duration,
            "bottleneck": {
                "rate": self.rate,
                "delay": self.delay,
                "queue": {"kind": "drop-tail", "limit": f"{self.packets} packets"},
            },
            # Access links of the kernel's network have no rate.
            "access": {"rate": "100Gbps"},
            "flows": flows,
            "probes": {"window": True},
        }


NETWORKS = {
    one.name: one
    for one in (
        Network("home", "20Mbps", "20ms", 67),
        Network("long", "10Mbps", "50ms", 83, "60s"),
        Network("shallow", "50Mbps", "15ms", 31),
        Network("deep", "5Mbps", "25ms", 100, "90s"),
    )
}
"""Queues of one, one, a quarter and five bandwidth-delay products."""

WIDE = Network("wide", "100Mbps", "20ms", 2_000)
"""A network in which no packet is lost."""

LOSSY = Network("lossy", "2Mbps", "20ms", 7)
"""A network with random loss, whose queue has one bandwidth-delay product."""

NEAR = Network("near", "1Gbps", "2.5ms", 417, "2s")
"""A short path whose queue has one bandwidth-delay product."""

FAR = Network("far", "100Mbps", "300ms", 5_000, "60s")
"""A long fat path, whose queue has one bandwidth-delay product, and where the default buffers are the limit."""


@dataclass(frozen=True)
class Experiment:
    """A scenario that is compared, and how."""

    kind: str
    """alone, path, share, transfer, lossy, bursts, window or far: what is measured."""
    network: str
    cc: str
    """The kernel's name of the control that is examined."""
    case: str
    """Further variation of the experiment, in words."""
    scenarios: tuple[dict[str, Any], ...]

    @property
    def key(self) -> str:
        """A name that no other experiment has."""
        return "/".join(filter(None, (self.kind, self.network, self.cc, self.case)))


def full_name(module: str) -> str:
    """The simulator's full name of a control of the kernel: vegas-linux for vegas."""
    return NAMES.get(module, f"{module}-linux")


def _flow(name: str, module: str, app: object, start: str = "0s") -> dict[str, Any]:
    return {"name": name, "app": app, "start": start, "stack": "linux", "cc": full_name(module)}


def _drawn(module: str, scenario: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """A scenario once, or under several seeds where the control draws random numbers."""
    seeds = range(1, DRAWS + 1) if module in DRAWING else (1,)
    return tuple(scenario | {"seed": seed} for seed in seeds)


def _alone(network: Network, module: str) -> Experiment:
    scenario = network.scenario(network.duration, [_flow("one", module, "bulk")])
    return Experiment("alone", network.name, module, "", _drawn(module, scenario))


def _path(path: Path) -> Experiment:
    network = Network("drawn", f"{path.rate_mbps:g}Mbps", f"{path.delay_ms:g}ms", path.packets)
    scenario = network.scenario(f"{path.duration_s}s", [_flow("one", "cubic", "bulk", f"{path.start_s:g}s")])
    return Experiment("path", network.name, "cubic", path.words, (scenario,))


def _share(network: Network, module: str, other: str) -> Experiment:
    scenarios = tuple(
        network.scenario("30s", [_flow("other", other, "bulk"), _flow("one", module, "bulk", f"{start}s")])
        | {"seed": number if module in DRAWING else 1}
        for number, start in enumerate(STARTS_S, 1)
    )
    return Experiment("share", network.name, module, f"against {other}", scenarios)


def _transfer(module: str, size: int) -> Experiment:
    app = {"kind": "transfer", "size": f"{size}B"}
    scenario = WIDE.scenario("10s", [_flow("one", module, app)])
    return Experiment("transfer", WIDE.name, module, f"{size:,} bytes", (scenario,))


def _lossy(module: str, loss: str, size: int) -> Experiment:
    app = {"kind": "transfer", "size": f"{size}B"}
    scenario = LOSSY.scenario("120s", [_flow("one", module, app)])
    scenario["bottleneck"]["loss"] = loss
    scenarios = tuple(scenario | {"seed": seed} for seed in range(1, SEEDS + 1))
    return Experiment("lossy", LOSSY.name, module, f"{size:,} bytes, {loss} lost", scenarios)


def _window(module: str, size: int) -> Experiment:
    flow = _flow("one", module, "bulk") | {"receive_buffer": f"{size}B"}
    return Experiment("window", NEAR.name, module, f"{size:,} bytes", (NEAR.scenario(NEAR.duration, [flow]),))


def _far(module: str) -> Experiment:
    return Experiment("far", FAR.name, module, "", (FAR.scenario(FAR.duration, [_flow("one", module, "bulk")]),))


def _bursts(network: Network, module: str, size: int, interval: str) -> Experiment:
    app = {"kind": "bursts", "size": f"{size}B", "interval": interval, "count": 8 if interval != "10s" else 3}
    scenario = network.scenario("30s", [_flow("one", module, app)])
    return Experiment("bursts", network.name, module, f"{size:,} bytes every {interval}", _drawn(module, scenario))


EXPERIMENTS = (
    *(_alone(network, module) for network in NETWORKS.values() for module in MODULES),
    *(_path(path) for path in PATHS),
    *(_share(NETWORKS["home"], module, "cubic") for module in MODULES),
    *(_transfer(module, size) for module in ("cubic", "reno", "bbr") for size in SIZES),
    *(_lossy(module, loss, size) for module in ("cubic", "reno", "bbr") for loss in LOSSES for size in LOSSY_SIZES),
    *(_bursts(NETWORKS["home"], module, *burst) for module in ("cubic", "reno", "bbr") for burst in BURSTS),
    *(
        _bursts(NETWORKS["home"], module, *burst)
        for module in MODULES
        if module not in ("cubic", "reno", "bbr")
        for burst in IDLE_BURSTS
    ),
    *(_window("cubic", size) for size in WINDOWS),
    *(_far(module) for module in ("cubic", "reno", "bbr", "htcp", "illinois")),
)
"""All of them; the page has a row for each."""
