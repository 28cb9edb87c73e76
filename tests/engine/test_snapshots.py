"""Whole tables of results are as recorded. A change that moves them has an entry in docs/history.md."""

import pytest

from tools import snapshots


@pytest.mark.parametrize("name", snapshots.SNAPSHOTS)
def test_a_table_of_results_is_the_recorded_one(name):
    recorded = (snapshots.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert snapshots.SNAPSHOTS[name]() == recorded, "results moved: docs/history.md, then python -m tools.snapshots"


def test_no_other_table_is_recorded():
    assert {path.stem for path in snapshots.FOLDER.iterdir()} == set(snapshots.SNAPSHOTS)
