"""The commands that are disturbed: what they need, what they do, and what has to be there at their end."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ackclock
from ackclock import learn, studies
from ackclock._errors import RefusedError
from ackclock.base import files
from ackclock.base.files import MARKER, STORE
from ackclock.kernel.testbed import Ask, Clip, encode, play
from ackclock.kernel.testbed.programs import found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.faults.running import Place

__all__ = ["Subject", "subjects"]

SCENARIO = """
duration = "{duration}"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "one"
start_jitter = "20ms"
app = "bulk"
"""
SEARCH = ["--specimens", "3", "--validation", "2", "--rules", "8", "--patience", "1"]
DESIGN = 'duration = "4s"', 'duration = "500ms"'
LADDER = (50, 200)
TESTBED = SCENARIO.format(duration="60s").replace("5Mbps", "2Mbps")


OTHERS = {"matplotlib", "locks"}
"""Folders in the cache of the home directory that stay: a list of the fonts of the machine, and locks, which are empty
and are there for users without a folder below /run."""
KERNEL = re.compile(r"kernels/[0-9a-f]{16}/")


@dataclass
class Subject:
    """A command."""

    name: str
    about: str
    """Description of the command, for the table."""
    prepare: Callable[[Place], None]
    """Makes its input in the folder of work."""
    act: Callable[[], int]
    """Does it, in the folder of work, and returns the exit status."""
    stable: Callable[[Path], bytes | None] = Path.read_bytes
    """Returns the bytes of a file that are the same in every run; None for a file that is not compared."""
    network: bool = False
    """Whether it makes devices and namespaces, for which it needs root."""
    needs: tuple[str, ...] = ()
    """Programs."""
    known: list[int] = field(default_factory=list)
    """Processes beside it that stay."""
    around: Callable[[Path], Any] | None = None
    """A context around all of its runs."""
    kept: Callable[[Place], str | None] = lambda _: None
    """After a fault: what is lost or half-written, if anything."""

    @property
    def missing(self) -> str | None:
        """Reason for which the command cannot run here; None if it can."""
        gone = [name for name in self.needs if found(name) is None]
        if gone:
            return f"needs {', '.join(gone)}"
        if self.network and (os.geteuid() != 0 or not Path("/dev/net/tun").exists()):
            return "needs root and /dev/net/tun"
        return None

    def state(self, place: Place) -> dict[str, str]:
        """Everything in the folders of work and of the home directory, as digests."""
        told = {}
        for folder in (place.work, place.home):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and OTHERS.isdisjoint(path.parts) and (content := self.stable(path)) is not None:
                    told[KERNEL.sub("kernels/ONE/", str(path.relative_to(place.root)))] = hashlib.sha256(
                        content
                    ).hexdigest()[:12]
        return told


def command(*words: str) -> Callable[[], int]:
    """A command line of ackclock."""

    def act() -> int:
        from ackclock._entry import main

        sys.argv = ["ackclock", *words]
        return main()

    return act


def written(name: str, text: str) -> Callable[[Place], None]:
    """A preparation that writes one file."""

    def prepare(place: Place) -> None:
        (place.work / name).write_text(text, encoding="utf-8")

    return prepare


def nothing(_: Place) -> None:
    """A preparation of a command without an input."""


def copied(source: Path) -> Callable[[Place], None]:
    """A preparation that copies a folder."""

    def prepare(place: Place) -> None:
        shutil.copytree(source, place.work, dirs_exist_ok=True)

    return prepare


# Sweeps and what reads them


def of_store(path: Path) -> bytes | None:
    """The files of a store, without the accounts of when and where."""
    return None if path.name == "lock" or "provenance" in path.parts else path.read_bytes()


def store_opens(place: Place) -> str | None:
    """A store that was left behind can be read, or is not there."""
    return opens(place.work / "store", "flows")


def opens(root: Path, table: str) -> str | None:
    """Whether a store that is there has the rows of a table that it tells, one of each run."""
    if not (root / STORE).exists():
        return None
    with ackclock.open(root) as store:
        rows = len(store.table(table)) if table in store.tables else 0
        return None if rows == store.finished else f"{store.finished} runs have {rows} rows"


def matrix_opens(place: Place) -> str | None:
    """The runs of a matrix can be read."""
    return opens(place.work / "matrix" / "runs", "measures")


def reproduce() -> int:
    """The reproduction of a study of a few short runs."""
    studies.STUDIES["short-study"] = "tools.faults.short_study"
    return command("reproduce", "short-study", "--threads", "1", "--out", "study")()


def study_opens(place: Place) -> str | None:
    """The runs of a study can be read."""
    return opens(place.work / "study" / "runs", "measures")


def whole_folder(name: str) -> Callable[[Place], str | None]:
    """Whether a folder of results that is there has all that its list names."""

    def whole(place: Place) -> str | None:
        folder = place.work / name
        if not folder.exists():
            return None
        listed = json.loads((folder / MARKER).read_bytes())["files"]
        gone = [one for one in listed if not (folder / one).stat().st_size]
        return f"{gone} are empty" if gone else None

    return whole


def whole_pack(place: Place) -> str | None:
    """A pack that is there is whole."""
    path = place.work / "x.zip"
    return zipfile.ZipFile(path).testzip() if path.exists() else None


# Searches


def of_search(path: Path) -> bytes | None:
    """A log without the times that it tells; other files whole."""
    if not path.name.endswith(".jsonl"):
        return None if path.name == "scheduler.json" else path.read_bytes()
    lines = path.read_bytes().splitlines()
    return b"\n".join(line for line in lines[1:] if not line.startswith(b'{"session"'))


def log_opens(place: Place) -> str | None:
    """A log that was left behind can be read, and the table is one."""
    path = place.work / "x.learn.jsonl"
    if path.exists():
        learn.Log.read(path)
    table = place.work / "x.dna"
    return "an empty table" if table.exists() and not table.stat().st_size else None


@contextmanager
def cluster(folder: Path) -> Iterator[list[int]]:
    """A Dask scheduler with one worker, at the address in a file."""
    # Importing it takes seconds of processor time, which every copy of this process would need.
    import distributed  # noqa: F401

    import ackclock.learn.cluster  # noqa: F401

    file = folder / "scheduler.json"
    tail = ["--host", "127.0.0.1", "--scheduler-file", str(file)]
    processes = []
    try:
        for what, words in (
            ("scheduler", ["--port", "0", "--no-dashboard", *tail]),
            ("worker", ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder), *tail]),
        ):
            line = [sys.executable, "-m", "dask", what, *words]
            with (folder / f"{what}.log").open("wb") as log:
                processes.append(subprocess.Popen(line, stdout=log, stderr=log, cwd=folder))  # noqa: S603
            while not file.exists():
                time.sleep(0.05)
        CLUSTER[:] = [str(file)]
        yield [one.pid for one in processes]
    finally:
        for one in processes:
            one.kill()
            one.wait()


def search_of_a_cluster() -> int:
    """The search, whose runs the worker does."""
    return command("learn", "x.toml", "--out", "x.dna", *SEARCH, "--cluster", f"file:{CLUSTER[0]}")()


CLUSTER: list[str] = []


# Kernels

MAKE = """#!/bin/sh
PATH=/usr/bin:/bin
for one; do
    case "$one" in O=*) objects="${one#O=}" ;; KBUILD_KCONFIG=*) kconfig="${one#*=}" ;; esac
    goal="$one"
