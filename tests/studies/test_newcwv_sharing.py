"""The study newcwv-sharing: verdicts on made numbers, measures on made tables, and the engine at a size of seconds."""

import numpy as np
import pytest

from ackclock.results.result import Result
from ackclock.studies import newcwv_sharing
from ackclock.studies.framework import Grid, Lab, Reading, load_claims, study_file
from ackclock.studies.framework.setups.newcwv import KERNEL, PRINTED
from ackclock.studies.newcwv_sharing import measures, verdicts
from ackclock.studies.newcwv_sharing.readings import FTP, HTTP, MAIN, VARIANTS, VECTORS, readings, variants
from tests.helpers.tables import make_table

SEEDS = 3


def made_grid(seed: int) -> Grid:
    """Two readings of two seeds; every measure of every cell is its own number."""
    generator = np.random.default_rng(seed)
    measured = (*verdicts.SHARES, *verdicts.HARMS, "starved_percent", "rival_burst_s")
    cells = {
        (reading, variant.name): {measure: generator.uniform(1, 3, 2) for measure in measured}
        for reading in (MAIN, "other")
        for variant in VARIANTS
    }
    names = tuple(Reading(name, None) for name in (MAIN, "other"))
    return Grid(names, VARIANTS, {}, cells)


@pytest.fixture(scope="module")
def judged():
    grids = {FTP: made_grid(1), HTTP: made_grid(2)}
    return grids, {one.claim.id: one for one in verdicts.assess_claims(grids)}


@pytest.mark.parametrize(
    ("name", "reading", "variant", "measure"),
    [
        (MAIN, MAIN, "newcwv", "ratio_by_class"),
        ("other; newCWV with pacing", "other", "newcwv-pacing", "ratio_by_class"),
        ("other; NewReno (Linux)", "other", "newreno", "ratio_by_class"),
        ("other; by answer under way", "other", "newcwv", "ratio_by_flow"),
        (f"{MAIN}; NewReno (Linux); by answer under way", MAIN, "newreno", "ratio_by_flow"),
    ],
)
def test_proportional_is_the_ratio_under_every_reading_variant_and_definition(judged, name, reading, variant, measure):
    grids, claims = judged
    one = claims["ftp-proportional"]
    assert len(one.readings) == 2 * len(VARIANTS) * 2
    assert one.readings[name][0] == grids[FTP].mean(reading, variant, measure)
    expected = "cell" if variant != VARIANTS[0].name else "definition" if measure == "ratio_by_flow" else "assumption"
    assert one.kinds[name] == expected
    assert one.measured == grids[FTP].mean(MAIN, "newcwv", "ratio_by_class")


@pytest.mark.parametrize("rival", [FTP, HTTP])
def test_starving_is_the_windows_of_both_classes_under_every_variant(judged, rival):
    grids, claims = judged
    one = claims[f"{rival}-starves"]
    assert len(one.readings) == 2 * len(VARIANTS)
    assert one.measured == grids[rival].mean(MAIN, "newcwv", "starved_percent")
    assert one.readings["other; newCWV with pacing"][0] == grids[rival].mean(
        "other", "newcwv-pacing", "starved_percent"
    )


def test_the_bounds_are_those_that_the_page_states():
    claims = load_claims(study_file("ackclock.studies.newcwv_sharing", "claims.toml"))
    limits = {one.id: (one.expect, one.bound) for one in claims.values()}
    assert limits == {
        "ftp-proportional": ("above", 0.5),
        "ftp-starves": ("below", 1.0),
        "http-starves": ("below", 1.0),
        "pacing-fewer-losses": ("below", 0.0),
        "lower-loss": ("below", 0.0),
        "burst-times": ("below", 0.0),
    }


