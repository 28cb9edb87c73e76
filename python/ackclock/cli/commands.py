"""The commands. Each reads all of its input before it starts, and writes its output completely or not at all."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 -- Cyclopts reads the annotations
from typing import Any, Literal

from ackclock._errors import ScenarioError
from ackclock.cc import registry
from ackclock.cli.output import (
    WRONG_INPUT,
    UsageError,
    complain,
    did_you_mean,
    print_json,
    print_run,
    print_summary,
    print_table,
    say,
)
from ackclock.engine.run import MOST_REPLICATIONS, SIM
from ackclock.engine.run import run as run_scenario
from ackclock.results.result import Replications, Result, lateness_of
from ackclock.scenario import catalogue, event_schema
from ackclock.scenario import check as check_scenario
from ackclock.scenario import schema as scenario_schema

__all__ = ["bench", "check", "list_", "reproduce", "run", "schema"]


def overrides_of(settings: tuple[str, ...]) -> list[tuple[str, str]]:
    """The paths and values of ``--set``."""
    pairs = []
    for setting in settings:
        path, equals, value = setting.partition("=")
        if not equals or not path.strip():
            raise UsageError(f"--set {setting}: expected PATH=VALUE, for example --set bottleneck.rate=2Mbps")
        pairs.append((path.strip(), value.strip()))
    return pairs


def load_files(paths: tuple[Path, ...]) -> None:
    """Loads the files and folders of ``--load``."""
    for path in paths:
        registry.load(path)


def at_least_one(option: str, value: int | None) -> None:
    """Refuses a number below one."""
    if value is not None and value < 1:
        raise UsageError(f"{option} {value}: expected a whole number of at least 1")


def kernel_refuses(options: dict[str, object], backend: str) -> None:
    """Refuses options that only the simulator has."""
    given = [name for name, value in options.items() if value]
    if given:
        raise UsageError(f"{', '.join(given)}: only the simulator has that; accepted: leave it out, or --backend sim")
    if sys.platform != "linux":
        raise UsageError(f"--backend {backend}: kernels need Linux, and this is {sys.platform}")


def _at_most(option: str, value: int | None, most: int) -> None:
    if value is not None and value > most:
        raise UsageError(f"{option} {value}: expected at most {most}")


def run(
    scenario: Path,
    /,
    *,
    seed: int | None = None,
    seeds: int | None = None,
    settings: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    out: Path | None = None,
    pcap: tuple[str, ...] = (),
    pcap_ipv6: bool = False,
    pcap_payload: bool = False,
    events: bool = False,
    qlog: bool = False,
    flow: tuple[str, ...] = (),
    from_: str | None = None,
    to: str | None = None,
    verify: bool = False,
    json: bool = False,
    large: bool = False,
    threads: int | None = None,
    backend: str = "sim",
) -> int:
    """Run a scenario in the simulator, or with a kernel's own TCP.

    Parameters
    ----------
    scenario
        The scenario: a TOML file.
    seed
        Seed of a single run, instead of the scenario's own.
    seeds
        Number of replications, with the scenario's seed and the seeds after it. The results have intervals.
    settings
        PATH=VALUE: replaces a value of the scenario, for example bottleneck.rate=2Mbps. Can be repeated.
    load
        Your own congestion controls and rate adaptations: a Python file, a library (.so, .dylib, .dll), or the folder
        of a crate in Rust, as `ackclock new cc` and `ackclock new abr` write. Their code is executed. Can be repeated.
    out
        Folder for the tables (CSV) and summary.json. A folder with any other content is refused.
    pcap
        A place where packets are captured: bottleneck, or a host of a flow, such as video.source or video.sink. The
        file is PLACE.pcapng in the folder of --out. In Wireshark, frame.comment shows drops and marks. Can be repeated.
    pcap_ipv6
        Write IPv6 headers to captures, instead of IPv4 headers.
    pcap_payload
        Write the payload to captures. It consists of zeros.
    events
        Write every event to the event log, events.jsonl in the folder. `ackclock schema --events` describes it.
    qlog
        Write a log in qlog's format for each end of each connection, FLOW.CONNECTION.SIDE.sqlog in the folder. qvis
        shows such logs.
    flow
        A flow to which captures, event log and qlog are limited. Can be repeated.
    from_
        Time at which captures, event log and qlog begin, for example 2s.
    to
        Time at which captures, event log and qlog end.
    verify
        Check every packet during the run and compare the tables afterwards. If errors are found, they are printed,
        nothing is written, and the exit status is 1.
    json
        Print one JSON document.
    large
        Run the scenario even if it may need more memory than this machine has.
    threads
        Number of simultaneous replications; by default one per core. Without --seeds, the number of threads of the run;
        by default one. It does not change the results.
    backend
        sim, or a kernel: linux:VERSION such as linux:6.12, linux:DIGEST of `ackclock kernel list`, linux:TREE with the
        path of a kernel's source, which is built first, or linux for the running kernel in real time, which needs root.
    """
    if backend != "sim":
        only = {"--pcap": pcap, "--events": events, "--qlog": qlog, "--verify": verify}
        kernel_refuses(only | {"--flow": flow, "--from": from_, "--to": to}, backend)
    if seed is not None and seeds is not None:
        raise UsageError("--seed asks for one run and --seeds for several: give one of them")
    at_least_one("--seeds", seeds)
    _at_most("--seeds", seeds, MOST_REPLICATIONS)
    at_least_one("--threads", threads)
    traced = next((name for name, value in {"--pcap": pcap, "--events": events, "--qlog": qlog}.items() if value), None)
    if traced is not None and (out is None or seeds is not None):
        raise UsageError(f"{traced} goes with --out FOLDER and with a single run, not with --seeds")
    limits = [name for name, value in {"--flow": flow, "--from": from_, "--to": to}.items() if value]
    if limits and traced is None:
        raise UsageError(f"{', '.join(limits)}: limits a trace; accepted: with --pcap, --events or --qlog")
    overrides = overrides_of(settings)
    load_files(load)
    if out is not None:
        from ackclock.base import files

        files.check_folder(out)
    result: Result | Replications
    if traced is not None and out is not None:
        from ackclock.base import files
        from ackclock.engine.trace import trace

        with files.output_folder(out) as folder:
            result = trace(
                scenario,
                folder,
                captures=pcap,
                events=events,
                qlog=qlog,
                flows=flow,
                from_=from_,
                to=to,
                ipv6=pcap_ipv6,
                payload=pcap_payload,
                seed=seed,
                overrides=overrides,
                large=large,
                progress=True,
                verify=verify,
            )
            result.write(folder)
    else:
        if seeds is None:
            result = run_scenario(
                scenario,
                seed=seed,
                overrides=overrides,
                threads=threads,
                large=large,
                progress=True,
                verify=verify,
                backend=backend,
            )
        else:
            result = run_scenario(
                scenario,
                seeds=seeds,
                overrides=overrides,
                threads=threads,
                large=large,
                progress=True,
                verify=verify,
                backend=backend,
            )
        if out is not None:
            from ackclock.base import files

            with files.output_folder(out) as folder:
                result.write(folder)
    if json:
        print_json(result.document())
    else:
        tell_backend(result)
        if isinstance(result, Replications):
            print_summary(result)
        else:
            print_run(result)
    tell_lateness(result)
    if out is not None:
        complain(f"results in {out}")
    return 0


def tell_backend(result: Result | Replications) -> None:
    """Says which kernel runs were made with."""
    meta = (result if isinstance(result, Result) else result[0]).meta
    if "kernel" in meta:
        kernel = meta["kernel"]
        say(f"the TCP of Linux {kernel['release']}, whose clock is {kernel['clock']}")


def tell_lateness(result: Result | Replications) -> None:
    """Says which runs on the running kernel are invalid."""
    for one in [result] if isinstance(result, Result) else result:
        late = lateness_of(one.meta, f"the run with seed {one.seed}")
        if late is not None:
            complain(late)


def reproduce(
    *study: str,
    quick: bool = False,
    out: Path | None = None,
    json: bool = False,
    threads: int | None = None,
    backend: str = SIM,
) -> int:
    """Reproduce published studies: run them and compare each published claim with the measured number.

    The exit status is 1 if a claim on record as reproduced is no longer reproduced.

    Parameters
    ----------
    study
        Names of studies, or all (the default). `ackclock list study` names them.
    quick
        Run fewer replications, so that a study takes less than a minute.
    out
        Folder for the report (HTML), the verdicts (JSON), the tables (CSV) and the store of the runs. An interrupted
        study continues from its store. With several studies, each has a folder inside, and there is a page of all
        verdicts.
    json
        Print one JSON document: an object for one study, a list for several studies.
    threads
        Number of simultaneous runs; by default one per core. It does not change the results.
    backend
        sim, or linux: a part of the study over the sockets of the running kernel and, for newcwv-dash, over a test bed
        of ffmpeg, nginx and VLC, beside the simulator under the same settings. It needs root, gives no verdicts, and
        not every study has one.
    """
    from ackclock import studies
    from ackclock.base import files
    from ackclock.cli.study import print_study

    at_least_one("--threads", threads)
    unknown = [name for name in dict.fromkeys(study) if name not in (*studies.names(), "all")]
    if unknown:
        accepted = ", ".join([*studies.names(), "all"])
        raise UsageError(
            f"unknown {'study' if len(unknown) == 1 else 'studies'} {', '.join(unknown)}; accepted: {accepted}"
            f"{did_you_mean(unknown[0], studies.names())}"
        )
    names = studies.names() if not study or "all" in study else list(dict.fromkeys(study))
    if backend != SIM:
        names = _live_studies(names, backend, everything=len(names) == len(studies.names()))
    single = len(names) == 1
    folders = {name: out if single or out is None else out / name for name in names}
    for folder in folders.values():
        if folder is not None:
            files.check_folder(folder, kept=studies.RUNS)
    documents: list[dict[str, Any]] = []
    regressions: list[str] = []
    for name in names:
        result = studies.reproduce(
            name, quick=quick, out=folders[name], threads=threads, progress=True, backend=backend
        )
        documents.append(result.document())
        regressions += [
            f"{name}: claim {claim} is on record as reproduced, and is no longer reproduced"
            for claim in result.regressions
        ]
        if not json:
            print_study(result, folders[name])
    if out is not None and not single:
        from ackclock.cli.report import write_front

        complain(f"all verdicts in {write_front(out)}")
    if json:
        print_json(documents[0] if single else documents)
    for regression in regressions:
        complain(regression)
    return 1 if regressions else 0


def _live_studies(names: list[str], backend: str, *, everything: bool) -> list[str]:
    """Returns the studies that have a part for the running kernel, if this machine can run that part."""
    from ackclock import studies
    from ackclock.kernel import backends

    if backend != backends.HERE:
        raise UsageError(f"--backend {backend}: accepted for studies: {SIM}, {backends.HERE}")
    kernel_refuses({}, backend)
    live = studies.live_names()
    without = [name for name in names if name not in live]
    if without and not everything:
        raise UsageError(
            f"{', '.join(without)}: has no part for the running kernel; accepted with --backend {backend}: "
            f"{', '.join(live)}"
        )
    backends.backend(backend)
    return [name for name in names if name in live]


def list_(kind: str | None = None, /, *, load: tuple[Path, ...] = (), json: bool = False) -> int:
    """List the names that a scenario can use, and the studies.

    Parameters
    ----------
    kind
        One kind, such as cc or study. By default, all kinds are listed.
    load
        Your own congestion controls and rate adaptations: a Python file, a library, or the folder of a crate. Can be
        repeated.
    json
        Print one JSON document. It maps each kind to a list of entries with name, summary and source. Stacks also have
        their fields, transports and congestion controls their parameters, and congestion controls whether they set the
        pacing rate.
    """
    from ackclock import studies

    load_files(load)
    kinds = catalogue() | {"study": studies.catalogue()}
    if kind is not None:
        if kind not in kinds:
            raise UsageError(f"unknown kind {kind}; accepted: {', '.join(kinds)}{did_you_mean(kind, kinds)}")
        kinds = {kind: kinds[kind]}
    if json:
        print_json(kinds)
        return 0
    for name, entries in kinds.items():
        columns = {"name": "name", "summary": "what it is", "source": "source"}
        told = [column for column in columns if any(entry[column] for entry in entries)]
        print_table(
            name, [columns[column] for column in told], [[entry[column] for column in told] for entry in entries]
        )
    if kind == "stack":
        _print_stacks(kinds["stack"])
    if kind is not None:
        _print_parameters(kind, kinds[kind])
    if kind == "cc":
        paces = ", ".join(entry["name"] for entry in kinds["cc"] if entry["paces"])
        say(f"the pacing of these is cc, as they set the pacing rate themselves: {paces}")
    return 0


def parameter_cells(row: dict[str, Any]) -> list[str]:
    """A parameter of the catalogue as cells of a table: name, default, accepted values and summary."""
    if row["default"] is None:
        default, accepted = "none", "a path"
    elif "names" in row:
        default, accepted = str(row["default"]), ", ".join(one["name"] for one in row["names"])
    else:
        default, least, most = (f"{row[key]:.10g}" for key in ("default", "least", "most"))
        accepted = f"{least} to {most}"
    return [row["name"], default, accepted, row["summary"]]


def _print_parameters(kind: str, entries: list[dict[str, Any]]) -> None:
    """Parameters of the entries, which scenarios set as in cc = { kind = "vegas", alpha = 3 }."""
    rows = [[entry["name"], *parameter_cells(row)] for entry in entries for row in entry.get("parameters", [])]
    if rows:
        print_table("parameters", [kind, "parameter", "default", "accepted", "what it is"], rows)


def _print_stacks(stacks: list[dict[str, Any]]) -> None:
    """The table of each stack: all fields of the first stack, and the fields in which another stack differs from it."""
    standard = stacks[0]
    for stack in stacks:
        common = [] if stack is standard else standard["fields"]
        rows = [[row["field"], row["value"], row["source"]] for row in stack["fields"] if row not in common]
        title = stack["name"] if stack is standard else f"{stack['name']}, where it differs from {standard['name']}"
        print_table(title, ["field", "value", "source"], rows)


def check(scenario: Path, /, *, settings: tuple[str, ...] = (), load: tuple[Path, ...] = (), json: bool = False) -> int:
    """Check a scenario without running it, and estimate how large a run of it will be.

    Parameters
    ----------
    scenario
        The scenario: a TOML file.
    settings
        PATH=VALUE: replaces a value of the scenario. Can be repeated.
    load
        Your own congestion controls and rate adaptations: a Python file, a library, or the folder of a crate. Can be
        repeated.
    json
        Print one JSON document: whether the scenario is valid, every problem with its path and line, the scenario in
        its canonical form with every default filled in, the algorithms of each flow, and the estimate of a run.
    """
    from ackclock.scenario._estimate import estimate
    from ackclock.scenario._resolved import resolved, told

    load_files(load)
    overrides = overrides_of(settings)
    try:
        canonical = check_scenario(scenario, overrides)
    except ScenarioError as error:
        if not json:
            raise
        print_json({"valid": False, "code": error.code, "problems": error.problems})
        return WRONG_INPUT
    size = estimate(scenario, overrides)
    if json:
        sizes = {
            "packets": size.packets,
            "opportunities": size.opportunities,
            "rows": size.rows,
            "memory_bytes": size.memory,
        }
        flows = resolved(scenario, overrides)
        print_json({"valid": True, "problems": [], "scenario": canonical, "resolved": flows, "estimate": sizes})
    else:
        say(f"{scenario}: the scenario is valid")
        say(f"a run has {size}")
        for one in resolved(scenario, overrides):
            say(told(one))
    return 0


def schema(*, load: tuple[Path, ...] = (), events: bool = False) -> int:
    """Print the JSON Schema of scenarios, for editors and validators.

    Parameters
    ----------
    load
        Your own congestion controls and rate adaptations: a Python file, a library, or the folder of a crate. Can be
        repeated.
    events
        Print the schema of a line of the event log instead.
    """
    load_files(load)
    print_json(event_schema() if events else scenario_schema())
    return 0


def bench(
    *,
    only: tuple[str, ...] = (),
    against: Literal["ns2"] | None = None,
    repeat: int = 1,
    json: bool = False,
) -> int:
    """Measure the engine: packets per CPU second on fixed workloads, each in a process of its own.

    Parameters
    ----------
    only
        A workload to measure, such as W2. Can be repeated. By default, all workloads are measured; rust-cc is left out
        where cargo is not installed.
    against
        Another simulator, which runs W2, W3 and W4 in turn with the stacks linux and rfc: ns2, if it is installed. The
        ratios of packets per CPU second are printed.
    repeat
        Number of measurements of each workload. The result is their median.
    json
        Print one JSON document.
    """
    from ackclock.cli.study import print_bench, print_beside_ns2
    from ackclock.engine import bench as benches
    from ackclock.engine.bench import ns2

    at_least_one("--repeat", repeat)
    names = benches.names() if against is None else list(ns2.WORKLOADS)
    unknown = [name for name in only if name not in names]
    if unknown:
        near = did_you_mean(unknown[0], names)
        raise UsageError(f"unknown workload {', '.join(unknown)}; accepted: {', '.join(names)}{near}")
    if against is not None:
        document = ns2.beside_ns2([name for name in names if name in (only or names)], repeat=repeat, progress=True)
        if json:
            print_json(document)
        else:
            print_beside_ns2(document)
        return 0
    wanted = only or [name for name in names if name != benches.RUST or benches.can_compile()]
    document = benches.measure([name for name in names if name in wanted], repeat=repeat, progress=True)
    if json:
        print_json(document)
    else:
        print_bench(document)
    return 0
