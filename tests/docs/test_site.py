"""The site's pages: each congestion control has one with all its parts, and no link leads nowhere."""

import base64
import inspect
import json
import re
import sys
import zlib
from pathlib import PurePosixPath

import pytest

import ackclock
from ackclock.results.result import Result
from tests.helpers.node import needs_engine
from tests.helpers.tables import make_table
from tools.site import algorithms, api, columns, fields, figures, forms, laboratory, media, navigation, pages
from tools.site.__main__ import generated

HEADING = re.compile(r"(?m)^#+ (.+?)(?: \{.*\})?$")


def test_every_congestion_control_has_a_page_with_all_its_parts():
    catalogue = algorithms.algorithms()
    standing = [entry["name"] for entry in ackclock.catalogue()["cc"] if "forms" not in entry]
    assert [algorithm.name for algorithm in catalogue] == standing
    assert len({algorithm.slug for algorithm in catalogue}) == len(catalogue)
    named = {algorithm.name: algorithm for algorithm in catalogue}
    for algorithm in catalogue:
        section = forms.section(algorithm, named)
        text = algorithms.page(algorithm, "figure.png", figures.caption(algorithm.name), section)
        headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
        family = forms.family_of(algorithm.name)
        assert headings == [*algorithms.SECTIONS, *(["Forms"] if family else []), "Parameters"], algorithm.name
        others = forms.families()[family]["forms"] if family else []
        assert all(f"[{other}]({named[other].slug}.md)" in section for other in others if other != algorithm.name)
        assert all(f"`{item['name']}`" in text for item in algorithm.entry["parameters"])
        assert f"]({algorithm.slug}.md)" in algorithms.index(catalogue)


def test_a_source_without_a_section_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(algorithms, "ROOT", tmp_path)
    source = tmp_path / "new.rs"
    source.write_text("//! New.\n//!\n//! # Equations\n//!\n//! # Constants\n//!\n//! # Deviations\n", encoding="utf-8")
    with pytest.raises(LookupError, match=r"new\.rs: its comment has no section Validated against"):
        algorithms.comment(source)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """All pages, written and generated, without the figures of congestion controls."""
    folder = tmp_path_factory.mktemp("site")
    pages.carry(folder)
    laboratory.put(folder)
    for place, text in generated().items():
        path = folder / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def anchors(path):
    """The anchors of a page that links may name: its headings, and anchors that it sets."""
    text = path.read_text(encoding="utf-8")
    headings = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)]
    return {*headings, *re.findall(r'<a id="([^"]+)"></a>', text), *re.findall(r"\{ #(\S+) \}", text)}


def test_links_lead_to_pages_of_the_site(site):
    for place in pages.written().values():
        assert (site / place).is_file()
    for path in site.rglob("*.md"):
        text = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", path.read_text(encoding="utf-8"))
        for match in pages._LINK.finditer(text):
            link, anchor = match[3], match[4]
            if "://" in link or (path.parent.name == "congestion-control" and link.endswith(".png")):
                continue
            assert (path.parent / link).is_file(), f"{path.relative_to(site)}: {link}"
            # What follows # of the laboratory is an experiment.
            told = link.endswith("lab/index.html") or not anchor or anchor[1:] in anchors(path.parent / link)
            assert told, f"{path.relative_to(site)}: {link}{anchor}"
        for anchor in re.findall(r"\]\(#([^)]+)\)", text):
            assert anchor in anchors(path), f"{path.relative_to(site)}: #{anchor}"


@needs_engine
def test_figures_open_in_the_laboratory(site):
    def texts(page):
        for data in re.findall(r"\.\./lab/index\.html#1([\w-]+)", page.read_text(encoding="utf-8")):
            packed = zlib.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)), -15)
            ((change,),) = json.loads(packed)["t"]
            yield "\n".join(change[2:])

    (copa,) = texts(site / "congestion-control/copa.md")
    assert ackclock.scenario.check(copa) == ackclock.scenario.check(figures.scenario("copa"))
    queues = [text for page in (site / "queues").glob("*.md") for text in texts(page)]
    assert len(queues) == len(ackclock.catalogue()["queue"])
    for text in queues:
        ackclock.scenario.check(text)
    assert "(../lab/index.html#aqm)" in (site / "gallery/aqm.md").read_text(encoding="utf-8")
    assert "[Open the laboratory](../lab/index.html)" in (site / "how-to/lab.md").read_text(encoding="utf-8")
    # The table of a RemyCC is a file, which the page does not have.
    assert list(texts(site / "congestion-control/remycc.md")) == []


