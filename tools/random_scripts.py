"""Random packetdrill scripts, played by the simulator and then by a kernel: ``python -m tools.random_scripts``.

The peer of a script does what a generator draws: segments in order, beyond gaps, overlapping and outside the window,
acknowledgments old, partial and new, with SACK blocks or without, closed and small windows, FINs and resets; and the
application reads, writes and closes. What the simulator sends and returns becomes what the script expects. The kernel
then runs the script, and the first difference of each is printed. A script that fails stays in the folder of `--out`.

A seed is a script, whatever the other arguments are.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ackclock import _core
from ackclock.judge import drill
from ackclock.kernel import scripts

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGINNING = """\
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
+0 `ethtool -K tun0 tso off gso off`
"""
GAPS_MS = (0, 1, 3, 11, 23, 47, 110, 270, 1300)
"""Times between two events of the peer or the application."""
LEFT = re.compile(r"; > (?P<packet>.+?) left at (?P<at>[0-9.]+): ")
PACKET = re.compile(r"^(?P<flags>\S+) (?P<start>\d+):(?P<end>\d+)\(\d+\)(?: ack (?P<ack>\d+))?")
RETURNED = re.compile(r"returned (?P<value>-?\d+)(?P<error> E[A-Z]+)?")
FIELDS = (
    *("state", "ca_state", "options", "unacked", "sacked", "lost", "retrans", "total_retrans", "backoff", "probes"),
    *("snd_cwnd", "snd_ssthresh", "reordering", "notsent_bytes", "bytes_acked", "bytes_received", "segs_in"),
    *("segs_out", "dsack_dups", "reord_seen", "rcv_ooopack"),
)
"""Numbers of TCP_INFO that are compared at the end; those of time are not."""


@dataclass
class Script:
    """A script that is being made, and what its peer knows."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)
    now_ms: float = 0.0
    sent: int = 1
    """First sequence number that the stack has not sent yet."""
    acked: int = 1
    """First sequence number that the peer has not acknowledged yet."""
    expected: int = 1
    """First sequence number that the stack has not acknowledged yet."""
    beyond: int = 1
    """First sequence number that the peer has not sent yet."""
    ranges: list[tuple[int, int]] = field(default_factory=list)
    """Ranges of sequence numbers that the stack has sent, from which SACK blocks are drawn."""
    sack: bool = True
    window: int = 1000
    written: int = 0
    ended: bool = False
    """Whether there is nothing left to say."""

    def text(self, *more: str) -> str:
        """The script with further lines."""
        return BEGINNING + "\n".join([*self.lines, *more]) + "\n"

    def play(self, *more: str) -> dict[str, Any]:
        """Outcome of the script with further lines in the simulator."""
        outcome: dict[str, Any] = json.loads(_core.drill(self.text(*more), ".", drill.STACK, []))
        return outcome

    def add(self, line: str) -> None:
        """Adds an event of this moment."""
        self.lines.append(f"{self.now_ms / 1000:.6g} {line}")

    def wait(self) -> None:
        """Lets time pass, and writes down what the simulator sends meanwhile."""
        until = self.now_ms + self.rng.choice(GAPS_MS) + self.rng.choice((0, 0.5))
        for _ in range(60):
            outcome = self.play("* > R 4000000000:4000000000(0)")
            found = LEFT.search(outcome["reason"] or "")
            if found is None or float(found["at"]) * 1000 > until:
                break
            at = float(found["at"]) * 1000
            self.lines.append(f"{at / 1000:.6g} > {_spelt(found['packet'])}")
            self.take(found["packet"])
        self.now_ms = until

    def take(self, packet: str) -> None:
        """Takes note of a packet of the simulator."""
        found = PACKET.match(packet)
        if not found:
            return
        start, end = int(found["start"]), int(found["end"])
        if end > start:
            self.ranges.append((start, end))
        self.sent = max(self.sent, end + ("F" in found["flags"]))
        if found["ack"]:
            self.expected = max(self.expected, int(found["ack"]))
        self.ended |= "R" in found["flags"]

    def call(self, line: str) -> None:
        """Adds a system call, whose result is the simulator's."""
        outcome = self.play(f"{self.now_ms / 1000:.6g} {line} = 99999")
        found = RETURNED.search(outcome["reason"] or "")
        if found is None:
            return
        value = found["value"] + (found["error"] + " (error)" if found["error"] else "")
        if outcome["verdict"] == "fail" and not LEFT.search(outcome["reason"]):
            self.add(f"{line} = {value}")

    def blocks(self) -> str:
        """Some SACK blocks above what is acknowledged, or none."""
        above = [one for one in self.ranges if one[0] > self.acked]
        if not self.sack or not above or self.rng.random() < 0.3:
            return ""
        chosen = self.rng.sample(above, min(len(above), self.rng.randint(1, 3)))
        return " <sack " + " ".join(f"{start}:{end}" for start, end in sorted(set(chosen))) + ",nop,nop>"

    def acknowledge(self) -> None:
        """An acknowledgment: new, partial, old, or of the same again."""
        ends = [end for _, end in self.ranges if end > self.acked]
        kind = self.rng.random()
        if ends and kind < 0.5:
            self.acked = self.rng.choice(ends)
        elif ends and kind < 0.6:
            self.acked = self.rng.randint(self.acked, max(ends))
        elif kind < 0.7:
            self.acked = max(self.acked, self.sent)
        if self.rng.random() < 0.15:
            self.window = self.rng.choice((0, 1, 7, 40, 257, 1000, 5000))
        number = self.acked
        if kind > 0.93:
            # An acknowledgment of what was never sent is answered by kernels since 6.14 alone (docs/drill.md).
            number = self.rng.choice((max(1, self.acked - 500), self.acked))
        self.add(f"< . {self.beyond}:{self.beyond}(0) ack {number} win {self.window}{self.blocks()}")

    def data(self) -> None:
        """Payload: the next, beyond a gap, overlapping, old, or beyond the window."""
        size = self.rng.choice((1, 100, 536, 1000, 1000, 1000, 1460))
        start = self.rng.choice(
            (
                self.beyond, self.beyond, self.beyond, self.expected, self.beyond + size, self.beyond + 2 * size,
                max(1, self.expected - 300), max(1, self.expected - size), self.expected + 500, self.expected + 70_000,
            )
        )  # fmt: skip
        flags = self.rng.choice((".", "P.", "P.", "P.", "FP." if self.rng.random() < 0.2 else "P."))
        ends = [end for _, end in self.ranges if end > self.acked]
        if ends and self.rng.random() < 0.4:
            self.acked = self.rng.choice(ends)
        self.add(f"< {flags} {start}:{start + size}({size}) ack {self.acked} win {self.window}")
        if start < self.expected + 60_000:
            self.beyond = max(self.beyond, start + size + ("F" in flags))

    def application(self) -> None:
        """A call of the application."""
        kind = self.rng.random()
        if kind < 0.45:
            self.call(f"read(4, ..., {self.rng.choice((1, 700, 5000, 100_000))})")
        elif kind < 0.9:
            size = self.rng.choice((1, 500, 1000, 2500, 10_000, 40_000))
            self.call(f"write(4, ..., {size})")
        elif kind < 0.95:
            self.call(f"shutdown(4, {self.rng.choice(('SHUT_WR', 'SHUT_RD', 'SHUT_RDWR'))})")
        elif len(self.lines) > 25:
            self.call("close(4)")
            self.ended = True

    def rare(self) -> None:
        """A reset, a SYN or an empty FIN."""
        edge = self.rng.choice((self.expected, self.expected + 1, self.beyond, self.expected + 100_000))
        flags = self.rng.choice(("R", "S", "F.", "F."))
        ack = "" if flags in ("R", "S") else f" ack {self.acked}"
        self.add(f"< {flags} {edge}:{edge}(0){ack} win {self.window}")
        if flags == "F.":
            self.beyond = max(self.beyond, edge + 1)


