"""Building kernels: what is missing is named, and the cache has whole kernels or none."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import tarfile
import textwrap
import time
from pathlib import Path

import pytest

from ackclock import kernel
from ackclock.cli import main
from ackclock.kernel import builds, configuration, registers, source

MAKEFILE = "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\n"
KCONFIG = 'mainmenu "Linux"\n\nsource "arch/um/Kconfig"\n'

MAKE = """\
#!{python}
import os, pathlib, sys, time
objects = pathlib.Path(next(one[2:] for one in sys.argv if one.startswith("O=")))
kconfig = pathlib.Path(next(one.split("=")[1] for one in sys.argv if one.startswith("KBUILD_KCONFIG=")))
goal = sys.argv[-1]
if goal == "olddefconfig":
    hz = next(line.split()[1] for line in kconfig.read_text().splitlines() if line.strip().startswith("default"))
    (objects / ".config").open("a").write(f"CONFIG_HZ={{hz}}\\n")
if goal == "prepare":
    (objects / "arch/x86/um").mkdir(parents=True)
    (objects / "arch/x86/um/user-offsets.s").write_text("{offsets}")
if goal == "linux":
    print("  CC  one.o", flush=True)
    {act}
    (objects / "linux").write_text("kernel")
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A cache of its own, and a folder of programs that alone are found."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for tool in builds.TOOLS:
        (programs / tool).write_text("#!/bin/sh\nexit 0\n")
        (programs / tool).chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(programs))
    return tmp_path


OFFSETS = '\t.ascii "->HOST_FP_SIZE $337 2696 / sizeof(unsigned long)"\n\t.ascii "->HOST_BX $5 RBX"\n'


def set_make(machine, act):
    offsets = OFFSETS.encode("unicode_escape").decode().replace('"', '\\"')
    (machine / "programs" / "make").write_text(MAKE.format(python=sys.executable, act=act, offsets=offsets))


def tree(folder):
    (folder / "arch/um").mkdir(parents=True)
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "Kconfig").write_text(KCONFIG)
    (folder / "arch/um/Kconfig").write_text("")
    return folder


def left(machine):
    return sorted(path.name for path in (machine / "cache/ackclock/kernels").glob("*"))


def test_a_build_has_version_tick_and_options_and_is_made_once(machine):
    set_make(machine, "pass")
    made = kernel.build(tree(machine / "linux"), hz=1000)
    assert (made.version, made.hz, made.missing) == ("6.12.117", 1000, ())
    assert made.binary.read_text() == "kernel"
    assert made.modules == list(configuration.MODULES)
    set_make(machine, "sys.exit('built a second time')")
    assert kernel.build(machine / "linux", hz=1000) == made
    assert kernel.built() == [made]
    assert left(machine) == [made.digest]


def test_a_build_has_room_for_the_registers_of_processors_with_amx(machine):
    set_make(machine, "text = (objects / 'arch/x86/um/user-offsets.s').read_text(); sys.exit(text)")
    with pytest.raises(kernel.KernelError) as failed:
        kernel.build(tree(machine / "linux"))
    assert OFFSETS.replace("$337", "$1536") in str(failed.value)


@pytest.mark.parametrize("text", [None, OFFSETS.replace("337", "2000"), '\t.ascii "->HOST_BX $5 RBX"\n'])
def test_a_kernel_that_needs_no_room_for_registers_is_left_as_it_is(tmp_path, text):
    file = tmp_path / "arch/x86/um/user-offsets.s"
    if text is not None:
        file.parent.mkdir(parents=True)
        file.write_text(text)
    assert not registers.make_room(tmp_path)
    assert file.exists() == (text is not None)
    assert text is None or file.read_text() == text


def test_a_tarball_is_unpacked_and_has_its_own_digest(machine):
    set_make(machine, "pass")
    tree(machine / "linux-source-6.12")
    with tarfile.open(machine / "one.tar.xz", "w:xz") as archive:
        archive.add(machine / "linux-source-6.12", "linux-source-6.12")
    made = kernel.build(machine / "one.tar.xz", hz=100)
    assert (made.version, made.hz) == ("6.12.117", 100)
    assert made.digest != kernel.build(machine / "linux-source-6.12", hz=100).digest


def test_every_program_that_is_missing_is_named_with_its_package(machine, capsys):
    for tool in ("flex", "bison", "ld"):
        (machine / "programs" / tool).unlink()
    assert main(["kernel", "build", "--source", str(tree(machine / "linux"))]) == 2
    told = capsys.readouterr().err
    assert told.startswith("ackclock: a build needs ld, flex, bison; on Debian: apt-get install binutils flex bison")
    assert left(machine) == []


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda path: path, "does not exist"),
        (lambda path: path.write_text("text"), "is no tarball"),
        (lambda path: path.mkdir(), "is no kernel's tree"),
        (lambda path: (tree(path) / ".config").write_text(""), "make mrproper"),
    ],
)
def test_a_wrong_source_is_refused(machine, capsys, make, expected):
    make(machine / "source")
    assert main(["kernel", "build", "--source", str(machine / "source")]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"ackclock: --source {machine / 'source'}: ")
    assert expected in told


