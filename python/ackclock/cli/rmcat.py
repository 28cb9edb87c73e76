"""The command ``suite rmcat``."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- Cyclopts reads the annotations
from typing import TYPE_CHECKING

from ackclock.base import extras, files
from ackclock.cli.commands import at_least_one, overrides_of
from ackclock.cli.output import DONE, FAILED, UsageError, complain, print_json, print_table
from ackclock.engine.run import seeds_from

if TYPE_CHECKING:
    from ackclock.judge.rmcat import Outcome

__all__ = ["rmcat"]

MOST_SEEDS = 1000


def rmcat(
    *case: str,
    control: tuple[str, ...] = (),
    seed: int = 1,
    seeds: int = 1,
    settings: tuple[str, ...] = (),
    list_: bool = False,
    out: Path | None = None,
    threads: int | None = None,
    json: bool = False,
) -> int:
    """Run the test cases of RFC 8867 and RFC 8869 with congestion controls of media.

    The exit status is 1 if a check fails. The RFCs give expected behaviour in words and few numbers; only these numbers
    are checked.

    Parameters
    ----------
    case
        Names or sections of cases, such as pause, 5.8 or 6.2/5.8; by default all.
    control
        Congestion control of the media: nada, scream, scream2, gcc, gcc-draft or fixed. Can be repeated. By default
        nada, scream, scream2 and gcc.
    seed
        First seed.
    seeds
        Number of seeds.
    settings
        PATH=VALUE: replaces a value of every scenario. Can be repeated.
    list_
        List the cases and run none.
    out
        Folder for rmcat.html, rmcat.json and a figure of each case.
    threads
        Number of simultaneous runs; by default one per core. It does not change the results.
    json
        Print one JSON document.
    """
    from ackclock.judge.rmcat import CONTROLS, chosen, run_suite
    from ackclock.judge.rmcat.suite import HEADER

    cases = chosen(case)
    if list_:
        if json:
            print_json({"cases": [{"section": one.number, "name": one.name, "title": one.title} for one in cases]})
        else:
            print_table("rmcat", ["section", "name", "title"], [[one.number, one.name, one.title] for one in cases])
        return DONE
    at_least_one("--seeds", seeds)
    at_least_one("--threads", threads)
    if seeds > MOST_SEEDS:
        raise UsageError(f"--seeds {seeds}: expected at most {MOST_SEEDS}")
    if out is not None:
        extras.require("matplotlib", "the figures of --out")
        files.check_folder(out)
    controls = tuple(dict.fromkeys(control)) or CONTROLS
    overrides = dict(overrides_of(settings))
    suite = run_suite(
        cases, controls, seeds_from(seed, seeds), threads=threads, overrides=overrides or None, progress=_progress
    )
    if out is not None:
        command = " ".join(["ackclock suite rmcat", *case, *(f"--control {one}" for one in control)])
        with files.output_folder(out) as folder:
            suite.write(folder, command)
        complain(f"results in {out}")
    if json:
        print_json(suite.document())
    else:
        print_table("rmcat", HEADER, suite.rows(), keys=2)
    return FAILED if suite.failed else DONE


def _progress(one: Outcome) -> None:
    variant = f", {one.variant.name}" if one.variant.name else ""
    complain(f"{one.case.number} {one.case.name}{variant}, {one.control}, seed {one.seed}")
