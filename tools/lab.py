"""Measures the laboratory in Chromium: bytes of the first load, opening, W2 to W4 beside the native engine, memory.

``python -m tools.lab`` prints a table. Elapsed times are meant for a machine that does nothing else; CPU times
are those of all processes of the browser, and hold on a busy machine, too.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
import time
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from ackclock import _core, engine
from ackclock.report.lab import Server, files
from tests.helpers.browser import Browser

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

WORKLOADS = Path(engine.__file__).parent / "bench"

STATUS = "document.getElementById('status').textContent"
RAN = "document.body.dataset.ran"


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


def _largest(process: int) -> str:
    """Peak memory of the process of the page, which is the largest renderer."""
    found = [0]
    for folder in _family(process):
        if b"--type=renderer" in (folder / "cmdline").read_bytes():
            found += map(int, re.findall(r"VmHWM:\s+(\d+)", (folder / "status").read_text()))
    return f"{max(found) / 1000:.0f} MB"


def main() -> None:
    """Prints the measurements."""
    compressed = {name: len(gzip.compress(content, 9)) for name, content in files().items()}
    _say(f"first load: {sum(compressed.values()) / 1e6:.2f} MB compressed, {json.dumps(compressed)}")
    _say(f"module: {len(files()['engine_bg.wasm']) / 1e6:.2f} MB")
    _say()
    _say(
        "| experiment | packets in millions | elapsed s | CPU s of the browser | CPU s of the native engine | memory |"
    )
    _say("|---|--:|--:|--:|--:|--:|")
    with Server(0) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            _row(server.address, "opening to the first picture", None)
            for name in ("W2", "W3", "W4"):
                _row(server.address, name, (WORKLOADS / f"{name}.toml").read_text(encoding="utf-8"))
        finally:
            server.shutdown()
            thread.join()


def _probes(text: str) -> list[tuple[str, str]]:
    """The probes that the page gives a scenario without any: a row for each thousandth of the run."""
    duration = json.loads(_core.check(text, "toml", []))["duration"]
    names = ("window", "rates", "queues")
    return [*((f"probes.{name}", "true") for name in names), ("probes.interval", duration.removesuffix("s") + "ms")]


def _row(address: str, name: str, text: str | None) -> None:
    """Opens a page with a scenario, or as it opens by itself, and prints what that cost."""
    with Browser() as page:
        process = page._process.pid
        native, packets = 0.0, 0.0
        if text is None:
            before, began = _cpu_s(process), time.monotonic()
            page.open(address)
            page.until(RAN)
            page.settle()
            took = time.monotonic() - began
            cpu = _cpu_s(process) - before
        else:
            packets = _core.estimate(text, "toml", [])[0]
            page.open(address)
            page.until(RAN)
            state = {"base": "", "texts": [text], "seed": 1, "view": "over"}
            about = {"version": _core.version(), "engine": _core.engine()}
            link = page.run(f"ackclock.write({json.dumps(state)}, {{}}, {json.dumps(about)})")
            before = _cpu_s(process)
            page.run(f"(location.hash = {json.dumps(link)}) && null")
            page.until(f"{STATUS}.includes('million packets') || {RAN} > 1")
            page.run("document.querySelector('#status button')?.click()")
            page.until(f"{RAN} > 1")
            cpu = _cpu_s(process) - before
            took = float(re.search(r"Done in ([\d.,]+) s", page.run(STATUS))[1].replace(",", ""))  # type: ignore[index]
            began = time.process_time()
            _core.run(text, "toml", _probes(text), 1)
            native = time.process_time() - began
        _say(f"| {name} | {packets / 1e6:.2f} | {took:.2f} | {cpu:.2f} | {native:.2f} | {_largest(process)} |")


def _say(line: str = "") -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
