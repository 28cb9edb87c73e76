"""The program inside the kernel: builds a path of namespaces, drives its sockets, and writes what TCP says.

It is the first process of a machine whose clock jumps from event to event, and it uses Python's standard library
alone. The path is one namespace for each sender, a router with the bottleneck, a second one with the propagation
delays, and the receiver: senders - r - x - d.
"""

from __future__ import annotations

import _thread
import ctypes
import fcntl
import heapq
import itertools
import json
import math
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import traceback
from typing import Any, NoReturn

SHARED = "/run/host"
PORT = 5001
SINK = "10.0.3.2"
ETHERNET = 14
"""Bytes of the header that netem counts and that a scenario's packets do not have."""

WITHOUT_IPV6 = {"net.ipv6.conf.all.disable_ipv6": "1"}
"""Settings of a namespace whose hosts send no router solicitations and no reports of multicast groups. These packets
leave at random times and take places in the queue of the bottleneck."""
KNOWN_NEIGHBOURS = {
    "net.ipv4.neigh.default.base_reachable_time_ms": "100000000",
    "net.ipv4.neigh.default.delay_first_probe_time": "100000",
}
"""Settings of the kernel's first namespace, from which all devices have them: an address that was resolved once is not
asked for again at a random time."""

CLONE_NEWNET = 0x40000000
MS_BIND = 4096
NAMESPACES = "/run/netns"
SIOCETHTOOL = 0x8946
OFFLOADS = (0x1F, 0x21, 0x24, 0x2C)
"""ETHTOOL_STSO, _SUFO, _SGSO, _SGRO: packets shall be those of the wire."""
POWER_OFF = 0x4321FEDC
TCP_NODELAY, TCP_INFO, TCP_CONGESTION = 1, 11, 13

FIELDS: list[tuple[str, str]] = [
    *((name, "B") for name in "state ca_state retransmits probes backoff options wscale flags".split()),
    *(
        (name, "I")
        for name in (
            "rto ato snd_mss rcv_mss unacked sacked lost retrans fackets last_data_sent last_ack_sent last_data_recv "
            "last_ack_recv pmtu rcv_ssthresh rtt rttvar ssthresh cwnd advmss reordering rcv_rtt rcv_space total_retrans"
        ).split()
    ),
    *((name, "Q") for name in "pacing_rate max_pacing_rate bytes_acked bytes_received".split()),
    *((name, "I") for name in "segs_out segs_in notsent min_rtt data_segs_in data_segs_out".split()),
    *((name, "Q") for name in "delivery_rate busy_time rwnd_limited sndbuf_limited".split()),
    *((name, "I") for name in "delivered delivered_ce".split()),
    *((name, "Q") for name in "bytes_sent bytes_retrans".split()),
]
"""The fields of struct tcp_info (include/uapi/linux/tcp.h), with their types."""
LAYOUT = struct.Struct("=" + "".join(kind for _, kind in FIELDS))
KEPT = (
    "ca_state unacked sacked lost retrans rtt ssthresh cwnd snd_mss total_retrans pacing_rate min_rtt rto delivered "
    "delivery_rate data_segs_out bytes_sent bytes_retrans bytes_acked"
).split()

BUFFER = bytearray(1 << 20)
"""Buffer into which data would be read; the kernel only counts the data."""

library = ctypes.CDLL(None, use_errno=True)


def shell(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}".strip())
    return done.stdout


def batch(tool: str, namespace: str | None, commands: list[str]) -> None:
    """Runs commands of ip or tc in a namespace. One process does all: a new one takes long in a kernel in user mode."""
    options = [] if namespace is None else ["-n", namespace]
    command = [tool, *options, "-batch", "-"]
    done = subprocess.run(command, input="\n".join([*commands, ""]), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}".strip())


def checked(result: int, what: str) -> None:
    if result:
        raise OSError(ctypes.get_errno(), what)


def enter(namespace: str) -> None:
    with open(f"{NAMESPACES}/{namespace}") as file:
        checked(library.setns(file.fileno(), CLONE_NEWNET), f"setns {namespace}")


def write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def configure(settings: dict[str, str]) -> None:
    """Sets sysctls of the present namespace."""
    for name, value in settings.items():
        write("/proc/sys/" + name.replace(".", "/"), value)


def without_offloads(device: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("II", command, 0), 64)
            try:
                fcntl.ioctl(control, SIOCETHTOOL, struct.pack("16sP", device.encode(), ctypes.addressof(value)))
            except OSError:
                # The device does not have this one.
                continue


