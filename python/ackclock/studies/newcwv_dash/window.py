"""Two experiments for what the slides say of newCWV's window: how far it grows, and what a loss makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ackclock import stats
from ackclock.scenario import Text
from ackclock.studies.framework import Reading, study_file
from ackclock.studies.framework.setups.newcwv import NEWCWV, ONE_WAY, ROUND_TRIP
from ackclock.studies.framework.setups.newcwv_2014 import in_rfc

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ackclock.results.result import Result
    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid

__all__ = ["LIMITED", "LOST", "MAINS", "SLOWLY", "WORST", "estimates", "later", "measure", "readings"]

MSS = 1448
"""Payload of a segment with timestamps, in bytes."""

BURST = 40
"""Segments of a burst of ``loss.toml``: D, since all are in flight at once, and the pipeACK of the bursts before."""

FIRST_LOST = 363
"""Number of the first packet that is lost: the handshake, 277 segments of 400 kB and two bursts come before it."""

LOST = (1, 4, 10)
"""Numbers of segments that are lost of one burst, each of which is sent once more: R."""

RECOVERED_S = 1.1
"""Time before the end of a run at which the window is read, in s: after the recovery, and before the last burst."""

MORE = 8
"""Bursts that come before the others in the readings in which the sender has forgotten the 400 kB of the start.

The authors' module removes at most one expired sample of pipeACK with an update, so that the two bursts before the loss
leave the start in it: the window of 277 segments then still counts as validated.
"""

SETTLED_S = 30.0
"""Time, in s, from which on the window of an application-limited sender is read."""

RATE_BPS, SLOW_S, STEP_US = 800_000, 10, 14_480
"""The data rate of that sender; how long a reading lets it begin at an eighth of it; and the time between segments."""


def readings() -> list[Reading]:
    """An application-limited sender, for both readings of the delay, and bursts of which segments are lost."""
    limited = Text(study_file(__package__, "limited.toml"), name="newcwv_dash/limited.toml")
    loss = Text(study_file(__package__, "loss.toml"), name="newcwv_dash/loss.toml")
    return [
        Reading(LIMITED, limited),
        Reading(LIMITED.replace(ROUND_TRIP, ONE_WAY), limited, {"bottleneck.delay": "200ms"}),
        Reading(SLOWLY, limited, {"duration": "40s", "flows[0].app": _from_an_eighth()}),
        *(
            Reading(name_of(lost), loss, {"bottleneck.loss": {"kind": "list", "packets": _numbers(lost)}})
            for lost in LOST
        ),
        *(Reading(later(name_of(lost)), loss, _after_more(lost)) for lost in LOST),
    ]


def later(name: str) -> str:
    """The name of a reading with more bursts before the loss."""
    return f"{name}, after {MORE + 2} bursts"


def _after_more(lost: int) -> dict[str, object]:
    """The overrides with `MORE` further bursts before those of ``loss.toml``."""
    bursts = [{"at": f"{at}s", "size": f"{BURST * MSS}B"} for at in range(4, 8 + MORE)]
    numbers = [number + MORE * BURST for number in _numbers(lost)]
    return {
        "duration": f"{8 + MORE}s",
        "flows[0].app.items": [{"at": "0s", "size": "400kB"}, *bursts],
        "bottleneck.loss": {"kind": "list", "packets": numbers},
    }


LIMITED = f"application-limited, {ROUND_TRIP}"
SLOWLY = f"{LIMITED}, from an eighth of the rate on"
"""The sender has sent slowly for ten seconds, so that pipeACK is known when the window has to grow."""


def _from_an_eighth() -> dict[str, object]:
    """The segments of a sender that sends an eighth of its rate at first."""
    slow = range(0, SLOW_S * 1_000_000, 8 * STEP_US)
    steady = range(SLOW_S * 1_000_000, 40_000_000, STEP_US)
    items = [{"at": f"{at}us", "size": f"{MSS}B"} for at in (*slow, *steady)]
    return {"kind": "list", "persistent": True, "items": items}


WORST = "the worst of them"
"""The name of the largest deviation over all numbers of lost segments."""


def name_of(lost: int) -> str:
    """The name of the reading with so many lost segments."""
    return f"{lost} of {BURST} lost"


def _numbers(lost: int) -> list[int]:
    return [FIRST_LOST + 2 * number for number in range(lost)]


def measure(result: Result) -> dict[str, float]:
    """The window of a run against the data rate, how far it moves, and the window after the loss, in segments."""
    time, cwnd = result.window["time_s"], result.window["cwnd"].astype(np.float64)
    settled = time >= SETTLED_S
    if not settled.any():
        read = time <= result.meta["duration_s"] - RECOVERED_S
        return {"times_rate": 0.0, "moved": 0.0, "after_loss": float(cwnd[read][-1] / MSS)}
    srtt_s = float(np.median(result.window["srtt_ms"][settled])) / 1e3
    return {
        "times_rate": float(np.median(cwnd[settled])) / (RATE_BPS / 8 * srtt_s),
        "moved": float(np.ptp(cwnd[settled]) / np.median(cwnd[settled])),
        "after_loss": 0.0,
    }


def estimates(grid: Grid) -> dict[str, Mapping[str, Estimate]]:
    """The estimates of the three claims, by reading."""
    have = {one.name for one in grid.readings}
    limited = [one for name in (LIMITED, LIMITED.replace(ROUND_TRIP, ONE_WAY), SLOWLY) for one in (name, in_rfc(name))]
    limited = [one for one in limited if one in have]
    after: dict[str, Estimate] = {}
    for named in (str, in_rfc, later, lambda name: in_rfc(later(name))):
        away = {
            named(name_of(lost)): np.abs(
                grid.values(named(name_of(lost)), NEWCWV.name, "after_loss") / ((BURST - lost) / 2) - 1
            )
            for lost in LOST
            if named(name_of(lost)) in have
        }
        if away:
            after[named(WORST)] = stats.mean(np.asarray(np.max(list(away.values()), axis=0)))
            after |= {name: stats.mean(one) for name, one in away.items()}
    return {
        "window-twice-rate": {name: grid.mean(name, NEWCWV.name, "times_rate") for name in limited},
        "window-stays": {name: grid.mean(name, NEWCWV.name, "moved") for name in limited},
        "loss-not-validated": after,
    }


MAINS = {"window-twice-rate": LIMITED, "window-stays": LIMITED, "loss-not-validated": WORST}
"""The readings that decide the claims."""
