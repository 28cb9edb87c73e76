"""RED and Adaptive RED against a slow reference, and that against ns-2."""

import shutil
import subprocess

import pytest

from tests.engine.red import Red, Settings
from tests.engine.stream import Replay, Stream, replay, traffic

SEED = bytes(range(1, 33))
RATE = 1_000_000

# Settings of the studies: EDGE with RED and REDok, LTE-like weights; and each option in turn.
STUDY = {"queue_in_bytes": False, "bytes": False, "max_p": 0.1, "q_weight": 0.002, "thresh": 3, "maxthresh": 9}
CASES = {
    "defaults": {},
    "study": STUDY,
    "study-ok": {**STUDY, "max_p": 0.65, "q_weight": 0.2, "maxthresh": 40},
    "study-fast": {**STUDY, "q_weight": 0.2},
    "bytes": {"q_weight": 0.1, "mean_pktsize": 1000, "thresh": 2, "maxthresh": 8},
    "size-only": {"q_weight": 0.1, "queue_in_bytes": False, "thresh": 2, "maxthresh": 8},
    "no-wait": {**STUDY, "q_weight": 0.05, "wait": False},
    "not-gentle": {**STUDY, "q_weight": 0.3, "gentle": False},
    "marks": {**STUDY, "q_weight": 0.3, "maxthresh": 25, "setbit": True},
    "marks-all": {**STUDY, "q_weight": 0.3, "setbit": True, "use_mark_p": False},
    "marks-not-gentle": {
        **STUDY,
        "q_weight": 0.3,
        "maxthresh": 20,
        "setbit": True,
        "use_mark_p": False,
        "gentle": False,
    },
    "random": {**STUDY, "q_weight": 0.3, "use_mark_p": False, "gentle": False, "drop_rand": True},
    "automatic-0": {"q_weight": 0, "target_delay": 0.2},
    "automatic-2": {"q_weight": -2, "queue_in_bytes": False},
    "automatic-1": {"q_weight": -1, "rtt": 0.01, "queue_in_bytes": False, "thresh": 2},
    "adaptive": {"adaptive": True, "q_weight": 0.1, "interval": 0.05},
    "adaptive-packets": {**STUDY, "adaptive": True, "q_weight": 0.1, "bottom": 0.001, "top": 0.9, "alpha": 0.02},
}
LIMITS = [("packets", 25), ("bytes", 60_000)]


def engine(given, limit, packets, rate=RATE):
    """The fate of the packets in the engine with the reference's settings."""
    times = ("rtt", "target_delay", "interval")
    parameters = {name: value * 1e9 if name in times else float(value) for name, value in given.items()}
    name = "ared" if parameters.pop("adaptive", False) else "red"
    return replay(name, rate, limit, parameters, packets, SEED)


def arrivals(name, ecn=(0,)):
    return traffic(len(name), 4000, RATE, load=(0.3, 0.9, 1.2, 2.0, 3.0), ecn=ecn)


