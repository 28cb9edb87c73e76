"""The digest of a congestion control in Python changes with everything that changes its behaviour, and only then."""

import linecache
import re
import sys

import pytest

import ackclock
from ackclock.cc import registry
from tests.cc.mine import BASE, SOURCE, registered


def digest(name="mine"):
    """The digest of the registered class, which scenarios keep."""
    return ackclock.check(BASE, {"flows[0].cc": name})["flows"][0]["cc"]["source"]


def test_meta_catalogue_and_scenario_have_the_same_one():
    registered("mine", ackclock.WindowRules)
    (row,) = registry.rows()
    meta = ackclock.run(BASE, overrides={"flows[0].cc": "mine", "duration": "1s"}).meta
    assert re.fullmatch("[0-9a-f]{16}", digest())
    assert meta["algorithms"] == {"mine": digest()}
    assert row["source"].endswith(f"source {digest()}")


def test_two_classes_of_a_file_have_two():
    class First(ackclock.WindowRules):
        pass

    class Second(ackclock.WindowRules):
        pass

    found = set()
    for cls in (First, Second):
        registry._entries.clear()
        ackclock.congestion_control("mine")(cls)
        found.add(digest())
    assert len(found) == 2


def test_the_files_of_bases_count(tmp_path, monkeypatch):
    base, mine = tmp_path / "cc_base.py", tmp_path / "mine.py"
    mine.write_text(
        "import ackclock\nfrom cc_base import Base\n\n"
        "@ackclock.congestion_control('mine')\nclass Mine(Base):\n    pass\n"
    )
    before, found = list(sys.path), []
    for step in (1, 2, 1):
        base.write_text(f"import ackclock\n\nclass Base(ackclock.WindowRules):\n    step = {step}\n")
        monkeypatch.delitem(sys.modules, "cc_base", raising=False)
        ackclock.load(mine)
        found.append(digest())
    assert found[0] == found[2] != found[1]
    assert sys.path == before


CELL = """
class Mine(ackclock.{base}):
    '''{document}'''

    kept = ackclock.parameter({default}, 0.1, 0.9)
    steps = {steps}
    scope = ackclock.Scope(window={window})

    def on_ack(self, window, ack, acked):
        pass

    on_congestion = on_timeout = on_ack

    @staticmethod
    def helped():
        return {helped}

    @classmethod
    def made(cls):
        return {made}

    @property
    def seen(self):
        return {seen}

ackclock.congestion_control("mine")(Mine)
"""
FIRST = {
    "base": "CongestionControl",
    "document": "",
    "default": 0.5,
    "steps": "[1, 2]",
    "window": False,
    "helped": 1,
    "made": 1,
    "seen": 1,
}


def cell(**changes):
    """Runs a notebook's cell, whose source is nowhere but in the interpreter, and returns the digest of its class."""
    source = CELL.format(**FIRST | changes)
    linecache.cache["<cell>"] = (len(source), None, source.splitlines(keepends=True), "<cell>")
    exec(compile(source, "<cell>", "exec"), {"__name__": "notebook", "ackclock": ackclock})
    return digest()


@pytest.mark.parametrize(
    "change",
    [{"default": 0.6}, {"steps": "[1, 3]"}, {"window": True}, {"helped": 2}, {"made": 2}, {"seen": 2}],
    ids=lambda change: next(iter(change)),
)
def test_all_that_a_notebook_s_class_says_counts(change):
    first = cell()
    assert cell(**change) != first
    assert cell(document="Other words.") == cell() == first


def test_the_files_of_algorithms_are_named_once_and_a_notebook_is_none(tmp_path):
    cell()
    both = tmp_path / "both.py"
    both.write_text(SOURCE.format(step=1, name="one") + SOURCE.format(step=1, name="two").replace("Mine", "Other"))
    ackclock.load(both)
    assert registry.files(["mine", "one", "two", "reno"]) == [str(both)]