def _spelt(packet: str) -> str:
    """A packet of a message as scripts have it: with the padding that Linux puts before SACK blocks."""
    if packet.startswith("S"):
        return re.sub(r"<.*>", "<...>", packet)
    return packet.replace("<sack ", "<nop,nop,sack ")


def made(seed: int) -> str:
    """The script of a seed."""
    script = Script(random.Random(seed))  # noqa: S311 -- scripts, not secrets
    rng = script.rng
    calls = []
    if rng.random() < 0.25:
        calls.append(f"setsockopt(3, SOL_SOCKET, SO_RCVBUF, [{rng.choice((3000, 10_000, 50_000))}], 4) = 0")
    if rng.random() < 0.15:
        calls.append(f"setsockopt(3, SOL_SOCKET, SO_SNDBUF, [{rng.choice((5000, 20_000))}], 4) = 0")
    if rng.random() < 0.4:
        calls.append("setsockopt(3, IPPROTO_TCP, TCP_NODELAY, [1], 4) = 0")
    for call in [*calls, "bind(3, ..., ...) = 0", "listen(3, 1) = 0", "fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0"]:
        script.add(call)
    script.sack = rng.random() < 0.75
    scale = rng.choice((None, 0, 2, 7, 7))
    options = [f"mss {rng.choice((536, 1000, 1460))}"]
    options += ["sackOK"] if script.sack else []
    options += [f"nop,wscale {scale}"] if scale is not None else []
    text = ",".join(options)
    script.add(f"< S 0:0(0) win {rng.choice((1000, 20_000, 65_535))} <{text + ',nop,nop' if script.sack else text}>")
    script.window = rng.choice((257, 1000, 1000, 20_000, 65_535))
    script.wait()
    script.add(f"< . 1:1(0) ack 1 win {script.window}")
    script.add("accept(3, ..., ...) = 4")
    script.add("fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0")
    bias = rng.choice((0.2, 0.45, 0.7))
    for _ in range(rng.randint(8, 40)):
        script.wait()
        if script.ended:
            break
        kind = rng.random()
        if kind < 0.25:
            script.application()
        elif kind < 0.97:
            (script.data if rng.random() < bias else script.acknowledge)()
        else:
            script.rare()
    script.wait()
    if not script.ended:
        at = f"{script.now_ms / 1000:.6g}"
        snippets = script.play(f"{at} %{{ pass }}%")["snippets"]
        checks = [f"assert tcpi_{name} == {snippets[-1]['values'][f'tcpi_{name}']}, tcpi_{name}" for name in FIELDS]
        script.lines.append("\n".join([f"{at} %{{", *checks, "}%"]))
    return f"// Seed {seed}\n" + script.text()


