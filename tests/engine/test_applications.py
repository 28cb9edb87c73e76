"""Applications: their tables over replications, and quality over clients."""

import re

import jsonschema
import numpy as np
import pytest

import ackclock
from ackclock import stats
from tests.helpers.places import ROOT
from tests.helpers.tables import make_result, make_table

SOURCES = ROOT / "crates"

WEB = """
name = "web"
duration = "20s"
bottleneck = { rate = "10Mbps", delay = "20ms" }
access = { source_delay = { kind = "uniform", min = "5ms", max = "15ms" } }
[[flows]]
name = "web"
[flows.app]
kind = "web"
sessions_per_second = 10
pages = { kind = "exponential", mean = 2 }
objects = { kind = "pareto", shape = 1.5, mean = 4, cap = 50 }
object_size = { kind = "log-normal", median = "5kB", sigma = 1.3, cap = "1MB" }
think = { kind = "exponential", mean = "2s" }
"""


def test_completions_are_summarised_by_flow_and_what_was_completed():
    runs = ackclock.run(WEB, seeds=3)
    summary = {row["name"]: row for row in runs.summary()["completions"]}
    assert summary.keys() == {"web object", "web page"}
    assert summary["web page"]["p50_s"]["n"] == 3
    assert summary["web page"]["mean_s"]["mean"] > summary["web object"]["mean_s"]["mean"]
    assert runs.summary()["web"][0]["sessions"]["mean"] == pytest.approx(200, abs=30)


def test_bins_of_all_runs_give_the_quantiles_of_all_records():
    runs = ackclock.run(WEB, seeds=3, overrides={"flows[0].app.records": True})
    bins = runs.completion_bins
    pages = bins["what"] == "page"
    for quantile in (0.1, 0.5, 0.95, 0.99):
        exact = np.quantile(runs.web_pages["duration_s"], quantile, method="inverted_cdf")
        measured = stats.quantile_of_bins(bins["upto_s"][pages], bins["count"][pages], quantile)
        assert measured == pytest.approx(exact, rel=1e-3)
    assert len(runs.web_objects) == bins["count"][~pages].sum()


def test_the_canonical_form_of_drawn_quantities_obeys_the_schema():
    validator = jsonschema.Draft202012Validator(ackclock.schema())
    canonical = ackclock.check(WEB)
    assert list(validator.iter_errors(canonical)) == []
    assert canonical["flows"][0]["app"]["server_think"] == "0s"
    assert canonical["access"]["sink_delay"] == "0s"


def test_a_table_that_some_runs_lack_is_that_of_the_others():
    flows = make_table(flow=["a"], x=[1.0])
    runs = [make_result(1, flows=flows), make_result(2, flows=flows, web_pages=make_table(flow=["a"], x=[2.0]))]
    replications = ackclock.Replications(runs)
    assert replications.web_pages["seed"].tolist() == [2]
    assert replications.flows["seed"].tolist() == [1, 2]


DASH = """
name = "clients"
duration = "60s"
bottleneck = { rate = "3Mbps", delay = "20ms" }
[[flows]]
name = "client"
count = 3
arrival = { kind = "staggered", interval = "1s" }
[flows.app]
kind = "dash"
ladder = ["200kbps", "400kbps", "800kbps", "1600kbps"]
segment = "2s"
live = { latency = "6s" }
"""


def test_several_clients_have_rows_of_their_own_and_a_quality_together():
    result = ackclock.run(DASH)
    assert result.dash["flow"].tolist() == ["client.0", "client.1", "client.2"]
    assert set(result.dash_segments["flow"]) == set(result.dash["flow"])
    quality = result.dash_quality()
    assert quality["clients"] == 3
    assert quality["mean_level_bps"] == pytest.approx(result.dash["mean_level_bps"].mean())
    assert quality["jain_level"] == pytest.approx(stats.jain(result.dash["mean_level_bps"]))
    assert result.document()["dash_quality"] == quality
    # The first segment began 6 to 8 s before the client, which lags behind at least so far from then on.
    assert (result.dash["latency_start_s"] > 6).all()
    assert result.dash["latency_end_s"] == pytest.approx(result.dash["latency_start_s"] + result.dash["stall_s"])


def test_a_client_without_a_segment_has_none_of_the_rate():
    dash = make_table(
        flow=["a", "b"],
        mean_level_bps=[400.0, None],
        mean_download_bps=[900.0, None],
        switches=[1, 0],
        stalls=[0, 0],
        stall_s=[0.0, 0.0],
    )
    quality = make_result(1, dash=dash).dash_quality()
    assert quality["mean_level_bps"] == 200
    assert quality["jain_level"] == 0.5


def test_nothing_but_their_list_knows_which_applications_there_are():
    """Law 5 of DESIGN.md: one more is a file and a line."""
    kinds = (SOURCES / "ackclock-app/src/lib.rs").read_text(encoding="utf-8")
    variants = re.findall(r'"[^"]+" => (\w+)\(\w+::Fields\),', kinds)
    assert len(variants) == len(ackclock.catalogue()["app"])
    told_apart = re.compile(rf"\bApp::(?:\*|\{{|(?:{'|'.join(variants)})\b)")
    sources = [path for path in SOURCES.rglob("*.rs") if "tests" not in path.relative_to(SOURCES).parts]
    assert len(sources) > 100
    assert [path for path in sources if told_apart.search(path.read_text(encoding="utf-8"))] == []
