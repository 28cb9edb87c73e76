"""Damaged files of every format that ackclock reads: each is read, or refused with one message."""

import random
import re
import subprocess
import sys

import pytest

from tests.helpers.damage import DAMAGES, Format, WrongAnswerError, damaged, judge
from tests.helpers.formats import OTHERS
from tests.helpers.places import ROOT

FORMATS = [
    "link trace",
    "measured rate",
    "DASH manifest",
    "RemyCC table",
    "tmix vectors",
    "capture",
    "packetdrill script",
    "scenario in TOML",
    "scenario in JSON",
    "store manifest",
    *OTHERS,
]
LENIENT = ["packetdrill script", "results of a run", "table of a search"]
"""Formats of which every damaged file has an answer other than a refusal."""
SEALED = ["compressed data of flent", "pack"]
"""Formats with a checksum over all of their bytes, so that no damaged file is read."""


def test_every_damaged_file_is_answered():
    """A few hundred files, in a process of little memory. `python -m tests.helpers.damage --each 1000` reads more."""
    command = [sys.executable, "-m", "tests.helpers.damage", "--each", "45"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    told = dict(re.findall(r"^(.*): (.*)$", done.stdout, re.MULTILINE))
    assert list(told) == [*FORMATS, "all"]
    assert told["all"].startswith(f"{45 * len(FORMATS)} damaged files, ")
    # Scripts that are damaged have a verdict; of everything else some files are refused, and some can be read.
    assert [name for name in FORMATS if ", 0 refused" in told[name] and name not in LENIENT] == []
    assert [name for name in FORMATS if told[name].startswith("0 read")] == SEALED


def test_damage_repeats_and_is_damage():
    whole = bytes(range(256)) * 4
    files = [data for _, data in damaged(whole, 300, random.Random(1))]
    assert files == [data for _, data in damaged(whole, 300, random.Random(1))]
    assert len({data for data in files if data != whole}) > 250
    short = [data for _, data in damaged(b"12 34\n", 60, random.Random(1))]
    assert [b"12 34\n"[:length] for length in range(6)] == short[:6], "cut off at every length"
    assert len(DAMAGES) == 7


@pytest.mark.parametrize(
    ("status", "err", "wrong"),
    [
        (2, "Traceback (most recent call last):\n", "a traceback"),
        (2, "thread '<unnamed>' panicked at\n", "a panic"),
        (1, "ackclock: x\n", "status 1"),
        (2, "", "a refusal without a message"),
        (2, "x\n", "a refusal without a message"),
        (2, "ackclock: x\nackclock: y\n", "2 messages"),
        (2, f"ackclock: {'x' * 4000}\n", "a message of 4010 characters"),
    ],
)
def test_what_is_no_answer_is_found(status, err, wrong):
    with pytest.raises(WrongAnswerError, match=wrong):
        judge(Format("one", {}, lambda file: [str(file)]), status, "", err)
