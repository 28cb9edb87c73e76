"""Logs of searches that are none: one kind of error for each."""

import pytest

from ackclock.learn.log import Log, LogError

HEAD = b'{"log": 1, "design": "x", "settings": {}, "engine": "y"}\n'


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000 + b"\n",
        b"[]\n",
        b"\n",
        b"\xff\n",
        b'{"log": ' + b"9" * 5000 + b"}\n",
        b'{"log": 1, "log": 2, "design": "x", "settings": {}, "engine": "y"}\n',
        HEAD + b"[1]\n",
        HEAD + b'{"do": "improve"}\n',
        HEAD + b'{"do": "validate", "score": {"a": 1}}\n',
        HEAD + b'{"do": "validate", "score": "1"}\n',
        HEAD + b'{"do": "slow", "score": ' + b"9" * 400 + b"}\n",
        HEAD + b'{"do": "keep", "rule": "\\ud800"}\n',
        HEAD + b"[" * 100_000 + b"\n",
    ],
)
def test_a_log_that_is_none(tmp_path, text):
    (tmp_path / "x.log").write_bytes(text)
    with pytest.raises(LogError, match=r"x\.log"):
        Log.read(tmp_path / "x.log")


@pytest.mark.parametrize(
    "line",
    [
        b'{"session": 5}',
        b'{"session": {"cpu_s": "x", "decisions": 1}}',
        b'{"session": {"cpu_s": 1}}',
        b'{"session": {"cpu_s": 1e300, "decisions": 1}}',
        b'{"session": {"cpu_s": 1, "decisions": 1.5}}',
        b"{}",
        b'{"do": 5}',
    ],
)
def test_a_line_of_a_log_that_is_none(tmp_path, line):
    (tmp_path / "x.log").write_bytes(HEAD + line + b"\n")
    with pytest.raises(LogError, match=r"x\.log"):
        Log.read(tmp_path / "x.log")


def test_a_log_that_another_process_has_gone_on_with_is_not_continued(tmp_path):
    path = tmp_path / "x.log"
    path.write_bytes(HEAD)
    before = Log.read(path)
    with Log.read(path).appending() as appender:
        appender.decision('{"do": "keep"}')
    with pytest.raises(LogError, match="has gone on with it meanwhile"), before.appending():
        pass
    log = Log.read(path)
    for _ in range(2):
        with log.appending() as appender:
            appender.decision('{"do": "keep"}')
    assert len(Log.read(path).decisions) == 3


def test_of_two_processes_that_begin_a_log_one_does(tmp_path):
    path = tmp_path / "x.log"
    Log.create(path, "x", {}, "y")
    with pytest.raises(LogError, match="another process is training"):
        Log.create(path, "other", {}, "y")
    assert Log.read(path).design == "x"
    assert [one.name for one in tmp_path.iterdir()] == ["x.log"]
