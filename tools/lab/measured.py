"""Costs of the laboratory: bytes, opening, W2 to W4 beside the native engine, and memory."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import time
import tomllib
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from ackclock import _core, engine
from ackclock.report.lab import Server, files
from tests.helpers.browser import Browser

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["WORKLOADS", "compressed", "measured"]

WORKLOADS = ("W2", "W3", "W4")
FOLDER = Path(engine.__file__).parent / "bench"

STATUS = "document.getElementById('status').textContent"
RAN = "document.body.dataset.ran"


def compressed() -> dict[str, int]:
    """The bytes of each file of the first load, as a server of static files sends them."""
    return {name: len(gzip.compress(content, 9)) for name, content in files().items()}


def measured(rounds: int) -> dict[str, Any]:
    """Everything that the page states; each time is a list with a value for each round."""
    version = subprocess.run(["chromium", "--version"], capture_output=True, text=True, check=True).stdout.strip()  # noqa: S607
    record: dict[str, Any] = {
        "version": _core.version(),
        "engine": _core.engine(),
        "browser": version.partition(" built")[0],
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "module_bytes": len(files()["engine_bg.wasm"]),
        "compressed": compressed(),
    }
    with Server(0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            record["opening"] = _gathered([_opening(server.address) for _ in range(rounds)])
            record["workloads"] = {
                name: _gathered([_workload(server.address, name) for _ in range(rounds)]) for name in WORKLOADS
            }
        finally:
            server.shutdown()
            thread.join()
    return record


def _gathered(rounds: list[dict[str, float]]) -> dict[str, list[float]]:
    return {name: [round(one[name], 3) for one in rounds] for name in rounds[0]}


def _text(name: str) -> str:
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def _opening(address: str) -> dict[str, float]:
    """Opens the page in a new browser, until the first figures are drawn."""
    with Browser() as page:
        process = page._process.pid
        before, began = _cpu_s(process), time.monotonic()
        page.open(address)
        page.until(RAN)
        page.settle()
        took = time.monotonic() - began
        return {"elapsed_s": took, "cpu_s": _cpu_s(process) - before, "memory_mb": _largest(process)}


def _workload(address: str, name: str) -> dict[str, float]:
    """Runs a workload in the page, by a link, and in the native engine with the same probes."""
    text = _text(name)
    with Browser() as page:
        process = page._process.pid
        page.open(address)
        page.until(RAN)
        state = {"base": "", "texts": [text], "seed": 1, "view": "over"}
        about = {"version": _core.version(), "engine": _core.engine()}
        link = page.run(f"ackclock.write({json.dumps(state)}, {{}}, {json.dumps(about)})")
        before, began = _cpu_s(process), time.monotonic()
        page.run(f"(location.hash = {json.dumps(link)}) && null")
        page.until(f"{STATUS}.includes('million packets') || {RAN} > 1")
        # A large run asks first, which takes no time of its own.
        page.run("document.querySelector('#status button')?.click()")
        page.until(f"{RAN} > 1")
        page.settle()
        took, cpu = time.monotonic() - began, _cpu_s(process) - before
        told = re.search(r"Done in ([\d.,]+) s", page.run(STATUS))
        assert told is not None  # noqa: S101 -- the page says so of every run
        memory = _largest(process)
    began, spent = time.monotonic(), time.process_time()
    _, found = _core.run(text, "toml", _probes(text), 1)
    native = {"native_s": time.monotonic() - began, "native_cpu_s": time.process_time() - spent}
    links = dict(zip(found["links"]["link"].to_pylist(), found["links"]["packets"].to_pylist(), strict=True))
    run_s = float(told[1].replace(",", ""))
    return {
        "run_s": run_s,
        "elapsed_s": took,
        "cpu_s": cpu,
        "memory_mb": memory,
        "packets": links["bottleneck"],
    } | native


def _probes(text: str) -> list[tuple[str, str]]:
    """The probes that the page gives a scenario without any: a row for each thousandth of the run."""
    # The workloads state seconds, and a thousandth of them has as many milliseconds.
    duration = tomllib.loads(text)["duration"]
    names = ("window", "rates", "queues")
    return [*((f"probes.{name}", "true") for name in names), ("probes.interval", duration.removesuffix("s") + "ms")]


def _family(process: int) -> Iterator[Path]:
    """The folders in /proc of a process and of its descendants."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    for one in parents:
        at = one
        while at in parents and at != process:
            at = parents[at]
        if at == process:
            yield Path("/proc") / str(one)


def _cpu_s(process: int) -> float:
    ticks = 0
    for folder in _family(process):
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _largest(process: int) -> float:
    """Peak memory in MB of the process of the page, which is the largest renderer."""
    found = [0]
    for folder in _family(process):
        if b"--type=renderer" in (folder / "cmdline").read_bytes():
            found += map(int, re.findall(r"VmHWM:\s+(\d+)", (folder / "status").read_text()))
    return max(found) * 1024 / 1e6
