"""Compares the claims with the measured numbers, and makes the tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ackclock import stats
from ackclock.studies.call_newcwv.cells import (
    ALONE,
    CUBIC,
    CUBIC_FILE,
    IW3,
    LIMITED,
    LINKS,
    MAIN,
    MAIN_BUFFER,
    RENO_FILE,
    Beside,
    Cell,
    Link,
)
from ackclock.studies.framework import ClaimResult, Sheet, assess_all, geometric
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, SPREAD, TEXTBOOK
from ackclock.studies.framework.setups.newcwv_2014 import MODULE, MODULE_SPREAD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ackclock.stats import Estimate
    from ackclock.studies.framework import Grid, Kind, Variant

__all__ = ["assess_claims", "beside_sheet", "videos_sheet"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim that compares two senders of the video."""

    measure: str
    sender: Variant
    against: Variant
    buffer: str = MAIN_BUFFER
    """The queue of the main reading."""


PAIRS: Mapping[str, Pair] = {
    "burst-jitter": Pair("jitter_ms", NEWCWV, NEWRENO),
    "burst-loss": Pair("loss_percent", NEWCWV, NEWRENO, LIMITED),
    "pacing-jitter": Pair("jitter_ms", SPREAD, NEWCWV),
    "pacing-loss": Pair("loss_percent", SPREAD, NEWCWV),
    "lower-loss": Pair("loss_percent", SPREAD, NEWRENO),
    "burst-times": Pair("s_per_mbit", SPREAD, NEWRENO),
    "co-exists": Pair("call_mbps", NEWCWV, NEWRENO),
    "iw10-jitter": Pair("jitter_ms", NEWRENO, IW3),
}
"""Differences; the times of the video are relative changes, and the rate of the call is a part."""

SWAPS: Mapping[str, Mapping[str, Variant]] = {
    "the authors' module": {NEWCWV.name: MODULE, SPREAD.name: MODULE_SPREAD},
    "FQ of Linux 3.12": {SPREAD.name: PACED},
    "RFC 5681 for NewReno": {NEWRENO.name: TEXTBOOK},
}
"""Readings with another sender: which takes whose place."""

DEFINITIONS: Mapping[str, Mapping[str, str]] = {
    "jitter_ms": {"95th percentile": "jitter_p95_ms", "frames, 95 %": "frame_p95_ms"},
    "loss_percent": {"all losses": "drops_percent"},
}
"""Measure to other definitions of the word: name and measure."""

VIDEO_CELL = "video"


def kind_of(reading: str) -> Kind:
    """The kind of a reading: a link, a queue and other traffic are cells, and another measure is a definition."""
    if any(reading in names for names in DEFINITIONS.values()):
        return "definition"
    cells = [link.name for link in LINKS] + [VIDEO_CELL]
    cells += [Cell(LINKS[0], buffer).label for buffer in (LIMITED, "4bdp", "fq-codel")] + ["1 BDP"]
    return "cell" if reading in cells else "assumption"


def assess_claims(videos: Grid, cells: Sequence[Cell], others: Grid, besides: Sequence[Beside]) -> list[ClaimResult]:
    """Every claim as the mean over the links, and by link, queue, sender and definition."""
    return assess_all(__package__, lambda claim: _of_claim(videos, cells, others, besides, claim), MAIN, kind_of)


def _of_claim(
    videos: Grid, cells: Sequence[Cell], others: Grid, besides: Sequence[Beside], claim: str
) -> dict[str, Estimate]:
    if claim == "starves":
        named = _named(cells, MAIN_BUFFER)
        return {label: _level(videos, names, NEWCWV.name, "starved_percent") for label, names in named.items()}
    if claim in PAIRS:
        return _of_pair(videos, cells, PAIRS[claim])
    return _of_others(videos, cells, others, besides, claim)


def _named(cells: Sequence[Cell], main_buffer: str) -> dict[str, list[str]]:
    """The readings of a claim: label to the names of the grid's readings, over whose mean it is."""
    found: dict[str, list[str]] = {}
    for one in cells:
        if (one.buffer, one.choice) == (main_buffer, MAIN):
            found.setdefault(MAIN, []).append(one.name)
            found[one.link.name] = [one.name]
        elif one.buffer == MAIN_BUFFER and main_buffer != MAIN_BUFFER and one.choice == MAIN:
            found.setdefault("1 BDP", []).append(one.name)
        elif one.choice == MAIN or main_buffer == MAIN_BUFFER:
            found.setdefault(one.label, []).append(one.name)
    return found


def _level(grid: Grid, names: Sequence[str], variant: str, measure: str) -> Estimate:
    return stats.mean(grid.over(names, variant, measure)).within(0.0, 100.0)


