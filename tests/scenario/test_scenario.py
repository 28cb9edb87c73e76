"""Scenarios as files, text and dicts; what is wrong with them, said once and whole."""

import pickle

import jsonschema
import pytest

import ackclock
from ackclock.scenario import load, override_pairs
from tests.helpers.scenarios import SMALL


def test_a_file_text_and_a_dict_are_the_same_scenario(scenario_file):
    from_file = ackclock.check(scenario_file)
    assert ackclock.check(str(scenario_file)) == from_file
    assert ackclock.check(SMALL) == from_file
    assert ackclock.check(from_file) == from_file


def test_the_canonical_form_obeys_the_schema(scenario_file):
    jsonschema.Draft202012Validator.check_schema(ackclock.schema())
    validator = jsonschema.Draft202012Validator(ackclock.schema())
    assert list(validator.iter_errors(ackclock.check(scenario_file))) == []
    assert list(validator.iter_errors({"duration": "5s", "no such key": 1}))


@pytest.mark.parametrize(
    ("path", "zero", "least"),
    [
        ("duration", "0.0s", "6.0s"),
        ("bottleneck.rate", "0bps", "1000000bps"),
        ("bottleneck.queue", "0 packets", "10 packets"),
        ("bottleneck.queue", "0.00bdp", "0.9bdp"),
        ("access.rate", "0x", "0.010x"),
        ("flows[0].mss", "00B", "0064B"),
    ],
)
def test_the_schema_knows_what_is_not_zero(path, zero, least):
    """The engine reads the override and gives the value back; the schema sees it as it is written."""
    validator = jsonschema.Draft202012Validator(ackclock.schema())
    scenario = ackclock.check(SMALL, {path: least})
    assert list(validator.iter_errors(scenario)) == []
    holder = scenario["flows"][0] if "flows" in path else scenario.get(path.split(".")[0])
    holder = holder if isinstance(holder, dict) else scenario
    key = path.split(".")[-1]
    for value, accepted in ((least, True), (zero, False)):
        holder[key] = value
        assert validator.is_valid(scenario) is accepted
    with pytest.raises(ackclock.ScenarioError):
        ackclock.check(SMALL, {path: zero})


def test_overrides_win():
    changed = ackclock.check(SMALL, {"bottleneck.rate": "2Mbps", "flows[0].sack": False, "flows[2].app.segments": 7})
    assert changed["bottleneck"]["rate"] == "2Mbps"
    assert changed["flows"][0]["sack"] is False
    assert changed["flows"][2]["app"]["segments"] == 7


def test_override_values_are_toml():
    ladder = ["100kbps", "200kbps"]
    pairs = dict(override_pairs({"a": "1Mbps", "b": True, "c": 2, "d": ladder, "e": {"kind": "fq", "a b": 1.5}}))
    assert pairs == {
        "a": "1Mbps",
        "b": "true",
        "c": "2",
        "d": '["100kbps", "200kbps"]',
        "e": '{kind = "fq", "a b" = 1.5}',
    }
    changed = ackclock.check(SMALL, {"flows[2].app.ladder": ladder, "flows[0].pacing": {"kind": "fq"}})
    assert changed["flows"][2]["app"]["ladder"] == ladder
    assert changed["flows"][0]["pacing"]["kind"] == "fq"


@pytest.mark.parametrize("value", [None, object(), float("nan"), [None]])
def test_values_that_no_scenario_can_hold_are_refused(value):
    with pytest.raises(ackclock.ScenarioError):
        override_pairs({"a": value})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file"),
        (b"duration = \xff", r"not UTF-8 text: byte 0xff at offset 11"),
        (b"", "bottleneck"),
        (b"duration = ", "line 1"),
        (b"\x00\x01", "line 1"),
        (b"#" * (2**24 + 1), "more than 16 MiB"),
    ],
)
def test_files_that_are_no_scenario(tmp_path, content, words):
    path = tmp_path / "bad.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ackclock.ScenarioError, match=words) as raised:
        ackclock.run(path)
    assert all(line.startswith(f"{path}: ") for line in raised.value.lines())


