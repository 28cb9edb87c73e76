"""RemyCC: tables that scenarios name, and what the original project measures of its own."""

import os
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import ackclock
from ackclock import stats
from ackclock.cli import main
from tests.helpers.places import ROOT

SCENARIO = ROOT / "scenarios" / "remycc.toml"
TABLE = SCENARIO.with_name("remycc.dna")
ORIGINALS = ROOT.parent / "shared" / "data" / "remycc"

SHORT = {"duration": "5s", "flows.remy.app.on": "1s", "flows.remy.app.off": "1s"}
PATH = "flows.remy.cc.table"


def hash_of(scenario, **overrides):
    return ackclock.run(scenario, overrides=SHORT | {"duration": "1ms"} | overrides).meta["scenario_hash"]


def another_table():
    """The table with a window that grows by one segment more in its first rule."""
    table = bytearray(TABLE.read_bytes())
    table[table.index(b"\xf8\x01") + 2] += 2
    return bytes(table)


def problem(scenario, overrides):
    with pytest.raises(ackclock.ScenarioError) as raised:
        ackclock.check(scenario, overrides)
    (one,) = raised.value.problems
    return one["path"], one["message"]


def test_a_table_lies_beside_its_scenario_wherever_that_is_run_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(TABLE, tmp_path)
    shutil.copy(SCENARIO, tmp_path)
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(TABLE, tmp_path / "elsewhere" / "copy.dna")
    here = hash_of("remycc.toml")
    assert hash_of(SCENARIO) == here
    assert hash_of("remycc.toml", **{PATH: "elsewhere/copy.dna"}) == here
    assert hash_of("remycc.toml", **{PATH: str(TABLE)}) == here
    # Without a file of its own a scenario starts from the folder that this runs in.
    assert hash_of(SCENARIO.read_text()) == here
    (tmp_path / "remycc.dna").write_bytes(another_table())
    assert hash_of("remycc.toml") != here


def test_its_rules_are_what_runs():
    run = ackclock.run(SCENARIO, overrides=SHORT | {"probes.window": True})
    assert set(run.flows["cc"]) == {"remycc"}
    first = run.window["cwnd"][0]
    assert first == 4 * 1210, "the rule of the empty memory"


def test_the_canonical_form_runs_again_and_only_with_the_same_table(tmp_path, monkeypatch):
    canonical = ackclock.check(SCENARIO, SHORT)
    monkeypatch.chdir(SCENARIO.parent)
    again = ackclock.run(canonical)
    assert again.flows.to_arrow() == ackclock.run(SCENARIO, overrides=SHORT).flows.to_arrow()
    monkeypatch.chdir(tmp_path)
    path, message = problem(canonical, {})
    assert path == "flows[0].cc.table"
    assert message.startswith(
        '"remycc.dna" cannot be read: no such file; accepted: the path, from the scenario\'s folder'
    )
    (tmp_path / "remycc.dna").write_bytes(another_table())
    path, message = problem(canonical, {})
    assert path == "flows[0].cc.sha256"
    assert 'is not that of "remycc.dna"; accepted: "' in message


def test_files_that_are_no_tables_are_one_message(tmp_path):
    (tmp_path / "empty.dna").touch()
    (tmp_path / "text.dna").write_text("no table")
    with (tmp_path / "huge.dna").open("wb") as file:
        file.truncate((1 << 24) + 1)
    os.mkfifo(tmp_path / "pipe.dna")
    for name, words in {
        "none.dna": "cannot be read: no such file",
        ".": "cannot be read: not a file",
        "pipe.dna": "cannot be read: not a file",
        "huge.dna": "cannot be read: more than 16 MiB",
        "empty.dna": "is not a RemyCC table: byte 0: a tree without a range",
        "text.dna": "is not a RemyCC table: byte 1: ",
    }.items():
        path, message = problem(SCENARIO, {PATH: str(tmp_path / name)})
        assert path == "flows[0].cc.table"
        assert words in message
        assert "accepted: the path" in message or "accepted: a table as Remy writes it" in message


