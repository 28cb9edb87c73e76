"""The command ``worst``."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path  # noqa: TC003 -- Cyclopts reads the annotations
from typing import TYPE_CHECKING, Any, Literal

from ackclock.base import files, progress
from ackclock.cli.card import candidate_of
from ackclock.cli.commands import at_least_one
from ackclock.cli.output import DONE, UsageError, complain, print_json, print_table, say

if TYPE_CHECKING:
    from ackclock.judge.worst import Bounds

__all__ = ["worst"]

MOST_EVENTS = 10
MOST_BUDGET = 1_000_000


def worst(
    name: str,
    /,
    *,
    goal: Literal["under-use", "delay", "starvation", "harm"] = "under-use",
    rate: str | None = None,
    rtt: str | None = None,
    buffer: str | None = None,
    losses: int | None = None,
    fades: int | None = None,
    fade: float | None = None,
    jitter: float | None = None,
    steps: int | None = None,
    bursts: int | None = None,
    duration: float | None = None,
    budget: int | None = None,
    seed: int = 1,
    stack: str | None = None,
    transport: str | None = None,
    library: str | None = None,
    field: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    out: Path | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    json: bool = False,
) -> int:
    """Search for the path or the cross traffic, within bounds, that hurts a congestion control most.

    The search is CMA-ES, and needs the package cmaes: pip install 'ackclock[worst]'. The worst case is made small and
    written as a scenario.

    Parameters
    ----------
    name
        The congestion control: a name of `ackclock list cc`, one of --load, or one that the transport of --transport
        has.
    goal
        Kind of damage: capacity that a flow alone does not use, its queueing delay, starvation of one of two equal
        flows, or harm to the goodput of a flow of CUBIC.
    rate
        Rate of the bottleneck in Mbit/s, or LOW..HIGH.
    rtt
        Base RTT in ms, or LOW..HIGH.
    buffer
        Buffer in bandwidth-delay products, or LOW..HIGH.
    losses
        Number of single packets of the flow that are lost.
    fades
        Number of times in which the flow loses every packet.
    fade
        Longest such time in ms.
    jitter
        Largest extra delay, in ms, of the flow's packets and of its acknowledgments.
    steps
        Number of changes of the bottleneck's rate, down to a fifth.
    bursts
        Number of bursts of datagrams, of at most the bottleneck's rate.
    duration
        Seconds of a run.
    budget
        Number of cases that are tried; by default 600.
    seed
        Seed of the search and of the runs.
    stack
        Stack of the flow; by default linux.
    transport
        Transport in place of TCP, such as quinn.
    library
        File of the library that holds the transport of --transport, such as mine/mine.so.
    field
        FIELD=VALUE: sets a field of the flows of the congestion control, for example ecn=l4s. Can be repeated.
    load
        A file or folder with your own congestion controls. The file is executed. Can be repeated.
    out
        Folder for worst.html, worst.json, worst.toml and, with matplotlib, worst.png.
    threads
        Number of simultaneous runs; by default one per core. It does not change what is found.
    cluster
        Address of a Dask scheduler whose workers do the runs, such as tcp://host:8786, or file:PATH of a scheduler
        file. It does not change what is found.
    json
        Print one JSON document.
    """
    from ackclock.judge.worst import BUDGET, GOALS, search
    from ackclock.judge.worst.page import summary
    from ackclock.judge.worst.written import write

    at_least_one("--threads", threads)
    if budget is not None and not 1 <= budget <= MOST_BUDGET:
        raise UsageError(f"--budget {budget}: expected 1 to {MOST_BUDGET}")
    ranges = {"rate": rate, "rtt": rtt, "buffer": buffer}
    counts = {"losses": losses, "fades": fades, "steps": steps, "bursts": bursts}
    numbers = {"fade": fade, "jitter": jitter, "duration": duration}
    bounds = _bounds(GOALS[goal].bounds, ranges, counts, numbers)
    candidate = candidate_of(name, stack, transport, library, field, load)
    if out is not None:
        files.check_folder(out)
    given: dict[str, object] = {"--goal": goal}
    given |= {f"--{option}": value for option, value in (ranges | counts | numbers).items()}
    given |= {"--budget": budget, "--seed": seed if seed != 1 else None, "--stack": stack, "--transport": transport}
    given |= {"--library": library, "--field": field, "--load": load}
    command = _command(name, given)
    with progress.reporter(True, f"the worst case for {name}") as report:
        found = search(
            candidate,
            GOALS[goal],
            bounds,
            seed=seed,
            budget=budget or BUDGET,
            threads=threads,
            cluster=cluster,
            progress=report,
        )
    if out is not None:
        with files.output_folder(out) as folder:
            write(found, folder, command)
        complain(f"results in {out}")
    if json:
        print_json(found.document() | {"command": command})
        return DONE
    print_table(
        f"the worst case for {found.candidate.title}",
        ["on this path", f"{found.goal.text} ({found.goal.unit})"],
        summary(found),
    )
    for line in found.case.told():
        say(line)
    return DONE


def _bounds(
    usual: Bounds, ranges: dict[str, str | None], counts: dict[str, int | None], numbers: dict[str, float | None]
) -> Bounds:
    """The bounds of the goal with those that were given. All that are wrong are told at once."""
    from ackclock._errors import RefusedError
    from ackclock.judge.worst import span

    limits = {"rate": (0.1, 1000.0), "rtt": (1.0, 2000.0), "buffer": (0.01, 100.0)}
    names = {"rate": "rate_mbps", "rtt": "rtt_ms", "buffer": "buffer_bdp"}
    most = {"fade": ("fade_ms", 1.0, 10_000.0), "jitter": ("jitter_ms", 0.0, 1000.0)}
    most |= {"duration": ("duration_s", 5.0, 3600.0)}
    found: dict[str, Any] = {}
    wrong: list[str] = []
    for option, text in ranges.items():
        if text is not None:
            try:
                found[names[option]] = span(text, f"--{option}", *limits[option])
            except RefusedError as error:
                wrong.append(str(error))
    for option, count in counts.items():
        if count is not None and not 0 <= count <= MOST_EVENTS:
            wrong.append(f"--{option} {count}: expected 0 to {MOST_EVENTS}")
        elif count is not None:
            found[option] = count
    for option, value in numbers.items():
        name, low, high = most[option]
        if value is not None and not low <= value <= high:
            wrong.append(f"--{option} {value:g}: expected {low:g} to {high:g}")
        elif value is not None:
            found[name] = value
    if wrong:
        raise UsageError("\n".join(wrong))
    return replace(usual, **found)


def _command(name: str, given: dict[str, object]) -> str:
    """The command line that makes the same search, as a shell takes it."""
    words = ["ackclock", "worst", name]
    for option, value in given.items():
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        for one in values:
            words += [option, f"{one:g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)
