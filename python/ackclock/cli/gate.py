"""The command ``gate``."""

from __future__ import annotations

import tomllib
from pathlib import Path  # noqa: TC003 -- read by cyclopts from the annotations
from typing import TYPE_CHECKING, Any

from ackclock.base import files, reading
from ackclock.cli.commands import at_least_one, kernel_refuses, load_files, overrides_of
from ackclock.cli.output import DONE, FAILED, UsageError, complain, did_you_mean, print_json, print_table, say
from ackclock.engine.run import SIM

if TYPE_CHECKING:
    from ackclock.judge.gate import Asked, Baseline, Expected, Verdicts

__all__ = ["gate"]


def gate(
    *scenario: Path,
    baseline: Path,
    update: bool = False,
    reason: str | None = None,
    measure: tuple[str, ...] = (),
    config: Path | None = None,
    seeds: int | None = None,
    level: float | None = None,
    runs: int | None = None,
    strict: bool = False,
    settings: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    backend: str = SIM,
    out: Path | None = None,
    threads: int | None = None,
    json: bool = False,
) -> int:
    """Run scenarios and compare them with a baseline, seed by seed. The exit status is 1 if a measure is worse.

    A measure is worse if its change in the bad direction exceeds its tolerance, at an error level that holds for all
    measures of the gate together. The same build gives the same values on the simulator, and therefore never an alarm.

    Parameters
    ----------
    scenario
        The scenarios: TOML files. A scenario is called as its file, without the ending.
    baseline
        The baseline, a JSON file. It has measures, directions, tolerances, seeds and values, and can be edited.
    update
        Take the values of these scenarios anew, and keep the other scenarios of the baseline.
    reason
        With --update: the reason of the update, which the baseline keeps.
    measure
        With --update: MEASURE [DIRECTION [TOLERANCE]], such as 'flows[video].goodput_bps', or 'p95(rounds.duration_s)
        lower 5%', or 'links[bottleneck].queue_delay_mean_ms lower 5% or 0.5'. The direction that is better is higher,
        lower or either. Can be repeated. By default, the baseline's measures, or the usual ones that a scenario has.
    config
        With --update: a TOML file with a table [gate] of measures, seeds, level and first, the number of seeds of the
        first look, and with tables [gate.scenarios.NAME] of measures.
    seeds
        With --update: number of seeds of each scenario. By default those of the baseline, or 20.
    level
        With --update: probability that a gate raises no false alarm. By default that of the baseline, or 0.999.
    runs
        Most runs of the gate, divided equally among the scenarios. By default all seeds of the baseline.
    strict
        Exit with status 1 if a measure is better, too, so that the baseline is kept up to date.
    settings
        PATH=VALUE: replaces a value of every scenario, for example flows[0].cc=my-reno. Can be repeated.
    load
        A Python file with your own congestion controls. The file is executed. Can be repeated.
    backend
        sim, or a kernel: linux:VERSION, linux:DIGEST, linux:TREE with the path of a kernel's source, which is built
        first, or linux for the running kernel in real time.
    out
        Folder for gate.json, junit.xml and summary.md.
    threads
        Number of simultaneous runs; by default one per core. It does not change the results.
    json
        Print one JSON document.
    """
    from ackclock.judge.gate import Baseline, Expected, asked, pass_through

    at_least_one("--runs", runs)
    at_least_one("--threads", threads)
    if backend != SIM:
        kernel_refuses({"--load": load}, backend)
    taking = {"--reason": reason, "--measure": measure, "--config": config, "--seeds": seeds, "--level": level}
    given = [name for name, value in taking.items() if value not in (None, ())]
    if given and not update:
        raise UsageError(f"{', '.join(given)}: the baseline has these; accepted: with --update, or edit {baseline}")
    if update and (runs is not None or strict or out is not None):
        raise UsageError("--update takes a baseline and judges nothing; accepted: without --runs, --strict and --out")
    if update and reason is None:
        raise UsageError("--update needs --reason TEXT, which the baseline keeps")
    expected = [Expected.parse(text) for text in measure]
    overrides = overrides_of(settings)
    load_files(load)
    if not scenario:
        raise UsageError("no scenario is given; accepted: ackclock gate --baseline FILE SCENARIO.toml ...")
    if update:
        own = _configured(config) if config is not None else {}
        scenarios = asked(scenario, overrides)
        return _update(baseline, scenarios, str(reason), expected, own, seeds, level, backend, threads, json=json)
    reference = Baseline.read(baseline)
    scenarios = asked(scenario, overrides)
    if out is not None:
        files.check_folder(out)
    verdicts = pass_through(scenarios, reference, runs=runs, backend=backend, threads=threads, progress=lambda _: True)
    if out is not None:
        from ackclock.judge.gate.written import write

        with files.output_folder(out) as folder:
            write(verdicts, folder, strict=strict)
        complain(f"results in {out}")
    if json:
        print_json(verdicts.document(strict=strict))
    else:
        _print(verdicts, strict=strict)
    return FAILED if verdicts.failed(strict=strict) else DONE


