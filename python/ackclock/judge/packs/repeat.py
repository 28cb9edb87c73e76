"""Repeating runs from their inputs alone: here, or in a process that can do nothing but compute.

A question has what a pack says of its inputs, and an answer what follows from them. The results of the pack are in no
question: the process that executes code of a pack has nothing to compare with, and the comparison is done elsewhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ackclock import _core
from ackclock._errors import Cancelled, RefusedError, ScenarioError
from ackclock.base import confined
from ackclock.base.documents import DocumentError, parse, texts
from ackclock.base.shown import one_line
from ackclock.cc import registry
from ackclock.engine.run import Job
from ackclock.engine.threads import execute
from ackclock.judge.packs.archive import PackError
from ackclock.results.usual import competing_of
from ackclock.scenario import Text, named
from ackclock.scenario._source import foreign
from ackclock.sweeps.perform import perform
from ackclock.sweeps.plan import Keep
from ackclock.sweeps.sources import references

if TYPE_CHECKING:
    from ackclock._core import Cancel
    from ackclock.base.progress import ProgressCallback

__all__ = ["Answer", "PointAnswer", "Question", "answered", "answered_confined"]

QUESTION, ANSWER, SAID = "question.json", "answer.json", "said"
PACKAGES = ("site-packages", "dist-packages")
"""Names of the folders of installed packages."""
UNABLE = 3
"""Exit status of a process that could not be confined."""
SHOWN = 2000
"""Characters of the output of a process that are kept of its failure."""


@dataclass(frozen=True, slots=True)
class Question:
    """Inputs of runs."""

    sources: str
    """The folder of the files that scenarios name."""
    texts: list[dict[str, str]]
    """Scenarios: name, format and text."""
    points: list[dict[str, Any]]
    """Points: the number of the scenario, what is overridden, and the files."""
    runs: list[list[int]]
    """Runs of the simulator: the number of the point, and the seed."""
    algorithms: dict[str, list[str]]
    """Congestion controls: source to the name and the text of a file."""
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class PointAnswer:
    """The answer for one point."""

    scenario_hash: str = ""
    files: list[list[str]] = field(default_factory=list)
    """The place of each file that the scenario names, and its digest."""
    algorithms: list[str] = field(default_factory=list)
    """Sources of the congestion controls that it names."""
    libraries: bool = False
    """Whether it executes a transport of a library."""
    name: str = ""
    """The name of the scenario."""
    competing: list[list[str]] = field(default_factory=list)
    """The flows whose goodputs are shares of the same capacity."""
    problem: str | None = None
    """Reason for which the scenario cannot run; None if it can run."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question."""

    points: list[PointAnswer]
    runs: list[bytes | None]
    """The runs as a store keeps them; None of a point that cannot run."""
    unfounded: list[str] = field(default_factory=list)
    """Sources of congestion controls that are not in the text of that source."""


def answered(question: Question, progress: ProgressCallback | None = None) -> Answer:
    """Does the runs in this process.

    Raises
    ------
    LoadError
        If a congestion control of the question cannot be loaded.
    """
    given = {source: (text[0], text[1]) for source, text in question.algorithms.items()}
    unfounded = []
    for source, file in given.items():
        # One by one: another file that has a class of the same name would take its place.
        with registry.adopted({source: file}):
            if source not in {row["source"] for row in registry.rows()}:
                unfounded.append(source)
    with registry.adopted(given):
        points = [_point(question, number) for number in range(len(question.points))]
        wanted = [(point, seed) for point, seed in question.runs if points[point].problem is None]
        work = partial(_run, question, points)
        done = iter(execute(wanted, work, threads=question.threads, progress=progress))
    return Answer(
        points, [next(done) if points[point].problem is None else None for point, _ in question.runs], unfounded
    )


def job_of(question: Question, number: int, seed: int | None = None) -> Job:
    """The job of a point. Its files are those of the question's folder."""
    point = question.points[number]
    text = question.texts[point["scenario"]]
    files = [(place, json.dumps(str(Path(question.sources) / digest))) for place, digest in point.get("files", [])]
    pairs = (*((str(path), str(value)) for path, value in point["overrides"]), *files)
    kind = cast("Literal['toml', 'json']", text["format"])
    return Job(Text(text["text"], kind, text["name"], question.sources), pairs, seed)


