"""The cost of sweeps and stores: ``python -m ackclock.sweeps.bench`` prints one JSON document; use a quiet machine.

- parallel: sixteen runs of about a CPU second each on one thread and on every core; efficiency is the time on one
  thread over the cores' time together. The cores are those this process may use.
- overhead: a thousand tiny runs as a sweep into a store on one thread, less the same runs one after the other, a run.
- store: ten thousand runs: seconds to open it, to filter it with SQL, to estimate a measure at every point and draw it;
  and the peak memory of the process that reads.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.engine.bench.worker import MIB, peak_rss_bytes
from ackclock.engine.threads import default_threads
from ackclock.store import open_store
from ackclock.sweeps import sweep

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["measure"]

LONG_RUNS, LONG_S = 16, "250s"
TINY_RUNS = 1000
STORED = {
    "flows[0].cc": ["reno", "cubic", "bbr1", "vegas"],
    "bottleneck.rate": ["2Mbps", "3Mbps", "5Mbps", "8Mbps", "10Mbps"],
}
STORED_SEEDS = 500


def measure() -> dict[str, Any]:
    """Measures everything; minutes."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        return {
            "version": _core.version(),
            "parallel": _parallel(root),
            "overhead": _overhead(root),
            "store": _store(root),
        }


def _text(name: str) -> str:
    return resources.files("ackclock.engine.bench").joinpath(f"{name}.toml").read_text(encoding="utf-8")


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _parallel(root: Path) -> dict[str, Any]:
    cores = default_threads()

    def run(threads: int) -> float:
        def act() -> None:
            sweep(
                _text("W2"),
                seeds=LONG_RUNS,
                overrides={"duration": LONG_S},
                out=root / f"parallel-{threads}",
                threads=threads,
            ).close()

        return _timed(act)

    alone, together = run(1), run(cores)
    return {
        "runs": LONG_RUNS,
        "cores": cores,
        "one_thread_s": alone,
        "all_cores_s": together,
        "efficiency": alone / (cores * together),
    }


def _overhead(root: Path) -> dict[str, Any]:
    text = _text("tiny")

    def direct() -> None:
        for seed in range(1, 1 + TINY_RUNS):
            _core.run(text, "toml", [], seed)

    def swept() -> None:
        sweep(text, seeds=TINY_RUNS, out=root / "overhead", threads=1).close()

    alone, kept = _timed(direct), _timed(swept)
    return {"runs": TINY_RUNS, "direct_s": alone, "sweep_s": kept, "overhead_ms": 1e3 * (kept - alone) / TINY_RUNS}


def _store(root: Path) -> dict[str, Any]:
    out = root / "store"
    written = _timed(lambda: sweep(_text("tiny"), STORED, seeds=STORED_SEEDS, out=out).close())
    # Memory is that of a process that does nothing but read.
    reader = [sys.executable, "-m", "ackclock.sweeps.bench", str(out)]
    done = subprocess.run(reader, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    return {"write_s": written, "size_mib": size / MIB, **json.loads(done.stdout)}


def _read(out: Path) -> dict[str, Any]:
    """Opens, filters and draws a store in this process."""
    from ackclock import plot

    began = time.perf_counter()
    store = open_store(out)
    opened = time.perf_counter()
    with store:
        where = "\"flows[0].cc\" = 'cubic' AND goodput_bps > 1e6"
        store.sql(f"SELECT count(*) AS n FROM flows JOIN runs USING (run) WHERE {where}")  # noqa: S608
        filtered = time.perf_counter()
        curves: dict[str, dict[float, Any]] = {}
        for one in store.estimates("flows.goodput_bps"):
            rate = float(str(one.params["bottleneck.rate"]).removesuffix("Mbps"))
            if one.estimate is not None:
                curves.setdefault(str(one.params["flows[0].cc"]), {})[rate] = one.estimate.scaled(1e-6)
        axes = plot.benefit_curves(curves, x_label="rate (Mbit/s)", y_label="goodput (Mbit/s)")
        plot.save(axes, out.with_suffix(".png"))
        drawn = time.perf_counter()
        runs = len(store.sweeps[0].runs)
    return {
        "runs": runs,
        "open_s": opened - began,
        "filter_s": filtered - opened,
        "estimate_and_plot_s": drawn - filtered,
        "peak_rss_mib": peak_rss_bytes() / MIB,
    }


if __name__ == "__main__":
    json.dump(_read(Path(sys.argv[1])) if len(sys.argv) > 1 else measure(), sys.stdout, indent=2)
