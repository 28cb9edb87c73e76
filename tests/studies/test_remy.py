"""The study remy: on the real engine without others' data, and its claims and measures on made tables."""

import math

import numpy as np
import pytest

import ackclock
from ackclock.results.result import Result
from ackclock.scenario import Text
from ackclock.studies import remy
from ackclock.studies.framework import Grid, Lab, Reading, load_claims, study_file
from ackclock.studies.remy import measures, medians, others_data, readings, verdicts
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


def test_without_the_data_of_others_its_claims_are_not_testable(study):
    verdicts_of = {one.claim.id: one for one in study.claims}
    own = {name for name, one in verdicts_of.items() if one.measured is not None}
    schemes = [one.name for one in readings.SCHEMES]
    assert {f"dc-dctcp-{what}" for what in ("mbps-mean", "mbps-median", "rtt-mean", "rtt-median")} <= own
    assert {f"n8-{what}-{scheme}" for what in ("mbps", "queue") for scheme in schemes} <= own
    assert all(name.startswith(("n8-", "dc-dctcp-")) for name in own)
    assert all(one.verdict == "not testable" for name, one in verdicts_of.items() if name not in own)
    assert "absent for delta 0.1, 1, 10" in study.findings
    assert "ackclock learn" in study.findings
    assert "remycc/RemyCC-2013-delta0.1.dna" not in study.findings
    assert "remy/verizon4g-100ms.csv" in study.findings


def test_the_other_schemes_run_all_the_same(study, tmp_path):
    rows = study.sheets[0].rows
    assert {row[0] for row in rows} == {one.label for one in readings.SETTINGS if not one.needs}
    assert {row[2] for row in rows} == {one.label for one in readings.SCHEMES}
    assert all(0 < row[8] < 15 for row in rows)
    study.write(tmp_path)
    text = (tmp_path / "report.html").read_text()
    assert text.count('class="clouds"') == 1
    assert {path.name for path in tmp_path.iterdir()} >= {
        "verdicts.json",
        "medians.csv",
        "runs-n8-1.csv",
        "datacentre.csv",
    }


def test_every_cell_is_a_scenario(tmp_path):
    if readings.absent():
        pytest.skip("there are no tables and traces in ../shared/data")
    settings, schemes = readings.present()
    assert (len(settings), len(schemes)) == (5, 9)
    text = Text(study_file(PACKAGE, "scenario.toml"))
    for setting in settings:
        main, others = readings.readings_of(setting, text, 1, tmp_path)
        for reading in (main, *others):
            for scheme in readings.schemes_of(setting, schemes):
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


BANDS = {"speedup": 0.15, "delay": 0.25, "mbps": 0.2, "queue": 0.25}
"""The tolerance of each kind of claim as a part of the published number."""


def test_bands_are_what_a_rerun_of_the_authors_scripts_keeps_to():
    claims, again = load_claims(study_file(PACKAGE, "claims.toml")), verdicts.rerun()
    outside = set()
    for name, claim in claims.items():
        setting, what, scheme = [*name.split("-", 2), ""][:3]
        if setting == "dc" or claim.expect != "value":
            continue
        assert claim.tolerance == pytest.approx(BANDS[what] * claim.published, rel=0.01), name
        if scheme not in again[setting]:
            continue
        delay, mbps = again[setting][scheme]
        own_delay, own_mbps = again[setting]["remy-0.1"]
        found = {"speedup": own_mbps / mbps, "delay": delay / own_delay, "mbps": mbps, "queue": delay}[what]
        if abs(found - claim.published) > claim.tolerance:
            outside.add(name)
    assert outside == {"lte4-mbps-remy-10", "n12-queue-remy-0.1", "n12-queue-vegas", "n12-queue-cubic-sfqcodel"}


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
                cell[measures.of_sender(measures.QUEUE_MS, index)] = delay * odd * factors
            cells[readings.MAIN, scheme.name] = cell
        reading = Reading(readings.MAIN, Text(""))
        grids[setting.name] = [Grid((reading,), readings.SCHEMES, {}, cells)]
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
    assert claims["dc-dctcp-mbps-mean"].verdict == claims["dc-remycc-rtt-mean"].verdict == "not testable"


