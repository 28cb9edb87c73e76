"""The widget of a run in JupyterLab, in a browser; where JupyterLab and anywidget are installed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock
from tests.helpers.browser import DRAWN, Browser, needs_browser
from tests.helpers.scenarios import PROBED
from tests.helpers.zooming import zoom

pytestmark = [pytest.mark.slow, needs_browser]

CELLS = (f"import ackclock\nresult = ackclock.run({PROBED!r})", "result.widget()", "print('the kernel', 'answers')")

KERNEL = "document.querySelector('.jp-Notebook-ExecutionIndicator')?.dataset.status"
PLACE = ".jp-OutputArea .ackclock"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    for package in ("jupyterlab", "ipykernel", "anywidget"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("jupyter")
    cells = [
        {"cell_type": "code", "id": f"c{at}", "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for at, text in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}
    (folder / "run.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "RUNTIME")}
    places = os.pathsep.join([str(Path(ackclock.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    options = ("--no-browser", "--allow-root", "--expose-app-in-browser", "--ServerApp.port=0")
    command = [sys.executable, "-m", "jupyterlab", *options, "--IdentityProvider.token=", f"--notebook-dir={folder}"]
    with (
        (folder / "log").open("w+", encoding="utf-8") as log,
        subprocess.Popen(command, stderr=log, env={**os.environ, **own, "PYTHONPATH": places}) as server,
    ):
        try:
            yield _address(folder / "log", server)
        finally:
            server.terminate()


def _address(log, server):
    """The address that the server writes to its log once it listens."""
    while server.poll() is None:
        for word in log.read_text(encoding="utf-8").split():
            if word.startswith("http://127.0.0.1:") and word.endswith("/lab"):
                return word
        try:
            server.wait(0.2)
        except subprocess.TimeoutExpired:
            continue
    pytest.fail(log.read_text(encoding="utf-8"))


def test_a_notebook_draws_the_run_and_zooms(address):
    with Browser() as page:
        page.size(1300, 1600)
        # The pages of others begin slowly, and open connections all the time.
        page.send("Page.navigate", url=f"{address}/tree/run.ipynb?reset")
        page.until("globalThis.jupyterapp !== undefined && document.querySelectorAll('.jp-CodeCell').length === 3")
        page.until(f"{KERNEL} === 'idle'")
        x, y = page.run(
            "(box => [box.left + box.width / 2, box.top + 8])"
            "(document.querySelector('.jp-CodeCell .cm-content').getBoundingClientRect())"
        )
        page.mouse("mousePressed", x, y)
        page.mouse("mouseReleased", x, y)
        page.run("jupyterapp.commands.execute('notebook:run-all-cells') && null")
        page.until(f"document.querySelectorAll('{PLACE} canvas').length >= 5")
        outputs = "[...document.querySelectorAll('.jp-OutputArea')].map(one => one.textContent.trim())"
        page.until(f"{outputs}.includes('the kernel answers')")
        page.until(f"{DRAWN}.filter(one => one > 0).length >= 4")
        panel = f"document.querySelector('{PLACE} .panel')"
        before = page.run(PIXELS % panel)
        zoom(page, panel, 0.3, 0.5)
        page.until(f"{PIXELS % panel} !== {json.dumps(before)}")
        assert sum(one > 0 for one in page.run(DRAWN)) >= 4
        # Texts are readable on the widget's own ground, whatever the theme of the notebook is.
        for dark in (False, True):
            page.dark(dark)
            ground, ink = page.run(GROUND)
            assert ground == ("rgb(20, 23, 27)" if dark else "rgb(255, 255, 255)")
            assert ink == ("rgb(230, 233, 237)" if dark else "rgb(27, 31, 36)")


PIXELS = "%s.querySelector('canvas').toDataURL()"
GROUND = f"(one => [one.backgroundColor, one.color])(getComputedStyle(document.querySelector('{PLACE}')))"
