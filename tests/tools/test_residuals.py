"""The page of residuals: it is that of the runs on record, it shows all of them, and they are those of this version."""

import pytest

from tools.residuals import record
from tools.residuals.cells import BOUNDS, Cell, measured
from tools.residuals.journal import Journal
from tools.residuals.page import page, page_of
from tools.residuals.plan import EXPERIMENTS
from tools.residuals.work import simulated, worked

CHEAP = [one for one in EXPERIMENTS if one.kind in ("path", "transfer") or (one.kind == "bursts" and one.cc == "reno")]


def test_the_page_shows_the_record():
    assert page_of().read_text(encoding="utf-8") == page(record.load())


def test_every_experiment_ran_in_both():
    runs = record.load().runs
    assert {key: set(sides) for key, sides in runs.items()} == {one.key: {"simulator", "kernel"} for one in EXPERIMENTS}
    assert len({one.key for one in EXPERIMENTS}) == len(EXPERIMENTS)


def test_every_difference_outside_its_bound_has_a_cause_and_every_cause_a_difference():
    known = record.load()
    outside = [cell for cell in known.cells() if not cell.holds]
    assert [cell for cell in outside if not known.causes_of(cell)] == []
    used = {cause for cell in outside for cause in known.causes_of(cell)}
    assert {cause["cause"] for cause in known.causes} == used


@pytest.mark.parametrize("experiment", CHEAP, ids=lambda one: one.key)
def test_the_record_is_of_this_version(experiment):
    found = record.load().runs[experiment.key]["simulator"]
    assert simulated(experiment) == [pytest.approx(run, rel=1e-5) for run in found]


def test_a_share_is_within_the_range_of_the_kernels_runs():
    def share(ours):
        return Cell("share/home/reno/against cubic", "share", ours, 0.4, 0.35, 0.45).holds

    assert [share(ours) for ours in (0.31, 0.33, 0.4, 0.47, 0.49)] == [False, True, True, True, False]


def test_counts_may_differ_by_one():
    bound = BOUNDS["recoveries"]
    assert bound.holds(2, 1)
    assert not bound.holds(3, 1)
    assert bound.holds(33, 30)
    assert not bound.holds(34, 30)


class Rows(list):
    def rows(self):
        return iter(self)


def test_a_period_is_the_mean_time_between_the_starts_of_recoveries():
    flows = Rows([{"flow": "one", "goodput_bps": 8e6, "retransmits": 3, "recoveries": 3}])
    window = Rows(
        {"time_s": time, "cwnd": 14480, "srtt_ms": 40.0, "in_recovery": recovers}
        for time, recovers in ((0, False), (1, True), (2, True), (3, False), (4, True), (5, False), (8, True))
    )
    found = measured("alone", {"flows": flows, "window": window})
    assert found == {
        "goodput": 8, "window": pytest.approx(10), "RTT": 40, "retransmissions": 3, "recoveries": 3, "period": 3.5
    }  # fmt: skip


def test_a_journal_goes_on_where_it_was_stopped(tmp_path):
    file = tmp_path / "out/journal"
    builds = {"simulator": "a", "kernel": "b"}
    journal = Journal(file, builds)
    journal.add("one", "kernel", [{"rate": 1.5}], 4.25)
    journal.add("one", "simulator", [{"rate": 2.0}], 0.5)
    journal.add("two", "kernel", [{"rate": 3.0}], 6)
    file.write_text(file.read_text(encoding="utf-8")[:-8], encoding="utf-8")
    again = Journal(file, builds)
    assert again.done == {("one", "kernel"): [{"rate": 1.5}], ("one", "simulator"): [{"rate": 2.0}]}
    assert again.spent_s == {("one", "kernel"): 4.2, ("one", "simulator"): 0.5}
    again.add("two", "kernel", [{"rate": 3.0}], 6)
    assert Journal(file, builds).done == journal.done
    # Runs of another build of the simulator are done again, those of the kernel are not.
    assert set(Journal(file, builds | {"simulator": "c"}).done) == {("one", "kernel"), ("two", "kernel")}
    again.end()
    assert Journal(file, builds).done == {}


def test_the_processor_time_of_runs_is_counted():
    key = "bursts/home/reno/300,000 bytes every 2s"
    found, spent_s = worked(key, "simulator", record.DEFAULT, 1000)
    assert found == simulated(next(one for one in EXPERIMENTS if one.key == key))
    assert spent_s > 0
