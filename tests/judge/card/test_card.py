"""Cards of small parts: the runs that are planned, equal runs, threads, and what a backend or transport lacks."""

import json

import pytest

from ackclock import ScenarioError, TransportError
from ackclock._core import Cancel
from ackclock.engine import kernels
from ackclock.engine.run import run_job
from ackclock.judge.card import Candidate, make, perform
from ackclock.judge.card.markdown import markdown
from ackclock.judge.card.page import page
from ackclock.judge.card.perform import measured, planned, scenario_of
from ackclock.judge.card.section import sections
from ackclock.kernel import KernelError
from ackclock.scenario import check
from tests.helpers.browser import Browser, needs_browser
from tests.helpers.contrasts import pale
from tests.judge.card.made import card_of, part


@pytest.fixture(scope="module")
def beside():
    return part("5.2.1", "beside-cubic", duration="12s")


@pytest.fixture(scope="module")
def bbr(beside):
    return card_of(Candidate("bbr1"), beside)


def test_cubic_beside_itself_is_as_good_everywhere():
    card = card_of(Candidate("cubic"), part("5.1.4", "equal", duration="21s"), part("5.1.3", "start"))
    assert {one.verdict for one in card.rows} == {"as good"}
    for one in card.rows:
        assert list(one.values["candidate"]) == list(one.values["cubic"])
        found = one.beside["cubic"].difference
        assert (found.low, found.value, found.high) == (0, 0, 0)
        assert not one.better


def test_equal_runs_are_made_once(beside):
    seeds = (1, 2, 3)
    other = planned((beside,), Candidate("vegas"), seeds, quick=True)
    # Three points; three places and the victim alone, which is the same whoever is in the place.
    assert other.wanted == 3 * 3 * 2 * 3
    assert other.runs == 3 * (3 + 1) * 3
    same = planned((beside,), Candidate("reno"), seeds, quick=True)
    assert same.runs == 3 * (2 + 1) * 3
    assert same.seconds == same.runs * 12


def test_the_full_form_has_more_points(beside):
    quick, full = (planned((beside,), Candidate("vegas"), (1,), quick=one) for one in (True, False))
    assert {cell.point.name for cell in quick.cells} < {cell.point.name for cell in full.cells}


def test_the_number_of_threads_does_not_change_a_byte(bbr, beside):
    again = card_of(Candidate("bbr1"), beside, threads=3)
    assert json.dumps(again.document()) == json.dumps(bbr.document())
    assert markdown(again) == markdown(bbr)
    assert page(again).html() == page(bbr).html()


def test_harm_compares_with_the_flow_alone(bbr):
    (one,) = [
        row for row in bbr.rows if row.row.text == "Harm to the goodput of CUBIC" and row.cell.point.name == "1 BDP"
    ]
    plan = bbr.plan
    numbers = measured(plan, bbr.candidate, threads=1)
    together = numbers.of(one.cell, one.row, "candidate")
    alone = numbers.of(one.cell, one.row, "candidate", ("rival",))
    assert list(one.values["candidate"]) == pytest.approx(
        [100 * (x - y) / x for x, y in zip(alone, together, strict=True)]
    )
    assert min(alone) > max(together)


def test_the_place_of_the_candidate_has_its_fields():
    cell = planned((part("7.1", "marks"),), Candidate("reno"), (1,), quick=True).cells[0]
    plain = json.loads(scenario_of(cell, Candidate("reno"), "candidate")[0].text)["flows"][0]
    assert (plain["cc"], plain["stack"], plain["ecn"]) == ("reno", "linux", "classic")
    own = json.loads(scenario_of(cell, Candidate("prague"), "candidate")[0].text)["flows"][0]
    assert own["ecn"] == "l4s", "a control that is specified with a mode of ECN has it"
    beside = json.loads(scenario_of(cell, Candidate("prague", stack="freebsd"), "cubic")[0].text)["flows"][0]
    assert (beside["cc"], beside["stack"], beside["ecn"]) == ("cubic", "freebsd", "classic")
    assert "role" not in plain | own | beside


