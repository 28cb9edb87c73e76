"""Connection vectors: generated, written, taken back from captures of the simulator, and run."""

import math
import subprocess
import sys

import numpy as np
import pytest

import ackclock
from ackclock.scenario.traffic import tmix
from ackclock.scenario.traffic.tmix import CaptureError, Connection, Unit, Workload

LINK = """
duration = "20s"
[bottleneck]
rate = "10Mbps"
delay = "20ms"
queue = "100 packets"
[[flows]]
name = "a"
start = "1s"
"""
ROUNDS = """
[flows.app]
kind = "rpc"
rounds = 3
request_size = "500B"
response_size = "20kB"
server_think = "50ms"
think = "2s"
"""
TURNS = [(True, 500), (False, 20_000)] * 3


@pytest.fixture
def captures(tmp_path):
    ackclock.trace(LINK + ROUNDS, tmp_path, captures=["a.source", "a.sink"])
    return tmp_path


def test_a_capture_of_the_simulator_gives_back_sizes_and_times(captures):
    [server] = tmix.convert(captures / "a.source.pcapng")
    [client] = tmix.convert(captures / "a.sink.pcapng")
    for connection in (server, client):
        assert [(unit.initiator, unit.size) for unit in connection.units] == TURNS
        assert connection.start_us == 0, "times count from the first SYN"
    assert [unit.wait_us for unit in server.units[1::2]] == [50_000] * 3, "the server's thinking, as the server sees it"
    assert [unit.wait_us for unit in client.units[2::2]] == [2_000_000] * 2, "the client's, as the client sees it"
    # A round trip of 40 ms and the request's 560 B, sent twice at 10 Mbit/s and more, besides.
    for unit in client.units[1::2]:
        assert 90_000 < unit.wait_us < 93_000


def test_what_is_sent_twice_counts_once(tmp_path):
    lossy = LINK.replace('queue = "100 packets"', 'queue = "100 packets"\nloss = "5%"')
    result = ackclock.trace(lossy + ROUNDS, tmp_path, captures=["a.source"])
    assert next(result.flows.rows())["retransmits"] > 0
    [connection] = tmix.convert(tmp_path / "a.source.pcapng", quiet_s=10)
    assert [(unit.initiator, unit.size) for unit in connection.units] == TURNS


def test_units_of_one_side_are_apart_from_start_to_start(tmp_path):
    """20 kB take 16 ms and more of sending, which the application's own clock does not count."""
    items = "items = [{ at = '1s', size = '20kB' }, { at = '3s', size = '5kB' }]"
    items = f"[flows.app]\nkind = 'list'\npersistent = true\n{items}\n"
    ackclock.trace(LINK + items, tmp_path, captures=["a.source"])
    [connection] = tmix.convert(tmp_path / "a.source.pcapng")
    assert [(unit.size, unit.wait_us) for unit in connection.units] == [(20_000, 0), (5_000, 2_000_000)]


def test_quiet_ends_a_unit(tmp_path):
    bursts = '[flows.app]\nkind = "bursts"\nsize = "5kB"\ninterval = "1s"\ncount = 3\n'
    ackclock.trace(LINK + bursts, tmp_path, captures=["a.source"])
    file = tmp_path / "a.source.pcapng"
    [connection] = tmix.convert(file)
    assert [(unit.size, unit.wait_us) for unit in connection.units] == [
        (5_000, 0),
        (5_000, 1_000_000),
        (5_000, 1_000_000),
    ]
    [whole] = tmix.convert(file, quiet_s=2)
    assert [unit.size for unit in whole.units] == [15_000]


def test_what_is_no_capture_is_one_message(tmp_path):
    file = tmp_path / "x.pcap"
    file.write_bytes(b"nothing of the kind, but long enough for a header")
    with pytest.raises(CaptureError, match="no capture in the format pcap or pcapng"):
        tmix.convert(file)


