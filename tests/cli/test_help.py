"""`ackclock help NAME` says what any name means."""

import json
import subprocess
import sys

import pytest

from ackclock import scenario, studies
from ackclock.cli import main
from ackclock.cli.listed import COMMANDS
from ackclock.cli.parser import app, command
from ackclock.cli.plot import FIGURES
from ackclock.cli.subjects import named
from ackclock.results.declared import TABLES


def told(capsys, *words):
    assert main(["help", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("name", "kind", "facts"),
    [
        ("sweep", "a command", {"options": "ackclock sweep --help"}),
        ("kernel load", "a command", {"options": "ackclock kernel load --help"}),
        ("flows[0].cc", "a field of a scenario", {"absent": "the stack's."}),
        ("flows[video].cc", "a field of a scenario", {"path": "flows[0].cc"}),
        ("bottleneck.rate", "a field of a scenario", {"path": "bottleneck.rate"}),
        ("probes.window", "a field of a scenario", {"default": "false"}),
        ("ce_threshold", "a field of a scenario", {}),
        ("westwood-linux", "a congestion control", {"all of them": "ackclock list cc"}),
        ("fq-codel", "a queue", {"source": "RFC 8290"}),
        ("flows", "a table of results", {}),
        ("flows.goodput_bps", "a column of results", {"unit": "bit/s", "column": "flows.goodput_bps"}),
        ("p95(flows[video].srtt_ms)", "a measure", {"about": "95th percentile of smoothed round-trip time of video."}),
        ("wait", "a figure", {"draw": "ackclock plot SCENARIO wait"}),
        ("iw10", "a study", {"run": "ackclock reproduce iw10 --quick"}),
        ("ack010", "a code of an error", {"name": "ACK010, a scenario that cannot run"}),
    ],
)
def test_a_name_is_explained(name, kind, facts, capsys):
    one = next(one for one in told(capsys, name) if one["kind"] == kind)
    assert one["about"]
    assert {key: one[key] for key in facts} == facts
    assert main(["help", *name.split()]) == 0
    assert name.split()[-1].partition("[")[0].lower() in capsys.readouterr().out.lower()


def test_every_name_that_is_listed_elsewhere_is_known():
    wanted = {"a command": [name for name in app if not name.startswith("-")]}
    wanted["a table of results"] = list(TABLES)
    wanted["a column of results"] = [f"{table}.{TABLES[table]['columns'][-1]['name']}" for table in TABLES]
    wanted["a figure"] = list(FIGURES)
    wanted["a study"] = studies.names()
    for kind, names in wanted.items():
        assert [name for name in names if kind not in {one.kind for one in named(name)}] == []
    for kind, entries in scenario.catalogue().items():
        assert [entry["name"] for entry in entries if not named(entry["name"])] == [], kind


def test_a_name_with_several_meanings_has_all_of_them(capsys):
    assert {one["kind"] for one in told(capsys, "window")} == {
        "a field of a scenario",
        "a table of results",
        "a figure",
    }


@pytest.mark.parametrize(
    ("name", "part"),
    [("fq-codel", "target"), ("dash", "abr"), ("bic", "beta"), ("gilbert-elliott", "bad_loss"), ("linux", "cc")],
)
def test_parts_have_what_they_accept(name, part, capsys):
    parts = [row for one in told(capsys, name) for row in one["parts"]]
    row = next(row for row in parts if part in row.values())
    assert all(len(text) > 0 for key, text in row.items() if key != "default")


def test_units_are_those_of_the_declarations(capsys):
    [table] = [one for one in told(capsys, "links") if one["kind"] == "a table of results"]
    assert {row["column"]: row["unit"] for row in table["parts"]} == {
        column["name"]: column["unit"] for column in TABLES["links"]["columns"]
    }


def test_an_unknown_name_has_a_suggestion(capsys):
    assert main(["help", "bottelneck.queue"]) == 2
    assert 'did you mean "bottleneck.queue"?' in capsys.readouterr().err
    assert main(["help", "flows.cc_name"]) == 2
    capsys.readouterr()


def test_without_a_name_examples_are_listed_and_all_of_them_work(capsys):
    for row in told(capsys):
        assert named(row["example"]), row


def test_the_list_of_commands_says_what_the_commands_say():
    for name, (place, summary) in COMMANDS.items():
        own = command(name)
        if place.endswith(":app"):
            assert own.help == summary
        else:
            assert own.default_command.__doc__.splitlines()[0] == summary


def test_the_list_of_commands_imports_no_command():
    code = "import sys; from ackclock.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    places = {place.partition(":")[0] for place, _ in COMMANDS.values()}
    assert not {f"ackclock.cli.{place}" for place in places} & set(done.stderr.split())
    assert all(summary.split()[0] in done.stdout for _, summary in COMMANDS.values())
