"""The command ``card``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ackclock.base import files, progress
from ackclock.cli.commands import at_least_one, kernel_refuses, load_files
from ackclock.cli.output import DONE, FAILED, UsageError, complain, print_json, print_table, say
from ackclock.engine.run import SIM, seeds_from

if TYPE_CHECKING:
    from ackclock.base.progress import ProgressCallback
    from ackclock.judge.card import Candidate, Card
    from ackclock.judge.card.perform import Plan
    from ackclock.judge.card.suite import Suite

__all__ = ["candidate_of", "card", "card_command", "fields_of", "made_card", "print_card", "seeds_of"]

FEWEST_SEEDS, MOST_SEEDS = 2, 1000


def card(
    name: str,
    /,
    *,
    quick: bool = False,
    section: tuple[str, ...] = (),
    fail_on: Literal["worse", "between"] | None = None,
    stack: str | None = None,
    transport: str | None = None,
    library: str | None = None,
    field: tuple[str, ...] = (),
    load: tuple[Path, ...] = (),
    backend: str = SIM,
    seed: int = 1,
    seeds: int | None = None,
    out: Path | None = None,
    threads: int | None = None,
    json: bool = False,
) -> int:
    """Write the report card of a congestion control: RFC 9743, section by section, beside CUBIC and Reno.

    Every number of the candidate stands beside those of CUBIC and Reno in the same place, under the same seeds. A row
    is as good if the candidate is not worse than CUBIC, worse if it is worse than CUBIC and Reno, and between
    otherwise.

    Parameters
    ----------
    name
        The candidate: a congestion control of `ackclock list cc`, one of --load, one of the kernel of --backend, or one
        that the transport of --transport has.
    quick
        Fewer points and 8 seeds instead of 30: one to two minutes on two cores instead of ten.
    section
        Section of RFC 9743, such as 5.2.1, or 5.2 for all below it. Can be repeated. By default all sections.
    fail_on
        Verdict of a row from which the exit status is 1: worse, or between, which includes worse. By default, the exit
        status does not depend on the verdicts.
    stack
        Stack of the candidate, and of CUBIC and Reno in its place; by default linux.
    transport
        Transport of the candidate, in place of TCP, such as quinn. CUBIC and Reno are those of TCP.
    library
        File of the library that holds the transport of --transport, such as mine/mine.so.
    field
        FIELD=VALUE: sets a field of the candidate's flows, for example ecn=l4s, or 'cc={ kind = "remycc", table =
        "mine.dna" }' for parameters of the congestion control. Can be repeated.
    load
        A file or folder with your own congestion controls. The file is executed. Can be repeated.
    backend
        sim, or a kernel in virtual time: linux:VERSION, linux:DIGEST, or linux:TREE with the path of a kernel's source,
        which is built first. CUBIC and Reno are the kernel's, too.
    seed
        First seed.
    seeds
        Number of seeds, at least 2; by default 30, or 8 with --quick.
    out
        Folder for card.html, card.json, appendix.md for an Internet-Draft, and the scenarios.
    threads
        Number of simultaneous runs; by default one per core. It does not change the card.
    json
        Print one JSON document.
    """
    from ackclock.judge.card import FULL, QUICK, chosen
    from ackclock.judge.card.suite import CARD

    chosen(section)
    at_least_one("--threads", threads)
    chosen_seeds = seeds_of(seed, seeds, QUICK if quick else FULL)
    candidate = candidate_of(name, stack, transport, library, field, load, backend)
    given: dict[str, object] = {"--stack": stack, "--transport": transport, "--library": library}
    given |= {"--field": field, "--load": load, "--backend": None if backend == SIM else backend}
    given |= {"--section": section, "--seed": seed if seed != 1 else None, "--seeds": seeds}
    command = card_command(["card", name], quick=quick, given=given)
    made = made_card(CARD, candidate, section, chosen_seeds, quick=quick, threads=threads, command=command, out=out)
    if json:
        print_json(made.document())
    else:
        print_card(made)
    return FAILED if made.fails(fail_on) else DONE


def seeds_of(seed: int, seeds: int | None, default: int) -> list[int]:
    """The seeds of ``--seed`` and ``--seeds``, of which there are `default` when not given."""
    count = default if seeds is None else seeds
    if not FEWEST_SEEDS <= count <= MOST_SEEDS:
        raise UsageError(f"--seeds {count}: expected {FEWEST_SEEDS} to {MOST_SEEDS}")
    return seeds_from(seed, count)


def made_card(
    suite: Suite,
    candidate: Candidate,
    sections: tuple[str, ...],
    seeds: list[int],
    *,
    quick: bool,
    threads: int | None,
    command: str,
    out: Path | None,
) -> Card:
    """Runs a suite with a candidate, with its progress, and writes the card into a folder if one is given."""
    from ackclock.judge.card import make
    from ackclock.judge.card.written import write

    if out is not None:
        files.check_folder(out)
    with progress.reporter(True, f"{suite.name} of {candidate.name}") as report:

        def begin(plan: Plan) -> ProgressCallback | None:
            complain(f"{len(plan.cells)} scenarios, {plan.runs:,} runs of {plan.seconds:,.0f} s of network time in all")
            return report

        made = make(
            candidate,
            sections=sections,
            seeds=seeds,
            quick=quick,
            threads=threads,
            command=command,
            suite=suite,
            begin=begin,
        )
    if out is not None:
        with files.output_folder(out) as folder:
            write(made, folder)
        complain(f"results in {out}")
    return made


def candidate_of(
    name: str,
    stack: str | None,
    transport: str | None,
    library: str | None,
    field: tuple[str, ...],
    load: tuple[Path, ...],
    backend: str = SIM,
) -> Candidate:
    """The candidate of the options, whose files are loaded; refuses options that exclude each other."""
    from ackclock.judge.card import Candidate

    if transport is None and library is not None:
        raise UsageError("--library needs --transport, the name of the transport in the library")
    if transport is not None and stack is not None:
        raise UsageError("--stack and --transport exclude each other: a stack is one of TCP")
    if transport is not None and field:
        raise UsageError("--field and --transport exclude each other: the fields are those of TCP")
    fields = tuple(fields_of(field))
    exact = backend
    if backend != SIM:
        kernel_refuses({"--load": load, "--transport": transport, "--library": library}, backend)
        exact = _kernel(backend)
    load_files(load)
    path = None if library is None else str(Path(library).absolute())
    return Candidate(name, stack or "linux", transport, path, fields, exact)


def fields_of(given: tuple[str, ...]) -> list[tuple[str, str]]:
    """The fields and values of ``--field``."""
    found = []
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--field {one}: expected FIELD=VALUE, for example --field ecn=l4s")
        if name.strip() in ("stack", "transport", "name", "count", "app", "route"):
            raise UsageError(f"--field {one}: the card sets {name.strip()}; accepted: another field of the flow's TCP")
        found.append((name.strip(), value.strip()))
    return found


def _kernel(backend: str) -> str:
    """The exact name of a kernel in virtual time."""
    from ackclock.kernel import backends

    with progress.reporter(True, f"the kernel of --backend {backend}") as report:
        where = backends.backend(backend, report)
    if where.kernel is None:
        raise UsageError(
            f"--backend {backend}: a card on the running kernel would take hours of real time; accepted: sim, or a "
            "kernel in virtual time such as linux:6.12"
        )
    return where.exact


def card_command(words: list[str], *, quick: bool, given: dict[str, object]) -> str:
    """The command line that makes the same card, as a shell takes it; `words` are the command and the candidate."""
    words = ["ackclock", *words, *(["--quick"] if quick else [])]
    for option, value in given.items():
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        for one in values:
            words += [option, str(one)]
    return shlex.join(words)


def print_card(made: Card) -> None:
    """Prints the rows of a card, and how many there are of each verdict."""
    from ackclock.judge.card.candidate import BESIDE, CANDIDATE
    from ackclock.judge.card.words import label, number, place, told

    rows = []
    for section in made.sections:
        for one in made.of(section):
            found = [number(one, who) for who in (CANDIDATE, *BESIDE)]
            rows.append([section.number, place(one), label(one), *found, one.reason or told(one)])
        rows += [[section.number, "", one.what, "", "", "", "not shown"] for one in section.unshown]
    columns = ["section", "scenario", "number", made.candidate.name, *BESIDE, "verdict"]
    if made.candidate.name in BESIDE:
        columns[3] = "candidate"
    title = made.suite.title
    print_table(f"{title[0].lower()}{title[1:]}: {made.candidate.title}", columns, rows)
    say(", ".join(f"{count} {verdict}" for verdict, count in made.summary.items()))
