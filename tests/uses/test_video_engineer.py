"""A video engineer: how players with different rules live through a minute of a slow network."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import ackclock
from tests.helpers.browser import Browser, needs_browser
from tests.helpers.pages import unpacked
from tests.helpers.terminal import Terminal
from tests.uses.pages import all_drawn, legends, looked_at, opened, save, text_below

MEASURES = "--of 'dash[video].stall_s' --of 'dash[video].mean_level_bps'"
SHORT = "--set duration=130s"
"""The rate falls at 90 s: the first stall is over before the end."""

SVG = "{http://www.w3.org/2000/svg}"
BUFFER = "DASH: media in the buffer"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("video")


@pytest.fixture(scope="module")
def store(folder):
    """The commands of the engineer, up to the report."""
    with Terminal(folder) as shell:
        shell.run("ackclock new scenario abr-dash")
        told = {}
        for variant in ("flows.video.app.abr=throughput", "flows.video.app.abr=bola", "bottleneck.rate=10Mbps"):
            shell.run(f"ackclock run abr-dash.toml {SHORT} --set {variant} --out out/{variant.rpartition('=')[2]}")
            (row,) = folder.joinpath("out", variant.rpartition("=")[2], "dash.csv").read_text("utf-8").split()[1:]
            told[variant.rpartition("=")[2]] = row
        assert len({*told.values()}) == 3

        wrong = shell.run("ackclock run abr-dash.toml --set flows.video.app.abr=bolla", status=2)
        assert 'did you mean "bola"?' in wrong

        told = shell.run(f"ackclock sweep abr-dash.toml {SHORT} --vary flows.video.app.abr=throughput,bola --seeds 1"
                         f" --set probes.queues=true --out out/film {MEASURES}")  # fmt: skip
        assert "2 runs of 2 points" in told
        shell.run(f"ackclock report out/film {MEASURES} --question 'Which rule plays without a stall?'")
    return folder / "out" / "film"


def data_of(page, title):
    """The figures with a title, in the order of the page, as its script reads them."""
    texts = page.run("[...document.querySelectorAll('script[data-plot]')].map(one => one.textContent)")
    return [figure for figure in map(json.loads, texts) if figure["title"] == title]


def paths_of(svg, colour):
    """The corners of the lines in a colour, in pixels; the legend has short ones."""
    found = [one.get("d") for one in svg.iter(f"{SVG}path") if one.get("stroke") == colour]
    return [np.array(re.findall(r"-?[\d.]+", path), dtype=float).reshape(-1, 2) for path in found]


def column(values):
    """The numbers of a column, packed or not; a gap is NaN."""
    if isinstance(values, dict):
        return np.array(unpacked(values))
    return np.array([np.nan if one is None else one for one in values], dtype=float)


def test_a_video_engineer_finds_the_rule_that_stalls(store):
    with ackclock.open(store) as one:
        stalls = [point.estimate.value for point in one.estimates("dash[video].stall_s")]
        levels = [point.estimate.value for point in one.estimates("dash[video].mean_level_bps")]
    # The buffer-based rule pays for its safety with quality.
    assert stalls[0] > 1
    assert stalls[1] == 0
    assert levels[0] > levels[1] > 300e3


@needs_browser
def test_a_video_engineer_sees_the_stall_in_the_report(store):
    with ackclock.open(store) as one:
        (stalled, _) = one.estimates("dash[video].stall_s")
        run = next(row["run"] for row in one.runs.rows() if row["flows.video.app.abr"] == "throughput")
        segments = [*one.result(run).dash_segments.rows()]
    (stall,) = [row for row in segments if row["stall_s"]]
    with Browser() as page:
        page.offline()
        headings = opened(page, store / "report.html")
        assert headings[:2] == ["The question", "The answer"]
        assert text_below(page, "The question") == "Which rule plays without a stall?"
        answer = text_below(page, "The answer")
        assert "bola" in answer
        assert "lower" in answer
        assert f"{stalled.estimate.value:.4g}" in answer
        assert BUFFER in page.run("document.body.innerText")
        assert all_drawn(page)
        looked_at(page, "video-engineer")
        assert {"video", "video: stalled"} <= legends(page)

        first, second = data_of(page, BUFFER)
        (video, bar) = first["series"]
        assert [one["label"] for one in second["series"]] == ["video"]
        times, media = (column(video[axis]) for axis in ("x", "y"))
        # The stall ends when its segment has come, and began so much earlier.
        end = stall["request_s"] + stall["download_s"]
        begin = end - stall["stall_s"]
        assert np.nanmax(media[times < begin]) > 20
        assert np.nanmin(media) == 0
        np.testing.assert_allclose(column(bar["x"])[:2], [begin, end], atol=0.01)
        # The picture has the line of the buffer at zero from the begin to the end, with a bar of the stall on it.
        svg = ElementTree.fromstring(save(page, BUFFER, "SVG", store.parent))
        line, mark = (max(paths_of(svg, one["colour"]), key=len) for one in (video, bar))
        across = np.polyfit([times[0], times[-1]], [line[0, 0], line[-1, 0]], 1)
        # The buffer is empty at the start as well.
        _, *empty = line[line[:, 1] > line[:, 1].max() - 0.5]
        np.testing.assert_allclose([x for x, _ in empty], np.polyval(across, [begin, end]), atol=1)
        np.testing.assert_allclose(mark[:, 0], np.polyval(across, [begin, end]), atol=1)
        np.testing.assert_allclose(mark[:, 1], [y for _, y in empty], atol=0.5)
        # The other rule never has an empty buffer once it plays.
        times, media = (column(second["series"][0][axis]) for axis in ("x", "y"))
        assert np.nanmin(media[(times > 10) & (times < 120)]) > 1

        # The list above the panels changes the run that is shown.
        chosen = page.run(
            "(() => { const one = document.querySelector('.choice select'); one.selectedIndex = 1; "
            "one.dispatchEvent(new Event('change')); return one.options[1].text })()"
        )
        assert "bola" in chosen
        page.settle()
        assert all_drawn(page)
        assert "video: stalled" not in legends(page)
        assert page.errors == []
        assert page.requests == []
