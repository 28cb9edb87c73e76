"""``python -m tools.crosscheck``: runs the pairs and prints them; fails where a difference is unexplained."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.crosscheck.comparison import Compared, Pair, load
from tools.crosscheck.simulators import Ackclock, Measures, MissingError, Ns2, Ns3, Simulator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor, Future

OURS = Ackclock()


def main(only: Sequence[str]) -> int:
    """Runs the pairs whose simulator or algorithm is among `only`; all of them without any."""
    pairs = [pair for pair in load() if not only or {pair.simulator, pair.theirs} & set(only)]
    others: dict[str, Simulator] = {"ns-2": Ns2(), "ns-3": Ns3(Path(sys.prefix) / "crosscheck")}
    try:
        for name in dict.fromkeys(pair.simulator for pair in pairs):
            others[name].install()
    except MissingError as error:
        sys.stderr.write(f"crosscheck: {error}\n")
        return 2
    with ThreadPoolExecutor(os.cpu_count()) as executor:
        started = [
            (
                pair,
                _start(executor, OURS, pair.ours, ()),
                _start(executor, others[pair.simulator], pair.theirs, pair.settings),
            )
            for pair in pairs
        ]
        compared = []
        for pair, ours, theirs in started:
            one = Compared.of(pair, _measured(ours), _measured(theirs))
            _print(one)
            compared.append(one)
    unexplained = sum(len(list(one.unexplained())) for one in compared)
    _say(f"\n{len(compared)} pairs, {unexplained} differences of more than a tenth without an explanation")
    return 1 if unexplained else 0


Runs = tuple["Future[Measures]", "Future[Measures]"]


def _start(executor: Executor, simulator: Simulator, algorithm: Any, settings: Sequence[str]) -> Runs:
    return (
        executor.submit(simulator.run, [algorithm], settings),
        executor.submit(simulator.run, [algorithm, simulator.reno], settings),
    )


def _measured(runs: Runs) -> tuple[Measures, Measures]:
    alone, beside = runs
    return alone.result(), beside.result()


def _spelled(pair: Pair) -> str:
    if isinstance(pair.ours, str):
        return pair.ours
    parameters = ", ".join(f"{name} {value}" for name, value in pair.ours.items() if name != "kind")
    return f"{pair.ours['kind']} ({parameters})"


def _print(one: Compared) -> None:
    pair = one.pair
    settings = f" ({', '.join(pair.settings)})" if pair.settings else ""
    _say(f"\n{_spelled(pair)} | {pair.simulator} {pair.theirs}{settings}")
    for reading in one.readings:
        mark = "" if not reading.differs else "  *" if reading.is_explained else "  UNEXPLAINED"
        _say(f"  {reading.measure:12} {_number(reading.ours):>9} {_number(reading.theirs):>9}{mark}")
    causes: dict[str, list[str]] = {}
    for reading in one.readings:
        if reading.differs and reading.is_explained and reading.explanation is not None:
            causes.setdefault(reading.explanation.cause, []).append(reading.measure)
    for cause, measures in causes.items():
        _say(f"  * {', '.join(measures)}: {cause}")
    for reading in one.outdated():
        _say(f"  {reading.measure} is explained, and does not differ")


def _number(value: float) -> str:
    return f"{value:.1e}" if 0 < value < 0.01 else f"{value:.3f}" if value < 2 else f"{value:.1f}"


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
