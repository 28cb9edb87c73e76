"""The labs: notebooks for a class, whose saved outputs are those of the present engine."""

import base64
import io
import json
import re
import runpy

import nbformat
import numpy as np
import pytest
from matplotlib import image

from ackclock.cc import registry
from tools import notebooks

LABS = {path.stem: path for path in notebooks.labs()}
IMPORTED = {"ackclock", "ackclock.scenario", "dataclasses", "matplotlib.pyplot", "numpy"}
LARGEST = 300_000
"""Bytes of a notebook with its pictures."""


def source(notebook, kind):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == kind)


def printed(name):
    """Saved output of the cells of a lab."""
    cells = nbformat.read(LABS[name], as_version=4).cells
    outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    return "".join(output.text for output in outputs if output.output_type == "stream")


def numbers(pattern, text):
    """The groups of all matches as numbers, one row a match."""
    return np.array([[float(one) for one in found.groups()] for found in re.finditer(pattern, text)])


@pytest.mark.parametrize("path", LABS.values(), ids=LABS)
def test_a_lab_needs_neither_linux_nor_a_compiler(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code, text = source(notebook, "code"), source(notebook, "markdown")
    assert {*re.findall(r"^(?:from|import) ([\w.]+)", code, re.MULTILINE)} <= IMPORTED
    assert not re.search(r"^\s*[!%]|\bkernel\b|subprocess|os\.|open\(", code, re.MULTILINE)
    assert "python -m pip install ackclock-" in text
    assert "https://" not in text
    assert "make " not in text
    assert path.stat().st_size < LARGEST


@pytest.mark.parametrize("path", LABS.values(), ids=LABS)
def test_a_lab_has_questions_and_an_answer_to_each(path):
    text = source(nbformat.read(path, as_version=4), "markdown")
    questions = [int(one) for one in re.findall(r"\*\*Question (\d+)\.\*\*", text)]
    answers = [int(one) for one in re.findall(r"^(\d+)\. ", text.partition("<details>")[2], re.MULTILINE)]
    assert questions == answers == [*range(1, len(questions) + 1)]
    assert len(questions) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("path", LABS.values(), ids=LABS)
def test_the_saved_outputs_are_those_of_the_engine(path):
    saved = nbformat.read(path, as_version=4)
    assert any(cell.outputs for cell in saved.cells if cell.cell_type == "code")
    other = notebooks.differences(saved, notebooks.executed(path))
    assert not other, "python -m tools.notebooks takes them anew:\n" + "\n".join(other)


def test_an_output_that_differs_is_found():
    saved = nbformat.read(LABS["lab-fairness"], as_version=4)
    text = json.dumps(saved)
    assert notebooks.differences(saved, nbformat.from_dict(json.loads(text))) == []
    changed = nbformat.from_dict(json.loads(text.replace("Jain's index, mean of 10", "Jain's index, mean of 11")))
    (message,) = notebooks.differences(saved, changed)
    assert message.startswith("code cell 1 shows")
    pictures = [cell for cell in saved.cells if cell.cell_type == "code" and notebooks.PICTURE in json.dumps(cell)]
    first, second = (cell.outputs[0].data[notebooks.PICTURE] for cell in pictures)
    swapped = nbformat.from_dict(json.loads(text.replace(json.dumps(first), json.dumps(second))))
    assert notebooks.differences(saved, swapped) == ["code cell 2 draws another picture"]
    recoloured = nbformat.from_dict(json.loads(text.replace(json.dumps(first), json.dumps(_recoloured(first)))))
    assert notebooks.differences(saved, recoloured) == ["code cell 2 draws another picture"]


def _recoloured(picture):
    """A picture in base64 whose coloured lines have the colours with red and blue exchanged."""
    pixels = image.imread(io.BytesIO(base64.b64decode(picture)))
    written = io.BytesIO()
    image.imsave(written, pixels[:, :, [2, 1, 0, 3]], format="png")
    return base64.b64encode(written.getvalue()).decode()


def test_the_answers_about_buffers_agree_with_the_outputs():
    text = printed("lab-bufferbloat")
    sizes = {
        int(packets): rate for packets, rate, _ in numbers(r"(\d+) packets: upload ([\d.]+) .+ +([\d.]+) ms", text)
    }
    assert max(sizes.values()) - 0.01 <= sizes[16]
    assert sizes[8] < sizes[16]
    scores = {
        name: (float(score), float(rate))
        for name, score, rate in re.findall(r"(\S.*?) +opinion score ([\d.]+), upload ([\d.]+)", text)
    }
    assert scores.pop("drop-tail, 256")[0] < 2
    assert all(score > 4 for score, _ in scores.values())
    assert max(scores, key=lambda name: scores[name][1]) == "PIE"
    ((_, low, high),) = numbers(r"goodput_bps: (\S+) \[(\S+), (\S+)\]", text)
    assert low < high < 0
    small, large, codel = numbers(r"(?m)^(?:33 packets|167 packets|codel) *: upload ([\d.]+)", text)[:, 0]
    assert max(small, codel) < large


def test_the_answers_about_fairness_agree_with_the_outputs():
    text = printed("lab-fairness")
    assert numbers(r"10 seeds: ([\d.]+)", text) > 0.99
    rtts, rates = numbers(r"RTT far / near ([\d.]+): goodput near / far ([\d.]+)", text).T
    assert len(rtts) == 5
    assert (np.diff(rates) > 0).all()
    assert abs(np.log(rates / rtts)).min() < 0.25
    assert abs(np.log(rates[1:] / rtts[1:] ** 2)).min() < 0.1
    reno, cubic, bbr = numbers(r"(?:reno|cubic|bbr) +goodput near / far ([\d.]+)", text)[:, 0]
    assert reno > cubic > 1 > bbr


def test_the_answers_about_congestion_controls_agree_with_the_outputs():
    text = printed("lab-congestion-control")
    mine, engine = (re.search(rf"goodput of {name} \(bit/s\): *(\[.+\])", text) for name in ("class-reno", "reno"))
    assert mine is not None
    assert engine is not None
    assert mine[1] == engine[1]
    kept = numbers(r"kept [\d.]+: class-reno ([\d.]+) Mbit/s, cubic ([\d.]+)", text)
    assert abs(kept[0, 0] - kept[0, 1]) < 0.1 * (kept[0, 0] + kept[0, 1])
    assert (np.diff(kept[:, 0]) > 0).all()
    ((polite, cubic),) = numbers(r"polite ([\d.]+) Mbit/s, cubic ([\d.]+)", text)
    assert polite < 5 < cubic


def test_the_task_has_the_solution_that_the_answer_names(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_entries", {})
    notebook = nbformat.read(LABS["lab-congestion-control"], as_version=4)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    defining = [one for one in cells if re.match(r"import|@ackclock|\"\"\"|def ", one)]
    definitions = [re.split(r"(?m)^(?:mine, |alone = |for name in )", one)[0] for one in defining]
    file = tmp_path / "lab.py"
    file.write_text("\n\n".join(definitions), encoding="utf-8")
    beside, wait = runpy.run_path(str(file))["judged"]({"kind": "polite", "backlog": 14})
    assert beside >= 5
    assert wait < 25