LATE = re.compile(
    r"expected > (?P<packet>.+) at (?P<at>[0-9.]+); nothing left until (?P<left>[0-9.]+): > (?P<same>.+)$"
)
LATENESS_S = 0.07
"""Maximum lateness of a timer of 0.5 s to 4 s, in s: a slot of the kernel's wheel of timers has 64 ticks."""


def is_late(reason: str) -> bool:
    """Whether a difference is a retransmission that the kernel's timer sent a little later."""
    found = LATE.search(reason)
    if not found or found["packet"] != found["same"]:
        return False
    if found["packet"].startswith(". ") and "(0)" in found["packet"]:
        # An acknowledgment, whose delay is a rule.
        return False
    return float(found["left"]) - float(found["at"]) < LATENESS_S


ROUNDS = 40
"""Maximum number of times that a script is given the kernel's PSH."""
PUSHED = re.compile(r"left at [0-9.]+: flags (P\.|\.) instead of (P\.|\.)$")


def played(kernel: scripts.Backend, files: Sequence[Path]) -> list[drill.ScriptResult]:
    """The verdicts of a kernel. Where it alone sets or lacks PSH, the script is given its PSH and played again.

    The simulator's scripts do not know where the kernel divides data into packets, whose ends have PSH.
    """
    results: dict[Path, drill.ScriptResult] = {}
    left = list(files)
    for _ in range(ROUNDS):
        again = []
        for file, result in zip(left, drill.run_on_kernel(kernel, left), strict=True):
            results[file] = result
            found = PUSHED.search(result.reason)
            if found and result.line:
                lines = file.read_text(encoding="utf-8").split("\n")
                changed = lines[result.line - 1].replace(f"> {found[2]} ", f"> {found[1]} ", 1)
                if changed != lines[result.line - 1]:
                    lines[result.line - 1] = changed
                    file.write_text("\n".join(lines), encoding="utf-8")
                    again.append(file)
        left = again
        if not left:
            break
    return list(results.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Makes scripts, runs them on the kernel, and prints the differences; 1 if there are some."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kernel", default="6.12", help="version of a kernel of `ackclock kernel list`")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="how many seeds")
    parser.add_argument("--out", type=Path, default=Path("out/random-scripts"), help="folder of the scripts")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    files = []
    for seed in range(given.first, given.first + given.count):
        file = given.out / f"{seed:06}.pkt"
        file.write_text(made(seed), encoding="utf-8")
        own = drill.run(file)
        if own.verdict != "pass":
            sys.stderr.write(f"{file}: the simulator itself: {own.reason}\n")
            continue
        files.append(file)
    kernel = scripts.backend(f"linux:{given.kernel}")
    differ = late = 0
    for result in played(kernel, files):
        if result.verdict == "pass":
            Path(result.path).unlink()
        elif is_late(result.reason):
            late += 1
        else:
            differ += 1
            sys.stdout.write(f"{result.path}: {result.reason}\n")
    told = f"{len(files)} scripts on Linux {kernel.version}: {differ} differ, {late} have a late timer first"
    sys.stdout.write(told + "\n")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
