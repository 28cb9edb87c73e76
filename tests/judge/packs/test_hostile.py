"""Packs that would hurt whoever verifies them."""

from __future__ import annotations

import json
import struct
import zipfile

import pytest

from ackclock import _core
from ackclock.base import confined
from ackclock.cli import main
from ackclock.judge import packs
from tests.judge.packs.parts import DOCUMENT, contents_of, made, sweep_of, with_document, with_sweep, written

needs_confinement = pytest.mark.skipif(confined.available() is not None, reason="no Landlock and seccomp here")

OWN = """
import ackclock
{more}

@ackclock.congestion_control("own")
class Own(ackclock.WindowRules):
    def reduction(self, flow):
        return 0.7
"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    return made(tmp_path_factory.mktemp("pack"))


@pytest.fixture(scope="module")
def contents(pack):
    return contents_of(pack)


def refused(pack, capsys):
    """The message about a pack that `verify` refuses."""
    capsys.readouterr()
    assert main(["verify", str(pack)]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    # A slow machine has lines of progress, too.
    lines = [line for line in told.err.splitlines() if line.startswith("ackclock: ")]
    assert "Traceback" not in told.err
    return " ".join(lines)


def brings(contents, name, text):
    """A pack that brings a file of a congestion control under a name."""

    def change(sweep):
        sweep["algorithms"] = {"own.py, class Own, source 0": [name, text]}

    return with_sweep(contents, change)


@pytest.mark.parametrize("name", ["../../x.py", "{place}/x.py", "..\\x.py", "x.py\0", "..", "", "x.txt", "c:x.py"])
@pytest.mark.parametrize("trust", [True, False])
def test_a_name_with_a_path_in_it_is_written_nowhere(contents, tmp_path, capsys, name, trust):
    name = name.format(place=tmp_path)
    other = written(brings(contents, name, OWN.format(more="")), tmp_path / "other.zip")
    assert main(["verify", str(other), *(["--trust"] if trust else [])]) == 2
    assert "is no name of a file" in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["other.zip"]


@needs_confinement
def test_code_of_a_pack_can_do_nothing_but_compute(contents, tmp_path, capsys):
    """The code tries, and says in its error what it could do."""
    place = tmp_path / "evil"
    more = f"""
import socket
done = []
for attempt in (lambda: open({str(place)!r}, "w"), socket.socket):
    try:
        attempt()
        done.append("done")
    except PermissionError:
        done.append("no permission")
raise ValueError(done)
"""
    told = refused(written(brings(contents, "own.py", OWN.format(more=more)), tmp_path / "other.zip"), capsys)
    assert "ValueError: ['no permission', 'no permission']" in told
    assert not place.exists()


def test_code_is_not_executed_where_nothing_confines_it(contents, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(confined, "available", lambda: "no such thing here")
    place = tmp_path / "evil"
    text = OWN.format(more=f"open({str(place)!r}, 'w')")
    told = refused(written(brings(contents, "own.py", text), tmp_path / "other.zip"), capsys)
    assert "brings code, which is not executed: own.py (Python)" in told
    assert "--trust" in told
    assert not place.exists()


def test_a_library_that_a_scenario_names_is_code(contents, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(confined, "available", lambda: "no such thing here")

    def by_override(sweep):
        sweep["points"][0]["overrides"].append(["flows[0].transport", '{ library = "/tmp/evil.so" }'])

    def by_text(sweep):
        sweep["scenarios"][0]["text"] += 'transport = { "l\\u0069brary" = "/tmp/evil.so" }\n'

    for change in (by_override, by_text):
        told = refused(written(with_sweep(contents, change), tmp_path / "other.zip"), capsys)
        assert "the library of a transport" in told


@pytest.mark.parametrize("inside", [True, False])
def test_files_outside_the_pack_are_not_read(contents, tmp_path, monkeypatch, inside):
    if not inside:
        monkeypatch.setattr(confined, "available", lambda: "no such thing here")
    elsewhere = tmp_path / "other.trace"
    elsewhere.write_text("1\n2\n3\n", encoding="utf-8")

    def change(sweep):
        for point in sweep["points"]:
            point["overrides"].append(["bottleneck.rate.file", json.dumps(str(elsewhere))])
            point["files"] = []

    done = packs.verify(written(with_sweep(contents, change), tmp_path / "other.zip"))
    assert done.same == 0
    told = "cannot be read" if inside and confined.available() is None else "is not in the pack"
    assert any(told in one for one in done.changed)


@pytest.mark.parametrize("backend", ["linux:/tmp/tree", "linux:./tree", "linux:..", "linux", "linux:", "sim/../x"])
def test_a_backend_of_a_pack_is_no_path_of_a_source_tree(contents, tmp_path, capsys, backend):
    def change(sweep):
        sweep["points"][0]["backend"] = backend

    told = refused(written(with_sweep(contents, change), tmp_path / "other.zip"), capsys)
    assert "points is missing, unknown or of another type" in told


DEEP = "[" * 100_000 + "]" * 100_000
DOCUMENTS = {
    "deep": DEEP,
    "deep member": '{"format": 2, "version": ' + DEEP + "}",
    "twice": '{"format": 2, "format": 1}',
    "digits": '{"format": ' + "9" * 5000 + "}",
    "list": "[]",
    "text": '"format"',
    "empty": "",
    "nan": '{"format": NaN}',
    "bool": '{"format": true}',
    "float": '{"format": 2.0}',
    "latin": b"\xff",
    "other": '{"format": 2}',
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_that_is_none_has_one_message(contents, tmp_path, capsys, name):
    text = DOCUMENTS[name]
    data = text if isinstance(text, bytes) else text.encode()
    told = refused(written(contents | {DOCUMENT: data}, tmp_path / "other.zip"), capsys)
    assert told.count("other.zip: ") == 1
    assert "/pack/" not in told


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in ("bool", "float")])
@pytest.mark.parametrize("member", ["sweep", "store/ackclock-store.json", "part", "provenance"])
def test_a_document_of_the_store_that_is_none_has_one_message(contents, tmp_path, capsys, name, member):
    text = DOCUMENTS[name]
    data = text if isinstance(text, bytes) else text.encode()
    [part] = [name for name in contents if name.endswith("part.json")]
    [account] = [name for name in contents if name.startswith("store/provenance/")]
    member = {"sweep": sweep_of(contents), "part": part, "provenance": account}.get(member, member)
    told = refused(written(contents | {member: data}, tmp_path / "other.zip"), capsys)
    assert told.count("other.zip: ") == 1
    assert "started again" not in told, "there is no sweep to start again"
    assert "/tmp/ackclock-" not in told


def types_of(document, at=()):
    """Every place of a document, with a value of another type."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for name, value in items:
        yield (*at, name), {"x": [1]} if not isinstance(value, dict) else [[]]
        if isinstance(value, dict | list) and len(at) < 3:
            yield from types_of(value, (*at, name))


