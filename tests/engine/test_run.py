"""Running scenarios: determinism, replications, cancelling, plots."""

import pickle
import threading
import time

import numpy as np
import pytest

import ackclock
from ackclock import _core
from tests.helpers.scenarios import LONG, SMALL
from tests.helpers.tables import make_result, make_table, same


def test_the_tables_are_there():
    result = ackclock.run(SMALL)
    assert result.flows["flow"].tolist() == ["one", "two", "film"]
    assert result.links["link"].tolist()[0] == "bottleneck"
    assert len(result.transfers) == 3
    assert len(result.dash) == 1
    assert len(result.dash_segments) >= 1
    assert len(result.window) > 10
    assert len(result.packets) > 100
    assert result.flows["goodput_bps"][0] > 1e5


def test_provenance():
    result = ackclock.run(SMALL, seed=5)
    assert result.meta["seed"] == result.seed == 5
    assert result.meta["version"] == ackclock.__version__
    assert result.meta["duration_s"] == 5
    assert len(result.meta["scenario_hash"]) == 16
    assert ackclock.run(SMALL).meta["scenario_hash"] == result.meta["scenario_hash"]
    other = ackclock.run(SMALL, overrides={"bottleneck.rate": "2Mbps"})
    assert other.meta["scenario_hash"] != result.meta["scenario_hash"]


def test_the_same_seed_gives_the_same_tables_and_another_does_not():
    assert same(ackclock.run(SMALL, seed=3), ackclock.run(SMALL, seed=3))
    assert not same(ackclock.run(SMALL, seed=3), ackclock.run(SMALL, seed=4))


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_do_not_change_results(threads):
    alone = ackclock.run(SMALL, seeds=6, threads=1)
    spread = ackclock.run(SMALL, seeds=6, threads=threads)
    assert alone.seeds == spread.seeds == [1, 2, 3, 4, 5, 6]
    assert same(alone, spread)


def test_replications_are_the_single_runs_in_order():
    runs = ackclock.run(SMALL, seeds=[9, 2])
    assert runs.seeds == [9, 2]
    assert same(runs[1], ackclock.run(SMALL, seed=2))
    assert runs.flows["seed"].tolist() == [9, 9, 9, 2, 2, 2]


def test_the_scenario_seed_is_the_first_of_several():
    assert ackclock.run(SMALL, seeds=2, overrides={"seed": 40}).seeds == [40, 41]


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": 1, "seeds": 2},
        {"seeds": 0},
        {"seeds": 10**18},
        {"seeds": []},
        {"seeds": [3, 3]},
        {"seeds": 1, "threads": 0},
    ],
)
def test_arguments_that_make_no_sense(arguments):
    with pytest.raises(ValueError, match=r"seed|threads"):
        ackclock.run(SMALL, **arguments)


@pytest.mark.parametrize("arguments", [{"seed": -1}, {"seed": 2**64}, {"seeds": 2, "overrides": {"seed": 2**64 - 1}}])
def test_seeds_have_64_bits(arguments):
    with pytest.raises(ackclock.ScenarioError, match="seed"):
        ackclock.run(SMALL, **arguments)


def test_the_largest_seeds_are_in_the_tables():
    runs = ackclock.run(SMALL, seeds=2, overrides={"seed": 2**64 - 2})
    assert sorted({*runs.flows["seed"].tolist()}) == runs.seeds == [2**64 - 2, 2**64 - 1]


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": 1.5},
        {"seed": "1"},
        {"seeds": 1.5},
        {"seeds": "12"},
        {"seeds": [None]},
        {"threads": 1.5},
        {"progress": 3},
    ],
)
def test_arguments_of_the_wrong_type(arguments):
    with pytest.raises(TypeError):
        ackclock.run(SMALL, **arguments)


def test_whole_numbers_of_numpy_are_whole_numbers():
    assert ackclock.run(SMALL, seed=np.int32(7)).seed == 7
    assert ackclock.run(SMALL, seeds=np.arange(2), threads=np.int64(1)).seeds == [0, 1]
    assert ackclock.run(SMALL, seeds=np.uint8(2)).seeds == [1, 2]


def test_results_pickle():
    runs = ackclock.run(SMALL, seeds=2)
    copy = pickle.loads(pickle.dumps(runs))
    assert same(runs, copy)
    assert copy[1].document() == runs[1].document()


def test_the_summary_is_the_mean_of_the_runs():
    runs = ackclock.run(SMALL, seeds=3)
    goodputs = [run.flows["goodput_bps"][0] for run in runs]
    entry = runs.summary()["flows"][0]
    assert entry["name"] == "one"
    assert entry["goodput_bps"]["mean"] == pytest.approx(np.mean(goodputs))
    assert entry["goodput_bps"]["n"] == 3
    assert "cc" not in entry


def test_a_number_that_a_replication_lacks_is_not_summarised():
    flows = [make_table(flow=["a"], x=[1.0], y=[value]) for value in (1.0, None)]
    links = [make_table(link=names, drops=[7] * len(names)) for names in (["bottleneck"], ["bottleneck", "access.3"])]
    runs = [make_result(seed, flows=flows[seed], links=links[seed]) for seed in range(2)]
    summary = ackclock.Replications(runs).summary()
    (entry,) = summary["flows"]
    assert "x" in entry
    assert "y" not in entry
    assert [row.keys() for row in summary["links"]] == [{"name", "drops"}, {"name"}]


def test_a_table_of_a_probe_that_was_off_says_how_to_get_it():
    result = ackclock.run(SMALL, overrides={"probes.window": False})
    with pytest.raises(KeyError, match=r"probes\.window = true"):
        _ = result.window


def test_progress_goes_to_one():
    seen = []
    ackclock.run(SMALL, seeds=3, progress=seen.append)
    assert seen[-1] == 1


def test_cancel_ends_a_run_that_would_take_hours():
    cancel = _core.Cancel()
    threading.Timer(0.2, cancel.cancel).start()
    with pytest.raises(ackclock.Cancelled):
        _core.run(SMALL, "toml", list(LONG.items()), cancel=cancel)
    assert cancel.cancelled


def test_an_exception_from_progress_ends_the_run():
    def stop(fraction):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ackclock.run(SMALL, overrides=LONG, seeds=2, progress=stop)


def test_the_interpreter_is_free_while_runs_go_on():
    """Another thread counts while the engine works; with the lock held it would not get a turn."""
    cancel = _core.Cancel()
    turns = []

    def count():
        while len(turns) < 50:
            turns.append(time.sleep(0.001))
        cancel.cancel()

    threading.Thread(target=count).start()
    with pytest.raises(ackclock.Cancelled):
        _core.run(SMALL, "toml", list(LONG.items()), cancel=cancel)
    assert len(turns) == 50


def test_results_are_written_with_their_provenance(tmp_path):
    result = ackclock.run(SMALL)
    result.write(tmp_path)
    assert (tmp_path / "flows.csv").read_text().startswith("flow,stack,cc,")
    assert result.meta["scenario_hash"] in (tmp_path / "summary.json").read_text()
