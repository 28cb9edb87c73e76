"""Writes the sources of the site to a folder: ``python -m tools.site FOLDER``. Zensical makes the site of them."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.site import (
    algorithms,
    api,
    catalogued,
    columns,
    disk,
    fields,
    figures,
    forms,
    laboratory,
    media,
    navigation,
)
from tools.site.pages import carry

OPEN = "Open this run in the laboratory"
"""The text of the links below the figures of congestion controls."""


def main(folder: Path) -> None:
    """Copies the pages that are written, generates the others and draws their figures."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    pages.mkdir(parents=True)
    carry(pages)
    laboratory.put(pages)
    for place, text in generated().items():
        target = pages / place
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    settings = Path(__file__).with_name("mkdocs.yml").read_text(encoding="utf-8")
    order = navigation.as_yaml(navigation.navigation(pages), pages)
    (folder / "mkdocs.yml").write_text(settings + order, encoding="utf-8")
    shutil.copy(Path(__file__).with_name("site.css"), pages)
    (pages / disk.NAME).write_text(disk.script(disk.worker()), encoding="utf-8")
    draw(pages / "congestion-control")


def generated() -> dict[str, str]:
    """The pages that are made of sources, schema, catalogue, help and docstrings: address to Markdown."""
    catalogue = algorithms.algorithms()
    made = {
        "reference/scenario.md": fields.scenario_page(),
        "reference/applications.md": catalogued.applications_page(),
        "reference/names.md": fields.names_page(),
        "reference/tables.md": columns.page(columns.run()),
        "reference/measures.md": columns.measures_page(),
        "reference/command-line.md": api.command_line(),
        "reference/python.md": api.python(),
        "studies/index.md": catalogued.study_index(),
        "queues/index.md": catalogued.queue_index(),
        "media/index.md": media.index(),
        "congestion-control/index.md": algorithms.index(catalogue),
    }
    for name, text in catalogued.queue_pages().items():
        made[f"queues/{name}.md"] = text
    for name, text in media.pages().items():
        made[f"media/{name}.md"] = text
    named = {algorithm.name: algorithm for algorithm in catalogue}
    for algorithm in catalogue:
        caption, section = figures.caption(algorithm.name), forms.section(algorithm, named)
        link = "" if algorithm.name in figures.TABLES else laboratory.link(figures.scenario(algorithm.name), OPEN)
        text = algorithms.page(algorithm, f"{algorithm.slug}.png", caption, section, link)
        made[f"congestion-control/{algorithm.slug}.md"] = text
    return made


def draw(folder: Path) -> None:
    """Draws the figures of the congestion controls and of their families."""
    drawn = algorithms.algorithms()
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda family: forms.draw(family, folder / forms.picture(family)), forms.families()))
        list(pool.map(lambda algorithm: figures.draw(algorithm.name, folder / f"{algorithm.slug}.png"), drawn))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
