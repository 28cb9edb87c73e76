"""The cells: links and buffers of a home, and readings of what no source says; the variants are the video's senders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.studies.framework import Reading, Variant
from ackclock.studies.framework.setups.newcwv import NEWCWV, NEWRENO, PACED, SPREAD, TEXTBOOK
from ackclock.studies.framework.setups.newcwv_2014 import MODULE, MODULE_SPREAD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ackclock.results.result import Result
    from ackclock.studies.framework import Study

__all__ = [
    "ALONE",
    "CUBIC",
    "CUBIC_FILE",
    "CUBIC_PACED",
    "IW3",
    "LIMITED",
    "LINKS",
    "MAIN",
    "MAIN_BUFFER",
    "RENO_FILE",
    "SENDERS",
    "Beside",
    "Cell",
    "Link",
    "beside",
    "beside_readings",
    "iw3_everywhere",
    "measure",
    "readings",
    "reno_for_cubic",
    "senders",
    "video_off",
    "wanted",
]


@dataclass(frozen=True, slots=True)
class Link:
    """A downlink."""

    rate: float
    """Mbit/s."""
    rtt: int
    """ms."""

    @property
    def name(self) -> str:
        """Its name in readings."""
        return f"{self.rate:g} Mbit/s, {self.rtt} ms"

    @property
    def settings(self) -> dict[str, object]:
        """Its fields."""
        return {"bottleneck.rate": f"{self.rate:g}Mbps", "bottleneck.delay": f"{self.rtt / 2:g}ms"}


LINKS = (Link(1, 200), Link(3, 50), Link(10, 40))
"""The link of the slides on newCWV, and two of a home."""

MAIN_BUFFER, LIMITED = "1bdp", "0.5bdp"
BUFFERS: Mapping[str, str] = {LIMITED: "half a BDP", "4bdp": "4 BDP", "fq-codel": "FQ-CoDel"}
"""Queues besides the main one, and their names in readings."""

FROM_S = 60.0
WINDOW_S = 10
FRAME_WAIT_MS = 1e3
"""Time after which the receiver gives a frame up: the delay where none is played."""
FLOOR = 0.05
"""Part of the fair share below which a call starves."""

CUBIC = Variant(
    "cubic", "CUBIC", {"flows[0].cc": "cubic", "flows[0].validation": "rfc2861-linux", "flows[0].pacing": "off"}
)
CUBIC_PACED = Variant("cubic-pacing", "CUBIC with pacing", {**CUBIC.overrides, "flows[0].pacing": "fq"})
IW3 = replace(NEWRENO, name="iw3", label="NewReno, IW3", overrides={**NEWRENO.overrides, "flows[0].initial_window": 3})

SENDERS = (NEWRENO, TEXTBOOK, NEWCWV, SPREAD, PACED, CUBIC, CUBIC_PACED, IW3, MODULE, MODULE_SPREAD)
"""Senders of the video. `SPREAD` paces cwnd over the RTT, as RFC 7661 and the slides have it, and `PACED` as Linux 3.12
did."""


def senders(*, quick: bool) -> tuple[Variant, ...]:
    """The senders of a run."""
    return (NEWRENO, NEWCWV, SPREAD, CUBIC, IW3) if quick else SENDERS


MAIN = "main reading"
EVEN: Mapping[str, object] = {"size_scale": 0, "interval_scale": 0}
CHOICES: Mapping[str, tuple[Mapping[str, object], Mapping[str, object]]] = {
    "GCC of the papers": ({"control": "gcc-draft"}, {}),
    "even frames": (EVEN, {}),
    "segments of 2 s": ({}, {"segment": "2s"}),
}
"""Fields of the call, and of the video, that are readings."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A link with a queue."""

    link: Link
    buffer: str = MAIN_BUFFER
    choice: str = MAIN

    @property
    def name(self) -> str:
        """The name of the reading."""
        return f"{self.choice}; {self.link.name}; {self.buffer}"

    @property
    def label(self) -> str:
        """The name under which a claim has it, with all links together."""
        return self.choice if self.buffer == MAIN_BUFFER else BUFFERS[self.buffer]


def wanted(*, quick: bool) -> list[Cell]:
    """The cells of a run."""
    found = [Cell(link, buffer) for buffer in (MAIN_BUFFER, LIMITED) for link in LINKS]
    if quick:
        return found
    found += [Cell(link, buffer) for buffer in BUFFERS if buffer != LIMITED for link in LINKS]
    return found + [Cell(link, choice=choice) for choice in CHOICES for link in LINKS]


def readings(study: Study, cells: Sequence[Cell]) -> list[Reading]:
    """A reading for each cell."""
    found = []
    for cell in cells:
        call, video = CHOICES.get(cell.choice, ({}, {}))
        own = {f"flows[1].app.{key}": value for key, value in call.items()}
        own |= {f"flows[0].app.{key}": value for key, value in video.items()}
        queue = {"bottleneck.queue": cell.buffer}
        found.append(Reading(cell.name, study.scenario("video.toml"), {**cell.link.settings, **queue, **own}))
    return found


