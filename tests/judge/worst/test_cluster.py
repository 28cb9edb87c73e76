"""Searches whose runs are done by the workers of a real Dask scheduler on the loopback interface."""

import json

import pytest

from ackclock import ClusterError
from ackclock.cli import main
from ackclock.judge.card import Candidate
from ackclock.judge.worst import GOALS, Bounds, search

pytestmark = pytest.mark.slow

GENTLE = """
import ackclock

@ackclock.congestion_control("gentle")
class Gentle(ackclock.WindowRules):
    '''Reno with a smaller decrease on loss.'''

    def reduction(self, flow):
        return 0.8
"""
OPTIONS = ("--goal", "harm", "--rate", "4..8", "--rtt", "20..60", "--duration", "5", "--budget", "32")


def test_a_search_on_a_cluster_writes_the_same_bytes(cluster, capsys, tmp_path):
    cluster.workers(2)
    own = tmp_path / "gentle.py"
    own.write_text(GENTLE)
    said = []
    for place in (("--threads", "2"), ("--cluster", f"file:{cluster.file}")):
        assert main(["worst", "gentle", "--load", str(own), *OPTIONS, *place, "--json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert json.loads(said[0])["tried"] > 32


def test_a_scheduler_that_does_not_answer_is_an_error(tmp_path):
    bounds = Bounds(rate_mbps=(4.0, 8.0), rtt_ms=(20.0, 60.0), losses=2, duration_s=5.0)
    with pytest.raises(ClusterError, match="no such file, so no Dask scheduler answers there"):
        search(Candidate("reno"), GOALS["under-use"], bounds, budget=32, cluster=f"file:{tmp_path / 'none.json'}")
