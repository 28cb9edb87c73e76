"""A scenario over the sockets of a kernel, through the emulated network, and its result in the simulator's tables."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import Cancelled, ScenarioError
from ackclock.base import build
from ackclock.base.workplace import workplace
from ackclock.cc import registry
from ackclock.kernel import machine
from ackclock.kernel.asked import asked
from ackclock.kernel.emulate.outside import program
from ackclock.kernel.modules import available, loaded_for
from ackclock.kernel.process import end, started
from ackclock.kernel.runs import table_of
from ackclock.kernel.source import KernelError
from ackclock.kernel.turns import turn
from ackclock.results.result import Result
from ackclock.scenario._source import load, named, override_pairs

if TYPE_CHECKING:
    from ackclock.kernel.backends import Backend
    from ackclock.results.result import Meta
    from ackclock.scenario._source import Overrides, Source, Text

__all__ = ["SHARE", "checked", "run"]

RUNNER = Path(__file__).with_name("runner.py")
SHARE = 0.02
"""The share of the smallest RTT that the 99th percentile of the emulator's lateness may have in a valid run."""
SLACK_S = 60.0
"""Seconds of the kernel's clock that a run may take besides its own duration."""
RUNNING = "another run on the running kernel"
LOOK_S = 0.1
"""Seconds between two looks at whether a run is to end early."""


def run(
    scenario: Source,
    where: Backend,
    overrides: Overrides | None = None,
    *,
    seed: int | None = None,
    patience_s: float = 3600.0,
    share: float = SHARE,
    cancel: _core.Cancel | None = None,
    alone: bool = True,
) -> Result:
    """Runs a scenario with a kernel's own TCP.

    The links are those of the simulator (`ackclock.kernel.emulate`), and the applications are its state machines over
    the kernel's sockets. Each end of a flow has a network namespace. In a kernel with a virtual clock nothing is late;
    on the running kernel the emulator measures its lateness.

    Parameters
    ----------
    scenario
        The scenario. What the kernel cannot do is refused with the path of the field.
    where
        The kernel.
    overrides
        Values that replace the scenario's.
    seed
        Seed of losses, queues and applications, instead of the scenario's.
    patience_s
        Seconds of real time after which the run is ended.
    share
        The share of the RTT above which lateness makes the run invalid.
    cancel
        What can end the run early.
    alone
        Whether no other run may be on the running kernel meanwhile. Runs with other ones beside them can be late, which
        each measures; those that need modules of ackclock share them only inside `ackclock.kernel.modules.loaded_for`.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario, or that the kernel cannot do.
    KernelError
        If a program is missing or the run fails.
    Cancelled
        If `cancel` asked for it.
    """
    text = load(scenario)
    canonical, digest, wanted = checked(text, where, override_pairs(overrides))
    seed = canonical["seed"] if seed is None else seed
    folder = str(Path(text.folder or ".").resolve())
    question = wanted | {
        "core": str(Path(_core.__file__).resolve()),
        "ip": program(),
        "scenario": {"text": json.dumps(canonical), "format": "json", "folder": folder},
        "seed": seed,
        "limit_s": wanted["duration_ns"] / 1e9 + SLACK_S,
    }
    answer = _ask(where, question, patience_s, cancel, alone=alone)
    late = answer["lateness"]
    lateness = {
        name.replace("_ns", "_ms"): _ms(value) if name.endswith("_ns") else value for name, value in late.items()
    }
    rtt_ms = _ms(answer["rtt_ns"])
    meta: Meta = {
        "name": canonical["name"],
        "scenario_hash": digest,
        "version": _core.version(),
        "revision": build.revision(),
        "engine": _core.engine()[:8],
        "backend": where.name,
        "kernel": where.document()["kernel"]
        | {"release": answer["release"], "sysctls": [flow["sysctls"] for flow in wanted["flows"]]},
        "seed": seed,
        "duration_s": wanted["duration_ns"] / 1e9,
        "rtt_ms": rtt_ms,
        "lateness": lateness,
        "share": share,
        "valid": lateness["p99_ms"] is None or not rtt_ms or lateness["p99_ms"] <= share * rtt_ms,
    }
    tables = {name: table_of(name, cells) for name, cells in answer["tables"].items()}
    return Result(meta, tables)


def checked(text: Text, where: Backend, pairs: list[tuple[str, str]]) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """The scenario's canonical form and hash, and the question for a kernel.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario, or that the kernel cannot do.
    """
    with named(text):
        given = (text.text, text.format, pairs, text.folder, registry.algorithms())
        document, digest, _ = _core.read_scenario(*given)
        canonical: dict[str, Any] = json.loads(document)
    modules = where.kernel.modules if where.kernel else available()
    wanted, problems = asked(canonical, modules, f"Linux {where.version}", loads=where.kernel is None)
    if problems:
        raise ScenarioError(problems, text.name)
    return canonical, digest, wanted


def _ms(time_ns: int | None) -> float | None:
    return None if time_ns is None else time_ns / 1e6


def _ask(
    where: Backend, question: dict[str, Any], patience_s: float, cancel: _core.Cancel | None, *, alone: bool
) -> dict[str, Any]:
    name = f"Linux {where.version}"
    if where.kernel is None:
        # Files without names: nothing is left of them, whatever ends this process.
        with contextlib.ExitStack() as stack:
            given, out, log = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
            given.write(json.dumps(question).encode())
            given.seek(0)
            # Runs in real time at once can make each other late.
            stack.enter_context(turn("runs", RUNNING, patience_s, alone=alone, cancel=cancel))
            stack.enter_context(loaded_for([flow["cc"] for flow in question["flows"]]))
            command = [sys.executable, "-I", "-S", "-u", str(RUNNER), "here"]
            environment = {"PATH": machine.search_path(), "HOME": "/"}
            process = started(command, out, log, environment, given)
            try:
                _wait(process, name, patience_s, cancel)
            finally:
                end(process)
            out.seek(0)
            log.seek(0)
            return machine.answer(out.read(), log.read(), name)
    with workplace(Path(tempfile.gettempdir()), machine.WORKPLACE) as folder:
        (folder / "question.json").write_text(json.dumps(question), encoding="utf-8")
        with machine.booted(where.kernel, folder, str(RUNNER), "guest", str(folder)) as process:
            _wait(process, name, patience_s, cancel)
        return machine.answer_in(folder, name)


def _wait(process: subprocess.Popen[bytes], name: str, patience_s: float, cancel: _core.Cancel | None) -> None:
    """Waits for the end of a process, and looks now and then whether someone asked for an earlier one."""
    until_s = time.monotonic() + patience_s
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_S)
            return
        if cancel is not None and cancel.cancelled:
            raise Cancelled
        if time.monotonic() > until_s:
            raise KernelError(
                f"the run on {name} did not end within {patience_s:g} s; accepted: more time, or a shorter scenario"
            )