class Path:
    """The namespaces and devices."""

    def __init__(self, question: dict[str, Any]) -> None:
        self.offloads = bool(question["offloads"])
        """Whether large packets of segmentation offload stay whole on all devices."""
        self.senders = [f"s{number}" for number in range(len(question["flows"]))]
        self.links: list[str] = []
        self.commands: dict[str, list[str]] = {}
        self.devices: dict[str, list[str]] = {}
        """Devices by namespace."""
        self.keep("root")
        configure(KNOWN_NEIGHBOURS)
        for name in [*self.senders, "r", "x", "d"]:
            checked(library.unshare(CLONE_NEWNET), "unshare")
            self.keep(name)
            configure(WITHOUT_IPV6)
            self.commands[name], self.devices[name] = ["link set dev lo up"], []
        enter("root")
        for number, name in enumerate(self.senders):
            self.pair(name, "out", f"10.1.{number}.1", "r", name, f"10.1.{number}.2")
            self.commands[name].append(f"route add default via 10.1.{number}.2")
        self.pair("r", "bottleneck", "10.0.2.1", "x", "back", "10.0.2.2")
        self.pair("x", "forth", "10.0.3.1", "d", "in", SINK)
        self.commands["r"].append("route add 10.0.3.0/24 via 10.0.2.2")
        self.commands["x"].append("route add 10.1.0.0/16 via 10.0.2.1")
        self.commands["d"].append("route add default via 10.0.3.1")
        batch("ip", None, self.links)
        ends = {"net.ipv4.tcp_no_metrics_save": "1", **question["sysctls"]}
        for name, commands in self.commands.items():
            batch("ip", name, commands)
            self.inside(name, self.prepare, name, {"net.ipv4.ip_forward": "1"} if name in ("r", "x") else ends)
        rate, limit, delay = question["rate_bps"], question["queue_packets"], question["delay_ns"]
        # netem's limit includes the packet that is being sent.
        queue = f"rate {rate}bit {-ETHERNET} limit {limit + 1}"
        batch("tc", "r", [f"qdisc add dev bottleneck root netem {queue}"])
        late = f"delay {delay / 1000:.3f}us limit 1000000"
        batch("tc", "x", [f"qdisc add dev {name} root netem {late}" for name in ("forth", "back")])
        # An address that is not resolved yet would delay the first packet.
        for name in self.senders:
            self.inside(name, self.resolve)

    def keep(self, namespace: str) -> None:
        """Gives the present namespace a name, as `ip netns` does."""
        path = f"{NAMESPACES}/{namespace}"
        write(path, "")
        checked(library.mount(b"/proc/self/ns/net", path.encode(), None, MS_BIND, None), f"mount {path}")

    def pair(self, one: str, device: str, address: str, two: str, other: str, remote: str) -> None:
        self.links.append(f"link add name {device} netns {one} type veth peer name {other} netns {two}")
        for inside, name, ip in ((one, device, address), (two, other, remote)):
            self.devices[inside].append(name)
            self.commands[inside] += [f"addr add {ip}/24 dev {name}", f"link set dev {name} up"]

    def prepare(self, namespace: str, values: dict[str, str]) -> None:
        if not self.offloads:
            for device in self.devices[namespace]:
                without_offloads(device)
        configure(values)

    def resolve(self) -> None:
        """Connects to a port at which nobody listens, and is refused."""
        with socket.socket() as one:
            one.settimeout(30)
            try:
                one.connect((SINK, PORT + 1))
            except ConnectionRefusedError:
                return
        raise RuntimeError("a port at which nobody listens took a connection")

    def counters(self, namespace: str) -> dict[str, int]:
        """The counters of TcpExt in a namespace, which are those of one sender."""
        with self.inside(namespace, open, "/proc/thread-self/net/netstat") as file:
            names, values = file.readline().split()[1:], file.readline().split()[1:]
        return dict(zip(names, map(int, values)))

    def inside(self, namespace: str, function: Any, *arguments: Any) -> Any:
        """Runs a function in a namespace."""
        enter(namespace)
        try:
            return function(*arguments)
        finally:
            enter("root")


class Arrivals:
    """The data of a connection that has arrived, as far as somebody will ask for it.

    A thread waits inside the kernel for all bytes of a burst, or for a megabyte: the kernel takes each segment as it
    arrives, and a return for each would be the largest part of a run.
    """

    def __init__(self, connection: socket.socket, flow: dict[str, Any]) -> None:
        self.connection = connection
        self.step = flow.get("size", 0)
        """Bytes of a burst or of a transfer; the time of the last byte of each is noted."""
        self.total = 0
        self.times: list[int] = []
        self.ended = False

    def take(self) -> None:
        """Reads until the end of the stream."""
        while True:
            wanted = min(self.step - self.total % self.step, len(BUFFER)) if self.step else len(BUFFER)
            try:
                count = self.connection.recv_into(BUFFER, wanted, socket.MSG_WAITALL | socket.MSG_TRUNC)
            except ConnectionResetError:
                count = 0
            if not count:
                self.ended = True
                return
            self.total += count
            if self.step and self.total % self.step == 0:
                self.times.append(time.monotonic_ns())

    def told(self) -> dict[str, Any]:
        """Data that has arrived so far. The kernel's count for a bulk flow is ahead of the thread that still waits."""
        total = self.total if self.step else info(self.connection, ["bytes_received"])["bytes_received"]
        return {"total": total, "times": self.times, "ended": self.ended}


