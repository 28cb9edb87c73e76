"""Captures and logs that leave the page have the bytes of the command line."""

import base64
import io
import json
import zipfile
from pathlib import Path

import ackclock
from ackclock import examples
from ackclock.cli import main
from tests.helpers.browser import needs_browser
from tests.helpers.lab import STATUS, TEXT, after, write
from tests.helpers.node import answers, needs_engine, needs_same_engine
from tools.packaging.vendor import gallery

GALLERY = Path(examples.__file__).parent / "gallery"

SOONER = {
    "ack-congestion": {"flows[1].start": "1s"},
    "aqm": {"flows[1].start": "1s"},
    "bufferbloat": {"flows[0].start": "1s"},
    "fairness-rtt": {"probes.from": "1s"},
    "incast": {"duration": "300ms"},
    "live-video": {"flows[1].start": "1s"},
    "video-call": {"flows[1].start": "1s"},
}
"""Changes of scenarios by which everything in them happens within three seconds."""

TWO = """duration = "3s"

[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "20 packets"
loss = "1%"

[[flows]]
name = "one"
app = "bulk"

[[flows]]
name = "pages"
app = { kind = "transfer", size = "30kB", count = 5, gap = "100ms" }
"""


def requested(text, overrides, **traces):
    return {"text": text, "overrides": overrides, "seed": 5, "trace": {"captures": [], "qlog": False} | traces}


@needs_engine
@needs_same_engine
def test_every_scenario_of_the_gallery_leaves_the_same_files(tmp_path):
    shown = json.loads(gallery())
    texts = {path.stem: shown[path.stem] for path in sorted(GALLERY.glob("*.toml")) if path.stem in shown}
    assert "bufferbloat" in texts
    overrides = {name: {"duration": "3s"} | SOONER.get(name, {}) for name in texts}
    requests = [
        requested(text, list(overrides[name].items()), captures=["bottleneck"], qlog=True)
        for name, text in texts.items()
    ]
    for (name, text), answer in zip(texts.items(), answers(tmp_path, requests), strict=True):
        folder = tmp_path / name
        folder.mkdir()
        ackclock.trace(text, folder, captures=["bottleneck"], qlog=True, seed=5, overrides=overrides[name])
        assert "files" in answer, (name, answer)
        ours = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert {file: base64.b64decode(data) for file, data in answer["files"].items()} == ours, name
        assert len(ours["bottleneck.pcapng"]) > 1000
        assert len(ours) > 1, name


@needs_engine
def test_a_place_that_does_not_exist_is_said(tmp_path):
    (answer,) = answers(tmp_path, [requested(TWO, [], captures=["two.source"])])
    (problem,) = answer["problems"]
    assert problem["path"] == "captures"
    assert "no place to capture is called two.source; accepted: bottleneck, one.source" in problem["message"]


@needs_browser
@needs_engine
@needs_same_engine
class TestPage:
    def test_a_capture_and_logs_are_those_of_the_command(self, page, tmp_path):
        page.download_to(tmp_path)
        write(page, TWO)
        page.until(f"{TEXT}.includes('pages')")
        page.until("[...document.querySelectorAll('#numbers td')].some(one => one.textContent === 'pages')")
        seed = "document.getElementById('seed')"
        after(page, f"{seed}.value = '3'; {seed}.dispatchEvent(new Event('change'))")
        page.run(save("pcapng"))
        capture = page.saved("bottleneck.pcapng")
        page.run("document.querySelector('#take select').value = 'one.sink'")
        page.run(save("pcapng"))
        host = page.saved("one.sink.pcapng")
        page.run(save("qlog"))
        logs = zipfile.ZipFile(io.BytesIO(page.saved("qlog.zip")))
        assert "is saved" in page.run(STATUS)
        # The command that the page shows, with what it says of traces.
        (tmp_path / "bufferbloat.toml").write_text(TWO, encoding="utf-8")
        program, *command = page.run("document.querySelector('#take pre code').textContent").split(" ")
        assert program == "ackclock"
        assert (
            page.run("document.querySelector('#take .controls .source code').textContent") == "--pcap bottleneck --qlog"
        )
        out = tmp_path / "out"
        command[1], command[-1] = str(tmp_path / command[1]), str(out)
        assert main([*command, "--pcap", "bottleneck", "--pcap", "one.sink", "--qlog"]) == 0
        assert capture == (out / "bottleneck.pcapng").read_bytes()
        assert host == (out / "one.sink.pcapng").read_bytes()
        ours = {path.name: path.read_bytes() for path in out.glob("*.sqlog")}
        assert {name: logs.read(name) for name in logs.namelist()} == ours
        assert len(ours) == 12
        assert page.run("[...document.querySelectorAll('#take button')].every(one => !one.disabled)")


def save(words):
    return f"[...document.querySelectorAll('#take button')].find(one => one.textContent.startsWith('{words}')).click()"