@pytest.mark.parametrize(
    ("claim", "name", "rival", "reading", "variant", "control", "measure", "kind"),
    [
        ("pacing-fewer-losses", f"{MAIN}; {PRINTED}", FTP, MAIN, "spread", "newcwv", "loss_percent", "assumption"),
        ("pacing-fewer-losses", f"{MAIN}; {KERNEL}", FTP, MAIN, "pacing", "newcwv", "loss_percent", "assumption"),
        (
            *("pacing-fewer-losses", f"other; {KERNEL}; DASH's own", FTP, "other", "pacing", "newcwv"),
            *("dash_loss_percent", "definition"),
        ),
        (
            *("pacing-fewer-losses", f"{MAIN}; {PRINTED}; beside HTTP", HTTP, MAIN, "spread", "newcwv"),
            *("loss_percent", "cell"),
        ),
        (
            *("pacing-fewer-losses", f"{MAIN}; {PRINTED}; against NewReno", FTP, MAIN, "spread", "newreno"),
            *("loss_percent", "definition"),
        ),
        ("lower-loss", f"{MAIN}; {PRINTED}", FTP, MAIN, "spread", "newreno", "loss_percent", "assumption"),
        ("lower-loss", f"{MAIN}; without pacing", FTP, MAIN, "newcwv", "newreno", "loss_percent", "definition"),
    ],
)
def test_losses_while_sharing(judged, claim, name, rival, reading, variant, control, measure, kind):
    grids, claims = judged
    full = {"spread": "newcwv-spread", "pacing": "newcwv-pacing"}.get(variant, variant)
    assert claims[claim].readings[name][0] == grids[rival].difference(reading, full, control, measure)
    assert claims[claim].kinds[name] == kind


def test_burst_times_are_those_of_dash_against_newreno_and_of_answers_beside_http(judged):
    grids, claims = judged
    one = claims["burst-times"]
    assert one.measured == grids[FTP].change(MAIN, "newcwv-spread", "newreno", "dash_burst_s")
    answers = f"other; {KERNEL}; beside HTTP; its answers"
    assert one.readings[answers][0] == grids[HTTP].change("other", "newcwv-pacing", "newreno", "rival_burst_s")
    assert one.kinds[answers] == "cell"


@pytest.mark.parametrize("claim", sorted(verdicts.GAINS))
def test_both_pacings_decide_what_pacing_gains(judged, claim):
    _, claims = judged
    assert claims[claim].beside == (f"{MAIN}; {KERNEL}",)
    assert claims[claim].measured == claims[claim].readings[f"{MAIN}; {PRINTED}"][0]


def test_both_delays_stand_beside_each_other(judged):
    _, claims = judged
    sheet = verdicts.delays_sheet(list(claims.values()))
    assert len(sheet.rows) == len(claims)
    assert {row[5] for row in sheet.rows} >= {claims["ftp-starves"].readings[MAIN][1]}
    assert {row[-1] for row in sheet.rows} == {"not run"}, "no reading of made numbers is one-way"


@pytest.mark.parametrize(
    ("name", "column", "measure"), [("sharing", "ratio", "ratio_by_class"), ("harm", "lost %", "loss_percent")]
)
def test_the_sheets_have_a_row_for_every_cell(judged, name, column, measure):
    grids, _ = judged
    (made,) = (one for one in verdicts.sheets(grids) if one.name == name)
    assert len(made.rows) == 2 * 2 * len(VARIANTS)
    row = next(row for row in made.rows if row[:3] == ["HTTP (newCWV)", "other", "newCWV"])
    assert row[list(made.columns).index(column)] == grids[HTTP].mean("other", "newcwv", measure).value


def packets_of(rows):
    """A table of packets from (time, flow, side, event, bytes)."""
    return make_table(
        time_s=[row[0] for row in rows],
        flow=[row[1] for row in rows],
        side=[row[2] for row in rows],
        event=[row[3] for row in rows],
        len=[row[4] for row in rows],
        retransmission=[None if row[3] != "sent" else len(row) > 5 for row in rows],
    )


def got(time, flow, size):
    return time, flow, "source", "delivered", size


def made_run(rows, flows, requests, **tables):
    """A run of 50 s over 1 Mbit/s."""
    return Result(
        {"seed": 1, "duration_s": 50.0},
        {
            "flows": make_table(flow=[name for name, _ in flows], start_s=[start for _, start in flows]),
            "links": make_table(
                link=["bottleneck", "bottleneck.reverse"], rate_bps=[1_000_000, 7], drop_rate=[0.04, 0.5]
            ),
            "dash": make_table(mean_level_bps=[300e3, 500e3], stall_s=[1.0, 3.0]),
            "dash_segments": make_table(
                request_s=[one[0] for one in requests],
                done_s=[one[1] for one in requests],
                download_s=[None if done is None else done - asked for asked, done in requests],
                bytes=[500_000] * len(requests),
            ),
            "packets": packets_of(rows),
            **tables,
        },
    )


