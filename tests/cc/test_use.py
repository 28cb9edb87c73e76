"""Congestion controls in Python on threads, in studies and on the command line."""

import json
import random

import pytest

import ackclock
from ackclock.cli import main
from ackclock.studies.framework import Lab, Reading, Variant, command_of, hash_of
from ackclock.studies.framework.sweep import Assumption, Sweep, run_sweep
from tests.cc.mine import BASE, SOURCE, registered
from tests.helpers.tables import same


def test_the_same_bytes_whatever_the_threads():
    def seed(self, seed):
        self.random = random.Random(seed)

    registered("lots", ackclock.WindowRules, seed=seed, increase=lambda self, flow: self.random.choice([0, 1, 2]))
    alone, spread = (ackclock.run(BASE, seeds=4, threads=n, overrides={"flows[*].cc": "lots"}) for n in (1, 4))
    assert same(alone, spread)
    assert len({run.flows["goodput_bps"][0] for run in alone}) == 4


def test_grids_sweeps_and_hashes_of_studies_take_it():
    registered("mine", ackclock.WindowRules, step=ackclock.parameter(1, 0, 9), increase=lambda self, flow: self.step)
    variants = [Variant("reno", "Reno", {"flows[*].cc": "reno"}), Variant("mine", "Mine", {"flows[*].cc": "mine"})]
    reading = Reading("main", ackclock.scenario.load(BASE), {"duration": "5s"})

    def measure(result):
        return {"time_s": float(result.flows["goodput_bps"].sum())}

    grid = Lab().grid([reading], variants, [1, 2], measure)
    assert grid.values("main", "mine", "time_s").tolist() == grid.values("main", "reno", "time_s").tolist()
    assert hash_of(reading, variants[0]) != hash_of(reading, variants[1])
    points = {step: {"flows[*].cc": {"kind": "mine", "step": step}} for step in (0, 4)}
    sweep = Sweep("step", "segments", points, {"duration": "5s"})
    swept = run_sweep(Lab(threads=2), sweep, reading.scenario, [Assumption("main")], variants[:1], [1, 2], measure)
    slow, fast = (swept.grid.values(f"step {step}; main", "reno", "time_s").tolist() for step in (0, 4))
    # A variant comes last: it is Reno at every step.
    assert slow == fast
    stepped = [Variant("mine", "Mine")]
    swept = run_sweep(Lab(threads=2), sweep, reading.scenario, [Assumption("main")], stepped, [1, 2], measure)
    slow, fast = (swept.grid.values(f"step {step}; main", "mine", "time_s").tolist() for step in (0, 4))
    assert slow != fast


def test_the_command_that_repeats_a_run_loads_what_it_needs(tmp_path):
    for name in ("mine", "other"):
        (tmp_path / f"{name} cc.py").write_text(SOURCE.format(step=1, name=name))
        ackclock.load(tmp_path / f"{name} cc.py")
    reading = Reading("main", ackclock.scenario.load(BASE))

    def command(cc):
        return command_of(reading, Variant("one", "one", {"flows[1].cc": cc}), 3)

    assert command("reno") == "ackclock run scenario.toml --seed 3 --set 'flows[1].cc=reno'"
    for cc in ("mine", {"kind": "mine"}):
        assert command(cc).startswith(f"ackclock run scenario.toml --load '{tmp_path}/mine cc.py' --seed 3 --set")


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.toml").write_text(BASE)

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_the_command_line_makes_loads_lists_and_runs_one(cli, tmp_path):
    status, out, err = cli("new", "cc", "my-reno")
    assert (status, err) == (0, "")
    assert "my_reno.py" in out
    assert cli("new", "cc", "my-reno") == (2, "", "ackclock: my_reno.py exists; it is not overwritten [ACK008]\n")
    assert cli("new", "cc", "Other")[0] == 2
    unknown = "ackclock: unknown kind queue; accepted: scenario, cc, abr, transport, workflow [ACK001]\n"
    assert cli("new", "queue", "other") == (2, "", unknown)
    assert [path.name for path in tmp_path.glob("*.py")] == ["my_reno.py"]
    assert cli("new", "cc", "a.b_c", "--full")[0] == 0
    assert "class ABC(ackclock.CongestionControl)" in (tmp_path / "a_b_c.py").read_text()

    out = cli("list", "cc", "--load", "my_reno.py")[1]
    assert "Additive increase of one segment a round trip" in out
    assert "part of the window kept at a loss" in out
    assert cli("check", "base.toml", "--load", "my_reno.py", "--set", "flows[0].cc=my-reno")[0] == 0
    assert '"const": "my-reno"' in cli("schema", "--load", "my_reno.py")[1]
    arguments = ["run", "base.toml", "--load", "my_reno.py", "--set", "flows[0].cc=my-reno", "--json"]
    document = json.loads(cli(*arguments)[1])
    assert document["flows"][0]["cc"] == "my-reno"
    assert document["algorithms"].keys() == {"my-reno"}
    assert json.loads(cli(*arguments, "--seeds", 2)[1])["algorithms"] == document["algorithms"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "mine.py: No such file or directory"),
        ("x = 1\n", 'mine.py: registers nothing; accepted: a class after @ackclock.congestion_control("NAME") or @'),
        ("x =\n", "mine.py: SyntaxError: invalid syntax"),
        ("1 / 0\n", "mine.py: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_cannot_be_loaded(cli, tmp_path, content, words):
    if content is not None:
        (tmp_path / "mine.py").write_text(content)
    status, out, err = cli("run", "base.toml", "--load", "mine.py")
    assert (status, out) == (2, "")
    assert words in err.splitlines()[-1]
    assert cli("run", "base.toml", "--load", "base.toml")[2].endswith(
        "accepted: a file NAME.py, a library or a crate [ACK021]\n"
    )


def test_the_command_line_shows_the_traceback_of_one_that_fails(cli, tmp_path):
    (tmp_path / "mine.py").write_text(
        SOURCE.format(step="1 / 0 if ackclock else 0", name="mine")
        .replace("STEP =", "STEP = lambda:")
        .replace("return STEP", "return STEP()")
    )
    status, out, err = cli("run", "base.toml", "--load", "mine.py", "--set", "flows[*].cc=mine", "--out", "results")
    assert (status, out) == (2, "")
    assert "mine.py" in err
    assert "return STEP()" in err
    assert err.splitlines()[-1].startswith("ackclock: mine of flow bu")
    assert err.splitlines()[-1].endswith("in increase: ZeroDivisionError: division by zero [ACK020]")
    assert not (tmp_path / "results").exists()
