"""A teacher with a class on Windows and macOS: the gallery, the labs, and a store in the browser."""

import http.client
import json
import re
import subprocess
import sys
import tomllib

import nbformat
import pytest

from tests.helpers.browser import Browser, needs_browser
from tests.helpers.places import ROOT
from tests.helpers.terminal import Terminal
from tests.uses.pages import all_drawn, legends, looked_at, opened

pytestmark = pytest.mark.slow

GALLERY = sorted(path.stem for path in (ROOT / "docs" / "gallery").glob("*.md") if path.stem != "index")
LABS = sorted((ROOT / "docs").glob("lab-*.ipynb"))

SHORT = {"ack-congestion": "22s", "fairness-rtt": "61s", "incast": "2s", "live-video": "50s", "video-call": "32s"}
"""Durations that suffice for something to happen, where that takes longer or shorter than in the others."""

CLASSROOM = """
import asyncio, multiprocessing, os, signal, socket, subprocess, sys, tempfile, uuid
import duckdb, matplotlib.pyplot, numpy, cyclopts, rich.console, jinja2, tomlkit
from types import SimpleNamespace

sys.platform = sys.argv.pop(1)
for name in ("setitimer", "SIGALRM", "SIGHUP", "ITIMER_REAL"):
    if sys.platform == "win32":
        delattr(signal, name)
missing = ["resource", "termios", "pty", "tty", "pwd", "grp", "syslog", "curses", "readline"]
if sys.platform == "win32":
    missing.append("fcntl")
    sys.modules["msvcrt"] = SimpleNamespace(locking=lambda *_: None, LK_NBLCK=2)
for name in missing:
    sys.modules[name] = None
from ackclock.cli import main

for line in sys.stdin.read().splitlines():
    words = line.split("|")
    print(">", *words, flush=True)
    if main(words):
        sys.exit(f"failed: {words}")
"""
"""The command line with the name of another system and without the modules of Python that it lacks."""


@pytest.fixture
def shell(tmp_path):
    with Terminal(tmp_path) as one:
        yield one


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_every_scenario_of_the_gallery_runs_on_the_systems_of_a_class(tmp_path, system):
    assert len(GALLERY) == 16
    # The whole gallery on one of the systems, and the first lesson on the other.
    names = GALLERY if system == "win32" else ["bufferbloat"]
    commands = []
    for name in names:
        commands += [f"new|scenario|{name}", f"check|{name}.toml"]
        commands += [f"run|{name}.toml|--set|duration={SHORT.get(name, '6s')}|--out|out/{name}"]
    commands += [
        "sweep|bufferbloat.toml|--vary|bottleneck.queue=1bdp,fq-codel|--seeds|2|--set|duration=6s|--out|out/class",
        "ls|out/class",
        "report|out/class",
        "plot|bufferbloat.toml|queue|--set|duration=6s|--out|queue.png",
    ]
    done = subprocess.run([sys.executable, "-c", CLASSROOM, system], cwd=tmp_path, input="\n".join(commands),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    assert "Traceback" not in done.stderr
    for name in names:
        summary = json.loads((tmp_path / "out" / name / "summary.json").read_text(encoding="utf-8"))
        assert summary["name"] == name
        assert any(link["packets"] for link in summary["links"]), name
    assert "The answer" in (tmp_path / "out" / "class" / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "queue.png").read_bytes().startswith(b"\x89PNG")


def test_the_labs_need_nothing_but_a_wheel():
    """Every import of the labs is from Python, from ackclock, or from a package that the extra for figures requires."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["plot"]
    brought = {re.match(r"[\w-]+", one)[0].lower() for one in asked} | {"ackclock"}
    assert len(LABS) == 3
    for path in LABS:
        notebook = nbformat.read(path, as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        names = {one for cell in code for one in re.findall(r"^\s*(?:from|import) (\w+)", cell.source, re.MULTILINE)}
        assert "ackclock" in names
        assert names <= brought | sys.stdlib_module_names, path.name
        shown = [output for cell in code for output in cell.outputs]
        assert any("image/png" in output.get("data", {}) for output in shown), path.name
        assert any(output.output_type == "stream" for output in shown), path.name
        assert not any(output.output_type == "error" for output in shown), path.name


def test_a_student_of_the_class_is_told_the_line_of_a_mistake(shell, tmp_path):
    shell.run("ackclock new scenario bufferbloat")
    shell.run("ackclock new cc my-reno")
    own = tmp_path / "my_reno.py"
    text = own.read_text(encoding="utf-8")
    command = "ackclock run bufferbloat.toml --load my_reno.py --set flows.upload.cc=my-reno --set duration=8s"
    assert "my-reno" in shell.run(command)

    wrong = text.replace("return flow.initial_window", "return flow.initial_windw")
    line = 1 + wrong[: wrong.index("initial_windw")].count("\n")
    own.write_text(wrong, encoding="utf-8")
    told = shell.run(command, status=2)
    assert f'my_reno.py", line {line}' in told
    assert "initial_windw" in told
    last = told.strip().splitlines()[-1]
    assert "my-reno" in last
    assert "upload" in last
    # A mistake of the language itself is told with its line as well.
    own.write_text(text.replace("def start(self, flow):", "def start(self, flow)"), encoding="utf-8")
    line = 1 + text[: text.index("def start")].count("\n")
    told = shell.run(command, status=2)
    assert "my_reno.py" in told
    assert f"line {line}" in told
    own.write_text(text, encoding="utf-8")
    assert "my-reno" in shell.run(command)


@needs_browser
def test_a_teacher_shows_a_store_in_the_browser(shell):
    shell.run("ackclock new scenario bufferbloat")
    shell.run("ackclock sweep bufferbloat.toml --vary bottleneck.queue=1bdp,fq-codel --seeds 2 --set duration=8s"
              " --set flows.upload.start_jitter=500ms --set probes.window=true --out out/class")  # fmt: skip
    shell.type("ackclock serve out/class --port 0")
    port, token = shell.until(r"http://127\.0\.0\.1:(\d+)/\?token=(\w+)").groups()
    with Browser() as page:
        page.open(f"http://127.0.0.1:{port}/")
        assert page.run("document.querySelectorAll('canvas, table').length") == 0
        assert "token" in page.run("document.body.textContent")
        assert any("403" in one for one in page.errors)
        page.errors.clear()

        opened(page, f"http://127.0.0.1:{port}/?token={token}")
        page.until("document.querySelectorAll('#lines canvas').length >= 2")
        assert token not in page.run("location.href")
        # The first seed of each setting is chosen, and drawn in the same axes.
        assert page.run("document.querySelectorAll('#runs input').length") == 4
        assert page.run("document.querySelectorAll('#runs input:checked').length") == 2
        page.settle()
        assert all_drawn(page)
        looked_at(page, "teacher")
        assert {name[:3] for name in legends(page) if ": " in name} == {"1: ", "2: "}
        page.run("document.querySelector('#clear').click()")
        page.until("document.querySelectorAll('canvas').length === 0")
        page.run("document.querySelectorAll('#runs input')[1].click()")
        page.until("document.querySelectorAll('#lines canvas').length >= 2")
        page.until("document.querySelectorAll('#bars meter').length === 1")
        assert page.errors == []
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=600)
    connection.request("GET", "/api/runs", headers={"Authorization": "Bearer wrong-wrong-wrong-wrong"})
    assert connection.getresponse().status == 403
    connection.close()
    assert shell.end() in (0, 130)
    assert "out" in shell.run("ls")
