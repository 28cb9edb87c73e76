"""`check` says which algorithms a flow gets from its stack."""

import json

import ackclock
from ackclock.scenario._resolved import resolved, told

SCENARIO = """
duration = "1s"
bottleneck = { rate = "1Mbps", delay = "1ms", queue = "10 packets" }
flows = [
    { name = "a", app = "bulk", stack = "linux", cc = "cubic", count = 2 },
    { name = "b", app = "bulk", stack = "rfc", cc = "cubic" },
    { name = "c", app = "bulk", stack = "linux", cc = "reno", validation = "newcwv" },
    { name = "d", app = "bulk", stack = "linux", cc = "bbr" },
    { name = "e", app = "bulk", stack = "linux", cc = "cubic-rfc9438", slow_start = "standard" },
    { name = "f", app = "bulk", stack = "freebsd-2014" },
    { name = "call", app = "voip" },
]
"""


def test_names_mean_the_form_of_the_stack_and_the_rest_is_the_stacks():
    found = {one["flow"]: (one["stack"], one["cc"], one["slow_start"], one["validation"]) for one in resolved(SCENARIO)}
    assert found == {
        "a": ("linux", "cubic-linux", "hystart", "linux"),
        "b": ("rfc", "cubic-rfc9438", "standard", "none"),
        "c": ("linux", "reno-linux", "linux", "newcwv"),
        "d": ("linux", "bbr1", None, "linux"),
        "e": ("linux", "cubic-rfc9438", "standard", "linux"),
        "f": ("freebsd-2014", "reno-rfc5681", "standard", "none"),
    }


def test_the_tables_have_the_same_names():
    flows = ackclock.run(SCENARIO).flows
    names = dict(zip(flows["flow"], flows["cc"], strict=True))
    for one in resolved(SCENARIO):
        copies = [f"{one['flow']}.{copy}" for copy in range(one["copies"])] if one["copies"] > 1 else [one["flow"]]
        assert {names[copy] for copy in copies} == {one["cc"]}


def test_overrides_hold():
    (first, *_) = resolved(SCENARIO, {"flows[0].stack": "rfc"})
    assert (first["cc"], first["slow_start"]) == ("cubic-rfc9438", "standard")


def test_check_prints_a_line_for_each_flow(cli, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    _, out, _ = cli("check", path)
    assert out.splitlines()[2:4] == [
        "a (x2): stack linux, cubic-linux, slow start hystart, validation linux",
        "b: stack rfc, cubic-rfc9438, slow start standard, validation none",
    ]
    assert len(out.splitlines()) == 2 + 6
    assert told(resolved(SCENARIO)[3]) == "d: stack linux, bbr1, validation linux, paced by the congestion control"
    _, out, _ = cli("check", path, "--json")
    assert json.loads(out)["resolved"] == resolved(SCENARIO)
