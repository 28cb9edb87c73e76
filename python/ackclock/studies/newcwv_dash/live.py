"""The study on the running kernel: the simulator's client over its sockets, and nginx with VLC and with our player."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ackclock.base.workplace import temporary
from ackclock.kernel.modules import loaded_for
from ackclock.kernel.testbed import Ask, Clip, encode, play, require
from ackclock.kernel.testbed.measures import measures as measures_of
from ackclock.kernel.testbed.measures import window_left
from ackclock.kernel.testbed.sockets import Sample
from ackclock.report import Plot, Series, colour_of
from ackclock.scenario import override_pairs
from ackclock.stats import Estimate
from ackclock.studies.framework import Grid, Outcome, Reading, Sheet
from ackclock.studies.framework.live import Line, asked_of, both, kernel_name, lateness, outcome, told
from ackclock.studies.framework.setups.newcwv import LIVE_AFTER_IDLE, LIVE_NEWCWV, LIVE_NEWRENO, LIVE_PACED
from ackclock.studies.newcwv_dash import measures, rates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ackclock.kernel.testbed import Session
    from ackclock.kernel.testbed.session import Player
    from ackclock.report import Figure
    from ackclock.results.result import Result
    from ackclock.studies.framework import Lab, Study, Variant

__all__ = ["run"]

READING = "1 Mbit/s, 200 ms round trip, 1 BDP"
DURATION_S, QUICK_DURATION_S = 640, 90
SEGMENT_S = 4
LADDER_KBPS = (50, 100, 150, 200, 250, 300, 400, 500, 600, 700, 900, 1200, 1500, 2000)
"""The study's ladder up to twice the bottleneck's rate: no estimate of a player is above."""
SEED = 1
AT_ONCE = 8
"""Sessions at the same time. Each needs a tenth of a core; the emulators measure whether they were late."""
VARIANTS = (LIVE_NEWRENO, LIVE_NEWCWV, LIVE_PACED, LIVE_AFTER_IDLE)
SAMPLED = {"probes.window": True, "probes.interval": "0s"}
"""The simulator records every change of the window; over sockets there is a sample with every packet that arrives."""


@dataclass(frozen=True)
class Bed:
    """A column of the table: a player, and how it connects."""

    player: Player
    persistent: bool

    @property
    def name(self) -> str:
        """The column's name."""
        who = {"vlc": "VLC", "ackclock": "our player"}[self.player]
        return f"nginx, {who}" + ("" if self.persistent else ", a connection a segment")


BEDS = (Bed("ackclock", True), Bed("vlc", True), Bed("ackclock", False), Bed("vlc", False))


def run(study: Study, lab: Lab) -> Outcome:
    """Runs the live part: 640 s for each variant and column; with `quick` 90 s, and fewer of both."""
    duration_s = lab.pick(DURATION_S, QUICK_DURATION_S)
    variants, beds = lab.pick((VARIANTS, BEDS), (VARIANTS[:3], BEDS[:2]))
    fixed: dict[str, object] = {"duration": f"{duration_s}s", "flows[0].stack": "linux", **SAMPLED}
    reading = Reading(READING, study.scenario(), fixed)
    require(["ffmpeg", "nginx", "cvlc", "setpriv", "ss", "ip"])
    columns = both(lab.part(0, 0.3), [reading], variants, [SEED], session, at_once=len(variants))
    sessions = _sessions(lab.part(0.3, 0.8), reading, variants, beds, duration_s)
    for bed in beds:
        cells = {(READING, one.name): _measured(sessions[bed, one.name]) for one in variants}
        columns[bed.name] = Grid((reading,), variants, {READING: (SEED,)}, cells)
    command = study.live_command(lab)
    found = outcome(
        columns,
        LINES,
        [SEED],
        command,
        title="Published, simulated, and measured",
        caption=f"One run of {duration_s} s for each variant and column. {kernel_name()} is the simulator's client "
        "over the kernel's sockets; the columns of nginx are the test bed.",
        others=[_everything(columns), *_rates(study, lab.part(0.8, 1), duration_s)],
        drawn=[_windows(sessions, bed, variants, command) for bed in BEDS[:2]],
    )
    problems = [f"{bed.name}, {name}: {', '.join(one.errors)}" for (bed, name), one in sessions.items() if one.errors]
    late = max(one.meta["lateness"]["p99_ms"] or 0.0 for one in sessions.values())
    ended = sum(one.complete for one in sessions.values())
    valid = sum(one.meta["valid"] for one in sessions.values())
    said = (
        f" Of the {len(sessions)} sessions with nginx {ended} were played to the end of the clip and {valid} are "
        f"valid; the largest 99th percentile of the lateness is {late:.3g} ms. "
        + (f"Answers that were no success: {'; '.join(problems)}." if problems else "nginx answered every request.")
    )
    return replace(found, findings=found.findings + said)


