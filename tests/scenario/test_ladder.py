"""Tables of the sizes of segments as ladders: the forms, what is refused, and that a client fetches these bytes."""

import pytest

import ackclock
from ackclock.cli import main
from ackclock.ladder import ManifestError, columns, read_table

TABLE = "750kbps,300kbps\n450283,181801\n398865,155580\n350812,139857\n"


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        TABLE.replace(",", "\t"),
        TABLE.replace(",", "; "),
        TABLE.replace("kbps", "000"),
        "# a comment\n\n" + TABLE.replace("\n", " # of a line\n"),
        "\ufeff" + TABLE.replace("\n", "\r\n"),
    ],
)
def test_a_table_in_its_forms(tmp_path, text):
    file = tmp_path / "sizes.csv"
    file.write_text(text, encoding="utf-8", newline="")
    found = read_table(file, 4.0)
    assert (found.ladder_bps, found.segment_s, found.segments) == ((300_000, 750_000), 4.0, 3)
    assert found.sizes == ((181801, 155580, 139857), (450283, 398865, 350812))


def test_files_of_one_bitrate_each_are_joined(tmp_path):
    for name, sizes in (("video_size_0", "181801\n155580\n"), ("video_size_1", "450283\n398865\n")):
        (tmp_path / name).write_text(sizes)
    found = columns({750e3: tmp_path / "video_size_1", 300e3: tmp_path / "video_size_0"}, 4.0)
    assert (found.ladder_bps, found.sizes) == ((300_000, 750_000), ((181801, 155580), (450283, 398865)))
    (tmp_path / "video_size_1").write_text("450283\n")
    with pytest.raises(ManifestError, match="has 1 sizes; accepted: 2, as the first file"):
        columns({300e3: tmp_path / "video_size_0", 750e3: tmp_path / "video_size_1"}, 4.0)
    with pytest.raises(ManifestError, match="no file is given"):
        columns({}, 4.0)


@pytest.mark.parametrize(
    ("text", "segment", "message"),
    [
        ("300kbps\n", 4.0, "expected a line of bitrates and a line for each segment"),
        ("fast,slow\n1,2\n", 4.0, "line 1: 'fast' is no bitrate"),
        ("0,300\n1,2\n", 4.0, "line 1: '0' is no bitrate"),
        ("300,750\n1\n", 4.0, "line 2: 1 sizes; accepted: 2"),
        ("300,750\n1,2\n\n1,-2\n", 4.0, "line 4: '-2' is no size"),
        ("300,750\n1,0\n", 4.0, "line 2: '0' is no size"),
        ("300,300\n1,2\n", 4.0, "a bitrate occurs twice"),
        ("300,750\n1,2\n", 0.0, "expected a playing time above zero"),
        ("300,750\n1,2\n", float("nan"), "expected a playing time above zero"),
    ],
)
def test_other_tables_are_refused(tmp_path, text, segment, message):
    file = tmp_path / "sizes.csv"
    file.write_text(text)
    with pytest.raises(ManifestError, match=message):
        read_table(file, segment)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    file = tmp_path / "sizes.csv"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ManifestError, match="is no text"):
        read_table(file, 4.0)


def test_the_command_line_makes_an_application_whose_segments_have_these_sizes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sizes.csv").write_text(TABLE)
    assert main(["mpd", "sizes.csv", "--segment", "4"]) == 0
    app = capsys.readouterr().out
    text = f'duration = "30s"\n[bottleneck]\nrate = "20Mbps"\ndelay = "5ms"\n[[flows]]\n{app}'
    result = ackclock.run(text)
    sizes = {300_000: [181801, 155580, 139857], 750_000: [450283, 398865, 350812]}
    rows = list(result.dash_segments.rows())
    assert [row["bytes"] for row in rows] == [sizes[row["level_bps"]][row["index"]] for row in rows]
    assert len(rows) == 3
    assert main(["mpd", "sizes.csv", "--segment", "4", "--adaptation", "1"]) == 2
    assert "--adaptation: a table has none" in capsys.readouterr().err
    assert main(["mpd", "sizes.csv", "--segment", "-1"]) == 2
    assert "expected a playing time above zero [ACK040]\n" in capsys.readouterr().err
