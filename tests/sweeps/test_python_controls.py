"""Congestion controls in Python: runs are shared between processes, and come out as they do in one."""

import logging
import os
import signal
import subprocess
import sys
import time

import pytest

import ackclock
from ackclock._core import Cancel
from ackclock.cc import registry
from ackclock.engine import processes
from ackclock.engine.run import Job
from ackclock.scenario import load
from ackclock.store.packed import unpack
from ackclock.sweeps.isolated import Task, in_process
from ackclock.sweeps.plan import Keep
from tests.helpers.places import ROOT
from tests.helpers.processes import is_alive
from tests.helpers.scenarios import SWEPT
from tests.helpers.stores import bytes_of

pytestmark = pytest.mark.slow

CONTROL = """
import os, sys
import ackclock

@ackclock.congestion_control("{name}")
class Mine(ackclock.WindowRules):
    def reduction(self, flow):
        return 0.8

    def increase(self, flow):
        {body}
        return 1.5
"""


@pytest.fixture
def control(tmp_path):
    """Makes and loads a file with a congestion control whose `increase` has a body, and returns its path."""

    def make(name, body="pass"):
        path = tmp_path / f"{name.replace('-', '_')}.py"
        path.write_text(CONTROL.format(name=name, body=body))
        registry.load(path)
        return path

    return make


def process(result):
    return {"process": float(os.getpid())}


def failures(store):
    return {row["seed"]: row["error"] for row in store.failures.rows()}


def written(runs, folder):
    folder.mkdir()
    runs.write(folder)
    return bytes_of(folder)


def test_a_sweep_leaves_the_same_bytes_as_in_one_process(control, tmp_path):
    control("many-same")
    vary = {"flows[0].cc": ["reno", "many-same"]}
    for name, measure in (("tables", None), ("local", lambda result: {"n": float(result.seed)})):
        stores = []
        for threads in (1, 2):
            out = tmp_path / f"{name}-{threads}"
            with ackclock.sweep(SWEPT, vary, seeds=3, out=out, threads=threads, measure=measure) as store:
                assert failures(store) == {}
            stores.append(bytes_of(out))
        assert stores[0] == stores[1], name


def test_runs_with_a_control_in_python_alone_have_processes(control, tmp_path):
    control("many-where")
    vary = {"flows[0].cc": ["reno", "many-where"]}
    with ackclock.sweep(SWEPT, vary, seeds=3, out=tmp_path / "s", threads=2, measure=process) as store:
        reno, mine = (set(one.values) for one in store.values("measures.process"))
    assert reno == {os.getpid()}
    assert os.getpid() not in mine
    assert len(mine) <= 2
    with ackclock.sweep(SWEPT, vary, seeds=3, out=tmp_path / "t", threads=1, measure=process) as store:
        assert {value for one in store.values("measures.process") for value in one.values} == {os.getpid()}


def test_replications_are_the_same_as_in_one_process(control, tmp_path):
    control("many-replications")
    own = {"flows[0].cc": "many-replications", "probes.window": True}
    runs = [ackclock.run(SWEPT, seeds=3, overrides=own, threads=threads) for threads in (1, 2)]
    assert runs[0].seeds == runs[1].seeds == [1, 2, 3]
    assert [one.meta for one in runs[0]] == [one.meta for one in runs[1]]
    assert written(runs[0], tmp_path / "one") == written(runs[1], tmp_path / "two")


def test_an_error_comes_through_whole(control):
    path = control("many-errors", "raise LookupError('far away')")
    own = {"flows[0].cc": "many-errors"}
    told = []
    for threads in (1, 2):
        with pytest.raises(ackclock.AlgorithmError) as raised:
            ackclock.run(SWEPT, seeds=2, overrides=own, threads=threads)
        told.append((str(raised.value), raised.value.callback, raised.value.time_s, repr(raised.value.__cause__)))
    assert told[0] == told[1]
    assert "LookupError: far away" in told[0][0]
    # Line 11 of the file has the body of the callback.
    assert f'"{path}", line 11, in increase' in "".join(raised.value.__cause__.__notes__)


def test_a_sweep_records_the_same_errors(control, tmp_path):
    control("many-failures", "raise LookupError('far away')")
    stores = []
    for threads in (1, 2):
        own = {"flows[0].cc": "many-failures"}
        with ackclock.sweep(SWEPT, seeds=2, overrides=own, out=tmp_path / f"{threads}", threads=threads) as store:
            stores.append([(row["error"], row["details"]) for row in store.failures.rows()])
    assert stores[0] == stores[1]
    assert len(stores[0]) == 2


def test_a_process_that_dies_fails_its_run_alone(control, tmp_path):
    control("many-deaths", "os._exit(7)")
    vary = {"flows[0].cc": ["many-deaths", "reno"]}
    with ackclock.sweep(SWEPT, vary, seeds=2, out=tmp_path / "s", threads=2) as store:
        assert failures(store) == dict.fromkeys((1, 2), "the process of the run ended with status 7")
        assert (store.failed, store.finished) == (2, 4)
    with pytest.raises(ackclock.ProcessError, match="ended with status 7"):
        ackclock.run(SWEPT, seeds=2, overrides={"flows[0].cc": "many-deaths"}, threads=2)


def test_a_segmentation_fault_says_where(control, tmp_path):
    control("many-faults", "import ctypes; ctypes.string_at(0)")
    own = {"flows[0].cc": "many-faults"}
    with ackclock.sweep(SWEPT, seeds=2, overrides=own, out=tmp_path / "s", threads=2) as store:
        [row, _] = store.failures.rows()
    assert row["error"] == f"the process of the run was ended by signal {signal.SIGSEGV.value}"
    assert "many_faults.py" in row["details"]
    assert "in increase" in row["details"]


