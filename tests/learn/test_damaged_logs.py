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
        HEAD + b"[" * 100_000 + b"\n",
    ],
)
def test_a_log_that_is_none(tmp_path, text):
    (tmp_path / "x.log").write_bytes(text)
    with pytest.raises(LogError, match=r"x\.log"):
        Log.read(tmp_path / "x.log")
