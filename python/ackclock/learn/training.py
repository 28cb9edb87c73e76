"""Training: the search in a loop, with its decisions on disk before the next one is made."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock._errors import Cancelled
from ackclock.base import files, reading
from ackclock.engine.threads import default_threads
from ackclock.learn.cluster import Elsewhere
from ackclock.learn.log import Log, LogError, log_of
from ackclock.learn.pace import at_last_split_s, left_cpu_s
from ackclock.scenario import Text, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock._core import Cancel
    from ackclock.learn.log import Appender

__all__ = ["QUICK", "Checked", "Training", "check", "complete", "train"]

QUICK: dict[str, Any] = {"specimens": 8, "validation": 8, "rules": 15, "patience": 2}
"""Settings with which a table is trained within minutes. It is an example of a table, not one to rely on."""


@dataclass(frozen=True, slots=True)
class Training:
    """The state of a search."""

    table: Path
    """The table: the best one so far on the validation networks."""
    log: Path
    """The log, from which the search goes on."""
    status: dict[str, Any]
    """Decisions, rules, score, best score on the validation networks, whether the search has ended, and more."""
    cpu_s: float
    """CPU seconds of the search in all its processes; of one that was killed, up to its last split."""
    left_cpu_s: float | None = None
    """CPU seconds until the search ends at its limit of rules, estimated from the time of the rules so far; None while
    these are few. The search ends earlier if splits give no better table."""
    decision: dict[str, Any] | None = None
    """The last decision."""
    why: str = ""
    """The reason why the search ended or paused."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check of a log."""

    decisions: int
    """Number of decisions that were carried out again."""
    validated: int
    """Number of scores that were computed again."""
    wrong: list[str]
    """Sentences on the decisions and scores that differ."""


def complete(settings: dict[str, Any]) -> dict[str, Any]:
    """All settings of a search, from those that differ from the method's.

    Raises
    ------
    ValueError
        For a setting that is not accepted, with what is.
    """
    whole: dict[str, Any] = json.loads(_core.learn_settings(json.dumps(settings)))
    return whole


def train(
    design: str | Path,
    table: str | Path,
    *,
    delta: float = 1.0,
    objective: str = "log",
    seconds: float | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    cancel: Cancel | None = None,
    report: Callable[[Training], object] | None = None,
    **settings: Any,
) -> Training:
    """Searches for a table for the networks of a design, or goes on with a search that was stopped.

    Parameters
    ----------
    design
        The design: a TOML file.
    table
        The file of the table, such as x.dna. The log is beside it (x.learn.jsonl); if it exists, the search goes on.
    delta
        Weight of the delay in the objective log(throughput) - delta log(delay).
    objective
        ``log``, or ``inverse`` for -1/throughput.
    seconds
        Time after which the search pauses; by default it runs to its end. The time decides nothing else.
    threads
        Number of threads; by default one per core. It does not change the table.
    cluster
        Address of a Dask scheduler, whose workers do the runs in place of this process: ``tcp://HOST:PORT``, or
        ``file:PATH`` of a scheduler file. It does not change the table.
    cancel
        Ends the search from another thread.
    report
        Is called after each decision.
    settings
        Other settings: method (``economical`` or ``published``), seed, specimens, validation, rules, split_every,
        patience, least_gain, least_use.

    Raises
    ------
    ScenarioError
        For a wrong design.
    LogError
        If the log belongs to another search or is damaged.
    ClusterError
        If no scheduler or no worker answers, or all workers that had a task died.
    ValueError
        For a wrong setting.
    """
    design, table = Path(design), Path(table)
    given = complete({"objective": objective, "delta": delta if objective == "log" else None, **settings})
    with ExitStack() as stack:
        elsewhere = None
        if cluster is not None:
            elsewhere = Elsewhere(cluster, design, given, cancel)
            stack.callback(elsewhere.close)
        log = _opened(table, design, given)
        search = _search(log, design.parent)
        appender = stack.enter_context(log.appending())
        meter = _Meter(appender, log, default_threads() if threads is None else threads, elsewhere)
        return _decide(search, table, log, meter, seconds, cancel, report)


