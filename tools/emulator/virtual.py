"""Linux 6.12 in virtual time: ``python -m tools.emulator.virtual``, in about ten minutes, needs a kernel that is built.

The first table has the emulated network against the kernel's own netem on the same drop-tail path. The second has the
simulator against the kernel over the emulated network.
"""

from __future__ import annotations

import sys
from typing import Any

from ackclock import kernel, run
from ackclock.kernel.compared import compare_backends
from ackclock.kernel.runs import choose

VERSION = "6.12"
PATHS = (("1Mbps", "100ms", 17, 60, 10), ("20Mbps", "20ms", 67, 30, 5), ("100Mbps", "10ms", 167, 8, 5))
"""Rate, delay in each direction, queue in packets (one bandwidth-delay product), seconds, seconds between bursts."""
MEASURES = ("flows[f].goodput_bps", "flows[f].retransmits", "flows[f].recoveries", "median(window[f].srtt_ms)")


def say(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def scenario(cc: str, path: tuple[str, str, int, int, int], *, bursts: bool = False) -> dict[str, Any]:
    """A flow over one of the paths."""
    rate, delay, queue, seconds, gap = path
    app = {"kind": "bursts", "size": "300kB", "interval": f"{gap}s"} if bursts else {"kind": "bulk"}
    return {
        "name": f"{cc} {rate} {delay} {'bursts' if bursts else 'bulk'}",
        "duration": f"{max(seconds, 30) if bursts else seconds}s",
        "bottleneck": {"rate": rate, "delay": delay, "queue": f"{queue} packets"},
        "flows": [{"name": "f", "app": app, "cc": cc}],
    }


def against_netem() -> None:
    """Prints goodput and recoveries with both networks."""
    built = choose(VERSION, 1000)
    say("| scenario | goodput, Mbit/s: netem | emulator | | recoveries: netem | emulator |\n|---|---|---|---|---|---|")
    for cc in ("reno", "cubic"):
        for path in PATHS:
            one = scenario(cc, path)
            rows = [
                next(result.tables["flows"].rows())
                for result in (kernel.run(one, built), run(one, backend=f"linux:{built.digest}"))
            ]
            netem, ours = (row["goodput_bps"] / 1e6 for row in rows)
            counts = " | ".join(str(row["recoveries"]) for row in rows)
            say(f"| {one['name']} | {netem:.3f} | {ours:.3f} | {(ours / netem - 1) * 100:+.2f} % | {counts} |")


def against_simulator() -> None:
    """Prints the measures of both backends."""
    say("| scenario | goodput, Mbit/s | retransmissions | recoveries | median RTT, ms |\n|---|---|---|---|---|")
    for cc in ("reno", "cubic"):
        for path in PATHS:
            for bursts in (False, True):
                one = scenario(cc, path, bursts=bursts)
                found = compare_backends(one, ["sim", f"linux:{VERSION}"], MEASURES, seeds=1).residuals
                scales = (1e-6, 1, 1, 1)
                cells = (
                    f"{each.reference * scale:.4g} / {each.value * scale:.4g}"
                    for each, scale in zip(found, scales, strict=True)
                )
                say(f"| {one['name']} | {' | '.join(cells)} |")


if __name__ == "__main__":
    against_netem()
    against_simulator()
