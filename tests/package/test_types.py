"""A type checker accepts right code that uses ackclock, and names the line of wrong code."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock

pytestmark = pytest.mark.slow

RIGHT = """
import dataclasses
from pathlib import Path

import numpy as np
import numpy.typing as npt

import ackclock
from ackclock import cc as own
from ackclock import stats
from ackclock.scenario import (
    Access, Bottleneck, CarefulResume, Delay, DelayStep, Flow, FlowAccess, Link, Outage, Probes, Scenario, Stack,
    Netem, WindowValidation, app, arrival, cc, delay_table, distribution, jitter, loss, netem_loss, pacing, policer,
    queue, rate, slot,
)


@ackclock.congestion_control("gentle")
class Gentle(ackclock.WindowRules):
    kept: float = ackclock.parameter(0.9, 0.1, 1.0, "what a loss leaves")

    def reduction(self, flow: own.Situation) -> float:
        return self.kept if flow.cause == "loss" else 1.0


@ackclock.congestion_control("every")
class Every(ackclock.CongestionControl):
    def on_ack(self, window: own.Window, ack: own.Ack, acked: int) -> None:
        context: own.Context = ack.ctx
        window.cwnd += min(acked, context.mss)

    def on_congestion(self, window: own.Window, event: own.Congestion) -> None:
        window.ssthresh = window.cwnd = event.ctx.flight_size // 2

    def on_timeout(self, window: own.Window, event: own.Congestion, first: bool) -> None:
        window.cwnd = event.ctx.mss

    def on_delivery(self, window: own.Window, delivery: own.Delivery) -> None:
        rate: own.RateSample | None = delivery.rate
        window.pacing_rate = None if rate is None else rate.bytes_per_second

    def on_lost(self, window: own.Window, lost: own.Lost) -> None:
        pass

    def on_recovery_end(self, window: own.Window, end: own.RecoveryEnd) -> None:
        pass


path = Bottleneck(
    preset="lte",
    rate=rate.Steps(steps=[rate.Step(at="0s", rate="1Mbps"), rate.Step(at="5s", rate="2Mbps")], repeat_every="10s"),
    reverse_rate="cellular",
    delay=Delay(steps=[DelayStep(at="0s", delay="20ms")]),
    queue=queue.FqCodel(target="2ms", ecn=True),
    reverse_queue="50 packets",
    loss=loss.GilbertElliott(p="1%", r="20%"),
    reverse_loss="0.1%",
    corruption=loss.Fades(interval="9s", duration="1s", sigma=0.5),
    policer=policer.TokenBucket(rate="1Mbps", burst="15kB", exceed="mark"),
    netem=Netem(delay="9ms", jitter="1ms", distribution="normal", loss=netem_loss.State(p13="1%"), slot="5ms"),
    reverse_netem=Netem(
        jitter="1ms",
        distribution=delay_table.Table(file="mine.dist"),
        slot=slot.Table(delay="5ms", jitter="1ms", distribution="pareto"),
    ),
    jitter=jitter.Normal(mean="5ms", sd="1ms"),
    outages=[Outage(from_="1s", to="2s", packets="lost")],
)
stack: Stack = "linux"
rules: list[WindowValidation] = ["newcwv", "none"]
flows = [
    Flow(app="bulk", cc="cubic", stack=stack, pacing=pacing.Fq(slow_start_percent=150), route=["left", "right", "far"]),
    Flow(app=app.Bulk(), cc="gentle", validation=rules[0], arrival=arrival.Poisson(rate=2), count=3),
    Flow(app=app.Bulk(), cc={"kind": "gentle", "kept": 0.8}, access=FlowAccess(sink_delay="1ms"), ecn="classic"),
    Flow(app=app.Bulk(), cc=cc.Remycc(table=Path("table.dna")), careful_resume=CarefulResume(cwnd="1MB", rtt="50ms")),
    Flow(app=app.Dash(ladder=("1Mbps", "2Mbps"), segment="2s", abr="bola", live=app.DashLive(latency="4s")), class_=1),
    Flow(app=app.Web(
        sessions_per_second=2,
        pages=distribution.Exponential(mean=3),
        objects=4,
        object_size=distribution.LogNormal(median="20kB", sigma=1.5),
        think=distribution.Constant(value="1s"),
    )),
]
scenario = Scenario(
    duration="30s",
    bottleneck=path,
    links=[Link(ends=["right", "far"], rate="10Mbps", delay="1ms")],
    access=Access(rate="10x", source_delay=distribution.Uniform(min="0ms", max="9ms")),
    flows=flows,
    probes=Probes(window=True, from_="1s"),
)
longer = dataclasses.replace(scenario, duration="60s")
from_file: Scenario = Scenario.load("some.toml")
Path("some.toml").write_text(scenario.to_toml())

for source in ("some.toml", Path("some.toml"), scenario.document()):
    ackclock.check(source)
for typed in (scenario, longer, from_file):
    ackclock.check(typed)
