"""Results in notebooks: tables whose heads have names and units, and whose cells are the numbers in these units."""

import re

import numpy as np
import pytest

import ackclock
from ackclock import stats
from tests.helpers.pages import BAD, Page
from tests.helpers.scenarios import SWEPT

JITTERED = SWEPT.replace('duration = "500ms"', 'duration = "500ms"\nname = "twice"')


@pytest.fixture(scope="module")
def runs():
    return ackclock.run(JITTERED, seeds=3)


def words(shown):
    return Page(shown._repr_html_()).words


def heads(shown):
    return re.findall(r"<th [^>]*>(.*?)</th>", shown._repr_html_())


class TestNotebook:
    def test_a_run(self, runs):
        text = words(runs[0])
        assert text.startswith("twice: 0.5 s, seed 1 flows Flow Stack Congestion control")
        assert "Goodput (Mbit/s)" in text
        assert "Utilisation (%)" in text
        assert f"{runs[0].flows['goodput_bps'][0] / 1e6:.4g}" in text
        assert f"{100 * runs[0].links['utilisation'][0]:.4g}" in text
        assert not [head for head in heads(runs[0]) if "_" in head]

    def test_replications(self, runs):
        text = words(runs)
        assert text.startswith("twice: 0.5 s, 3 seeds from 1; means with 95 % intervals flows Flow")
        mean = stats.mean([run.flows["goodput_bps"][0] for run in runs]).scaled(1e-6)
        assert f"{mean.value:.4g} [{mean.low:.4g}, {mean.high:.4g}]" in text
        assert not [head for head in heads(runs) if "_" in head]

    def test_intervals_of_replications_end_at_the_bounds(self):
        shares = {"utilisation": (0.0, 1.0), "drop_rate": (0.0, 1.0), "drops": (0.0, np.inf)}
        runs = ackclock.run(JITTERED, seeds=2, overrides={"flows[0].start_jitter": "400ms"})
        free = {name: stats.mean([run.links[name][0] for run in runs], level=0.999) for name in shares}
        assert any(one.low < shares[name][0] or one.high > shares[name][1] for name, one in free.items())
        (row, *_) = runs.summary(level=0.999)["links"]
        for name, (least, most) in shares.items():
            low, high = row[name]["ci"]
            assert least <= low <= high <= most

    def test_a_comparison(self, runs):
        compared = ackclock.compare(runs, ackclock.run(JITTERED, seeds=3, overrides={"bottleneck.delay": "20ms"}))
        text = words(compared)
        assert text.startswith("Measure Unit Treated Control Difference [95 %] Pairs Total goodput Mbit/s")
        one = compared["sum(flows.goodput_bps)"]
        scaled = one.difference.scaled(1e-6)
        assert f"{scaled.value:.4g} [{scaled.low:.4g}, {scaled.high:.4g}] 3" in text
        assert "Relative" not in text, "three pairs are too few"
        assert words(one).startswith("Difference [95 %] (bit/s) Pairs ")

    def test_a_relative_change_needs_twenty_pairs(self):
        control = np.arange(20) + 10.0
        few, many = (stats.compare(1.5 * control[:n] + control[:n] ** 2 / 100, control[:n]) for n in (19, 20))
        assert "Relative change" not in words(few)
        assert "Relative change [95 %]" in words(many)
        assert f"{100 * many.relative.value:.4g} [" in words(many)

    def test_a_store(self, tmp_path):
        grid = {"flows[0].cc": ["reno", "cubic"], "bottleneck.rate": ["2Mbps", "5Mbps"]}
        with ackclock.sweep(SWEPT, grid, seeds=2, out=tmp_path / "s") as store:
            estimates = store.estimates("links[bottleneck].utilisation")
            pairs = store.compare("flows[0].cc", "cubic", "reno", "links[bottleneck].utilisation")
        assert heads(estimates) == [
            "Point", "Congestion control of flow 0", "Rate of the bottleneck", "Utilisation at bottleneck (%) [95 %]",
            "Runs",
        ]  # fmt: skip
        assert f"0 reno 2Mbps {100 * estimates[0].estimate.value:.4g} [" in words(estimates)
        assert heads(pairs)[1] == "Difference: Utilisation at bottleneck (percentage points) [95 %]"
        assert f"2Mbps {100 * pairs[0].comparison.difference.value:.4g} [" in words(pairs)
        assert isinstance(estimates, list)

    def test_names_cannot_become_markup(self, tmp_path):
        grid = {BAD: {BAD: {"flows[0].cc": "reno"}, "b": {"flows[0].cc": "cubic"}}}
        with ackclock.sweep(SWEPT, grid, out=tmp_path / "s") as store:
            page = Page(store.estimates("flows.goodput_bps")._repr_html_())
        assert "x-bad" not in page.tags
        assert page.words.count(BAD) == 2
