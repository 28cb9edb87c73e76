"""A DASH player over HTTP/1.1 that plays for a given time. It uses Python's standard library alone.

Its rule is the simulator's `throughput`: the highest level within the mean rate of all downloads so far, the lowest
while the buffer is below 30 % of the level at which it asks for segments. One request is outstanding at a time.
It prints one JSON object for each segment.
"""

from __future__ import annotations

import http.client
import json
import math
import re
import sys
import time
import urllib.parse
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any

LOW = 0.3
"""The share of the level at which segments are asked for below which the buffer is low."""
PATIENCE_S = 60.0
NAMESPACE = "{urn:mpeg:dash:schema:mpd:2011}"


@dataclass(frozen=True)
class Media:
    """Media that an MPD describes."""

    levels: list[tuple[int, str]]
    """Rate (bit/s) and id of each representation, in ascending order."""
    initial: str
    media: str
    segment_s: float
    first: int
    last: int
    """Number of the last segment."""


def media_of(text: bytes) -> Media:
    """The contents of an MPD with one adaptation set and numbered segments."""
    root = ET.fromstring(text)  # noqa: S314 -- the manifest is the test bed's own
    levels = sorted((int(one.attrib["bandwidth"]), one.attrib["id"]) for one in root.iter(f"{NAMESPACE}Representation"))
    template = next(root.iter(f"{NAMESPACE}SegmentTemplate")).attrib
    segment_s = int(template["duration"]) / int(template.get("timescale", "1"))
    first = int(template.get("startNumber", "1"))
    length = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?([\d.]+)S", root.attrib["mediaPresentationDuration"])
    if length is None:
        raise ValueError(f"the MPD's duration {root.attrib['mediaPresentationDuration']} is not understood")
    hours, minutes, seconds = (float(part or 0) for part in length.groups())
    last = first + math.ceil((3600 * hours + 60 * minutes + seconds) / segment_s - 0.01) - 1
    return Media(levels, template["initialization"], template["media"], segment_s, first, last)


class Server:
    """Requests over one connection, or over one each where the server closes it."""

    def __init__(self, url: str) -> None:
        place = urllib.parse.urlsplit(url)
        self.folder = place.path.rpartition("/")[0]
        self.connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=PATIENCE_S)

    def get(self, name: str) -> bytes:
        """The body of an answer with status 200."""
        self.connection.request("GET", f"{self.folder}/{name}")
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise ValueError(f"{name}: the server answered {answer.status} {answer.reason}")
        return body


def watch(url: str, buffer_s: float, until_s: float) -> None:
    """Plays until `until_s` seconds have passed, and prints each segment."""
    server = Server(url)
    began = time.monotonic()
    media = media_of(server.get(url.rpartition("/")[2]))
    rates = [rate for rate, _ in media.levels]
    asks_below_s = buffer_s - media.segment_s
    bytes_read, reading_s, initialised = 0, 0.0, set[str]()
    buffered_s, played_until, stalled_s = 0.0, None, 0.0
    for number in range(media.first, media.last + 1):
        # A player plays on while it waits for room.
        if buffered_s > asks_below_s:
            time.sleep(buffered_s - asks_below_s)
            buffered_s, played_until = asks_below_s, time.monotonic()
        level = 0
        if reading_s and buffered_s >= LOW * asks_below_s:
            level = max([at for at, rate in enumerate(rates) if rate <= 8 * bytes_read / reading_s], default=0)
        rate, name = media.levels[level]
        asked = time.monotonic()
        if asked - began > until_s:
            return
        if name not in initialised:
            server.get(media.initial.replace("$RepresentationID$", name))
            initialised.add(name)
            asked = time.monotonic()
        body = server.get(media.media.replace("$RepresentationID$", name).replace("$Number$", str(number)))
        done = time.monotonic()
        bytes_read, reading_s = bytes_read + len(body), reading_s + done - asked
        if played_until is not None:
            left_s = buffered_s - (done - played_until)
            stalled_s += max(-left_s, 0.0)
            buffered_s = max(left_s, 0.0)
        buffered_s, played_until = buffered_s + media.segment_s, done
        row: dict[str, Any] = {"number": number, "level_bps": rate, "bytes": len(body), "download_s": done - asked}
        sys.stdout.write(json.dumps(row | {"buffer_s": buffered_s, "stalled_s": stalled_s}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    watch(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
