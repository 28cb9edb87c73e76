"""The tables of docs/lab-measured.md."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MARK", "MOST_FIRST_LOAD", "PAGE", "RECORD", "tables", "write"]

PAGE = Path(__file__).parents[2] / "docs" / "lab-measured.md"
RECORD = Path(__file__).with_name("record.json")
MARK = "<!-- python -m tools.lab writes what follows -->\n"

MOST_FIRST_LOAD = 2.5e6
"""Bytes of the first load at most, compressed."""

MOST_OPENING_S, MOST_W2_S = 2.0, 1.0
"""Seconds of opening and of W2 at most."""

QUIET = 1.0
"""The load of a machine, over the minute before, up to which elapsed times mean something."""

TITLES = {
    "W2": "W2: 100 Mbit/s, 40 ms, 10 flows, 100 s",
    "W3": "W3: 1 Gbit/s, 104 ms, 80 flows, 60 s",
    "W4": "W4: 1 Gbit/s, 50 ms, 1,000 flows, 20 s",
}


def tables(record: dict[str, Any]) -> str:
    """Tables of the measurements, as Markdown."""
    rounds = len(record["opening"]["elapsed_s"])
    where = f"{record['browser']}, {record['cores']} cores; medians of {rounds} rounds, with the range."
    parts = [
        f"Version {record['version']}, engine {record['engine'][:8]}, {where}{_busy(record['load'])}",
        "### The aims",
        _aims(record),
        "### Speed beside the native engine",
        "The engine of the page and the native engine run the same scenario with the same probes, on one thread.",
        _speed(record),
        "### CPU time and memory",
        "CPU time is that of all processes of the browser. Memory is the peak of the process of the tab.",
        _costs(record),
        "### Bytes",
        f"The module of the engine has {record['module_bytes'] / 1e6:.2f} MB before compression.",
        _bytes(record),
    ]
    return "\n" + "\n\n".join(parts) + "\n"


def _aims(record: dict[str, Any]) -> str:
    first = sum(record["compressed"].values())
    opening, w2 = record["opening"]["elapsed_s"], record["workloads"]["W2"]["run_s"]
    load = ["first load, compressed", f"{first / 1e6:.2f} MB", f"{MOST_FIRST_LOAD / 1e6:g} MB"]
    times = [("opening the page to the first picture", opening, MOST_OPENING_S), ("W2", w2, MOST_W2_S)]
    rows = [[what, f"{_of(found)} s", f"{most:g} s", _timely(record, found, most)] for what, found, most in times]
    return _table(["what", "measured", "aim", "kept"], [[*load, _kept(first <= MOST_FIRST_LOAD)], *rows])


def _speed(record: dict[str, Any]) -> str:
    rows = []
    for name, one in record["workloads"].items():
        times = [_of(one["run_s"]), _of(one["native_s"]), _ratio(record, one["native_s"], one["run_s"])]
        rows.append([TITLES[name], f"{one['packets'][0] / 1e6:.2f}", *times, _of(one["elapsed_s"])])
    head = ["workload", "million packets", "page s", "native s", "speed, page over native", "until it is drawn s"]
    return _table(head, rows)


def _costs(record: dict[str, Any]) -> str:
    opening = record["opening"]
    rows = [["opening", _of(opening["cpu_s"]), "-", f"{statistics.median(opening['memory_mb']):.0f} MB"]]
    for name, one in record["workloads"].items():
        memory = f"{statistics.median(one['memory_mb']):.0f} MB"
        rows.append([TITLES[name], _of(one["cpu_s"]), _of(one["native_cpu_s"]), memory])
    return _table(["what", "CPU s of the browser", "CPU s of the native engine", "memory of the tab"], rows)


def _bytes(record: dict[str, Any]) -> str:
    rows = [[f"`{name}`", f"{size / 1e3:.1f}"] for name, size in record["compressed"].items()]
    return _table(["file", "kB, compressed with gzip"], rows)


def _busy(load: float) -> str:
    if _is_quiet(load):
        return ""
    return (
        f" **The machine had a load of {load:g} from other programs**: elapsed times are too long and are not judged, "
        "and CPU times and sizes hold."
    )


def _is_quiet(load: float) -> bool:
    return load <= QUIET


def _timely(record: dict[str, Any], found: Sequence[float], most: float) -> str:
    """Whether an elapsed time keeps an aim, if the machine was quiet or the time keeps it even so."""
    kept = statistics.median(found) <= most
    return _kept(kept) if kept or _is_quiet(record["load"]) else "not judged"


def _ratio(record: dict[str, Any], native: Sequence[float], page: Sequence[float]) -> str:
    return f"{statistics.median(native) / statistics.median(page):.2f}" if _is_quiet(record["load"]) else "not judged"


def _kept(is_kept: bool) -> str:
    return "yes" if is_kept else "no"


def _of(values: Sequence[float]) -> str:
    """The median with the range."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(record: dict[str, Any]) -> None:
    """Writes the page: what is above the mark stays."""
    above = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(f"{above}{MARK}{tables(record)}", encoding="utf-8")