@pytest.mark.parametrize(
    ("scheme", "point", "lost"),
    [
        ("xcp", (11.7, 1.9), {"n8-fastest", "n8-speedup-xcp", "n8-mbps-xcp"}),
        ("vegas", (2.0, 0.56), {"n8-quickest", "n8-delay-vegas", "n8-queue-vegas"}),
        ("remy-10", (1.7, 1.11), {"n8-ordered", "n8-queue-remy-10"}),
        ("remy-10", (1.3, 1.50), {"n8-ordered", "n8-mbps-remy-10"}),
        ("cubic", (9.4, 0.6), {"n8-speedup-cubic", "n8-mbps-cubic"}),
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


def tables():
    """Periods of a: 100 packets of 1208 bytes, 50 and a half until the end of the run, and one without an arrival."""
    periods = make_table(
        flow=["a", "a", "a", "b"],
        bytes=[120_800, 61_004, 0, 0],
        start_s=[1.0, 8.0, 9.0, 9.0],
        connected_s=[1.0, 8.0, 9.0, None],
        end_s=[2.0, None, None, None],
    )
    window = make_table(
        flow=["a", "a", "b", "a"], latest_rtt_ms=[None, 150.0, None, 160.0], time_s=[0.0, 1.2, 2.0, 3.0]
    )
    return made(flows=make_table(flow=["a", "b"], timeouts=[1, 2]), onoff=periods, window=window)


def test_throughput_is_of_whole_packets_on_the_wire_over_the_time_on():
    measured = measures.senders(149.5)(tables())
    assert measured["throughput_mbps.0"] == pytest.approx(151 * 1260 * 8 / 1e6 / (1.0 + 2.0))
    assert measured["queueing_delay_ms.0"] == pytest.approx(5.5)
    assert math.isnan(measured["throughput_mbps.1"])
    assert math.isnan(measured["queueing_delay_ms.1"])
    assert (measured["utilisation_percent"], measured["timeouts"]) == (50, 3)


def test_the_datacentre_counts_who_delivered():
    measured = measures.datacentre(tables())
    assert measured["mbps-mean"] == measured["mbps-median"] == pytest.approx(151 * 1260 * 8 / 1e6 / 3.0)
    assert measured["rtt-mean"] == measured["rtt-median"] == pytest.approx(155)


def test_sizes_are_steps_of_whole_packets(tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text("probability,bytes\n0.25,0\n0.5,1\n1.00000,5000\n")
    sizes = others_data.flow_sizes(path, 1210)
    # One packet of 1210 bytes or two, and six: 6,210 bytes; of each 1208 are data here.
    assert sizes["values"] == ["1208B", "2415B", "2416B", "7247B", "7248B"]
    assert sizes["probabilities"] == pytest.approx([0.25, 0.25, 0.5, 0.5, 1.0], abs=1e-8)


def test_counts_are_spread_evenly_in_their_intervals(tmp_path):
    path, trace = tmp_path / "counts.csv", tmp_path / "trace"
    path.write_text("time_s,packets\n0.0,2\n0.1,0\n0.2,4\n0.3,1\n")
    others_data.trace_of_counts(path, 0.3, trace)
    assert trace.read_text().split() == ["25", "75", "212", "237", "262", "287"]


def test_the_router_of_xcp_is_told_the_rate_of_the_scripts_over_a_trace():
    of = {one.name: readings.schemes_of(one, readings.SCHEMES) for one in readings.SETTINGS}
    queues = {name: schemes[-1].overrides["bottleneck.queue"] for name, schemes in of.items()}
    assert queues["n8"] == {"kind": "xcp", "limit": "1000 packets"}
    assert {name for name, queue in queues.items() if queue.get("capacity") == 5.5e6} == {"lte4", "lte8", "att4"}


def test_shares_over_differing_rtts_are_of_their_mean():
    names = ["rtt50", "rtt100"]
    periods = make_table(flow=names, bytes=[3 * 120_800, 120_800], start_s=[1.0, 1.0], end_s=[2.0, 2.0])
    window = make_table(flow=names, latest_rtt_ms=[50.0, 100.0])
    measured = measures.over_differing_rtts(made(flows=make_table(flow=names), onoff=periods, window=window))
    assert (measured["rtt50_share"], measured["rtt100_share"]) == (1.5, 0.5)
    assert measured["rtt50_mbps"] == pytest.approx(300 * 1260 * 8 / 1e6)


def test_what_holds_for_one_flow_holds_for_all_four():
    scheme = readings.with_cc(next(one for one in readings.SCHEMES if one.name == "newreno"), 4)
    checked = ackclock.check(Text(study_file(PACKAGE, "rtts.toml")), scheme.overrides)
    assert [flow["cc"] for flow in checked["flows"]] == ["reno-ns2"] * 4
    assert [flow["stack"] for flow in checked["flows"]] == ["ns2-newreno"] * 4
    scheme = readings.with_cc(next(one for one in readings.SCHEMES if one.name == "cubic-sfqcodel"), 4)
    checked = ackclock.check(Text(study_file(PACKAGE, "rtts.toml")), scheme.overrides)
    assert checked["bottleneck"]["queue"]["kind"] == "sfq-codel"
