"""Somebody with an algorithm of their own: Reno to the last packet, a variant, a mistake, and the same in Rust."""

import os

import pytest

from tests.helpers.crates import needs_cargo
from tests.helpers.terminal import Terminal
from tests.uses.pages import words

DUEL = """\
duration = "10s"

[bottleneck]
rate = "20Mbps"
delay = "20ms"
queue = "1bdp"

[[flows]]
name = "left"
cc = "reno"
app = "bulk"

[[flows]]
name = "right"
cc = "reno"
app = "bulk"
start = "1s"
"""


@pytest.fixture
def shell(tmp_path):
    with Terminal(tmp_path) as one:
        one.write("duel.toml", DUEL)
        yield one


def flows(document):
    return [{key: value for key, value in flow.items() if key != "cc"} for flow in document["flows"]]


def test_a_class_of_python_is_reno_to_the_last_packet_and_a_variant_is_not(shell):
    shell.run("ackclock new cc my-reno")
    engine = shell.json("ackclock run duel.toml --json")
    mine = shell.json("ackclock run duel.toml --load my_reno.py --set flows.right.cc=my-reno --json")
    assert flows(mine) == flows(engine)
    kept = """--set 'flows.right.cc={ kind = "my-reno", kept = 0.9 }'"""
    variant = shell.json(f"ackclock run duel.toml --load my_reno.py {kept} --json")
    assert variant["flows"][1]["goodput_bps"] > 1.2 * engine["flows"][1]["goodput_bps"]
    listed = shell.run("ackclock list cc --load my_reno.py")
    assert "my-reno" in listed


def test_a_mistake_in_a_class_is_told_with_its_line(shell, tmp_path):
    shell.run("ackclock new cc my-reno")
    path = tmp_path / "my_reno.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines) if "def increase" in line)
    body = next(number for number in range(at, len(lines)) if lines[number].strip().startswith("return"))
    lines[body] = f"{lines[body][: len(lines[body]) - len(lines[body].lstrip())]}return 1 / 0"
    path.write_text("\n".join(lines), encoding="utf-8")
    told = words(shell.run("ackclock run duel.toml --load my_reno.py --set flows.right.cc=my-reno", status=2))
    assert "ZeroDivisionError" in told
    assert f"line {body + 1}" in told
    told = words(shell.run("ackclock run duel.toml --load my_reno.py --set flows.right.cc=my_reno", status=2))
    assert "my-reno" in told


@needs_cargo
def test_a_crate_in_rust_gives_the_same_numbers(shell):
    shell.run("ackclock new cc fast-reno --rust")
    unset = " ".join(f"-u {name}" for name in os.environ if name.startswith(("CARGO_", "RUSTFLAGS")))
    shell.run(
        f"env {unset} CARGO_HOME=$PWD/cargo cargo build --quiet --offline --release"
        " --manifest-path fast-reno/Cargo.toml"
    )
    engine = shell.json("ackclock run duel.toml --json")
    rust = shell.json("ackclock run duel.toml --load fast-reno --set flows.right.cc=fast-reno --json")
    assert flows(rust) == flows(engine)
    assert rust["flows"][1]["cc"] == "fast-reno"
