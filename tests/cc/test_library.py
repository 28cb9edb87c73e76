"""Libraries that are not what they should be, and congestion controls in them that do not behave."""

import pickle
import struct
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock.cc import registry
from ackclock.cli import main
from tests.cc.mine import BASE, SOURCE, equal, fails, full, registered, run
from tests.helpers.crates import cargo, needs_cargo, of_source

pytestmark = [pytest.mark.slow, needs_cargo]

ZOO = Path(__file__).with_name("zoo.rs").read_text(encoding="utf-8")
HEADER = b"ackclock" + struct.pack("<II", 1, 1)
"""The beginning of a header: its magic bytes, the kind and the version."""


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    return of_source(tmp_path_factory.mktemp("zoo"), "zoo", ZOO)


@pytest.mark.parametrize(
    ("cc", "trouble", "callback", "words"),
    [
        ("zoo-rules", 1, "new", r"panic at src/lib.rs:24:9: no object today"),
        ("zoo-rules", 2, "increase", "it returns NaN: accepted: a finite number"),
        ("zoo-rules", 3, "increase", "it returns inf: accepted: a finite number"),
        ("zoo-rules", 4, "increase", "panic at src/lib.rs:34:"),
        ("zoo-rules", 5, "increase", "a value that is no text"),
        ("zoo-rules", 6, "reduction", "it returns 1.5: accepted: a number from 0 to 1"),
        ("zoo-rules", 7, "start", "it returns 0.5: accepted: a number from 1 to 1000000"),
        ("zoo-full", 8, "on_start", "bytes at the start"),
        ("zoo-full", 9, "on_ack", "it leaves cwnd = 0: accepted: at least a segment, 1460 bytes"),
        ("zoo-full", 10, "on_ack", "it leaves cwnd = 1459: accepted: at least a segment, 1460 bytes"),
        ("zoo-full", 11, "on_ack", "attempt to subtract with overflow"),
        ("zoo-full", 12, "on_ack", "cwnd = 18446744073709551615: accepted: a number from 0 to 1125899906842624"),
        ("zoo-full", 13, "on_ack", "pacing_rate = 0: accepted: 1 or more bytes per second"),
    ],
)
def test_what_a_congestion_control_does_wrong_ends_the_run(zoo, capfd, cc, trouble, callback, words):
    ackclock.load(zoo)
    error = fails({"kind": cc, "trouble": trouble})
    assert (error.algorithm, error.callback) == (cc, callback)
    assert words in error.what
    assert error.flow in ("bulk.0", "bulk.1", "bursts")
    assert (error.time_s is None) == (callback == "new")
    if trouble == 4:
        assert error.time_s > 2
        assert "index out of bounds: the len is 1 but the index is" in error.what
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert capfd.readouterr().err == "", "a panic prints nothing of its own"


def test_a_failure_is_one_line_of_the_command(zoo, tmp_path, capsys):
    (tmp_path / "lossy.toml").write_text(BASE)
    given = ["--load", str(zoo), "--set", 'flows[0].cc={ kind = "zoo-rules", trouble = 2 }']
    assert main(["run", str(tmp_path / "lossy.toml"), *given]) != 0
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert "zoo-rules of flow bulk." in last
    assert "in increase: it returns NaN" in last
    assert "Traceback" not in last


def test_every_event_arrives_with_its_numbers(zoo):
    """The algorithm compares the numbers, and panics if they are not plausible."""
    ackclock.load(zoo)
    assert equal(run({"kind": "zoo-full", "trouble": 14}), run("zoo-full"))


def test_timeouts_idle_periods_scope_and_pacing_are_those_of_python(zoo):
    def on_ack(self, window, ack, acked):
        window.cwnd += acked // 2
        window.pacing_rate = 2_000_000_000 * window.cwnd // ack.ctx.srtt

    ackclock.load(zoo)
    rules = {"timeout": lambda self, flow: 0.25, "idle": lambda self, flow: 1 / (1 + flow.idle)}
    registered("mine", ackclock.WindowRules, **rules)
    callbacks = full(on_ack=on_ack, scope=ackclock.Scope(slow_start=True))
    registered("my-full", ackclock.CongestionControl, **callbacks)
    for name, trouble, python in (("zoo-rules", 16, "mine"), ("zoo-full", 17, "my-full")):
        result = run({"kind": name, "trouble": trouble}, **{"bottleneck.loss": "2%"})
        assert equal(result, run(python, **{"bottleneck.loss": "2%"}))
        assert not equal(result, run(name, **{"bottleneck.loss": "2%"}))


