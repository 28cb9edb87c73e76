"""The study remy: on the real engine without others' data, and its claims and measures on made tables."""

import math

import numpy as np
import pytest

import ackclock
from ackclock.result import Result
from ackclock.scenario import Text
from ackclock.studies import remy
from ackclock.studies.framework import Grid, Lab, Reading, load_claims, study_file
from ackclock.studies.remy import measures, medians, readings, verdicts
from tests.helpers.tables import make_table

PACKAGE = "ackclock.studies.remy"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readings, "DATA", tmp_path_factory.mktemp("nothing"))
        patch.setattr(remy, "QUICK_DURATION_S", 10)
        patch.setattr(remy, "QUICK_DATACENTRE_S", 0.3)
        patch.setattr(remy, "QUICK_REPLICATIONS", 2)
        return remy.STUDY.reproduce(Lab(quick=True))


def test_without_the_tables_of_others_their_claims_are_not_testable(study):
    verdicts_of = {one.claim.id: one for one in study.claims}
    own = {name for name, one in verdicts_of.items() if one.measured is not None}
    assert own == {f"dc-dctcp-{what}" for what in ("mbps-mean", "mbps-median", "rtt-mean", "rtt-median")}
    assert all(one.verdict == "not testable" for name, one in verdicts_of.items() if name not in own)
    assert "remycc/RemyCC-2013-delta0.1.dna" in study.findings
    assert "traces/Verizon-LTE-short.down" in study.findings