def test_a_file_without_end_is_no_scenario():
    with pytest.raises(ackclock.ScenarioError, match="/dev/zero: cannot be read: a device; accepted: a file"):
        ackclock.check("/dev/zero")


def test_prose_is_refused_in_few_lines(tmp_path):
    path = tmp_path / "prose.toml"
    path.write_text("to be or not to be\n" * 1000)
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(path)
    assert len(raised.value.problems) == 1000
    lines = str(raised.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == f"{path}: and 980 more"


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


@pytest.mark.parametrize("scenario", ["\ud800\n", {"name": "\ud800"}, nested(100_000)])
def test_what_no_text_can_hold_is_refused(scenario):
    with pytest.raises(ackclock.ScenarioError, match=r"not Unicode text|nested too deeply"):
        ackclock.check(scenario)


@pytest.mark.parametrize(
    "overrides", [{"name": "\udcff"}, {"\udcff": "x"}, {"name": ["\udcff"]}, {"x": nested(100_000)}]
)
def test_overrides_that_no_text_can_hold_are_refused(overrides):
    with pytest.raises(ackclock.ScenarioError, match=r"not Unicode text|nested too deeply"):
        ackclock.check(SMALL, overrides)


@pytest.mark.parametrize("overrides", ["seed=2", 3, [1], ["ab"], {1: 2}, [("a", "b", "c")]])
def test_overrides_are_pairs(overrides):
    with pytest.raises(TypeError, match="override"):
        ackclock.check(SMALL, overrides)


def test_a_folder_is_no_scenario(tmp_path):
    with pytest.raises(ackclock.ScenarioError, match="directory"):
        ackclock.check(tmp_path)


@pytest.mark.parametrize("scenario", [{"duration": float("inf")}, {"flows": [object()]}, {}])
def test_dicts_that_are_no_scenario(scenario):
    with pytest.raises(ackclock.ScenarioError):
        ackclock.check(scenario)


def test_what_is_no_kind_of_scenario_is_a_type_error():
    with pytest.raises(TypeError, match="path, TOML text, a dict or a Scenario"):
        load(3)


# Each mistake gives one clear message that names the path.
BAD = {
    "bottleneck.rate": "-1Mbps",
    "flows[0].mss": "0B",
    "bottleneck.queue": "100 bytes",
    "duration": "0s",
    "flows[2].app.ladder": ["200kbps", "100kbps"],
    "flows[0].no_such_key": 1,
    "flows[0].cc": "fastest",
}


@pytest.mark.parametrize("path", BAD)
def test_bad_values_name_their_path(path):
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.run(SMALL, overrides={path: BAD[path]})
    (problem,) = raised.value.problems
    assert problem["path"].startswith(path)
    assert problem["message"]


def test_several_mistakes_are_reported_together():
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.run(SMALL, overrides=BAD)
    assert len(raised.value.problems) == len(BAD)
    assert len(str(raised.value).splitlines()) == len(BAD)


def test_errors_know_their_line_and_pickle():
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(SMALL.replace("1Mbps", "1Mph"))
    (problem,) = raised.value.problems
    assert problem["line"] == SMALL.splitlines().index('rate = "1Mbps"') + 1
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (str(copy), copy.problems) == (str(raised.value), raised.value.problems)


def test_the_catalogue_names_what_scenarios_can():
    catalogue = ackclock.catalogue()
    families = {"cc", "recovery", "validation", "slow-start", "stack", "app", "queue", "loss", "abr", "pacing", "media"}
    families |= {"arrival", "distribution", "rate", "jitter", "preset", "transport"}
    families |= {"policer", "delay_table", "netem_loss", "slot"}
    assert families == catalogue.keys()
    for cc in catalogue["cc"]:
        if all(parameter["default"] is not None for parameter in cc["parameters"]):
            ackclock.check(SMALL, {"flows[0].cc": cc["name"]})
        assert cc["summary"]
        assert cc["source"]
