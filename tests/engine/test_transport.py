"""Transports besides TCP in scenarios: quinn, and libraries in C, sound ones and others."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import ackclock
from ackclock.cli import main
from ackclock.engine import processes

BOTTLENECK = {"rate": "10Mbps", "delay": "10ms", "queue": {"kind": "drop-tail", "limit": "1bdp"}, "loss": "0.5%"}
QUINN = {"kind": "quinn"}
LIBRARY = Path(__file__).parents[2] / "stacks/quiche/quiche.so"
QUICHE = {"kind": "quiche", "library": str(LIBRARY)}

needs_quiche = pytest.mark.skipif(not LIBRARY.exists(), reason="needs the library that make quiche builds")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def scenario(*flows, duration="3s", **others):
    return {"duration": duration, "bottleneck": BOTTLENECK, "flows": list(flows)} | others


def flow(transport, name="own", **app):
    return {"name": name, "transport": transport, "app": {"kind": "bulk"} | app}


def column_of(result, table, column):
    return list(result.tables[table][column])


def cell(result, table, column, row=0):
    return column_of(result, table, column)[row]


class TestQuinn:
    def test_any_number_of_threads_gives_the_same_tables(self):
        text = scenario(flow(QUINN), {"name": "tcp", "app": {"kind": "bulk"}}, probes={"window": True})
        one, two = (ackclock.run(text, seeds=4, threads=threads) for threads in (1, 2))
        for first, second in zip(one, two, strict=True):
            assert first.tables.keys() == second.tables.keys()
            for name in first.tables:
                assert first.tables[name].equals(second.tables[name])
        assert len({cell(result, "flows", "bytes_delivered") for result in one}) == 4

    def test_a_congestion_control_is_chosen(self):
        text = scenario(*(flow({"kind": "quinn", "cc": cc}, cc) for cc in ("cubic", "newreno", "bbr")), duration="5s")
        result = ackclock.run(text, verify=True)
        assert column_of(result, "flows", "cc") == ["cubic", "newreno", "bbr"]
        assert column_of(result, "flows", "stack") == ["quinn"] * 3
        assert min(column_of(result, "flows", "goodput_bps")) > 1e5
        assert result.meta["transports"]["quinn"].startswith("quinn-proto ")

    @pytest.mark.parametrize(
        "app",
        [
            {"kind": "transfer", "size": "200kB", "count": 3},
            {"kind": "rpc", "servers": 3, "request_size": "1kB", "response_size": "20kB"},
            {"kind": "dash", "ladder": ["200kbps", "500kbps"], "segment": "2s"},
            {"kind": "live", "ladder": ["200kbps", "500kbps"], "segment": "2s", "chunk": "500ms"},
            {"kind": "moq", "rate": "500kbps", "streams": "one"},
            {"kind": "bursts", "size": "50kB", "interval": "500ms"},
            {"kind": "web", "object_size": {"kind": "constant", "value": "30kB"}, "sessions_per_second": 1},
        ],
        ids=lambda app: app["kind"],
    )
    def test_applications_run_over_it_as_over_tcp(self, app):
        over = {name: ackclock.run(scenario(flow(name, **app), duration="20s")) for name in ("quinn", "tcp")}
        assert over["quinn"].tables.keys() == over["tcp"].tables.keys()
        bytes_of = {name: cell(result, "flows", "bytes_delivered") for name, result in over.items()}
        assert bytes_of["quinn"] > 0.5 * bytes_of["tcp"]

    def test_a_transfer_takes_a_handshake_and_slow_start(self):
        """One round trip for the handshake, and a window of 10 packets that doubles: 200 kB come in the sixth."""
        text = scenario(flow(QUINN, kind="transfer", size="100kB"))
        text["bottleneck"] = {"rate": "100Mbps", "delay": "50ms"}
        took = cell(ackclock.run(text), "transfers", "duration_s")
        assert 0.45 < took < 0.6

    def test_its_log_is_kept_with_the_run(self, tmp_path):
        text = scenario(flow(QUINN), {"name": "tcp", "app": {"kind": "bulk"}}, duration="1s")
        ackclock.trace(text, tmp_path, qlog=True, events=True, captures=["bottleneck"])
        for side in ("source", "sink"):
            lines = (tmp_path / f"own.0.{side}.sqlog").read_text().split("\x1e")
            head, *events = [json.loads(line) for line in lines if line.strip()]
            assert "qlog_version" in head or "file_schema" in head
            assert len(events) > 100
        assert "transport:packet_sent" in (tmp_path / "tcp.0.source.sqlog").read_text()

    def test_mistakes_in_a_scenario_are_refused(self, tmp_path, capsys):
        file = tmp_path / "wrong.toml"
        file.write_text(
            'duration = "1s"\nbottleneck = { rate = "1Mbps", delay = "1ms" }\n[[flows]]\ncc = "cubic"\n'
            'transport = { kind = "quinn", cc = "cubik" }\napp = { kind = "bulk" }\n'
        )
        assert main(["run", str(file)]) == 2
        said = capsys.readouterr().err
        assert 'flows[0].transport.cc: "cubik" is not accepted' in said
        assert 'did you mean "cubic"?' in said
        file.write_text(file.read_text().replace("cubik", "cubic"))
        assert main(["run", str(file)]) == 2
        assert "is a setting of TCP, and the transport is quinn" in capsys.readouterr().err

    def test_small_packets_are_refused(self):
        with pytest.raises(ackclock.ScenarioError, match="1200"):
            ackclock.run(scenario(flow(QUINN), packet_size="1000B"))


RECEIVE = (
    "static int32_t t_receive("
    "ackclock_transport *t, uint64_t now, uint32_t ecn, const uint8_t *datagram, size_t length) {"
)
OPTIONAL = "NULL, NULL, NULL, NULL}"
"""The functions of the table that a library may leave out: log, unidirectional streams, priorities, resets."""
TABLE = "static const ackclock_stack stacks[] = {"
ABLE = """
static int32_t t_not_yet(ackclock_transport *t, uint64_t now, uint64_t *stream) {
    (void)t, (void)now, (void)stream;
    return ACKCLOCK_OK;
}
static int32_t t_prioritize(ackclock_transport *t, uint64_t now, uint64_t stream, int32_t priority) {
    (void)t, (void)now, (void)stream, (void)priority;
    return ACKCLOCK_OK;
}
static int32_t t_reset(ackclock_transport *t, uint64_t now, uint64_t stream, uint64_t code) {
    (void)t, (void)now, (void)stream, (void)code;
    return ACKCLOCK_OK;
}
"""
"""Functions that keep their contract: a stream is never possible yet, so that the others are not called."""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Makes a library of the example, with a statement that is executed in `receive` after a second."""
    folder = tmp_path_factory.mktemp("libraries")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["new", "transport", "plain"]) == 0

    def make(name, statement="", able=False):
        source = folder / "plain" / "plain.c"
        text = source.read_text(encoding="utf-8")
        assert RECEIVE in text
        assert OPTIONAL in text
        if able:
            text = text.replace(OPTIONAL, "NULL, t_not_yet, t_prioritize, t_reset}").replace(TABLE, ABLE + TABLE)
        file = folder / f"{name}.c"
        file.write_text(text.replace(RECEIVE, f"{RECEIVE}\n    if (now >= 1000000000u) {{ {statement} }}"))
        library = folder / f"{name}.so"
        command = ["cc", "-std=c99", "-O1", "-shared", "-fPIC", f"-I{source.parent}", "-o", str(library), str(file)]
        subprocess.run(command, check=True)
        return {"kind": "plain", "library": str(library)}

    return make


