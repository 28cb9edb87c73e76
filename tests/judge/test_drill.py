"""packetdrill scripts through the Python package and the command line."""

import json
from pathlib import Path

import pytest

from ackclock.cli import main
from ackclock.judge import drill
from tests.helpers.places import ROOT

OWN = ROOT / "crates" / "ackclock-drill" / "tests" / "scripts"

OPEN = """0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 20000 <mss 1000>
+0 > S. 0:0(0) ack 1 <...>
+0.1 < . 1:1(0) ack 1 win 20000
+0 accept(3, ..., ...) = 4
"""


@pytest.fixture
def play(tmp_path):
    """Runs what follows the opening of a connection; gives the verdict and the reason."""

    def play(rest, name="script.pkt"):
        path = tmp_path / name
        path.write_text(OPEN + rest, encoding="utf-8")
        result = drill.run(path, stack="rfc")
        return result.verdict, result.reason

    return play


@pytest.mark.parametrize("path", sorted(OWN.rglob("*.pkt")), ids=lambda path: str(path.relative_to(OWN)))
def test_scripts_written_from_the_rfcs_pass(path):
    assert drill.run(path).reason == ""


def test_the_folder_of_scripts_gives_a_table_for_each_theme(capsys):
    assert main(["drill", str(OWN)]) == 0
    out = capsys.readouterr().out
    themes = [str(folder) for folder in sorted(OWN.iterdir()) if folder.is_dir()]
    assert len(themes) > 1
    assert [line for line in out.splitlines() if line.startswith(str(OWN))] == themes
    assert f"{len(list(OWN.rglob('*.pkt')))} pass, 0 fail, 0 unsupported" in out


def test_code_may_print_as_in_python_2(play, capsys):
    lines = '+0 %{ print "window: {}".format(tcpi_snd_cwnd) }%\n+0 %{\nif tcpi_snd_cwnd:\n  print 7, "bytes"\n}%\n'
    assert play(lines) == ("pass", "")
    assert "window: " in (told := capsys.readouterr().err)
    assert "7 bytes" in told
    verdict, reason = play('+0 %{ print "a" "b }%\n')
    assert verdict == "fail"
    assert "SyntaxError" in reason


def test_a_script_chooses_its_stack(tmp_path):
    path = tmp_path / "script.pkt"
    path.write_text(
        "--stack=rfc\n--initial_window=3\n" + OPEN + "+0 %{ assert tcpi_snd_cwnd == 3 }%\n", encoding="utf-8"
    )
    assert drill.run(path, stack="linux").verdict == "pass"
    path.write_text("--stack=minix\n" + OPEN, encoding="utf-8")
    assert drill.run(path).reason.startswith("line 1: --stack=minix: accepted: rfc, linux, ")


def test_code_sees_tcp_info_at_its_moment(play):
    write = "+0 write(4, ..., 3000) = 3000\n+0 > P. 1:3001(3000) ack 1\n"
    code = "+0 %{ assert tcpi_unacked == 3 and tcpi_state == TCP_ESTABLISHED }%\n"
    acked = "+0.1 < . 1:1(0) ack 3001 win 20000\n+0 %{ assert tcpi_unacked == 0 }%\n"
    assert play(write + code + acked) == ("pass", "")
    assert play(code)[0] == "fail"


def test_a_failed_assertion_is_told_with_its_line_and_value(play):
    assert play("+0 %{ assert tcpi_unacked == 7, tcpi_unacked }%\n") == (
        "fail",
        "line 8: assert tcpi_unacked == 7, tcpi_unacked: 0",
    )
    lines = "+0 %{\nx = 1\n\nassert x == 2, f'x is {x}'\n}%\n"
    assert play(lines) == ("fail", "line 11: assert x == 2, f'x is {x}': x is 1")
    indented = "+0 %{\n    x = 3\n    assert x == 2\n}%\n"
    assert play(indented) == ("fail", "line 10: assert x == 2")


def test_pieces_of_code_share_their_variables(play):
    assert play("+0 %{ before = tcpi_snd_cwnd }%\n+0 %{ assert before == tcpi_snd_cwnd }%\n") == ("pass", "")


