"""Signals wait while modules are imported, and end the process with one line and the signal's status afterwards."""

import signal
import subprocess
import sys

import pytest

from ackclock.base import signals
from ackclock.base.signals import Stopped

TOLD = "ackclock: interrupted; nothing is half-written\n"

SPOILT = """
import os, signal
import time
try:
    os.kill(os.getpid(), signal.{name})
    time.sleep(0)
except BaseException as error:
    raise ImportError("interrupted in the middle") from error
complete = True
"""
"""A module that is interrupted while it is imported, and makes an ImportError of it, as extension modules do."""

COMPLETE = "print(sys.modules['spoilt'].complete)"

COMMAND = """
import sys, threading
from ackclock import _entry
from ackclock.cli import plain

def command(arguments):
    try:
{body}
        threading.Event().wait()
    finally:
        {after}

plain.call = command
sys.exit(_entry.main())
"""
"""A command line that ends through a signal alone."""


def run(folder, body, after="pass", **modules):
    """Runs a command line with this body, and `after` once it was interrupted: its status, output and errors.

    The signal may come at any moment after an import, so that what holds then is printed afterwards.
    """
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    code = COMMAND.format(body="\n".join(f"        {line}" for line in body.splitlines()), after=after)
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout, done.stderr


class TestImports:
    @pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
    def test_a_signal_waits_for_the_end_of_the_import(self, tmp_path, name):
        status = 128 + getattr(signal, name)
        assert run(tmp_path, "import spoilt", COMPLETE, spoilt=SPOILT.format(name=name)) == (status, "True\n", TOLD)

    @pytest.mark.parametrize(
        "body",
        ["import outer", "import importlib\nimportlib.import_module('outer')", "from package import outer"],
    )
    def test_the_outermost_import_counts(self, tmp_path, body):
        """Also where modules import each other, and where a package is imported for one of its modules."""
        (tmp_path / "package").mkdir()
        (tmp_path / "package" / "__init__.py").write_text("")
        outer = "try:\n    import spoilt\n    import json\nexcept BaseException:\n    raise ImportError from None\n"
        (tmp_path / "package" / "outer.py").write_text(outer)
        modules = {"outer": outer, "spoilt": SPOILT.format(name="SIGINT")}
        assert run(tmp_path, body, COMPLETE, **modules) == (130, "True\n", TOLD)

    def test_an_import_on_another_thread_is_not_waited_for(self, tmp_path):
        """Python runs handlers on the main thread, so nothing interrupts that import."""
        slow = """
import os, signal
os.kill(os.getpid(), signal.SIGINT)
may_end.wait()
print("imported", flush=True)
ended.set()
"""
        body = """
import builtins, os, threading
builtins.may_end, builtins.ended = threading.Event(), threading.Event()
try:
    threading.Thread(target=__import__, args=["slow"]).start()
    threading.Event().wait()
finally:
    may_end.set()
    ended.wait()
"""
        assert run(tmp_path, body, slow=slow) == (130, "imported\n", TOLD)

    def test_a_second_signal_ends_an_import_that_hangs(self, tmp_path):
        hangs = """
import os, signal, threading
from ackclock.base import signals
signals.PATIENCE_S = -1
os.kill(os.getpid(), signal.SIGINT)
os.kill(os.getpid(), signal.SIGINT)
threading.Event().wait()
"""
        assert run(tmp_path, "import hangs", hangs=hangs) == (130, "", TOLD)

    def test_a_file_that_the_user_loads_is_interrupted_at_once(self, tmp_path):
        """Its code may run for long: it is no import."""
        (tmp_path / "mine.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True: pass\n")
        assert run(tmp_path, "import ackclock\nackclock.load('mine.py')") == (130, "", TOLD)

    def test_the_wait_is_short_once_the_import_is_over(self):
        assert signals.RETRY_S <= 0.1

    def test_the_real_thing(self, tmp_path):
        """DuckDB's extension module is interrupted at the first module that it imports itself."""
        body = """
import os, signal, sys
class Interrupts:
    begun = done = False
    def find_spec(self, name, path, target=None):
        if self.begun and not self.done:
            self.done = True
            os.kill(os.getpid(), signal.SIGTERM)
        self.begun = self.begun or name == "_duckdb"
        return None
sys.meta_path.insert(0, Interrupts())
import duckdb
"""
        after = "print(sys.meta_path[0].done, sys.modules['duckdb'].sql('SELECT 42').fetchall())"
        assert run(tmp_path, body, after) == (143, "True [(42,)]\n", TOLD)


