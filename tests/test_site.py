"""The site's pages: each congestion control has one with all its parts, and no link leads nowhere."""

from pathlib import PurePosixPath

import pytest

import ackclock
from docs.site import algorithms, figures, pages


def test_every_congestion_control_has_a_page_with_all_its_parts():
    catalogue = algorithms.algorithms()
    assert [algorithm.name for algorithm in catalogue] == [entry["name"] for entry in ackclock.catalogue()["cc"]]
    assert len({algorithm.slug for algorithm in catalogue}) == len(catalogue)
    for algorithm in catalogue:
        text = algorithms.page(algorithm, "figure.png", figures.caption(algorithm.name))
        headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
        assert headings == [*algorithms.SECTIONS, "Parameters"], algorithm.name
        assert all(f"`{item['name']}`" in text for item in algorithm.entry["parameters"])
        assert f"]({algorithm.slug}.md)" in algorithms.index(catalogue)


def test_a_source_without_a_section_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(algorithms, "ROOT", tmp_path)
    source = tmp_path / "new.rs"
    source.write_text("//! New.\n//!\n//! # Equations\n//!\n//! # Constants\n//!\n//! # Deviations\n", encoding="utf-8")
    with pytest.raises(LookupError, match=r"new\.rs: its comment has no section Validated against"):
        algorithms.comment(source)


def test_links_lead_to_pages_of_the_site(tmp_path):
    pages.carry(tmp_path)
    for place in pages.written().values():
        path = tmp_path / place
        assert path.is_file()
        if path.suffix == ".md":
            for match in pages._LINK.finditer(path.read_text(encoding="utf-8")):
                assert "://" in match[3] or (path.parent / match[3]).is_file(), f"{place}: {match[3]}"


def test_a_link_that_leads_nowhere_is_refused():
    places = {PurePosixPath("docs/a.md"): PurePosixPath("a.md"), PurePosixPath("README.md"): PurePosixPath("index.md")}
    source = PurePosixPath("docs/a.md")
    assert pages.turned("[b](../README.md#c)", source, places) == "[b](index.md#c)"
    assert pages.turned("[make](../Makefile)", source, places) == "make (`Makefile`)"
    with pytest.raises(LookupError, match=r"docs/a\.md links to gone\.md"):
        pages.turned("[b](gone.md)", source, places)


def test_the_figure_of_an_algorithm_is_of_its_run(tmp_path):
    figures.draw("reno", tmp_path / "reno.png")
    assert (tmp_path / "reno.png").read_bytes().startswith(b"\x89PNG")
