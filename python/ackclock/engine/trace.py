"""Runs that leave traces: captures for Wireshark, logs for qvis, and the log of every event."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock._core import Cancel, Trace
from ackclock.base.progress import reporter
from ackclock.cc import registry
from ackclock.engine.run import check_seed, simulated
from ackclock.engine.watched import pool_for
from ackclock.scenario import Overrides, Source, Text, check, load, override_pairs
from ackclock.scenario._estimate import refuse_huge
from ackclock.scenario._renamed import warn
from ackclock.scenario._source import foreign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ackclock.base.progress import ProgressCallback
    from ackclock.results.result import Result

__all__ = ["EVENTS_FILE", "trace"]

EVENTS_FILE = "events.jsonl"
"""The name of the event log in a folder of traces."""


def trace(
    scenario: Source,
    folder: Path | str,
    *,
    captures: Iterable[str] = (),
    events: bool = False,
    qlog: bool = False,
    ipv6: bool = False,
    payload: bool = False,
    flows: Iterable[str] = (),
    from_: str | None = None,
    to: str | None = None,
    seed: int | None = None,
    overrides: Overrides | None = None,
    large: bool = False,
    progress: bool | Callable[[float], object] = False,
    verify: bool = False,
) -> Result:
    """Runs a scenario once, as `run` does, and writes traces of it into an existing folder.

    What is traced changes nothing in the run, and files of the same run are the same to the byte.

    Parameters
    ----------
    scenario
        The path of a TOML file, TOML text, a dict of the same shape, or an `ackclock.scenario.Scenario`.
    folder
        Where the files go; those of the same name are replaced.
    captures
        Where packets are captured, each place in a file ``<place>.pcapng``: ``bottleneck`` (both directions, an
        interface each; every packet as it arrives at the queue, with a comment where it is dropped or marked), or a
        host as ``<flow>.source`` or ``<flow>.sink``. Times have the resolution of nanoseconds and count from 1970.
    events
        Whether every event is written to the event log ``events.jsonl``: a JSON object a line, in the order of time;
        `event_schema` describes them.
    qlog
        Whether each end of each connection has a log in qlog's format, ``<flow>.<connection>.<side>.sqlog``, which qvis
        reads (docs/how-to/wireshark.md).
    ipv6
        Give captured packets IPv6 headers. The simulated links carry packets with IPv4 headers in any case, which are
        20 bytes shorter.
    payload
        Keep the payload of captured packets, which is zeros. Otherwise headers are kept, and the length of the rest.
    flows
        Names of the flows that all traces are limited to. A flow with copies stands for all of them.
    from_, to
        Times to which all traces are limited, both included, such as "2s". By default the whole run is traced.
    seed
        The seed; the scenario's own when not given.
    overrides
        Values by key path that replace the scenario's.
    large
        Run a scenario even if it is estimated to take more memory than this machine has.
    progress
        True for a bar on standard error, or a function called with the part done, from 0 to 1.
    verify
        Verify the run as `run` does.

    Raises
    ------
    ScenarioError
        With everything that is wrong with the scenario, and with the places, flows and times to trace, or if the run
        may take more memory than this machine has.
    VerificationError
        If `verify` finds something; the traces are written.
    """
    text = load(scenario)
    check_seed(seed, text)
    pairs = override_pairs(overrides)
    warn(text, pairs)
    if not large:
        refuse_huge(text, pairs)
    settings = {
        "captures": list(dict.fromkeys(captures)),
        "ipv6": ipv6,
        "payload": payload,
        "events": events,
        "qlog": qlog,
        "flows": list(flows),
        "start": from_,
        "end": to,
    }
    canonical = check(text, pairs)
    with (
        pool_for(registry.named_in(canonical), 1, [_record], foreign=foreign(canonical)) as processes,
        reporter(progress, text.name or "trace") as report,
    ):
        worker = _record if processes is None else processes.worker(_record)
        return worker(
            _Recording(text, tuple(pairs), seed, str(folder), settings, verify), Cancel(), report or (lambda _: None)
        )


@dataclass(frozen=True, slots=True)
class _Recording:
    """A run and the traces that it is to leave in a folder."""

    scenario: Text
    overrides: tuple[tuple[str, str], ...]
    seed: int | None
    folder: str
    traces: dict[str, Any]
    """The arguments of `_core.Trace`."""
    verify: bool


def _record(job: _Recording, cancel: Cancel, progress: ProgressCallback) -> Result:
    text, begun = job.scenario, set[str]()

    def write(name: str, chunk: bytes) -> None:
        # There may be more files than a process may have open.
        with (Path(job.folder) / name).open("ab" if name in begun else "wb") as file:
            file.write(chunk)
        begun.add(name)

    trace = Trace(**job.traces)
    return simulated(text, job.overrides, job.seed, cancel, progress, verify=job.verify, trace=trace, write=write)
