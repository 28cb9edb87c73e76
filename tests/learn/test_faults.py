"""A search that is ended, or whose disk is full, at its calls: nothing is lost, half-written or left."""

from contextlib import chdir

import pytest

from ackclock import learn
from ackclock.cli import main
from tests.helpers.designs import DESIGN
from tests.helpers.everywhere import Trial, full, killed, undisturbed

pytestmark = pytest.mark.slow

OPTIONS = ["--specimens", "2", "--validation", "2", "--rules", "4", "--patience", "1", "--threads", "1"]


def prepare(folder):
    (folder / "x.toml").write_text(DESIGN.replace('duration = "2s"', 'duration = "300ms"'), encoding="utf-8")


def act(folder):
    with chdir(folder):
        return main(["learn", "x.toml", "--out", "x.dna", *OPTIONS])


def state(folder):
    return (folder / "x.dna").read_bytes(), learn.Log.read(folder / "x.learn.jsonl").decisions


def sound(folder):
    log = folder / "x.learn.jsonl"
    if log.exists():
        learn.Log.read(log)
    assert not (folder / "x.dna").exists() or (folder / "x.dna").stat().st_size


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    made = tmp_path_factory.mktemp("search")
    undisturbed(Trial(prepare, act, state, sound), made)
    return made


@pytest.mark.parametrize("fault", [killed, full], ids=["killed", "a full disk"])
def test_a_search_loses_nothing_and_leaves_nothing(root, fault):
    tried, wrong = fault(Trial(prepare, act, state, sound), root, step=2)
    assert wrong == []
    assert tried > 10
