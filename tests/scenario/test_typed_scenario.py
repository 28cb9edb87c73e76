"""Typed objects of scenarios: they follow the schema, and are the scenarios that files and dicts are."""

import dataclasses
import importlib
import inspect
import itertools
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock import _core
from ackclock.scenario import (
    Access,
    Bottleneck,
    Delay,
    DelayStep,
    Flow,
    Outage,
    Probes,
    Scenario,
    app,
    cc,
    distribution,
    load,
    override_pairs,
    queue,
)
from ackclock.scenario._generate.text import MARK, sources
from ackclock.scenario._record import Record, read
from tests.helpers.places import ROOT
from tests.helpers.scenarios import SMALL

FOLDER = Path(ackclock.scenario.__file__).parent
EXAMPLES = sorted((ROOT / "scenarios").glob("*.toml"))

TYPED = Scenario(
    name="small",
    duration="5s",
    bottleneck=Bottleneck(rate="1Mbps", delay="20ms"),
    flows=[
        Flow(name="one", app="bulk", start_jitter="500ms"),
        Flow(name="two", app=app.Transfer(size="20kB", count=3, gap="200ms")),
        Flow(name="film", start="1s", app=app.Dash(ladder=["50kbps", "100kbps"], segment="1s", segments=3)),
    ],
    probes=Probes(window=True, packets=True),
)
"""The scenario of `SMALL`."""

ODD = Scenario(
    duration="3s",
    bottleneck=Bottleneck(
        rate="2Mbps",
        delay=Delay(steps=[DelayStep(at="0s", delay="10ms"), DelayStep(at="1s", delay="20ms")]),
        queue=queue.Codel(target="10ms"),
        outages=[Outage(from_="1s", to="1500ms")],
    ),
    access=Access(sink_delay=distribution.Exponential(mean="2ms")),
    flows=[
        Flow(
            app=app.Web(sessions_per_second=1, object_size=distribution.Uniform(min="1kB", max="9kB"), pages=2),
            cc=cc.CompoundTuned(lambda_=0.5),
            class_=3,
        )
    ],
)
"""With what is not written in Python as it is in TOML."""


def scenario_hash(source, overrides=None):
    text = load(source)
    return _core.scenario_hash(text.text, text.format, override_pairs(overrides), text.folder)


def test_the_modules_are_those_of_the_schema():
    written = {path.name: path.read_text() for path in FOLDER.glob("*.py")}
    written = {name: text for name, text in written.items() if MARK in text}
    expected = sources()
    assert written.keys() == expected.keys()
    stale = [name for name, text in expected.items() if written[name] != text]
    assert not stale, "make types"


def samples(schema):
    """Values that between them take every way through a schema; no engine would take many of them."""
    if "const" in schema:
        yield schema["const"]
    elif "enum" in schema:
        yield from schema["enum"]
    elif "oneOf" in schema:
        for choice in schema["oneOf"]:
            yield from samples(choice)
    elif schema["type"] == "object":
        columns = {key: samples(one) for key, one in schema["properties"].items()}
        first = {key: next(column) for key, column in columns.items()}
        least = {key: first[key] for key in schema.get("required", ())}
        yield first
        for key, column in columns.items():
            yield from (least | {key: cell} for cell in itertools.chain([first[key]], column))
    elif schema["type"] == "array":
        yield from ([one] for one in samples(schema["items"]))
    else:
        yield {"string": "some", "integer": 3, "number": 0.5, "boolean": True}[schema["type"]]


def dicts_in(record):
    """Whether a dict is left anywhere in a record."""
    values = [getattr(record, field.name) for field in dataclasses.fields(record)]
    for one in itertools.chain.from_iterable(value if isinstance(value, tuple) else [value] for value in values):
        if isinstance(one, dict) or (isinstance(one, Record) and dicts_in(one)):
            return True
    return False


def with_kinds(value, schema):
    """A sample as the objects write it: a table that left its kind out has it."""
    if isinstance(value, list):
        return [with_kinds(one, schema["items"]) for one in value]
    if not isinstance(value, dict):
        return value
    if "oneOf" in schema:
        inner = [one for one in schema["oneOf"] if "oneOf" in one]
        tables = [one for choice in [schema, *inner] for one in choice["oneOf"] if one.get("type") == "object"]
        kinds = [one["properties"].get("kind", {}).get("const") for one in tables]
        schema = tables[kinds.index(value["kind"]) if "kind" in value else 0]
    kind = schema["properties"].get("kind")
    return ({"kind": kind["const"]} if kind else {}) | {
        key: with_kinds(cell, schema["properties"][key]) for key, cell in value.items()
    }