def _of_pair(videos: Grid, cells: Sequence[Cell], pair: Pair) -> dict[str, Estimate]:
    named = _named(cells, pair.buffer)
    found = {label: _compared(videos, names, pair) for label, names in named.items()}
    known = {one.name for one in videos.variants}
    for label, places in SWAPS.items():
        sender, against = (places.get(one.name, one) for one in (pair.sender, pair.against))
        if (sender, against) != (pair.sender, pair.against) and {sender.name, against.name} <= known:
            found[label] = _compared(videos, named[MAIN], Pair(pair.measure, sender, against))
    for label, measure in DEFINITIONS.get(pair.measure, {}).items():
        found[label] = _compared(videos, named[MAIN], Pair(measure, pair.sender, pair.against))
    return found


def _compared(videos: Grid, names: Sequence[str], pair: Pair) -> Estimate:
    sender, against, measure = pair.sender.name, pair.against.name, pair.measure
    if measure == "s_per_mbit":
        return videos.geometric_change(names, sender, against, measure)
    if measure == "call_mbps":
        change = geometric(videos.log_ratios(names, sender, against, measure))
        return _shifted(change, 100.0)
    return stats.paired_difference(*(videos.over(names, one, measure) for one in (sender, against)))


def _shifted(change: Estimate, by: float) -> Estimate:
    """A change in per cent as the part that is left, in per cent."""
    return stats.Estimate(change.value + by, change.low + by, change.high + by, change.n)


def _of_others(
    videos: Grid, cells: Sequence[Cell], others: Grid, besides: Sequence[Beside], claim: str
) -> dict[str, Estimate]:
    """Claims on a call alone and beside a file."""
    found: dict[str, Estimate] = {}
    choices = dict.fromkeys(one.choice for one in besides)
    for label, choice, links in [
        *((choice, choice, LINKS) for choice in choices),
        *((link.name, MAIN, (link,)) for link in LINKS),
    ]:

        def of(traffic: str, measure: str, choice: str = choice, links: Sequence[Link] = links) -> NDArray[np.float64]:
            names = [Beside(traffic, link, choice).name for link in links]
            return others.over(names, others.variants[0].name, measure)

        def of_video(measure: str, choice: str = choice, links: Sequence[Link] = links) -> NDArray[np.float64]:
            return videos.over([Cell(link, choice=choice).name for link in links], NEWRENO.name, measure)

        found[label] = OTHERS[claim](of, of_video)
    if claim == "modified-latency":
        names = [one.name for one in cells if (one.buffer, one.choice) == (MAIN_BUFFER, MAIN)]
        pair = (videos.over(names, one.name, "delay_mean_ms") for one in (CUBIC, NEWRENO))
        found[VIDEO_CELL] = stats.paired_difference(*pair)
    return found


OTHERS: Mapping[str, Callable[..., Estimate]] = {
    "volatile-jitter": lambda of, video: stats.paired_difference(video("jitter_ms"), of(ALONE, "jitter_ms")),
    "standing-queue": lambda of, _: stats.paired_difference(of(RENO_FILE, "delay_p50_ms"), of(ALONE, "delay_p50_ms")),
    "modified-latency": lambda of, _: stats.paired_difference(
        of(CUBIC_FILE, "delay_mean_ms"), of(RENO_FILE, "delay_mean_ms")
    ),
}

MEASURES = (
    "call_mbps",
    "delay_p50_ms",
    "jitter_ms",
    "loss_percent",
    "frame_p95_ms",
    "freezes",
    "starved_percent",
    "drops_percent",
)
COLUMNS = (
    "call Mbit/s",
    "delay ms, median",
    "jitter ms",
    "loss %",
    "frame ms, 95 %",
    "freezes",
    "starved %",
    "all losses %",
)
OF_VIDEO = ("level_mbps", "s_per_mbit", "stall_s")


def videos_sheet(videos: Grid) -> Sheet:
    """Every measure of every cell beside every sender of the video."""
    rows: list[list[object]] = [
        [*one.name.split("; "), sender.label]
        + [videos.mean(one.name, sender.name, measure).value for measure in (*MEASURES, *OF_VIDEO)]
        for one in videos.readings
        for sender in videos.variants
    ]
    columns = ["reading", "link", "buffer", "video", *COLUMNS, "level Mbit/s", "s for a Mbit", "stalls s"]
    return Sheet("videos", "A call beside a video", columns, rows, "Means over the replications.")


def beside_sheet(others: Grid) -> Sheet:
    """Every measure of a call alone and beside a file."""
    rows: list[list[object]] = [
        one.name.split("; ") + [others.mean(one.name, sender.name, measure).value for measure in MEASURES]
        for one in others.readings
        for sender in others.variants
    ]
    columns = ["reading", "beside the call", "link", *COLUMNS]
    return Sheet("others", "A call alone and beside a file", columns, rows, "Means over the replications.")
