"""Connection vectors that ackclock writes, as Tmix of ns-2 reads them: every unit, its size, its side and its wait."""

import re
import shutil
import subprocess
from itertools import pairwise

import pytest

import ackclock
from ackclock.cli import main
from ackclock.scenario.traffic import tmix
from ackclock.scenario.traffic.tmix import Connection, Unit

NS = shutil.which("ns")

pytestmark = pytest.mark.skipif(NS is None, reason="ns-2 is not installed (Debian's package ns2)")

SCRIPT = """
set ns [new Simulator]
set client [$ns node]
set server [$ns node]
$ns duplex-link $client $server 1000Mb 10ms DropTail
$ns queue-limit $client $server 10000
$ns queue-limit $server $client 10000
Agent/TCP/FullTcp set segsize_ 1460
Agent/TCP/FullTcp set nodelay_ true
set tmix [new Tmix]
$tmix set-init $client
$tmix set-acc $server
$tmix set-ID 1
$tmix set-cvfile [lindex $argv 0]
$tmix set-TCP Newreno
$tmix set-debug 4
$ns at 0.0 "$tmix start"
$ns at [lindex $argv 1] "exit 0"
$ns run
"""
NEW = re.compile(r"([\d.]+) (\S+) -> (\S+) \(cv: (\d+)\) NEW CONN")
LISTENS = re.compile(r"App \( (\S+) / \d+ / (\d+) / (\S+) \)> listening")
SENT = re.compile(r"([\d.]+) App \( (\S+) / \d+ / (\d+) / \S+ \)> sent (\d+) B ADU")

ROUND_TRIP = 0.02


def read_by_ns2(folder, file, until):
    """Connections that Tmix of ns-2 makes from a file: start of each, and (time, from the initiator, bytes)."""
    script = folder / "tmix.tcl"
    script.write_text(SCRIPT)
    command = [NS, str(script), str(file), str(until)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    told = done.stdout + done.stderr
    assert "Parse error" not in told
    assert "null" not in told
    starts, initiators, sent = {}, {}, {}
    for line in told.splitlines():
        if found := NEW.match(line):
            starts[int(found[4])] = float(found[1])
        elif found := LISTENS.search(line):
            # The initiator is the first of a connection.
            initiators.setdefault(int(found[2]), found[1])
        elif found := SENT.match(line):
            number = int(found[3])
            sent.setdefault(number, []).append((float(found[1]), found[2] == initiators[number], int(found[4])))
    return starts, sent


def lines_of(units):
    return [(unit.initiator, unit.size) for unit in units]


def sequential_waits(connection, sent):
    """The waits of a sequential connection that ns-2 kept, beside ours, in seconds: the path's share is left in."""
    for (before, now), (earlier, unit) in zip(pairwise(sent), pairwise(connection.units), strict=True):
        took = now[0] - before[0] - unit.wait_us / 1e6
        yield took, earlier.initiator == unit.initiator


@pytest.fixture
def mixed(tmp_path):
    """A sequential and a concurrent connection with waits that are told apart, and their file."""
    sequential = Connection(
        500_000,
        (Unit(True, 300), Unit(False, 20_000, 50_000), Unit(True, 400, 2_000_000), Unit(True, 70, 333_000)),
        close_us=100_000,
    )
    concurrent = Connection(
        1_250_000,
        (Unit(True, 3_000), Unit(False, 7_000), Unit(True, 1_000, 1_500_000), Unit(False, 2_000, 700_000)),
        concurrent=True,
    )
    file = tmp_path / "mixed.cvec"
    file.write_text(tmix.text([sequential, concurrent], "a sequential and a concurrent connection"))
    return sequential, file


def test_ns2_reads_both_kinds_of_connections(mixed, tmp_path):
    sequential, file = mixed
    starts, sent = read_by_ns2(tmp_path, file, 20)
    assert starts == {0: pytest.approx(0.5), 1: pytest.approx(1.25)}
    assert [(side, size) for _, side, size in sent[0]] == lines_of(sequential.units)
    waits = list(sequential_waits(sequential, sent[0]))
    # An answer waits from the receipt of the request, a unit of the same side from the unit before.
    assert [at for at, (_, own) in enumerate(waits) if own] == [2]
    assert waits[2][0] == pytest.approx(0, abs=1e-6)
    # Half a round trip, or more with the handshake and slow start before.
    assert all(ROUND_TRIP / 2 <= took <= 4 * ROUND_TRIP for took, own in waits if not own)
    times = {side: [(time, size) for time, one, size in sent[1] if one == side] for side in (True, False)}
    assert times == {
        True: [(pytest.approx(1.25), 3_000), (pytest.approx(2.75), 1_000)],
        False: [(pytest.approx(1.25), 7_000), (pytest.approx(1.95), 2_000)],
    }


def test_ns2_reads_generated_vectors(tmp_path):
    file = tmp_path / "web.cvec"
    assert main(["tmix", "generate", str(file), "--duration", "20", "--seed", "1"]) == 0
    made = tmix.generate(20, seed=1)
    starts, sent = read_by_ns2(tmp_path, file, 600)
    assert [starts[number] for number in range(len(made))] == [
        pytest.approx(one.start_us / 1e6, abs=1e-5) for one in made
    ]
    for number, connection in enumerate(made):
        assert [(side, size) for _, side, size in sent[number]] == lines_of(connection.units), number
        for took, _ in sequential_waits(connection, sent[number]):
            assert 0 <= took < 60 * ROUND_TRIP, number


def test_ns2_reads_what_a_capture_gives(tmp_path):
    scenario = """
duration = "20s"
bottleneck = { rate = "10Mbps", delay = "20ms", queue = "100 packets" }
[[flows]]
name = "a"
app = { kind = "rpc", rounds = 3, request_size = "500B", response_size = "20kB", server_think = "50ms", think = "2s" }
"""
    ackclock.trace(scenario, tmp_path, captures=["a.source"])
    file = tmp_path / "back.cvec"
    assert main(["tmix", "convert", str(tmp_path / "a.source.pcapng"), str(file)]) == 0
    _, sent = read_by_ns2(tmp_path, file, 60)
    assert [(side, size) for _, side, size in sent[0]] == [(True, 500), (False, 20_000)] * 3
