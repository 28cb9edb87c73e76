"""The engine of pages gives the bytes of the native engine, on every scenario of the repository that names no file."""

import base64
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import ackclock
from ackclock import _core
from ackclock.base.table import Table
from ackclock.judge.packs.contents import digests
from ackclock.results.result import Result
from tests.helpers.node import answers, needs_same_engine

pytestmark = needs_same_engine

ROOT = Path(__file__).parents[3]

FOLDERS = ["python/ackclock", "tests/cases", "crates/ackclock-fuzz/regressions", "tools"]

LONGEST_S = 2.0
"""Simulated seconds of a run; the same on both sides."""

PACKETS = 20_000
"""Packets that are expected of a run at most; a run that has more is made shorter."""

MOST = 1_000_000
"""Packets of a scenario that cannot be shortened so far; one with more is left out."""

TYPES = {"int": "<i8", "float": "<f8", "bool": "u1"}


def native(text, overrides, seed):
    return _core.run(text, "toml", overrides, seed)


def scenarios():
    """Place, text and overrides of each scenario, cut to a short run."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.toml")):
            text = path.read_text(encoding="utf-8")
            document = tomllib.loads(text)
            if "flows" not in document or not ({"bottleneck", "links"} & document.keys()):
                continue
            try:
                packets = _core.estimate(text, "toml", [])[0]
            except ackclock.ScenarioError:
                # Templates, and scenarios that name a file.
                continue
            whole = seconds_of(json.loads(_core.check(text, "toml", []))["duration"])
            least = min(LONGEST_S, PACKETS / max(packets, 1) * whole)
            # Where something happens after that time, a longer run is accepted.
            for seconds in (least, whole / 8, whole / 2, whole):
                overrides = [("duration", f"{round(seconds * 1e3, 3)}ms")]
                try:
                    packets = _core.estimate(text, "toml", overrides)[0]
                    break
                except ackclock.ScenarioError:
                    continue
            if packets > MOST:
                continue
            found.append((path.relative_to(ROOT).as_posix(), text, overrides))
    return found


def seconds_of(text):
    value, unit = re.fullmatch(r"([\d.]+)(\w+)", text).groups()
    return float(value) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}[unit]


def check_same(column, arrow):
    """Compares a column of a page with that of Arrow, byte for byte."""
    valid = np.ones(len(arrow), bool) if column["valid"] is None else decoded(column["valid"], "u1") == 1
    assert np.array_equal(valid, np.asarray(arrow.is_valid()))
    if column["kind"] == "text":
        places = decoded(column["values"], "<i4")
        assert [column["texts"][at] if at >= 0 else None for at in places] == arrow.to_pylist()
        return
    given = decoded(column["values"], TYPES[column["kind"]])[valid]
    ours = np.asarray(arrow.drop_null().to_numpy(zero_copy_only=False)).astype(TYPES[column["kind"]])
    assert given.tobytes() == ours.tobytes()


def decoded(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


def check_run(answer, text, overrides, seed):
    meta, tables = native(text, overrides, seed)
    assert answer["hash"] == meta["scenario_hash"]
    assert [one["name"] for one in answer["tables"]] == sorted(tables)
    for one in answer["tables"]:
        table = pa.table(tables[one["name"]])
        assert (one["rows"], [column["name"] for column in one["columns"]]) == (table.num_rows, table.column_names)
        for column in one["columns"]:
            check_same(column, table[column["name"]].combine_chunks())
    assert answer["digests"] == digests(Result(meta, {name: Table(table) for name, table in tables.items()}))


MISTAKES = 'duration = "1s"\n[bottleneck]\nrate = "5Mbps"\ndelay = "10ms"\nqueu = 3\n'
MISTAKES += '[[flows]]\napp = "bulk"\ncc = "cubik"\n'

NAMES_A_FILE = (ROOT / "python/ackclock/examples/remycc.toml").read_text(encoding="utf-8")

LONG = (ROOT / "python/ackclock/examples/gallery/l4s.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """All scenarios, and the answers of one process: to each of them and to four further requests."""
    every = scenarios()
    requests = [{"text": text, "overrides": overrides, "seed": 3} for _, text, overrides in every]
    requests += [{"about": True}, {"text": LONG, "overrides": [("duration", "30s")], "seed": 1}]
    requests += [{"text": text, "overrides": [], "seed": 1} for text in (MISTAKES, NAMES_A_FILE)]
    return every, answers(tmp_path_factory.mktemp("node"), requests)


def test_all_scenarios_of_the_repository_give_the_same_bytes(found):
    every, given = found
    assert len(every) > 80
    different, refused = [], 0
    for (place, text, overrides), answer in zip(every, given, strict=False):
        if "message" in answer:
            # A page has no transports but TCP.
            assert "transport" in answer["message"], (place, answer["message"])
            refused += 1
            continue
        try:
            check_run(answer, text, overrides, 3)
        except AssertionError as error:
            different.append((place, str(error).splitlines()[0]))
    assert different == []
    assert refused < 5


def test_another_seed_is_another_run(found):
    """A comparison that compares nothing would pass here too."""
    ((text, overrides, answer),) = (
        (text, overrides, answer)
        for (place, text, overrides), answer in zip(*found, strict=False)
        if place.endswith("gallery/fairness-rtt.toml")
    )
    with pytest.raises(AssertionError):
        check_run(answer, text, overrides, 4)


def test_versions_and_schema_are_those_of_the_extension(found):
    about = found[1][-4]
    assert (about["version"], about["engine"]) == (_core.version(), _core.engine())
    assert about["schema"] == _core.schema()


def test_a_long_run_reports_how_much_is_done(found):
    done = found[1][-3]["done"]
    assert done == sorted(done)
    assert all(0 < one <= 1 for one in done)


def test_mistakes_have_their_paths_and_lines(found):
    problems = found[1][-2]["problems"]
    with pytest.raises(ackclock.ScenarioError) as error:
        _core.check(MISTAKES, "toml", [])
    assert problems == error.value.problems
    assert {(one["path"], one["line"]) for one in problems} >= {("bottleneck.queu", 5), ("flows[0].cc", 8)}


def test_a_scenario_that_names_a_file_says_what_to_do(found):
    assert "run the scenario with the command line" in found[1][-1]["message"]
