"""Training: the search in a loop, with its decisions on disk before the next one is made."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core, files
from ackclock._errors import Cancelled
from ackclock._runner import default_threads
from ackclock.learn.log import Log, LogError, log_of
from ackclock.scenario import Text, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from ackclock._core import Cancel

__all__ = ["QUICK", "Checked", "Training", "check", "complete", "train"]

QUICK: dict[str, Any] = {"specimens": 8, "validation": 8, "rules": 15, "patience": 2}
"""Settings with which a table is trained within minutes. It is an example of a table, not one to rely on."""


@dataclass(frozen=True, slots=True)
class Training:
    """The state of a search."""

    table: Path
    """The table: the best one so far on the validation networks."""
    log: Path
    status: dict[str, Any]
    """Decisions, rules, score, best score on the validation networks, whether the search has ended, and more."""
    cpu_s: float
    """CPU seconds of all processes of the search that ended in order, with the present one."""
    decision: dict[str, Any] | None = None
    """The last decision."""
    why: str = ""
    """The reason why the search ended or paused."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check of a log."""

    decisions: int
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
    ValueError
        For a wrong setting.
    """
    design, table = Path(design), Path(table)
    given = complete({"objective": objective, "delta": delta if objective == "log" else None, **settings})
    log = _opened(table, design, given)
    search = _search(log, design.parent)
    threads = threads or default_threads()
    began, cpu, before = time.monotonic(), time.process_time(), log.cpu_s

    def state(decision: str | None = None, why: str = "") -> Training:
        used = before + time.process_time() - cpu
        shown = json.loads(decision) if decision is not None else None
        return Training(table, log.path, json.loads(search.status), used, shown, why)

    with log.appending() as appender:
        why = "the search has ended"
        try:
            while True:
                if seconds is not None and time.monotonic() - began >= seconds:
                    why = "the time is over; the same command goes on"
                    break
                decision = search.step(threads, cancel)
                if decision is None:
                    break
                appender.decision(decision)
                if json.loads(decision)["do"] in ("validate", "finish"):
                    files.write_bytes(table, search.best)
                if report is not None:
                    report(state(decision))
        except Cancelled:
            why = "stopped; the same command goes on"
        finally:
            files.write_bytes(table, search.best)
            session = {"cpu_s": round(time.process_time() - cpu, 2), "threads": threads, "engine": _core.engine()[:8]}
            appender.session({**session, "decisions": len(log.decisions)})
    return state(why=why)


def _opened(table: Path, design: Path, settings: dict[str, Any]) -> Log:
    """The log of a search, which is begun if there is none."""
    path, text = log_of(table), design.read_text(encoding="utf-8")
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