def test_the_table_of_a_transport_is_a_dict():
    quinn = {"kind": "quinn", "cc": "bbr"}
    one = Scenario(
        duration="1s",
        bottleneck=Bottleneck(rate="10Mbps", delay="10ms"),
        flows=[Flow(app=app.Bulk(), transport=quinn), Flow(app=app.Bulk(), transport="tcp")],
    )
    flows = ackclock.check(one)["flows"]
    assert flows[0]["transport"].items() >= quinn.items()
    assert Scenario.load(one.document()) == one


def test_objects_hold_whatever_the_schema_accepts():
    schema = json.loads(_core.schema())
    # An object is of the present format and does not say so.
    del schema["properties"]["format"]
    # The schema does not know the parameters of transports, whose tables are dicts.
    del schema["properties"]["flows"]["items"]["properties"]["transport"]
    count = 0
    for sample in samples(schema):
        scenario = read(Scenario, sample)
        assert scenario.document() == with_kinds(sample, schema)
        assert not dicts_in(scenario)
        count += 1
    assert count > 1000


def test_a_file_may_say_its_format():
    text = 'duration = "1s"\nbottleneck = { rate = "1Mbps", delay = "50ms" }\nflows = [{ app = "bulk" }]\n'
    assert Scenario.load(f"format = 1\n{text}") == Scenario.load(text)
    with pytest.raises(ackclock.ScenarioError, match="format: 2 is the format of a later version"):
        Scenario.load(f"format = 2\n{text}")


def classes():
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "_record", "_source"}
    for name in sorted(modules):
        module = importlib.import_module(f"ackclock.scenario.{name}")
        own = (one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == module.__name__)
        yield from (one for one in own if issubclass(one, Record))


def test_every_field_is_documented():
    found = list(classes())
    assert {Scenario, Bottleneck, Flow, app.Dash, queue.FqCodel, cc.Bic, distribution.Pareto} <= {*found}
    for one in found:
        parts = inspect.getdoc(one).split("Parameters\n----------\n")
        lines = parts[1].splitlines() if len(parts) > 1 else []
        documented = {name: text for name, text in itertools.pairwise(lines) if not name.startswith(" ")}
        assert list(documented) == [field.name for field in dataclasses.fields(one)], one
        assert all(text.startswith("    ") for text in documented.values())
    said = " ".join(inspect.getdoc(app.Transfer).split())
    assert 'gap Time from the end of a transfer to the start of the next. Accepted: a time such as "200ms"' in said
    assert '(units: ns, us, ms, s, min, h). Default: "0s".' in said


def test_an_object_is_the_scenario_of_its_text():
    assert ackclock.check(TYPED) == ackclock.check(SMALL)
    assert scenario_hash(TYPED) == scenario_hash(SMALL)
    result = ackclock.run(TYPED, overrides={"duration": "2s"})
    assert result.document() == ackclock.run(SMALL, overrides={"duration": "2s"}).document()


def test_what_is_not_given_is_left_out():
    assert Flow(app="bulk", cc=None).document() == {"app": "bulk"}
    assert queue.Codel().document() == {"kind": "codel"}
    assert Flow(app="bulk", sack=False, class_=0).document() == {"app": "bulk", "class": 0, "sack": False}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_examples_as_objects(path, tmp_path, monkeypatch):
    scenario = Scenario.load(path)
    assert scenario_hash(scenario) == scenario_hash(path)
    written = tmp_path / "written.toml"
    written.write_text(scenario.to_toml())
    monkeypatch.chdir(path.parent)
    beside = Scenario.load(path.name)
    assert scenario_hash(beside) == scenario_hash(written if beside == scenario else beside.to_toml())
    assert Scenario.load(beside.to_toml()) == beside


@pytest.mark.parametrize("scenario", [TYPED, ODD], ids=["typed", "odd"])
def test_every_spelling_loads_as_the_same_object(scenario):
    assert Scenario.load(scenario) == scenario
    assert Scenario.load(scenario.document()) == scenario
    assert Scenario.load(scenario.to_toml()) == scenario
    assert scenario_hash(scenario.to_toml()) == scenario_hash(scenario)


