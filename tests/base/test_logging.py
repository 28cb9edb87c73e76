"""The library prints nothing by itself."""

import ast
import logging
import subprocess
import sys
from pathlib import Path

import ackclock
from ackclock.base import log

PACKAGE = Path(ackclock.__file__).parent

PRINTING = {"print", "sys.stdout", "sys.stderr", "warnings.warn", "logging.basicConfig"}

ALLOWED = {
    # Commands and processes of their own, whose output is their purpose.
    "_entry.py": {"print", "sys.stderr"},
    "sweeps/bench.py": {"sys.stdout"},
    "engine/bench/worker.py": {"sys.stdout"},
    # Every stream of a command shows what is not printable as escapes.
    "base/shown.py": {"sys.stdout", "sys.stderr"},
    # A process that may do nothing: its streams are pipes to the parent.
    "base/confined.py": {"sys.stderr"},
    "judge/packs/repeat.py": {"sys.stdout"},
    # Progress, which the caller has asked for.
    "base/progress.py": {"print", "sys.stderr"},
    # The standard streams of a process are its pipe to the parent, which passes on what the user's code prints.
    "engine/processes.py": {"sys.stdout", "sys.stderr"},
    # Keeps the output of scripts away from standard output.
    "judge/drill.py": {"sys.stderr"},
    # The programs that run inside a kernel: their standard error is the kernel's console.
    "kernel/driller.py": {"sys.stderr"},
    "kernel/emulate/inside.py": {"sys.stderr"},
    "kernel/guest.py": {"sys.stderr"},
    "kernel/runner.py": {"sys.stdout"},
    "kernel/testbed/session.py": {"sys.stderr"},
    "kernel/testbed/viewer.py": {"sys.stdout"},
    # A warning is not printed if the caller filters it.
    "scenario/_renamed.py": {"warnings.warn"},
}
"""Files outside the command line that use streams, with the reason."""


def called(path):
    """The printing names that a module uses."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names.add(node.func.id)
    return names & PRINTING


def test_only_the_command_line_prints():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE)
        if place.parts[0] != "cli" and "templates" not in place.parts and (names := called(path)):
            found[place.as_posix()] = names
    assert found == ALLOWED


def test_loggers_have_a_parent_that_prints_nothing():
    code = "from ackclock.base.log import logger; logger('ackclock.sweeps').warning('a message')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert log.logger("ackclock.sweeps").parent is logging.getLogger("ackclock")
