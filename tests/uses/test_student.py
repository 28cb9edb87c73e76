"""A student: from the first example to a figure and a table for a report of a practical."""

import csv
import io
from xml.etree import ElementTree

import pytest
from matplotlib import image

import ackclock
from tests.helpers.browser import Browser, needs_browser
from tests.helpers.terminal import Terminal
from tests.uses.pages import all_drawn, legends, looked_at, opened, save, text_below, unfold, words

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder in which the student works."""
    return tmp_path_factory.mktemp("student")


@pytest.fixture(scope="module")
def shell(folder):
    with Terminal(folder) as one:
        yield one


@pytest.fixture(scope="module")
def store(shell, folder):
    """The commands of the student, up to the report of a sweep."""
    assert "Why does a telephone call suffer" in shell.run("ackclock new scenario")
    assert "ackclock run bufferbloat.toml" in shell.run("ackclock new scenario bufferbloat")
    assert "the scenario is valid" in shell.run("ackclock check bufferbloat.toml")

    text = (folder / "bufferbloat.toml").read_text(encoding="utf-8")
    shell.write("mine.toml", text.replace("delay = ", "dealy = ").replace('cc = "cubic"', 'cc = "cubik"'))
    told = words(shell.run("ackclock check mine.toml", status=2))
    line = 1 + text[: text.index("delay = ")].count("\n")
    assert f"mine.toml: line {line}: bottleneck.dealy: unknown key" in told
    assert 'did you mean "delay"?' in told
    # The name of the congestion control is wrong as well, and both are said at once.
    assert '"cubik" is not a known congestion control' in told
    assert 'did you mean "cubic"?' in told
    shell.run('sed -i -e s/dealy/delay/ -e s/cubik/cubic/ -e \'s/"30s"/"10s"/\' mine.toml')
    assert "the scenario is valid" in shell.run("ackclock check mine.toml")

    told = shell.run("ackclock run mine.toml")
    rows = [row.split()[0] for row in told.splitlines() if row.startswith((" upload", " call"))]
    assert rows == ["upload", "call", "call"], "two flows, and the quality of the call"
    found = shell.json("ackclock run mine.toml --json")
    # The longest wait is that behind a full buffer: 256 packets of 1500 bytes at 10 Mbit/s.
    assert 250 < found["links"][0]["queue_delay_ms"]["max"] <= 256 * 1500 * 8 / 10e6 * 1e3

    shell.run("ackclock plot mine.toml queue --out queue.png")
    pixels = image.imread(folder / "queue.png")
    assert pixels.shape[1] > 600
    assert pixels.std() > 0.05

    told = shell.run(
        "ackclock sweep mine.toml --vary 'bottleneck.queue=256 packets,fq-codel' --seeds 3 --name queues --out out/mine"
        " --set flows.upload.start_jitter=500ms --set probes.window=true"
        " --of 'voip[call].mos' --of 'flows[upload].goodput_bps'"
    )
    assert "queues: 6 runs of 2 points" in told
    row = next(line.split() for line in shell.run("ackclock ls out/mine").splitlines() if line.startswith(" queues"))
    assert row[2:7] == ["2", "3", "6", "0", "0"]
    told = shell.run(
        "ackclock report out/mine --sweep queues --of 'voip[call].mos' --of 'flows[upload].goodput_bps'"
        " --question 'Which queue saves the call?'"
    )
    assert "report: out/mine/report.html" in told
    return folder / "out" / "mine"


def test_a_student_gets_from_an_example_to_an_answer(store):
    with ackclock.open(store) as results:
        (slow, fair) = results.estimates("voip[call].mos")
    assert (slow.params["bottleneck.queue"], fair.params["bottleneck.queue"]) == ("256 packets", "fq-codel")
    # The E-model's worst score is 1, and a call without loss over G.711 has 4.4.
    assert slow.estimate.value < 2 < 4 < fair.estimate.value <= 4.41


@needs_browser
def test_a_student_reads_the_report_and_takes_a_figure_and_a_table(store, folder):
    with ackclock.open(store) as results:
        slow, fair = (one.estimate.value for one in results.estimates("voip[call].mos"))
    with Browser() as page:
        page.offline()
        headings = opened(page, store / "report.html")
        assert headings[:2] == ["The question", "The answer"]
        assert "Over time" in headings
        assert text_below(page, "The question") == "Which queue saves the call?"
        answer = text_below(page, "The answer")
        assert "queue = fq-codel" in answer
        assert "higher than with queue = 256 packets, over 3 pairs" in answer
        assert f"{fair - slow:.4g}" in answer
        assert f"{fair:.4g} against {slow:.4g}" in answer
        hovered = page.run("[...document.querySelectorAll('.intervals .row[title]')].map(one => one.title)")
        assert hovered[1].startswith(f"fq-codel: {fair:.4g} [")
        unfold(page)
        looked_at(page, "student")
        assert all_drawn(page)
        assert {"bottleneck", "upload cwnd", "upload ssthresh", "upload SRTT"} <= legends(page)

        svg = ElementTree.fromstring(save(page, "Over time", "SVG", folder))
        texts = {one.text for one in svg.iter(f"{SVG}text")}
        assert "time (s)" in texts
        assert svg.find(f"{SVG}title").text
        rows = list(csv.reader(io.StringIO(save(page, "Points", "CSV", folder).decode(), newline="")))
        assert rows[0][1:4] == ["Queue", "Runs", "Mean opinion score of call"]
        told = {row[1]: (row[2], row[3].split()[0]) for row in rows[1:]}
        assert told == {"256 packets": ("3", f"{slow:.4g}"), "fq-codel": ("3", f"{fair:.4g}")}
        assert page.errors == []
        assert page.requests == []