def _rates(study: Study, lab: Lab, duration_s: int) -> list[Sheet]:
    """The readings of a segment rate with likely sets of segments; a quick run has no time for them."""
    if lab.quick:
        return []
    return [rates.sheet(rates.run_sets(lab, study.scenario(), duration_s), duration_s)]


def session(result: Result) -> dict[str, float]:
    """The measures of a run of the simulator's client, in the simulator or over sockets."""
    if "lateness" not in result.meta:
        left: Sequence[float] = [float(one) for one in measures.resumptions(result)]
        return _session(result, left)
    window = result.window
    samples = [
        Sample(float(time), 0, cwnd, None, 1, flight, float(srtt_ms), 0)
        for time, cwnd, flight, srtt_ms in zip(
            *(window[name] for name in ("time_s", "cwnd", "flight_size", "srtt_ms")), strict=True
        )
    ]
    return _session(result, window_left(samples, with_acks=True))


def _session(result: Result, left: Sequence[float]) -> dict[str, float]:
    # The store takes finite numbers: a share below 0 says that there was no pause.
    share = float(np.median(left)) if left else NO_PAUSE
    return measures.session(result) | {"window_left": share, "connections": 1.0} | lateness(result)


NO_PAUSE = -1.0


def _measured(found: Session) -> dict[str, np.typing.NDArray[np.float64]]:
    numbers = measures_of(found, SEGMENT_S)
    return {name: np.array([value]) for name, value in numbers.items()}


def _sessions(
    lab: Lab, reading: Reading, variants: Sequence[Variant], beds: Sequence[Bed], duration_s: int
) -> dict[tuple[Bed, str], Session]:
    """Every variant with every player, several at once."""
    asks: dict[tuple[Bed, str], Ask] = {}
    asked = asked_of([reading], variants)
    modules = {flow["cc"] for one in asked.values() for flow in one["flows"]}
    for variant in variants:
        changes = override_pairs({**reading.overrides, **variant.overrides})
        [flow] = asked[READING, variant.name]["flows"]
        for bed in beds:
            asks[bed, variant.name] = Ask(
                scenario=reading.scenario.text,
                overrides=changes,
                seed=SEED,
                cc=flow["cc"],
                player=bed.player,
                seconds=float(duration_s),
                paced=flow["paced"],
                sysctls=flow["sysctls"],
                persistent=bed.persistent,
            )
    # The programs that read the clip and that play it are not this user.
    with temporary("clip") as folder, loaded_for(sorted(modules)):
        folder.chmod(0o755)
        encode(Clip(LADDER_KBPS, SEGMENT_S, duration_s), folder)
        done: dict[tuple[Bed, str], Session] = {}
        with ThreadPoolExecutor(AT_ONCE, "ackclock-session") as pool:
            waiting = {key: pool.submit(play, ask, folder, LADDER_KBPS) for key, ask in asks.items()}
            for number, (key, future) in enumerate(waiting.items(), 1):
                done[key] = future.result()
                if lab.progress is not None:
                    lab.progress(number / len(waiting))
    return done