def test_a_panic_at_the_end_of_a_connection_ends_the_run_and_not_the_process(zoo):
    ackclock.load(zoo)
    error = fails({"kind": "zoo-full", "trouble": 15})
    assert (error.flow, error.callback) == ("bursts", "drop")
    assert error.what.endswith("not without a fight")


def refused(file):
    with pytest.raises(registry.LoadError) as raised:
        ackclock.load(file)
    assert registry.rows() == []
    assert str(raised.value).startswith(f"{file}: ")
    return str(raised.value)


def test_files_that_are_no_library_for_this_build(zoo, tmp_path):
    data = zoo.read_bytes()
    assert data.count(HEADER) == 1
    file = tmp_path / zoo.name
    for changed, words in {
        data.replace(HEADER, b"ackclock" + struct.pack("<II", 1, 9)): (
            "it is built for version 9 of the ABI of congestion controls, and this ackclock has version 1; accepted: "
            "a library that is built with the crate ackclock-cc"
        ),
        data.replace(HEADER, b"ackclock" + struct.pack("<II", 2, 1)): "kind 2; accepted: congestion controls (kind 1)",
        data.replace(HEADER, HEADER.upper()): 'does not begin with "ackclock"',
        data.replace(b"ACKCLOCK_PLUGIN", b"ACKCLOCK_PLUGUN"): "exports no ACKCLOCK_PLUGIN",
        b"import ackclock\n": f"it is no shared library; accepted: a shared library for {sys.platform} on ",
        b"": "it is no shared library",
        data[:3000]: "it is the first 3000 bytes of a larger library",
        b"MZ" + data[2:]: "it is a library for Windows (PE); accepted: a shared library for linux",
        b"\xcf\xfa\xed\xfe" + data[4:]: "it is a library for macOS (Mach-O)",
        data[:18] + b"\xf3\0" + data[20:]: "a library for processors of the type riscv64",
    }.items():
        file.write_bytes(changed)
        assert words in refused(file)
    file.unlink()
    assert "No such file or directory" in refused(file)


def test_a_library_that_would_abort_is_refused(tmp_path):
    file = of_source(tmp_path, "aborts", ZOO, "--config", 'profile.dev.panic="abort"')
    assert 'zoo-rules is compiled with panic = "abort"' in refused(file)


SMALL = """
use ackclock_cc::{Algorithm, Situation, WindowRules};
struct One;
impl Algorithm for One {
    const NAME: &'static str = "own-reno";
    const SUMMARY: &'static str = "one";
    type Parameters = ();
    fn new((): ()) -> One { One }
}
impl WindowRules for One {
    fn increase(&mut self, _flow: &Situation) -> f64 { 1.0 }
}
ackclock_cc::export!(WindowRules: One);
"""


def test_a_library_that_is_built_again_is_another_with_another_hash(tmp_path):
    """The same file in the same process: the code of the last build runs."""
    file = of_source(tmp_path, "small", SMALL)
    crate = file.parents[2]
    found = []
    for step in ("1.0", "2.0", "1.0"):
        (crate / "src/lib.rs").write_text(SMALL.replace("{ 1.0 }", f"{{ {step} }}"), encoding="utf-8")
        cargo(crate, "build")
        ackclock.load(file)
        result = run("own-reno")
        found.append((result.meta["scenario_hash"], repr(list(result.flows.rows()))))
    assert found[0] == found[2]
    assert [found[0][at] != found[1][at] for at in (0, 1)] == [True, True]

    # Names of the same length take the place of this one: nothing is compiled anew.
    data, other = file.read_bytes(), tmp_path / file.name
    for name, words in {
        "reno-ns2": "reno-ns2 is the catalogue's; give it a name of its own",
        "Own-reno": "'Own-reno' is no name; accepted: lower-case letters, digits and hyphens",
    }.items():
        other.write_bytes(data.replace(b"own-reno", name.encode()))
        with pytest.raises(registry.LoadError, match=words):
            ackclock.load(other)
    with pytest.raises(registry.LoadError, match=r"already the name of own-reno \S*libsmall"):
        other.write_bytes(data)
        ackclock.load(other)
    (tmp_path / "mine.py").write_text(SOURCE.format(step=1, name="own-reno"))
    with pytest.raises(registry.LoadError, match="own-reno is already the name of"):
        ackclock.load(tmp_path / "mine.py")