def sink(flows: list[dict[str, Any]], asks: int, news: int) -> NoReturn:
    """The receiver: takes what arrives, and tells of it when it is asked."""
    enter("d")
    listener = socket.create_server((SINK, PORT), backlog=1024)
    poll = select.poll()
    for descriptor in (listener.fileno(), asks):
        poll.register(descriptor, select.POLLIN)
    found: dict[int, Arrivals] = {}
    os.write(news, b"ready\n")
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == listener.fileno():
                connection, (address, _) = listener.accept()
                number = int(address.split(".")[2])
                found[number] = Arrivals(connection, flows[number])
                _thread.start_new_thread(found[number].take, ())
            else:
                with os.fdopen(news, "w") as file:
                    json.dump({number: one.told() for number, one in found.items()}, file)
                os._exit(0)


class Flow:
    """A flow: its application and its present connection."""

    def __init__(self, number: int, wanted: dict[str, Any]) -> None:
        self.number = number
        self.wanted = wanted
        self.socket = socket.socket(socket.AF_UNIX)
        """The connection; before it begins, a socket of no network."""
        self.began = False
        self.registered = False
        self.sent = self.due = 0
        self.closes = self.opens = False
        self.since = 0
        """Time at which the connection began."""
        self.bursts: list[int] = []
        """Times at which bursts began."""


