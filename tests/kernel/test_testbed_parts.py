"""The parts of the test bed that need no other program: what they read, and what they make of it."""

from __future__ import annotations

import http.server
import json
import math
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from ackclock.kernel.testbed import Clip, MissingError, require, viewer
from ackclock.kernel.testbed.measures import measures, stalled, window_left
from ackclock.kernel.testbed.server import Line, log_lines
from ackclock.kernel.testbed.session import Request, Session, acknowledged, changes
from ackclock.kernel.testbed.sockets import Sample, samples_of

ESTABLISHED = (
    "ESTAB 0 150608 100.64.0.1:8080 100.64.0.2:42276 timer:(on,480ms,0) uid:65534 ino:5 sk:1 "
    "reno wscale:7,7 rto:804 rtt:652.512/12.3 mss:1448 pmtu:1500 cwnd:22 ssthresh:82 bytes_sent:300000 "
    "bytes_retrans:28960 bytes_acked:265750 unacked:104 retrans:3/20 lost:5 sacked:7 rcv_rtt:400\n"
)
IDLE = "ESTAB 0 0 100.64.0.1:8080 100.64.0.2:7 reno rto:604 rtt:401.661/200.8 cwnd:10 segs_out:1\n"
MPD = b"""<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1M2.0S">
<Period><AdaptationSet>
<Representation id="0" bandwidth="50000"><SegmentTemplate timescale="1000" duration="4000" startNumber="1"
 initialization="init-$RepresentationID$.m4s" media="media-$RepresentationID$-$Number$.m4s"/></Representation>
<Representation id="1" bandwidth="400000"><SegmentTemplate timescale="1000" duration="4000" startNumber="1"
 initialization="init-$RepresentationID$.m4s" media="media-$RepresentationID$-$Number$.m4s"/></Representation>
</AdaptationSet></Period></MPD>
"""


def sample(time_s: float, flight: int, cwnd: int = 10, acked: int = 1, port: int = 1) -> Sample:
    return Sample(time_s, port, cwnd, None, acked, flight, 0.0, 0)


def request(number: int, start_s: float, done_s: float | None, level: int = 100, connection: int = 1) -> Request:
    return Request(number, level, 50_000, start_s, done_s, connection)


def test_ss_is_read_field_by_field() -> None:
    busy, idle = samples_of(ESTABLISHED + IDLE, 5.0)
    assert busy == Sample(5.0, 42276, 22, 82, 265750, 104, 652.512, 20)
    assert idle == Sample(5.0, 7, 10, None, 0, 0, 401.661, 0)


def test_lines_of_ss_that_are_no_connection_are_left_out() -> None:
    assert samples_of("Recv-Q Send-Q\n\nTIME-WAIT 0 0 1.1.1.1:80 1.1.1.2:90 timer:(timewait,59sec,0)\n", 0.0) == []


def test_nginx_log_is_read(tmp_path) -> None:
    assert log_lines(tmp_path) == []
    (tmp_path / "access.log").write_text(
        "1700000000.250 0.125 3 4711 200 5240 5000 /media-3-12.m4s\n", encoding="utf-8"
    )
    assert log_lines(tmp_path) == [Line(1700000000.25, 0.125, 3, 4711, 200, 5240, 5000, "/media-3-12.m4s")]


def test_a_request_is_done_between_the_samples_around_the_last_acknowledgment() -> None:
    samples = [
        sample(1.0, 3, acked=10),
        sample(1.1, 2, acked=20),
        sample(1.15, 1, acked=25, port=2),
        sample(1.2, 0, acked=30),
    ]
    line = Line(1.0, 0.1, 1, 1, 200, 30, 20, "/media-0-1.m4s")
    assert acknowledged(samples, line, 30) == pytest.approx(1.15)
    assert acknowledged(samples, line, 15) == pytest.approx(1.05)
    assert acknowledged(samples, line, 31) == 1.2, "a connection that is gone had everything acknowledged"
    assert acknowledged(samples, replace(line, port=9), 1) is None
    assert acknowledged([*samples, sample(9.0, 1, acked=40)], replace(line, ended_s=5.0), 40) == 9.0


def test_a_later_connection_with_the_same_port_is_another_one() -> None:
    samples = [
        sample(1.0, 3, acked=10),
        sample(1.1, 0, acked=20),
        sample(500.0, 3, 5, acked=0),
        sample(500.1, 0, acked=99),
    ]
    line = Line(1.0, 0.1, 1, 1, 200, 30, 20, "/media-0-1.m4s")
    assert acknowledged(samples, line, 30) == 1.1
    assert window_left(samples) == []


def test_of_samples_alike_the_first_and_the_last_are_kept() -> None:
    samples = [sample(time, 0) for time in (1.0, 2.0, 3.0)] + [sample(4.0, 1), sample(5.0, 1)]
    assert [one.time_s for one in changes(samples)] == [1.0, 4.0, 5.0]


