"""The tables that runs give, as they are declared, and a small run in which each comes to be."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock
from ackclock.results.declared import TABLES
from ackclock.results.measure import Measure
from ackclock.scenario.traffic import tmix

if TYPE_CHECKING:
    from ackclock.results.result import Result

SCENARIO = """
name = "columns"
duration = "8s"

[bottleneck]
rate = "2Mbps"
delay = "20ms"

[probes]
window = true
packets = true
timeouts = true
delays = true
queues = true
rates = true
limits = true
interval = "1s"

[[links]]
name = "other"
ends = ["left", "right"]
rate = "2Mbps"
delay = "20ms"

[[flows]]
name = "paths"
app = "bulk"
cc = "lia"
paths = [["bottleneck"], ["other"]]
"""

INTRODUCTION = (
    "`result.flows`, `result.links` and so on in Python, CSV files with `--out`, and tables of a store, which puts a "
    "column `run` in front. Times are in seconds from the start of the run; a column's name ends with its unit. Cells "
    "are empty where there is no value."
)

APPLICATIONS = {
    "transfer": 'size = "20kB"',
    "bursts": 'size = "10kB"\ninterval = "2s"',
    "onoff": 'on = "1s"\noff = "1s"',
    "list": 'items = [{ at = "1s", size = "5kB" }]',
    "web": 'users = 2\nthink = "1s"\nobject_size = "5kB"\nrecords = true',
    "rpc": 'servers = 2\nresponse_size = "2kB"\nthink = "1s"',
    "dash": 'ladder = ["100kbps", "200kbps"]\nsegment = "1s"',
    "live": 'ladder = ["100kbps", "200kbps"]\nsegment = "1s"\nchunk = "250ms"\nsample = "1s"',
    "moq": 'rate = "200kbps"\nstreams = "one"\nsample = "1s"',
    "cbr": 'rate = "50kbps"\ncircuit_breaker = {}',
    "call": 'frames = true\nsample = "1s"',
    "tmix": 'vectors = { file = "some.cvec" }\nrecords = true',
}
"""The required fields of applications."""


def run() -> Result:
    """A run with every application and every probe, and a flow over several paths."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "some.cvec").write_text(tmix.text(tmix.generate(2.0, seed=1)), encoding="utf-8")
        flows = [
            f'[[flows]]\nname = "{kind}"\n[flows.app]\nkind = "{kind}"\n{APPLICATIONS.get(kind, "")}\n'
            for kind in (entry["name"] for entry in ackclock.catalogue()["app"])
        ]
        scenario = folder / "columns.toml"
        scenario.write_text("\n".join([SCENARIO, *flows]), encoding="utf-8")
        return ackclock.run(scenario)


def cut(text: str) -> str:
    """A description on one line, as a cell of a table has it."""
    return " ".join(text.split())


def page(result: Result) -> str:
    """The page of tables.

    Raises
    ------
    LookupError
        If the run has a table or column that is not declared, or lacks one that is.
    """
    found = {name: table.column_names for name, table in result.tables.items()}
    declared = {name: [column["name"] for column in table["columns"]] for name, table in TABLES.items()}
    if found != declared:
        wrong = [name for name in sorted({*found, *declared}) if found.get(name) != declared.get(name)]
        told = "; ".join(
            f"{name}: {found.get(name, 'no table')}, not {declared.get(name, 'declared')}" for name in wrong
        )
        raise LookupError(f"tables that differ from their declarations: {told}")
    parts = ["# The tables of a run", INTRODUCTION]
    for name, table in TABLES.items():
        asked = f" In a scenario: `{table['asked']}`." if table["asked"] else ""
        parts += [f"## {name}", table["about"] + asked]
        rows = ["| column | type | unit | what it is |", "|---|---|---|---|"]
        rows += [
            f"| `{one['name']}` | {one['type']} | {one['unit']} | {cut(one['about'])} |" for one in table["columns"]
        ]
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def measures_page() -> str:
    """The page of measures: one number of a run."""
    import ackclock.results.measure as module

    introduction, grid, rest = (module.__doc__ or "").split("\n\n", 2)
    rows = [line for line in grid.splitlines() if not line.startswith("=")]
    lines = ["| measure | what it is |", "|---|---|"]
    for row in rows:
        text, what = row.split("  ", 1)
        Measure.parse(text.strip().strip("`"))
        lines.append(f"| `{text.strip().strip('`')}` | {what.strip()} |")
    body = [introduction, "`ackclock sweep --of`, `ackclock.compare` and `Store.estimates` take them."]
    body += ["\n".join(lines), rest.split("\n\nEmpty")[-1] if "\n\nEmpty" in rest else rest]
    return "# Measures\n\n" + "\n\n".join(part.replace("``", "`").strip() for part in body) + "\n"
