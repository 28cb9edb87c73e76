"""The runs of a gate: what is asked for, the first look, and the further seeds where it decides nothing."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.base.progress import reporter
from ackclock.cc import registry
from ackclock.engine.run import SIM, run, seeds_from
from ackclock.judge.gate.baseline import FIRST, LEVEL, MOST_SEEDS, SEEDS, Baseline, Entry, Made, Values, kind_of
from ackclock.judge.gate.expected import DEFAULTS, Expected
from ackclock.judge.gate.judge import Paired, Verdicts, accepted, fewest_seeds, judged
from ackclock.judge.gate.refused import GateError
from ackclock.results.measure import Measure, MeasureError
from ackclock.scenario import check, load, override_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from ackclock.results.result import Meta, Result
    from ackclock.scenario import Overrides, Text

__all__ = ["Asked", "asked", "pass_through", "take"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A scenario of a gate, checked."""

    name: str
    """Name of the file without its ending."""
    text: Text
    """The scenario as written."""
    overrides: tuple[tuple[str, str], ...]
    """Values by key path that replace those of the scenario."""
    hash: str
    """16 hexadecimal digits, as those of `Entry`."""
    seed: int
    """The scenario's own seed, the first of a new baseline."""
    flows: int
    """Number of flows with their copies."""


def asked(paths: Iterable[Path], overrides: Overrides | None = None) -> list[Asked]:
    """The scenarios of files, each under the name of its file without the ending.

    Parameters
    ----------
    paths
        TOML files.
    overrides
        Values by key path that replace those of every scenario.

    Raises
    ------
    GateError
        If two files have the same name, a name cannot be printed, or there is no file.
    ScenarioError
        With everything that is wrong with a scenario.
    """
    found: dict[str, Asked] = {}
    pairs = tuple(override_pairs(overrides))
    for path in paths:
        name = path.stem
        if name in found:
            raise GateError(f"{path}: another scenario is called {name}, too; the names of the files have to differ")
        if not name.isprintable():
            raise GateError(f"{str(path)!r}: the name of the file cannot be printed; give it another name")
        text = load(path)
        canonical = check(text, pairs)
        flows = sum(int(one.get("count", 1)) for one in canonical.get("flows", ()))
        found[name] = Asked(name, text, pairs, _hash(canonical), int(canonical["seed"]), flows)
    if not found:
        raise GateError("no scenario is given; expected the paths of TOML files")
    return list(found.values())


