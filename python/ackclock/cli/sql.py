"""``ackclock sql``: the answer to a query over the tables of a store."""

from __future__ import annotations

import datetime
import decimal
import math
import sys
from pathlib import Path  # noqa: TC003 -- cyclopts reads the annotations
from typing import TYPE_CHECKING, Any

from ackclock.base import files
from ackclock.cli.commands import at_least_one
from ackclock.cli.output import DONE, UsageError, print_json, print_table, say

if TYPE_CHECKING:
    from ackclock.base.table import Table
    from ackclock.store import Store

__all__ = ["sql"]


def sql(
    store: Path,
    query: str | None = None,
    /,
    *,
    csv: bool = False,
    json: bool = False,
    out: Path | None = None,
    rows: int = 40,
    sweep: str | None = None,
    version: str | None = None,
    mixed: bool = False,
) -> int:
    """Ask a store in SQL. The query only reads; without one, the tables and their columns are listed.

    Each table of a run is a table with the additional column run. The table runs has the point, the seed, what was
    varied and the status of each run. A name with dots or brackets needs double quotes: "bottleneck.queue".

    Parameters
    ----------
    store
        The store of sweeps.
    query
        One query in DuckDB's SQL, in single quotes of the shell: 'SELECT flow, avg(goodput_bps) FROM flows GROUP BY
        flow'. The table window needs double quotes, because its name is a word of SQL.
    csv
        Print the answer as CSV, with all rows.
    json
        Print the answer as one JSON document, with all rows: a list of objects, one a row. NaN and infinity are null.
    out
        Write the answer into this file, with all rows: NAME.csv or NAME.parquet.
    rows
        The rows that are shown, at most, without --csv, --json and --out.
    sweep
        Ask about one sweep alone: its name, or the beginning of its id.
    version
        Ask about the results of one version of the engine.
    mixed
        Ask about the results of several versions; the column version tells them apart.
    """
    from ackclock.cli.tables import write_table
    from ackclock.store import open_store

    if csv + json + (out is not None) > 1:
        raise UsageError("--csv, --json, --out: expected one of them")
    if out is not None and out.suffix not in (".csv", ".parquet"):
        raise UsageError(f"--out {out}: expected a name that ends in .csv or .parquet")
    at_least_one("--rows", rows)
    with open_store(store, sweep=sweep, version=version, mixed=mixed) as opened:
        answer = _tables(opened) if query is None else opened.sql(query)
    if out is not None:
        write_table(out, answer)
        say(f"{out}: {_count(len(answer))}")
    elif csv:
        files.print_csv(sys.stdout, answer)
    elif json:
        print_json([{name: _plain(cell) for name, cell in row.items()} for row in answer.rows()])
    else:
        # A list of tables is short and is shown as a whole.
        _show(answer, rows if query is not None else len(answer))
    return DONE


def _tables(store: Store) -> Table:
    """The tables of a store with their columns, and what the columns are."""
    from ackclock.cli.tables import table_of
    from ackclock.results.declared import TABLES

    told = []
    for name in store.tables:
        declared = {column["name"]: column for column in TABLES[name]["columns"]} if name in TABLES else {}
        described = store.sql(f'DESCRIBE SELECT * FROM "{name}"')  # noqa: S608
        for row in described.rows():
            column = declared.get(row["column_name"])
            about = _RUNS.get(row["column_name"], "varied" if name == "runs" else "the run, as in the table runs")
            if name == "runs" and row["column_name"] == "place":
                continue
            told.append(
                {
                    "table": name,
                    "column": row["column_name"],
                    "type": row["column_type"],
                    "unit": column["unit"] if column else "s" if row["column_name"].endswith("_s") else "",
                    "what it is": column["about"] if column else about,
                }
            )
    names = ["table", "column", "type", "unit", "what it is"]
    return table_of({name: [row[name] for row in told] for name in names})


_RUNS = {
    "run": "the run: what joins the tables",
    "sweep": "the sweep that asked for the run",
    "point": "the number of the point, from 0",
    "seed": "the seed",
    "status": "done, failed or missing",
    "error": "why a run failed",
    "details": "more about the failure",
    "scenario_hash": "the hash of the scenario",
    "version": "the version of the engine",
    "duration_s": "the simulated time",
}
"""The columns of the table of runs."""


def _show(answer: Table, most: int) -> None:
    if not answer.column_names:
        say("the answer has no columns")
        return
    shown = [[_told(cell) for cell in cells] for _, cells in zip(range(most), answer.cells(), strict=False)]
    print_table("", answer.column_names, shown)
    left = len(answer) - len(shown)
    more = f"; {left:,} more rows: --rows, --csv, --json or --out shows them" if left else ""
    say(_count(len(answer)) + more)


def _count(rows: int) -> str:
    return f"{rows:,} row{'s' * (rows != 1)}"


def _told(cell: Any) -> str:
    """A cell as a text: a number has at most ten digits."""
    if cell is None:
        return "-"
    return f"{cell:.10g}" if isinstance(cell, float) else str(cell)


def _plain(cell: Any) -> Any:
    """A cell as JSON has it."""
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None
    if isinstance(cell, decimal.Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, dict):
        return {str(name): _plain(value) for name, value in cell.items()}
    if isinstance(cell, (list, tuple)):
        return [_plain(value) for value in cell]
    if cell is None or isinstance(cell, (bool, int, str)):
        return cell
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    return str(cell)