class _Meter:
    """The CPU time of a process and of its workers.

    The log has it from split to split, so that little of it is missing if the process is killed.
    """

    def __init__(self, appender: Appender, log: Log, threads: int, elsewhere: Elsewhere | None) -> None:
        self.appender, self.threads, self.elsewhere = appender, threads, elsewhere
        self._log = log
        self._logged = self._used()

    def _used(self) -> float:
        return time.process_time() + (0.0 if self.elsewhere is None else self.elsewhere.cpu_s)

    def cpu_s(self) -> float:
        """CPU seconds of the search so far."""
        return self._log.cpu_s + self._used() - self._logged

    def keep(self) -> None:
        """Adds the time since the last call to the log."""
        used = self._used()
        where = {"threads": self.threads} if self.elsewhere is None else {"where": self.elsewhere.where}
        session = {"cpu_s": round(used - self._logged, 2), **where, "engine": _core.engine()[:8]}
        self.appender.session({**session, "decisions": len(self._log.decisions)})
        self._logged = used


def _decide(
    search: _core.Search,
    table: Path,
    log: Log,
    meter: _Meter,
    seconds: float | None,
    cancel: Cancel | None,
    report: Callable[[Training], object] | None,
) -> Training:
    """Makes decisions until the search has ended, or has to pause."""
    limit, at_split_s = log.settings["rules"], at_last_split_s(log)

    def state(decision: dict[str, Any] | None = None, why: str = "") -> Training:
        status, cpu_s = json.loads(search.status), meter.cpu_s()
        left = left_cpu_s(status, limit, at_split_s, cpu_s)
        return Training(table, log.path, status, cpu_s, left, decision, why)

    began, why = time.monotonic(), "the search has ended"
    try:
        while True:
            if seconds is not None and time.monotonic() - began >= seconds:
                why = "the time is over; the same command goes on"
                break
            line = search.step(meter.threads, cancel, meter.elsewhere)
            if line is None:
                break
            meter.appender.decision(line)
            decision = json.loads(line)
            if decision["do"] in ("validate", "finish"):
                files.write_bytes(table, search.best)
            if decision["do"] == "split":
                meter.keep()
                at_split_s = log.cpu_s
            if report is not None:
                report(state(decision))
    except Cancelled:
        why = "stopped; the same command goes on"
    finally:
        files.write_bytes(table, search.best)
        meter.keep()
    return state(why=why)


def _opened(table: Path, design: Path, settings: dict[str, Any]) -> Log:
    """The log of a search, which is begun if there is none."""
    path, text = log_of(table), reading.text(design, reading.MOST_WRITTEN)
    if not path.exists():
        # A wrong design leaves no file.
        with named(Text(text, name=str(design), folder=str(design.parent))):
            _core.Search(text, json.dumps(settings), [], folder=design.parent)
        return Log.create(path, text, settings, _core.engine()[:8])
    log = Log.read(path)
    different = [
        f"{key} is {log.settings.get(key)!r} and not {value!r}"
        for key, value in settings.items()
        if log.settings.get(key) != value
    ]
    if log.design != text:
        different.append("the design is another one")
    if different:
        raise LogError(
            f"{path} belongs to another search: {'; '.join(different)}. Name another table, or delete the log"
        )
    return log


def _search(log: Log, folder: Path) -> _core.Search:
    try:
        return _core.Search(log.design, json.dumps(log.settings), log.decisions, folder=folder)
    except ValueError as error:
        raise LogError(f"{log.path}: {error}") from None


def check(log: Log, table: bytes | None = None, *, folder: Path = Path(), threads: int | None = None) -> Checked:
    """Rebuilds the table from the decisions of a log, and computes the scores of the validations again.

    `table` is the table to compare with. The files that the design names are in `folder`.

    Raises
    ------
    LogError
        If the decisions cannot follow each other.
    """
    search = _search(Log(log.path, log.design, log.settings, log.engine), folder)
    wrong, validated = [], 0
    for number, line in enumerate(log.decisions, 1):
        decision = json.loads(line)
        if decision["do"] == "validate":
            score = search.validate(threads or default_threads())
            validated += 1
            if score != decision["score"]:
                wrong.append(f"decision {number}: the score is {score}, and the log has {decision['score']}")
        try:
            search.apply(line)
        except ValueError as error:
            raise LogError(f"{log.path}: decision {number}: {error}") from None
    if table is not None and search.best != table:
        wrong.append("the table is not the one that the decisions give")
    return Checked(len(log.decisions), validated, wrong)
