"""A scenario in a kernel, and its result in tables like the simulator's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arro3.core import Array, DataType
from arro3.core import Table as ArrowTable

from ackclock import _core
from ackclock.base import build
from ackclock.base.table import Table
from ackclock.kernel import machine
from ackclock.kernel.builds import Built, built
from ackclock.kernel.source import KernelError
from ackclock.kernel.workload import question_of
from ackclock.results.declared import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ackclock.scenario._source import Overrides, Source

__all__ = ["KernelRun", "choose", "run", "table_of"]

INFINITE = 0x7FFFFFFF
"""ssthresh before the first congestion, in segments."""
RECOVERY, LOSS = 3, 4
"""States of the kernel's sender (tcpi_ca_state)."""

RECOVERIES = ("TCPSackRecovery", "TCPRenoRecovery")
TIMEOUTS = ("TCPTimeouts",)
"""Counters of TcpExt in a sender's namespace."""

TYPES = {
    "text": DataType.string(),
    "number": DataType.float64(),
    "whole number": DataType.int64(),
    "truth value": DataType.bool(),
}
"""Types in Arrow of the types of columns."""


@dataclass(frozen=True)
class KernelRun:
    """A run of a scenario in a kernel in virtual time."""

    meta: dict[str, Any]
    """Origin of the numbers: name, scenario_hash, version, revision, backend, kernel and duration_s."""
    tables: Mapping[str, Table]
    """Tables by name: flows, links, those of the applications and, with ``probes.window``, window; without the emulated
    network only flows, transfers and window. Volumes are in bytes, and names have the units."""

    def document(self) -> dict[str, Any]:
        """The JSON document of ``--json``, without the samples."""
        return self.meta | {name: list(table.rows()) for name, table in self.tables.items() if name != "window"}

    def write(self, folder: Path) -> None:
        """Writes the document as ``summary.json`` and every table as CSV into an existing folder."""
        from ackclock.base import files

        files.write_json(folder / "summary.json", self.document())
        for name, table in self.tables.items():
            files.write_csv(folder / f"{name}.csv", table)


def choose(version: str, hz: int | None) -> Built:
    """The kernel of the cache with a version such as 6.12 or 6.12.117, and with a tick.

    Raises
    ------
    KernelError
        If there is none.
    """
    known = built()
    for one in known:
        is_version = one.version == version or one.version.startswith(f"{version}.")
        if (is_version and hz in (None, one.hz)) or one.digest == version:
            return one
    have = ", ".join(f"{one.version} with {one.hz} Hz" for one in known) or "none"
    tick = "" if hz is None else f" with {hz} Hz"
    raise KernelError(
        f"no kernel {version}{tick} has been built; there are: {have}; `ackclock kernel build` builds one"
    )


def run(
    scenario: Source,
    kernel: Built,
    overrides: Overrides | None = None,
    patience_s: float = 3600.0,
) -> KernelRun:
    """Runs a scenario in a kernel in virtual time.

    The kernel's netem is the bottleneck and delays the packets, each flow has a namespace of its own, and access links
    have no rate. TCP_INFO is sampled at ``probes.interval``. A run without drawn numbers is repeatable to about a part
    in 100,000; the kernel draws initial sequence numbers, and some congestion controls draw, too.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario, or that the kernel cannot do.
    KernelError
        If a program is missing or the run fails.
    """
    question, canonical = question_of(scenario, overrides, kernel)
    answer = machine.ask(kernel, question, patience_s)
    meta = {
        "name": canonical["name"],
        "scenario_hash": canonical["hash"],
        "version": _core.version(),
        "revision": build.revision(),
        "backend": f"linux:{answer['release']}",
        "kernel": {
            "version": kernel.version,
            "hz": kernel.hz,
            "digest": kernel.digest,
            "clock": "virtual",
            "sysctls": question["sysctls"],
        },
        "duration_s": question["duration_ns"] / 1e9,
    }
    tables = {"flows": _flows(question, answer), "transfers": _transfers(question, answer)}
    if question["interval_ns"]:
        tables["window"] = _window(question, answer)
    return KernelRun(meta, tables)