def changed(document, place, value):
    copy = json.loads(json.dumps(document))
    inside = copy
    for name in place[:-1]:
        inside = inside[name]
    inside[place[-1]] = value
    return copy


def test_values_of_other_types_raise_nothing(contents, tmp_path):
    """Every member of the documents, one by one; what is not refused is found or is the sender's word."""
    name = sweep_of(contents)
    for member in (DOCUMENT, name):
        document = json.loads(contents[member])
        for place, value in types_of(document):
            data = json.dumps(changed(document, place, value)).encode()
            other = written(contents | {member: data}, tmp_path / "other.zip")
            if place[:1] in (("host",), ("environment",), ("request",), ("keep",), ("terms",)):
                continue
            with pytest.raises(packs.PackError):
                packs.verify(other)


def test_members_of_an_archive_that_would_hurt(contents, tmp_path, capsys):
    for bad in ("../x", "/x", "a//b", "a/./b", "a\\b", "c:x", "store/\x1b[2J", "x" * 300, "a/"):
        told = refused(written(contents | {bad: b"x"}, tmp_path / "other.zip"), capsys)
        assert "would lie outside" in told
        assert "\x1b" not in told
    written(contents, tmp_path / "twice.zip")
    with zipfile.ZipFile(tmp_path / "twice.zip", "a") as archive:
        archive.writestr("README.mf", b"x")
    data = (tmp_path / "twice.zip").read_bytes()
    (tmp_path / "twice.zip").write_bytes(data.replace(b"README.mf", b"README.md"))
    assert "stands twice" in refused(tmp_path / "twice.zip", capsys)
    plain = written(contents, tmp_path / "plain.zip").read_bytes()
    for offset, value, told in ((8, 1, "is encrypted"), (10, 99, "unknown compression")):
        # The central directory has the flags at 8 and the method at 10.
        place = plain.index(b"PK\x01\x02") + offset
        data = plain[:place] + struct.pack("<H", value) + plain[place + 2 :]
        (tmp_path / "bad.zip").write_bytes(data)
        assert told in refused(tmp_path / "bad.zip", capsys)
    for cut in (10, len(plain) // 2, len(plain) - 5):
        (tmp_path / "bad.zip").write_bytes(plain[:cut])
        assert "is no pack of ackclock, or is damaged" in refused(tmp_path / "bad.zip", capsys)


def test_results_that_are_no_table_have_one_message(contents, tmp_path, capsys):
    import hashlib

    [part] = [name for name in contents if name.endswith("part.json")]
    for table in ("flows", "runs"):
        data = b"no table" * 100
        document = json.loads(contents[part])
        document["files"][f"{table}.parquet"] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        parquet = part.replace("part.json", f"{table}.parquet")
        other = contents | {part: json.dumps(document).encode(), parquet: data}
        told = refused(written(other, tmp_path / "other.zip"), capsys)
        assert "/tmp/ackclock-" not in told


def test_nothing_is_left_behind(contents, tmp_path, capsys, monkeypatch):
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    other = written(contents | {DOCUMENT: b"[]"}, tmp_path / "other.zip")
    refused(other, capsys)
    refused(written(brings(contents, "../own.py", "1 / 0"), other), capsys)
    assert list(place.iterdir()) == []


def test_what_is_not_printable_is_printed_as_escapes(contents, tmp_path, capsys):
    bad = "\x1b]0;x\x07\u202e\x9b2J\nackclock: fine"

    def change(document):
        document["version"] = bad
        document["engine"] = "0"

    told = refused(written(with_document(contents, change), tmp_path / "other.zip"), capsys)
    assert "\\x1b]0;x\\x07\\u202e\\x9b2J\\nackclock: fine" in told

    def rename(sweep):
        sweep["name"] = bad
        for point in sweep["points"]:
            point["params"] = {bad: bad}

    assert main(["verify", str(written(with_sweep(contents, rename), tmp_path / "other.zip"))]) == 1
    told = capsys.readouterr()
    assert (told.out + told.err).replace("\n", "").isprintable()
    assert not any(line.startswith("ackclock: fine") for line in told.err.splitlines())


def test_the_version_of_the_engine_here_is_not_that_of_a_wheel_to_be_installed(contents, tmp_path, capsys):
    def change(document):
        document["engine"] = "0" * len(_core.engine())
        document["wheel"] = "evil-1-py3-none-any.whl"

    told = refused(written(with_document(contents, change), tmp_path / "other.zip"), capsys)
    assert "evil" not in told
    assert "from a place that you trust" in told
