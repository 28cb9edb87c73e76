"""The laboratory in a browser."""

import base64
import json
import zlib
from pathlib import Path

import pytest
from scipy.stats import t as student

from ackclock import _core, examples
from ackclock.base.table import Table
from ackclock.judge.packs.contents import digests
from ackclock.plot.palette import COLOURS, DARK
from ackclock.results.result import Result
from tests.helpers.browser import DRAWN, Browser
from tests.helpers.contrasts import pale
from tests.helpers.lab import (
    DIGESTS,
    NEEDS,
    NUMBERS,
    SHORT,
    STATUS,
    TEXT,
    after,
    link,
    opened,
    press,
    turned,
    write,
)
from tests.helpers.node import needs_same_engine

pytestmark = NEEDS

GALLERY = Path(examples.__file__).parent / "gallery"


def hostile(**changes):
    """The text of a link with something else in it."""
    return json.dumps({"v": "0.1.0", "e": "01234567", "t": [[[0, 1, SHORT]]], "s": 1} | changes)


HOSTILE = [
    "null",
    "[]",
    "7",
    "[" * 100_000 + "]" * 100_000,
    hostile(t=None),
    hostile(t=[[5]]),
    hostile(t=[[None]]),
    hostile(t=[[[0, 1, {"a": []}]]]),
    hostile(t=[[["0", "1", "x"]]]),
    hostile(t=[[[0, -5, "x"]]]),
    hostile(t=[[[1e300, 1e300]]]),
    hostile(t=[[], [], []]),
    hostile(s=-1),
    hostile(s="1"),
    hostile(s=1).replace('"s": 1', '"s": 1e999'),
    hostile(g="constructor"),
    hostile(g="__proto__"),
    hostile(g=["bufferbloat"]),
    hostile(g="\x1b[2J\u202e" + "x" * 1000),
    hostile(c=[5]),
    hostile(v={"a": 1}),
    hostile(t=[[[0, 1, "x" * 50_000_000]]]),
]
"""Texts of links that no page wrote; the last has little when it is packed."""


