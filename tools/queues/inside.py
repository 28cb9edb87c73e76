"""The program inside a kernel: sends given packets through a queue discipline, and tells what became of each.

It is the first process of a machine whose clock jumps from event to event, and it uses Python's standard library alone.
The packets leave through one end of a veth pair, which has the discipline, and are received at the other. Arguments:
the path of `ackclock.kernel.guest`, and the folder of question and answer.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import struct
import sys
import time
import traceback
from typing import Any, NoReturn

SO_TIMESTAMPNS, SO_SNDBUFFORCE, SO_RCVBUFFORCE = 35, 32, 33
BUFFER = 1 << 28
HERE, THERE = "10.9.0.1", "10.9.0.2"
PORT = 9000
HEADERS = 42
"""Bytes of the headers of Ethernet, IP and UDP."""
SETTLED_NS = 1_000_000_000
"""Time from the discipline's creation to the first packet: the timers of a discipline then run at their period."""
AFTER_NS = 5_000_000_000
"""Time after the last packet in which the queue empties."""


def load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("guest", path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wire:
    """A veth pair between two namespaces. Addresses are known at both ends, so that nothing but our packets passes."""

    def __init__(self, guest: Any) -> None:
        self.guest = guest
        shell = guest.shell
        shell("ip", "netns", "add", "there")
        shell("ip", "link", "add", "name", "out", "type", "veth", "peer", "name", "in", "netns", "there")
        guest.configure(guest.WITHOUT_IPV6)
        hardware = {"out": "02:00:00:00:00:01", "in": "02:00:00:00:00:02"}
        for name, own, other, arguments in (("out", HERE, THERE, []), ("in", THERE, HERE, ["-n", "there"])):
            peer = "in" if name == "out" else "out"
            shell("ip", *arguments, "link", "set", "dev", name, "address", hardware[name])
            shell("ip", *arguments, "addr", "add", f"{own}/24", "dev", name)
            shell("ip", *arguments, "link", "set", "dev", name, "up")
            shell("ip", *arguments, "neigh", "replace", other, "lladdr", hardware[peer], "dev", name)
        guest.without_offloads("out")
        self.receiver = self.inside()
        self.receiver.bind((THERE, PORT))
        self.receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        self.receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.receiver.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        self.receiver.setblocking(False)
        self.buffer = bytearray(b"\1" * 2048)

    def inside(self) -> socket.socket:
        """A socket in the namespace at the other end."""
        back = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.guest.enter("there")
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if self.guest.library.setns(back, self.guest.CLONE_NEWNET):
            raise OSError("setns")
        os.close(back)
        return made

    def prepare(self, commands: list[list[str]]) -> None:
        """Replaces the disciplines of the device by those of some commands of tc."""
        for command in (["qdisc", "replace", "dev", "out", "root", "pfifo"], ["qdisc", "del", "dev", "out", "root"]):
            self.guest.shell("tc", *command)
        for command in commands:
            self.guest.shell("tc", *command)

    def send(self, packets: list[list[int]]) -> tuple[list[int], list[list[int]]]:
        """Sends packets at their times, in ns.

        Gives the times at which they were sent, and number, time and ECN field of those that arrived.
        """
        flows: dict[int, socket.socket] = {}
        for flow in sorted({packet[2] for packet in packets}):
            made = flows[flow] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            made.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER)
            made.bind((HERE, PORT + 1 + flow))
            made.connect((THERE, PORT))
        payload = [bytearray(size - HEADERS) for _, size, _, _ in packets]
        for number, one in enumerate(payload):
            one[:4] = struct.pack("!I", number)
        fields = [[(socket.IPPROTO_IP, socket.IP_TOS, struct.pack("i", ecn))] for ecn in range(4)]
        times = [0] * len(packets)
        clock, sleep, real = time.monotonic_ns, time.sleep, time.CLOCK_REALTIME
        start = clock() + SETTLED_NS
        zero = start + time.clock_gettime_ns(real) - clock()
        for number, (at, _, flow, ecn) in enumerate(packets):
            left = start + at - clock()
            if left > 0:
                sleep(left / 1e9)
            times[number] = time.clock_gettime_ns(real)
            flows[flow].sendmsg([payload[number]], fields[ecn])
        sleep(AFTER_NS / 1e9)
        for made in flows.values():
            made.close()
        return [at - zero for at in times], [[number, at - zero, ecn] for number, at, ecn in self.received()]

    def received(self) -> list[list[int]]:
        found: list[list[int]] = []
        while True:
            try:
                _, ancillary, _, _ = self.receiver.recvmsg_into([self.buffer], 256)
            except BlockingIOError:
                return found
            values = {(level, kind): data for level, kind, data in ancillary}
            seconds, nanoseconds = struct.unpack("qq", values[socket.SOL_SOCKET, SO_TIMESTAMPNS])
            ecn = values[socket.IPPROTO_IP, socket.IP_TOS][0] & 3
            found.append([*struct.unpack("!I", self.buffer[:4]), seconds * 10**9 + nanoseconds, ecn])


def work(question: dict[str, Any], guest: Any) -> dict[str, Any]:
    wire = Wire(guest)
    runs = []
    for one in question["runs"]:
        wire.prepare(one["commands"])
        sent, received = wire.send(question["patterns"][one["pattern"]])
        runs.append({"sent": sent, "received": received})
    return {"release": os.uname().release, "runs": runs}


def main() -> None:
    guest = load(sys.argv[1])
    guest.set_up(sys.argv[2])
    try:
        with open(f"{guest.SHARED}/question.json") as file:
            question = json.load(file)

        def too_late(*_: object) -> NoReturn:
            raise TimeoutError(f"the runs did not end within {question['limit_s']:g} s of virtual time")

        signal.signal(signal.SIGALRM, too_late)
        signal.setitimer(signal.ITIMER_REAL, question["limit_s"])
        answer = work(question, guest)
    except BaseException:
        answer = {"error": traceback.format_exc()}
    guest.write(f"{guest.SHARED}/answer.new", json.dumps(answer))
    os.rename(f"{guest.SHARED}/answer.new", f"{guest.SHARED}/answer.json")
    guest.power_off()


if __name__ == "__main__":
    main()