done
case "$goal" in
olddefconfig) sed -n 's/^[[:space:]]*default /CONFIG_HZ=/p' "$kconfig" | head -n 1 >> "$objects/.config" || exit 1 ;;
linux)
    for one in 1 2 3 4; do echo "  CC  $one.o" || exit 1; sleep 0.02; done
    head -c 20000 /dev/zero > "$objects/linux" || exit 1 ;;
esac
"""
"""Stands for make: a real build takes minutes, most of them in the compiler."""


def source(place: Place) -> None:
    """A tree that looks like a kernel's, and programs that stand for those of a build."""
    tree = place.work / "linux"
    (tree / "arch/um").mkdir(parents=True)
    (tree / "Makefile").write_text("VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\n", encoding="utf-8")
    (tree / "Kconfig").write_text('mainmenu "Linux"\n\nsource "arch/um/Kconfig"\n', encoding="utf-8")
    (tree / "arch/um/Kconfig").write_text("", encoding="utf-8")
    programs = place.work / "programs"
    programs.mkdir()
    for name in ("make", "gcc", "ld", "flex", "bison", "bc", "perl"):
        (programs / name).write_text(MAKE if name == "make" else "#!/bin/sh\n", encoding="utf-8")
        (programs / name).chmod(0o755)


def build() -> int:
    """The build, with the programs that stand for others."""
    os.environ["PATH"] = f"{Path.cwd() / 'programs'}:{os.environ['PATH']}"
    return command("kernel", "build", "--source", "linux")()