def table_of(name: str, cells: Mapping[str, list[Any]]) -> Table:
    """A table from its columns, with the declared types."""
    types = {column["name"]: column["type"] for column in TABLES[name]["columns"]}
    arrays: dict[str, Any] = {column: Array(values, type=TYPES[types[column]]) for column, values in cells.items()}
    return Table(ArrowTable.from_pydict(arrays))


def _flows(question: dict[str, Any], answer: dict[str, Any]) -> Table:
    wanted, found = question["flows"], answer["flows"]

    def info(name: str, scale: float = 1) -> list[Any]:
        return [one["info"][name] * scale if one["info"] else None for one in found]

    def counted(names: tuple[str, ...]) -> list[int]:
        return [sum(one["counters"].get(name, 0) for name in names) for one in found]

    seconds = [(question["duration_ns"] - one["start_ns"]) / 1e9 for one in wanted]
    return table_of(
        "flows",
        {
            "flow": [one["name"] for one in wanted],
            "cc": [one["cc"] for one in wanted],
            "app": [one["kind"] for one in wanted],
            "start_s": [one["start_ns"] / 1e9 for one in wanted],
            "goodput_bps": [one["received"] * 8 / time for one, time in zip(found, seconds, strict=True)],
            "bytes_delivered": [one["received"] for one in found],
            "data_segments_sent": info("data_segs_out"),
            "retransmits": info("total_retrans"),
            "timeouts": counted(TIMEOUTS),
            "recoveries": counted(RECOVERIES),
            "srtt_ms": info("rtt", 1e-3),
            "min_rtt_ms": info("min_rtt", 1e-3),
        },
    )


def _transfers(question: dict[str, Any], answer: dict[str, Any]) -> Table:
    names = [one["name"] for one in question["flows"]]
    rows = answer["transfers"]
    return table_of(
        "transfers",
        {
            "flow": [names[row["flow"]] for row in rows],
            "start_s": [row["start_ns"] / 1e9 for row in rows],
            "duration_s": [row["duration_ns"] / 1e9 for row in rows],
            "bytes": [row["bytes"] for row in rows],
        },
    )


def _window(question: dict[str, Any], answer: dict[str, Any]) -> Table:
    at = {name: number for number, name in enumerate(answer["columns"])}
    names = [one["name"] for one in question["flows"]]
    # The kernel computes a pacing rate for every connection; of these congestion controls only BBR paces.
    paced = [one["cc"] == "bbr" for one in question["flows"]]
    rows = answer["samples"]

    def cells(name: str, scale: float = 1.0) -> list[float]:
        return [row[at[name]] * scale for row in rows]

    def segments(name: str) -> list[int | None]:
        found = [(row[at[name]], row[at["snd_mss"]]) for row in rows]
        return [None if count >= INFINITE else count * mss for count, mss in found]

    return table_of(
        "window",
        {
            "time_s": cells("time_ns", 1e-9),
            "flow": [names[row[at["flow"]]] for row in rows],
            "cwnd": segments("cwnd"),
            "ssthresh": segments("ssthresh"),
            "flight_size": segments("unacked"),
            "srtt_ms": cells("rtt", 1e-3),
            "min_rtt_ms": cells("min_rtt", 1e-3),
            "in_recovery": [row[at["ca_state"]] in (RECOVERY, LOSS) for row in rows],
            "pacing_bps": [row[at["pacing_rate"]] * 8.0 if paced[row[at["flow"]]] else None for row in rows],
            "delivery_bps": [row[at["delivery_rate"]] * 8.0 or None for row in rows],
            "latest_rtt_ms": [None for _ in rows],
            "cc_state": [None for _ in rows],
        },
    )