def test_further_fields_reach_the_candidate_alone(beside):
    candidate = Candidate("reno", fields=(("initial_window", "3"), ("slow_start", "hystart++")))
    cell = planned((beside,), candidate, (1,), quick=True).cells[0]
    text, overrides = scenario_of(cell, candidate, "candidate")
    rival, victim = check(text, overrides)["flows"]
    assert (rival["initial_window"], rival["slow_start"]) == (3, "hystart++")
    assert not {"initial_window", "slow_start"} & victim.keys()
    text, overrides = scenario_of(cell, candidate, "cubic")
    assert not {"initial_window", "slow_start"} & check(text, overrides)["flows"][0].keys()


def test_a_transport_has_no_fields_of_tcp():
    candidate = Candidate("newreno", transport="quinn")
    section = part("5.3.2")
    plan = planned((section,), candidate, (1,), quick=True)
    (text, _) = scenario_of(plan.cells[0], candidate, "candidate")
    flow = json.loads(text.text)["flows"][0]
    assert flow["transport"] == {"kind": "quinn", "cc": "newreno"}
    assert not {"stack", "cc", "sack"} & flow.keys()
    card = card_of(candidate, part("5.3.2", "old-peer", duration="6s"), seeds=(1, 2))
    assert [one.reason for one in card.rows] == ["the scenario needs settings of TCP, which quinn does not have"]


def test_a_path_that_is_too_small_for_a_transport_is_a_row_that_says_so():
    candidate = Candidate("cubic", transport="quinn")
    plan = planned(tuple(sections()), candidate, (1,), quick=True)
    refused = {key[1]: why for key, why in plan.refused.items() if "QUIC needs at least 1200" in why}
    assert set(refused) == {"slow-link", "readings"}
    assert all(why.startswith("quinn cannot run it: ") for why in refused.values())
    assert {key[-1] for key in plan.refused} == {"candidate"}


def failing(call):
    """Runs in which a transport fails in a function of its interface while a policer is on the path."""

    def run(job, cancel, progress):
        if "policer" in job.scenario.text and '"quinn"' in job.scenario.text:
            raise TransportError("quinn", "flow.1", 0.5, call, "packets of 172 bytes are too small")
        return run_job(job, cancel, progress)

    return run


def test_a_path_that_a_transport_refuses_in_the_run_is_a_row_that_says_so(monkeypatch):
    monkeypatch.setattr(perform, "run_job", failing("create"))
    card = card_of(Candidate("cubic", transport="quinn"), part("5.1.3", "policer", "start"))
    found = {one.cell.scenario.name: one for one in card.rows}
    assert found["policer"].verdict == "not shown"
    assert found["policer"].reason == "quinn cannot run it: packets of 172 bytes are too small"
    assert found["start"].verdict != "not shown"


def test_a_mistake_of_a_transport_ends_the_card(monkeypatch):
    monkeypatch.setattr(perform, "run_job", failing("transmit"))
    with pytest.raises(TransportError, match="in transmit: packets of 172 bytes"):
        card_of(Candidate("cubic", transport="quinn"), part("5.1.3", "policer"))


def test_a_transport_stands_beside_the_tcp_of_linux():
    card = card_of(Candidate("cubic", transport="quinn"), part("5.1.3", "start"))
    (one,) = card.rows
    assert one.verdict in ("as good", "between", "worse")
    assert list(one.values["candidate"]) != list(one.values["cubic"])


def test_a_candidate_that_there_is_not_is_refused_before_a_run():
    with pytest.raises(ScenarioError, match="cc"):
        planned((part("5.1.3", "start"),), Candidate("cubik"), (1,), quick=True)


class Kernel:
    """A kernel that takes no policer."""

    exact = "linux:0123"