class TestExperiment:
    def test_it_opens_with_a_picture_and_asks_nobody_else(self, page):
        assert page.run("document.getElementById('question').textContent").startswith("Why does a telephone call")
        assert all(page.run(DRAWN))
        assert page.run("document.querySelectorAll('#figures canvas').length") == 5

    @needs_same_engine
    def test_hashes_and_digests_are_those_of_the_native_engine(self, page):
        text = (GALLERY / "bufferbloat.toml").read_text(encoding="utf-8")
        meta, tables = _core.run(text, "toml", [("probes.window", "true"), ("probes.rates", "true")], 1)
        assert page.run(DIGESTS) == digests(Result(meta, {name: Table(one) for name, one in tables.items()}))
        facts = page.run("document.querySelector('#take p.source').textContent")
        assert _core.scenario_hash(text, "toml", []) in facts

    def test_a_control_changes_the_text_and_runs_at_once(self, page):
        before = page.run(NUMBERS)
        after(page, turned("Rate of the link", "2Mbps"))
        assert 'rate = "2Mbps"' in page.run(TEXT)
        assert page.run(NUMBERS) != before
        after(page, turned("Queue", "codel", "change"))
        assert 'queue = "codel"' in page.run(TEXT)
        assert (
            page.run("[...document.querySelectorAll('#knobs label')].some(one => one.textContent == 'Buffer')") is False
        )

    def test_mistakes_are_marked_where_they_are(self, page):
        write(page, SHORT.replace('"5Mbps"', '"5Mbqs"') + 'cc = "cubik"\n')
        page.until("document.querySelectorAll('#problems li').length == 2")
        assert "2 mistakes" in page.run(STATUS)
        marked = page.until("[...document.querySelectorAll('.cm-lintRange-error')].map(one => one.textContent)")
        assert marked == ['"5Mbqs"', '"cubik"']
        # The last run stays in view.
        assert all(page.run(DRAWN))
        before = page.run("document.body.dataset.ran")
        write(page, SHORT)
        page.until(f"document.body.dataset.ran > {before}")
        assert page.run("document.querySelectorAll('#problems li').length") == 0

    def test_keys_and_values_are_completed_from_the_schema(self, page):
        write(page, SHORT + "slow_st")
        shown = "[...document.querySelectorAll('.cm-completionLabel')].map(one => one.textContent)"
        page.until(f"{shown}.includes('slow_start')")
        write(page, SHORT + 'cc = "cub')
        page.until(f"{shown}.includes('\"cubic\"')")

    @needs_same_engine
    def test_two_variants_and_means_over_seeds(self, page):
        write(page, SHORT)
        page.until(f"{TEXT}.includes('start_jitter')")
        # The link that carries ACKs alone has no queue, and one row.
        page.until("document.querySelectorAll('#numbers tbody tr').length == 9 || null")
        after(page, "document.getElementById('compare').click()")
        after(page, turned("Rate of the link", "3Mbps"))
        rows = {(of, measure): values for of, measure, *values in page.run(NUMBERS)}
        one, two = (float(value) for value in rows["one", "goodput (Mbit/s)"])
        assert 2 < two < 3 < one < 5
        page.run("document.querySelector('[name=view][value=beside]').click()")
        assert page.run("document.querySelectorAll('#figures.beside > div').length") == 2
        page.run("document.getElementById('seeds').click()")
        page.until("document.querySelectorAll('#means tbody tr').length > 0")
        found = page.run(NUMBERS.replace("#numbers", "#means"))
        (row,) = (row for row in found if row[:2] == ["one", "goodput (Mbit/s)"])
        assert row[-1] == "B is lower"
        goodputs = [
            _core.run(SHORT, "toml", [], seed)[1]["flows"]["goodput_bps"].to_pylist()[0] for seed in range(1, 31)
        ]
        assert float(row[2].split(" ")[0]) == pytest.approx(sum(goodputs) / 30 / 1e6, rel=1e-3)

    def test_a_run_that_takes_long_is_asked_for_and_stopped(self, page):
        page.run(turned("Duration", "9000s"))
        page.until(f"{STATUS}.includes('million packets')")
        page.run("document.querySelector('#status button').click()")
        page.until("!document.getElementById('stop').hidden")
        page.run("document.getElementById('stop').click()")
        assert "was stopped" in page.run(STATUS)
        after(page, turned("Duration", "8s"))
        assert page.run(STATUS).startswith("Done")


class TestLinks:
    def test_another_browser_shows_the_same(self, page, address):
        after(page, turned("Buffer", "20 packets"))
        seed = "document.getElementById('seed')"
        after(page, f"{seed}.value = '7'; {seed}.dispatchEvent(new Event('change'))")
        page.until("location.hash.length > 2")
        given = page.run("location.href")
        assert len(given) < 300
        with Browser() as other:
            opened(other, given)
            assert other.run(TEXT) == page.run(TEXT)
            assert other.run(NUMBERS) == page.run(NUMBERS)
            assert other.run(DIGESTS) == page.run(DIGESTS)
            assert other.run("document.getElementById('notice').hidden")
            assert other.errors == []

    def test_the_link_of_a_whole_scenario_has_less_than_2000_characters(self, page):
        for path in sorted(GALLERY.glob("*.toml")):
            assert len(link(page, texts=[path.read_text(encoding="utf-8")])) < 1900, path.name

    def test_another_version_is_said(self, page, address):
        opened(page, address + link(page, texts=[SHORT], about={"version": "0.0.9", "engine": "0123456789abcdef"}))
        assert "made by version 0.0.9 (engine 01234567)" in page.run("document.getElementById('notice').textContent")
        assert page.run(TEXT) == SHORT

    @pytest.mark.parametrize("cut", [8, 40])
    def test_a_broken_link_leaves_a_page_that_runs(self, page, address, cut):
        opened(page, address + link(page, texts=[SHORT])[:cut])
        assert "The link cannot be opened" in page.run("document.getElementById('notice').textContent")
        assert all(page.run(DRAWN))

    @pytest.mark.parametrize("written", HOSTILE, ids=[one[:30] for one in HOSTILE])
    def test_a_link_of_a_stranger_leaves_a_page_that_runs(self, page, address, written):
        compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
        data = compressor.compress(written.encode()) + compressor.flush()
        opened(page, address + "#1" + base64.urlsafe_b64encode(data).decode().rstrip("="))
        told = page.run("document.getElementById('notice').textContent")
        assert "The link cannot be opened" in told
        assert told.isprintable()
        assert len(told) < 300
        assert all(page.run(DRAWN))

    @pytest.mark.parametrize("name", ["constructor", "__proto__"])
    def test_names_of_every_object_are_no_scenarios(self, page, address, name):
        opened(page, f"{address}#{name}")
        assert all(page.run(DRAWN))

    def test_control_characters_of_another_version_are_shown_as_escapes(self, page, address):
        about = {"version": "\x1b[2J\u202e" + "9" * 500, "engine": "<b>0123"}
        opened(page, address + link(page, texts=[SHORT], about=about))
        told = page.run("document.getElementById('notice').textContent")
        assert "made by version \\u{1b}[2J\\u{202e}99" in told
        assert "(engine <b>01234" in told or "(engine <b>0123)" in told
        assert len(told) < 300