class Source:
    """The senders of all flows, in one process."""

    def __init__(self, question: dict[str, Any]) -> None:
        self.question = question
        self.flows = [Flow(number, wanted) for number, wanted in enumerate(question["flows"])]
        largest = max(flow["write_bytes"] for flow in question["flows"])
        self.data = memoryview(bytearray(b"\1" * largest))
        self.events: list[tuple[int, int, Any, tuple[Any, ...]]] = []
        self.count = itertools.count()
        self.samples: list[list[Any]] = []
        self.epoll = select.epoll()
        self.waiting: dict[int, Flow] = {}
        """Flows whose sockets had no room, by descriptor."""
        self.start = time.monotonic_ns()
        for flow in self.flows:
            self.at(self.start + flow.wanted["start_ns"], self.begin, flow)
        if question["interval_ns"]:
            self.at(self.start + question["interval_ns"], self.sample)

    def at(self, moment: int, function: Any, *arguments: Any) -> None:
        heapq.heappush(self.events, (moment, next(self.count), function, arguments))

    def begin(self, flow: Flow) -> None:
        self.connect(flow)
        kind = flow.wanted["kind"]
        if kind == "bulk":
            flow.due = 1 << 62
        elif kind == "transfer":
            flow.due, flow.closes = flow.wanted["size"], True
        else:
            # The first burst begins once the connection is established.
            flow.opens = True
            self.watch(flow, True)
            return
        self.send(flow)

    def ready(self, flow: Flow) -> None:
        if flow.opens:
            flow.opens = False
            self.burst(flow, flow.wanted["count"])
        else:
            self.send(flow)

    def burst(self, flow: Flow, left: int) -> None:
        now = time.monotonic_ns()
        flow.due += flow.wanted["size"]
        flow.bursts.append(now)
        if left != 1:
            self.at(now + flow.wanted["interval_ns"], self.burst, flow, left - 1)
        self.send(flow)

    def connect(self, flow: Flow) -> None:
        enter(f"s{flow.number}")
        flow.since = time.monotonic_ns()
        flow.socket = socket.socket()
        flow.began = True
        flow.socket.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, flow.wanted["cc"].encode())
        flow.socket.setsockopt(socket.IPPROTO_TCP, TCP_NODELAY, 0 if flow.wanted["nagle"] else 1)
        flow.socket.setblocking(False)
        flow.socket.bind(("", 0))
        try:
            flow.socket.connect((SINK, PORT))
        except BlockingIOError:
            return

    def send(self, flow: Flow) -> None:
        while flow.sent < flow.due:
            try:
                rest = min(flow.due - flow.sent, flow.wanted["write_bytes"])
                flow.sent += flow.socket.send(self.data[:rest])
            except BlockingIOError:
                self.watch(flow, True)
                return
        self.watch(flow, False)
        if flow.closes:
            flow.socket.shutdown(socket.SHUT_WR)
            flow.closes = False

    def watch(self, flow: Flow, on: bool) -> None:
        if on and not flow.registered:
            self.epoll.register(flow.socket, select.EPOLLOUT)
            self.waiting[flow.socket.fileno()] = flow
        elif flow.registered and not on:
            self.epoll.unregister(flow.socket)
            del self.waiting[flow.socket.fileno()]
        flow.registered = on

    def transfers(self, arrived: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
        """The transfers and bursts that have arrived, in the order of their ends."""
        found = []
        for number, one in arrived.items():
            flow = self.flows[int(number)]
            begins = [flow.since] if flow.wanted["kind"] == "transfer" else flow.bursts
            size = flow.wanted.get("size")
            found += [(end, flow.number, begun, size) for begun, end in zip(begins, one["times"])]
        return [
            {"flow": number, "start_ns": begun - self.start, "duration_ns": end - begun, "bytes": size}
            for end, number, begun, size in sorted(found)
        ]

    def sample(self) -> None:
        now = time.monotonic_ns()
        for flow in self.flows:
            if flow.began:
                self.samples.append([now - self.start, flow.number, *info(flow.socket).values()])
        step = self.question["interval_ns"]
        self.at(now + step - (now - self.start) % step, self.sample)

    def run(self) -> None:
        end = self.start + self.question["duration_ns"]
        while (now := time.monotonic_ns()) < end:
            while self.events and self.events[0][0] <= now:
                _, _, function, arguments = heapq.heappop(self.events)
                function(*arguments)
            wake = min(end, self.events[0][0]) if self.events else end
            # epoll waits for whole milliseconds.
            for descriptor, _ in self.epoll.poll(math.ceil(max(0, wake - now) / 1e6) / 1e3):
                flow = self.waiting.get(descriptor)
                if flow is not None:
                    self.ready(flow)


def info(one: socket.socket, names: list[str] = KEPT) -> dict[str, int]:
    raw = one.getsockopt(socket.IPPROTO_TCP, TCP_INFO, 512)[: LAYOUT.size].ljust(LAYOUT.size, b"\0")
    values = dict(zip((name for name, _ in FIELDS), LAYOUT.unpack(raw)))
    return {name: values[name] for name in names}


def work(question: dict[str, Any]) -> dict[str, Any]:
    path = Path(question)
    (hears, tells), (asked, asks) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            sink(question["flows"], asked, tells)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(tells)
    if os.read(hears, 6) != b"ready\n":
        raise RuntimeError("the receiver did not begin")
    before = [path.counters(name) for name in path.senders]
    source = Source(question)
    source.run()
    os.write(asks, b"?")
    with os.fdopen(hears) as file:
        arrived = json.load(file)
    after = [path.counters(name) for name in path.senders]
    flows = []
    for flow in source.flows:
        counted = {name: value - before[flow.number][name] for name, value in after[flow.number].items()}
        flows.append(
            {
                "received": arrived[str(flow.number)]["total"] if str(flow.number) in arrived else 0,
                "info": info(flow.socket) if flow.began else {},
                "counters": {name: value for name, value in counted.items() if value},
            }
        )
    return {
        "release": os.uname().release,
        "columns": ["time_ns", "flow", *KEPT],
        "samples": source.samples,
        "transfers": source.transfers(arrived),
        "flows": flows,
    }


def mount(kind: str, target: str, *options: str) -> None:
    shell("mount", "-t", kind, *options, "none", target)


def set_up(folder: str) -> None:
    """Mounts what a machine needs, with the folder of question and answer at SHARED."""
    os.environ["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    mount("proc", "/proc")
    mount("sysfs", "/sys")
    mount("tmpfs", "/run")
    os.mkdir(NAMESPACES)
    os.mkdir(SHARED)
    mount("hostfs", SHARED, "-o", folder)
    shell("ip", "link", "set", "dev", "lo", "up")


def power_off() -> None:
    sys.stderr.flush()
    library.sync()
    library.reboot(POWER_OFF)


def main() -> None:
    set_up(sys.argv[1])
    try:
        with open(f"{SHARED}/question.json") as file:
            question = json.load(file)

        def too_late(*_: object) -> NoReturn:
            raise TimeoutError(f"the run did not end within {question['limit_s']:g} s of virtual time")

        signal.signal(signal.SIGALRM, too_late)
        signal.setitimer(signal.ITIMER_REAL, question["limit_s"])
        answer = work(question)
    except BaseException:
        answer = {"error": traceback.format_exc()}
    with open(f"{SHARED}/answer.new", "w") as file:
        json.dump(answer, file)
    os.rename(f"{SHARED}/answer.new", f"{SHARED}/answer.json")


if __name__ == "__main__":
    try:
        main()
    finally:
        power_off()