def test_debians_package_is_named_where_it_is_missing(tmp_path):
    with pytest.raises(kernel.KernelError, match=r"no source of Linux 6\.99: .*apt-get install linux-source-6\.99"):
        source.locate(None, "6.99", tmp_path)


def test_a_damaged_tarball_is_refused_with_one_message(machine, tmp_path):
    set_make(machine, "pass")
    whole = io.BytesIO()
    (tree(machine / "linux") / "noise").write_bytes(random.Random(1).randbytes(1 << 20))
    with tarfile.open(fileobj=whole, mode="w:gz") as archive:
        archive.add(machine / "linux", "linux")
    (tmp_path / "damaged.tar.xz").write_bytes(whole.getvalue()[: 1 << 19])
    with pytest.raises(kernel.KernelError, match="cannot be unpacked"):
        kernel.build(tmp_path / "damaged.tar.xz")
    assert left(machine) == []


def test_a_build_that_fails_tells_the_last_lines_and_leaves_nothing(machine):
    set_make(machine, "sys.exit('error: one.c:1: no such thing')")
    with pytest.raises(kernel.KernelError, match=r"(?s)`make linux` failed with status 1.*one.c:1: no such thing"):
        kernel.build(tree(machine / "linux"))
    assert left(machine) == []


def test_a_tick_and_an_option_that_cannot_be_had_are_refused(tmp_path):
    with pytest.raises(kernel.KernelError, match=r"--hz 250: .* accepted: 100, 1000"):
        kernel.build(tmp_path, hz=250)
    config = tmp_path / "config"
    config.write_text(configuration.fragment().replace("CONFIG_VETH=y\n", "") + "CONFIG_HZ=100\n")
    with pytest.raises(kernel.KernelError, match="this kernel has no VETH"):
        configuration.check(config, 100)
    config.write_text(configuration.fragment().replace("CONFIG_TCP_CONG_NV=y\n", "") + "CONFIG_HZ=100\n")
    assert configuration.check(config, 100) == ["TCP_CONG_NV"]
    with pytest.raises(kernel.KernelError, match="tick of this kernel cannot be set to 1000"):
        configuration.check(config, 1000)


def test_the_tick_is_the_first_default(tmp_path):
    lines = configuration.top(tree(tmp_path / "linux"), 1000).splitlines()
    assert lines[:4] == ['mainmenu "Linux"', "config HZ", "\tint", "\tdefault 1000"]
    assert lines[-1] == 'source "arch/um/Kconfig"'


def test_kernels_of_tarballs_and_as_they_are_built_now_come_first(machine):
    kinds = {
        "0" * 16: ("/home/someone/patched", {"recipe": builds.recipe()}),
        "1" * 16: ("/usr/src/linux-source-6.12.tar.xz", {"recipe": "of another version"}),
        "2" * 16: ("/usr/src/linux-source-6.12.tar.xz", {"recipe": builds.recipe()}),
        # Earlier versions wrote no recipe.
        "3" * 16: ("/usr/src/linux-source-6.12.tar.xz", {}),
    }
    for digest, (where, more) in kinds.items():
        folder = builds.cache() / digest
        folder.mkdir(parents=True)
        about = {"version": "6.12.117", "hz": 1000, "source": where, "digest": digest, "missing": [], **more}
        (folder / "kernel.json").write_text(json.dumps(about))
    assert [one.digest[0] for one in kernel.built()] == ["2", "1", "3", "0"]
    assert [one.is_current for one in kernel.built()] == [True, False, False, True]


def test_a_build_that_is_killed_leaves_no_process_and_the_next_removes_its_folder(machine):
    running = machine / "running"
    set_make(machine, f"pathlib.Path({str(running)!r}).write_text(str(os.getpid())); time.sleep(600)")
    linux = tree(machine / "linux")
    code = f"from pathlib import Path; from ackclock import kernel; kernel.build(Path({str(linux)!r}))"
    killed = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    while not (running.exists() and running.read_text()):
        assert killed.poll() is None
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    while alive(int(running.read_text())):
        time.sleep(0.01)
    assert [name.startswith(".building-") for name in left(machine)] == [True]
    assert kernel.built() == []
    set_make(machine, "pass")
    made = kernel.build(linux)
    assert left(machine) == [made.digest]


def alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    os.sched_yield()
    return state != "Z"
