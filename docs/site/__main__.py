"""Writes the sources of the site to a folder: ``python -m docs.site FOLDER``. Zensical makes the site of them."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docs.site import algorithms, figures
from docs.site.pages import carry


def main(folder: Path) -> None:
    """Copies the pages that are written, generates the others and draws their figures."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("mkdocs.yml"), folder)
    carry(folder / "pages")
    catalogue = algorithms.algorithms()
    target = folder / "pages/congestion-control"
    target.mkdir()
    (target / "index.md").write_text(algorithms.index(catalogue), encoding="utf-8")
    for algorithm in catalogue:
        why = figures.WITHOUT.get(algorithm.name)
        picture = None if why else f"{algorithm.slug}.png"
        text = algorithms.page(algorithm, picture, why or figures.caption(algorithm.name))
        (target / f"{algorithm.slug}.md").write_text(text, encoding="utf-8")
    drawn = [algorithm for algorithm in catalogue if algorithm.name not in figures.WITHOUT]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda algorithm: figures.draw(algorithm.name, target / f"{algorithm.slug}.png"), drawn))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
