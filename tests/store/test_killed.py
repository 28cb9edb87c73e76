"""A sweep that is killed at any call that touches a file."""

import json
import subprocess
import sys

import pytest

from tests.helpers.places import ROOT

pytestmark = pytest.mark.slow


def test_a_sweep_that_is_killed_at_any_call_ends_with_the_same_store():
    """Before each call, and after half of each write."""
    command = [sys.executable, "-m", "tests.helpers.small_sweep"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert not document["wrong"], f"{document['wrong']}\n{done.stderr}"
    assert len(document["calls"]) > 90
