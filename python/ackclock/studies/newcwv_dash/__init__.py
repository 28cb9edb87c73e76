"""newCWV for DASH: what window validation and pacing do to the segment rate of a DASH client."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from ackclock import _core
from ackclock._run import Job, run_job
from ackclock._runner import Progress, Worker, execute
from ackclock.scenario import Text
from ackclock.studies.claims import ClaimResult, assess, load_claims
from ackclock.studies.grid import Grid, Reading, Variant, job, portion, run_grid
from ackclock.studies.newcwv_dash import figures
from ackclock.studies.study import Sheet, StudyResult

if TYPE_CHECKING:
    from ackclock.result import Result
    from ackclock.stats import Estimate

__all__ = ["SLUG", "SOURCE", "SUMMARY", "TITLE", "reproduce"]

SLUG = "newcwv-dash"
TITLE = "newCWV for DASH"
SUMMARY = "Window validation and pacing under a DASH client at 1 Mbit/s"
SOURCE = "Nazir et al., IETF 89 and NOSSDAV 2014"

REPLICATIONS = 30
QUICK_REPLICATIONS = 5

NEWRENO = Variant("newreno", "NewReno", {"flows[0].validation": "none", "flows[0].pacing": "off"})
NEWCWV = Variant("newcwv", "newCWV", {"flows[0].validation": "newcwv", "flows[0].pacing": "off"})
PACED = Variant("newcwv-pacing", "newCWV with pacing", {"flows[0].validation": "newcwv", "flows[0].pacing": "fq"})
VARIANTS = (NEWRENO, NEWCWV, PACED)

MAIN = "main"


def _file(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def readings() -> list[Reading]:
    """The main reading of the original, and one for each thing it leaves open."""
    scenario = Text(_file("scenario.toml"), name="newcwv_dash/scenario.toml")
    low_ladder = ["200kbps", "250kbps", "300kbps", "400kbps", "500kbps", "600kbps", "700kbps"]
    others: list[tuple[str, str, dict[str, object]]] = [
        ("one-way", "200 ms is one-way: round trip of 400 ms", {"bottleneck.delay": "200ms"}),
        ("ladder-700", "the later replications' ladder, 200 to 700 kbit/s", {"flows[0].app.ladder": low_ladder}),
        ("segment-4s", "segments of 4 s", {"flows[0].app.segment": "4s"}),
        ("segment-10s", "segments of 10 s", {"flows[0].app.segment": "10s"}),
        ("queue-half", "a queue of half a BDP", {"bottleneck.queue": "0.5bdp"}),
        ("queue-double", "a queue of two BDP", {"bottleneck.queue": "2bdp"}),
    ]
    main = Reading(MAIN, "round trip of 200 ms, ITEC ladder, segments of 2 s, queue of one BDP", scenario)
    return [main, *(Reading(name, summary, scenario, overrides) for name, summary, overrides in others)]


def measure(result: Result) -> dict[str, float]:
    """What a run contributes: the client's rates and what the bottleneck dropped."""
    client = next(result.dash.rows())
    bottleneck = next(row for row in result.links.rows() if row["link"] == "bottleneck")
    return {
        "segment_rate_kbps": client["mean_level_bps"] / 1e3,
        "download_rate_kbps": client["mean_download_bps"] / 1e3,
        "switches": client["switches"],
        "stalled_s": client["stall_s"],
        "drops": bottleneck["drops"],
    }


def assess_claims(grid: Grid) -> list[ClaimResult]:
    """Every published claim against the grid, under every reading."""
    claims = load_claims(_file("claims.toml"))

    def under_each(of: str, against: str | None, how: str) -> dict[str, Estimate]:
        measured = {}
        for reading in grid.readings:
            if how == "drops" and against is not None:
                measured[reading.name] = grid.difference(reading.name, of, against, "drops")
            elif against is not None:
                measured[reading.name] = grid.change(reading.name, of, against, "segment_rate_kbps")
            else:
                measured[reading.name] = grid.mean(reading.name, of, "segment_rate_kbps")
        return measured

    measured = {
        "newreno-segment-rate": under_each(NEWRENO.name, None, "rate"),
        "newcwv-segment-rate": under_each(NEWCWV.name, None, "rate"),
        "newcwv-pacing-segment-rate": under_each(PACED.name, None, "rate"),
        "newcwv-lowers": under_each(NEWCWV.name, NEWRENO.name, "rate"),
        "pacing-raises": under_each(PACED.name, NEWRENO.name, "rate"),
        "pacing-removes-losses": under_each(PACED.name, NEWCWV.name, "drops"),
    }
    return [assess(claim, measured.get(identifier, {}), MAIN) for identifier, claim in claims.items()]


def reproduce(
    *,
    quick: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    worker: Worker[Job, Result] = run_job,
) -> StudyResult:
    """Runs the study. With `quick`, fewer replications of a quarter of the length."""
    seeds = list(range(1, 1 + (QUICK_REPLICATIONS if quick else REPLICATIONS)))
    length = {"duration": "160s"} if quick else {}
    chosen = [Reading(one.name, one.summary, one.scenario, {**one.overrides, **length}) for one in readings()]
    grid = run_grid(
        chosen, VARIANTS, seeds, measure, threads=threads, progress=portion(progress, 0.0, 0.95), worker=worker
    )
    traced = [job(chosen[0], variant, seeds[0], figures.PROBES) for variant in VARIANTS]
    traces = execute(traced, worker, threads=threads, progress=portion(progress, 0.95, 1.0))
    columns, rows = grid.rows()
    command = f"ackclock reproduce {SLUG}" + (" --quick" if quick else "")
    return StudyResult(
        slug=SLUG,
        title=TITLE,
        claims=assess_claims(grid),
        seeds=seeds,
        command=command,
        quick=quick,
        page=_file("README.md"),
        sheets=[_readings_sheet(grid), Sheet("runs", "Every run", columns, rows, shown=False)],
        figures=figures.figures(grid, VARIANTS, traces, command),
        scenarios={one.name: _hash(job(one, NEWRENO, None)) for one in chosen},
    )


def _hash(one: Job) -> str:
    return _core.scenario_hash(one.scenario.text, one.scenario.format, list(one.overrides))


def _readings_sheet(grid: Grid) -> Sheet:
    rows: list[list[object]] = [
        [reading.summary, variant.label]
        + [float(grid.values(reading.name, variant.name, name).mean()) for name in grid.cells[MAIN, NEWRENO.name]]
        for reading in grid.readings
        for variant in grid.variants
    ]
    columns = ["reading", "variant", "segment kbit/s", "download kbit/s", "switches", "stalled s", "packets lost"]
    return Sheet("readings", "What the original leaves open", columns, rows, caption="Means over the replications.")
