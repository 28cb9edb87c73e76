"""The simulators that are compared: each is installed, runs the dumbbell and prints its counters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ackclock

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FROM_S",
    "NS3",
    "TO_S",
    "Ackclock",
    "Counters",
    "Measures",
    "MissingError",
    "Ns2",
    "Ns3",
    "Simulator",
    "parse",
]

FROM_S, TO_S = 20, 80
"""The measured time of a run, in seconds. Slow start and its losses are over before it."""

RATE_BPS = 20e6
NS3 = "ns3==3.44.post0"
"""Headers and libraries. The bindings and their dependencies are not needed."""
NS3_VERSION = "3.44"
LINK = ("packets", "bytes", "drops", "queue_delay_mean_ms")
NS3_MODULES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control")


class MissingError(Exception):
    """Something that a simulator needs is missing and cannot be installed."""


@dataclass(frozen=True, slots=True)
class Counters:
    """The counters of the bottleneck's queue and of the flows at some time."""

    time: float
    packets: int
    bytes: int
    drops: int
    queued: float
    """Packets waiting, integrated over time: packet-seconds."""
    flows: tuple[float, ...]
    """The data of each flow that has arrived, in packets or in bytes."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Measures of the bottleneck between two times, and the share of the first flow of the data that arrived."""

    utilisation: float
    loss: float
    queue: float
    share: float

    @classmethod
    def between(cls, start: Counters, end: Counters) -> Measures:
        """Computes the measures from the counters at two times."""
        time = end.time - start.time
        packets, drops = end.packets - start.packets, end.drops - start.drops
        arrived = [after - before for before, after in zip(start.flows, end.flows, strict=True)]
        return cls(
            utilisation=(end.bytes - start.bytes) * 8 / (time * RATE_BPS),
            loss=drops / (packets + drops),
            queue=(end.queued - start.queued) / time,
            share=arrived[0] / sum(arrived),
        )


def parse(output: str) -> Measures:
    """Reads the two lines of counters among what a simulator prints.

    Raises
    ------
    ValueError
        If there are not two of them.
    """
    lines = [line.split() for line in output.splitlines() if line.startswith("counters ")]
    if len(lines) != 2:
        raise ValueError(f"{len(lines)} lines of counters where 2 belong: {output[-500:]!r}")
    return Measures.between(*(_counters(words[1:]) for words in lines))


def _counters(words: Sequence[str]) -> Counters:
    pairs = list(zip(words[::2], words[1::2], strict=True))
    one = dict(pairs)
    return Counters(
        time=float(one["time"]),
        packets=int(float(one["packets"])),
        bytes=int(float(one["bytes"])),
        drops=int(float(one["drops"])),
        queued=float(one["queued"]),
        flows=tuple(float(value) for key, value in pairs if key == "flow"),
    )


class Simulator(ABC):
    """A simulator that runs the dumbbell."""

    name: str
    reno: str
    """Its name of the algorithm that shares the bottleneck with the others."""

    @abstractmethod
    def install(self) -> None:
        """Installs what is missing, or raises MissingError."""

    @abstractmethod
    def run(self, algorithms: Sequence[Any], settings: Sequence[str]) -> Measures:
        """Runs a flow for each algorithm."""


class Ackclock(Simulator):
    """The engine of this package."""

    name = "ackclock"
    reno = "reno"

    def install(self) -> None:
        """Does nothing: the simulator is installed."""

    def run(self, algorithms: Sequence[Any], settings: Sequence[str]) -> Measures:
        """Runs up to each of the two times: a run is the beginning of a longer one."""
        if settings:
            raise ValueError("parameters are the algorithms'")
        return Measures.between(*(self._until(algorithms, seconds) for seconds in (FROM_S, TO_S)))

    @staticmethod
    def _until(algorithms: Sequence[Any], seconds: int) -> Counters:
        scenario = tomllib.loads(_file("dumbbell.toml").read_text())
        (flow,) = scenario["flows"]
        scenario["duration"] = f"{seconds}s"
        scenario["flows"] = [
            flow | {"name": f"flow{index}", "cc": algorithm, "start": f"{500 * index}ms"}
            for index, algorithm in enumerate(algorithms)
        ]
        result = ackclock.run(scenario)
        link = {
            column: float(result.links[column][0]) for column in ("packets", "bytes", "drops", "queue_delay_mean_ms")
        }
        return Counters(
            time=seconds,
            packets=int(link["packets"]),
            bytes=int(link["bytes"]),
            drops=int(link["drops"]),
            # Little's law.
            queued=link["packets"] * link["queue_delay_mean_ms"] / 1e3,
            flows=tuple(float(volume) for volume in result.flows["bytes_delivered"]),
        )


class Ns2(Simulator):
    """ns-2.35 with its Linux agent, of Debian's package ns2."""

    name = "ns-2"
    reno = "reno"

    def install(self) -> None:
        """Installs the package where that is possible."""
        _need("ns", "ns2")

    def run(self, algorithms: Sequence[Any], settings: Sequence[str]) -> Measures:
        """Runs the Tcl script."""
        script = _file("dumbbell.tcl")
        listed = "{" + "} {".join(settings) + "}" if settings else ""
        return parse(_output(["ns", script, FROM_S, TO_S, " ".join(algorithms), listed]))


class Ns3(Simulator):
    """ns-3 of the wheel `NS3`, in an environment of its own, with the program beside this file."""

    name = "ns-3"
    reno = "TcpLinuxReno"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "dumbbell"

    def install(self) -> None:
        """Makes the environment and compiles the program where that has not been done."""
        python = self.folder / "bin" / "python"
        _need("g++", "g++")
        if not list(self.folder.glob("lib/python*/site-packages/ns3")):
            _call([sys.executable, "-m", "venv", self.folder])
            _call([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", NS3])
        source = _file("dumbbell.cc")
        if not self.program.exists() or self.program.stat().st_mtime < source.stat().st_mtime:
            (package,) = self.folder.glob("lib/python*/site-packages/ns3")
            libraries = [f"-lns{NS3_VERSION}-{module}" for module in NS3_MODULES]
            paths = [f"-I{package}/include", f"-L{package}/lib64", f"-Wl,-rpath,{package}/lib64"]
            _call(["g++", "-std=c++20", "-O1", "-w", source, "-o", self.program, *paths, *libraries])

    def run(self, algorithms: Sequence[Any], settings: Sequence[str]) -> Measures:
        """Runs the program."""
        return parse(_output([self.program, FROM_S, TO_S, " ".join(algorithms), *settings]))


def _file(name: str) -> Path:
    return Path(str(resources.files(__package__).joinpath(name)))


def _need(program: str, package: str) -> None:
    """Installs a Debian package that brings a program, where the program is not there."""
    if shutil.which(program):
        return
    command = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", package]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise MissingError(f"{program} is missing; as root: {' '.join(command)}")
    _call(["apt-get", "update", "--quiet"])
    _call(command)


def _call(command: Sequence[Any]) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise MissingError(f"{' '.join(words)} failed: {done.stdout[-2000:]}")


def _output(command: Sequence[Any]) -> str:
    """The output of a simulator. The exit status of ns-2 means nothing."""
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout  # noqa: S603
