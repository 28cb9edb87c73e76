"""The command card: its output, its files, its exit status and its messages."""

import json
import re

import pytest

from ackclock.cli import main
from ackclock.judge.card import RULE

SMALL = ("--section", "7.11", "--quick", "--seeds", "2", "--threads", "1")
"""The section whose runs are the shortest."""


def run(capsys, *arguments):
    """Exit status, standard output and standard error of a command line."""
    status = main(["card", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("cards") / "out"
    assert main(["card", "dctcp", *SMALL, "--section", "7.2", "--out", str(place)]) == 0
    return place


def test_the_table_has_a_verdict_for_each_row(capsys):
    status, out, err = run(capsys, "reno", *SMALL)
    assert status == 0
    assert err.startswith("ackclock: 3 scenarios, ")
    rows = [line for line in out.splitlines() if line.lstrip().startswith("7.11")]
    assert len(rows) == 6
    assert all(re.search(r"as good|between|worse", line) for line in rows)
    assert re.search(r"\d+ as good, \d+ between, \d+ worse, 0 fact, 0 not shown\n$", out)


def test_what_cannot_be_shown_is_in_the_table(capsys):
    status, out, _ = run(capsys, "reno", "--section", "7.10", "--quick", "--seeds", "2")
    assert status == 0
    assert "address management and options of MPTCP" in out
    assert out.endswith(" 1 not shown\n")


def test_json_is_the_document_of_the_folder(capsys, folder):
    status, out, _ = run(capsys, "dctcp", *SMALL, "--section", "7.2", "--json")
    assert status == 0
    assert json.loads(out) == json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert json.loads(out)["command"] == "ackclock card dctcp --quick --section 7.11 --section 7.2 --seeds 2"


def test_the_folder_has_a_page_a_document_an_appendix_and_scenarios(folder):
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    scenarios = {"7.11-beside-cubic", "7.11-incast-32-servers", "7.11-step-marks", "7.2-breaker-0.25-bdp"}
    assert found == {
        "ackclock.json", "appendix.md", "card.html", "card.json", *(f"scenarios/{name}.toml" for name in scenarios)
    }  # fmt: skip


def test_the_page_prints_the_rule_and_loads_nothing(folder):
    text = (folder / "card.html").read_text(encoding="utf-8")
    assert RULE.replace("'", "&#39;") in text
    assert "Report card: dctcp" in text
    assert "Not shown:" in text
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', text) == []
    # Every link of the map leads to a section.
    anchors = set(re.findall(r'href="#(rfc9743-[0-9.]+)"', text))
    assert anchors == {"rfc9743-7.2", "rfc9743-7.11"}
    assert all(f'id="{one}"' in text for one in anchors)


def test_the_appendix_is_plain_text_with_a_table_for_each_scenario(folder):
    text = (folder / "appendix.md").read_text(encoding="ascii")
    assert text.startswith("# Evaluation According to RFC 9743\n")
    assert "{{?RFC9743}}" in text
    assert "ackclock card dctcp --quick --section 7.11 --section 7.2 --seeds 2" in text
    assert text.count("| Number | Candidate | CUBIC | Reno |") == 4
    assert "Not shown: a breaker around the candidate's own flows, at the ends of a tunnel." in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("| ") and "Mbit/s" in line}
    assert widths == {7}


def test_the_scenarios_repeat_the_numbers(capsys, folder):
    (path,) = folder.glob("scenarios/*step-marks.toml")
    assert main(["run", str(path), "--seed", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (link,) = [one for one in document["links"] if one["name"] == "bottleneck"]
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    (row,) = [
        one
        for section in card["sections"]
        for one in section["rows"]
        if one["scenario"] == "step-marks" and one["unit"] == "ms"
    ]
    assert row["values"]["candidate"][0] == link["queue_delay_ms"]["p95"]
    head = path.read_text(encoding="utf-8").splitlines()[1]
    assert head == "#   ackclock run 7.11-step-marks.toml --seeds 2"


def test_the_exit_status_is_1_where_a_verdict_fails(capsys):
    # A window that never changes keeps a queue that CUBIC and Reno do not keep.
    bad = ("fixed-window", "--section", "5.3.1", "--section", "7.1", "--seeds", "2", "--quick", "--json")
    status, out, _ = run(capsys, *bad, "--fail-on", "worse")
    assert json.loads(out)["summary"]["worse"] > 0
    assert status == 1
    status, _, _ = run(capsys, "cubic", *SMALL, "--fail-on", "between")
    assert status == 0


def test_an_algorithm_in_python_has_a_card_whatever_the_threads(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "cc", "my-reno"]) == 0
    capsys.readouterr()
    documents = []
    for threads in ("1", "2"):
        options = (
            "--section",
            "7.11",
            "--quick",
            "--seeds",
            "2",
            "--load",
            "my_reno.py",
            "--threads",
            threads,
            "--json",
        )
        status, out, _ = run(capsys, "my-reno", *options)
        assert status == 0
        documents.append(json.loads(out))
    assert documents[0] == documents[1]
    command = "ackclock card my-reno --quick --load my_reno.py --section 7.11 --seeds 2"
    assert documents[0]["command"] == command


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cubik", "--quick"), 'the candidate cubik: flows[0].cc: "cubik" is not a known congestion control'),
        (("cubik", "--section", "7.2"), "the candidate cubik"),
        (("cubic", "--section", "9.9"), "--section 9.9: RFC 9743 has no such section"),
        (("cubic", "--seeds", "1"), "--seeds 1: expected 2 to 1000"),
        (("cubic", "--seed", "-1"), "seed -1: accepted: a whole number from 0 to 2^64 - 1"),
        (("cubic", "--seed", str(2**64 - 1)), f"seed {2**64 + 28}: accepted"),
        (("cubic", "--threads", "0"), "--threads 0: expected"),
        (("cubic", "--library", "x.so"), "--library needs --transport"),
        (("cubic", "--transport", "quinn", "--stack", "rfc"), "--stack and --transport exclude each other"),
        (("cubic", "--transport", "quinn", "--field", "ecn=l4s"), "--field and --transport exclude each other"),
        (("cubic", "--field", "ecn"), "--field ecn: expected FIELD=VALUE"),
        (("cubic", "--field", "stack=rfc"), "--field stack=rfc: the card sets stack"),
        (("cubic", "--field", "ecn=l5s"), "l5s"),
        (("cubic", "--backend", "linux:6.12", "--load", "x.py"), "--load"),
        (("cubic", "--fail-on", "better"), "better"),
    ],
)
def test_wrong_requests_are_told_and_nothing_is_written(capsys, tmp_path, arguments, said):
    place = tmp_path / "out"
    status, out, err = run(capsys, *arguments, "--out", str(place))
    assert status == 2
    assert said in err
    assert "Traceback" not in err
    assert out == ""
    assert not place.exists()


def test_a_card_on_the_running_kernel_is_refused(capsys, monkeypatch):
    from ackclock.kernel import backends

    monkeypatch.setattr(backends, "backend", lambda name, report: backends.Backend(None))
    status, _, err = run(capsys, "cubic", "--backend", "linux")
    assert status == 2
    assert "a card on the running kernel would take hours of real time" in err