@pytest.mark.parametrize("limit", LIMITS, ids=["packets", "bytes"])
@pytest.mark.parametrize("name", CASES)
def test_red_reference(name, limit):
    given = CASES[name]
    packets = arrivals(name, ecn=(0, 1, 2, 2, 3))
    queues = []

    def make(drop):
        queues.append(Red(Settings(RATE, limit, **given), drop, Stream(SEED).unit))
        return queues[0]

    found = Replay(RATE, make).run(packets)
    assert found == engine(given, limit, packets)
    kinds = [kind for kind, _, _ in found]
    # A full queue begins the count of packets anew, and leaves little to early drops.
    assert kinds.count("aqm") > (30 if limit[0] == "bytes" else 0)
    marks = sum(left == 3 != packet.ecn for (_, _, left), packet in zip(found, packets, strict=True))
    assert (marks > 3) == bool(given.get("setbit")), marks
    assert (len({*queues[0].max_ps}) > 10) == bool(given.get("adaptive"))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"q_weight": -1.5}, "q_weight: more than 0 and up to 1, or one of 0, -1, -2"),
        ({"thresh": 9.0, "maxthresh": 9.0}, "maxthresh: more than the minimum threshold of 9 packets, or 0"),
        ({"maxthresh": 4.0}, "maxthresh: more than the minimum threshold of 5 packets, or 0"),
        ({"max_p": 0.0}, "max_p is 0; accepted"),
    ],
)
@pytest.mark.parametrize("name", ["red", "ared"])
def test_red_errors(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        replay(name, RATE, None, parameters, [], SEED)


def test_ared_errors():
    with pytest.raises(ValueError, match=r"top: at least the bottom, 0\.2"):
        replay("ared", RATE, None, {"top": 0.1, "bottom": 0.2}, [], SEED)


# Prints its random numbers, and begins with them anew; then the average that each arrival finds, and who was dropped.
NS_SCRIPT = """
{settings}
for {{set i 0}} {{$i < {draws}}} {{incr i}} {{ puts "u [$defaultRNG uniform 0 1]" }}
$defaultRNG reset-start-substream
set ns [new Simulator]
set a [$ns node]
set b [$ns node]
$ns simplex-link $a $b {rate} 1ms RED
$ns queue-limit $a $b {limit}
$ns trace-queue $a $b stdout
set queue [[$ns link $a $b] queue]
set udp [new Agent/UDP]
$udp set packetSize_ 3000
$ns attach-agent $a $udp
set null [new Agent/Null]
$ns attach-agent $b $null
$ns connect $udp $null
proc arrive {{size}} {{
    global udp queue
    $udp send $size
    puts "a [$queue set ave_] [$queue set cur_max_p_]"
}}
{arrivals}
$ns at {end} "exit 0"
$ns run
"""

NS_NAMES = {"max_p": "linterm_", "target_delay": "targetdelay_"}


def ns2(given, limit, packets, folder):
    """Random numbers, averages and max_p of the arrivals, and the numbers of the packets dropped, of ns-2."""
    settings = {"mean_pktsize": 1500, **given}
    lines = []
    for name, value in settings.items():
        value = 1 / value if name == "max_p" else int(value) if value is True or value is False else value
        lines.append(f"Queue/RED set {NS_NAMES.get(name, name + '_')} {value}")
    script = NS_SCRIPT.format(
        settings="\n".join(lines),
        draws=len(packets),
        rate=RATE,
        limit=limit,
        arrivals="\n".join(f'$ns at {packet.at / 1e9:.9f} "arrive {packet.size}"' for packet in packets),
        end=packets[-1].at / 1e9 + 1000,
    )
    path = folder / "red.tcl"
    path.write_text(script)
    run = subprocess.run(["ns", str(path)], capture_output=True, text=True, check=True)
    uniform, averages, max_ps, dropped = [], [], [], []
    for line in run.stdout.splitlines():
        match line.split():
            case ["u", number]:
                uniform.append(float(number))
            case ["a", average, max_p]:
                averages.append(float(average))
                max_ps.append(float(max_p))
            case ["d", *_, number]:
                dropped.append(int(number))
    return uniform, averages, max_ps, dropped


@pytest.mark.skipif(shutil.which("ns") is None, reason="needs ns-2 (Debian's package ns2)")
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not {"drop_rand", "setbit", "rtt"} & {*case}])
def test_red_ns2(name, tmp_path):
    given = CASES[name]
    if given.get("adaptive"):
        # Above the maximum, ns-2 goes on from the first max_p.
        given = {**given, "gentle": False}
    packets = arrivals(name)
    # ns-2's own limit is in mean packets where the average is in bytes.
    limit = ("packets", 25 if not given.get("queue_in_bytes", True) else 1000)
    uniform, averages, max_ps, dropped = ns2(given, limit[1], packets, tmp_path)
    numbers = iter(uniform)
    queues = []

    def make(drop):
        queues.append(Red(Settings(RATE, limit, **given), drop, lambda: next(numbers)))
        return queues[0]

    found = Replay(RATE, make).run(packets)
    assert queues[0].averages == pytest.approx(averages, rel=1e-5, abs=1e-9)
    assert queues[0].max_ps == pytest.approx(max_ps, rel=1e-5)
    assert [number for number, (kind, _, _) in enumerate(found) if kind != "sent"] == sorted(dropped)
    assert len(dropped) > 50
