"""The commands ``learn``, ``learn check`` and ``learn page``."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from ackclock.base import reading
from ackclock.cli.commands import at_least_one
from ackclock.cli.output import FAILED, UsageError, complain, did_you_mean, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock.learn import Training

__all__ = ["app"]

app = App(name="learn", help="Find a congestion control for the networks that you expect, and evaluate it.")

UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
LINE_EVERY_S = 10.0


@app.default
def train(
    design: Path,
    /,
    *,
    out: Path,
    delta: float | None = None,
    objective: str = "log",
    seed: int = 1,
    duration: Annotated[str | None, Parameter(name="--time")] = None,
    quick: bool = False,
    method: str | None = None,
    specimens: int | None = None,
    validation: int | None = None,
    rules: int | None = None,
    patience: int | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    json: bool = False,
) -> int:
    """Search for a table of rules, or go on with a search that was stopped.

    Parameters
    ----------
    design
        The design: a scenario with ranges in place of numbers, such as rate = "10Mbps..20Mbps", or the name of a design
        that comes with ackclock: published, tiny. Flows that state no cc follow the table.
    out
        The file of the table, such as x.dna. Its log x.learn.jsonl is beside it; if the log exists, the search goes on.
    delta
        Weight of the delay in the objective log(throughput) - delta log(delay); by default 1.
    objective
        log, or inverse for -1/throughput.
    seed
        Seed of the networks that are drawn.
    duration
        Time after which the search pauses, such as 30s, 10min or 2h; by default it runs to its end. The same command
        goes on with it.
    quick
        Train a small table within minutes, as an example.
    method
        economical, the default, or published: every candidate on every network, as in the paper.
    specimens
        Number of networks on which candidates are compared; by default 16.
    validation
        Number of networks on which tables are compared; by default 32.
    rules
        Number of rules from which no rule is split any more; by default 200.
    patience
        Number of splits without a better table after which the search ends; by default 8.
    threads
        Number of threads; by default one per core. It does not change the table.
    cluster
        Address of a Dask scheduler whose workers do the runs, such as tcp://host:8786, or file:PATH of its file. It
        does not change the table.
    json
        Print one JSON document at the end.
    """
    from ackclock import learn
    from ackclock.learn.training import QUICK

    if objective == "inverse" and delta is not None:
        raise UsageError("--delta goes with --objective log; -1/throughput has no delay")
    at_least_one("--threads", threads)
    if cluster is not None and threads is not None:
        raise UsageError("--threads counts threads of this machine, and with --cluster the workers do the runs")
    seconds = _seconds(duration)
    settings: dict[str, Any] = dict(QUICK) if quick else {}
    given = {"method": method, "specimens": specimens, "validation": validation, "rules": rules, "patience": patience}
    settings |= {name: value for name, value in given.items() if value is not None} | {"seed": seed}
    if quick and not json:
        small = ", ".join(f"{value} {name}" for name, value in QUICK.items())
        say(f"--quick: an example of a table ({small}); leave it out for a table to use")
    try:
        training = learn.train(
            _design(design),
            out,
            delta=1.0 if delta is None else delta,
            objective=objective,
            seconds=seconds,
            threads=threads,
            cluster=cluster,
            report=None if json else training_reporter(seconds),
            **settings,
        )
    except (learn.LogError, ValueError) as error:
        raise UsageError(str(error)) from None
    status = training.status
    if json:
        document = {"table": str(out), "log": str(training.log), "why": training.why, "cpu_s": training.cpu_s}
        print_json(document | {"status": status})
        return 0
    best = "-" if status["best"] is None else f"{status['best']:.4f}"
    say(f"{out}: {status['rules']} rules, score {best} on the validation networks; {training.why}")
    say(f"ackclock learn page {out}")
    return 0


@app.command
def check(table: Path, /, *, folder: Path = Path(), threads: int | None = None) -> int:
    """Rebuild a table from its log and compute the scores of its validations again.

    Parameters
    ----------
    table
        The table. Its log is beside it.
    folder
        Folder of the files that the design names; by default the one this runs in.
    threads
        Number of threads; by default one per core.
    """
    from ackclock import learn

    at_least_one("--threads", threads)
    try:
        log = learn.Log.read(learn.log_of(table))
        found = learn.check(log, reading.contents(table), folder=folder, threads=threads)
    except (learn.LogError, ValueError) as error:
        raise UsageError(str(error)) from None
    for line in found.wrong:
        complain(line)
    if found.wrong:
        return FAILED
    say(f"{table}: {found.decisions} decisions give this table, and {found.validated} scores are the same again")
    return 0


@app.command
def page(
    table: Path,
    /,
    *,
    out: Path | None = None,
    networks: int = 8,
    folder: Path = Path(),
    threads: int | None = None,
) -> int:
    """Evaluate a table beside other congestion controls, and write a page about its rules and the evaluation.

    Parameters
    ----------
    table
        The table. Its log is beside it.
    out
        The page; by default the name of the table with the suffix .html.
    networks
        Number of networks of each kind on which the schemes are compared.
    folder
        Folder of the files that the design names; by default the one this runs in.
    threads
        Number of threads; by default one per core.
    """
    from ackclock import learn
    from ackclock.base.progress import reporter

    at_least_one("--threads", threads)
    at_least_one("--networks", networks)
    try:
        to = out or learn.log_of(table).with_name(f"{table.stem}.html")
        with reporter(True, "evaluation") as progress:
            evaluation = learn.write_page(table, to, count=networks, folder=folder, threads=threads, progress=progress)
    except (learn.LogError, ValueError) as error:
        raise UsageError(str(error)) from None
    rows = [
        [network, scheme, f"{cell.mbps.value:.3f}", f"{cell.delay_ms.value:.1f}"]
        for (network, scheme), cell in evaluation.cells.items()
    ]
    print_table("medians", ["networks", "scheme", "Mbit/s", "queueing delay ms"], rows)
    say(f"page: {to}")
    return 0


def _design(path: Path) -> Path:
    from ackclock import learn

    if path.exists():
        return path
    if str(path) in learn.designs():
        return learn.design(str(path))
    names = learn.designs()
    raise UsageError(
        f"{path}: no such file; accepted: a design, or one of {', '.join(names)}{did_you_mean(str(path), names)}"
    )


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|min|h)", text.strip())
    if match is None:
        raise UsageError(f"--time {text}: expected a number with s, min or h, such as 10min")
    return float(match[1]) * UNITS[match[2]]


def training_reporter(seconds: float | None, clock: Callable[[], float] = time.monotonic) -> Callable[[Training], None]:
    """Prints the state on standard error: at once for a split, otherwise every ten seconds."""
    began = clock()
    last = began - LINE_EVERY_S
    first: tuple[float, float] | None = None

    def report(training: Training) -> None:
        nonlocal last, first
        now = clock()
        first = first or (now, training.cpu_s)
        decision = training.decision or {}
        if now - last < LINE_EVERY_S and decision.get("do") not in ("split", "finish"):
            return
        last = now
        status = training.status
        score = "-" if status["score"] is None else f"{status['score']:.4f}"
        best = "-" if status["best"] is None else f"{status['best']:.4f}"
        line = (
            f"decision {status['decisions']}: {status['rules']} rules, {status['open']} open; score {score}, best on "
            f"validation networks {best}; {training.cpu_s / 60:.1f} CPU min"
        )
        if training.left_cpu_s and training.cpu_s > first[1]:
            left = training.left_cpu_s * (now - first[0]) / (training.cpu_s - first[1])
            line += f"; about {left / 60:.1f} min to the limit of rules"
        if seconds is not None:
            line += f"; pauses in {max(0.0, seconds - (now - began)) / 60:.1f} min"
        print(line, file=sys.stderr, flush=True)  # noqa: T201 -- progress, as in ackclock.base.progress

    return report