one: ackclock.Result = ackclock.run(scenario, seed=2, overrides={"bottleneck.queue": queue.Red(), "seed": 3})
many: ackclock.Replications = ackclock.run(scenario, seeds=[1, 2], progress=True)
traced: ackclock.Result = ackclock.trace(scenario, Path("out"), captures=["bottleneck"], events=True)
goodput: npt.NDArray[np.float64] = many.flows["goodput_bps"]
interval = stats.mean(goodput)
bounds: tuple[float, float] = (interval.low, interval.high)
seeds: list[int] = [run.seed for run in many]
one.plot.cwnd().figure
names: list[str] = [str(row["name"]) for row in ackclock.catalogue()["cc"]]
problems: list[ackclock.Problem] = []
try:
    ackclock.run(scenario)
except ackclock.ScenarioError as error:
    problems += error.problems
"""

WRONG = """
import ackclock
from ackclock.scenario import Bottleneck, Flow, Outage, Probes, Scenario, app, cc, distribution, pacing, queue

Flow(app="bulk", validation="newcvw")  # E: arg-type
Flow(app="bluk")  # E: arg-type
Flow(app="dash")  # E: arg-type
Flow(cc="cubic")  # E: call-arg
Flow("bulk")  # E: call-arg
Flow(app="bulk", cc_parameters={})  # E: call-arg
Flow(app="bulk", cc=cc.Cubic20(betta=0.7))  # E: call-arg
Flow(app="bulk", cc=queue.Codel())  # E: arg-type
Flow(app="bulk", pacing="fast")  # E: arg-type
Flow(app="bulk", pacing=pacing.Fq(slow_start_percent=1.5))  # E: arg-type
Flow(app="bulk", count="2")  # E: arg-type
Flow(app="bulk", mss=1448)  # E: arg-type
Flow(app="bulk", sack="no")  # E: arg-type
Flow(app=app.Dash(ladder=["1Mbps"], segment=2))  # E: arg-type
Flow(app=app.Dash(ladder=[1_000_000], segment="2s"))  # E: list-item
Flow(app=app.Transfer())  # E: call-arg
Flow(app=app.Web(object_size="1kB", pages=distribution.Exponential(mean="3")))  # E: arg-type
Flow(app=app.Web(object_size=distribution.Exponential(mean=3.5)))  # E: arg-type
Bottleneck("lte")  # E: call-arg
Bottleneck(rate=10_000_000)  # E: arg-type
Bottleneck(queue=50)  # E: arg-type
Bottleneck(preset="5g")  # E: arg-type
Bottleneck(outages=Outage(from_="1s", to="2s"))  # E: arg-type
Bottleneck(outages=[Outage(start="1s", to="2s")])  # E: call-arg
Probes(windows=True)  # E: call-arg
Scenario(duration=60, bottleneck=Bottleneck(), flows=[])  # E: arg-type
Scenario(bottleneck=Bottleneck(), flows=[])  # E: call-arg
Scenario(duration="60s", bottleneck=Bottleneck(), flows=["bulk"])  # E: list-item
Flow(app="bulk").count = 3  # E: misc
ackclock.run(Flow(app="bulk"))  # E: call-overload
ackclock.run("a.toml", seed=1, seeds=2)  # E: call-overload
ackclock.run("a.toml", seeds=2).meta  # E: attr-defined
ackclock.run("a.toml").seeds  # E: attr-defined
ackclock.run("a.toml").window["cwnd"].no_such()  # E: attr-defined
ackclock.run("a.toml", seeds=1.5)  # E: call-overload
ackclock.check(3)  # E: arg-type
ackclock.no_such  # E: attr-defined
ackclock.scenario.Scenery  # E: attr-defined
"""


@pytest.fixture
def type_errors(tmp_path, pytestconfig):
    """Lines and codes of the errors that mypy finds in a user's file."""

    def check(text):
        file = tmp_path / "users.py"
        file.write_text(text)
        cache = pytestconfig.cache.mkdir("mypy")
        # Only the file's own errors: those of an installed package are not shown to its users either.
        options = ["--strict", "--follow-imports=silent", "--config-file=", f"--cache-dir={cache}"]
        done = subprocess.run(
            [sys.executable, "-m", "mypy", *options, "--no-error-summary", str(file)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"MYPYPATH": str(Path(ackclock.__file__).parents[1])},
        )
        assert done.returncode in (0, 1), done.stdout + done.stderr
        found = re.findall(r"users\.py:(\d+): error: .*\[([a-z-]+)\]$", done.stdout, re.MULTILINE)
        assert len(found) == done.stdout.count(" error: "), done.stdout
        return {(int(line), code) for line, code in found}, done.stdout

    return check


def test_right_use_has_no_errors(type_errors):
    found, output = type_errors(RIGHT)
    assert found == set(), output


def test_wrong_use_has_errors_where_it_is_wrong(type_errors):
    lines = enumerate(WRONG.splitlines(), 1)
    expected = {(number, line.partition("# E: ")[2]) for number, line in lines if "# E: " in line}
    assert len(expected) > 30
    found, output = type_errors(WRONG)
    assert found == expected, output