def test_what_a_control_prints_is_seen(control, capfd):
    control("many-words", "print('growing', file=sys.stderr)")
    ackclock.run(SWEPT, seeds=2, overrides={"flows[0].cc": "many-words"}, threads=2)
    assert "growing" in capfd.readouterr().err


def test_a_file_that_has_changed_is_not_loaded_elsewhere(control, tmp_path, caplog):
    path = control("many-changes")
    own = {"flows[0].cc": "many-changes"}
    path.write_text(path.read_text() + "\n# another\n")
    with caplog.at_level(logging.WARNING, "ackclock"):
        runs = ackclock.run(SWEPT, seeds=2, overrides=own, threads=2)
    assert len(runs) == 2
    assert "many-changes: its file, loaded in another process, has changed since it was loaded" in caplog.text
    assert "take turns on one core" in caplog.text


def dies(_job, _cancel, _progress):
    os._exit(3)


def test_a_file_that_changes_during_a_sweep_leaves_the_rest_to_this_process(control):
    path = control("many-edits")
    job = Job(load(SWEPT), (("flows[0].cc", "many-edits"),), 1)
    task = Task("key", job, "hash", "name", Keep(measure=process))
    with processes.Pool(["many-edits"], [process]) as pool:
        data, good = in_process(task, pool, Cancel(), print)
        assert good
        assert unpack(data).tables["measures"]["process"].to_pylist() != [os.getpid()]
        with pytest.raises(ackclock.ProcessError, match="status 3"):
            pool.call(dies, None, Cancel(), print)
        path.write_text(path.read_text() + "\n# another\n")
        data, good = in_process(task, pool, Cancel(), print)
        assert good
        assert unpack(data).tables["measures"]["process"].to_pylist() == [os.getpid()]


SCRIPT = """
import os, sys
import ackclock
{before}
@ackclock.congestion_control("of-a-script")
class Mine(ackclock.WindowRules):
    def increase(self, flow):
        return STEP

STEP = 1.5
print("begun")
import logging
logging.basicConfig()
runs = ackclock.run({scenario!r}, seeds=2, overrides={{"flows[0].cc": "of-a-script"}}, threads=int(sys.argv[1]))
print(runs.flows["goodput_bps"].tolist())
"""


@pytest.mark.parametrize("before", ["", "sys.modules['cloudpickle'] = None"])
def test_a_class_of_a_script_is_sent_where_cloudpickle_can(tmp_path, before):
    (tmp_path / "script.py").write_text(SCRIPT.format(before=before, scenario=SWEPT))
    said = []
    for threads in "12":
        command = [sys.executable, "script.py", threads]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        said.append(done.stdout)
    assert said[0] == said[1]
    assert said[0].count("begun") == 1, "no process runs the script again"
    assert ("take turns" in done.stderr) == bool(before)
    assert ("put it into a file" in done.stderr) == bool(before)


def test_cloudpickle_sends_a_class_whole():
    """The process has the class with what it uses, and gives it the same source."""
    code = """
import ackclock
from ackclock.cc import registry
from ackclock.engine import processes
from ackclock._core import Cancel
from ackclock.engine.run import Job
from ackclock.scenario import load
from ackclock.store.packed import unpack
from ackclock.sweeps.isolated import Task, in_process
from ackclock.sweeps.plan import Keep
from ackclock._core import Cancel
from tests.sweeps.test_python_controls import rows

STEP = 1.5

@ackclock.congestion_control("of-main")
class Mine(ackclock.WindowRules):
    '''Mine.'''
    def increase(self, flow):
        return STEP

with processes.Pool(["of-main"]) as pool:
    [row] = pool.call(rows, None, Cancel(), print)
assert row == registry.rows()[0], row
"""
    # The source of a class has to be found, as a notebook's is.
    runner = "import linecache; code = {0!r}; linecache.cache['cell'] = (0, None, code.splitlines(True), 'cell')"
    runner = f"{runner}\nexec(compile(code, 'cell', 'exec'))".replace("{0!r}", repr(code))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, "-c", runner], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def rows(_job, _cancel, _progress):
    return registry.rows()


@pytest.mark.parametrize("command", ["sweep", "run"])
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_signal_leaves_no_process(tmp_path, command, name):
    body = "open(f'{os.getpid()}.there', 'w').close()\n        while True: pass"
    (tmp_path / "endless.py").write_text(CONTROL.format(name="endless", body=body))
    (tmp_path / "s.toml").write_text(SWEPT)
    arguments = [command, "s.toml", "--load", "endless.py", "--set", "flows[0].cc=endless", "--seeds", "2"]
    number = getattr(signal, name)
    with subprocess.Popen(
        [sys.executable, "-m", "ackclock", *arguments, "--threads", "2"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as parent:  # fmt: skip
        while len(found := list(tmp_path.glob("*.there"))) < 2:
            assert parent.poll() is None
            time.sleep(0.01)
        parent.send_signal(number)
        _, told = parent.communicate()
    assert parent.returncode == (-number if name == "SIGKILL" else 128 + number)
    assert ("interrupted; nothing is half-written" in told) == (name != "SIGKILL")
    for path in found:
        while is_alive(int(path.stem)):
            # A process whose parent was killed ends when it reads the end of its input.
            assert name == "SIGKILL"
            time.sleep(0.01)
