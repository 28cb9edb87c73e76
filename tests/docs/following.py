"""Following a page of the documentation: its commands and its Python, in a folder of its own."""

import numpy as np
from matplotlib import pyplot

from ackclock.cc import registry
from tools.pages import DOCS, HOW_TO, followed
from tools.site import blocks

__all__ = ["DOCS", "HOW_TO", "follow"]


def follow(page, tmp_path, monkeypatch):
    """Does what a page says in a folder of its own, and compares the output and the pictures."""
    folder = tmp_path / "page"
    folder.mkdir()
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    other = [
        f"line {block.line} of {page.name} prints\n{printed}"
        for block, printed in followed(page, folder)
        if block.prints is not None and not blocks.agrees(printed, block.prints)
    ]
    assert not other, "python -m tools.pages takes them anew:\n" + "\n".join(other)
    for picture in folder.glob("*.png"):
        drawn, shown = (pyplot.imread(path) for path in (picture, page.with_name(picture.name)))
        assert drawn.shape == shown.shape
        assert np.abs(drawn - shown).mean() < 0.005, f"{picture} is not the picture that the page shows"