def _update(
    path: Path,
    scenarios: list[Asked],
    reason: str,
    measures: list[Expected],
    settings: dict[str, Any],
    seeds: int | None,
    level: float | None,
    backend: str,
    threads: int | None,
    *,
    json: bool,
) -> int:
    from ackclock.judge.gate import Baseline, take

    old = Baseline.read(path) if path.exists() else None
    if old is None and not path.parent.is_dir():
        raise UsageError(f"--baseline {path}: there is no folder {path.parent}")
    new = take(
        scenarios,
        reason=reason,
        old=old,
        measures=measures or settings.get("measures"),
        of_scenarios=None if measures else settings.get("scenarios"),
        seeds=settings.get("seeds") if seeds is None else seeds,
        first=settings.get("first"),
        level=settings.get("level") if level is None else level,
        backend=backend,
        threads=threads,
        progress=lambda _: True,
    )
    new = new.renew(path, [one.name for one in scenarios], old)
    if json:
        print_json({"baseline": str(path), "scenarios": [one.name for one in scenarios]})
    else:
        _print_update(path, scenarios, old, new)
    return DONE


def _print_update(path: Path, scenarios: list[Asked], old: Baseline | None, new: Baseline) -> None:
    from ackclock.results.measure import Measure

    for one in scenarios:
        entry = new.scenarios[one.name]
        before = old.scenarios.get(one.name) if old is not None else None
        means = {each.expected.measure: each.mean for each in before.measures} if before is not None else {}
        rows = []
        for each in entry.measures:
            name = each.expected.measure
            unit = Measure.parse(name).unit
            was = f"{means[name]:.6g}" if name in means else "-"
            shown = name + (f" ({unit})" if unit else "")
            rows.append([shown, was, f"{each.mean:.6g}", each.expected.direction, f"{each.tolerance:.4g}"])
        columns = ["measure", "mean before", "mean", "better is", "tolerance"]
        print_table(f"{one.name}: {len(entry.seeds)} seeds", columns, rows)
    say(f"{path}: written")


def _print(verdicts: Verdicts, *, strict: bool) -> None:
    from ackclock.judge.gate.written import figure, numbers

    columns = ["measure", "baseline", "now", "change", "95 % interval", "figure", "verdict"]
    for name in verdicts.made:
        mine = [one for one in verdicts.judged if one.scenario == name]
        rows = [
            [
                one.expected.measure + (f" ({one.unit})" if one.unit else ""),
                *numbers(one),
                figure(one),
                one.verdict,
            ]
            for one in mine
        ]
        print_table(f"{name}: {len(mine[0].seeds)} seeds", columns, rows)
    for note in verdicts.notes:
        complain(note)
    worse, better, left = (
        len(found) for found in (verdicts.having("worse"), verdicts.having("better"), verdicts.having("open"))
    )
    passed = "failed" if verdicts.failed(strict=strict) else "passed"
    count = len(verdicts.judged)
    say(f"{passed}: {worse} of {count} measures worse, {better} better, {left} open; {verdicts.runs} runs")


ACCEPTED = ("measures", "seeds", "level", "first", "scenarios")


def _configured(path: Path) -> dict[str, Any]:
    """The table [gate] of a TOML file, with its measures read."""
    from ackclock.judge.gate import Expected, GateError

    try:
        document = tomllib.loads(reading.text(path, reading.MOST_WRITTEN))
    except OSError as error:
        raise UsageError(f"--config {path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise UsageError(f"--config {path}: nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"--config {path}: not TOML: {error}") from None
    table = document.get("gate")
    if not isinstance(table, dict):
        raise UsageError(f"--config {path}: there is no table [gate]")
    problems: list[str] = []

    def read(place: str, given: Any) -> list[Expected]:
        if not (isinstance(given, list) and given and all(isinstance(one, str) for one in given)):
            problems.append(f"{place}: expected a list of measures")
            return []
        found = []
        for one in given:
            try:
                found.append(Expected.parse(one))
            except GateError as error:
                problems.append(f"{place}: {error}")
        return found

    def known(place: str, given: dict[str, Any], accepted: tuple[str, ...]) -> None:
        problems.extend(
            f"{place}.{key}: unknown; accepted: {', '.join(accepted)}{did_you_mean(key, accepted)}"
            for key in given
            if key not in accepted
        )

    known("gate", table, ACCEPTED)
    found = {key: table[key] for key in ("seeds", "first", "level") if key in table}
    for key, value in found.items():
        types = (int, float) if key == "level" else (int,)
        if type(value) not in types:
            problems.append(f"gate.{key}: {value!r}; expected a number")
    if "measures" in table:
        found["measures"] = read("gate.measures", table["measures"])
    own = table.get("scenarios", {})
    found["scenarios"] = {}
    for name, one in own.items() if isinstance(own, dict) else ():
        place = f"gate.scenarios.{name}"
        if not isinstance(one, dict):
            problems.append(f"{place}: expected a table")
            continue
        known(place, one, ("measures",))
        found["scenarios"][name] = read(f"{place}.measures", one.get("measures"))
    if not isinstance(own, dict):
        problems.append("gate.scenarios: expected a table of tables")
    if problems:
        raise GateError.of(f"--config {path}", problems)
    return found