@dataclass(frozen=True, slots=True)
class Beside:
    """A call without a video beside it."""

    traffic: str
    """``alone``, ``file with NewReno`` or ``file with CUBIC``."""
    link: Link
    choice: str = MAIN

    @property
    def name(self) -> str:
        """The name of the reading."""
        return f"{self.choice}; {self.traffic}; {self.link.name}"


ALONE, RENO_FILE, CUBIC_FILE = "alone", "file with NewReno", "file with CUBIC"
CALLS = tuple(choice for choice, (call, _) in CHOICES.items() if call)


def beside(*, quick: bool) -> list[Beside]:
    """The cells of a call alone and beside a file, with readings of the call."""
    choices = (MAIN,) if quick else (MAIN, *CALLS)
    return [
        Beside(traffic, link, choice)
        for choice in choices
        for traffic in (ALONE, RENO_FILE, CUBIC_FILE)
        for link in LINKS
    ]


def beside_readings(study: Study, cells: Sequence[Beside]) -> list[Reading]:
    """A reading for each of them."""
    found = []
    for cell in cells:
        call, _ = CHOICES.get(cell.choice, ({}, {}))
        is_alone = cell.traffic == ALONE
        own = {f"flows[{0 if is_alone else 1}].app.{key}": value for key, value in call.items()}
        if not is_alone:
            own["flows[0].cc"] = "cubic" if cell.traffic == CUBIC_FILE else "reno"
        text = study.scenario("alone.toml" if is_alone else "file.toml")
        found.append(Reading(cell.name, text, {**cell.link.settings, **own}))
    return found


def _has_sender(overrides: Mapping[str, object]) -> bool:
    return "flows[0].cc" in overrides or "flows[0].validation" in overrides


def video_off(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes the video, or the file, but for a kilobit in a second."""
    quiet = {"kind": "dash", "ladder": ["1kbps"], "segment": "4s", "abr": "throughput", "buffer": "30s"}
    if not _has_sender(overrides):
        return {}
    return {"flows[0].app": quiet} | {path: quiet[path[13:]] for path in overrides if path.startswith("flows[0].app.")}


def iw3_everywhere(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes the larger initial window."""
    return {"flows[0].initial_window": 3} if _has_sender(overrides) else {}


def reno_for_cubic(overrides: Mapping[str, object]) -> Mapping[str, object]:
    """Removes CUBIC."""
    return {"flows[0].cc": "reno"} if "flows[0].cc" in overrides else {}


def measure(result: Result) -> dict[str, float]:
    """Delays and rates of the call, and segments of the video, from 60 s on; losses and frames of the whole run."""
    link = next(result.links.rows())
    call = next(result.call.rows())
    delays = next(row for row in result.delays.rows() if row["flow"] == "call")
    samples = result.call_rates
    received = np.asarray(samples["received_bps"], dtype=np.float64)[samples["at_s"] > FROM_S]
    return {
        "call_mbps": 1e-6 * float(received.mean()),
        "starved_percent": 100 * _starved(received, link["rate_bps"]),
        "jitter_ms": delays["p99_ms"] - delays["p50_ms"],
        "jitter_p95_ms": delays["p95_ms"] - delays["p50_ms"],
        "delay_mean_ms": delays["mean_ms"],
        "delay_p50_ms": delays["p50_ms"],
        "delay_p99_ms": delays["p99_ms"],
        "loss_percent": 1e2 * (call["loss"] or 0.0),
        "drops_percent": 1e2 * link["drop_rate"],
        "frame_p95_ms": FRAME_WAIT_MS if call["played"] == 0 else call["frame_delay_p95_ms"],
        "freezes": float(call["freezes"]),
        "played_percent": 1e2 * call["played"] / call["frames"],
        **_video(result),
    }


def _starved(received: NDArray[np.float64], link_bps: float) -> float:
    """The part of the windows in which less arrives than a part of the fair share."""
    windows = received[: len(received) // WINDOW_S * WINDOW_S].reshape(-1, WINDOW_S).mean(axis=1)
    return float((windows < FLOOR * link_bps / 2).mean())


def _video(result: Result) -> dict[str, float]:
    """The mean level, the time for a volume and the stalls of the video; zeros without one."""
    if "dash_segments" not in result.tables:
        return {"level_mbps": 0.0, "s_per_mbit": 0.0, "stall_s": 0.0}
    segments = result.dash_segments
    done = (segments["request_s"] > FROM_S) & ~np.isnan(np.asarray(segments["done_s"], dtype=np.float64))
    level, size, time, stall = (
        np.asarray(segments[name], dtype=np.float64)[done] for name in ("level_bps", "bytes", "download_s", "stall_s")
    )
    return {
        "level_mbps": 1e-6 * float(level.mean()),
        "s_per_mbit": float(time.sum() / (8e-6 * size.sum())),
        "stall_s": float(np.nansum(stall)),
    }
