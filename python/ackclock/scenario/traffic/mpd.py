"""Manifests of MPEG-DASH (MPD, ISO/IEC 23009-1) as ladders of the application ``dash``.

A manifest says in which bitrates a video is available, how long its segments are, and at times how large each is.
`read` takes that from the file; `Presentation.app` is the application of a flow with it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ackclock.base import reading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

__all__ = ["ManifestError", "Presentation", "read"]

MOST_BYTES = 16 << 20
MOST_SEGMENTS = 1_000_000
MOST_UNEVEN = Fraction(1, 10)
"""The part by which segments, other than the last, may differ from the usual duration."""

DURATION = re.compile(
    r"P(?:(?P<days>[\d.]+)D)?(?:T(?:(?P<hours>[\d.]+)H)?(?:(?P<minutes>[\d.]+)M)?(?:(?P<seconds>[\d.]+)S)?)?$"
)
RANGE = re.compile(r"(\d+)-(\d+)$")


class ManifestError(ValueError):
    """A file that is no manifest, or in which no video with segments of one duration is found."""

    code = "ACK040"


@dataclass(frozen=True, slots=True)
class Presentation:
    """The video of a manifest."""

    ladder_bps: tuple[int, ...]
    """Bitrates in ascending order, in bit/s."""
    segment_s: float
    """Playing time of a segment in seconds."""
    segments: int | None
    """Number of segments; None of a live presentation."""
    sizes: tuple[tuple[int, ...], ...] | None
    """Bytes of each segment by bitrate, where the manifest has them."""
    latency_s: float | None
    """Suggested delay behind a live event; None of video on demand, and where the manifest suggests none."""

    def app(self) -> dict[str, Any]:
        """The application ``dash`` of a flow, as a scenario has it."""
        app: dict[str, Any] = {
            "kind": "dash",
            "ladder": [f"{rate}bps" for rate in self.ladder_bps],
            "segment": f"{self.segment_s:.9g}s",
        }
        if self.segments is not None:
            app["segments"] = self.segments
        if self.sizes is not None:
            app["sizes"] = [[f"{size}B" for size in sizes] for sizes in self.sizes]
        if self.latency_s is not None:
            app["live"] = {"latency": f"{max(self.latency_s, self.segment_s):.9g}s"}
        return app

    def toml(self) -> str:
        """The application as a line of a scenario in TOML."""
        return f"app = {_toml(self.app())}\n"


def read(path: Path | str, adaptation: str | None = None) -> Presentation:
    """Reads the video of a manifest's first period.

    Segments are those of a SegmentTemplate with a duration or a SegmentTimeline, or of a SegmentList, at any level.
    Sizes are the byte ranges of a SegmentList. Bitrates that occur twice count once.

    Parameters
    ----------
    path
        The manifest.
    adaptation
        The id or the number, from 0, of the AdaptationSet; by default the first one of a video.

    Raises
    ------
    ManifestError
        If the file is no manifest, or has no such video. The message names the element.
    OSError
        If the file cannot be read.
    """
    content = reading.contents(path, MOST_BYTES)
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ManifestError(f"{path}: declares a document type; accepted: a manifest without one")
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 -- entities are refused above
    except ElementTree.ParseError as error:
        line, column = error.position
        raise ManifestError(f"{path}: line {line}, column {column + 1}: no XML: {error.msg.split(':')[0]}") from None
    try:
        return _presentation(root, adaptation)
    except ManifestError as error:
        raise ManifestError(f"{path}: {error}") from None


def _presentation(root: Element, adaptation: str | None) -> Presentation:
    if _name(root) != "MPD":
        raise ManifestError(f"the root is {_name(root)}; accepted: MPD")
    period = next(_children(root, "Period"), None)
    if period is None:
        raise ManifestError("has no Period; accepted: a manifest with a video")
    adaptation_set = _adaptation(period, adaptation)
    found: dict[int, tuple[tuple[Fraction, int | None], tuple[int, ...] | None]] = {}
    is_live = root.get("type") == "dynamic"
    total = _duration(period, "duration") or _duration(root, "mediaPresentationDuration")
    for representation in _children(adaptation_set, "Representation"):
        rate = _count(representation, "bandwidth")
        if rate is not None and rate not in found:
            levels = (period, adaptation_set, representation)
            found[rate] = _segments(levels, None if is_live else total, rate)
    if not found:
        raise ManifestError("the AdaptationSet has no Representation with a bandwidth; accepted: at least one")
    ladder = sorted(found)
    lengths = {found[rate][0][0] for rate in ladder}
    if len(lengths) > 1:
        told = ", ".join(f"{float(length):g} s" for length in sorted(lengths))
        raise ManifestError(f"the bitrates have segments of {told}; accepted: one duration for all")
    counts = [count for rate in ladder if (count := found[rate][0][1]) is not None]
    segments = None if is_live or not counts else min(counts)
    sizes = [found[rate][1] for rate in ladder]
    whole = [one[:segments] for one in sizes if one is not None]
    return Presentation(
        ladder_bps=tuple(ladder),
        segment_s=float(lengths.pop()),
        segments=segments,
        sizes=tuple(whole) if len(whole) == len(ladder) and whole[0] else None,
        latency_s=float(delay) if is_live and (delay := _duration(root, "suggestedPresentationDelay")) else None,
    )


def _adaptation(period: Element, wanted: str | None) -> Element:
    """The AdaptationSet with an id or a number, or the first one of a video."""
    sets = list(_children(period, "AdaptationSet"))
    ids = [f", id {one.get('id')}" if one.get("id") else "" for one in sets]
    told = [f"{index} ({_kind(one)}{named})" for index, (one, named) in enumerate(zip(sets, ids, strict=True))]
    if wanted is None:
        chosen = next((one for one in sets if _kind(one) == "video"), None)
        if chosen is None:
            raise ManifestError(f"has no AdaptationSet of a video; there are {', '.join(told) or 'none'}")
        return chosen
    by_id = next((one for one in sets if one.get("id") == wanted), None)
    if by_id is not None:
        return by_id
    if wanted.isdecimal() and int(wanted) < len(sets):
        return sets[int(wanted)]
    raise ManifestError(f"has no AdaptationSet {wanted}; accepted: {', '.join(told) or 'none'}")


def _kind(adaptation_set: Element) -> str:
    """The kind of media of an AdaptationSet."""
    for one in (adaptation_set, *_children(adaptation_set, "Representation")):
        for kind in (one.get("contentType"), (one.get("mimeType") or "").partition("/")[0]):
            if kind:
                return kind
        if one.get("width") or one.get("height") or one.get("maxWidth"):
            return "video"
    return "unknown"


Segments = tuple[tuple[Fraction, "int | None"], "tuple[int, ...] | None"]


def _segments(levels: tuple[Element, ...], total: Fraction | None, rate: int) -> Segments:
    """Duration and number of the segments of a Representation, and their sizes. Inner levels override outer ones."""
    described: dict[str, list[Element]] = {}
    for level in levels:
        for name in ("SegmentTemplate", "SegmentList"):
            described.setdefault(name, []).extend(_children(level, name))
    place = f"Representation of {rate} bit/s"
    for name, elements in described.items():
        if not elements:
            continue
        timescale = _inherited(elements, "timescale") or 1
        timelines = [line for one in elements for line in _children(one, "SegmentTimeline")]
        urls = next((own for one in reversed(elements) if (own := list(_children(one, "SegmentURL")))), [])
        if timelines:
            length, count = _timeline(timelines[-1], timescale, total, place)
        else:
            ticks = _inherited(elements, "duration")
            if not ticks:
                raise ManifestError(f"{place}: {name} has no duration and no SegmentTimeline; accepted: one of them")
            length = Fraction(ticks, timescale)
            count = len(urls) or (None if total is None else math.ceil(total / length))
        if count is not None and count > MOST_SEGMENTS:
            raise ManifestError(f"{place}: has {count} segments; accepted: at most {MOST_SEGMENTS}")
        return (length, count), _sizes(urls)
    raise ManifestError(f"{place}: has no SegmentTemplate and no SegmentList; accepted: segments with a duration")


def _timeline(line: Element, timescale: int, total: Fraction | None, place: str) -> tuple[Fraction, int | None]:
    """The usual duration of the segments of a timeline, and their number."""
    counts: Counter[int] = Counter()
    entries = list(_children(line, "S"))
    last = 0
    for index, entry in enumerate(entries):
        ticks = _count(entry, "d")
        if not ticks:
            raise ManifestError(
                f"{place}: S {index} of its SegmentTimeline has no duration d; accepted: a whole number"
            )
        is_open = (entry.get("r") or "").startswith("-")
        repeated = 0 if is_open else _count(entry, "r") or 0
        if is_open:
            # To the next entry, or to the end of the period.
            until = _count(entries[index + 1], "t") if index + 1 < len(entries) else None
            if until is None and total is None:
                return Fraction(ticks, timescale), None
            end = Fraction(until) if until is not None else (total or 0) * timescale
            begun = _count(entry, "t") or sum(one * count for one, count in counts.items())
            repeated = max(0, math.ceil((end - begun) / ticks) - 1)
        counts[ticks] += repeated + 1
        last = ticks
    if not counts:
        raise ManifestError(f"{place}: its SegmentTimeline is empty; accepted: at least one S")
    usual = max(counts, key=lambda ticks: (counts[ticks], ticks))
    uneven = [
        ticks
        for ticks in counts
        if abs(ticks - usual) > MOST_UNEVEN * usual and not (ticks == last and counts[ticks] == 1)
    ]
    if uneven:
        told = f"{float(Fraction(uneven[0], timescale)):g} s and {float(Fraction(usual, timescale)):g} s"
        raise ManifestError(f"{place}: has segments of {told}; accepted: segments of one duration")
    return Fraction(usual, timescale), sum(counts.values())


def _sizes(urls: list[Element]) -> tuple[int, ...] | None:
    """The sizes of segments that are byte ranges of a file."""
    sizes = []
    for url in urls:
        found = RANGE.match(url.get("mediaRange") or "")
        if found is None or int(found[2]) < int(found[1]):
            return None
        sizes.append(int(found[2]) - int(found[1]) + 1)
    return tuple(sizes) or None


def _inherited(elements: list[Element], attribute: str) -> int | None:
    """An attribute of the innermost element that has it."""
    return next((value for one in reversed(elements) if (value := _count(one, attribute)) is not None), None)


def _count(element: Element, attribute: str) -> int | None:
    text = element.get(attribute)
    if text is None:
        return None
    if not text.isdecimal() or len(text) > 18:
        raise ManifestError(f"{_name(element)}: {attribute}={text!r}; accepted: a whole number")
    return int(text)


def _duration(element: Element, attribute: str) -> Fraction | None:
    """An attribute with a duration, such as PT1M30.5S, in seconds."""
    text = element.get(attribute)
    if text is None:
        return None
    found = DURATION.match(text)
    units = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
    try:
        parts = [Fraction(found[unit]) * scale for unit, scale in units.items() if found[unit]] if found else []
    except ValueError:
        parts = []
    if not parts:
        raise ManifestError(f"{_name(element)}: {attribute}={text!r}; accepted: a duration such as PT1M30.5S")
    return sum(parts, Fraction(0))


def _name(element: Element) -> str:
    """The name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if _name(child) == name)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
