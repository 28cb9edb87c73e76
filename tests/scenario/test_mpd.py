"""Manifests of DASH as ladders: in the forms that packagers write, and what is wrong with others.

The elements and attributes are those of ISO/IEC 23009-1; the manifests are written here.
"""

import pytest

import ackclock
from ackclock.cli import main
from ackclock.scenario.traffic import mpd
from ackclock.scenario.traffic.mpd import ManifestError

HEAD = (
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
    'mediaPresentationDuration="PT1M1.5S" minBufferTime="PT2S"><Period>'
)
TAIL = "</Period></MPD>"
AUDIO = '<AdaptationSet mimeType="audio/mp4"><Representation bandwidth="64000"/></AdaptationSet>'


def video(inside, **attributes):
    told = "".join(f' {key}="{value}"' for key, value in ({"mimeType": "video/mp4"} | attributes).items())
    return f"{HEAD}{AUDIO}<AdaptationSet{told}>{inside}</AdaptationSet>{TAIL}"


def representations(inside="", rates=(900_000, 250_000, 900_000)):
    return "".join(
        f'<Representation id="{n}" bandwidth="{rate}">{inside}</Representation>' for n, rate in enumerate(rates)
    )


TEMPLATE = '<SegmentTemplate timescale="1000" duration="4000" media="$RepresentationID$/$Number$.m4s"/>'
TIMELINE = (
    '<SegmentTemplate timescale="90000"><SegmentTimeline><S t="0" d="360000" r="13"/><S d="180000"/></SegmentTimeline>'
    "</SegmentTemplate>"
)
OPEN = '<SegmentTemplate timescale="10"><SegmentTimeline><S t="0" d="40" r="-1"/></SegmentTimeline></SegmentTemplate>'


def urls(sizes):
    begin, parts = 800, []
    for size in sizes:
        parts.append(f'<SegmentURL mediaRange="{begin}-{begin + size - 1}"/>')
        begin += size
    return f'<SegmentList timescale="1" duration="4">{"".join(parts)}</SegmentList>'


@pytest.fixture
def read(tmp_path):
    def call(text, adaptation=None):
        file = tmp_path / "x.mpd"
        file.write_text(text)
        return mpd.read(file, adaptation)

    return call


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        (video(TEMPLATE + representations()), 16),
        (video(representations(TEMPLATE)), 16),
        (video(representations()).replace("<Period>", "<Period>" + TEMPLATE), 16),
        (video(TIMELINE + representations()), 15),
        (video(OPEN + representations()), 16),
        (video(TEMPLATE + representations(), mimeType="", contentType="video"), 16),
        (video(TEMPLATE + representations(), mimeType="", maxWidth="1920"), 16),
    ],
)
def test_bitrates_and_segments(read, text, segments):
    found = read(text)
    assert found == mpd.Presentation((250_000, 900_000), 4.0, segments, None, None)


def test_sizes_are_byte_ranges(read):
    inside = f'<Representation bandwidth="900000">{urls([9, 8, 7])}</Representation>'
    inside += f'<Representation bandwidth="250000">{urls([3, 2, 1])}</Representation>'
    assert read(video(inside)) == mpd.Presentation((250_000, 900_000), 4.0, 3, ((3, 2, 1), (9, 8, 7)), None)
    assert read(video(inside.replace("mediaRange", "media"))).sizes is None


def test_a_live_presentation_has_no_end_and_a_delay(read):
    live = video(TEMPLATE + representations()).replace('"static"', '"dynamic" suggestedPresentationDelay="PT10S"')
    found = read(live)
    assert (found.segments, found.latency_s) == (None, 10.0)
    assert found.app()["live"] == {"latency": "10s"}


def test_a_set_is_chosen_by_its_id_or_number(read):
    other = f'<AdaptationSet id="hevc" mimeType="video/mp4">{representations(TEMPLATE, [7])}</AdaptationSet>'
    text = video(TEMPLATE + representations()).replace(TAIL, other + TAIL)
    assert read(text).ladder_bps == (250_000, 900_000)
    assert read(text, "hevc").ladder_bps == read(text, "2").ladder_bps == (7,)
    with pytest.raises(
        ManifestError, match=r"has no AdaptationSet x; accepted: 0 \(audio\), 1 \(video\), 2 \(video, id"
    ):
        read(text, "x")


def test_a_ladder_runs(read, tmp_path, capsys):
    inside = f'<Representation bandwidth="900000">{urls([90_000, 80_000, 70_000])}</Representation>'
    read(video(inside))
    assert main(["mpd", str(tmp_path / "x.mpd")]) == 0
    line = capsys.readouterr().out
    assert line == (
        'app = { kind = "dash", ladder = ["900000bps"], segment = "4s", segments = 3, '
        'sizes = [["90000B", "80000B", "70000B"]] }\n'
    )
    result = ackclock.run(f'duration = "30s"\n[bottleneck]\nrate = "5Mbps"\ndelay = "10ms"\n[[flows]]\n{line}')
    assert result.dash_segments["bytes"].tolist() == [90_000, 80_000, 70_000]
    assert main(["mpd", str(tmp_path / "x.mpd"), "--out", str(tmp_path / "app.toml")]) == 0
    assert (tmp_path / "app.toml").read_text() == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<MPD>\n<Period></MPD>", r"x.mpd: line 2, column 11: no XML: mismatched tag"),
        ("<html/>", "the root is html; accepted: MPD"),
        ("<MPD/>", "has no Period"),
        (f"{HEAD}{AUDIO}{TAIL}", r"has no AdaptationSet of a video; there are 0 \(audio\)"),
        (video(TEMPLATE), "has no Representation with a bandwidth"),
        (video(representations()), "Representation of 900000 bit/s: has no SegmentTemplate and no SegmentList"),
        (video("<SegmentTemplate/>" + representations()), "SegmentTemplate has no duration and no SegmentTimeline"),
        (video(TEMPLATE.replace("4000", "4 s") + representations()), "duration='4 s'; accepted: a whole number"),
        (video(TIMELINE.replace('d="360000"', "") + representations()), "S 0 of its SegmentTimeline has no duration d"),
        (
            video(TIMELINE.replace('r="13"', 'r="1"/><S d="90000" r="4"') + representations()),
            "has segments of 4 s and 1 s",
        ),
        (
            video(TEMPLATE + representations()).replace("PT1M1.5S", "1:01"),
            "='1:01'; accepted: a duration such as PT1M30",
        ),
        ('<!DOCTYPE x [<!ENTITY a "b">]><MPD/>', "declares a document type"),
        (
            video(representations(TEMPLATE, [1]) + representations(TEMPLATE.replace("4000", "2000"), [2])),
            "the bitrates have segments of 2 s, 4 s; accepted: one duration for all",
        ),
    ],
)
def test_what_is_no_ladder_is_refused_with_its_place(read, text, message):
    with pytest.raises(ManifestError, match=message):
        read(text)
