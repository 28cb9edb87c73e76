"""The lines over time in a store's report: what the tables of a run say, thinned."""

import numpy as np
import pytest

import ackclock
from ackclock.report.experiment.traces import panels, runs_over_time, thin
from tests.helpers.scenarios import PROBED
from tests.helpers.tables import make_result, make_table


class TestOverTime:
    def test_thinned_lines_keep_their_extremes(self):
        x = np.arange(10_000.0)
        y = np.sin(x)
        y[1234], y[7777] = 9, -9
        kept = thin(x, y, 300)
        assert 150 <= len(kept) <= 300
        assert {0, 1234, 7777} <= {*kept}
        assert (np.diff(kept) > 0).all()
        assert list(thin(x[:5], y[:5], 300)) == [0, 1, 2, 3, 4]

    def test_the_budget_bounds_the_lines_over_time(self, made):
        with ackclock.open(made) as store:
            for budget in (3_000, 12_000):
                choice, told = runs_over_time(store, budget, "")
                points = sum(
                    len(series.x) for _, part in choice.options for plot in part.plots for series in plot.series
                )
                assert 0 < points <= budget
                assert f"{len(choice.options)} of 24 finished runs" in told

    def test_the_time_sequence_graph_has_what_the_tables_say(self):
        result = ackclock.run(PROBED, overrides={"bottleneck.loss": "3%"})
        packets, blocks = result.packets, result.sack_blocks
        (plot,) = [plot for plot in panels(result, 10**6) if plot.title == "Time-sequence graph"]
        drawn = {one.label: one for one in plot.series}
        assert list(drawn) == ["acknowledged", "SACK", "sent", "retransmitted", "dropped"]
        mine = (packets["flow"] == "one") & (packets["side"] == "source") & (packets["len"] > 0)
        for label, event, again in (
            ("sent", "sent", False),
            ("retransmitted", "sent", True),
            ("dropped", "dropped", None),
        ):
            rows = mine & (packets["event"] == event)
            rows = rows if again is None else rows & (packets["retransmission"].astype(bool) == again)
            assert list(drawn[label].x) == list(packets["time_s"][rows])
            assert list(drawn[label].y) == list(packets["seq"][rows] / 1e3)
        told = (blocks["flow"] == "one") & (blocks["event"] == "delivered") & ~blocks["duplicate"]
        assert list(drawn["SACK"].low) == list(blocks["left"][told] / 1e3)
        assert list(drawn["SACK"].high) == list(blocks["right"][told] / 1e3)
        acks = (packets["flow"] == "one") & (packets["side"] == "sink") & (packets["event"] == "delivered")
        assert np.max(drawn["acknowledged"].y) * 1e3 == pytest.approx(np.nanmax(packets["ack"][acks]))
        assert plot.caption == "Of one, the first of 3 flows."
        one = ackclock.run(PROBED, overrides={"bottleneck.queue": "unlimited", "duration": "1s"})
        (plot,) = [plot for plot in panels(one, 100) if plot.title == "Time-sequence graph"]
        assert [one.label for one in plot.series] == ["acknowledged", "sent"], "nothing was lost"

    def test_goodput_is_that_of_applications_where_packets_were_recorded_too(self):
        asked = {"probes.packets": False}
        both = [{plot.title: plot for plot in panels(ackclock.run(PROBED, overrides=one), 800)} for one in ({}, asked)]
        one, other = (plots["Goodput"].series[1] for plots in both)
        assert list(one.x) == list(other.x)
        assert list(one.y) == list(other.y)

    def test_a_capacity_that_varies_is_filled(self):
        steps = {"kind": "steps", "steps": [{"at": "0s", "rate": "4Mbps"}, {"at": "1500ms", "rate": "1Mbps"}]}
        varying = ackclock.run(PROBED, overrides={"bottleneck.rate": steps})
        lines = {plot.title: plot.series[0] for plot in panels(varying, 800)}
        capacity = lines["Goodput"]
        assert (capacity.label, capacity.filled, capacity.kind) == ("capacity of bottleneck", True, "step")
        np.testing.assert_allclose(capacity.y, [4] * 50 + [1] * 51)
        fixed = {plot.title: plot.series[0] for plot in panels(ackclock.run(PROBED), 800)}["Goodput"]
        assert (fixed.filled, fixed.y.tolist(), fixed.x.tolist()) == (False, [5, 5], [0, 3])

    def test_sojourn_times_are_aggregated_and_old_tables_have_none(self):
        result = ackclock.run(PROBED)
        found = {plot.title: plot for plot in panels(result, 30)}
        longest, mean = found["Sojourn time in the queue"].series
        assert (longest.label, longest.faint, mean.label) == ("bottleneck longest", True, "bottleneck mean")
        assert len(mean.x) == len(longest.x) == 31
        assert np.nanmax(longest.y) == result.links["queue_delay_max_ms"][0]
        assert (np.nan_to_num(mean.y) <= np.nan_to_num(longest.y)).all()
        columns = {name: result.queues[name].tolist() for name in ("time_s", "link", "packets", "bytes")}
        bare = {name: make_table(**columns) if name == "queues" else table for name, table in result.tables.items()}
        titles = [plot.title for plot in panels(make_result(1, **bare), 30)]
        assert "Queue" in titles
        assert "Sojourn time in the queue" not in titles