def test_what_a_kernel_cannot_run_is_a_row_that_says_so(monkeypatch):
    def refuses(text, where, pairs):
        if "policer" in json.loads(text.text)["bottleneck"]:
            raise ScenarioError.of("bottleneck.policer: this kernel has none", text.name)

    ran = []

    def run(text, where, overrides, *, seed, cancel):
        from ackclock.engine.run import simulated

        ran.append(json.loads(text.text))
        return simulated(text, tuple(overrides), seed, Cancel(), lambda _: None, verify=False)

    monkeypatch.setattr(kernels, "choose", lambda _: Kernel())
    monkeypatch.setattr(kernels, "check", refuses)
    monkeypatch.setattr(kernels, "run", run)
    sections = (part("5.1.3", "policer", "start"), part("5.1.1", "no-feedback"))
    card = card_of(Candidate("bbr", backend="linux:0123"), *sections)
    found = {(one.cell.scenario.name, one.row.text): one for one in card.rows}
    told = found["policer", "Goodput"]
    assert told.verdict == "not shown"
    assert told.reason.startswith("linux:0123 cannot run it: ")
    assert "this kernel has none" in told.reason
    assert found["start", "Segments retransmitted"].verdict != "not shown"
    # A kernel records no packets.
    silent = found["no-feedback", "Segments sent from the second second of the silence on"]
    assert silent.verdict == "not shown"
    assert "packets" in silent.reason
    assert ran
    assert all("packets" not in one.get("probes", {}) for one in ran)
    assert "linux:0123 cannot run it" in markdown(card)
    assert "linux:0123 cannot run it" in page(card).html()


def test_a_run_in_which_the_kernel_fails_is_a_row_that_says_so(monkeypatch):
    def run(text, where, overrides, *, seed, cancel):
        from ackclock.engine.run import simulated

        if '"cc": "reno"' in text.text and seed == 2:
            raise KernelError("Linux 6.12 gave no answer; its last lines:\npanic")
        return simulated(text, tuple(overrides), seed, Cancel(), lambda _: None, verify=False)

    monkeypatch.setattr(kernels, "choose", lambda _: Kernel())
    monkeypatch.setattr(kernels, "check", lambda *_: None)
    monkeypatch.setattr(kernels, "run", run)
    card = card_of(Candidate("bbr", backend="linux:0123"), part("5.1.3", "start"), part("5.3.1", "response-to-loss"))
    start, fact = card.rows
    assert start.reason == "Linux 6.12 gave no answer; its last lines:"
    # A fact of the candidate is shown without the one beside it.
    assert fact.verdict == "fact"
    assert fact.mean("candidate") > 0


def test_a_candidate_that_the_kernel_does_not_have_is_refused_before_a_run(monkeypatch):
    def refuses(text, where, pairs):
        raise ScenarioError.of("flows[0].cc: no congestion control of this kernel", text.name)

    monkeypatch.setattr(kernels, "choose", lambda _: Kernel())
    monkeypatch.setattr(kernels, "check", refuses)
    with pytest.raises(ScenarioError, match="the candidate copa: flows"):
        planned((part("7.2"),), Candidate("copa", backend="linux:0123"), (1,), quick=True)


def test_parameters_of_a_congestion_control_are_a_field():
    candidate = Candidate("fixed-window", fields=(("cc", '{ kind = "fixed-window", segments = 7 }'),))
    plan = planned((part("5.1.3", "start"),), candidate, (1,), quick=True)
    (flow,) = check(*scenario_of(plan.cells[0], candidate, "candidate"))["flows"]
    assert flow["cc"] == {"kind": "fixed-window", "segments": 7}


def test_making_a_card_tells_its_plan_before_the_first_run():
    told = []
    parts = []

    def begin(plan):
        told.append(plan.runs)
        return parts.append

    card = make(Candidate("reno"), sections=("7.11",), seeds=(1, 2), quick=True, threads=1, begin=begin)
    assert told == [card.plan.runs]
    assert parts
    assert max(parts) <= 1


def test_the_document_is_json_with_everything(bbr):
    whole = json.loads(json.dumps(bbr.document(), allow_nan=False))
    assert whole["candidate"]["name"] == "bbr1"
    assert whole["runs"] == {"wanted": 36, "made": 24, "network_time_s": 288.0}
    (section,) = whole["sections"]
    assert len(section["rows"]) == len(bbr.rows)
    one = section["rows"][0]
    assert one["harm_of"] == ["rival"]
    assert len(one["values"]["candidate"]) == 2
    low, high = one["difference"]["cubic"]["ci"]
    assert low <= one["difference"]["cubic"]["value"] <= high
    assert sum(whole["summary"].values()) == len(bbr.rows)


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
def test_every_sign_and_text_can_be_read(bbr, tmp_path, dark):
    """Squares are paler where the distance is small, and their signs are then dark."""
    page(bbr).write(tmp_path / "card.html")
    assert "light-dark(" in page(bbr).html()
    with Browser() as opened:
        opened.dark(dark)
        opened.open(tmp_path / "card.html")
        assert pale(opened) == []