def test_the_original_format():
    sequential = Connection(
        1_500, (Unit(True, 300), Unit(False, 900, 70), Unit(True, 10, 5), Unit(True, 20, 6)), close_us=8
    )
    units = ["> 300", "t 70", "< 900", "t 5", "> 10", "t 6", "> 20", "t 8"]
    assert list(sequential.lines(4)) == ["SEQ 1500 2 4 4", "w 65535 65535", *units]
    concurrent = Connection(0, (Unit(False, 9), Unit(True, 3, 70)), concurrent=True)
    assert list(concurrent.lines(0)) == ["CONC 0 1 1 0 0", "w 65535 65535", "c< 9", "t> 70", "c> 3"]


def test_the_same_seed_gives_the_same_vectors():
    assert tmix.generate(50, seed=7) == tmix.generate(50, seed=7)
    assert tmix.generate(50, seed=7) != tmix.generate(50, seed=8)
    first = tmix.generate(50, seed=7)[0]
    assert (first.start_us, first.units[1].size) == (782_630, 1_695), "on every machine and version"


def test_generated_vectors_follow_their_distributions():
    work = Workload(sessions_per_second=4)
    connections = tmix.generate(5_000, seed=3, workload=work)
    count = len(connections)
    assert abs(count - 20_000) < 4 * math.sqrt(20_000), "Poisson arrivals"
    epochs = np.array([len(one.units) / 2 for one in connections])
    assert abs(epochs.mean() - 5) < 4 * math.sqrt(20 / count), "geometric"
    answers = np.array([unit.size for one in connections for unit in one.units if not unit.initiator])
    for size in (5_000, 11_580):
        body = 0.93 * 0.5 * (1 + math.erf((math.log(size) - 9.357) / 1.318 / math.sqrt(2)))
        assert abs((answers <= size).mean() - body) < 4 * math.sqrt(0.25 / answers.size), size
    beyond = 0.07 * (1_000_000 / 133_000) ** -1.1
    assert abs((answers > 1_000_000).mean() / beyond - 1) < 4 / math.sqrt(beyond * answers.size)
    assert answers.max() == work.largest
    thinking = np.array([unit.wait_us for one in connections for unit in one.units[2::2]])
    assert abs((thinking > 4_000_000).mean() - 4**-1.5) < 4 * math.sqrt(0.11 / thinking.size)
    assert thinking.min() >= 1_000_000
    assert thinking.max() == 60_000_000
    serving = np.array([unit.wait_us for one in connections for unit in one.units[1::2]])
    assert abs(serving.mean() - 20_000) < 4 * 20_000 / math.sqrt(serving.size)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sessions_per_second": 0}, r"sessions_per_second is a number above 0 and at most 1e\+09, not 0"),
        ({"sessions_per_second": 1e300}, r"sessions_per_second is a number above 0 and at most 1e\+09, not 1e\+300"),
        ({"epochs": 0.5}, r"epochs is a number of at least 1 and at most 1e\+06, not 0.5"),
        ({"epochs": math.inf}, r"epochs is a number of at least 1 and at most 1e\+06, not inf"),
        ({"request": 10**400}, r"request is a number of at least 1 and at most 1.15292e\+18, not 1000"),
        ({"body_mu": math.nan}, "body_mu is a number of at least -100 and at most 100, not nan"),
        ({"body_sigma": 1e308}, r"body_sigma is a number of at least 0 and at most 100, not 1e\+308"),
        ({"tail_alpha": 1e-300}, "tail_alpha is a number of at least 0.01 and at most 100, not 1e-300"),
        ({"tail_share": 1.5}, "tail_share is a number of at least 0 and at most 1, not 1.5"),
        ({"server_think_s": 1e308}, r"server_think_s is a number of at least 0 and at most 3.1536e\+08, not 1e\+308"),
        ({"think_most_s": 0.5}, "think_most_s is at least think_least_s, not 0.5"),
    ],
)
def test_a_workload_that_cannot_be_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Workload(**change)