def _hash(canonical: dict[str, Any]) -> str:
    """The name of a scenario without its name and seed, and without the sources of congestion controls and transports.

    Another source under the same name is another build of a stack, which a gate compares.
    """
    kept = {key: value for key, value in canonical.items() if key not in ("name", "seed")}
    ours = {row["name"] for row in registry.rows()}
    flows = [_without_source(flow, ours) for flow in kept.get("flows", ())]
    text = json.dumps(kept | {"flows": flows}, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


BUILD = ("source", "sha256", "library", "fault")
"""The keys of a transport's table that say which build it is. The fault that is planted in quinn stands for a build."""


def _without_source(flow: dict[str, Any], ours: set[str]) -> dict[str, Any]:
    app, transport = flow.get("app"), flow.get("transport")
    if isinstance(app, dict) and "abr" in app:
        flow = flow | {"app": app | {"abr": _plain(app["abr"], ours)}}
    if isinstance(transport, dict):
        return flow | {"transport": {key: value for key, value in transport.items() if key not in BUILD}}
    return flow | {"cc": _plain(flow["cc"], ours)} if "cc" in flow else flow


def _plain(algorithm: object, ours: set[str]) -> object:
    """An algorithm of a scenario without its source, if it is one of the user."""
    if isinstance(algorithm, dict) and algorithm.get("kind") in ours:
        return {key: value for key, value in algorithm.items() if key != "source"}
    return algorithm


def _made(meta: Meta) -> Made:
    kernel = meta.get("kernel", {})
    return Made(
        version=meta["version"],
        engine=meta.get("engine", _core.engine()[:8]),
        backend=meta.get("backend", SIM),
        kernel=str(kernel.get("digest") or kernel.get("version", "")),
        algorithms={**meta.get("algorithms", {}), **meta.get("transports", {})},
    )


def _values(expected: Expected, runs: Sequence[Result]) -> tuple[float, ...]:
    measure = Measure.parse(expected.measure)
    return tuple(measure.of(one) for one in runs)


def take(
    scenarios: Sequence[Asked],
    *,
    reason: str,
    old: Baseline | None = None,
    measures: Sequence[Expected] | None = None,
    of_scenarios: Mapping[str, Sequence[Expected]] | None = None,
    seeds: int | None = None,
    first: int | None = None,
    level: float | None = None,
    backend: str = SIM,
    threads: int | None = None,
    today: datetime.date | None = None,
    progress: Callable[[str], bool | Callable[[float], object]] = lambda _: False,
) -> Baseline:
    """Runs scenarios and makes a baseline, or renews these scenarios in an old one and keeps the others.

    Parameters
    ----------
    scenarios
        From `asked`.
    reason
        The reason of the update, which the file keeps.
    old
        The baseline to renew. It supplies whatever is not given.
    measures, of_scenarios
        Measures of all scenarios, and of single ones by name; without them those of `old`, or the usual ones.
    seeds
        Number of seeds of each scenario; 20 in a new baseline.
    first
        Number of seeds of the first look; 6 in a new baseline.
    level
        Probability that a gate raises no false alarm; 0.999 in a new baseline.
    backend
        As for `ackclock.run`.
    threads, progress
        As for `ackclock.run`; `progress` is asked for each scenario's name, and for that of a kernel to build.
    today
        Date of the update; by default the present date in UTC.

    Raises
    ------
    GateError
        If a number is not accepted, the seeds are too few for the level, or a run has no value of a measure.
    ScenarioError, AlgorithmError, KernelError
        As of `ackclock.run`.
    """
    if not reason.strip() or not reason.isprintable():
        raise GateError("an update needs a reason in one line of text, such as --reason 'CUBIC follows RFC 9438 now'")
    if seeds is not None and not FIRST <= seeds <= MOST_SEEDS:
        raise GateError(f"the number of seeds is from {FIRST} to {MOST_SEEDS}, not {seeds}")
    if first is not None and not FIRST <= first <= MOST_SEEDS:
        raise GateError(f"the number of seeds of the first look is from {FIRST} to {MOST_SEEDS}, not {first}")
    level = (LEVEL if old is None else old.level) if level is None else level
    if not 0.95 <= level < 1:
        raise GateError(f"the level is from 0.95 to below 1, not {level:g}")
    first = (FIRST if old is None else old.first) if first is None else first
    entries = dict(old.scenarios) if old is not None else {}
    names = {one.name for one in scenarios}
    for name in of_scenarios or {}:
        if name not in names:
            near = _core.suggestion(name, sorted(names))
            raise GateError(f"measures for {name}: no scenario is called so; given: {', '.join(sorted(names))}{near}")
    date = (today or datetime.datetime.now(datetime.UTC).date()).isoformat()
    plan: list[tuple[Asked, Sequence[Expected] | None, list[int], list[Result]]] = []
    for one in scenarios:
        before = entries.get(one.name)
        count = seeds or (len(before.seeds) if before is not None else SEEDS)
        chosen = (of_scenarios or {}).get(one.name, measures)
        if chosen is None and before is not None:
            chosen = [each.expected for each in before.measures]
        _once(one, chosen or ())
        plan.append((one, chosen, seeds_from(one.seed, count), []))
    backend = _kernel_of(backend, progress)
    # One run of each scenario shows which measures it has, before the many runs.
    for part in (slice(1), slice(1, None)):
        for one, chosen, wanted, done in plan:
            done += _run(one, wanted[part], backend, threads, progress)
            found = _chosen(one, chosen, done)
            entries[one.name] = Entry(one.hash, _made(done[0].meta), date, reason.strip(), tuple(wanted), found)
        baseline = Baseline(entries, level, first)
        _enough(baseline, [*entries], {name: len(one.seeds) for name, one in entries.items()}, "--seeds")
    return baseline


def _once(one: Asked, chosen: Sequence[Expected]) -> None:
    """Refuses a measure that is given twice."""
    names = [expected.measure for expected in chosen]
    for name in names:
        if names.count(name) > 1:
            raise GateError(f"{one.name}: measure {name} is given twice; accepted: once, with one tolerance")


def _kernel_of(backend: str, progress: Callable[[str], bool | Callable[[float], object]]) -> str:
    """The name of a backend that means the same kernel for all runs: a tree is built once, and may change later."""
    if backend == SIM:
        return backend
    from ackclock.kernel import backends

    name = f"the kernel of {backend}"
    with reporter(progress(name), name) as report:
        return backends.backend(backend, report).exact


def _run(
    one: Asked,
    seeds: Iterable[int],
    backend: str,
    threads: int | None,
    progress: Callable[[str], bool | Callable[[float], object]],
) -> list[Result]:
    # The limit of memory is one of the simulator.
    shown = progress(one.name)
    large = backend != SIM
    done = run(
        one.text, seeds=seeds, overrides=one.overrides, threads=threads, backend=backend, progress=shown, large=large
    )
    return done.runs


def _chosen(one: Asked, chosen: Sequence[Expected] | None, runs: Sequence[Result]) -> tuple[Values, ...]:
    """The measures of a scenario with their values: those that are asked for, or the usual ones that it has."""
    found = []
    for expected in [Expected.parse(text) for text in DEFAULTS] if chosen is None else chosen:
        if chosen is None and expected.measure.startswith("jain(") and one.flows < 2:
            continue
        try:
            values = _values(expected, runs)
        except MeasureError as error:
            if chosen is None:
                continue
            raise GateError(f"{one.name}: {error}") from None
        bare = [run.seed for run, value in zip(runs, values, strict=True) if not math.isfinite(value)]
        if bare and chosen is not None:
            shown = ", ".join(str(seed) for seed in bare[:5]) + (", ..." if len(bare) > 5 else "")
            raise GateError(
                f"{one.name}: {expected.measure} has no value under the seeds {shown}; a baseline needs one for each "
                "seed: take another measure, or a longer run"
            )
        if not bare:
            found.append(Values(expected, values))
    if not found:
        raise GateError(f"{one.name}: none of the usual measures has a value; name measures with --measure")
    return tuple(found)


def _enough(baseline: Baseline, names: Sequence[str], seeds: Mapping[str, int], option: str) -> None:
    """Refuses a gate that could never show a regression."""
    total = sum(len(baseline.scenarios[name].measures) for name in names)
    needed = fewest_seeds(total, baseline.level)
    short = {name: seeds[name] for name in names if seeds[name] < needed}
    if short:
        told = ", ".join(f"{name} has {count}" for name, count in short.items())
        accepted = f"--seeds {needed}" if option == "--seeds" else f"--runs {needed * len(names)}"
        raise GateError(
            f"too few seeds to show a regression: {total} measures at a level of {baseline.level:g} need {needed} "
            f"seeds for each scenario, and {told}; accepted: {accepted} or more, fewer measures, or a lower level"
        )


def pass_through(
    scenarios: Sequence[Asked],
    baseline: Baseline,
    *,
    runs: int | None = None,
    backend: str = SIM,
    threads: int | None = None,
    progress: Callable[[str], bool | Callable[[float], object]] = lambda _: False,
) -> Verdicts:
    """Runs scenarios under the seeds of a baseline, and judges them.

    Each scenario is run under the seeds of the first look. If the interval of one of its measures is not within the
    tolerance, it is run under its further seeds.

    Parameters
    ----------
    scenarios
        From `asked`.
    baseline
        The baseline.
    runs
        Most runs, which are divided equally among the scenarios; by default all seeds of the baseline.
    backend, threads
        As for `ackclock.run`.
    progress
        Asked for each scenario's name, and for that of a kernel to build, for the `progress` of `ackclock.run`.

    Raises
    ------
    GateError
        If the baseline does not have a scenario, has another one of its name, comes from another kind of backend, or
        if `runs` is too small to show a regression.
    ScenarioError, AlgorithmError, KernelError
        As of `ackclock.run`.
    """
    _comparable(scenarios, baseline, kind_of(backend))
    names = [one.name for one in scenarios]
    entries = {name: baseline.scenarios[name] for name in names}
    share = MOST_SEEDS if runs is None else runs // len(names)
    most = {name: min(len(entry.seeds), share) for name, entry in entries.items()}
    _enough(baseline, names, most, "--seeds" if runs is None else "--runs")
    backend = _kernel_of(backend, progress)
    pairs: list[Paired] = []
    made: dict[str, tuple[Made, Made]] = {}
    notes: list[str] = []
    taken = 0
    for one in scenarios:
        entry = entries[one.name]
        looks = sorted({min(baseline.first, most[one.name]), most[one.name]})
        done: list[Result] = []
        for look in looks:
            seeds = entry.seeds[len(done) : look]
            done += _run(one, seeds, backend, threads, progress)
            found = [Paired(one.name, values, _values(values.expected, done)) for values in entry.measures]
            if look < looks[-1] and accepted(found):
                break
        taken += len(done)
        pairs += found
        now = _made(done[0].meta)
        made[one.name] = entry.made, now
        notes += _notes(one.name, entry, now, found, done)
    left = sorted(set(baseline.scenarios) - set(names))
    if left:
        notes.append(f"in the baseline and not in this gate: {', '.join(left)}")
    verdicts = judged(pairs, entries, baseline.level)
    reasons = {name: (entry.updated, entry.reason) for name, entry in entries.items()}
    return Verdicts(verdicts, baseline.level, made, reasons, taken, tuple(notes))


def _comparable(scenarios: Sequence[Asked], baseline: Baseline, kind: str) -> None:
    """Refuses scenarios that the baseline does not have, or has from another kind of backend."""
    problems = []
    for one in scenarios:
        entry = baseline.scenarios.get(one.name)
        if entry is None:
            near = _core.suggestion(one.name, sorted(baseline.scenarios))
            there = ", ".join(sorted(baseline.scenarios)) or "none"
            problems.append(
                f"{one.name}: the baseline has no such scenario; it has {there}; add it with --update{near}"
            )
        elif entry.hash != one.hash:
            then, present = entry.made.version, _core.version()
            cause = "" if then == present else f", or its defaults have, from ackclock {then} to {present}"
            problems.append(
                f"{one.name}: the scenario has changed since the baseline ({entry.hash} then, {one.hash} now){cause}; "
                "its values cannot be compared: take them anew with --update"
            )
        elif entry.made.kind != kind:
            problems.append(
                f"{one.name}: the baseline is from {entry.made.kind}, and this gate runs on {kind}; give the same kind "
                "of --backend, or take the baseline anew: --update"
            )
    if problems:
        raise GateError("\n".join(problems))


def _notes(name: str, entry: Entry, now: Made, pairs: Sequence[Paired], done: Sequence[Result]) -> list[str]:
    notes = []
    others = [one.values.expected.measure for one in pairs if one.now != one.before]
    if now == entry.made and now.kind != "the running kernel" and others:
        cause = (
            "a file that the congestion control imports has changed, or the congestion control uses a clock or random "
            "numbers of its own"
            if now.backend == SIM
            else "no seed sets the random numbers that a kernel draws, such as the phase in which BBR begins to probe; "
            "the intervals contain this noise"
        )
        notes.append(f"{name}: the same build gave other values ({', '.join(others)}): {cause}")
    late = [str(one.seed) for one in done if not one.meta.get("valid", True)]
    if late:
        notes.append(f"{name}: packets left the emulated network too late under the seeds {', '.join(late)}")
    return notes
