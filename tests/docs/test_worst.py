"""The scenarios of the page of worst cases still do the damage that their heads state."""

import re

import numpy as np
import pytest

from ackclock import run
from ackclock.judge.card.measures import goodput
from ackclock.judge.worst.goals import FROM
from ackclock.scenario import check
from tests.helpers.places import ROOT

PATHS = sorted((ROOT / "docs/worst").glob("*.toml"))
PAGE = (ROOT / "docs/worst.md").read_text(encoding="utf-8")
POINTS = 3.0
"""Per cent of the capacity by which a damage may have moved without a new page."""


def test_the_page_has_every_scenario():
    assert len(PATHS) >= 9
    for path in PATHS:
        assert path.stem in PAGE, path
        assert '"/' not in path.read_text(encoding="utf-8"), f"{path.name} has a path of one machine"


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])
def test_a_find_repeats(path):
    head = path.read_text(encoding="utf-8")
    library = re.search(r'library = "([^"]+)"', head)
    if library is not None and not (path.parent / library[1]).exists():
        pytest.skip(f"{library[1]} is not built; `make quiche` builds it")
    stated = float(re.search(r"(?m)^# [^:]*: ([\d.]+) % with", head)[1])
    rate = float(re.search(r"has ([\d.]+) Mbit/s", head)[1])
    assert f"ackclock run {path.name} --seed 1" in head
    canonical = check(path)
    duration = float(canonical["duration"].removesuffix("s"))
    result = run(path, seed=1)
    start = FROM * duration
    if "Difference of the goodputs" in head:
        rates = [goodput(result, [name], start, duration) for name in ("flow", "other")]
        found = 100 * abs(rates[0] - rates[1]) / rate
    else:
        bursts = re.findall(r"Datagrams of ([\d.]+) Mbit/s cross for ([\d.]+) s from ([\d.]+) s", head)
        times = np.linspace(start, duration, 100_001)
        left = np.full(times.shape, rate)
        for burst, length, begin in (map(float, one) for one in bursts):
            left -= np.where((times >= begin) & (times < begin + length), burst, 0.0)
        found = 100 * (1 - goodput(result, ["flow"], start, duration) / left.mean())
    assert found == pytest.approx(stated, abs=POINTS), "python -m tools.worst makes the page anew"