def test_every_page_is_in_the_navigation(site):
    groups = navigation.navigation(site)
    listed = [page for group in groups for page in group.pages()]
    assert len({*listed}) == len(listed) == len([*site.rglob("*.md")])
    assert re.findall(r": (\S+\.md)$", navigation.as_yaml(groups, site), re.MULTILINE) == listed
    (site / "astray.md").write_text("# Astray\n", encoding="utf-8")
    try:
        with pytest.raises(LookupError, match=r"astray\.md"):
            navigation.navigation(site)
    finally:
        (site / "astray.md").unlink()


def leaves(node, path=""):
    """The path of every field of the schema that is not inside a kind of congestion control, queue or application."""
    for table in fields.tables(node):
        for name, inner in table["properties"].items():
            if name == "kind":
                continue
            below = f"{path}.{name}" if path else name
            yield below, name, inner
            if name not in fields.ELSEWHERE:
                yield from leaves(inner, below)


def test_every_field_of_a_scenario_is_told(site):
    page = (site / "reference/scenario.md").read_text(encoding="utf-8")
    found = list(leaves(ackclock.schema()))
    assert len(found) > 100
    for path, name, inner in found:
        what = inner["description"].partition(" Accepted:")[0]
        rows = [line for line in page.splitlines() if f"`{name}` |" in line]
        assert any(what in row for row in rows), path
    # The outermost tables have an address.
    for name in ("duration", "bottleneck.rate", "flows.cc", "flows.restart_after_idle", "probes.rates"):
        assert page.count(f'<a id="{name}"></a>') == 1
    assert len(re.findall(r'<a id="([^"]+)">', page)) == len({*re.findall(r'<a id="([^"]+)">', page)})


def test_every_queue_and_application_is_told_with_its_fields(site):
    index = (site / "queues/index.md").read_text(encoding="utf-8")
    for name, node in fields.kinds("queue").items():
        page = (site / f"queues/{name}.md").read_text(encoding="utf-8")
        assert f"]({name}.md)" in index
        assert "alidated against" in page or name == "drop-tail"
        assert all(f"`{field}` |" in page for field in node["properties"] if field != "kind"), name
    page = (site / "reference/applications.md").read_text(encoding="utf-8")
    for name, node in fields.kinds("app").items():
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert all(f"`{field}` |" in section for field in node["properties"] if field != "kind"), name


def test_every_congestion_control_of_media_has_a_page_with_all_its_parts():
    found = media.pages()
    entries = {entry["name"]: entry for entry in ackclock.catalogue()["media"]}
    assert found.keys() == entries.keys()
    for name, text in found.items():
        headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
        assert headings == [*algorithms.SECTIONS, "Parameters"], name
        assert all(f"| `{one['name']}` |" in text for one in entries[name]["parameters"])
        assert f"]({name}.md)" in media.index()


def test_every_name_of_the_catalogue_has_a_place(site):
    text = "\n".join(
        (site / page).read_text(encoding="utf-8") for page in ("reference/names.md", "reference/scenario.md")
    )
    for kind, entries in ackclock.catalogue().items():
        if kind not in ("cc", "queue", "app"):
            for entry in entries:
                name = entry["name"]
                assert any(found in text for found in (f"| `{name}` |", f"### {name}\n", f"`: {name}\n")), (kind, name)


def test_the_tables_are_those_of_a_run_with_every_application():
    applications = {entry["name"] for entry in ackclock.catalogue()["app"]}
    assert {*columns.APPLICATIONS} < applications
    result = columns.run()
    assert {*result.flows["flow"]} == applications | {"paths"}
    page = columns.page(result)
    assert "| `goodput_bps` | number | bit/s | Its bytes over its duration. |" in page
    assert "| `len` | whole number | bytes | Bytes of payload. |" in page
    assert "`probes.rates = true`" in page


