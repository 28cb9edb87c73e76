"""Names, parameters, schemas and digests of what is registered."""

import jsonschema
import pytest

import ackclock
from ackclock.cc import registry
from ackclock.studies.framework import Reading, Variant, hash_of
from tests.cc.mine import BASE, SOURCE, full, registered, run


def test_parameters_are_set_by_scenarios_before_anything_else():
    made = []

    def init(self):
        made.append((self.kept, self.step))

    members = {"kept": ackclock.parameter(0.5, 0.1, 0.9, "part kept"), "step": ackclock.parameter(1, 0, 5)}
    cls = registered("mine", ackclock.WindowRules, __init__=init, **members)
    run({"kind": "mine", "kept": 0.75})
    assert set(made) == {(0.75, 1.0)}
    assert cls.kept == 0.5
    for cc, words in {
        "{ kind = 'mine', kept = 0.95 }": "flows[0].cc.kept: 0.95 is not accepted; accepted: a number from 0.1 to 0.9",
        "{ kind = 'mine', kep = 0.5 }": 'unknown key of mine; accepted: kind, source, kept, step; did you mean "kept"?',
    }.items():
        with pytest.raises(ackclock.ScenarioError) as raised:
            ackclock.check(BASE, {"flows[0].cc": cc})
        assert words in str(raised.value)
    with pytest.raises(ValueError, match="default must be from 0 to 1, not 2"):
        ackclock.parameter(2, 0, 1)
    (row,) = (row for row in ackclock.catalogue()["cc"] if row["name"] == "mine")
    assert row["parameters"][0] == {"name": "kept", "summary": "part kept", "default": 0.5, "least": 0.1, "most": 0.9}


def test_a_name_is_known_once_it_is_registered():
    with pytest.raises(ackclock.ScenarioError):
        ackclock.check(BASE, {"flows[0].cc": "mine"})
    registered("mine", ackclock.WindowRules, __doc__="Mine.\n\nMore.")
    checked = ackclock.check(BASE, {"flows[0].cc": "mine"})
    assert checked["flows"][0]["cc"].keys() == {"kind", "source"}
    assert ackclock.check(checked) == checked
    with pytest.raises(ackclock.ScenarioError, match="yeah-paper, mine; did you mean"):
        ackclock.check(BASE, {"flows[0].cc": "minne"})
    row = ackclock.catalogue()["cc"][-1]
    assert (row["name"], row["summary"]) == ("mine", "Mine.")
    assert row["source"].startswith("mine.py, class Mine, source ")


def test_the_schema_knows_what_is_registered():
    def accepted(cc):
        flows = [{"app": "bulk", "cc": cc}]
        document = {"bottleneck": {"rate": "1Mbps", "delay": "1ms", "queue": "1bdp"}, "flows": flows}
        return jsonschema.Draft202012Validator(ackclock.schema()).is_valid({"name": "a", "duration": "1s", **document})

    forms = ("mine", {"kind": "mine"}, {"kind": "mine", "kept": 0.9})
    assert [accepted(cc) for cc in forms] == [False] * 3
    registered("mine", ackclock.WindowRules, kept=ackclock.parameter(0.5, 0.1, 0.9, "part kept"))
    jsonschema.Draft202012Validator.check_schema(ackclock.schema())
    assert [accepted(cc) for cc in forms] == [True] * 3
    (table,) = (form for form in registry.schemas("cc") if form.get("type") == "object")
    assert table["properties"]["kept"] == {
        "type": "number",
        "minimum": 0.1,
        "maximum": 0.9,
        "default": 0.5,
        "description": "part kept",
    }
    canonical = ackclock.check(BASE, {"flows[0].cc": {"kind": "mine", "kept": 0.7}})
    assert accepted(canonical["flows"][0]["cc"])
    refused = ({"kind": "mine", "kept": 0.91}, {"kind": "mine", "kep": 0.5}, {"kept": 0.5}, "minne")
    assert [accepted(cc) for cc in refused] == [False] * 4


