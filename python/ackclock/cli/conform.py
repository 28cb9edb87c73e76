"""The command ``conform``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ackclock.base import extras, files
from ackclock.cli.commands import at_least_one, kernel_refuses, load_files, overrides_of
from ackclock.cli.output import DONE, FAILED, UsageError, complain, print_json, print_table, say
from ackclock.engine.run import SIM, seeds_from

if TYPE_CHECKING:
    from ackclock.judge.conform import Case
    from ackclock.judge.conform.report import Judged

__all__ = ["conform"]

VERSIONS = (1, 3)
MOST_SEEDS = 1000


def conform(
    suite: str,
    /,
    *case: str,
    cc: str | None = None,
    stack: str | None = None,
    transport: str | None = None,
    library: str | None = None,
    backend: str = SIM,
    bbr_version: int | None = None,
    seed: int = 1,
    seeds: int = 1,
    settings: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    list_: bool = False,
    out: Path | None = None,
    json: bool = False,
) -> int:
    """Run the test cases of a congestion control's document against a stack. The exit status is 1 if a case fails.

    A case passes, fails, or is not applicable, for example because the stack does not show its states. Each check of a
    case has a value and the accepted values beside it.

    Parameters
    ----------
    suite
        The document: bbr, the test cases of draft-ietf-ccwg-bbr.
    case
        Names or numbers of cases; by default all.
    cc
        Congestion control of the flow under test; by default bbr3, bbr with a kernel, or what --transport has.
    stack
        Stack of the flow under test; by default linux, unless --transport is given.
    transport
        Transport of the flow under test, in place of TCP, such as quinn.
    library
        File of the library that holds the transport of --transport, such as mine/mine.so.
    backend
        sim, or a kernel: linux:VERSION such as linux:6.12, linux:DIGEST, linux:TREE with the path of a kernel's source,
        which is built first, or linux for the running kernel in real time. `ackclock kernel list` lists those built.
    bbr_version
        Version of the BBR under test, 1 or 3, which decides the checks that apply. By default 1 for the names bbr1 and
        bbr, and 3 for others.
    seed
        First seed.
    seeds
        Number of seeds. A case fails if it fails under one of them.
    settings
        PATH=VALUE: replaces a value of every scenario, for example flows[0].mss=1200B. The flow under test is flows[0].
        Can be repeated.
    load
        A file with your own congestion controls. The file is executed. Can be repeated.
    list_
        List the cases and run none.
    out
        Folder for conform.json and a figure of each case.
    json
        Print one JSON document.
    """
    from ackclock.judge.conform import Subject, chosen
    from ackclock.judge.conform import report as reports

    cases = chosen(suite, case)
    if list_:
        return _listed(suite, cases, json=json)
    at_least_one("--seeds", seeds)
    if seeds > MOST_SEEDS:
        raise UsageError(f"--seeds {seeds}: expected at most {MOST_SEEDS}")
    if bbr_version not in (None, *VERSIONS):
        raise UsageError(f"--bbr-version {bbr_version}: accepted: {', '.join(map(str, VERSIONS))}")
    if transport is None and library is not None:
        raise UsageError("--library needs --transport, the name of the transport in the library")
    if transport is not None and stack is not None:
        raise UsageError("--stack and --transport exclude each other: a stack is one of TCP")
    overrides = tuple(overrides_of(settings))
    if backend != SIM:
        kernel_refuses({"--load": load, "--transport": transport, "--library": library}, backend)
        from ackclock.base import progress
        from ackclock.kernel import backends

        with progress.reporter(True, f"the kernel of --backend {backend}") as report:
            where = backends.backend(backend, report)
        backend = where.exact
    load_files(load)
    if out is not None:
        extras.require("matplotlib", "the figures of --out")
        files.check_folder(out)
    if transport is None:
        cc = cc or ("bbr3" if backend == SIM else "bbr")
        stack = stack or "linux"
    path = None if library is None else str(Path(library).absolute())
    subject = Subject(cc, stack, transport, backend, overrides, bbr_version, path)
    chosen_seeds = seeds_from(seed, seeds)
    judged = reports.conform(cases, subject, chosen_seeds, _progress)
    whole = reports.document(judged, suite, subject, chosen_seeds)
    if out is not None:
        with files.output_folder(out) as folder:
            reports.write(judged, whole, folder)
        complain(f"results in {out}")
    if json:
        print_json(whole)
    else:
        _print(judged)
        say(", ".join(f"{count} {verdict}" for verdict, count in whole["summary"].items()))
    return FAILED if whole["summary"]["fail"] else DONE


def _progress(one: Judged) -> None:
    complain(f"case {one.case.number}, {one.case.name}: {one.verdict}")


def _listed(suite: str, cases: list[Case], *, json: bool) -> int:
    if json:
        entries = [
            {
                "number": one.number,
                "name": one.name,
                "title": one.title,
                "scenario": one.summary,
                "checks": [check.text for check in one.checks],
            }
            for one in cases
        ]
        print_json({"suite": suite, "cases": entries})
    else:
        rows = [[str(one.number), one.name, one.title, str(len(one.checks))] for one in cases]
        print_table(suite, ["number", "case", "title in the draft", "checks"], rows)
    return DONE


def _print(judged: list[Judged]) -> None:
    rows = []
    for one in judged:
        rows.append([str(one.case.number), one.case.name, "", "", one.verdict + (f": {one.reason}" * (not one.lines))])
        rows += [["", line.found[0].check.text, line.shown, line.found[0].check.accepted, line.verdict]
                 for line in one.lines]  # fmt: skip
    print_table("", ["number", "case and checks", "value", "accepted", "verdict"], rows)
