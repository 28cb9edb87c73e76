"""The notebook that tells the newCWV story: it runs, draws its figures, and agrees with the study that it is of."""

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import ackclock
from ackclock.studies import newcwv_dash
from ackclock.studies.framework import hash_of
from ackclock.studies.framework.setups.newcwv import NEWRENO
from ackclock.studies.newcwv_dash.readings import OTHER_DELAY, readings
from tests.helpers.places import ROOT

pytestmark = pytest.mark.slow

PATH = ROOT / "docs/newcwv-story.ipynb"
FIGURES = 5


def test_the_notebook_is_kept_without_outputs():
    notebook = nbformat.read(PATH, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    source = "\n".join(cell.source for cell in code)
    imported = {*re.findall(r"^(?:from|import) ([\w.]+)", source, re.MULTILINE)}
    assert {name for name in imported if name.startswith("ackclock")} == {"ackclock", "ackclock.scenario"}
    assert not re.search(r"\._\w", source)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """The notebook with its outputs, in a kernel that finds the same ackclock."""
    notebook = nbformat.read(PATH, as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}})
    packages = [str(Path(ackclock.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    client.execute(env=os.environ | {"PYTHONPATH": os.pathsep.join(packages)})
    assert not list(folder.iterdir())
    return notebook


@pytest.fixture(scope="module")
def printed(executed):
    """The output of the cells of the notebook."""
    outputs = [output for cell in executed.cells for output in cell.get("outputs", ())]
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")


def test_every_figure_is_drawn_and_nothing_is_complained_of(executed):
    outputs = [output for cell in executed.cells for output in cell.get("outputs", ())]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == FIGURES
    drawing = [cell for cell in executed.cells if cell.cell_type == "code" and "plt.show()" in cell.source]
    drawing += [cell for cell in executed.cells if cell.cell_type == "code" and "show_window(" in cell.source]
    for cell in drawing:
        assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.source
    assert [output for output in outputs if output.get("name") == "stderr"] == []


def test_its_scenario_is_that_of_the_study(printed):
    one_way = next(reading for reading in readings() if reading.name == OTHER_DELAY)
    assert f"scenario {hash_of(one_way, NEWRENO)}, seed 1, version {ackclock.__version__}" in printed
    assert newcwv_dash.REPLICATIONS == 30


def test_its_verdicts_are_those_of_the_study(printed):
    """The text below the last figure is about these numbers, which the study has of its main reading."""
    left = [float(one) for one in re.findall(r"is left after one: ([\d.]+)", printed)]
    assert left[0] < 0.51
    assert left[1] == 1.0
    pattern = r"(newCWV|newCWV with pacing) +against NewReno \((.+)\) +([+-][\d.]+) % \[(.+), (.+)\]: (.+)"
    found = {(one, control): (value, word) for one, control, value, _, _, word in re.findall(pattern, printed)}
    assert found == {
        ("newCWV", "Linux"): ("-5.2", "below"),
        ("newCWV", "RFC 5681"): ("+2.2", "above"),
        ("newCWV with pacing", "Linux"): ("+6.3", "above"),
        ("newCWV with pacing", "RFC 5681"): ("+14.6", "above"),
    }
