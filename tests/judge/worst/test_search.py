"""Searches of a few cases: they find what there is to find, whatever the threads, and write it."""

import json
import re
from dataclasses import replace

import pytest

from ackclock.cli import main
from ackclock.judge.card import Candidate
from ackclock.judge.worst import GOALS, Bounds, Case, search
from ackclock.judge.worst.perform import Local
from ackclock.judge.worst.search import Bench

SHORT = ("--rate", "4..8", "--rtt", "20..60", "--duration", "6", "--budget", "48")


def run(capsys, *arguments):
    """Exit status, standard output and standard error of a command line."""
    status = main(["worst", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def damage(name, goal, case, duration_s=10.0):
    """The damage of a case by hand."""
    bounds = replace(GOALS[goal].bounds, duration_s=duration_s)
    return Bench(Candidate(name), GOALS[goal], bounds, Local(1)).damages([case])[0]


def test_a_lost_burst_hurts_and_a_plain_path_does_not():
    # An early loss ends slow start, and Reno then needs one RTT for each segment of a window of 417.
    plain = Case(50.0, 100.0, 2.0)
    assert damage("reno", "under-use", plain) < 10
    assert damage("reno", "under-use", replace(plain, losses=(20, 60))) > 50


def test_a_deep_buffer_delays_and_a_flow_that_fills_it_harms():
    assert damage("reno", "delay", Case(8.0, 40.0, 8.0)) > 100
    assert damage("vegas", "delay", Case(8.0, 40.0, 8.0)) < 60
    # BBRv1 starves CUBIC in shallow buffers (Ware and others, IMC 2019), and Vegas yields.
    shallow = Case(20.0, 40.0, 0.25)
    assert damage("bbr1", "harm", shallow) > 70
    assert damage("vegas", "harm", Case(8.0, 40.0, 2.0)) < 30


def test_a_search_is_the_same_whatever_the_threads():
    bounds = Bounds(rate_mbps=(4.0, 8.0), rtt_ms=(20.0, 60.0), losses=2, duration_s=6.0)
    found = [
        search(Candidate("reno"), GOALS["under-use"], bounds, budget=48, seed=2, threads=threads) for threads in (1, 2)
    ]
    assert found[0].document() == found[1].document()
    one = found[0]
    assert one.raw_damage - one.plain_damage == pytest.approx(max(one.history))
    assert one.damage >= one.plain_damage
    assert len(one.again) == 8
    assert set(one.beside) == {"cubic", "reno"}
    # The candidate beside itself is itself.
    assert one.beside["reno"] == one.damage
    other = search(Candidate("reno"), GOALS["under-use"], bounds, budget=48, seed=3, threads=1)
    assert other.history != one.history


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("worst") / "out"
    assert main(["worst", "vegas", "--goal", "starvation", "--jitter", "5", *SHORT, "--out", str(place)]) == 0
    return place


def test_the_folder_has_a_page_a_document_a_scenario_and_a_figure(folder):
    assert {path.name for path in folder.iterdir()} == {
        "ackclock.json", "worst.html", "worst.json", "worst.png", "worst.toml"
    }  # fmt: skip
    page = (folder / "worst.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', page) == []
    assert "The worst case for vegas: starvation" in page


def test_the_scenario_repeats_the_damage(capsys, folder):
    document = json.loads((folder / "worst.json").read_text(encoding="utf-8"))
    head = (folder / "worst.toml").read_text(encoding="utf-8")
    assert "#   ackclock run worst.toml --seed 1\n" in head
    assert all(f"# {line}\n" in head for line in document["case"])
    from ackclock import run as run_scenario
    from ackclock.judge.card.measures import goodput

    result = run_scenario(folder / "worst.toml", seed=1)
    rates = [goodput(result, [name], 0.2 * 6, 6) for name in ("flow", "other")]
    rate = float(re.search(r"has ([\d.]+) Mbit/s", document["case"][0])[1])
    assert document["damage"] == pytest.approx(100 * abs(rates[0] - rates[1]) / rate)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cubik",), 'flows[0].cc: "cubik" is not a known congestion control'),
        (("reno", "--goal", "fun"), "fun"),
        (("reno", "--rate", "9..1"), "--rate 9..1: expected a number or LOW..HIGH"),
        (("reno", "--losses", "11"), "--losses 11: expected 0 to 10"),
        (("reno", "--jitter", "-1", "--rtt", "x"), "--jitter -1: expected 0 to 1000"),
        (("reno", "--jitter", "-1", "--rtt", "x"), "--rtt x: expected"),
        (("reno", "--seed", "-1"), "seed -1: accepted: a whole number from 0 to 4000000000"),
        (("reno", "--seed", "4000000001"), "seed 4000000001: accepted"),
        (("reno", "--budget", "10"), "a budget of 10 cases: expected at least 32"),
        (("reno", "--library", "x.so"), "--library needs --transport"),
        (("reno", "--transport", "quinn", "--field", "ecn=l4s"), "--field and --transport exclude"),
        (("reno", "--threads", "0"), "--threads 0"),
    ],
)
def test_wrong_requests_are_told_and_nothing_is_written(capsys, tmp_path, arguments, said):
    place = tmp_path / "out"
    status, out, err = run(capsys, *arguments, "--out", str(place))
    assert status == 2
    assert said in err
    assert "Traceback" not in err
    assert out == ""
    assert not place.exists()