def test_any_exception_is_a_failure_and_an_unknown_number_is_not(play):
    assert play("+0 %{ 1 / 0 }%\n") == ("fail", "line 8: 1 / 0: ZeroDivisionError: division by zero")
    assert play("+0 %{ raise SystemExit(0) }%\n")[0] == "fail"
    assert play("+0 %{ assert ( }%\n")[0] == "fail"
    assert play("+0 %{ nonsense }%\n") == ("fail", "line 8: nonsense: NameError: name 'nonsense' is not defined")
    assert play("+0 %{ assert tcpi_nonsense == 1 }%\n") == ("unsupported", "line 8: tcpi_nonsense in code")


def test_the_first_thing_that_goes_wrong_is_told(play):
    code, call = "+0 %{ assert False, 'code' }%\n", "+0 write(4, ..., 10) = 9\n"
    assert "code" in play(code + call)[1]
    assert play(call + code)[1] == "line 8: write returned 10 instead of 9"


def test_what_code_prints_is_not_output(play, capsys):
    assert play("+0 %{ print('told') }%\n") == ("pass", "")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "told\n")


def test_shell_scripts_are_found_beside_the_script(play, tmp_path):
    (tmp_path / "set.sh").write_text("sysctl -q net.ipv4.tcp_frob=1\n", encoding="utf-8")
    assert play("+0 `./set.sh`\n") == ("unsupported", "line 8: sysctl net.ipv4.tcp_frob=1")
    assert play("+0 `./none.sh`\n") == ("fail", "line 8: ./none.sh: no such file")


def test_bytes_that_are_no_text_are_a_failure(tmp_path):
    path = tmp_path / "bytes.pkt"
    path.write_bytes(b"\xff\xfe\x00 \x80")
    result = drill.run(path)
    assert (result.verdict, result.line) == ("fail", 1)
    assert result.reason.startswith("line 1: syntax error")


def test_symbols_are_given_from_outside(tmp_path):
    path = tmp_path / "script.pkt"
    path.write_text(OPEN + "+0 write(4, ..., SIZE) = 10\n", encoding="utf-8")
    assert drill.run(path).reason == "line 8: symbol SIZE"
    assert drill.run(path, defines=[("SIZE", "10")]).verdict == "pass"


def test_an_unknown_stack_is_refused(tmp_path):
    path = tmp_path / "script.pkt"
    path.write_text(OPEN, encoding="utf-8")
    with pytest.raises(ValueError, match=r"unknown stack minix; accepted: rfc, linux"):
        drill.run(path, stack="minix")


@pytest.fixture
def folder(tmp_path):
    """Folders with a script of each verdict."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    for name, rest in (
        ("a/pass.pkt", ""),
        ("a/b/fail.pkt", "+0 write(4, ..., 10) = 9\n"),
        ("a/b/beyond.pkt", "+0 frobnicate(4) = 0\n"),
    ):
        (tmp_path / name).write_text(OPEN + rest, encoding="utf-8")
    return tmp_path


def test_a_folder_gives_one_document(folder, capsys):
    status = main(["drill", str(folder / "a"), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert status == 1
    assert [(Path(row["path"]).name, row["verdict"]) for row in document["scripts"]] == [
        ("beyond.pkt", "unsupported"),
        ("fail.pkt", "fail"),
        ("pass.pkt", "pass"),
    ]
    assert document["summary"] == {"pass": 1, "fail": 1, "unsupported": 1}
    assert document["scripts"][0]["reason"] == "line 8: system call frobnicate"


def test_a_folder_gives_a_table_for_each_of_its_folders(folder, capsys):
    assert main(["drill", str(folder / "a")]) == 1
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if line.startswith(str(folder))] == [
        str(folder / "a" / "b"),
        str(folder / "a"),
    ]
    assert "1 pass, 1 fail, 1 unsupported" in out


def test_exit_status_is_0_without_failures(folder, capsys):
    assert main(["drill", str(folder / "a" / "pass.pkt"), str(folder / "a" / "b" / "beyond.pkt")]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no scripts: expected files or folders"),
        (["none.pkt"], "none.pkt: no such file"),
        (["empty"], "empty: no *.pkt in this folder"),
        (["x.pkt", "--stack", "minix"], "unknown stack minix; accepted: rfc, linux"),
        (["x.pkt", "--define", "SIZE"], "--define SIZE: expected NAME=VALUE"),
    ],
)
def test_wrong_input_is_told_in_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.pkt").write_text(OPEN, encoding="utf-8")
    assert main(["drill", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1
