"""Damaged files of every format that ackclock reads: cut off, changed, with numbers that nothing is as large as.

Whatever the damage, the answer is one message and the exit status 2, or the file is read. A few hundred cases run with
the tests; many more by hand, in a process with little memory::

    python -m tests.helpers.damage --each 1000 --seed 7
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.helpers.formats import others
from tests.helpers.places import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


MOST_ADDRESSES = 6 << 30
"""Bytes of address space of a process of damaged files, most of which libraries reserve and do not use."""

PATIENCE_S = 60
"""CPU seconds that the answer to one damaged file may take at most; the usual ones take milliseconds."""

NUMBERS = [b"0", b"-1", b"4294967296", b"18446744073709551615", b"9" * 400, b"1e308", b"1e-400", b"nan", b"0x7f", b""]
BYTES = [b"\x00", b"\xff", b"\n", b'"', b"[", b"{", b"(", b"\\", b"\xc3\x28", b"=" * 50, b"[" * 3000]


def cut(data: bytes, draw: random.Random) -> bytes:
    """The beginning of a file."""
    return data[: draw.randrange(len(data) + 1)]


def changed(data: bytes, draw: random.Random) -> bytes:
    """A file with one to ten bytes changed."""
    new = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 10])):
        new[draw.randrange(len(new))] = draw.randrange(256)
    return bytes(new)


def flipped(data: bytes, draw: random.Random) -> bytes:
    """A file with one bit flipped."""
    new = bytearray(data)
    new[draw.randrange(len(new))] ^= 1 << draw.randrange(8)
    return bytes(new)


def without(data: bytes, draw: random.Random) -> bytes:
    """A file in which something is missing."""
    start = draw.randrange(len(data))
    return data[:start] + data[start + draw.choice([1, 4, 50, 500]) :]


def doubled(data: bytes, draw: random.Random) -> bytes:
    """A file in which something stands twice."""
    start, length = draw.randrange(len(data)), draw.choice([1, 20, 300])
    return data[: start + length] + data[start:]


def inserted(data: bytes, draw: random.Random) -> bytes:
    """A file with something in it that does not belong there."""
    start = draw.randrange(len(data) + 1)
    return data[:start] + draw.choice(BYTES) + data[start:]


def numbered(data: bytes, draw: random.Random) -> bytes:
    """A file with another number in the place of one of its own."""
    places = [found.span() for found in re.finditer(rb"[0-9]+", data)]
    if not places:
        return changed(data, draw)
    start, end = draw.choice(places)
    return data[:start] + draw.choice(NUMBERS) + data[end:]


DAMAGES = (cut, changed, flipped, without, doubled, inserted, numbered)


def damaged(data: bytes, count: int, draw: random.Random) -> Iterator[tuple[str, bytes]]:
    """Damaged copies of a file with what was done to each: first cut off, at every length if there is room for them."""
    lengths = range(len(data)) if len(data) <= count // 3 else draw.sample(range(len(data)), min(len(data), count // 3))
    for length in lengths:
        yield f"cut off at {length}", data[:length]
    for number in range(count - len(lengths)):
        damage = DAMAGES[number % len(DAMAGES)]
        # A byte can be drawn that is there already.
        while (new := damage(data, draw)) == data:
            pass
        yield damage.__name__, new


@dataclass(frozen=True)
class Format:
    """A format of files: whole ones by name, and the command that reads a file of it."""

    name: str
    files: dict[str, bytes]
    command: Callable[[Path], list[str]]
    several: bool = False
    """Whether one file may have several problems, each on a line of its own."""
    statuses: tuple[int, ...] = (0, 2)


def scenario_with(part: str) -> str:
    return f"""
