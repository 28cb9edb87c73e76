"""The measures of a gate: which direction is better, and which change does not matter."""

from __future__ import annotations

import difflib
import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from ackclock.judge.gate.refused import GateError
from ackclock.results.measure import Measure, MeasureError

__all__ = ["DEFAULTS", "DIRECTIONS", "Direction", "Expected"]

Direction: TypeAlias = Literal["higher", "lower", "either"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
"""The change that is better; with ``either``, a change to either side is a regression."""

COLUMNS: dict[str, tuple[Direction, float, float]] = {
    "goodput_bps": ("higher", 0.01, 0.0),
    "throughput_bps": ("higher", 0.01, 0.0),
    "bytes_delivered": ("higher", 0.01, 0.0),
    "received_bps": ("higher", 0.01, 0.0),
    "utilisation": ("higher", 0.0, 0.01),
    "duration_s": ("lower", 0.02, 0.001),
    "mean_s": ("lower", 0.02, 0.001),
    "p50_s": ("lower", 0.02, 0.001),
    "p95_s": ("lower", 0.05, 0.001),
    "p99_s": ("lower", 0.05, 0.001),
    "slowdown_mean": ("lower", 0.02, 0.01),
    "slowdown_p95": ("lower", 0.05, 0.01),
    "slowdown_p99": ("lower", 0.05, 0.01),
    "retransmits": ("lower", 0.1, 5.0),
    "timeouts": ("lower", 0.1, 1.0),
    "spurious_timeouts": ("lower", 0.1, 1.0),
    "drops": ("lower", 0.1, 5.0),
    "drop_rate": ("lower", 0.1, 0.0005),
    "srtt_ms": ("lower", 0.05, 1.0),
    "queue_delay_mean_ms": ("lower", 0.05, 1.0),
    "queue_delay_p50_ms": ("lower", 0.05, 1.0),
    "queue_delay_p95_ms": ("lower", 0.05, 1.0),
    "queue_delay_p99_ms": ("lower", 0.05, 1.0),
    "delay_mean_ms": ("lower", 0.05, 1.0),
    "delay_p95_ms": ("lower", 0.05, 1.0),
    "delay_p99_ms": ("lower", 0.05, 1.0),
    "loss": ("lower", 0.1, 0.0005),
    "mean_level_bps": ("higher", 0.02, 0.0),
    "stalls": ("lower", 0.1, 0.5),
    "stall_s": ("lower", 0.1, 0.1),
    "mos": ("higher", 0.0, 0.05),
}
"""Direction of each column, its tolerance relative to the baseline, and its tolerance in the unit of the column."""

JAIN: tuple[Direction, float, float] = ("higher", 0.0, 0.02)

DEFAULTS = (
    "sum(flows.goodput_bps)",
    "jain(flows.goodput_bps)",
    "sum(flows.retransmits)",
    "sum(flows.timeouts)",
    "links[bottleneck].queue_delay_mean_ms",
    "links[bottleneck].queue_delay_p95_ms",
    "transfers.duration_s",
    "p95(transfers.duration_s)",
    "web_pages.duration_s",
    "p95(web_pages.duration_s)",
    "dash.mean_level_bps",
    "sum(dash.stall_s)",
    "voip.mos",
)
"""Measures of a gate that names none, as far as every run of a scenario has a value for them."""

BRACKETS = re.compile(r"[\[(][^\])]*[\])]")


@dataclass(frozen=True, slots=True)
class Expected:
    """A measure, the direction in which it is better, and the change that does not matter."""

    measure: str
    """A measure of a run, as `ackclock.Measure` parses it."""
    direction: Direction
    """``higher`` or ``lower`` is better, or ``either``: a change to either side is a regression."""
    relative: float
    """Share of the baseline's mean."""
    absolute: float
    """Tolerance in the unit of the measure. The larger of the two tolerances counts."""

    @classmethod
    def parse(cls, text: str) -> Expected:
        """Reads ``MEASURE [DIRECTION [TOLERANCE]]``; a tolerance is ``2%``, ``0.5``, or ``2% or 0.5``.

        Raises
        ------
        GateError
            With the text, the error, and what is accepted.
        """
        # A measure may contain spaces within its brackets.
        joined = BRACKETS.sub(lambda inside: inside[0].replace(" ", "\0"), text)
        name, *rest = [word.replace("\0", " ") for word in joined.split()] or [""]
        try:
            measure = Measure.parse(name)
            measure.check()
        except MeasureError as error:
            raise GateError(str(error)) from None
        usual = JAIN if measure.function == "jain" else COLUMNS.get(measure.column)
        if measure.function == "count":
            usual = None
        if rest and rest[0] not in DIRECTIONS:
            meant = difflib.get_close_matches(rest[0], DIRECTIONS, 1, 0.5)
            near = f", did you mean {meant[0]}?" if meant else ""
            raise GateError(f"measure {text!r}: {rest[0]} is no direction{near}; accepted: {', '.join(DIRECTIONS)}")
        if usual is None and len(rest) < 2:
            raise GateError(
                f"measure {text!r}: {measure.column} has no usual direction and tolerance; accepted: give both, "
                f"such as '{measure} lower 5%'"
            )
        direction: Direction = rest[0] if rest else usual[0]  # type: ignore[assignment, index]
        if len(rest) < 2:
            relative, absolute = usual[1:]  # type: ignore[index]
        else:
            relative, absolute = _tolerance(text, rest[1:])
        return cls(str(measure), direction, relative, absolute)

    def tolerance(self, mean: float) -> float:
        """The change that does not matter, in the unit of the measure, for a mean of the baseline."""
        return max(self.relative * abs(mean), self.absolute)


def _tolerance(text: str, words: list[str]) -> tuple[float, float]:
    relative = absolute = None
    if len(words) in (1, 3) and words[1:2] in ([], ["or"]):
        for word in words[::2]:
            share = word.endswith("%")
            try:
                number = float(word.removesuffix("%"))
            except ValueError:
                break
            if not 0 <= number < math.inf or (relative if share else absolute) is not None:
                break
            if share:
                relative = number / 100
            else:
                absolute = number
        else:
            return relative or 0.0, absolute or 0.0
    raise GateError(f"measure {text!r}: {' '.join(words)} is no tolerance; accepted: such as 2%, 0.5, or '2% or 0.5'")
