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

PATIENCE_S = 600

CELLS = (
    f"import ackclock\nresult = ackclock.run({json.dumps(PROBED)!r})" if isinstance(PROBED, dict) else
    f"import ackclock\nresult = ackclock.run({PROBED!r})",
    "result.widget()",
    "figures = len(result.widget().figures)\nprint('figures', figures)",
)  # fmt: skip

RUN_ALL = """(async () => {
  await jupyterapp.restored;
  await jupyterapp.commands.execute('notebook:run-all-cells');
})()"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    for package in ("jupyterlab", "anywidget"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("jupyter")
    cells = [
        {"cell_type": "code", "id": str(at), "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for at, text in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}
    (folder / "run.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    own = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    places = os.pathsep.join([str(Path(ackclock.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    options = ["--no-browser", "--allow-root", "--expose-app-in-browser", "--ServerApp.port=0", "--IdentityProvider.token="]
    with subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options, f"--ServerApp.root_dir={folder}"],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env={**os.environ, **own, "PYTHONPATH": places},
    ) as server:  # fmt: skip
        for line in server.stderr:
            if "http://127.0.0.1:" in line or "http://localhost:" in line:
                given = line[line.index("http://") :].split()[0].split("?")[0]
                break
        else:
            pytest.fail("JupyterLab does not start")
        yield given.removesuffix("/").removesuffix("/lab")
        server.terminate()


def test_a_notebook_shows_the_run_and_zooms_into_it(address):
    with Browser() as page:
        page.size(1300, 1600)
        page.open(f"{address}/lab/tree/run.ipynb?reset")
        page.until("globalThis.jupyterapp !== undefined && document.querySelectorAll('.jp-CodeCell').length >= 3")
        page.run(RUN_ALL)
        place = ".jp-OutputArea .ackclock"
        page.until(f"document.querySelectorAll('{place} canvas').length >= 5")
        page.until(f"{DRAWN}.filter(one => one > 0).length >= 5")
        # The third cell has run, too: a widget of an earlier cell does not hold the kernel.
        page.until("document.body.textContent.includes('figures 6') || document.body.textContent.includes('figures 5')")
        note = f"[...document.querySelectorAll('{place} .panel')].map(one => one.querySelector('.u-legend').textContent)"
        assert page.run(note)
        picture = os.environ.get("ACKCLOCK_PICTURE")
        if picture:
            page.picture(Path(picture), whole=False)
        zoom(page, f"document.querySelector('{place} .panel')", 0.3, 0.5)
        if picture:
            page.settle()
            page.picture(Path(picture).with_suffix(".zoom.png"), whole=False)
        assert page.errors == [], page.errors