def _one(grid: Grid, variant: Variant, measure: str) -> float:
    value = float(grid.values(READING, variant.name, measure)[0])
    return math.nan if measure == "window_left" and value < 0 else value


def _number(value: float) -> Estimate:
    """A number without an interval."""
    return Estimate(value, math.nan, math.nan, 1)


def _line(name: str, unit: str, published: str, variant: Variant, measure: str) -> Line:
    return Line(name, unit, lambda grid: _number(_one(grid, variant, measure)), published)


def _change(name: str, published: str, variant: Variant, measure: str) -> Line:
    def of(grid: Grid) -> Estimate:
        return _number(100 * (_one(grid, variant, measure) / _one(grid, LIVE_NEWRENO, measure) - 1))

    return Line(name, "%", of, published)


def _less(name: str, published: str, variant: Variant, other: Variant) -> Line:
    def of(grid: Grid) -> Estimate:
        return _number(_one(grid, variant, "drops") - _one(grid, other, "drops"))

    return Line(name, "packets a run", of, published)


LEVEL, LEFT = "level_kbps", "window_left"
LINES = (
    _line("Segment rate, NewReno", "kbit/s", "803.40", LIVE_NEWRENO, LEVEL),
    _line("Segment rate, newCWV", "kbit/s", "785.40", LIVE_NEWCWV, LEVEL),
    _line("Segment rate, newCWV with pacing", "kbit/s", "836.26", LIVE_PACED, LEVEL),
    _change("newCWV against NewReno", "-2.24", LIVE_NEWCWV, LEVEL),
    _change("newCWV with pacing against NewReno", "4.09", LIVE_PACED, LEVEL),
    _line("NewReno's window after a pause", "of the window", "collapses", LIVE_NEWRENO, LEFT),
    _line("newCWV's window after a pause", "of the window", "1", LIVE_NEWCWV, LEFT),
    _less("Lost with newCWV, less NewReno's", "above 0", LIVE_NEWCWV, LIVE_NEWRENO),
    _less("Lost with pacing, less newCWV's", "below 0", LIVE_PACED, LIVE_NEWCWV),
)

MEASURES = {
    LEVEL: "level kbit/s",
    "download_kbps": "download kbit/s",
    "switches": "switches",
    "stalled_s": "stalled s",
    "drops": "lost packets",
    LEFT: "window left",
    "connections": "connections",
}


def _everything(columns: dict[str, Grid]) -> Sheet:
    """Every measure of every column and variant."""
    rows: list[list[object]] = [
        [name, variant.label, *(told(_number(_one(grid, variant, measure))) for measure in MEASURES)]
        for name, grid in columns.items()
        for variant in grid.variants
    ]
    caption = "“Window left” is the median over the pauses of cwnd when sending resumes over cwnd when it paused."
    return Sheet("measures", "Every measure", ["column", "variant", *MEASURES.values()], rows, caption)


def _windows(sessions: dict[tuple[Bed, str], Session], bed: Bed, variants: Sequence[Variant], command: str) -> Figure:
    series = []
    for index, variant in enumerate(variants):
        samples = _leading(sessions[bed, variant.name])
        time = np.array([one.time_s for one in samples])
        series.append(Series(variant.label, time, np.array([one.cwnd for one in samples]), colour_of(index), "step"))
    caption = "The kernel's congestion window on nginx's side, as ss tells it, of the connection that sent last."
    return Plot(f"Congestion window, {bed.name}", "time (s)", "cwnd (packets)", series, caption, command, SEED)


def _leading(found: Session) -> Sequence[Sample]:
    """The samples of the connection that had data in flight last, which is the one that the player uses."""
    last: int | None = None
    kept = []
    for one in found.samples:
        if one.flight:
            last = one.port
        if one.port == last:
            kept.append(one)
    return kept