def of_kernel(path: Path) -> bytes | None:
    """Bytes of a file of a build, without the path of the source and the digest, which depend on the place."""
    if path.name != "kernel.json":
        return path.read_bytes()
    return json.dumps(json.loads(path.read_bytes()) | {"source": "", "digest": ""}).encode()


def whole_kernels(place: Place) -> str | None:
    """A kernel that is in the cache is whole."""
    for file in place.home.glob(".cache/ackclock/kernels/*/kernel.json"):
        if (file.parent / "linux").stat().st_size != 20_000:
            return f"{file.parent} is half-written"
    return None


# Networks


def names_alone(path: Path) -> bytes | None:
    """Runs in real time differ: only the names of their files are compared."""
    return b"" if path.stat().st_size else b"empty"


def session() -> int:
    """A session of the test bed."""
    from ackclock.base.signals import Stopped, listen, stopped_status

    listen()
    ask = Ask(TESTBED, [], 1, "reno", "ackclock", 2.0)
    try:
        done = play(ask, Path("clip").resolve(), LADDER)
        files.write_text(Path("done"), f"{len(done.requests)} requests\n")
    except Stopped:
        return stopped_status()
    except (RefusedError, OSError) as error:
        # As the command line does.
        sys.stderr.write(f"ackclock: {error}\n")
        return 2
    return 0


def inputs(folder: Path) -> dict[str, Path]:
    """Inputs that several runs share: a store, a pack, a baseline and a clip, each in a folder."""
    made = {name: folder / name for name in ("store", "pack", "gate", "clip")}
    for one in made.values():
        one.mkdir(parents=True)
    text = SCENARIO.format(duration="100ms")
    ackclock.sweep(text, {"flows[0].cc": ["reno", "cubic"]}, seeds=6, out=made["store"] / "store", threads=1).close()
    from ackclock.cli import main
    from ackclock.judge import packs

    packs.pack(made["store"] / "store", made["pack"] / "x.zip", without_wheel=True)
    for name, duration in (("a", "200ms"), ("b", "250ms")):
        (made["gate"] / f"{name}.toml").write_text(SCENARIO.format(duration=duration), encoding="utf-8")
    words = ["gate", str(made["gate"] / "a.toml"), "--baseline", str(made["gate"] / "gate.json"), "--threads", "1"]
    if main([*words, "--update", "--reason", "first", "--json"]) != 0:
        raise RuntimeError("no baseline")
    if found("ffmpeg") is not None:
        (made["clip"] / "clip").mkdir()
        encode(Clip(LADDER, 1, 2), made["clip"] / "clip")
    return made


