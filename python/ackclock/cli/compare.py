"""The command ``compare``."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- read by cyclopts from the annotations
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ackclock import files
from ackclock.cli.commands import Json, Out, Set, Threads, at_least_one, overrides_of, tell_lateness
from ackclock.cli.output import FAILED, UsageError, complain, print_json, print_table, say

if TYPE_CHECKING:
    from ackclock.kernel.compared import Backends, Residual

__all__ = ["compare"]


def compare(
    scenario: Path,
    /,
    *,
    backends: str,
    seeds: int = 3,
    measure: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    settings: Set = (),
    tolerance: str = "1%",
    level: float = 0.95,
    fail: Annotated[bool, Parameter(negative="")] = False,
    out: Out = None,
    threads: Threads = None,
    json: Json = False,
) -> int:
    """Run a scenario on several backends under the same seeds, and say what differs.

    Each backend is compared with the first one, pair by pair. A measure is the same if the whole confidence interval of
    its difference is within the tolerance, it differs if the whole interval is outside, and otherwise it is open.

    Parameters
    ----------
    scenario
        The scenario: a TOML file.
    backends
        At least two, separated by commas: sim, linux, linux:VERSION, linux:DIGEST, or linux:TREE with the path of a
        kernel's source, which is built first.
    seeds
        Number of pairs of runs.
    measure
        A measure such as flows[video].goodput_bps. Can be repeated. By default, goodput, retransmissions, recoveries,
        timeouts, window and RTT of each flow, and use, drops and delay of the bottleneck.
    settings
        PATH=VALUE: replaces a value of the scenario. Can be repeated.
    tolerance
        The difference that does not matter, relative to the first backend.
    level
        Confidence of each interval.
    fail
        Exit with status 1 if a measure differs.
    out
        A new folder for summary.json, the runs of each backend, and a figure with windows, RTTs and queues.
    threads
        Number of simultaneous runs of a backend; by default one per core.
    json
        Print one JSON document.
    """
    from ackclock.kernel.compared import compare_backends

    at_least_one("--seeds", seeds)
    at_least_one("--threads", threads)
    names = [name.strip() for name in backends.split(",") if name.strip()]
    if len(names) < 2 or len(set(names)) < len(names):
        raise UsageError(f"--backends {backends}: expected at least two different ones, such as sim,linux:6.12")
    share = _share(tolerance)
    if not 0 < level < 1:
        raise UsageError(f"--level {level:g}: expected a confidence between 0 and 1")

    def run() -> Backends:
        return compare_backends(
            scenario,
            names,
            measure or None,
            seeds=seeds,
            overrides=overrides_of(settings),
            tolerance=share,
            level=level,
            threads=threads,
            progress=lambda _: True,
        )

    if out is not None:
        with files.output_folder(out) as folder:
            found = run()
            found.write(folder)
        complain(f"results in {out}")
    else:
        found = run()
    for runs in found.runs.values():
        tell_lateness(runs)
    if json:
        print_json(found.document())
    else:
        _print(found, names)
    return FAILED if fail and found.differing else 0


def _share(text: str) -> float:
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not (text.endswith("%") and 0 <= share < 1):
        raise UsageError(f"--tolerance {text}: expected a percentage such as 1%")
    return share


def _print(found: Backends, names: list[str]) -> None:
    first = next(iter(found.runs.values()))
    say(f"{first[0].meta['name']}: {len(first)} pairs of runs, differences from {names[0]}")
    head = ["measure", names[0], "other", "difference", f"{found.level * 100:g} % interval", "verdict"]
    for name in names[1:]:
        rows = [_row(one) for one in found.residuals if one.backend == name]
        print_table(name, head, rows)
    count = len(found.differing)
    told = f"{count} of {len(found.residuals)} measures differ" if count else "no measure differs"
    left = sum(one.verdict == "open" for one in found.residuals)
    say(f"{told} by more than {found.tolerance * 100:g} %; open: {left}")


def _row(one: Residual) -> list[str]:
    interval = f"[{one.low:.4g}, {one.high:.4g}]" if one.low == one.low else "none of one pair"
    unit = f" ({one.unit})" if one.unit else ""
    return [
        one.measure + unit,
        f"{one.reference:.6g}",
        f"{one.value:.6g}",
        f"{one.value - one.reference:+.4g}",
        interval,
        one.verdict,
    ]
