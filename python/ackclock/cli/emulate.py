"""The command ``emulate``."""

from __future__ import annotations

import os
import secrets
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from ackclock.base import extras, files, reading
from ackclock.cli.commands import overrides_of
from ackclock.cli.output import UsageError, check_port, complain, print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from ackclock.kernel.emulate import Emulated, Looks

__all__ = ["emulate"]


def emulate(
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    scenario: Path | None = None,
    rate: str | None = None,
    delay: str | None = None,
    queue: str | None = None,
    loss: str | None = None,
    uplink: Path | None = None,
    downlink: Path | None = None,
    settings: tuple[str, ...] = (),
    flow: int = 0,
    side: Literal["source", "sink"] = "sink",
    seed: int | None = None,
    share: float = 0.02,
    out: Path | None = None,
    live: bool = False,
    port: int = 0,
    json: bool = False,
) -> int:
    """Run a command, by default a shell, behind an emulated network in real time.

    The command is in namespaces of its own, whose packets pass the links, queues, losses and traces of the simulator.
    It reaches this machine at $ACKCLOCK_OUTSIDE, and this machine reaches it at $ACKCLOCK_INSIDE. Emulated networks can
    be nested. The exit status is that of the command. Linux only; it needs root, or a user namespace.

    Parameters
    ----------
    command
        The program and its arguments, after --. By default, $SHELL.
    scenario
        A scenario, whose network is used. By default, one link of the options below.
    rate
        Rate of the link in both directions, such as 1Mbps.
    delay
        Propagation delay in each direction, such as 100ms.
    queue
        Queue in both directions: a limit such as 1bdp or "100 packets", or a discipline such as red, codel or fq-codel.
        By default, drop-tail without a limit, as Mahimahi's.
    loss
        Random loss in both directions, such as 1%.
    uplink
        A Mahimahi trace of the direction from the command to this machine, instead of a rate, or a file with a time and
        a rate in each line.
    downlink
        Such a file of the direction from this machine to the command.
    settings
        PATH=VALUE: replaces a value of the scenario. Can be repeated.
    flow
        Index of the flow of the scenario whose route and access links the packets have.
    side
        The end of the flow at which the command is.
    seed
        Seed of losses and queues, instead of the scenario's.
    share
        The share of the RTT above which the 99th percentile of the emulator's lateness makes a run invalid.
    out
        A new folder for the summary, the table of links, and the links over time.
    live
        Show rates, queues and drops of the links in the browser while the command runs, at the address that is printed.
        Needs the extra `serve`.
    port
        TCP port of --live on the loopback interface; 0 selects a free port.
    json
        Print one JSON document, after the command's own output.
    """
    from ackclock.kernel import emulate as emulators
    from ackclock.results.result import lateness_of

    options = {"rate": rate, "delay": delay, "queue": queue, "loss": loss, "uplink": uplink, "downlink": downlink}
    given = {name: value for name, value in options.items() if value is not None}
    if scenario is not None and given:
        raise UsageError(f"--{', --'.join(given)}: a scenario has its own network; accepted: --set PATH=VALUE")
    if not 0 < share <= 1:
        raise UsageError(f"--share {share:g}: expected a share of the RTT above 0 and up to 1")
    source: Any = scenario if scenario is not None else _network(given, side)
    words = command or (os.environ.get("SHELL", "/bin/sh"),)

    watched = _watched(port) if live else None

    def run() -> Emulated:
        with _left_to_the_command():
            overrides = overrides_of(settings)
            return emulators.emulate(
                source, words, overrides, flow=flow, side=side, seed=seed, share=share, watched=watched
            )

    if out is not None:
        with files.output_folder(out) as folder:
            done = run()
            done.write(folder)
    else:
        done = run()
    if json:
        print_json(done.document())
    late = lateness_of(done.meta)
    if late is not None:
        complain(f"{late}; accepted: less load, or a larger --share")
    return done.status


def _watched(port: int) -> Callable[[Looks], AbstractContextManager[object]]:
    """The page of a live graph, for as long as the command runs."""
    check_port(port)
    for package in ("starlette", "uvicorn"):
        extras.require(package, "pages of a server")
    from ackclock.report.serve.live import shown_live

    def watched(looks: Looks) -> AbstractContextManager[object]:
        return shown_live(
            looks.links,
            looks.take,
            port=port,
            token=secrets.token_hex(16),
            ready=lambda address: complain(f"live graph at {address}"),
        )

    return watched


def _kind(path: Path) -> str:
    """The kind of a rate in a file: a Mahimahi trace has a single number in each line."""
    try:
        with reading.opened(path) as file:
            lines = (line.decode("utf-8", "replace") for line in file)
            first = next((line for line in lines if line.strip() and not line.lstrip().startswith("#")), "")
    except OSError:
        return "trace"
    return "series" if len(first.replace(",", " ").replace(";", " ").split()) > 1 else "trace"


def _network(given: dict[str, Any], side: str) -> dict[str, Any]:
    """The scenario of the options: one link, and a flow for its route."""
    forward, reverse = ("downlink", "uplink") if side == "sink" else ("uplink", "downlink")
    if "rate" not in given and not {"uplink", "downlink"} <= given.keys():
        raise UsageError("no rate: expected --rate such as 1Mbps, or --uplink and --downlink, or --scenario")
    link: dict[str, Any] = {"delay": given.get("delay", "0ms")}
    for key, way in (("rate", forward), ("reverse_rate", reverse)):
        if way in given:
            link[key] = {"kind": _kind(Path(given[way])), "file": str(Path(given[way]).absolute())}
        elif "rate" in given:
            link[key] = given["rate"]
    link["queue"] = link["reverse_queue"] = given.get("queue", "unlimited")
    if "loss" in given:
        link["loss"] = link["reverse_loss"] = given["loss"]
    return {
        "name": "emulate",
        "duration": "1h",
        "bottleneck": link,
        "access": {"rate": "1000x"},
        "flows": [{"name": "emulated", "app": "bulk"}],
    }


@contextmanager
def _left_to_the_command() -> Iterator[None]:
    """Leaves Ctrl-C to the command, which has the terminal, as shells do."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