@needs_compiler
class TestLibraries:
    def test_a_transport_in_c_shares_a_link_with_tcp(self, libraries):
        text = scenario(flow(libraries("sound")), {"name": "tcp", "app": {"kind": "bulk"}})
        first, second = ackclock.run(text, seeds=[1, 1 + 1]), ackclock.run(text, seeds=[1, 2], threads=1)
        assert min(column_of(first[0], "flows", "goodput_bps")) > 2e5
        for one, other in zip(first, second, strict=True):
            assert one.tables["flows"].equals(other.tables["flows"])

    def test_a_crash_ends_its_run_and_names_the_call(self, libraries):
        text = scenario(flow(libraries("crash", "volatile int *nothing = 0; *nothing = 1;")))
        with pytest.raises(ackclock.ProcessError, match=r"plain of flow own at 1\.\d+ s, in receive: .* signal 11"):
            ackclock.run(text)

    def test_a_call_that_does_not_return_is_ended(self, libraries, monkeypatch):
        monkeypatch.setattr(processes, "BLOCKED_S", 2.0)
        text = scenario(flow(libraries("block", "for (;;) { }")))
        with pytest.raises(ackclock.ProcessError, match=r"plain of flow own at 1\.\d+ s, in receive: .*not returned"):
            ackclock.run(text)

    def test_a_call_that_fails_ends_its_connection(self, libraries):
        whole, cut = (
            cell(ackclock.run(scenario(flow(libraries(name, statement)))), "flows", "bytes_delivered")
            for name, statement in (("whole", ""), ("cut", "return 1;"))
        )
        assert 0 < cut < whole / 2

    def test_a_sweep_goes_on_without_the_runs_that_crash(self, libraries, tmp_path):
        sound, crash = libraries("sound2"), libraries("crash2", "volatile int *nothing = 0; *nothing = 1;")
        vary = {"flows[0].transport.library": [sound["library"], crash["library"]]}
        store = ackclock.sweep(scenario(flow(sound)), vary=vary, seeds=2, out=tmp_path / "store")
        runs = store.runs
        assert sorted(runs["status"]) == ["done", "done", "failed", "failed"]

    def test_an_application_may_need_functions_that_a_library_can_leave_out(self, libraries):
        needy = {"kind": "moq", "rate": "500kbps", "delivery_timeout": "500ms"}
        plain = flow(libraries("few"), **needy)
        said = 'transport: the table of kind "plain" has no unidirectional streams and no priorities of streams and no'
        with pytest.raises(ackclock.ScenarioError, match=said):
            ackclock.run(scenario(plain))
        able = flow(libraries("able", able=True), **needy)
        ackclock.run(scenario(able))

    def test_what_is_no_library_of_transports_is_refused(self, tmp_path):
        file = tmp_path / "text.so"
        file.write_text("no library")
        for path, said in ((file, "no shared library"), (tmp_path / "none.so", "No such file")):
            with pytest.raises(ackclock.ScenarioError, match=said):
                ackclock.run(scenario(flow({"kind": "plain", "library": str(path)})))


