"""The tables that runs give, from a small run in which each comes to be, and what their columns mean."""

from __future__ import annotations

import inspect
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import ackclock
from ackclock import tmix
from ackclock.measure import Measure
from ackclock.result import ASKED, Result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEANINGS = Path(__file__).with_name("columns.toml")

UNITS = {"s": "s", "ms": "ms", "bps": "bit/s", "bytes": "bytes", "segments": "segments", "packets": "packets"}
"""Last words of columns' names, and the units that they say."""

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
interval = "1s"
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
    "cbr": 'rate = "50kbps"',
    "tmix": 'vectors = { file = "some.cvec" }\nrecords = true',
}
"""The required fields of applications."""


def run() -> Result:
    """A run with every application and every probe."""
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


def told() -> dict[str, str]:
    """The descriptions of the tables, from the properties of `Result`."""
    properties = inspect.getmembers(Result, lambda value: isinstance(value, property))
    order = {name: place for place, name in enumerate(dir(Result))}
    found = {
        name: inspect.getdoc(value) or ""
        for name, value in sorted(properties, key=lambda one: order[one[0]])
        if name not in ("seed", "plot")
    }
    return {name: found[name] for name in sorted(found, key=lambda name: (name not in ("flows", "links"), name))}


def unit(column: str) -> str:
    """The unit of a column, as its name says it."""
    words = column.split("_")
    if words[0] == "bytes":
        return "bytes"
    return UNITS.get(words[-1], "") if len(words) > 1 or words[0] in ("bytes", "segments", "packets") else ""


def meanings(tables: Mapping[str, Sequence[str]], texts: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    """The meanings of the columns of each table, in their order.

    Raises
    ------
    LookupError
        If a column has no text, or a text no column.
    """
    common = texts["any"]
    found = {name: [texts.get(name, {}).get(one, common.get(one, "")) for one in tables[name]] for name in tables}
    without = [
        f"{name}.{column}"
        for name in tables
        for column, text in zip(tables[name], found[name], strict=True)
        if not text
    ]
    if without:
        raise LookupError(f"columns without a text in columns.toml: {', '.join(without)}")
    own = {name: columns for name, columns in texts.items() if name != "any"}
    more = [f"{name}.{column}" for name in own for column in own[name] if column not in tables.get(name, ())]
    more += [f"any.{column}" for column in common if not any(column in columns for columns in tables.values())]
    if more:
        raise LookupError(f"texts in columns.toml of what is no column: {', '.join(more)}")
    return found


def page(result: Result) -> str:
    """The page of tables."""
    documents = told()
    missing = sorted(set(result.tables) ^ set(documents))
    if missing:
        raise LookupError(f"tables that only the run or only Result has: {', '.join(missing)}")
    parts = [
        "# The tables of a run",
        INTRODUCTION,
    ]
    texts = tomllib.loads(MEANINGS.read_text(encoding="utf-8"))
    meaning = meanings({name: table.column_names for name, table in result.tables.items()}, texts)
    for name, document in documents.items():
        asked = f" In a scenario: `{ASKED[name]}`." if name in ASKED else ""
        parts += [f"## {name}", document.replace("``", "`") + asked]
        rows = ["| column | type | unit | what it is |", "|---|---|---|---|"]
        for column, text in zip(result.tables[name].column_names, meaning[name], strict=True):
            kind = result.tables[name][column].dtype.kind
            rows.append(f"| `{column}` | {TYPES[kind]} | {unit(column)} | {text} |")
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


TYPES = {"i": "whole number", "u": "whole number", "f": "number", "b": "truth value", "O": "text"}
"""By the kind of numpy's types."""


def measures_page() -> str:
    """The page of measures: one number of a run."""
    import ackclock.measure as module

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