def test_the_command_line_knows_it(capsys):
    assert main(["check", str(SCENARIO)]) == 0
    assert main(["check", str(SCENARIO), "--set", f"{PATH}=none.dna"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert 'flows[0].cc.table: "none.dna" cannot be read' in line
    assert main(["list", "cc"]) == 0
    assert any(line.split()[:3] == ["remycc", "table", "none"] for line in capsys.readouterr().out.splitlines())
    assert main(["schema"]) == 0
    assert '"remycc"' in capsys.readouterr().out


def test_its_schema_is_that_of_what_it_says_itself():
    options = ackclock.schema()["properties"]["flows"]["items"]["properties"]["cc"]["oneOf"]
    (option,) = [one for one in options if one.get("properties", {}).get("kind", {}).get("const") == "remycc"]
    assert set(ackclock.check(SCENARIO)["flows"][0]["cc"]) == set(option["properties"])
    assert option["required"] == ["kind", "table"]


def normalised(run):
    """The original simulator's normalised throughput of a sender and its delay ratio, of all senders.

    Throughput: packets delivered over those that an equal share of the link would have carried while the sender was on,
    the link being shared among the senders that are on; a packet is 1250 bytes, headers and all. Delay ratio: mean time
    from sending a packet to the return of its acknowledgment, over the round-trip time without queue and transmission.
    """
    rate, rtt, packet, payload = 15e6, 0.150, 1250, 1210
    flows, periods = run.onoff["flow"], run.onoff
    end = run.meta["duration_s"]
    on, off = periods["start_s"], np.nan_to_num(periods["end_s"], nan=end)
    times = np.concatenate([[0.0], on, off, [end]])
    steps = np.concatenate([[0], np.ones_like(on), -np.ones_like(off), [0]])
    order = np.argsort(times, kind="stable")
    senders = np.cumsum(steps[order])[:-1]
    shares = np.concatenate([[0.0], np.cumsum(np.diff(times[order]) / np.maximum(senders, 1))])
    share = np.interp(off, times[order], shares) - np.interp(on, times[order], shares)
    packets = periods["bytes"] / payload
    throughput = [
        packets[flows == flow].sum() * packet * 8 / rate / share[flows == flow].sum() for flow in dict.fromkeys(flows)
    ]
    queueing = run.links["queue_delay_mean_ms"][0] / 1e3
    return float(np.mean(throughput)), (rtt + packet * 8 / rate + queueing) / rtt


@pytest.mark.parametrize(("delta", "throughput", "delay"), [("10", 0.65, 1.00), ("1", 0.81, 1.02), ("0.1", 0.90, 1.11)])
def test_the_tables_of_2013_do_what_the_original_project_holds_them_to(delta, throughput, delay):
    table = ORIGINALS / f"RemyCC-2013-delta{delta}.dna"
    if not table.exists():
        pytest.skip("there are no tables in ../shared/data/remycc")
    runs = ackclock.run(SCENARIO, seeds=6, overrides={"duration": "1000s", PATH: str(table)})
    measured = np.array([normalised(run) for run in runs])
    for samples, published in zip(measured.T, (throughput, delay), strict=True):
        mean = stats.mean(list(samples))
        assert mean.high - mean.low < 0.1 * published, "too few runs to tell"
        assert mean.value == pytest.approx(published, rel=0.05), mean
    for run in runs:
        assert sum(run.flows["retransmits"]) == sum(run.flows["timeouts"]) == 0


def test_normalised_throughput_by_hand():
    periods = {
        "flow": np.array(["a", "b"]),
        "start_s": np.array([1.0, 2.0]),
        "end_s": np.array([3.0, np.nan]),
        # a is alone for a second and shares one; b shares one and is alone for a second.
        "bytes": np.array([1.5 * 1500 * 1210, 0.75 * 1500 * 1210]),
    }

    links = {"queue_delay_mean_ms": [15.0]}
    throughput, delay = normalised(SimpleNamespace(onoff=periods, meta={"duration_s": 4.0}, links=links))
    assert throughput == pytest.approx((1.0 + 0.5) / 2)
    assert delay == pytest.approx(1.1 + 1 / 225)