def _point(question: Question, number: int) -> PointAnswer:
    job = job_of(question, number)
    text, pairs = job.scenario, list(job.overrides)
    given = (text.text, text.format, pairs, text.folder, registry.algorithms())
    try:
        with named(text):
            document, scenario_hash, _ = _core.read_scenario(*given)
            canonical = json.loads(document)
    except ScenarioError as error:
        return PointAnswer(problem=str(error))
    found = list(references(canonical, text.folder))
    inside = Path(question.sources).resolve()
    outside = [place for place, path, _ in found if Path(path).resolve().parent != inside]
    if outside:
        return PointAnswer(problem=f"{outside[0]}: names a file that is not in the pack")
    mine = set(registry.named_in(canonical))
    sources = [row["source"] for row in registry.rows() if row["name"] in mine]
    files = [[place, digest] for place, _, digest in found]
    name, competing = str(canonical["name"]), competing_of(canonical)
    return PointAnswer(scenario_hash, files, sources, foreign(canonical), name, competing)


def _run(
    question: Question, points: list[PointAnswer], run: tuple[int, int], cancel: Cancel, progress: ProgressCallback
) -> bytes:
    number, seed = run
    about = points[number]
    data, _ = perform("", job_of(question, number, seed), about.scenario_hash, about.name, Keep(), cancel, progress)
    return data


def answered_confined(question: Question, folder: Path, progress: ProgressCallback | None = None) -> Answer | None:
    """Does the runs in a process that can only compute and write to `folder`; None if the system cannot confine one.

    Raises
    ------
    PackError
        If the process fails.
    """
    (folder / QUESTION).write_text(json.dumps({name: getattr(question, name) for name in Question.__slots__}))
    installed = [path for path in sys.path if Path(path).name in PACKAGES]
    paths = [str(Path(_core.__file__).resolve().parent.parent), *installed]
    environment = {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
    }
    command = [sys.executable, "-P", confined.__file__, str(folder), __name__, question.sources]
    with (folder / SAID).open("w+b") as said:
        process = subprocess.Popen(  # noqa: S603 -- this interpreter and a file of ackclock
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
        try:
            assert process.stdout is not None  # noqa: S101 -- it is a pipe
            with process.stdout as lines:
                for line in lines:
                    if progress is not None and (part := _part(line)) is not None:
                        progress(part)
            status = process.wait()
        finally:
            process.kill()
            process.wait()
        if status == UNABLE:
            return None
        said.seek(0)
        told = said.read().decode(errors="replace").strip()[-SHOWN:]
    if status != 0:
        why = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
        last = told.splitlines()[-1] if told else ""
        raise PackError(f"the process that repeated the runs {why}{f': {one_line(last)}' if last else ''}")
    return _read(question, folder)


def _part(line: bytes) -> float | None:
    try:
        return min(max(float(line[:20]), 0.0), 1.0)
    except ValueError:
        return None


def _read(question: Question, folder: Path) -> Answer:
    """The answer of the other process, which is not trusted: it executed code of the pack."""
    kinds = {"scenario_hash": str, "files": list, "algorithms": list, "libraries": bool, "name": str, "competing": list}
    try:
        found = parse((folder / ANSWER).read_bytes())
        error, rows, unfounded = found["error"], found["points"], texts(found["unfounded"])
        if error is not None:
            raise RefusedError(str(error))
        points = [PointAnswer(**row) for row in rows]
        if len(points) != len(question.points) or not all(
            isinstance(getattr(one, name), kind) for one in points for name, kind in kinds.items()
        ):
            raise TypeError
        runs: list[bytes | None] = []
        for number, (point, _) in enumerate(question.runs):
            runs.append((folder / f"{number}.run").read_bytes() if points[point].problem is None else None)
    except (OSError, DocumentError, KeyError, TypeError):
        raise PackError("the process that repeated the runs gave no answer") from None
    return Answer(points, runs, unfounded)


def main() -> None:
    """The other process: reads the question of its folder, and writes the answer there."""
    folder = Path(sys.argv[1])
    question = Question(**json.loads((folder / QUESTION).read_text(encoding="utf-8")))

    def report(part: float) -> None:
        sys.stdout.write(f"{part:.4f}\n")
        sys.stdout.flush()

    rows: list[dict[str, Any]] = []
    unfounded: list[str] = []
    told = None
    try:
        answer = answered(question, report)
    except Cancelled:
        raise
    except (RefusedError, ValueError) as error:
        told = str(error)
    else:
        rows = [{name: getattr(one, name) for name in PointAnswer.__slots__} for one in answer.points]
        unfounded = answer.unfounded
        for number, data in enumerate(answer.runs):
            if data is not None:
                (folder / f"{number}.run").write_bytes(data)
    (folder / ANSWER).write_text(json.dumps({"error": told, "points": rows, "unfounded": unfounded}), encoding="utf-8")


if __name__ == "__main__":
    main()