@needs_quiche
class TestQuiche:
    """The library gets its time from a linker's option; a scenario shows whether something of the system remains."""

    @pytest.mark.parametrize("cc", ["cubic", "reno", "bbr2"])
    def test_it_gives_the_same_tables_again_and_on_any_number_of_threads(self, cc):
        text = scenario(flow(QUICHE | {"cc": cc}), {"name": "tcp", "app": {"kind": "bulk"}}, probes={"window": True})
        one, again, two = (ackclock.run(text, seeds=4, threads=threads) for threads in (1, 1, 2))
        for results in zip(one, again, two, strict=True):
            tables = [result.tables for result in results]
            for name in tables[0]:
                assert tables[0][name].equals(tables[1][name]), name
                assert tables[0][name].equals(tables[2][name]), name
        assert len({cell(result, "flows", "bytes_delivered") for result in one}) == 4
        assert {cell(result, "flows", "cc") for result in one} == {cc}

    def test_it_sends_the_same_datagrams_again(self, tmp_path):
        text = scenario(flow(QUICHE), duration="1s")
        for run in ("one", "other"):
            (tmp_path / run).mkdir()
            ackclock.trace(text, tmp_path / run, qlog=True, captures=["bottleneck"])
        files = sorted(path.name for path in (tmp_path / "one").iterdir() if path.suffix in {".sqlog", ".pcapng"})
        assert len(files) >= 3
        for name in files:
            first, second = ((tmp_path / run / name).read_bytes() for run in ("one", "other"))
            assert len(first) > 10_000, name
            assert first == second, name

    def test_applications_run_over_it(self):
        rpc = {"kind": "rpc", "servers": 3, "request_size": "1kB", "response_size": "20kB"}
        over = [ackclock.run(scenario(flow(kind, **rpc), duration="20s")) for kind in (QUICHE, "tcp")]
        quiche, tcp = (cell(result, "flows", "bytes_delivered") for result in over)
        assert quiche > 0.5 * tcp