def test_the_page_refuses_what_differs_from_the_declarations():
    result = columns.run()
    changed = dict(result.tables)
    changed["more"] = changed.pop("rates")
    changed["flows"] = make_table(flow=["a"])
    with pytest.raises(LookupError) as caught:
        columns.page(Result(result.meta, changed))
    flows = "flows: ['flow'], not ['flow', 'stack', "
    for text in (flows, "more: ['time_s', ", "not declared", "rates: no table, not ["):
        assert text in str(caught.value)


def test_every_command_and_public_name_is_told(site):
    commands = (site / "reference/command-line.md").read_text(encoding="utf-8")
    for name in ("run", "sweep", "reproduce", "list", "check", "new", "schema", "bench", "drill", "tmix generate"):
        assert f"ackclock {name}\n" in commands
    assert "default: ()" not in commands
    page = (site / "reference/python.md").read_text(encoding="utf-8")
    for name in api.names():
        module, _, public = name.rpartition(".")
        if not inspect.ismodule(getattr(sys.modules[module], public)):
            assert f"### {name} {{ #{name} }}\n" in page


def test_every_field_and_default_is_told(site):
    page = (site / "reference/python.md").read_text(encoding="utf-8")
    assert re.findall(r"\*\*(\w+)\*\*\n\n(?=\*\*|#)", page) == []
    assert "**cwnd**\n\nCongestion window, bytes.\n" in page
    assert "**low**\n\nLower end of the interval; NaN if" in page
    assert not re.search(r"ForwardRef|PosixPath|WindowsPath| at 0x", page)


def test_a_docstring_becomes_markdown():
    def sample(first: int, *, second: str = "") -> str:
        """Does it ``so``.

        >>> sample(1)

        Parameters
        ----------
        first, second
            What
            they are.

        Raises
        ------
        ValueError
            If not.
        """
        return second * first

    document = "Does it `so`.\n\n```python\nsample(1)\n```\n\n*Parameters*\n\n- `first, second`: What they are."
    document += "\n\n*Raises*\n\n- `ValueError`: If not."
    assert api.told("here.sample", sample) == [
        "### here.sample { #here.sample }",
        "```python\nsample(first: int, *, second: str = '') -> str\n```",
        document,
    ]


def test_a_link_that_leads_nowhere_is_refused():
    places = {PurePosixPath("docs/a.md"): PurePosixPath("a.md"), PurePosixPath("README.md"): PurePosixPath("index.md")}
    source = PurePosixPath("docs/a.md")
    assert pages.turned("[b](../README.md#c)", source, places) == "[b](index.md#c)"
    assert pages.turned("[make](../Makefile)", source, places) == "make (`Makefile`)"
    with pytest.raises(LookupError, match=r"docs/a\.md links to gone\.md"):
        pages.turned("[b](gone.md)", source, places)
    shown = "```rust\n//! ![b](gone.png)\n```\n"
    assert pages.turned(f"{shown}[b](../README.md)", source, places) == f"{shown}[b](index.md)"


@pytest.mark.parametrize("name", ["reno", "remycc"])
def test_the_figure_of_an_algorithm_is_of_its_run(tmp_path, name):
    figures.draw(name, tmp_path / f"{name}.png")
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("algorithm", algorithms.algorithms(), ids=lambda algorithm: algorithm.name)
def test_every_algorithm_has_a_scenario_for_its_figure(algorithm):
    ackclock.scenario.check(figures.scenario(algorithm.name))


@pytest.mark.parametrize("family", ["westwood", "dctcp"])
def test_the_figure_of_a_family_is_of_different_runs(tmp_path, family):
    forms.draw(family, tmp_path / forms.picture(family))
    assert (tmp_path / forms.picture(family)).read_bytes().startswith(b"\x89PNG")
    windows = [
        ackclock.run(forms.scenario(family, form)).window["cwnd"].tolist() for form in forms.families()[family]["forms"]
    ]
    assert windows[0] != windows[1]
