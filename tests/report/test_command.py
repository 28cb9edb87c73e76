"""`ackclock report` on a store: the page, the choice of measures and sweeps, and what is refused."""

import json

import pytest

import ackclock
from ackclock.cli import main
from ackclock.report.experiment import seed_ranges
from tests.helpers.pages import BAD, Page
from tests.helpers.scenarios import PROBED


class TestCommand:
    def test_the_page_has_all_that_was_run(self, made):
        page = Page((made / "report.html").read_text(encoding="utf-8"))
        for words in (
            "a small sweep", "24 runs of 12 points", "flows[0].cc", "reno, cubic", "1, 2", "24 of 24 have finished",
            "Difference: Goodput of one", "Time stalled per flow (s)", "Mean queueing delay at bottleneck (ms)",
            "Throughput against delay", "Completion times", "One-way delays",
            "Over time", "What is left out", "ackclock report", "queue = \"1bdp\"",
        ):  # fmt: skip
            assert words in page.words, words
        assert page.loads == []
        assert (made / "report.html").stat().st_size < 1_000_000

    def test_numbers_are_those_of_the_store(self, made, tmp_path, capsys):
        target = tmp_path / "one.html"
        status = main(["report", str(made), "--of", "sum(flows.goodput_bps)", "--out", str(target), "--json"])
        document = json.loads(capsys.readouterr().out)
        assert status == 0
        assert document["measures"] == ["sum(flows.goodput_bps)"]
        assert document["bytes"] == target.stat().st_size
        with ackclock.open(made) as store:
            estimate = store.estimates("sum(flows.goodput_bps)")[0].estimate.scaled(1e-6)
        words = Page(target.read_text(encoding="utf-8")).words
        assert f"{estimate.value:.4g} [{estimate.low:.4g}, {estimate.high:.4g}]" in words

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--against", "flows[0].cc=bbr"], "flows[0].cc is reno, cubic"),
            (["--against", "speed=1"], "that is flows[0].cc, bottleneck.rate"),
            (["--of", "flows.goodput"], "table flows has no column goodput; there are run, flow"),
            (["--of", "nonsense"], "not a column of a table"),
            (["--sweep", "mine"], "no sweep 'mine'"),
            (["--out", "nowhere/x.html"], "is no folder"),
            (["--out", "."], "a folder; name the file"),
        ],
    )
    def test_what_is_refused(self, made, arguments, told, capsys):
        assert main(["report", str(made), *arguments]) == 2
        error = capsys.readouterr().err
        assert told in error
        assert "Traceback" not in error

    def test_a_store_that_is_missing_is_named_and_not_the_file_to_write(self, tmp_path, capsys):
        assert main(["report", str(tmp_path / "nowhere")]) == 2
        error = capsys.readouterr().err
        assert "nowhere: no store; `ackclock sweep SCENARIO --out" in error
        assert "report.html" not in error

    def test_a_name_without_an_ending_gets_one(self, made, capsys):
        assert main(["report", str(made), "--out", str(made / "mine.v2"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["report"] == str(made / "mine.v2.html")
        assert (made / "mine.v2.html").is_file()
        assert not (made / "mine.v2").exists()

    def test_one_run_alone_has_its_numbers_in_the_table(self, tmp_path, capsys):
        ackclock.sweep(PROBED, out=tmp_path / "one").close()
        assert main(["report", str(tmp_path / "one"), "--json"]) == 0
        figures = json.loads(capsys.readouterr().out)["figures"]
        assert figures == ["Completion times", "One-way delays", "Over time"]
        page = Page((tmp_path / "one" / "report.html").read_text(encoding="utf-8"))
        assert "1 run of 1 point; ackclock" in page.words
        assert "The question What is the time stalled per flow in the scenario a small sweep?" in page.words
        assert "Goodput of one (Mbit/s)" in page.words

    def test_numbers_that_no_seed_moves_are_told(self, tmp_path):
        grid = {"flows[0].start_jitter": ["0ms", "100ms"]}
        short = {"duration": "1s", "flows[1].start_jitter": "0ms"}
        told = "so that the interval means nothing: Goodput of one (points: 1), Timeouts per flow (points: 2)."
        for seeds in (2, 1):
            out = tmp_path / str(seeds)
            ackclock.sweep(PROBED, grid, seeds=seeds, overrides=short, out=out).close()
            assert main(["report", str(out), "--of", "flows[one].goodput_bps", "--of", "flows.timeouts"]) == 0
            words = Page((out / "report.html").read_text(encoding="utf-8")).words
            assert (told in words) is (seeds == 2), "one run has no interval"

    def test_a_truth_value_is_written_as_in_the_scenario(self, tmp_path, capsys):
        grid = {"flows[0].sack": [True, False], "bottleneck.rate": ["2Mbps", "4Mbps"]}
        ackclock.sweep(PROBED, grid, seeds=2, out=tmp_path / "s", overrides={"duration": "1s"}).close()
        report = ["report", str(tmp_path / "s"), "--of", "flows.goodput_bps", "--json", "--against"]
        assert main([*report, "flows[0].sack=true"]) == 0
        assert "Difference: Goodput per flow" in json.loads(capsys.readouterr().out)["figures"]

    def test_what_a_run_wrote_is_no_store(self, tmp_path, capsys):
        ackclock.run(PROBED, overrides={"duration": "1s"}).write(tmp_path)
        assert main(["report", str(tmp_path)]) == 2
        assert "what `ackclock run` wrote, no store" in capsys.readouterr().err

    def test_a_folder_that_is_none(self, tmp_path, capsys):
        assert main(["report", str(tmp_path)]) == 2
        assert "no store" in capsys.readouterr().err
        assert not (tmp_path / "report.html").exists()

    def test_several_sweeps_are_named(self, made, tmp_path, capsys):
        import shutil

        both = shutil.copytree(made, tmp_path / "both")
        ackclock.sweep(PROBED, {"flows[0].cc": ["reno"]}, overrides={"duration": "1s"}, out=both).close()
        assert main(["report", str(both)]) == 2
        assert "choose it with --sweep" in capsys.readouterr().err
        with ackclock.open(both) as store:
            second = store.sweeps[1].id
        assert main(["report", str(both), "--sweep", second]) == 0

    def test_names_of_a_sweep_cannot_become_markup(self, tmp_path, monkeypatch):
        bad = f"bad{BAD}"
        monkeypatch.setattr("sys.argv", ["ackclock", "sweep", "<x-bad>"])

        @ackclock.congestion_control("breaks")
        class Breaks(ackclock.CongestionControl):
            def on_ack(self, *_):
                raise ZeroDivisionError(BAD)

            on_congestion = on_timeout = on_ack

        settings = {bad: {"flows[0].cc": "reno"}, "b": {"flows[0].cc": "cubic"}, "c": {"flows[0].cc": "breaks"}}
        grid = {bad: settings, "bottleneck.rate": ["2Mbps", "4Mbps"], "bottleneck.queue": ["1bdp", "2bdp"]}
        out = tmp_path / "<x-bad>"
        ackclock.sweep(f"# {bad}\n{PROBED}", grid, seeds=2, out=out, overrides={"duration": "1s"}).close()
        assert main(["report", str(out), "--against", f"{bad}={bad}"]) == 0
        page = Page((out / "report.html").read_text(encoding="utf-8"))
        assert "x-bad" not in page.tags
        assert "Made with ackclock sweep '<x-bad>'" in page.words
        assert "Runs that failed: 8" in page.words
        assert page.words.count(BAD) > 20
        assert {bad, "b"} == {series["label"] for series in page.plots[0]["series"]}

    def test_tables_are_bounded(self, tmp_path, monkeypatch, capsys):
        @ackclock.congestion_control("breaks")
        class Breaks(ackclock.CongestionControl):
            def on_ack(self, *_):
                raise ZeroDivisionError("on purpose")

            on_congestion = on_timeout = on_ack

        monkeypatch.setattr("ackclock.report.experiment.MOST_ROWS", 1)
        monkeypatch.setattr("ackclock.report.experiment.MOST_FAILURES", 2)
        grid = {"flows[0].cc": ["breaks", "reno"]}
        ackclock.sweep(PROBED, grid, seeds=3, out=tmp_path / "s", overrides={"duration": "1s"}).close()
        assert main(["report", str(tmp_path / "s"), "--json"]) == 0
        assert "Points in the table: 1 of 2." in json.loads(capsys.readouterr().out)["left_out"]
        page = Page((tmp_path / "s" / "report.html").read_text(encoding="utf-8"))
        assert "Points: 1 Point" in page.words
        assert "Runs that failed: 3" in page.words
        assert "and 1 more." in page.words
        assert page.words.count("on purpose") == 2

    @pytest.mark.parametrize(
        ("seeds", "told"),
        [([1], "1"), ([1, 2], "1, 2"), ([4, 5, 6], "4 to 6"), ([1, 2, 4], "1, 2, 4"), ([1, 3, 5], "1, 3, 5")],
    )
    def test_seeds_are_told_as_they_are(self, seeds, told):
        assert seed_ranges(seeds) == told

    def test_failures_are_told(self, tmp_path):
        grid = {"flows[0].cc": ["reno", "breaks"]}

        @ackclock.congestion_control("breaks")
        class Breaks(ackclock.CongestionControl):
            def on_ack(self, *_):
                raise ZeroDivisionError("on purpose")

            on_congestion = on_timeout = on_ack

        with ackclock.sweep(PROBED, grid, out=tmp_path / "s", overrides={"duration": "1s"}) as store:
            failed = store.failed
        assert failed == 1
        assert main(["report", str(tmp_path / "s")]) == 0
        words = Page((tmp_path / "s" / "report.html").read_text(encoding="utf-8")).words
        assert "1 failed" in words
        assert "Runs that failed: 1" in words
        assert "1 breaks 0 of 1 - - " in words
        assert "on purpose" in words

    def test_a_change_says_from_what(self, made):
        words = Page((made / "report.html").read_text(encoding="utf-8")).words
        change = "The mean difference from Congestion control of one = reno, over runs of the same seeds"
        assert f"{change}, against the rate of the bottleneck" in words
        assert f"{change}, in Mbit/s. Of a number in parentheses the 95 % interval holds zero." in words
        assert "The mean over the seeds, in Mbit/s." in words