@pytest.mark.parametrize(
    ("duration", "change", "message"),
    [
        (1e308, {}, r"duration_s is a number above 0 and at most 315360000, not 1e\+308"),
        (math.nan, {}, "not nan"),
        (3e8, {}, r"1.5e\+09 data units on average.*accepted: at most 1000000 data units, which are 200000 s"),
        (20, {"sessions_per_second": 1e9}, "data units on average, at 1e.09 sessions per second of 5 exchanges each"),
        (20, {"epochs": 1e6}, "accepted: at most 1000000 data units, which are 1 s"),
    ],
)
def test_a_workload_that_would_fill_the_memory_is_refused(duration, change, message):
    with pytest.raises(ValueError, match=message):
        tmix.generate(duration, seed=1, workload=Workload(**change))


def test_extreme_numbers_of_a_workload_are_drawn():
    """Sizes and times that no float holds become the largest ones."""
    extreme = Workload(body_mu=100, body_sigma=100, tail_alpha=0.01, think_alpha=0.01, think_most_s=1e8, epochs=3)
    units = [unit for one in tmix.generate(200, seed=1, workload=extreme) for unit in one.units]
    assert max(unit.size for unit in units) == extreme.largest
    assert max(unit.wait_us for unit in units) == 10**14


def test_vectors_run_and_come_back(tmp_path):
    """The vectors, over a network, captured at the server: what was to be said was said."""
    vectors = tmix.generate(15, seed=3, workload=Workload(sessions_per_second=1, epochs=2, largest=50_000))
    assert len(vectors) > 4
    (tmp_path / "web.cvec").write_text(tmix.text(vectors))
    app = '[flows.app]\nkind = "tmix"\nvectors = { file = "web.cvec" }\nrecords = true\n'
    (tmp_path / "run.toml").write_text(LINK.replace("20s", "300s") + app)
    result = ackclock.trace(tmp_path / "run.toml", tmp_path, captures=["a.source"])
    assert next(result.tmix.rows())["connections_done"] == len(vectors)
    assert result.tmix_connections["connection"].size == len(vectors)
    assert result.tmix_epochs["acceptor_bytes"].sum() == sum(
        u.size for v in vectors for u in v.units if not u.initiator
    )
    back = tmix.convert(tmp_path / "a.source.pcapng", quiet_s=30)
    sizes = [[(unit.initiator, unit.size) for unit in one.units] for one in vectors]
    assert [[(unit.initiator, unit.size) for unit in one.units] for one in back] == sizes
    starts = [one.start_us - vectors[0].start_us for one in vectors]
    assert [one.start_us for one in back] == pytest.approx(starts, abs=2)
    served = [unit.wait_us for one in vectors for unit in one.units[1::2]]
    assert [unit.wait_us for one in back for unit in one.units[1::2]] == pytest.approx(served, abs=2)


def test_the_commands(captures, tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "ackclock", "tmix", *arguments]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    made = run("generate", "web.cvec", "--duration", "20", "--seed", "5", "--set", "epochs=2")
    assert made.returncode == 0, made.stderr
    vectors = tmix.generate(20, seed=5, workload=Workload(epochs=2))
    text = (tmp_path / "web.cvec").read_text()
    assert text == tmix.text(vectors, "ackclock tmix generate --duration 20 --seed 5 --set epochs=2")
    converted = run("convert", str(captures / "a.source.pcapng"), "back.cvec")
    assert converted.returncode == 0, converted.stderr
    assert (tmp_path / "back.cvec").read_text().startswith("# from a.source.pcapng\nSEQ 0 3 0 0\n")
    wrong = run("generate", "web.cvec", "--duration", "20", "--set", "pages=2")
    assert wrong.returncode == 2
    assert "accepted: sessions_per_second" in wrong.stderr