class TestRefusals:
    def test_a_scenario_that_names_a_file(self, page):
        write(page, SHORT + 'cc = { kind = "remycc", table = "x.dna" }\n')
        page.until("document.querySelector('#problems')?.textContent.includes('command line')")

    def test_one_that_is_too_large_for_a_page(self, page):
        write(page, SHORT.replace('"2s"', '"20h"') + "[probes]\npackets = true\n")
        page.until(f"{STATUS}.includes('too much for a page')")
        assert "ackclock run" in page.run("document.querySelector('#take code').textContent")

    def test_without_webassembly(self, browser, address):
        browser.errors.clear()
        source = "delete globalThis.WebAssembly"
        number = browser.send("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
        try:
            opened(browser, address)
            assert "has no WebAssembly" in browser.run(STATUS)
        finally:
            browser.send("Page.removeScriptToEvaluateOnNewDocument", identifier=number)
        assert browser.errors == []


class TestEverybody:
    def test_the_keyboard_alone_chooses_another_experiment(self, page):
        press(page, "Tab")
        assert page.run("document.activeElement.id") == "scenario"
        before = page.run("document.getElementById('question').textContent")
        press(page, "ArrowDown")
        page.until(f"document.getElementById('question').textContent != {json.dumps(before)}")
        page.until("document.body.dataset.ran > 1")
        # Past the lessons and the studies, which are folded.
        for _ in range(3):
            press(page, "Tab")
        assert page.run("document.activeElement.closest('#knobs') !== null")

    def test_the_keyboard_alone_takes_a_lesson(self, page):
        def focus(what):
            for _ in range(40):
                if page.run(f"document.activeElement.matches({json.dumps(what)})"):
                    return
                press(page, "Tab")
            pytest.fail(f"the keyboard does not reach {what}")

        focus("#course > summary")
        press(page, "Enter")
        focus("#lessons a[href='#lesson-buffers']")
        press(page, "Enter")
        page.until("document.querySelectorAll('#lesson input').length == 4")
        page.run("document.activeElement.blur()")
        focus("#lesson fieldset:last-of-type input")
        page.send("Input.insertText", text="100")
        press(page, "Enter")
        page.until("document.getElementById('lesson').dataset.explained === 'buffers'")

    def test_a_phone_scrolls_in_one_direction(self, page):
        page.size(390, 800, phone=True)
        page.settle()
        assert page.run("document.documentElement.scrollWidth") <= 390

    @pytest.mark.parametrize("dark", [False, True])
    def test_texts_have_the_contrast_of_wcag_aa(self, page, dark):
        page.dark(dark)
        names = ["ink", "quiet", "error", "value", "accent"]
        value = "getComputedStyle(document.documentElement).getPropertyValue('--' + one).trim()"
        colours = page.run(f"Object.fromEntries({json.dumps([*names, 'page', 'raised'])}.map(one => [one, {value}]))")
        for ground in ("page", "raised"):
            for name in names:
                assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)

    @pytest.mark.parametrize("dark", [False, True])
    @pytest.mark.parametrize("part", ["your-own", "lesson-buffers", "study-munir-fairness"])
    def test_every_text_can_be_read(self, page, address, dark, part):
        page.dark(dark)
        opened(page, f"{address}#{part}")
        page.run("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.settle()
        assert pale(page) == []

    @pytest.mark.parametrize("dark", [False, True])
    def test_what_is_drawn_has_the_contrast_of_wcag(self, page, dark):
        """Lines and marks have 3 to 1 (WCAG 2.2, 1.4.11), the texts of axes and legends 4.5 to 1 (1.4.3)."""
        page.dark(dark)
        page.settle()
        ground, ink = page.run(
            "['--page', '--ink'].map(one => getComputedStyle(document.documentElement).getPropertyValue(one).trim())"
        )
        colours = page.run("[...ackclock.COLOURS, ackclock.NEUTRAL]")
        palette = {one["dark" if dark else "colour"] for one in colours}
        # The page draws with the palette of reports and of figures for papers.
        assert {*(DARK.values() if dark else COLOURS.values())} < palette
        assert len(palette) == len(COLOURS) + 1
        for one in palette:
            assert contrast(one, ground) >= 3, one
        # The legend's texts are ink, and its signs have colours of the palette.
        assert {rgb(one) for one in page.run(LEGEND_TEXTS)} == {ink}
        assert contrast(ink, ground) >= 4.5
        # No figure has lines in another colour, or fainter.
        drawn = {rgb(one) for one in page.run(MOST_DRAWN)}
        assert drawn
        assert drawn <= palette

    def test_a_tab_in_the_background_finishes_its_run(self, page):
        """Browsers draw nothing there and slow timers down; threads go on."""
        before = page.run(NUMBERS)
        page.send("Emulation.setFocusEmulationEnabled", enabled=False)
        other = page.send("Target.createTarget", url="about:blank")["targetId"]
        try:
            page.send("Target.activateTarget", targetId=other)
            assert page.run("document.visibilityState") == "hidden"
            after(page, turned("Rate of the link", "3Mbps"))
            assert page.run(NUMBERS) != before
            assert page.run(STATUS).startswith("Done")
        finally:
            page.send("Target.closeTarget", targetId=other)
        assert all(page.run(DRAWN))


LEGEND_TEXTS = """[...document.querySelectorAll('.u-legend .u-label, .panel h4, .u-value')]
  .map(one => getComputedStyle(one).color)"""

MOST_DRAWN = """[...document.querySelectorAll('#figures canvas')].map(one => {
  const copy = Object.assign(document.createElement('canvas'), { width: one.width, height: one.height });
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(one, 0, 0);
  const data = context.getImageData(0, 0, one.width, one.height).data;
  const seen = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const part = [...data.slice(at, at + 3)];
    if (data[at + 3] < 255 || Math.max(...part) - Math.min(...part) < 60) continue;
    const name = `rgb(${part.join(', ')})`;
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  return [...seen].sort((a, b) => b[1] - a[1])[0][0];
})"""
"""The colour of most pixels of each figure, but greys."""


def rgb(text):
    return "#" + "".join(f"{int(one):02x}" for one in text.removeprefix("rgb(").removesuffix(")").split(","))


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


class TestParts:
    @pytest.mark.parametrize("freedom", [1, 2, 5, 29, 200])
    def test_quantiles_of_student_are_those_of_scipy(self, page, freedom):
        assert page.run(f"ackclock.studentT({freedom})") == pytest.approx(student.ppf(0.975, freedom), rel=1e-9)

    @pytest.mark.parametrize(
        ("path", "value", "line"),
        [
            ("bottleneck.rate", '"1Mbps"', 'rate = "1Mbps"'),
            ("bottleneck.loss", '"1%"', 'loss = "1%"'),
            ("flows[0].cc", '"bbr"', 'cc = "bbr"'),
            ("probes.window", "true", "window = true"),
            ("seed", "4", "seed = 4"),
        ],
    )
    def test_a_value_is_set_in_its_place(self, page, path, value, line):
        changed = page.run(f"ackclock.set({json.dumps(SHORT)}, {json.dumps(path)}, {json.dumps(value)})")
        assert line in changed.splitlines()
        canonical = json.loads(_core.check(changed, "toml", []))
        assert _core.check(SHORT, "toml", [(path, value.strip('"'))]) == json.dumps(
            canonical, separators=(",", ":"), ensure_ascii=False
        )