def answered(end_s):
    """One answer of 250 kB that took two seconds."""
    return make_table(end_s=[end_s], duration_s=[2.0], acceptor_bytes=[250_000])


# DASH has an answer under way from 15 to 35 s, and one that the run cuts off from 38 s on: 27 s of the 30 that count.
REQUESTS = [(15.0, 35.0), (38.0, None)]
ROWS = [
    got(18.0, "dash", 7777),  # before measuring begins
    got(25.0, "dash", 40_000),
    got(35.0, "dash", 10_000),  # the last segment of an answer
    got(45.0, "dash", 20_000),
    got(22.0, "ftp.0", 41_667),
    got(36.0, "ftp.1", 99_999),  # DASH has nothing under way
    got(39.0, "ftp.1", 50_000),
    got(41.0, "ftp.0", 35_000),
    got(24.0, "ftp.0", 0),
    (30.0, "dash", "source", "dropped", 1460),
    (31.0, "ftp.0", "source", "dropped", 1460),
    (32.0, "ftp.1", "source", "dropped", 1460),
    (33.0, "ftp.1", "sink", "dropped", 0),
    (34.0, "ftp.1", "source", "sent", 1460),
    (38.0, "dash", "sink", "sent", 300),
]


def test_shares_beside_ftp():
    measured = measures.sharing(made_run(ROWS, [("dash", 0.5), ("ftp.0", 0.7), ("ftp.1", 0.2)], REQUESTS))
    dash, ftp = 70_000, 126_667
    assert measured["both_percent"] == pytest.approx(90)
    assert measured["dash_share_percent"] == pytest.approx(100 * dash / (dash + ftp))
    # Two files share what FTP gets, all the time.
    assert measured["ratio_by_class"] == pytest.approx((ftp / 2) / dash)
    assert measured["ratio_by_flow"] == pytest.approx((ftp / 2) / dash)
    assert measured["dash_kbps"] == pytest.approx(8 * 70_000 / 30 / 1e3)
    assert measured["rival_kbps"] == pytest.approx(8 * 226_666 / 30 / 1e3)
    assert measured["loss_percent"] == pytest.approx(4)
    assert measured["dash_loss_percent"] == pytest.approx(100 / 5)
    assert measured["rival_loss_percent"] == pytest.approx(100 * 2 / 6)
    assert measured["level_kbps"] == pytest.approx(400)
    assert measured["stalled_s"] == pytest.approx(2)
    assert measured["dash_burst_s"] == pytest.approx(20 / 4), "20 s for half a megabyte"
    assert "rival_burst_s" not in measured


def test_who_starves():
    measured = measures.sharing(made_run(ROWS, [("dash", 0.5), ("ftp.0", 0.7), ("ftp.1", 0.2)], REQUESTS))
    # DASH's fair third is 416.7 kB in 10 s, 5 % of it 20.8 kB: 20 kB in the last window are less. FTP's two thirds make
    # 41.7 kB: 41,667 B suffice in the first window, 35,000 B do not in the last. From 30 to 40 s DASH pauses for 3 s.
    assert (measured["windows_dash"], measured["starved_dash"]) == (2, 1)
    assert (measured["windows_rival"], measured["starved_rival"]) == (3, 1)
    assert measured["starved_percent"] == pytest.approx(100 * 2 / 5)


def test_a_class_without_windows_does_not_starve():
    rows = [got(25.0, "dash", 1000), got(25.5, "http", 1000), (24.0, "http", "sink", "sent", 300)]
    run = made_run(rows, [("dash", 0.5), ("http", 0.0)], [(21.0, 29.0)], tmix_epochs=answered(26.0))
    measured = measures.sharing(run)
    assert measured["windows_dash"] == measured["windows_rival"] == 0
    assert measured["starved_percent"] == 0


