"""The runs of a sweep as columns, read from a document as ackclock writes it or from any other."""

import json

import numpy as np
import pytest

from ackclock.store.runs import Holders, Keys, Requested, Runs, split

RUNS = [["3b5e183f50ed1afa", 0, 1], ["cf2b0052440265ca", 1, 2**64 - 1], ["db875ac7eca5ca84", 0, 2]]


def document(runs, **more):
    return {"name": "x", "points": [{"runs": [1]}], **more, "runs": runs}


@pytest.mark.parametrize("indent", [2, None, 1])
@pytest.mark.parametrize("runs", [RUNS, RUNS * 30_000, []], ids=["few", "many", "none"])
def test_a_document_is_read_as_it_was_written(runs, indent):
    text = json.dumps(document(runs), indent=indent) + "\n"
    rest, (keys, points, seeds) = split(text)
    rest.pop("runs")
    assert rest == {"name": "x", "points": [{"runs": [1]}]}
    assert [*keys] == [key for key, _, _ in runs]
    assert points.tolist() == [point for _, point, _ in runs]
    assert seeds.tolist() == [seed for _, _, seed in runs]


@pytest.mark.parametrize(
    "run",
    [
        ["a", 0], ["a", 0, 1, 2], "abc", 5, None, [1, 0, 1], ["", 0, 1], ["a b", 0, 1], ["\0", 0, 1], ["a\0", 0, 1],
        ["é", 0, 1], ["a" * 65, 0, 1], ["a", -1, 1], ["a", 0, -1], ["a", 2**63, 1], ["a", 0, 2**64], ["a", True, 1],
        ["a", 1.0, 1], ["a", "1", 1], ["a", [0], 1],
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("indent", [2, None])
def test_runs_that_are_none(run, indent):
    for runs in ([run], [*RUNS, run], [run, *RUNS]):
        with pytest.raises((ValueError, TypeError)):
            split(json.dumps(document(runs), indent=indent) + "\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [("      0,", "      00,"), ("      1,", "      +1,"), ('5ca84",', '5ca84" ,x'), ("    ],", "    ]")],
)
def test_a_list_that_is_no_json(old, new):
    text = json.dumps(document(RUNS), indent=2) + "\n"
    assert old in text
    with pytest.raises(ValueError, match="not JSON"):
        split(text.replace(old, new, 1))


def test_two_lists_of_runs():
    text = json.dumps(document(RUNS), indent=2) + "\n"
    with pytest.raises(ValueError, match="twice"):
        split(text.replace('  "name"', '  "runs": [],\n  "name"'))


def test_columns_are_sequences():
    keys = Keys(key for key, _, _ in RUNS)
    runs = Runs(keys, np.array([0, 1, 0]), np.array([1, 2**64 - 1, 2], dtype=np.uint64), ["one", "two"])
    rows = [(key, point, seed, ("one", "two")[point]) for key, point, seed in RUNS]
    assert [*runs] == rows
    assert [runs[0], runs[-1]] == [rows[0], rows[-1]]
    assert [*runs[1:]] == rows[1:]
    asked = Requested(runs)
    assert [*asked] == RUNS
    assert json.dumps([*asked[:2]]) == json.dumps(RUNS[:2])
    assert [*keys[1:]] == [key for key, _, _ in RUNS[1:]]
    assert (RUNS[0][0] in keys, "other" in keys, 5 in keys, "é" in keys) == (True, False, False, False)


def test_the_parts_that_hold_a_run():
    holders = Holders([Keys(["a", "b"]), Keys([]), Keys(["c"]), Keys(["b", "d"])])
    assert holders.of(Keys(["b"]).column) == [0, 3]
    assert holders.of(Keys(["d", "c", "e"]).column) == [2, 3]
    assert holders.of(Keys([]).column) == []
    assert Holders([]).of(Keys(["a"]).column) == []