class TestElsewhere:
    def test_an_exception_that_python_cannot_pass_on_is_raised_again(self, tmp_path):
        body = """
import os, signal
class Closed:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000): pass
Closed()
"""
        assert run(tmp_path, body) == (130, "", TOLD)

    def test_other_exceptions_of_finalisers_are_still_reported(self, tmp_path):
        body = """
import os, signal
class Closed:
    def __del__(self):
        raise RuntimeError("lost")
Closed()
os.kill(os.getpid(), signal.SIGINT)
"""
        status, out, err = run(tmp_path, body)
        assert (status, out) == (130, "")
        assert "RuntimeError: lost" in err
        assert err.endswith(TOLD)

    def test_a_signal_as_the_command_ends_is_obeyed_or_ignored_but_leaves_no_traceback(self, tmp_path):
        code = """
import os, signal, sys
from ackclock import _entry
from ackclock.cli import plain
from ackclock.base import signals
plain.call = lambda arguments: 0
def forget():
    os.kill(os.getpid(), signal.SIGINT)
    forgotten()
forgotten = signals._listener.forget
signals._listener.forget = forget
sys.exit(_entry.main())
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")

    def test_an_impatient_second_signal_does_not_interrupt_the_tidying_up(self):
        listener = signals._Listener()
        with pytest.raises(Stopped):
            listener.on_signal(signal.SIGTERM, None)
        listener.on_signal(signal.SIGTERM, None)


class TestTemporaryFiles:
    """A signal that comes while something temporary is made or removed waits, so that nothing is left."""

    FOLDER = """
import os, shutil, signal
from pathlib import Path
from ackclock.base.workplace import draft, workplace
inside = Path("inside")
inside.mkdir()
def ask(*_, **__):
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(100):
        pass
"""

    @pytest.mark.parametrize("name", ["rmtree", "rmdir"])
    def test_a_folder_is_removed_to_its_end(self, tmp_path, name):
        body = f"""{self.FOLDER}
whole = shutil.rmtree if "{name}" == "rmtree" else os.rmdir
def removes(*given, **words):
    ask()
    return whole(*given, **words)
setattr(shutil if "{name}" == "rmtree" else os, "{name}", removes)
with workplace(inside, ".work-") as folder:
    (folder / "file").write_bytes(b"x")
"""
        assert run(tmp_path, body, "print(list(inside.iterdir()))") == (143, "[]\n", TOLD)

    def test_a_folder_that_was_just_made_is_removed(self, tmp_path):
        body = f"""{self.FOLDER}
import tempfile
whole = tempfile.mkdtemp
def makes(*given, **words):
    made = whole(*given, **words)
    ask()
    return made
tempfile.mkdtemp = makes
with workplace(inside, ".work-") as folder:
    threading.Event().wait()
"""
        assert run(tmp_path, body, "print(list(inside.iterdir()))") == (143, "[]\n", TOLD)

    def test_a_file_is_removed_to_its_end(self, tmp_path):
        body = f"""{self.FOLDER}
whole = Path.unlink
def removes(path):
    ask()
    whole(path)
Path.unlink = removes
with draft(inside, ".work-"):
    pass
"""
        assert run(tmp_path, body, "print(list(inside.iterdir()))") == (143, "[]\n", TOLD)

    def test_the_work_itself_is_interrupted_at_once(self, tmp_path):
        body = f"""{self.FOLDER}
done = []
with workplace(inside, ".work-") as folder:
    ask()
    done.append(1)
"""
        assert run(tmp_path, body, "print(done, list(inside.iterdir()))") == (143, "[] []\n", TOLD)