def test_answers_of_http_are_under_way_from_their_requests_on():
    rows = [
        (21.0, "http", "sink", "sent", 300),
        (23.0, "http", "sink", "sent", 300, "again"),  # a retransmission is no second request
        (22.0, "http", "sink", "sent", 0),  # nor is an acknowledgment
        (26.0, "http", "sink", "sent", 300),
        (27.0, "http", "source", "sent", 1460),  # nor an answer
        (28.0, "dash", "sink", "sent", 300),
        got(29.0, "http", 3000),
        got(30.0, "dash", 1000),
    ]
    run = made_run(rows, [("dash", 0.5), ("http", 0.0)], [(10.0, 40.0)], tmix_epochs=answered(31.0))
    measured = measures.sharing(run)
    # One answer from 21 s and another from 26 s; one of them ends at 31 s, the run before the other. Both classes have
    # one for 19 s, in which there are 24 s of answers of HTTP and 19 s of DASH.
    assert measured["both_percent"] == pytest.approx(100 * 19 / 30)
    assert measured["ratio_by_class"] == pytest.approx(1 / 3)
    by_answer = (3000 / 24) / (1000 / 19)
    assert measured["ratio_by_flow"] == pytest.approx(1 / by_answer)
    assert measured["rival_burst_s"] == pytest.approx(2 / 2)


def test_what_windows_carry():
    _, ftp = measures.sides(made_run(ROWS, [("dash", 0.5), ("ftp.0", 0.7), ("ftp.1", 0.2)], REQUESTS))
    starts, carried = measures.rates(ftp, 49.0)
    assert starts.tolist() == [0, 10, 20, 30]
    assert carried.tolist() == [0, 0, 4166.7, 14_999.9]


def test_http_has_the_variant_of_dash_and_ftp_its_own():
    for one, alike in zip(variants(FTP), variants(HTTP), strict=True):
        assert not any(path.startswith("flows[1]") for path in one.overrides)
        changed = {path for path in alike.overrides if path.startswith("flows[1]")}
        assert {path.replace("flows[1]", "flows[0]") for path in changed} == one.overrides.keys()
        assert all(alike.overrides[path] == alike.overrides[path.replace("flows[1]", "flows[0]")] for path in changed)


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(newcwv_sharing, "readings", lambda rival, folder: readings(rival, folder)[:1])
        patch.setattr(newcwv_sharing, "QUICK_REPLICATIONS", SEEDS)
        return newcwv_sharing.STUDY.reproduce(Lab(quick=True))


def test_every_claim_is_measured(study):
    assert [one.claim.id for one in study.claims] == list(
        load_claims(study_file("ackclock.studies.newcwv_sharing", "claims.toml"))
    )
    assert all(one.measured.n == SEEDS for one in study.claims)


def test_the_link_is_shared_and_not_overbooked(study):
    shared, harmed = (one for one in study.sheets if one.name in ("sharing", "harm"))
    assert len(shared.rows) == len(harmed.rows) == 2 * 2 * len(VARIANTS), "two rivals, two forms of newCWV"
    for cells in zip(shared.rows, harmed.rows, strict=True):
        one = {}
        for sheet, row in zip((shared, harmed), cells, strict=True):
            one |= dict(zip(sheet.columns, row, strict=True))
        # 1460 of 1500 bytes are payload.
        assert 600 < one["DASH kbit/s"] + one["other kbit/s"] < 974
        assert 0 < one["ratio"] < 1
        assert one["DASH's windows"] <= 28


def test_each_replication_has_its_own_http(study):
    runs = next(sheet for sheet in study.sheets if sheet.name == "runs-http")
    carried = [row[runs.columns.index("rival_kbps")] for row in runs.rows if row[:2] == [MAIN, "newcwv"]]
    assert len(set(carried)) == SEEDS


def test_the_report_has_its_figures(study, tmp_path):
    study.write(tmp_path)
    html = (tmp_path / "report.html").read_text()
    assert html.count("data-plot=") == 4
    assert html.count('class="intervals"') == 4
    assert {path.name for path in tmp_path.iterdir()} >= {
        "verdicts.json",
        "sharing.csv",
        "harm.csv",
        "ftp.toml",
        "http.toml",
    }


def test_vectors_go_where_http_is():
    assert all(path == VECTORS for one in readings(HTTP, "")[-2:] for path in one.overrides)
