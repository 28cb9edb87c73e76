"""The cells: a disruption of the uplink, two calls, a call beside TCP, and four calls; and what is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock.studies.framework import Reading, Variant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ackclock.studies.framework import Study

__all__ = [
    "BUFFERS",
    "CONTROLS",
    "DISRUPTION",
    "DROP_TAIL",
    "FOUR",
    "GCC",
    "LEVELS",
    "LOW",
    "MAIN",
    "PAIRS",
    "QUEUES",
    "RATES",
    "SAME",
    "TCP",
    "TWO",
    "Cell",
    "call_without_control",
    "one_control",
    "queue_without_discipline",
    "readings",
    "variants",
    "wanted",
]

DISRUPTION, TWO, TCP, FOUR = "disruption", "two calls", "TCP", "four calls"
"""Experiments."""
FILES: Mapping[str, str] = {DISRUPTION: "disruption.toml", TWO: "two.toml", TCP: "tcp.toml", FOUR: "four.toml"}
CALLS: Mapping[str, int] = {DISRUPTION: 1, TWO: 2, TCP: 1, FOUR: 4}

LEVELS = (0.25, 0.5, 0.75)
"""Capacity during the disruption in Mbit/s; neither the abstract nor the post states it."""
RATES = (0.5, 1, 2, 3, 5)
"""Capacity beside other traffic in Mbit/s."""
LOW = (0.5, 1)
"""Rates at which a call of 1 Mbit/s cannot have all that it wants beside another: claims are of these."""
FOUR_MBPS = 3
FREE_MBPS = 10
DROP_S, RESTORED_S = 120, 150
BUFFER_MS = 300

MAIN = "main reading"


def _controls(names: Sequence[str]) -> dict[str, object]:
    return {f"flows[{at}].app.control": name for at, name in enumerate(names)}


LABELS: Mapping[str, str] = {
    "gcc": "GCC",
    "gcc-draft": "GCC of the draft",
    "nada": "NADA",
    "scream": "SCReAM",
    "scream2": "SCReAM version 2",
}
GCC = "gcc"
CONTROLS = tuple(LABELS)
SAME = "gcc and gcc"
PAIRS = tuple(
    Variant(f"gcc and {one}", f"GCC and {LABELS[one]}", _controls(["gcc", one]))
    for one in ("gcc", "nada", "scream", "scream2")
)
DROP_TAIL = Variant("drop-tail", "drop-tail")
QUEUES = (
    DROP_TAIL,
    Variant("codel", "CoDel", {"bottleneck.queue": "codel"}),
    Variant("fq-codel", "FQ-CoDel", {"bottleneck.queue": "fq-codel"}),
)


def variants(experiment: str) -> tuple[Variant, ...]:
    """The variants of an experiment: queues beside TCP, pairs of controls, or controls."""
    if experiment == TCP:
        return QUEUES
    if experiment == TWO:
        return PAIRS
    return tuple(Variant(one, LABELS[one], _controls([one] * CALLS[experiment])) for one in CONTROLS)


SHORT, LONG = "a buffer of 100 ms", "a buffer of 600 ms"
CHOICES: Mapping[str, Mapping[str, Mapping[str, object]]] = {
    DISRUPTION: {
        SHORT: {},
        LONG: {},
        "calls of 0.75 Mbit/s": {"flows[0].app.max_rate": "750kbps"},
        "calls of 1.4 Mbit/s": {"flows[0].app.max_rate": "1.4Mbps"},
    },
    TWO: {
        SHORT: {},
        LONG: {},
        "GCC comes later": {"flows[0].start": "30s", "flows[1].start": "0s"},
    },
    TCP: {
        SHORT: {},
        LONG: {},
        "GCC of the draft": {"flows[0].app.control": "gcc-draft"},
        "BBR for CUBIC": {"flows[1].cc": "bbr"},
    },
    FOUR: {
        SHORT: {},
        LONG: {},
        "all begin at once": {f"flows[{at}].start": "0s" for at in range(4)},
        "calls of 1.4 Mbit/s": {f"flows[{at}].app.max_rate": "1.4Mbps" for at in range(4)},
    },
}
"""Readings beside the main one: settings. Uploads of 0.75 to 1.4 Mbit/s are those of the post."""
BUFFERS: Mapping[str, int] = {SHORT: 100, LONG: 600}


@dataclass(frozen=True, slots=True)
class Cell:
    """An experiment at a rate."""

    experiment: str
    rate: float
    """Mbit/s; that of the disruption."""
    choice: str = MAIN

    @property
    def name(self) -> str:
        """The name of the reading."""
        return f"{self.choice}; {self.experiment}; {self.rate:g} Mbit/s"


def wanted(experiment: str, *, quick: bool) -> list[Cell]:
    """The cells of an experiment. Claims of two calls and of TCP are made at the two lower rates."""
    main: tuple[float, ...] = {DISRUPTION: LEVELS, FOUR: (FOUR_MBPS,)}.get(experiment, RATES)
    deciding = {TWO: LOW, TCP: LOW}.get(experiment, main)
    found = [Cell(experiment, rate) for rate in (deciding if quick else main)]
    if quick:
        return found
    return found + [Cell(experiment, rate, choice) for choice in CHOICES[experiment] for rate in deciding]


def _buffer(rate: float, choice: str) -> str:
    return f"{rate * BUFFERS.get(choice, BUFFER_MS) * 125:.0f}B"


def readings(study: Study, cells: Sequence[Cell]) -> list[Reading]:
    """A reading for each cell. The queue of a disruption is as long as at 1 Mbit/s."""
    found = []
    for cell in cells:
        link: dict[str, object]
        if cell.experiment == DISRUPTION:
            levels = ((0, FREE_MBPS), (DROP_S, cell.rate), (RESTORED_S, FREE_MBPS))
            steps = [{"at": f"{at}s", "rate": f"{1e3 * mbps:g}kbps"} for at, mbps in levels]
            link = {"bottleneck.rate": {"kind": "steps", "steps": steps}, "bottleneck.queue": _buffer(1, cell.choice)}
        else:
            rate = f"{1e3 * cell.rate:g}kbps"
            link = {"bottleneck.rate": rate, "bottleneck.queue": _buffer(cell.rate, cell.choice)}
        own = CHOICES[cell.experiment].get(cell.choice, {})
        found.append(Reading(cell.name, study.scenario(FILES[cell.experiment]), {**link, **own}))
    return found


def _of_calls(overrides: Mapping[str, object]) -> list[str]:
    return [path.removesuffix(".control") for path in overrides if path.endswith(".app.control")]


def call_without_control(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes the congestion control: calls send at 0.75 Mbit/s, which is between their least and largest rates."""
    calls = _of_calls(overrides)
    rates = {f"{call}.start_rate": "750kbps" for call in calls}
    return {f"{call}.control": "fixed" for call in calls} | rates


def one_control(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes the difference of controls: all calls have GCC."""
    return {f"{call}.control": "gcc" for call in _of_calls(overrides)}


def queue_without_discipline(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes the discipline of the queue: the main buffer with drop-tail."""
    rate = overrides["bottleneck.rate"]
    if not isinstance(rate, str):
        return {}
    return {"bottleneck.queue": _buffer(1e-3 * float(rate.removesuffix("kbps")), MAIN)}
