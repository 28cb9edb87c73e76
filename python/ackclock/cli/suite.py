"""The commands ``suite bbr``, ``suite tcpeval`` and ``suite rmcat``."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- Cyclopts reads the annotations
from typing import Literal

from cyclopts import App

from ackclock.cli.card import candidate_of, card_command, made_card, print_card, seeds_of
from ackclock.cli.commands import at_least_one
from ackclock.cli.conform import conform
from ackclock.cli.output import DONE, FAILED, print_json, say
from ackclock.cli.rmcat import rmcat
from ackclock.engine.run import SIM

__all__ = ["app"]

QUICK_SEEDS, FULL_SEEDS = 3, 10

app = App(
    name="suite",
    help="Run a suite of tests: BBR's cases, the common TCP evaluation suite, or the cases of rmcat for calls.",
)
app.command(rmcat)


@app.command
def bbr(
    *case: str,
    cc: str | None = None,
    stack: str | None = None,
    transport: str | None = None,
    library: str | None = None,
    backend: str = SIM,
    bbr_version: int | None = None,
    seed: int = 1,
    seeds: int = 1,
    settings: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    list_: bool = False,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Run the test cases of the BBR draft against a stack. The exit status is 1 if a case fails.

    It is the command `ackclock conform bbr`, whose help says more of each option.

    Parameters
    ----------
    case
        Names or numbers of cases; by default all.
    cc
        Congestion control of the flow under test; by default bbr3, bbr with a kernel, or what --transport has.
    stack
        Stack of the flow under test.
    transport
        Transport of the flow under test, in place of TCP.
    library
        File of the library that holds the transport of --transport.
    backend
        sim, or a kernel such as linux:6.12.
    bbr_version
        Version of the BBR under test, 1 or 3.
    seed
        First seed.
    seeds
        Number of seeds. A case fails if it fails under one of them.
    settings
        PATH=VALUE: replaces a value of every scenario. Can be repeated.
    load
        A file with your own congestion controls. The file is executed. Can be repeated.
    list_
        List the cases and run none.
    out
        Folder for conform.json and a figure of each case.
    json
        Print one JSON document.
    """
    return conform(
        "bbr", *case, cc=cc, stack=stack, transport=transport, library=library, backend=backend,
        bbr_version=bbr_version, seed=seed, seeds=seeds, settings=settings, load=load, list_=list_, out=out, json=json,
    )  # fmt: skip


@app.command
def tcpeval(
    name: str,
    /,
    *,
    quick: bool = False,
    test: tuple[str, ...] = (),
    fail_on: Literal["worse", "between"] | None = None,
    stack: str | None = None,
    transport: str | None = None,
    library: str | None = None,
    field: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    seed: int = 1,
    seeds: int | None = None,
    out: Path | None = None,
    threads: int | None = None,
    json: bool = False,
) -> int:
    """Run the common TCP evaluation suite (draft-irtf-iccrg-tcpeval-01) with a congestion control, CUBIC and Reno.

    The draft's traces are not public: the traffic is drawn from published distributions. Verdicts are those of
    `ackclock card`.

    Parameters
    ----------
    name
        The congestion control: one of `ackclock list cc`, one of --load, or one that the transport of --transport has.
    quick
        Fewer loads, buffers and sizes, and 3 seeds instead of 10.
    test
        Name of a test: basic, buffers, ramp-up, transients, impact, fairness or bottlenecks. Can be repeated. By
        default all tests.
    fail_on
        Verdict of a row from which the exit status is 1: worse, or between, which includes worse.
    stack
        Stack of the congestion control, and of CUBIC and Reno in its place; by default linux.
    transport
        Transport in place of TCP, such as quinn. CUBIC and Reno are those of TCP.
    library
        File of the library that holds the transport of --transport, such as mine/mine.so.
    field
        FIELD=VALUE: sets a field of the flows of the congestion control, for example ecn=l4s. Can be repeated.
    load
        A file or folder with your own congestion controls. The file is executed. Can be repeated.
    seed
        First seed.
    seeds
        Number of seeds, at least 2.
    out
        Folder for tcpeval.html, tcpeval.json, appendix.md for an Internet-Draft, and the scenarios.
    threads
        Number of simultaneous runs; by default one per core. It does not change the results.
    json
        Print one JSON document.
    """
    from ackclock.judge.tcpeval import TCPEVAL

    TCPEVAL.chosen(test)
    at_least_one("--threads", threads)
    chosen_seeds = seeds_of(seed, seeds, QUICK_SEEDS if quick else FULL_SEEDS)
    candidate = candidate_of(name, stack, transport, library, field, load)
    given: dict[str, object] = {"--stack": stack, "--transport": transport, "--library": library, "--field": field}
    given |= {"--load": load, "--test": test, "--seed": seed if seed != 1 else None, "--seeds": seeds}
    command = card_command(["suite", "tcpeval", name], quick=quick, given=given)
    made = made_card(TCPEVAL, candidate, test, chosen_seeds, quick=quick, threads=threads, command=command, out=out)
    if json:
        print_json(made.document())
    else:
        say(TCPEVAL.note.replace("*", ""))
        print_card(made)
    return FAILED if made.fails(fail_on) else DONE