duration = "1s"
[bottleneck]
rate = "1Mbps"
delay = "1ms"
queue = "9 packets"
{part}
"""


FLOW = '[[flows]]\nname = "a"\napp = "bulk"\n'


def formats(folder: Path) -> list[Format]:
    """Every format; files that name a damaged one, and captures, are made in `folder`."""
    import ackclock
    from ackclock.scenario.traffic import tmix

    def naming(name: str, text: str) -> Callable[[Path], list[str]]:
        """A scenario in the folder of the damaged file that names it."""

        def command(file: Path) -> list[str]:
            scenario = file.parent / f"{name}.toml"
            if not scenario.exists():
                scenario.write_text(text.replace("FILE", file.name))
            return ["check", str(scenario)]

        return command

    web = scenario_with(FLOW.replace('"bulk"', '{ kind = "rpc", rounds = 3, response_size = "20kB", think = "90ms" }'))
    (folder / "whole").mkdir()
    ackclock.trace(web, folder / "whole", captures=["a.source"])
    capture = (folder / "whole" / "a.source.pcapng").read_bytes()
    vectors = tmix.text(tmix.generate(20, seed=5)).encode()
    concurrent = b"CONC 1500 2 1 7\nc> 300\nt> 5000\nc> 20\nc< 9000\nSEQ 2000 1 8\n> 3\nt 5\n< 9\n"
    alternate = b"S 1500 2 7 8\nw 64 64\nr 30000\nI 0 0 300\nA 0 10000 12500\nI 0 500 400\nA 200000 0 0\n"
    trace = "".join(f"{3 * n}\n" for n in range(200)).encode()
    scripts = sorted((ROOT / "crates/ackclock-drill/tests/scripts").rglob("*.pkt"))
    scenarios = [
        *sorted((ROOT / "scenarios").glob("*.toml")),
        ROOT / "python/ackclock/studies/framework/setups/wireless_bursts/scenario.toml",
    ]
    toml = {file.name: file.read_bytes() for file in scenarios}
    canonical = {"canonical.json": _canonical(web)}
    store = folder / "store"
    ackclock.sweep(web, seeds=2, out=store).close()
    manifests = {
        str(path.relative_to(store)): path.read_bytes()
        for path in sorted(store.rglob("*.json"))
        if "provenance" not in path.parts
    }
    remy = scenario_with(FLOW + 'cc = { kind = "remycc", table = "FILE" }\n')
    lte = scenario_with(FLOW).replace('"1Mbps"', '{ kind = "trace", file = "FILE" }')
    measured = scenario_with(FLOW).replace('"1Mbps"', '{ kind = "series", file = "FILE" }')
    pairs = "".join(f"{n / 2} {1 + n % 7}\n" for n in range(100)).encode()
    hsdpa = "".join(f"{1289406399 + n} {549 + 1000 * n} 59.85 10.78 {9000 * n} 1000\n" for n in range(50)).encode()
    named = ("time,NetworkMode,DL_bitrate\n" + "".join(f"{n},5G,{100 * n}\n" for n in range(90))).encode()
    manifest = (
        b'<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" mediaPresentationDuration="PT20S"><Period><AdaptationSet '
        b'mimeType="video/mp4"><SegmentTemplate timescale="10"><SegmentTimeline><S t="0" d="40" r="4"/>'
        b'</SegmentTimeline></SegmentTemplate><Representation bandwidth="400000"/></AdaptationSet></Period></MPD>'
    )
    tmix_app = FLOW.replace('"bulk"', '{ kind = "tmix", vectors = { file = "FILE" } }')
    return [
        Format("link trace", {"lte.down": trace}, naming("trace", lte)),
        Format(
            "measured rate",
            {"pairs.log": pairs, "hsdpa.log": hsdpa, "named.csv": named},
            naming("series", measured),
        ),
        Format("DASH manifest", {"film.mpd": manifest}, lambda file: ["mpd", str(file)]),
        Format("RemyCC table", {"remycc.dna": (ROOT / "scenarios" / "remycc.dna").read_bytes()}, naming("remy", remy)),
        Format(
            "tmix vectors",
            {"web.cvec": vectors, "conc.cvec": concurrent, "alternate.cvec": alternate},
            naming("tmix", scenario_with(tmix_app)),
        ),
        Format(
            "capture",
            {"web.pcapng": capture, "web.pcap": as_pcap(folder / "whole" / "a.source.pcapng")},
            lambda file: ["tmix", "convert", str(file), str(file.with_suffix(".out"))],
        ),
        Format(
            "packetdrill script",
            {script.name: script.read_bytes() for script in scripts},
            lambda file: ["drill", str(file)],
            statuses=(0, 1, 2),
        ),
        Format("scenario in TOML", toml, lambda file: ["check", str(file)], several=True),
        Format("scenario in JSON", canonical, lambda file: ["json", str(file)], several=True),
        Format("store manifest", manifests, lambda file: ["store", str(file)]),
        *(
            Format(name, {file: whole}, command, several=name in SEVERAL, statuses=(0, 1, 2))
            for name, (file, whole, command) in others(folder).items()
        ),
    ]


SEVERAL = ("baseline of a gate", "settings of a gate", "points of a sweep", "log of a search")
"""Other formats whose problems are listed, each in a line."""


def _canonical(text: str) -> bytes:
    import json

    import ackclock

    return json.dumps(ackclock.check(text), indent=1).encode()


def as_pcap(pcapng: Path) -> bytes:
    """The packets of a capture in the older format."""
    import dpkt

    out = io.BytesIO()
    with pcapng.open("rb") as file:
        reader = dpkt.pcapng.Reader(file)
        writer = dpkt.pcap.Writer(out, linktype=reader.datalink())
        for at, data in reader:
            writer.writepkt(data, ts=float(at))
    return out.getvalue()


def answer(arguments: list[str], place: Path, name: str) -> tuple[int, str, str]:
    """Status, standard output and standard error of a command, done in this process."""
    from ackclock import cli
    from ackclock.cli.output import complain

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        if arguments[0] in ("json", "store"):
            status = 0
            try:
                read_json(Path(arguments[1])) if arguments[0] == "json" else read_store(place, name)
            except ValueError as error:
                # The command line prints the same message.
                for line in str(error).splitlines() or [""]:
                    complain(line)
                status = 2
        else:
            status = cli.main(arguments)
    return status, out.getvalue(), err.getvalue()


def read_json(file: Path) -> None:
    """Checks a scenario in JSON, which only Python takes."""
    from ackclock import ScenarioError
    from ackclock._errors import RefusedError
    from ackclock.scenario import Text, check

    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return
    try:
        check(Text(text, "json"))
    except (ScenarioError, RefusedError):
        raise
    except ValueError as error:
        raise AssertionError(f"not refused on purpose: {error!r}") from error


def read_store(place: Path, name: str) -> None:
    """Opens the store `place` with its file `name` damaged, and asks it for what there is."""
    import ackclock
    from ackclock._errors import RefusedError

    del name
    try:
        with ackclock.open(place) as store:
            list(store.runs.rows())
            list(store.failures.rows())
            store.provenance()
            store.estimates("flows.goodput_bps")
    except RefusedError:
        raise
    except ValueError as error:
        raise AssertionError(f"not refused on purpose: {error!r}") from error


class WrongAnswerError(AssertionError):
    """A damaged file was not answered as it should be."""


def judge(form: Format, status: int, out: str, err: str) -> str:
    """The name of the answer. Raises `WrongAnswerError` if it is not an accepted one."""
    lines = err.splitlines()
    if "Traceback" in out + err or "panicked" in out + err:
        raise WrongAnswerError(f"a traceback or a panic: {err[-500:]}")
    if status not in form.statuses:
        raise WrongAnswerError(f"status {status}: {err[-500:]}")
    if status == 2:
        if not lines or not all(line.startswith("ackclock: ") for line in lines):
            raise WrongAnswerError(f"a refusal without a message: {lines}")
        if len(lines) > 1 and not form.several:
            raise WrongAnswerError(f"{len(lines)} messages: {lines[:5]}")
        # A name of three thousand characters may stand in a message.
        if any(len(line) > 4000 for line in lines):
            raise WrongAnswerError(f"a message of {max(map(len, lines))} characters")
        return "refused"
    return "read"


BESIDE = {"x.dna", "x.learn.jsonl", "a.txt"}
"""Files that a command needs beside the damaged one, which it makes."""


def attack(form: Format, count: int, seed: int, folder: Path, keep: Path | None = None) -> Counter[str]:
    """Reads `count` damaged files of a format and counts the answers.

    Raises
    ------
    WrongAnswerError
        If any is not answered as it should be, with the damage; the file is then in `keep`.
    """
    draw = random.Random(f"{seed} {form.name}")
    told: Counter[str] = Counter()
    share = -(-count // len(form.files))
    for name, whole in form.files.items():
        place = folder / form.name.replace(" ", "-") / name.replace("/", "-")
        is_store = form.name == "store manifest"
        if is_store:
            shutil.copytree(folder / "store", place)
        else:
            place.mkdir(parents=True)
        file = place / name
        for damage, data in damaged(whole, min(share, count - told.total()), draw):
            file.write_bytes(data)
            before = {path.name for path in place.iterdir()}
            signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_S)
            try:
                verdict = judge(form, *answer(form.command(file), place, name))
                left = {path.name for path in place.iterdir()} - before - BESIDE
                if verdict == "refused" and {one for one in left if not one.endswith(".toml")}:
                    raise WrongAnswerError(f"left {left}")
            except BaseException as error:
                if keep is not None:
                    keep.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, keep / f"{form.name.replace(' ', '-')}-{file.name}")
                raise WrongAnswerError(f"{form.name}, {name}, {damage}: {type(error).__name__}: {error}") from error
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            for path in place.glob("*.out*"):
                path.unlink()
            shutil.rmtree(place / "s.toml", ignore_errors=True)
            told[verdict] += 1
    return told


def main(arguments: list[str] | None = None) -> int:
    """Attacks every format, or those named, with so many damaged files each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument(
        "--keep", type=Path, default=None, help="a folder for files that are not answered as they should be"
    )
    given = parser.parse_args(arguments)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    total: Counter[str] = Counter()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for form in formats(folder):
            if given.only and form.name not in given.only:
                continue
            try:
                told = attack(form, given.each, given.seed, folder, given.keep)
            except WrongAnswerError as error:
                wrong += 1
                sys.stdout.write(f"WRONG {error}\n")
                continue
            total += told
            sys.stdout.write(f"{form.name}: {told['read']} read, {told['refused']} refused\n")
            sys.stdout.flush()
    sys.stdout.write(f"all: {total.total()} damaged files, {total['read']} read, {total['refused']} refused\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "200")
    sys.exit(main())
