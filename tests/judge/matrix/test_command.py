"""The command matrix: its table, its files, its store, rows of one's own and its messages."""

import json
import re

import pytest

from ackclock.cli import main
from ackclock.sweeps.local import Threads

SHORT = ("--network", "8Mbps,50ms,1bdp", "--duration", "10", "--seeds", "2", "--threads", "1")


def run(capsys, *arguments):
    """Exit status, standard output and standard error of a command line."""
    status = main(["matrix", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def missing(monkeypatch):
    """The numbers of runs that stores lack and that are made from now on, one for each round."""
    counts = []
    made = Threads.run

    def counted(self, plan, runs, *rest):
        counts.append(len(list(runs)))
        return made(self, plan, runs, *rest)

    monkeypatch.setattr(Threads, "run", counted)
    return counts


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("matrix") / "out"
    assert main(["matrix", "reno", "vegas", *SHORT, "--out", str(place)]) == 0
    return place


def test_the_folder_has_a_page_a_document_tables_and_the_store(folder):
    assert {path.name for path in folder.iterdir()} == {
        "ackclock.json", "matrix.html", "matrix.json", "matrix.md", "runs"
    }  # fmt: skip
    text = (folder / "matrix.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', text) == []
    assert "8 Mbit/s, 50 ms, 1 BDP" in text
    assert "first 2 s do not count" in text


def test_the_shares_of_a_pair_add_up(folder):
    document = json.loads((folder / "matrix.json").read_text(encoding="utf-8"))
    share = {(cell["row"], cell["column"]): cell["share"]["mean"] for cell in document["cells"]}
    assert share["reno", "vegas"] + share["vegas", "reno"] == pytest.approx(100)
    # Vegas yields to Reno in a queue that Reno fills (Mo, La, Anantharam, Walrand, INFOCOM 1999).
    assert share["reno", "vegas"] > 60
    assert document["seeds"] == [1, 2]
    assert document["command"] == ("ackclock matrix reno vegas --network 8Mbps,50ms,1bdp --duration 10 --seeds 2")


def test_a_second_start_runs_nothing_and_gives_the_same(capsys, folder, monkeypatch):
    before = (folder / "matrix.json").read_bytes()

    counts = missing(monkeypatch)
    status, _, _ = run(capsys, "reno", "vegas", *SHORT, "--out", str(folder))
    assert status == 0
    assert counts == [0]
    assert (folder / "matrix.json").read_bytes() == before


def test_ones_own_has_a_row_from_the_same_store(capsys, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "cc", "my-reno"]) == 0
    capsys.readouterr()
    counts = missing(monkeypatch)
    own = ("--against", "my-reno", "--load", "my_reno.py", "--out", str(folder))
    status, out, _ = run(capsys, "reno", "vegas", *SHORT, *own, "--json")
    assert status == 0
    document = json.loads(out)
    # The own one alone, beside itself and beside both, under two seeds; the store has the others.
    assert counts == [2 * 4]
    assert {cell["row"] for cell in document["cells"]} == {"my-reno"}
    shares = {cell["column"]: cell["share"]["mean"] for cell in document["cells"]}
    assert set(shares) == {"reno", "vegas", "my-reno"}
    assert all(0 < share < 100 for share in shares.values())
    page = (folder / "matrix.html").read_text(encoding="utf-8")
    assert "beside each" in page


def test_threads_change_nothing(capsys, folder):
    short = [*SHORT[:-1], "2"]
    status, out, _ = run(capsys, "reno", "vegas", *short, "--json")
    assert status == 0
    values = json.loads(out)["cells"]
    status, out, _ = run(capsys, "reno", "vegas", *SHORT, "--json")
    assert json.loads(out)["cells"] == values


def test_the_table_has_a_row_for_each_contestant(capsys, folder, tmp_path):
    status, out, err = run(capsys, "vegas", *SHORT)
    assert status == 0
    assert "2 scenarios, 4 runs of 40 s of network time in all" in err
    assert "8 Mbit/s, 50 ms, 1 BDP: Share of the row" in out
    assert re.search(r"(?m)^ vegas +\d+ *$", out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cubik",), "cubik: there is no congestion control cubik"),
        (("quin:cubic",), "quin:cubic: there is no transport quin"),
        (("quinn:cubik",), "cubik"),
        (("reno", "--network", "8Mbps,50ms"), "network 8Mbps,50ms: expected RATE,RTT,BUFFER"),
        (("reno", "--network", "fast,50ms,1bdp"), "network fast,50ms,1bdp"),
        (("reno", "--seeds", "0"), "--seeds 0: expected 1 to 1000"),
        (("reno", "--duration", "0"), "--duration 0: expected seconds from 1"),
        (("reno", "--duration", "10", "--warm-up", "10"), "--warm-up 10: expected seconds"),
        (("reno", "--field", "ecn=classic"), "give --against"),
        (("reno", "--library", "x.so"), "--library needs --transport"),
        (("reno", "--against", "cubic", "--transport", "quinn", "--field", "ecn=l4s"), "exclude each other"),
        (("reno", "--threads", "0"), "--threads 0"),
    ],
)
def test_wrong_requests_are_told_and_nothing_is_written(capsys, tmp_path, arguments, said):
    place = tmp_path / "out"
    status, out, err = run(capsys, *arguments, "--out", str(place))
    assert status == 2
    assert said in err
    assert "Traceback" not in err
    assert out == ""
    assert not (place / "matrix.html").exists()


def test_a_folder_of_others_is_left_alone(capsys, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    status, _, err = run(capsys, "reno", *SHORT, "--out", str(tmp_path))
    assert status == 2
    assert "thesis.txt" in err
