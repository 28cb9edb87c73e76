"""Runs of a store that are run again, with probes, because nothing was recorded of them over time."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, cast

from ackclock import _core
from ackclock._errors import RefusedError, ScenarioError
from ackclock.cc import registry
from ackclock.engine.run import Job, run_job
from ackclock.scenario import Text
from ackclock.scenario._source import canonical, foreign

if TYPE_CHECKING:
    from typing import Literal

    from ackclock.results.result import Result
    from ackclock.store import Store

__all__ = ["MOST_KEPT", "MOST_PACKETS", "Again", "AgainError"]

MOST_PACKETS = 10_000_000
"""Packets that are expected of a run at most: some seconds of work."""

MOST_KEPT = 24
"""Runs that are kept."""

ROWS = 1000
"""Rows of a line over time."""


class AgainError(RefusedError):
    """A run cannot be run again; the message says why."""

    code = "ACK073"


class Again:
    """The runs that were run again, the latest ones, by their keys."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Result] = OrderedDict()

    def get(self, run: str) -> Result | None:
        """The result with probes; None if the run was not run again."""
        return self._kept.get(run)

    def run(self, store: Store, run: str) -> None:
        """Runs a run of the store again, with probes, and keeps the result.

        Raises
        ------
        AgainError
            If this version or this process cannot run it, if it is too large, or if it gives other numbers.
        """
        if run in self._kept:
            self._kept.move_to_end(run)
            return
        job = _job(store, run)
        found = run_job(job, _core.Cancel(), lambda _: None)
        before = store.result(run, ["flows"]).flows
        if list(before["goodput_bps"]) != list(found.flows["goodput_bps"]):
            raise AgainError(
                f"run {run} gives other numbers with this version, ackclock {_core.version()}, than with the one that "
                "the store is from; what is drawn over time would not be that run"
            )
        self._kept[run] = found
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


def _job(store: Store, run: str) -> Job:
    """The job of a run with probes."""
    sweep, point, seed = next(
        (sweep, point, seed) for sweep in reversed(store.sweeps) for key, point, seed, _ in sweep.runs if key == run
    )
    asked: dict[str, Any] = sweep.document["points"][point]
    if "backend" in asked:
        raise AgainError(f"run {run} was made with {asked['backend']}; this page runs the simulator alone")
    if "files" in asked:
        raise AgainError(f"run {run} needs files that its scenario names; run it again with `ackclock run`")
    given = sweep.document["scenarios"][asked["scenario"]]
    text = Text(given["text"], cast("Literal['toml', 'json']", given["format"]), given["name"])
    pairs = [(str(path), str(value)) for path, value in asked["overrides"]]
    seconds = store.result(run, ["flows"]).meta["duration_s"]
    pairs += [(f"probes.{name}", "true") for name in ("window", "rates", "queues")]
    pairs.append(("probes.interval", f"{max(1, math.ceil(1000 * seconds / ROWS))}ms"))
    try:
        whole = canonical(text, pairs)
    except ScenarioError as error:
        raise AgainError(f"the scenario of run {run} cannot be read here: {error}") from None
    if foreign(whole) or registry.in_python(registry.named_in(whole)):
        raise AgainError(f"run {run} has code of somebody's own; run it again with `ackclock run`")
    packets = _core.estimate(text.text, text.format, pairs, text.folder, registry.algorithms())[0]
    if packets > MOST_PACKETS:
        raise AgainError(
            f"run {run} is expected to send {packets:.2g} packets, and this page runs at most {MOST_PACKETS:.2g}; use "
            "`ackclock run` with --set probes.window=true"
        )
    return Job(text, tuple(pairs), seed)