@pytest.mark.parametrize(
    ("name", "base", "members", "error", "words"),
    [
        ("reno", ackclock.WindowRules, {}, ValueError, "reno is the catalogue's"),
        ("My Reno", ackclock.WindowRules, {}, ValueError, "'My Reno' is no name"),
        ("mine too", ackclock.WindowRules, {}, ValueError, "'mine too' is no name"),
        ("mine", object, {}, TypeError, "WindowRules or of ackclock.CongestionControl"),
        ("mine", ackclock.CongestionControl, {}, TypeError, "Mine lacks on_ack, on_congestion, on_timeout"),
        ("mine", ackclock.WindowRules, {"increse": len}, TypeError, "increse is no callback; did you mean increase"),
        ("mine", ackclock.CongestionControl, full(on_acks=len), TypeError, "did you mean on_ack"),
        ("mine", ackclock.WindowRules, {"kind": ackclock.parameter(1, 0, 2)}, ValueError, "cannot be called kind"),
        ("mine", ackclock.WindowRules, {"source": ackclock.parameter(1, 0, 2)}, ValueError, "cannot be called source"),
        ("mine", type("Both", (ackclock.WindowRules, ackclock.CongestionControl), {}), full(), TypeError, "a class of"),
    ],
)
def test_what_cannot_be_registered(name, base, members, error, words):
    with pytest.raises(error, match=words):
        registered(name, base, **members)
    assert registry.algorithms() == []


def test_two_sources_of_one_name_have_two_hashes(tmp_path):
    def meta():
        return ackclock.run(BASE, overrides={"flows[0].cc": "mine", "duration": "2s"}).meta

    metas = []
    for step in (1, 2, 1):
        path = tmp_path / "mine.py"
        path.write_text(SOURCE.format(step=step, name="mine"))
        ackclock.load(path)
        metas.append(meta())
    assert metas[0] == metas[2]
    assert metas[0]["scenario_hash"] != metas[1]["scenario_hash"]
    assert metas[0]["algorithms"].keys() == {"mine"}
    assert metas[0]["algorithms"] != metas[1]["algorithms"]
    assert "algorithms" not in ackclock.run(BASE, overrides={"duration": "2s"}).meta
    canonical = ackclock.check(BASE, {"flows[0].cc": "mine"})
    path.write_text(SOURCE.format(step=3, name="mine"))
    ackclock.load(path)
    with pytest.raises(ackclock.ScenarioError, match="is not the source that is loaded"):
        ackclock.run(canonical)
    (tmp_path / "other.py").write_text(SOURCE.format(step=1, name="mine"))
    with pytest.raises(registry.LoadError, match=r"mine is already the name of Mine .*mine\.py"):
        ackclock.load(tmp_path / "other.py")


def test_every_parameter_counts_for_the_hash_whatever_its_name():
    parameters = {name: ackclock.parameter(1, 0, 9) for name in ("table", "sha256")}
    registered("mine", ackclock.WindowRules, **parameters)
    reading = Reading("main", ackclock.scenario.load(BASE))
    given = [{"table": table, "sha256": sha256} for table in (2, 3) for sha256 in (2, 3)]
    hashes = {hash_of(reading, Variant("one", "one", {"flows[0].cc": {"kind": "mine", **one}})) for one in given}
    assert len(hashes) == 4


def test_a_class_without_a_source_is_refused():
    scope = {"__name__": "nowhere", "ackclock": ackclock}
    with pytest.raises(ValueError, match="put it into a file"):
        exec(SOURCE.format(step=1, name="mine"), scope)


def test_a_class_fixes_a_parameter_of_its_base_by_another_value():
    seen = []
    base = type("Base", (ackclock.WindowRules,), {"kept": ackclock.parameter(0.5, 0.1, 0.9)})
    registered("mine", base, kept=0.7, reduction=lambda self, flow: seen.append(self.kept) or self.kept)
    run("mine")
    assert set(seen) == {0.7}
    with pytest.raises(ackclock.ScenarioError, match="unknown key of mine"):
        ackclock.check(BASE, {"flows[0].cc": {"kind": "mine", "kept": 0.6}})


def test_what_is_registered_again_is_as_it_was_said_last():
    registered("mine", ackclock.WindowRules, __doc__="Once.")
    registered("mine", ackclock.WindowRules, __doc__="Again.")
    assert [row["summary"] for row in registry.rows()] == ["Again."]
