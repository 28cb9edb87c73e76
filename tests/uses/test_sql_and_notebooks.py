"""People who live in SQL and notebooks: a store in SQL from the shell, and results that show themselves."""

import csv
import io

import duckdb
import nbformat
import polars as pl
import pytest
from nbclient import NotebookClient

from tests.helpers.browser import Browser, needs_browser
from tests.helpers.terminal import Terminal
from tests.uses.pages import looked_at

CELLS = (
    "import ackclock\nstore = ackclock.open('out/hello')\nstore.estimates('flows.goodput_bps')",
    "store.sql('SELECT run, count(*) AS flows FROM flows GROUP BY run ORDER BY run')",
    "result = ackclock.run('hello.toml', overrides={'duration': '3s', 'probes.rates': True})\nresult",
    "result.flows",
)
"""Cells of a notebook; the last value of each shows itself."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a scenario and a store."""
    path = tmp_path_factory.mktemp("sql")
    with Terminal(path) as shell:
        shell.run("ackclock new scenario bulk && mv bulk.toml hello.toml")
        shell.run("ackclock sweep hello.toml --vary bottleneck.queue=1bdp,4bdp --seeds 2 --set duration=3s "
                  "--out out/hello")  # fmt: skip
    return path


def test_sql_from_the_shell_agrees_with_the_files_of_the_store(folder):
    query = (
        'SELECT "bottleneck.queue" AS queue, avg(goodput_bps) AS bps FROM flows JOIN runs USING (run) '
        "GROUP BY queue ORDER BY queue"
    )
    with Terminal(folder) as shell:
        shown = shell.run("ackclock sql out/hello")
        assert "flows" in shown
        assert "goodput_bps" in shown
        shell.run(f"ackclock sql out/hello '{query}' --out answer.csv")
        listed = shell.json(f"ackclock sql out/hello '{query}' --json")
        told = shell.run("ackclock sql out/hello 'SELECT goodputs FROM flows'", status=2)
    assert "goodput_bps" in told
    rows = list(csv.DictReader(io.StringIO((folder / "answer.csv").read_text(encoding="utf-8"))))
    assert [row["queue"] for row in rows] == ["1bdp", "4bdp"] == [row["queue"] for row in listed]
    # DuckDB reads the same numbers from the files.
    parts = str(folder / "out/hello/parts/*/flows.parquet")
    whole = duckdb.sql(f"SELECT avg(goodput_bps) FROM '{parts}'").fetchall()[0][0]
    assert sum(float(row["bps"]) for row in rows) / 2 == pytest.approx(whole)
    assert pl.read_parquet(parts)["goodput_bps"].mean() == pytest.approx(whole)


@pytest.fixture(scope="module")
def outputs(folder):
    """The HTML that each cell shows, as a notebook's browser gets it."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    found = []
    for cell in notebook.cells:
        (shown,) = [one for one in cell.outputs if one.output_type == "execute_result"]
        assert shown["data"]["text/plain"]
        found.append(shown["data"]["text/html"])
    return found


def test_the_last_value_of_a_cell_shows_numbers_with_units(outputs):
    estimates, counts, result, flows = outputs
    assert "4bdp" in estimates
    assert "flows" in counts
    assert "Mbit/s" in result
    assert "goodput_bps" in flows


@needs_browser
def test_a_notebook_draws_a_run_without_a_network(outputs, tmp_path):
    page = tmp_path / "cells.html"
    page.write_text("<!DOCTYPE html><meta charset=utf-8>" + "\n<hr>\n".join(outputs), encoding="utf-8")
    with Browser() as browser:
        browser.offline()
        browser.size(1000, 900)
        browser.open(page)
        assert browser.run("document.querySelectorAll('table').length") >= 3
        looked_at(browser, "notebook")
        assert browser.requests == []
        assert browser.errors == []