def test_objects_are_values():
    again = pickle.loads(pickle.dumps(ODD))
    assert again == ODD
    assert hash(again) == hash(ODD)
    assert eval(repr(ODD)) == ODD
    changed = dataclasses.replace(ODD, seed=7)
    assert (changed.seed, changed.flows) == (7, ODD.flows)
    with pytest.raises(dataclasses.FrozenInstanceError):
        ODD.seed = 2
    ladder = ["1Mbps"]
    film = app.Dash(ladder=ladder, segment="1s")
    ladder.append("2Mbps")
    assert film.document()["ladder"] == ["1Mbps"]


def test_a_repr_is_what_one_writes():
    assert repr(Flow(app=app.Dash(ladder=["1Mbps"], segment="2s"), class_=2)) == (
        "Flow(app=app.Dash(ladder=['1Mbps'], segment='2s'), class_=2)"
    )


def test_paths_start_at_the_folder_of_the_file(tmp_path):
    vectors = tmp_path / "some.dna"
    vectors.write_bytes((EXAMPLES[0].parent / "remycc.dna").read_bytes())
    text = SMALL.replace('app = "bulk"', 'app = "bulk"\ncc = { kind = "remycc", table = "some.dna" }')
    (tmp_path / "own.toml").write_text(text)
    scenario = Scenario.load(tmp_path / "own.toml")
    assert scenario.flows[0].cc == cc.Remycc(table=str(vectors))
    assert scenario_hash(scenario) == scenario_hash(tmp_path / "own.toml")
    as_path = dataclasses.replace(scenario.flows[0], cc=cc.Remycc(table=vectors))
    assert as_path.document() == scenario.flows[0].document()


def test_values_of_overrides():
    typed = {"bottleneck.queue": queue.FqCodel(target="2ms"), "bottleneck.outages": [Outage(from_="1s", to="2s")]}
    plain = {"bottleneck.queue": {"kind": "fq-codel", "target": "2ms"}}
    plain["bottleneck.outages"] = [{"from": "1s", "to": "2s"}]
    assert ackclock.check(SMALL, typed) == ackclock.check(SMALL, plain)


def test_a_congestion_control_in_python_by_its_name_and_with_parameters():
    @ackclock.congestion_control("typed-own")
    class Own(ackclock.WindowRules):
        """A window that does not change."""

        share = ackclock.parameter(0.5, 0.1, 0.9, "what a loss leaves")

        def avoidance(self, s):
            return s.cwnd

        def ssthresh(self, s):
            return self.share * s.cwnd

    for given in ("typed-own", {"kind": "typed-own", "share": 0.7}):
        flows = [dataclasses.replace(TYPED.flows[0], cc=given), *TYPED.flows[1:]]
        scenario = dataclasses.replace(TYPED, flows=flows)
        canonical = ackclock.check(scenario)["flows"][0]["cc"]
        assert canonical.get("share") == (None if isinstance(given, str) else 0.7)
        assert Scenario.load(scenario) == scenario


def test_mistakes_in_objects():
    with pytest.raises(TypeError, match="rat"):
        Bottleneck(rat="1Mbps")
    with pytest.raises(TypeError, match="app"):
        Flow(name="without")
    with pytest.raises(TypeError, match="positional"):
        Flow("bulk")
    wrong = dataclasses.replace(TYPED, duration="0s", flows=[Flow(app=app.Transfer(size="20 kilos"), cc="fastest")])
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.run(wrong)
    assert [problem["path"] for problem in raised.value.problems] == ["duration", "flows[0].app.size", "flows[0].cc"]
    with pytest.raises(TypeError, match="a dict or a Scenario, not Flow"):
        ackclock.run(TYPED.flows[0])


def test_what_cannot_be_loaded(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(SMALL.replace("1Mbps", "1Mph"))
    with pytest.raises(ackclock.ScenarioError, match=r"bad.toml: line 6: bottleneck.rate"):
        Scenario.load(path)
    path.write_text(SMALL.replace('size = "20kB", ', 'size = "20kB",\n'))
    ackclock.check(path)
    with pytest.raises(ackclock.ScenarioError, match=r"bad.toml: not TOML 1.0"):
        Scenario.load(path)


def test_the_classes_wait_until_they_are_asked_for():
    code = (
        "import sys, ackclock.scenario as s; s.load; a = 'ackclock.scenario._flows' in sys.modules; s.Flow; "
        "print(a, 'ackclock.scenario._flows' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "False True\n"
    assert {"Scenario", "Bottleneck", "load", "check"} <= {*dir(ackclock.scenario)}
    with pytest.raises(AttributeError, match="Scenery"):
        _ = ackclock.scenario.Scenery