def test_the_other_schemes_run_all_the_same(study, tmp_path):
    rows = study.sheets[0].rows
    assert {row[0] for row in rows} == {one.label for one in readings.SETTINGS if not one.trace}
    assert {row[2] for row in rows} == {one.label for one in readings.SCHEMES if not one.name.startswith("remy")}
    assert all(0 < row[6] < 15 for row in rows)
    study.write(tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert text.count('class="clouds"') == 2
    assert {path.name for path in tmp_path.iterdir()} >= {"verdicts.json", "medians.csv", "runs-n8-1.csv", "rtts.toml"}


def test_every_cell_is_a_scenario():
    if readings.absent():
        pytest.skip("there are no tables and traces in ../shared/data")
    settings, schemes = readings.present()
    assert (len(settings), len(schemes)) == (5, 9)
    text = Text(study_file(PACKAGE, "scenario.toml"))
    for setting in settings:
        main, others = readings.readings_of(setting, text, 1)
        for reading in (main, *others):
            for scheme in schemes:
                checked = ackclock.check(text, {**reading.overrides, **scheme.overrides})
                assert sum(flow["count"] for flow in checked["flows"]) == setting.senders


def test_claims_and_figures_were_written_down_alike():
    claims = load_claims(study_file(PACKAGE, "claims.toml"))
    figures = verdicts.published()
    for setting in ("n8", "lte4"):
        mine = figures[setting]["remy-0.1"][1]
        for scheme, (_, mbps) in figures[setting].items():
            if not scheme.startswith("remy"):
                assert claims[f"{setting}-speedup-{scheme}"].published == pytest.approx(mine / mbps, abs=0.06)
    for setting, schemes in figures.items():
        assert set(schemes) <= {one.name for one in readings.SCHEMES}
        delay, mbps = schemes["remy-0.1"]
        assert claims[f"{setting}-queue-remy-0.1"].published == delay
        assert claims[f"{setting}-mbps-remy-0.1"].published == mbps


def made_grids(points, replications=3):
    """Every setting with each scheme's delay and throughput; replications differ by a factor that all share."""
    factors = 1 + 0.1 * np.arange(replications)
    grids = {}
    for setting in readings.SETTINGS:
        cells = {}
        for scheme in readings.SCHEMES:
            delay, mbps = points[scheme.name]
            cell = {}
            for index in range(setting.senders):
                # The first and the last sender are far off: a median does not see them.
                odd = {0: 0.01, setting.senders - 1: 100.0}.get(index, 1.0)
                cell[measures.of_sender(measures.MBPS, index)] = mbps * odd * factors
                cell[measures.of_sender(measures.HANDSHAKE_MBPS, index)] = mbps * odd * factors / 2
                cell[measures.of_sender(measures.QUEUE_MS, index)] = delay * odd * factors
            cells[readings.MAIN, scheme.name] = cell
        reading = Reading(readings.MAIN, Text(""))
        grids[setting.name] = [Grid((reading,), readings.SCHEMES, tuple(range(replications)), cells)]
    return grids


def assessed(points):
    return {one.claim.id: one for one in verdicts.assess_claims(verdicts.measured_in(made_grids(points)), None)}


def test_the_published_medians_give_the_published_verdicts():
    points = verdicts.published()["n8"]
    claims = assessed(points)
    # The table of speedups is of these medians; delays were read off a figure.
    for scheme, (delay, mbps) in points.items():
        if not scheme.startswith("remy"):
            speedup, slower = claims[f"n8-speedup-{scheme}"], claims[f"n8-delay-{scheme}"]
            assert speedup.measured.value == pytest.approx(1.73 / mbps)
            assert slower.measured.value == pytest.approx(delay / 3.1)
            assert speedup.verdict == slower.verdict == "reproduced"
            # Whole replications are resampled, the same of both: what they share does not widen the interval.
            assert speedup.measured.half_width == pytest.approx(0)
    assert claims["n8-fastest"].measured.value == pytest.approx(1.73 / 1.26)
    assert claims["n8-quickest"].measured.value == pytest.approx(3.1 / 3.6)
    assert claims["n8-ordered"].measured.value == pytest.approx(min(1.73 / 1.45, 1.45 / 1.11, 3.1 / 1.6, 1.6 / 1.3))
    assert {claims[f"n8-{what}"].verdict for what in ("fastest", "quickest", "ordered")} == {"reproduced"}
    assert claims["n8-mbps-remy-0.1"].measured.value == pytest.approx(1.73 * 1.1)
    assert claims["n8-queue-remy-0.1"].measured.value == pytest.approx(3.1 * 1.1)
    assert claims["n8-mbps-remy-0.1"].readings[readings.HANDSHAKE][0].value == pytest.approx(1.73 * 1.1 / 2)
    assert claims["dc-dctcp-mbps-mean"].verdict == claims["dc-remycc-rtt-mean"].verdict == "not testable"


@pytest.mark.parametrize(
    ("scheme", "point", "lost"),
    [
        ("xcp", (11.7, 1.9), {"n8-fastest", "n8-speedup-xcp"}),
        ("vegas", (2.0, 0.56), {"n8-quickest", "n8-delay-vegas"}),
        ("remy-10", (1.7, 1.11), {"n8-ordered"}),
        ("remy-10", (1.3, 1.50), {"n8-ordered"}),
        ("cubic", (9.4, 0.6), {"n8-speedup-cubic"}),
    ],
)
def test_each_claim_falls_with_what_it_is_about(scheme, point, lost):
    before = assessed(verdicts.published()["n8"])
    after = assessed(verdicts.published()["n8"] | {scheme: point})
    fallen = {
        name
        for name, one in after.items()
        if name.startswith("n8-") and (before[name].verdict, one.verdict) == ("reproduced", "not reproduced")
    }
    assert fallen == lost


def test_a_replication_is_resampled_whole():
    # Within a replication all senders are alike: resampling senders would make the interval far too narrow.
    values = np.repeat(np.array([[1.0], [2.0], [3.0]]), 50, axis=1)
    values[:, 0] = 1e6
    estimate = medians.estimate(lambda median: median, medians.Sample(values))
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (2.0, 1.0, 3.0, 3)
    assert not medians.estimate(lambda median: median, medians.Sample(values[:1])).has_interval


def made(**tables):
    links = make_table(link=["bottleneck"], utilisation=[0.5], drop_rate=[0.01])
    return Result({"duration_s": 10.0}, {"links": links, **tables})


def periods():
    # a: 1 Mbit from 1.0 s (connected at 1.2 s) to 2.125 s, and 1 Mbit until the end of the run, after a handshake
    # of half a second; b: nothing but a handshake that never came to an end.
    return make_table(
        flow=["a", "a", "b"],
        bytes=[125_000, 125_000, 0],
        start_s=[1.0, 8.0, 9.0],
        connected_s=[1.2, 8.5, None],
        end_s=[2.125, None, None],
    )


def test_time_on_is_from_the_first_segment_to_the_last_acknowledgment():
    flows = make_table(flow=["a", "b"], timeouts=[1, 2])
    delays = make_table(flow=["a", "b"], mean_ms=[80.0, None])
    measured = measures.senders(75)(made(flows=flows, onoff=periods(), delays=delays))
    assert measured["throughput_mbps.0"] == pytest.approx(2 / (0.925 + 0.075 + 1.5))
    assert measured["throughput_with_handshake_mbps.0"] == pytest.approx(2 / (1.125 + 2.0))
    assert measured["queueing_delay_ms.0"] == pytest.approx(5)
    assert math.isnan(measured["throughput_mbps.1"])
    assert math.isnan(measured["queueing_delay_ms.1"])
    assert (measured["utilisation_percent"], measured["timeouts"]) == (50, 3)


def test_the_datacentre_counts_who_delivered():
    flows = make_table(flow=["a", "b"], timeouts=[0, 0])
    delays = make_table(flow=["a", "b"], mean_ms=[2.5, None])
    measured = measures.datacentre(made(flows=flows, onoff=periods(), delays=delays))
    assert measured["mbps-mean"] == measured["mbps-median"] == pytest.approx(2 / (0.925 + 0.002 + 1.5))
    assert measured["rtt-mean"] == measured["rtt-median"] == pytest.approx(4.5)


def test_shares_over_differing_rtts_are_of_their_mean():
    time_on = make_table(flow=["rtt50", "rtt100"], throughput_bps=[3e6, 1e6])
    measured = measures.over_differing_rtts(made(time_on=time_on))
    assert (measured["rtt50_share"], measured["rtt100_share"], measured["rtt50_mbps"]) == (1.5, 0.5, 3)


def test_what_holds_for_one_flow_holds_for_all_four():
    scheme = readings.with_cc(next(one for one in readings.SCHEMES if one.name == "newreno"), 4)
    checked = ackclock.check(Text(study_file(PACKAGE, "rtts.toml")), scheme.overrides)
    assert [flow["cc"] for flow in checked["flows"]] == ["reno-ns2"] * 4
    assert [flow["sack"] for flow in checked["flows"]] == [False] * 4
    scheme = readings.with_cc(next(one for one in readings.SCHEMES if one.name == "cubic-sfqcodel"), 4)
    checked = ackclock.check(Text(study_file(PACKAGE, "rtts.toml")), scheme.overrides)
    assert checked["bottleneck"]["queue"]["kind"] == "sfq-codel"
