"""The null readings of the studies of the decks remove mechanisms: then the variants of a pair are one scenario."""

import numpy as np
import pytest

from ackclock.scenario import Text
from ackclock.studies import (
    freebsd_newcwv,
    freebsd_prr,
    irto,
    iw10,
    iw10_aqm,
    munir_fairness,
    remy,
    response_functions,
    satellite,
    transocean,
)
from ackclock.studies.framework import Lab, Reading, Variant, hash_of
from ackclock.studies.framework.lab import Experiment
from ackclock.studies.framework.setups.wireless_bursts import cells, windows
from ackclock.studies.freebsd_newcwv import readings as bursts
from ackclock.studies.freebsd_prr import readings as transfers
from ackclock.studies.irto import verdicts as timers
from ackclock.studies.iw10_aqm import queues
from ackclock.studies.remy import readings as schemes
from ackclock.studies.satellite import cells as orbit
from ackclock.studies.transocean import cells as ocean
from tests.helpers.scenarios import SMALL
from tests.helpers.tables import make_result

CELL = queues.CELLS[0]
FIFO = queues.FIFO_CELLS[0]


def scenarios(study, reading, variants, null):
    """The hashes of the scenarios of a reading with each variant, with a mechanism removed; every one is valid."""
    found = []
    for one in variants:
        overrides = {**reading.overrides, **one.overrides}
        removed = study.STUDY.nulls[null](overrides)
        kept = {path: value for path, value in overrides.items() if path not in removed}
        found.append(hash_of(Reading("", reading.scenario, {**kept, **removed}), Variant("", "")))
    return found


def reading(study, name="scenario.toml", **overrides):
    return Reading("main", study.STUDY.scenario(name), overrides)


SFQ = tuple(one for one in schemes.SCHEMES if not one.name.startswith("remy"))


@pytest.mark.parametrize(
    ("study", "null", "reading", "variants"),
    [
        (irto, "initial RTO of 3 s", cells.reading(cells.CELLS[0]), timers.PAIRS[10]),
        (irto, "initial RTO of 3 s", cells.reading(cells.CELLS[0]), timers.PAIRS[3]),
        (irto, "IW10 off", cells.reading(cells.CELLS[0]), [pair[0] for pair in timers.PAIRS.values()]),
        (iw10, "IW10 off", cells.reading(cells.CELLS[0]), windows.VARIANTS),
        (iw10_aqm, "IW10 off", cells.reading(CELL, choices=queues.CHOICES), windows.VARIANTS),
        (freebsd_newcwv, "newCWV off", reading(freebsd_newcwv), (bursts.STOCK, bursts.NEWCWV, bursts.RFC)),
        (freebsd_newcwv, "newCWV and PRR off", reading(freebsd_newcwv), (bursts.STOCK, bursts.NEWCWV, bursts.PRR)),
        (freebsd_prr, "PRR off", reading(freebsd_prr), transfers.VARIANTS),
        (transocean, "every variant NewReno", reading(transocean), ocean.VARIANTS),
        (satellite, "every variant NewReno", reading(satellite), orbit.VARIANTS),
        (remy, "every scheme NewReno", reading(remy), SFQ),
        (
            response_functions,
            "every algorithm Reno",
            reading(response_functions),
            [Variant(cc, cc, {"flows[0].cc": cc}) for cc in ("reno", "cubic", "highspeed", "scalable")],
        ),
    ],
)
def test_without_the_mechanism_variants_are_one_scenario(study, null, reading, variants):
    assert len({hash_of(reading, one) for one in variants}) == len(variants)
    assert len(set(scenarios(study, reading, variants, null))) == 1


def test_red_without_its_drops_is_a_fifo_queue_of_the_same_buffer():
    text = cells.reading(CELL, choices=queues.CHOICES)
    removed = iw10_aqm.STUDY.nulls["RED off"](text.overrides)
    packets = int(str(text.overrides["bottleneck.queue"]["limit"]).split()[0])
    assert all(value > 1000 * packets for value in removed.values())
    assert len(scenarios(iw10_aqm, text, windows.VARIANTS, "RED off")) == 2
    assert iw10_aqm.STUDY.nulls["RED off"](cells.reading(FIFO).overrides) == {}


def test_without_prr_recovery_is_that_of_the_stock_of_the_reading():
    sack = {**bursts.PRR.overrides, "flows[0].recovery": "sack"}
    assert bursts.prr_off(sack)["flows[*].recovery"] == "sack"
    assert bursts.prr_off(bursts.PRR.overrides)["flows[*].recovery"] == "freebsd-sack"


def test_without_the_others_all_eighty_flows_are_newreno():
    removed = munir_fairness.STUDY.nulls["every flow NewReno"]({})
    assert set(removed.values()) == {"reno"}
    assert len(removed) == 4
    assert scenarios(munir_fairness, reading(munir_fairness), [Variant("", "")], "every flow NewReno")


def test_without_large_and_small_queues_all_are_moderate():
    hashed = [
        scenarios(satellite, one, orbit.VARIANTS[:1], "every queue moderate")
        for one in orbit.readings(satellite.STUDY.scenario(), orbit.QUEUES, {orbit.MAIN: {}})
    ]
    assert len({one for (one,) in hashed}) == 1


def test_what_is_alike_without_the_mechanism_runs_once():
    ran = []

    def worker(job, cancel, progress):
        ran.append((job.seed, dict(job.overrides)["bottleneck.queue"]))
        result = make_result(job.seed)
        result.meta["duration_s"] = float(job.seed)
        return result

    text = Text(SMALL)
    experiments = [Experiment({"size": size}, text, {"bottleneck.queue": f"{size}bdp"}, [1, 2]) for size in (1, 3)]
    lab = Lab(threads=1, worker=worker, without=lambda _: {"bottleneck.queue": "2bdp"})
    measured = lab.measure(experiments, lambda result: {"s": result.meta["duration_s"]})
    assert [list(one["s"]) for one in measured] == [[1, 2], [1, 2]]
    assert sorted(ran) == [(1, "2bdp"), (2, "2bdp")]
    np.testing.assert_array_equal(measured[0]["s"], measured[1]["s"])
