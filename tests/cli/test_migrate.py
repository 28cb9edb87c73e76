"""`ackclock migrate`, and the lines that the commands print on old names."""

import json

import pytest

import ackclock

OLD = {"steps": ["flows", 0, "cc"], "line": 8, "part": "value", "old": "cubic", "new": "reno", "message": "OLD NAME"}
"""Report that the engine would give if the algorithm of the scenario had been renamed."""

PLAIN = """\
# Two minutes of nothing.
duration = "1s"
bottleneck = { rate = "2Mbps", delay = "20ms" }

[[flows]]
app = "bulk"
"""


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "plain.toml"
    path.write_text(PLAIN)
    return path


@pytest.fixture
def marked(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text("format = 1\n" + PLAIN)
    return path


def test_files_are_rewritten_in_place(cli, plain, marked):
    before = ackclock.check(plain)
    status, out, err = cli("migrate", plain, marked)
    assert (status, out, err) == (0, f"{plain}: rewritten\n", "")
    assert plain.read_text() == PLAIN.replace("duration", "format = 1\nduration")
    assert ackclock.check(plain) == before
    assert cli("migrate", plain, marked) == (0, "no file changed\n", "")


def test_check_writes_nothing_and_has_a_status(cli, plain, marked):
    assert cli("migrate", "--check", plain, marked) == (1, f"{plain}: would change\n", "")
    assert plain.read_text() == PLAIN
    assert cli("migrate", "--check", marked) == (0, "no file changes\n", "")


def test_diff_prints_the_changes(cli, plain):
    status, out, _ = cli("migrate", "--diff", plain)
    assert status == 0
    assert [line for line in out.splitlines() if line.startswith("+")] == [f"+++ {plain}", "+format = 1"]
    assert cli("migrate", "--diff", "--check", plain)[0] == 1
    assert plain.read_text() == PLAIN


def test_a_link_stays_a_link(cli, plain, tmp_path):
    link = tmp_path / "link.toml"
    link.symlink_to(plain)
    assert cli("migrate", link)[0] == 0
    assert link.is_symlink()
    assert "format = 1" in plain.read_text()


def test_no_file_is_written_if_one_is_wrong(cli, plain, tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(PLAIN.replace("duration", "length"))
    for file in (wrong, tmp_path / "missing.toml"):
        status, out, err = cli("migrate", plain, file)
        assert (status, out) == (2, "")
        assert str(file) in err
    assert plain.read_text() == PLAIN
    assert cli("migrate")[0] == 2


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--json"],
        ["run", "--json", "--seeds", "2"],
        ["run", "--json", "--qlog", "--out", "traced"],
        ["sweep", "--vary", "duration=1s,2s", "--out", "store", "--json"],
    ],
)
def test_each_old_name_is_one_line_on_standard_error(cli, plain, command, monkeypatch):
    monkeypatch.setattr("ackclock._core.old_names", lambda *_: [OLD, OLD | {"message": "ANOTHER"}])
    name, *options = command
    status, out, err = cli(name, plain, *options)
    assert status == 0
    json.loads(out)
    lines = [f"ackclock: {plain}: {text}; `ackclock migrate` replaces it" for text in ("OLD NAME", "ANOTHER")]
    assert [line for line in err.splitlines() if "`ackclock migrate`" in line] == lines


def test_an_override_with_an_old_name_is_told_without_a_remedy(cli, plain, monkeypatch):
    monkeypatch.setattr("ackclock._core.old_names", lambda *_: [OLD | {"line": None}])
    assert cli("check", plain)[2] == f"ackclock: {plain}: OLD NAME\n"
