"""Possible meanings of "average segment rate": VLC on the test bed with likely levels and lengths of segments.

The slides print three rates and do not say what was averaged. Every session of the test bed gives six numbers: the
level that the client asked for, the mean of the rates of the downloads, and all bytes over the time of all downloads,
each with and without the segments of the first minute.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock.base.workplace import temporary
from ackclock.kernel.modules import loaded_for
from ackclock.kernel.testbed import Ask, Clip, encode, play
from ackclock.scenario import override_pairs
from ackclock.studies.framework import Reading, Sheet
from ackclock.studies.framework.live import asked_of
from ackclock.studies.framework.setups.newcwv import LIVE_NEWCWV, LIVE_NEWRENO, LIVE_PACED
from ackclock.studies.newcwv_dash.readings import MPD_BPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ackclock.kernel.testbed import Session
    from ackclock.kernel.testbed.session import Request
    from ackclock.scenario import Text
    from ackclock.studies.framework import Lab

__all__ = ["PUBLISHED_KBPS", "SETS", "VARIANTS", "Set", "answers", "rates_of", "run_sets", "sheet"]

VARIANTS = (LIVE_NEWRENO, LIVE_NEWCWV, LIVE_PACED)
PUBLISHED_KBPS = (803.40, 785.40, 836.26)
"""NewReno, newCWV, and newCWV with pacing: in the order of `VARIANTS`."""

WITHIN = 0.05
"""A rate has the size of the published one if it is within the study's tolerance of it, which is 5 %."""

BEGINNING_S = 60.0
"""The segments that are asked for so soon are those of the beginning."""

AT_ONCE = 6
"""Sessions at the same time."""

NOMINAL_KBPS = (50, 100, 150, 200, 250, 300, 400, 500, 600, 700, 900, 1200, 1500, 2000)


@dataclass(frozen=True)
class Set:
    """Content: its levels, and the length of its segments."""

    name: str
    ladder_kbps: tuple[int, ...]
    segment_s: int


SETS = (
    Set("ITEC ladder, 4-s segments", NOMINAL_KBPS, 4),
    Set("ITEC's own levels, 4-s segments", tuple(round(bps / 1e3) for bps in MPD_BPS[4]), 4),
    Set("ITEC's own levels, 2-s segments", tuple(round(bps / 1e3) for bps in MPD_BPS[2]), 2),
    Set("ITEC ladder, 10-s segments", NOMINAL_KBPS, 10),
)
"""ITEC's Big Buck Bunny of 2012 is the set of scootplayer, a client by one of the slides' authors."""


def rates_of(requests: Iterable[Request]) -> dict[str, float]:
    """The six readings of the segment rate of a session, in kbit/s, by name."""
    done = sorted((one for one in requests if one.done_s is not None), key=lambda one: one.start_s)
    found: dict[str, float] = {}
    for suffix, kept in (("", done), (", after a minute", [one for one in done if one.start_s >= BEGINNING_S])):
        taken = np.array([(one.done_s or 0.0) - one.start_s for one in kept])
        sizes = np.array([8e-3 * one.bytes for one in kept])
        found[f"level{suffix}"] = float(np.mean([one.level_kbps for one in kept])) if kept else float("nan")
        found[f"mean of download rates{suffix}"] = float(np.mean(sizes / taken)) if kept else float("nan")
        found[f"bytes over download time{suffix}"] = float(sizes.sum() / taken.sum()) if kept else float("nan")
    return found


def answers(rates: Sequence[float]) -> tuple[bool, bool]:
    """Whether three rates have the published size, each within 5 %, and the published order."""
    size = all(abs(rate / published - 1) <= WITHIN for rate, published in zip(rates, PUBLISHED_KBPS, strict=True))
    newreno, newcwv, paced = rates
    return size, newcwv < newreno < paced


def sheet(sessions: Mapping[tuple[str, str], Session], seconds: float) -> Sheet:
    """Every reading of the segment rate with every set, and whether it has the published size and order."""
    rows: list[list[object]] = []
    for name in dict.fromkeys(name for name, _ in sessions):
        of_variant = [rates_of(sessions[name, one.name].requests) for one in VARIANTS]
        for reading in of_variant[0]:
            rates = [one[reading] for one in of_variant]
            size, order = answers(rates)
            rows.append([name, reading, *rates, "yes" if size else "no", "yes" if order else "no"])
    columns = ["set", "segment rate is", *(one.label for one in VARIANTS), "size", "order"]
    caption = (
        f"kbit/s of VLC at nginx on the running kernel, one session of {seconds:g} s each. Published: 803.40, 785.40 "
        "and 836.26. The size is the published one if all three are within 5 %."
    )
    return Sheet("segment-rates", "What a segment rate may be", columns, rows, caption)


def run_sets(
    lab: Lab, scenario: Text, seconds: int, sets: Sequence[Set] = SETS, seed: int = 1
) -> dict[tuple[str, str], Session]:
    """Plays every set with every variant, several at once: set and variant to the session."""
    reading = Reading("", scenario, {"duration": f"{seconds}s", "flows[0].stack": "linux"})
    asked = asked_of([reading], VARIANTS)
    flows = {one.name: asked["", one.name]["flows"][0] for one in VARIANTS}
    done: dict[tuple[str, str], Session] = {}
    with (
        temporary("clips") as folder,
        loaded_for(sorted({flow["cc"] for flow in flows.values()})),
        ThreadPoolExecutor(AT_ONCE, "ackclock-session") as pool,
    ):
        # The programs that read the clips and that play them are not this user.
        folder.chmod(0o755)
        waiting = {}
        for number, one in enumerate(sets):
            content = folder / str(number)
            content.mkdir(mode=0o755)
            encode(Clip(one.ladder_kbps, one.segment_s, seconds), content)
            for variant in VARIANTS:
                flow = flows[variant.name]
                ask = Ask(
                    scenario=scenario.text,
                    overrides=override_pairs({**reading.overrides, **variant.overrides}),
                    seed=seed,
                    cc=flow["cc"],
                    player="vlc",
                    seconds=float(seconds),
                    paced=flow["paced"],
                    sysctls=flow["sysctls"],
                )
                waiting[one.name, variant.name] = pool.submit(play, ask, content, one.ladder_kbps)
        for number, (key, future) in enumerate(waiting.items(), 1):
            done[key] = future.result()
            if lab.progress is not None:
                lab.progress(number / len(waiting))
    return done
