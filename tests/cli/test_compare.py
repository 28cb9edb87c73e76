"""`ackclock compare STORE --against`: what is compared, the formats, and wrong options."""

import csv
import json

import numpy as np
import pytest
from scipy import stats as scipy_stats

import ackclock
from ackclock.cli import main
from tests.helpers.scenarios import SWEPT

GOODPUT, DROPS = "flows.goodput_bps", "links[bottleneck].drop_rate"
GRID = {"flows[0].cc": ["reno", "cubic", "vegas"], "bottleneck.rate": ["2Mbps", "4Mbps"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A store with 24 pairs at every point."""
    out = tmp_path_factory.mktemp("compare") / "store"
    ackclock.sweep(SWEPT, GRID, seeds=24, out=out, name="controls").close()
    return out


def compared(folder, capsys, *options):
    assert main(["compare", str(folder), "--against", "flows[0].cc=reno", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_other_value_is_compared_at_every_point(folder, capsys):
    document = compared(folder, capsys, "--of", GOODPUT, "--of", DROPS)
    rows = document["comparisons"]
    assert (document["name"], document["level"], document["tests"]) == ("controls", 0.95, len(rows))
    assert [(row["measure"], row["treated"], row["params"]["bottleneck.rate"]) for row in rows] == [
        (measure, treated, rate)
        for measure in (GOODPUT, DROPS)
        for treated in ("cubic", "vegas")
        for rate in ("2Mbps", "4Mbps")
    ]
    assert {row["control"] for row in rows} == {"reno"}
    assert [row["unit"] for row in rows] == ["bps"] * 4 + [""] * 4


def test_numbers_are_those_of_the_paired_t_test_and_of_holm(folder, capsys):
    rows = compared(folder, capsys, "--of", GOODPUT, "--level", "0.9")["comparisons"]
    with ackclock.open(folder) as store:
        values = {tuple(one.params.values()): one.values for one in store.values(GOODPUT)}
    p_values = []
    for row in rows:
        rate = row["params"]["bottleneck.rate"]
        treated, control = values[row["treated"], rate], values["reno", rate]
        test = scipy_stats.ttest_rel(treated, control)
        low, high = test.confidence_interval(0.9)
        assert (row["difference"]["mean"], row["difference"]["n"]) == (pytest.approx((treated - control).mean()), 24)
        assert row["difference"]["ci"] == pytest.approx([low, high])
        assert row["control_mean"] == pytest.approx(control.mean())
        assert row["relative"]["mean"] == pytest.approx(treated.mean() / control.mean() - 1)
        assert row["p"] == pytest.approx(test.pvalue)
        p_values.append(test.pvalue)
    order = np.argsort(p_values)
    adjusted = np.maximum.accumulate([min(1, (4 - rank) * p_values[place]) for rank, place in enumerate(order)])
    assert [rows[place]["holm"]["p"] for place in order] == pytest.approx(list(adjusted))
    assert [rows[place]["holm"]["differs"] for place in order] == [bool(p <= 0.1) for p in adjusted]
    assert rows[order[0]]["holm"]["level"] == pytest.approx(1 - 0.1 / 4)


def test_a_relative_change_needs_twenty_pairs(tmp_path, capsys):
    ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, seeds=19, out=tmp_path / "s").close()
    (row,) = compared(tmp_path / "s", capsys, "--of", GOODPUT)["comparisons"]
    assert (row["relative"], row["difference"]["n"]) == (None, 19)
    assert main(["compare", str(tmp_path / "s"), "--against", "flows[0].cc=reno", "--of", GOODPUT]) == 0
    assert "a relative change needs 20 pairs" in capsys.readouterr().out


def test_text_says_how_many_comparisons_there_are(folder, capsys):
    assert main(["compare", str(folder), "--against", "flows[0].cc=reno", "--of", GOODPUT]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("controls: differences from flows[0].cc = reno, over runs of the same seeds\n")
    assert "4 comparisons; after Holm's correction" in printed
    assert "of 4 intervals, about 0.2 miss the truth by chance" in printed
    assert "a relative change needs" not in printed


def test_what_no_seed_moves_is_told_and_not_tested(tmp_path, capsys):
    fixed = {"flows[0].start_jitter": "0ms"}
    vary = {"flows[0].cc": ["reno", "cubic"]}
    ackclock.sweep(SWEPT, vary, seeds=2, overrides=fixed, out=tmp_path / "s").close()
    arguments = ["compare", str(tmp_path / "s"), "--against", "flows[0].cc=reno", "--of", GOODPUT]
    assert main(arguments) == 0
    found = capsys.readouterr()
    assert "0 comparisons" in found.out
    assert "the same difference under all seeds in 1 of 1 comparisons: nothing that the seed decides" in found.err


def test_failed_runs_are_left_out_and_told(tmp_path, capsys):
    def measure(result):
        if result.seed == 2 and result.flows["cc"][0].startswith("cubic"):
            raise RuntimeError("no luck")
        return {"x": float(result.seed) ** 2 if result.flows["cc"][0].startswith("cubic") else 1.0}

    vary = {"flows[0].cc": ["reno", "cubic"]}
    ackclock.sweep(SWEPT, vary, seeds=4, out=tmp_path / "s", measure=measure).close()
    assert main(["compare", str(tmp_path / "s"), "--against", "flows[0].cc=reno", "--of", "measures.x", "--json"]) == 0
    found = capsys.readouterr()
    (row,) = json.loads(found.out)["comparisons"]
    assert row["difference"]["n"] == 3
    assert row["difference"]["mean"] == pytest.approx((0 + 8 + 15) / 3)
    assert "1 of 8 runs failed or are missing; their pairs are left out" in found.err


def test_files_have_the_same_numbers_as_json(folder, tmp_path, capsys):
    files = ["--csv", str(tmp_path / "c.csv"), "--latex", str(tmp_path / "c.tex")]
    rows = compared(folder, capsys, "--of", GOODPUT, *files)["comparisons"]
    with (tmp_path / "c.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert len(written) == len(rows) == 4
    for row, line in zip(rows, written, strict=True):
        assert line["bottleneck.rate"] == row["params"]["bottleneck.rate"]
        assert (line["treated"], line["control"], line["unit"]) == (row["treated"], "reno", "bps")
        assert float(line["difference"]) == row["difference"]["mean"]
        assert [float(line[f"difference {end}"]) for end in ("low", "high")] == row["difference"]["ci"]
        assert float(line["holm p"]) == row["holm"]["p"]
        assert line["differs"] == ("yes" if row["holm"]["differs"] else "no")
    latex = (tmp_path / "c.tex").read_text()
    assert "p is Holm's for 4 comparisons" in latex
    body = latex.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
    assert len(body) == 4
    assert all(line.count("&") == latex.count("&", 0, latex.index("\\midrule")) for line in body)
    assert body[0].startswith("Goodput per flow (Mbit/s) & 2Mbps & cubic & ")


def test_export_writes_the_same_tables(folder, tmp_path, capsys):
    compared(folder, capsys, "--of", GOODPUT, "--csv", str(tmp_path / "a.csv"), "--latex", str(tmp_path / "a.tex"))
    for suffix in ("csv", "tex"):
        out = tmp_path / f"b.{suffix}"
        command = ["export", str(folder), "--against", "flows[0].cc=reno", "--of", GOODPUT, "--out", str(out)]
        assert main(command) == 0
        assert capsys.readouterr().out == f"{out}: 4 rows\n"
        assert out.read_text() == (tmp_path / f"a.{suffix}").read_text()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "say with what to compare, for example --against 'flows[0].cc=reno'"),
        (["--against", "flows[0].c=reno"], 'did you mean "flows[0].cc"?'),
        (["--against", "flows[0].cc=ren"], 'flows[0].cc is reno, cubic, vegas; did you mean "reno"?'),
        (["--against", "flows[0].cc=reno", "--backends", "sim"], "leave out --backends"),
        (["--against", "flows[0].cc=reno", "--seeds", "3", "--fail"], "leave out --seeds, --fail"),
        (["--against", "flows[0].cc=reno", "--level", "95"], "--level 95: expected a confidence between 0 and 1"),
        (["--against", "flows[0].cc=reno", "--of", "flows.goodputt"], "goodput_bps"),
        (["--against", "flows[0].cc=reno", "--sweep", "nothing"], "no sweep 'nothing'"),
    ],
)
def test_wrong_options(folder, capsys, arguments, told):
    assert main(["compare", str(folder), *arguments]) == 2
    found = capsys.readouterr()
    assert told in found.err
    assert found.out == ""


def test_a_scenario_and_a_folder_that_is_no_store(tmp_path, capsys, scenario_file):
    for arguments, told in (
        ([str(scenario_file)], "expected --against PATH=VALUE and a store, or --backends and a scenario"),
        ([str(scenario_file), "--against", "a=b"], "no store; `ackclock sweep"),
        ([str(scenario_file), "--backends", "sim,linux", "--csv", "x.csv"], "leave out --csv"),
        ([str(tmp_path / "none"), "--against", "a=b"], "no store"),
    ):
        assert main(["compare", *arguments]) == 2
        assert told in capsys.readouterr().err


def test_two_sweeps_need_a_choice(tmp_path, capsys):
    out = tmp_path / "s"
    ackclock.sweep(SWEPT, {"flows[0].cc": ["reno", "cubic"]}, seeds=2, out=out, name="controls").close()
    ackclock.sweep(SWEPT, {"bottleneck.queue": ["1bdp", "2bdp"]}, seeds=2, out=out, name="buffers").close()
    command = ["compare", str(out), "--against", "flows[0].cc=reno", "--of", GOODPUT]
    assert main(command) == 2
    assert "choose a sweep with --sweep; there are controls" in capsys.readouterr().err
    assert main([*command, "--sweep", "controls"]) == 0
