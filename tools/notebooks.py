"""Runs the labs of the documentation and saves their outputs: ``python -m tools.notebooks [NOTEBOOK ...]``.

A lab is a notebook for a class. Its outputs are saved so that a reader sees them without running it. `differences`
compares them with those of a new run.
"""

from __future__ import annotations

import base64
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import numpy as np
from matplotlib import image
from nbclient import NotebookClient

import ackclock

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
PICTURE = "image/png"
SHOWN = ("text/plain", "text/html", PICTURE)
"""Kinds of output that are saved."""
_ADDRESS = re.compile(r"(?<=at )0x[0-9a-f]+")


def labs() -> list[Path]:
    """The notebooks whose outputs are saved."""
    return sorted((ROOT / "docs").glob("lab-*.ipynb"))


def executed(path: Path) -> Any:
    """A notebook with the outputs of a new run, in an empty folder, with this interpreter's ackclock.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell fails.
    """
    notebook = nbformat.read(path, as_version=4)
    packages = [str(Path(ackclock.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryDirectory() as folder:
        # How a cell's text is cut into messages depends on time.
        client = NotebookClient(notebook, timeout=600, coalesce_streams=True, resources={"metadata": {"path": folder}})
        client.execute(env=os.environ | {"PYTHONPATH": os.pathsep.join(packages)})
    for cell in notebook.cells:
        # The times at which cells ran differ from run to run.
        cell.metadata = nbformat.NotebookNode()
        if cell.cell_type == "code":
            cell.outputs = [_saved(output) for output in cell.outputs]
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    return notebook


def _saved(output: Any) -> Any:
    """An output without what differs from run to run."""
    if "data" in output:
        output.data = nbformat.NotebookNode({kind: output.data[kind] for kind in SHOWN if kind in output.data})
        output.metadata = nbformat.NotebookNode()
    return output


def differences(saved: Any, new: Any) -> list[str]:
    """The outputs of code cells that differ between two runs of a notebook, one message each.

    Pictures may differ a little, because fonts do. HTML is not compared: the plain text beside it has the numbers.
    """
    pairs = zip(*([cell for cell in one.cells if cell.cell_type == "code"] for one in (saved, new)), strict=True)
    found = []
    for number, (before, after) in enumerate(pairs, 1):
        texts = [[_text(output) for output in cell.outputs] for cell in (before, after)]
        if texts[0] != texts[1]:
            found.append(f"code cell {number} shows\n{texts[1]}\nand not\n{texts[0]}")
            continue
        for one, other in zip(before.outputs, after.outputs, strict=True):
            if PICTURE in one.get("data", {}) and not _alike(one.data[PICTURE], other.data[PICTURE]):
                found.append(f"code cell {number} draws another picture")
    return found


def _text(output: Any) -> tuple[str, str, bool]:
    """The kind of an output, its text, and whether it has a picture."""
    data = output.get("data", {})
    text = output.get("text", data.get("text/plain", output.get("evalue", "")))
    return output.output_type, _ADDRESS.sub("...", text), PICTURE in data


def _alike(one: str, other: str) -> bool:
    """Whether two pictures in base64 have the same size, nearly the same pixels and nearly the same colours.

    A line is so few pixels that another colour of it hardly moves their mean.
    """
    first, second = (image.imread(io.BytesIO(base64.b64decode(text))) for text in (one, other))
    if first.shape != second.shape or float(np.abs(first - second).mean()) >= 0.005:
        return False
    ours, theirs = _colours(first), _colours(second)
    return float(np.abs(ours - theirs).sum()) <= 0.1 * float((ours + theirs).sum())


def _colours(picture: NDArray[np.float64]) -> NDArray[np.float64]:
    """The number of pixels of each of 512 colours, without white, grey and black, of which letters and axes are."""
    pixels = picture.reshape(-1, picture.shape[-1])[:, :3]
    coloured = pixels[np.ptp(pixels, axis=1) > 0.2]
    return np.histogramdd(coloured, bins=(8, 8, 8), range=[(0, 1)] * 3)[0]


def main(arguments: list[str]) -> None:
    """Runs the notebooks that are given, or all labs, and saves their outputs where these differ."""
    for path in [Path(one) for one in arguments] or labs():
        new = executed(path)
        changed = bool(differences(nbformat.read(path, as_version=4), new))
        if changed:
            nbformat.write(new, path)
        sys.stderr.write(f"{path.name}: {'taken anew' if changed else 'as it was'}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
