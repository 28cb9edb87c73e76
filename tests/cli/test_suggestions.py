"""Misspelt commands, options, files and names: each message has the nearest name."""

import pytest

import ackclock
from ackclock.base.near import suggestion
from ackclock.cli import main
from tests.helpers.scenarios import SWEPT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hello.toml").write_text(SWEPT)
    (tmp_path / "paths.csv").write_text("bottleneck.rate\n2Mbps\n")
    (tmp_path / "mine.py").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("swep hello.toml", "sweep"),
        ("halp", "help"),
        ("kernel lst", "list"),
        ("tmix conver", "convert"),
        ("sweep hello.toml --sedes 3", "--seeds"),
        ("check hello.toml --jsn", "--json"),
        ("list queues", "queue"),
        ("list studies", "study"),
        ("reproduce newcwv", "newcwv-dash"),
        ("bench --only w2", "W2"),
        ("plot hello.toml windw", "window"),
        ("run helo.toml", "hello.toml"),
        ("run hello.toml --load min.py", "mine.py"),
        ("sweep hello.toml --points path.csv", "paths.csv"),
        ("sweep hello.toml --tables flow", "flows"),
        ("run hello.toml --set bottleneck.queue=fq_codel", "fq-codel"),
        ("run hello.toml --set flows[0].cc=newreno", "reno"),
        ("run hello.toml --set flows[0].stack=linx", "linux"),
        ("run hello.toml --set bottleneck.rate=5mbps", "5Mbps"),
        ("run hello.toml --set bottlneck.rate=5Mbps", "bottleneck"),
        ("export out --of flows.goodput_bps --out x.cvs", ".csv"),
    ],
)
def test_the_nearest_name_is_suggested(folder, capsys, arguments, meant):
    assert main(arguments.split()) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert f'; did you mean "{meant}"?' in found.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("hepl", "accepted: run, sweep, ls, "),
        ("run hello.toml --seeds three", "--seeds three: expected a whole number"),
        ("compare hello.toml --level high", "--level high: expected a number"),
    ],
)
def test_other_mistakes_say_what_is_accepted(folder, capsys, arguments, told):
    assert main(arguments.split()) == 2
    assert told in capsys.readouterr().err


def test_stores_and_their_sweeps(folder, capsys):
    ackclock.sweep(SWEPT, seeds=1, out="out/hello", name="buffers").close()
    for arguments, told in (
        ("ls out/helo", 'did you mean "out/hello"?'),
        ("ls out", "it holds the stores out/hello"),
        ("ls hello.toml", "hello.toml: a file, and no store"),
        ("report out/hello --sweep bufers", 'did you mean "buffers"?'),
        ("export out/hello --table flow --out x.csv", 'did you mean "flows"?'),
        ("export out/hello --of flows.godput_bps --out x.csv", 'did you mean "goodput_bps"?'),
        ("export out/hello --of flow.goodput_bps --out x.csv", 'did you mean "flows"?'),
    ):
        assert main(arguments.split()) == 2
        assert told in capsys.readouterr().err


def test_a_name_that_is_far_from_all_is_not_suggested():
    assert suggestion("zebra", ["flows", "links"]) == ""
    # The dashes are no likeness.
    assert suggestion("--memory", ["--verify", "--seeds"]) == ""
