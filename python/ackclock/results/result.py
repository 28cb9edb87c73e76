"""Results of a run: tables, their provenance, and the JSON document of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, overload

from ackclock.base import extras
from ackclock.base.hooks import Hook
from ackclock.base.table import Table, stack
from ackclock.results.declared import ASKED, PROBES, SUMMARISED
from ackclock.results.tables import NamedTables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ackclock.plot import Plot

__all__ = ["Meta", "Replications", "Result"]

_figures: Hook[[Result], Plot] = Hook("result.figures")
_lab: Hook[..., str] = Hook("result.lab")
_widget: Hook[[Result], Any] = Hook("result.widget")
_result_html: Hook[[Result], str] = Hook("result.html")
_replications_html: Hook[[Replications], str] = Hook("replications.html")


class Meta(TypedDict):
    """Origin of the numbers of a run."""

    name: str
    scenario_hash: str
    """16 hexadecimal digits that name the scenario whatever its seed."""
    version: str
    engine: NotRequired[str]
    """The first 8 hexadecimal digits of the digest of the engine's code."""
    seed: int
    duration_s: float
    algorithms: NotRequired[dict[str, str]]
    """Congestion controls of the user that took part: name to a digest of the source, or of the library."""
    transports: NotRequired[dict[str, str]]
    """Transports besides TCP that took part: name to a version, or to the digest of the library."""
    revision: NotRequired[str | None]
    backend: NotRequired[str]
    """The kernel that the run was made with, such as linux:6.12.117; runs of the simulator have none of these."""
    kernel: NotRequired[dict[str, Any]]
    """Version, release, clock, tick, digest and settings of that kernel."""
    rtt_ms: NotRequired[float | None]
    """The smallest round-trip propagation delay of a flow."""
    lateness: NotRequired[dict[str, float | None]]
    """Lateness of the packets that left the emulated network: number of packets, quantiles and maximum."""
    share: NotRequired[float]
    """The share of rtt_ms up to which the 99th percentile of the lateness is accepted."""
    valid: NotRequired[bool]
    """Whether the lateness is accepted."""


def lateness_of(meta: Mapping[str, Any], run: str = "the run") -> str | None:
    """A sentence about a run in real time whose packets left too late; None if they did not."""
    if meta.get("valid", True):
        return None
    return (
        f"{run} is invalid: 1 % of the packets left more than {meta['lateness']['p99_ms']:.3g} ms late, above "
        f"{meta['share']:.3g} of the RTT, {meta['rtt_ms']:g} ms"
    )


class _Tables(NamedTables):
    """Named access to the tables of one run or several."""

    tables: Mapping[str, Table]

    def _table(self, name: str) -> Table:
        if name in self.tables:
            return self.tables[name]
        hint = f"; the scenario has to ask for it with {ASKED[name]}" if name in ASKED else ""
        raise KeyError(f"this run has no table {name!r}{hint}; there are {', '.join(sorted(self.tables))}")


class Result(_Tables):
    """One run of one scenario."""

    def __init__(self, meta: Meta, tables: Mapping[str, Table], written: Callable[[], str] | None = None) -> None:
        self.meta = meta
        """Origin of the numbers: name, scenario_hash, version, engine, seed, duration_s, own algorithms."""
        self.tables = tables
        """All tables by name."""
        self._written = written

    @property
    def seed(self) -> int:
        """The seed of this run."""
        return self.meta["seed"]

    @property
    def plot(self) -> Plot:
        """Figures in matplotlib: ``result.plot.window()``, ``.throughput()``, ``.queue()`` and others.

        Needs the extra ``plot``; without it, ExtraError says so.
        """
        extras.require("matplotlib", "figures")
        return _figures(self)

    def widget(self) -> Any:
        """The figures over time as a widget of a notebook, with the drawing code of reports: hover, zoom, save.

        A zoom fetches the stretch of time in full detail. Needs the extra ``notebook`` (anywidget).

        Raises
        ------
        ExtraError
            If anywidget is not installed.
        ValueError
            If nothing of the run was recorded over time.
        """
        return _widget(self)

    def open_in_lab(self, *, browser: bool = True) -> str:
        """Opens the scenario and the seed of this run in the laboratory, the page that runs the engine in a browser.

        The page is served by this process, on this machine alone, until the process ends.

        Parameters
        ----------
        browser
            Whether a browser is opened; otherwise only the address is returned.

        Returns
        -------
        str
            The address of the page with this experiment.

        Raises
        ------
        ValueError
            If the result does not have its scenario, which only results of `ackclock.run` have.
        LabError
            If this installation lacks a file of the laboratory, or if the scenario is too long for an address.
        """
        if self._written is None:
            raise ValueError(
                "this result does not have its scenario: it is from a store or a kernel. Run the scenario with "
                "ackclock.run, or paste it into the page of `ackclock lab`"
            )
        return _lab(self._written(), self.seed, browser=browser)

    def dash_quality(self) -> dict[str, float]:
        """The quality of all DASH clients together: their number, means over them, and how fair the shares are.

        ``jain_level`` and ``jain_download`` are Jain's index of the mean levels and download rates, 1 where all are
        equal. A client without a segment counts as one with none of the rate.
        """
        import numpy as np

        from ackclock import stats

        clients = self.dash
        level, download = (np.nan_to_num(clients[name]) for name in ("mean_level_bps", "mean_download_bps"))
        means = {name: float(np.mean(clients[name])) for name in ("switches", "stalls", "stall_s")}
        return {
            "clients": len(clients),
            "mean_level_bps": float(level.mean()),
            **means,
            "jain_level": stats.jain(level),
            "jain_download": stats.jain(download),
        }

    def document(self) -> dict[str, Any]:
        """The JSON document of ``ackclock run --json``; traces of the probes are not in it."""
        document: dict[str, Any] = dict(self.meta)
        document["flows"] = [_named(row, "flow") for row in self.tables["flows"].rows()]
        document["links"] = [_link(row) for row in self.tables["links"].rows()]
        document["transfers"] = list(self.tables["transfers"].rows()) if "transfers" in self.tables else []
        for name, table in self.tables.items():
            if name not in document and name not in PROBES:
                document[name] = list(table.rows())
        if "dash" in self.tables:
            document["dash_quality"] = self.dash_quality()
        return document

    def write(self, folder: Path) -> None:
        """Writes the document as ``summary.json`` and every table as CSV into an existing folder."""
        from ackclock.base import files

        files.write_json(folder / "summary.json", self.document())
        for name, table in self.tables.items():
            files.write_csv(folder / f"{name}.csv", table)

    def _repr_html_(self) -> str:
        return _result_html(self)

    def __repr__(self) -> str:
        tables = ", ".join(f"{name} ({len(table)})" for name, table in self.tables.items())
        return f"<ackclock.Result of {self.meta['name']!r}, seed {self.seed}: {tables}>"


