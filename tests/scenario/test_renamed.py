"""Old names in scenarios: the warnings, and the text that replaces them."""

import tomllib

import pytest

import ackclock
from ackclock.scenario import Scenario
from ackclock.scenario import _renamed as renamed
from ackclock.scenario._source import Text
from tests.helpers.scenarios import SMALL

HEADED = """\
# A head of two
# lines.

# The length.
duration = "5s"  # short
bottleneck = { rate = '2Mbps', delay = "20ms" }

[access]   # both sides
source_delay = "1ms"

[[flows]]
app.kind = "transfer"
app.size = '100kB'
	cc = 'cubic'   # the default of Linux

[[flows]]
cc = { kind = "vegas-paper", alpha = 3 } # with a table

[flows.app]
kind = "bulk"
"""
"""A scenario in every layout that TOML has."""


def old(steps, new, part="key", line=1):
    """An old name as the engine reports it."""
    return {"steps": steps, "line": line, "part": part, "old": str(steps[-1]), "new": new, "message": f"{steps}"}


@pytest.fixture
def pretend(monkeypatch):
    """Lets texts have old names, and the engine accept whatever is put in their place."""

    def pretend(*names, texts=(HEADED,)):
        monkeypatch.setattr("ackclock._core.old_names", lambda text, *_: list(names) if text in texts else [])
        monkeypatch.setattr("ackclock._core.check", lambda *_: '{"seed": 1}')

    return pretend


def changes(before, after):
    """The lines that differ, with those of the format left out."""
    after = after.replace("format = 1\n", "", 1)
    pairs = zip(before.splitlines(), after.splitlines(), strict=True)
    return [(one, other) for one, other in pairs if one != other]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (old(["duration"], "length"), [('duration = "5s"  # short', 'length = "5s"  # short')]),
        (old(["access"], "edges"), [("[access]   # both sides", "[edges]   # both sides")]),
        (
            old(["bottleneck", "rate"], "speed"),
            [
                (
                    "bottleneck = { rate = '2Mbps', delay = \"20ms\" }",
                    "bottleneck = { speed = '2Mbps', delay = \"20ms\" }",
                )
            ],
        ),
        (old(["flows", 0, "app", "size"], "bytes"), [("app.size = '100kB'", "app.bytes = '100kB'")]),
        (
            old(["flows", 1, "cc", "alpha"], "low"),
            [
                (
                    'cc = { kind = "vegas-paper", alpha = 3 } # with a table',
                    'cc = { kind = "vegas-paper", low = 3 } # with a table',
                )
            ],
        ),
        (old(["flows", 1, "app"], "does"), [("[flows.app]", "[flows.does]")]),
        (old(["flows"], "streams"), [("[[flows]]", "[[streams]]")] * 2 + [("[flows.app]", "[streams.app]")]),
        (
            old(["flows", 0, "cc"], "cubic-rfc9438", "value"),
            [("\tcc = 'cubic'   # the default of Linux", '\tcc = "cubic-rfc9438"   # the default of Linux')],
        ),
    ],
)
def test_a_name_is_replaced_and_the_rest_of_the_text_stays(pretend, name, lines):
    pretend(name)
    after = renamed.migrated(Text(HEADED))
    assert changes(HEADED, after) == lines
    tomllib.loads(after)


def test_windows_line_ends_stay(pretend):
    text = HEADED.replace("\n", "\r\n")
    pretend(old(["access"], "edges"), texts=[text])
    after = renamed.migrated(Text(text))
    assert after.count("\n") == after.count("\r\n") == HEADED.count("\n") + 1


def test_the_format_comes_before_the_first_statement():
    headed = renamed.migrated(Text(HEADED))
    assert headed == HEADED.replace("duration =", "format = 1\nduration =")
    assert ackclock.check(headed) == ackclock.check(HEADED)
    assert renamed.migrated(Text(headed)) == headed
    first = HEADED.replace('duration = "5s"  # short\nbottleneck = { rate = \'2Mbps\', delay = "20ms" }\n', "")
    table = '[bottleneck]\nrate = "2Mbps"\ndelay = "20ms"\n'
    with pytest.raises(ackclock.ScenarioError, match="duration: missing"):
        renamed.migrated(Text(first + table))


def test_a_name_that_cannot_be_replaced_is_told(pretend, monkeypatch):
    pretend(old(["nowhere", "old"], "new"))
    with pytest.raises(ackclock.ScenarioError, match="replace it by hand"):
        renamed.migrated(Text(HEADED))
    monkeypatch.setattr("ackclock._core.old_names", lambda *_: [old(["access"], "edges")])
    with pytest.raises(ackclock.ScenarioError, match="replace it by hand"):
        renamed.migrated(Text(HEADED))
    forms = iter(['{"seed": 1}', '{"seed": 2}'])
    monkeypatch.setattr("ackclock._core.check", lambda *_: next(forms))
    monkeypatch.setattr("ackclock._core.old_names", lambda *_: [])
    with pytest.raises(ackclock.ScenarioError, match="another meaning"):
        renamed.migrated(Text(HEADED))


def test_check_and_load_warn_of_old_names(monkeypatch, tmp_path):
    name = old(["bottleneck", "rate"], "rate") | {"message": "line 1: x is called y now"}
    monkeypatch.setattr("ackclock._core.old_names", lambda *_: [name])
    path = tmp_path / "s.toml"
    path.write_text(HEADED)
    for warns in (ackclock.check, Scenario.load, lambda one: ackclock.run(one, overrides={"duration": "1s"})):
        with pytest.warns(ackclock.RenamedWarning, match="line 1: x is called y now; `ackclock migrate` replaces it"):
            warns(path)


def test_the_engine_reports_no_old_names_where_there_are_none():
    assert renamed.old_names(Text(SMALL), [("flows[0].cc", "cubic")]) == []
    assert renamed.old_names(Text("not = [TOML")) == []