def subjects(folder: Path) -> list[Subject]:
    """All commands, with their inputs in a folder."""
    made = inputs(folder)
    design = learn.design("tiny").read_text(encoding="utf-8").replace(*DESIGN)
    scenario = SCENARIO.format(duration="100ms")
    sweep = ("sweep", "x.toml", "--vary", "flows[0].cc=reno,cubic", "--seeds", "6", "--threads", "1", "--out", "store")
    search = ("learn", "x.toml", "--out", "x.dna", *SEARCH, "--threads", "1")
    update = ("gate", "b.toml", "--baseline", "gate.json", "--update", "--reason", "more", "--threads", "1")
    live = ("run", "x.toml", "--backend", "linux", "--out", "out")
    return [
        Subject("sweep", "`ackclock sweep`", written("x.toml", scenario), command(*sweep), of_store, kept=store_opens),
        Subject("learn", "`ackclock learn`", written("x.toml", design), command(*search), of_search, kept=log_opens),
        Subject(
            "cluster", "`ackclock learn --cluster`", written("x.toml", design), search_of_a_cluster, of_search,
            around=cluster, kept=log_opens,
        ),
        Subject("gate", "`ackclock gate --update`", copied(made["gate"]), command(*update), kept=baseline_reads),
        Subject(
            "pack", "`ackclock pack`", copied(made["store"]),
            command("pack", "store", "--out", "x.zip", "--without-wheel"), of_store, kept=whole_pack,
        ),
        Subject("verify", "`ackclock verify`", copied(made["pack"]), command("verify", "x.zip", "--threads", "1")),
        Subject("report", "`ackclock report`", copied(made["store"]), command("report", "store"), names_of_report),
        Subject(
            "matrix", "`ackclock matrix`", nothing,
            command(
                "matrix", "reno", "--network", "2Mbps,20ms,1bdp", "--duration", "2", "--seeds", "2", "--threads", "1",
                "--out", "matrix",
            ),
            of_store, kept=matrix_opens,
        ),
        Subject(
            "worst", "`ackclock worst`", nothing,
            command(
                "worst", "reno", "--budget", "32", "--duration", "5", "--rate", "1", "--losses", "1", "--threads", "1",
                "--out", "worst",
            ),
            kept=whole_folder("worst"),
        ),
        Subject(
            "suite", "`ackclock suite bbr`", nothing, command("suite", "bbr", "1", "--out", "suite"),
            kept=whole_folder("suite"),
        ),
        Subject("reproduce", "`ackclock reproduce`", nothing, reproduce, names_of_report, kept=study_opens),
        Subject(
            "tcpeval", "`ackclock suite tcpeval`", nothing,
            command(
                "suite", "tcpeval", "reno", "--quick", "--test", "ramp-up", "--seeds", "2", "--threads", "1",
                "--out", "tcpeval",
            ),
            kept=whole_folder("tcpeval"),
        ),
        Subject(
            "rmcat", "`ackclock suite rmcat`", nothing,
            command("suite", "rmcat", "pause", "--control", "nada", "--threads", "1", "--out", "rmcat"),
            kept=whole_folder("rmcat"),
        ),
        Subject(
            "card", "`ackclock card`", nothing,
            command("card", "reno", "--quick", "--section", "5.1.1", "--seeds", "2", "--threads", "1", "--out", "card"),
            kept=whole_folder("card"),
        ),
        Subject("lab", "`ackclock lab --out`", nothing, command("lab", "--out", "lab"), kept=whole_folder("lab")),
        Subject("build", "`ackclock kernel build`", source, build, of_kernel, kept=whole_kernels),
        Subject(
            "live", "`ackclock run --backend linux`", written("x.toml", SCENARIO.format(duration="200ms")),
            command(*live), names_alone, network=True, needs=("ip",),
        ),
        Subject(
            "testbed", "a session of the test bed", copied(made["clip"]), session, names_alone,
            network=True, needs=("nginx", "ss", "ip", "ffmpeg"),
        ),
    ]  # fmt: skip


def names_of_report(path: Path) -> bytes | None:
    """The report tells when it was made: of it, whether it ends."""
    if path.suffix == ".html":
        return path.read_bytes().rstrip()[-7:]
    return of_store(path)


def baseline_reads(place: Place) -> str | None:
    """A baseline that was left behind has the scenario that it had."""
    from ackclock.judge.gate import Baseline

    return None if "a" in Baseline.read(place.work / "gate.json").scenarios else "the scenario a has gone"