class Replications(_Tables, Sequence[Result]):
    """Runs of one scenario that differ in nothing but the seed, in the order of their seeds.

    A sequence of `Result`. Its tables are those of the runs one below the other, with a column ``seed`` in front.
    """

    def __init__(self, runs: Sequence[Result]) -> None:
        if not runs:
            raise ValueError("replications need at least one run")
        backends = sorted({run.meta.get("backend", "sim") for run in runs})
        if len(backends) > 1:
            raise ValueError(f"runs of different backends are no replications: {', '.join(backends)}")
        self.runs = list(runs)
        self.tables = {
            name: stack(
                [run.tables[name] for run in self.runs if name in run.tables],
                "seed",
                [run.seed for run in self.runs if name in run.tables],
            )
            for name in dict.fromkeys(name for run in self.runs for name in run.tables)
        }

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        return self.runs[index]

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def seeds(self) -> list[int]:
        """The seeds, in order."""
        return [run.seed for run in self.runs]

    def summary(self, level: float = 0.95) -> dict[str, list[dict[str, Any]]]:
        """Means over the replications with Student t intervals, for the tables of one row a component.

        Only numbers that every replication has are in it.
        """
        from ackclock.stats import Estimate

        return {
            name: [
                {column: one.document() if isinstance(one, Estimate) else one for column, one in row.items()}
                for row in rows
            ]
            for name, rows in self.estimates(level).items()
        }

    def estimates(self, level: float = 0.95) -> dict[str, list[dict[str, Any]]]:
        """The same as `Estimate` objects, beside the name of each row."""
        return {
            name: _summary(name, self.tables[name], keys, len(self), level)
            for name, keys in SUMMARISED.items()
            if name in self.tables
        }

    def document(self) -> dict[str, Any]:
        """The JSON document of ``ackclock run --seeds N --json``."""
        meta = self.runs[0].meta
        own = {"algorithms": meta["algorithms"]} if "algorithms" in meta else {}
        return {
            "name": meta["name"],
            "scenario_hash": meta["scenario_hash"],
            **own,
            "version": meta["version"],
            **({"engine": meta["engine"]} if "engine" in meta else {}),
            **({"backend": meta["backend"], "kernel": meta["kernel"]} if "backend" in meta else {}),
            "seeds": self.seeds,
            "duration_s": meta["duration_s"],
            "runs": [run.document() for run in self.runs],
            "summary": self.summary(),
        }

    def write(self, folder: Path) -> None:
        """Writes the document as ``summary.json`` and every stacked table as CSV into an existing folder."""
        from ackclock.base import files

        files.write_json(folder / "summary.json", self.document())
        for name, table in self.tables.items():
            files.write_csv(folder / f"{name}.csv", table)

    def _repr_html_(self) -> str:
        return _replications_html(self)

    def __repr__(self) -> str:
        return f"<ackclock.Replications of {self.runs[0].meta['name']!r}, {len(self)} seeds>"


def _named(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {"name": row[key]} | {column: cell for column, cell in row.items() if column != key}


def _link(row: dict[str, Any]) -> dict[str, Any]:
    """A row of `links` with its queueing delays gathered under ``queue_delay_ms``."""
    prefix, suffix = "queue_delay_", "_ms"
    delays = {column: cell for column, cell in row.items() if column.startswith(prefix)}
    rest = {column: cell for column, cell in row.items() if column not in delays}
    nested = {column.removeprefix(prefix).removesuffix(suffix): cell for column, cell in delays.items()}
    return _named(rest, "link") | {"queue_delay_ms": nested}


def _summary(about: str, table: Table, keys: tuple[str, ...], replications: int, level: float) -> list[dict[str, Any]]:
    import numpy as np

    from ackclock import stats
    from ackclock.results.measure import Measure

    names = np.array([" ".join(parts) for parts in zip(*(table[key] for key in keys), strict=True)])
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys(names.tolist()):
        row: dict[str, Any] = {"name": name}
        mine = names == name
        for column in table.column_names:
            cells = table[column][mine]
            if column not in ("seed", *keys) and cells.dtype.kind in "if" and len(cells) == replications:
                numbers = cells.astype(np.float64)
                if np.isfinite(numbers).all():
                    bounds = Measure("mean", about, column).bounds
                    row[column] = stats.mean(numbers, level=level).within(*bounds)
        rows.append(row)
    return rows