def test_a_player_stands_still_for_as_long_as_its_segment_is_late() -> None:
    # The first segment starts the clock at 1; the second is there in time, the third 2 s late, the fourth in time.
    times = [request(1, 0, 1), request(2, 1, 3), request(3, 3, 11), request(4, 11, 14)]
    assert stalled(times, 4) == pytest.approx(2)
    assert stalled([], 4) == 0
    # Asked for twice, the third counts when it was first complete: it is in time, and the fourth 1 s late.
    assert stalled([*times, request(3, 3, 8)], 4) == pytest.approx(1)


def test_the_window_after_a_pause_is_that_of_the_first_sample_with_data() -> None:
    samples = [sample(0, 5, 40), sample(1, 0, 40), sample(2, 0, 40), sample(2.1, 10, 10), sample(2.2, 10, 20)]
    assert window_left(samples) == [0.25]
    assert window_left([sample(0, 5), sample(1, 0), sample(1.1, 5)]) == [], "a tenth of a second is no pause"
    assert window_left([sample(0, 0, acked=0), sample(1, 5)]) == [], "a connection that has not sent yet"
    two = [sample(0, 0, 8, port=1), sample(1, 1, 8, port=1), sample(0, 0, 8, port=2), sample(2, 1, 2, port=2)]
    assert window_left(two) == [1, 0.25]


def test_samples_with_packets_show_the_end_of_a_pause_a_round_trip_late() -> None:
    def taken(time_s: float, flight: int, cwnd: int = 40) -> Sample:
        return replace(sample(time_s, flight, cwnd), rtt_ms=400.0)

    # A request follows the last segment at once: the first sample with data in flight comes with its acknowledgment.
    in_a_row = [taken(1.0, 0), taken(1.01, 0), taken(1.41, 10, 42)]
    assert window_left(in_a_row, with_acks=True) == []
    assert window_left(in_a_row) == [1.05], "a round-trip time is longer than a pause"
    # A request arrives 2 s later, before the kernel reduces the window.
    pause = [taken(1.0, 0), taken(3.0, 0), taken(3.4, 10, 12)]
    assert window_left(pause, with_acks=True) == [0.3]


def test_measures_of_a_session() -> None:
    requests = (
        request(1, 0, 1, 100),
        request(2, 1, 3, 300),
        request(3, 3, 4, 300, connection=2),
        request(4, 4, None, 100),
    )
    links = [{"link": "bottleneck", "drops": 7}, {"link": "other", "drops": 9}]
    found = measures(Session(requests, (), (), {"links": links}, True, ()), 4)
    assert found["level_kbps"] == 200
    assert found["download_kbps"] == pytest.approx((400 + 200 + 400) / 3)
    assert found["switches"] == 2
    assert found["drops"] == 7
    assert found["connections"] == 2
    assert found["stalled_s"] == 0
    assert math.isnan(found["window_left"])


def test_a_missing_program_is_named_with_its_package(monkeypatch) -> None:
    monkeypatch.setattr(
        "ackclock.kernel.testbed.programs.found", lambda program: None if program == "nginx" else "/bin/x"
    )
    with pytest.raises(MissingError, match=r"needs nginx; on Debian: apt-get install nginx$"):
        require(["ffmpeg", "nginx"])


def test_ffmpeg_is_told_every_level() -> None:
    words = Clip((50, 100), 4, 60).command("ffmpeg")
    assert [words[words.index(f"-b:v:{level}") + 1] for level in (0, 1)] == ["50k", "100k"]
    assert words[words.index("-g") + 1] == "40"


def test_the_manifest_says_levels_and_segments() -> None:
    media = viewer.media_of(MPD)
    assert media.levels == [(50_000, "0"), (400_000, "1")]
    assert (media.segment_s, media.first, media.last) == (4.0, 1, 16), "62 s are fifteen and a half segments"


class Clips(http.server.BaseHTTPRequestHandler):
    """Segments of 100 bytes."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        body = MPD.replace(b"PT1M2.0S", b"PT8.0S") if self.path.endswith("mpd") else bytes(100)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def test_the_player_plays_a_clip_to_its_end() -> None:
    Clips.asked.clear()
    with http.server.HTTPServer(("127.0.0.1", 0), Clips) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/manifest.mpd"
        done = subprocess.run(
            [sys.executable, "-I", "-S", viewer.__file__, url, "30", "60"], capture_output=True, text=True, check=True
        )
        server.shutdown()
        thread.join()
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["number"] for row in rows] == [1, 2]
    assert {row["bytes"] for row in rows} == {100}
    # The buffer is low, so that both are of the lowest level.
    assert Clips.asked == ["/manifest.mpd", "/init-0.m4s", "/media-0-1.m4s", "/media-0-2.m4s"]
