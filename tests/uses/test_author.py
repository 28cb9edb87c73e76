"""The author of a paper: a population of paths, a table and a figure, and a pack that a reviewer repeats."""

import csv
import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

import ackclock
from tests.helpers.terminal import Terminal
from tests.uses.pages import words

pytestmark = pytest.mark.slow

SCENARIO = """\
name = "paths"
duration = "3s"

[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"

[[flows]]
name = "mine"
cc = "reno"
app = "bulk"
start_jitter = "300ms"

[[flows]]
name = "rival"
cc = "cubic"
app = "bulk"
start_jitter = "300ms"
"""
MEASURE = "flows[mine].goodput_bps"
SWEEP = (
    "ackclock sweep paths.toml --points paths.csv --vary flows.mine.cc=reno,cubic --out out/paths"
    f" --of '{MEASURE}' --until ci=20%,least=3,most=8"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("author")


@pytest.fixture(scope="module")
def shell(folder):
    with Terminal(folder) as one:
        one.write("paths.toml", SCENARIO)
        one.write("paths.csv", "bottleneck.rate,weight\n2Mbps,0.25\n8Mbps,0.75\n")
        yield one


@pytest.fixture(scope="module")
def paper(shell, folder):
    """The files of the paper, and the pack. The folder with the scenario and the store is gone afterwards."""
    told = shell.run(SWEEP)
    assert "population: means weighted by the points' weights" in told
    with ackclock.open(folder / "out" / "paths") as store:
        points = {tuple(one.params.values()): one.estimate for one in store.estimates(MEASURE)}
        weighted = {one.params["flows.mine.cc"]: one.estimate for one in store.population(MEASURE)}
    for one in points.values():
        # Narrow enough, or as many seeds as were allowed.
        assert one.n == 8 or (one.high - one.low) / 2 <= 0.2 * one.value
        assert 3 <= one.n <= 8
    for cc in ("reno", "cubic"):
        slow, fast = points[("2Mbps", cc)], points[("8Mbps", cc)]
        assert weighted[cc].value == pytest.approx(0.25 * slow.value + 0.75 * fast.value)

    told = shell.run(
        f"ackclock compare out/paths --against flows.mine.cc=reno --of '{MEASURE}' --latex t.tex --csv t.csv"
    )
    assert "3 comparisons; after Holm's correction" in told
    shell.run("ackclock plot paths.toml window --out window.pdf")
    shell.run("ackclock export out/paths --table flows --out flows.csv")
    runs = sum(one.n for one in points.values())
    assert f"paths.zip: {runs} runs" in shell.run("ackclock pack out/paths --without-wheel")
    kept = folder.parent / f"{folder.name}-paper"
    kept.mkdir()
    for name in ("t.tex", "t.csv", "window.pdf", "flows.csv", "paths.zip"):
        shutil.copy(folder / name, kept)
    # The same command runs nothing again: the table of the paper does not move.
    before = {path: path.stat().st_mtime_ns for path in (folder / "out" / "paths").rglob("*.parquet")}
    shell.run(SWEEP)
    assert {path: path.stat().st_mtime_ns for path in (folder / "out" / "paths").rglob("*.parquet")} == before
    shell.run("rm -r out paths.toml paths.csv")
    return kept, runs


def test_an_author_gets_the_table_and_the_figure_of_a_paper(paper):
    kept, runs = paper
    with (kept / "t.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["bottleneck.rate"] for row in rows] == ["2Mbps", "8Mbps", ""]
    with (kept / "flows.csv").open(encoding="utf-8", newline="") as file:
        flows = [row for row in csv.DictReader(file) if row["flow"] == "mine"]
    assert len(flows) == runs
    # The difference at a point, from the exported table: pairs of runs with the same seed.
    by = {(row["bottleneck.rate"], row["flows.mine.cc"], row["seed"]): float(row["goodput_bps"]) for row in flows}
    for row in rows[:2]:
        rate = row["bottleneck.rate"]
        seeds = [seed for (one, cc, seed) in by if (one, cc) == (rate, "cubic") and (rate, "reno", seed) in by]
        pairs = [by[rate, "cubic", seed] - by[rate, "reno", seed] for seed in seeds]
        assert float(row["n"]) == len(pairs) >= 3
        assert float(row["difference"]) == pytest.approx(sum(pairs) / len(pairs))
        assert float(row["difference low"]) < float(row["difference"]) < float(row["difference high"])
    latex = (kept / "t.tex").read_text(encoding="utf-8")
    assert latex.count("\\\\") == 1 + len(rows)
    assert "& 2Mbps & cubic & " in latex
    assert "\\bottomrule" in latex
    pdf = (kept / "window.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert b"/Font" in pdf


def test_a_reviewer_repeats_the_pack_without_the_sources(paper, shell):
    kept, runs = paper
    place = kept / "elsewhere"
    place.mkdir()
    # Installed files alone, as a wheel puts them in a folder of packages.
    installed = place / "packages" / "ackclock"
    shutil.copytree(Path(ackclock.__file__).parent, installed, ignore=shutil.ignore_patterns("__pycache__"))
    clean = f"cd {place} && env -i PATH=/usr/bin:/bin PYTHONPATH={installed.parent} {sys.executable} -m ackclock"
    assert f"paths.zip: {runs} of {runs} runs gave the same results" in shell.run(f"{clean} verify {kept}/paths.zip")
    assert f"{installed}" in shell.run(f"{clean.partition(' -m ')[0]} -c 'import ackclock; print(ackclock.__file__)'")

    # Somebody has changed one result.
    def digest_of_another(document):
        run = min(document["results"])
        document["results"][run]["flows"] = "0" * 64

    tampered(kept / "paths.zip", place / "changed.zip", digest_of_another)
    told = words(shell.run(f"{clean} verify changed.zip --most {runs}", status=1))
    # The runs of the store come out as they did, and the digest is not theirs.
    assert "ackclock-pack.json: is not what follows from the store: results" in told
    (place / "cut.zip").write_bytes((kept / "paths.zip").read_bytes()[:-100])
    assert "Traceback" not in shell.run(f"{clean} verify cut.zip", status=2)


def tampered(pack, target, change):
    """Writes a copy of a pack with a change to its document."""
    with zipfile.ZipFile(pack) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "ackclock-pack.json":
                document = json.loads(data)
                change(document)
                data = json.dumps(document).encode()
            new.writestr(name, data)
