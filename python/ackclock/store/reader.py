"""Reading a store: SQL over its Parquet files, in place, as they were when it was opened."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb
from arro3.core import Array, ChunkedArray, DataType, Field
from arro3.core import Table as ArrowTable

from ackclock.base import reading
from ackclock.base.documents import parse_object
from ackclock.base.table import Table
from ackclock.results.result import Meta, Result
from ackclock.store.asked import Sweep, chosen, read_sweep, uncovered
from ackclock.store.bulk import by_run, check_columns, make_runs, pending_runs
from ackclock.store.database import ask, explained, literal, without_bar
from ackclock.store.layout import Layout, StoreError, listed
from ackclock.store.parts import Part, damage, read_part, stacked
from ackclock.store.sound import check_account

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ackclock.results.measure import Measure
    from ackclock.stats import Method
    from ackclock.store.contrasts import Contrast
    from ackclock.store.estimates import Paired, PointEstimate, Values
    from ackclock.store.populations import PopulationEstimate

__all__ = ["Store", "open_store"]


def open_store(
    path: str | os.PathLike[str],
    *,
    sweep: str | None = None,
    version: str | None = None,
    mixed: bool = False,
    covered: bool = False,
) -> Store:
    """Opens a store to read it, also while a sweep writes to it: it shows what had finished by then.

    Parameters
    ----------
    path
        The folder.
    sweep
        Show one sweep alone: the beginning of its id, or its name; of several of that name, those of which the
        last has every run are left out, as when a sweep was repeated with more seeds. The same holds for all sweeps
        of the store, which are shown without `sweep`.
    version
        Show what one version of the engine gave: ``"0.1.0"``, or a build as ``"0.1.0+1a2b3c4d"``.
    covered
        Show those sweeps, too, of which the last one has every run.
    mixed
        Show the results of several versions of the engine side by side; the column ``version`` tells them apart.

    Raises
    ------
    StoreError
        If it is none, of a later format or damaged, if no sweep is the one asked for, or if it has results of several
        versions of the engine and neither `version` nor `mixed` is given.
    """
    return Store(Path(path), sweep=sweep, version=version, mixed=mixed, covered=covered)


class Store:
    """Results on disk. Tables have a column ``run``; the table ``runs`` says what each run is.

    >>> with ackclock.open("out/") as store:
    ...     store.sql('SELECT "flows[0].cc", avg(goodput_bps) FROM flows JOIN runs USING (run) GROUP BY ALL')
    """

    def __init__(
        self,
        path: Path,
        *,
        sweep: str | None = None,
        version: str | None = None,
        mixed: bool = False,
        covered: bool = False,
    ) -> None:
        self.path = path
        """The folder."""
        self._layout = Layout(path)
        self._choice = {"sweep": sweep, "version": version, "mixed": mixed, "covered": covered}
        sweeps = chosen([read_sweep(self._layout, one) for one in self._layout.sweep_ids()], sweep, version, path)
        if not covered:
            sweeps = uncovered(sweeps)
        builds: Counter[str] = Counter()
        for one in sweeps:
            builds[one.version] += len(one.runs)
        if len(builds) > 1 and not mixed:
            told = ", ".join(f"{build} ({count} runs)" for build, count in builds.items())
            raise StoreError(
                f"{path}: results of several versions of the engine: {told}; "
                "choose one with version=, or take them all with mixed=True"
            )
        self.sweeps: Sequence[Sweep] = sweeps
        """The requested sweeps, in the order of the requests."""
        self.removal: Callable[[], object] | None = None
        """Removes the folder, where it is to go with this object."""
        self._database: duckdb.DuckDBPyConnection | None = None
        self.refresh()

    def refresh(self) -> None:
        """Shows what has finished since."""
        self._disconnect()
        # Pending runs first: one that becomes part of a part in between is found there.
        pending = dict(pending_runs(self._layout))
        self._parts: list[Part] = [read_part(path) for path in listed(self._layout.parts)]
        for part in self._parts if pending else ():
            for run in part.runs:
                pending.pop(run, None)
        self._pending = pending
        self._views: set[str] = set()
        self._sound: set[tuple[Path, str]] = set()
        """Parts and tables whose bytes were seen to be those that were written."""
        found = {name for part in self._parts for name in part.tables}
        found |= {name for packed in self._pending.values() for name in packed.tables}
        self.tables: list[str] = sorted(found | {"runs"})
        """The names of the tables; ``runs`` is one of them."""
        self._database = duckdb.connect()
        ask(self.path, self._database, without_bar)
        self._make_runs()

    def close(self) -> None:
        """Lets go of the files. The store stays as it is, unless it was made without a folder of its own."""
        self._disconnect()
        if self.removal is not None:
            self.removal()

    def _disconnect(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        runs = f"{self.finished} of {self._count('TRUE')} runs"
        return f"<ackclock.Store {self.path}: {runs}, {', '.join(self.tables)}>"

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> Table:
        """The answer to a query in DuckDB's SQL over the tables of the store.

        Columns of `runs` named after a path of the scenario need double quotes: ``"flows[0].cc"``.

        Raises
        ------
        StoreError
            If the query is wrong, or a file that it needs is damaged.
        """
        connection = self._connection()
        if query.strip().rstrip(";").lower() == "show tables":
            # DuckDB would name the views behind the tables, too.
            query, parameters = "SELECT unnest(?) AS name", [self.tables]
        for name in self.tables:
            if name.lower() in query.lower():
                self._make_view(name)

        def rows(connection: duckdb.DuckDBPyConnection) -> ArrowTable:
            kinds = [one.type for one in connection.extract_statements(query)]
            if kinds not in ([duckdb.StatementType.SELECT], [duckdb.StatementType.EXPLAIN]):
                raise StoreError("a store is read with one query that gives rows: SELECT, or what is short for one")
            found = connection.sql(query, params=list(parameters or []))
            for column, kind in zip(found.columns, found.types, strict=True):
                if "INTERVAL" in str(kind):
                    raise StoreError(
                        f"{self.path}: column {column}: a table has no intervals; epoch(...) gives seconds"
                    )
            return ArrowTable.from_arrow(found)

        try:
            return Table(ask(self.path, connection, rows))
        except StoreError as error:
            raise StoreError(f"{error}{explained(str(error), self.tables)}") from None

    def table(self, name: str) -> Table:
        """A whole table, in the order of the sweep; see `sql` for a part of it.

        Raises
        ------
        KeyError
            If there is none of that name.
        """
        if name not in self.tables:
            raise KeyError(f"no table {name!r}; there are {', '.join(self.tables)}")
        if name == "runs":
            return self.sql("SELECT * EXCLUDE (place) FROM runs ORDER BY place")
        places = "(SELECT run, min(place) AS place FROM runs GROUP BY run)"
        numbered = f'"_numbered_{name}" AS t'
        return self.sql(f"SELECT t.* EXCLUDE (_row) FROM {numbered} JOIN {places} USING (run) ORDER BY place, _row")  # noqa: S608

    @property
    def runs(self) -> Table:
        """One row a run: key, sweep, point, seed, what was varied, status (done, failed, missing), error, version."""
        return self.table("runs")

    @property
    def finished(self) -> int:
        """The number of runs that have ended, well or not."""
        return self._count("status <> 'missing'")

    @property
    def failed(self) -> int:
        """The number of runs that ended with an error."""
        return self._count("status = 'failed'")

    @property
    def missing(self) -> int:
        """The number of runs that were asked for and have not ended."""
        return self._count("status = 'missing'")

    @property
    def complete(self) -> bool:
        """Whether every run that was asked for has ended."""
        return self.missing == 0

    @property
    def failures(self) -> Table:
        """The runs that ended with an error."""
        return self.sql("SELECT * EXCLUDE (place) FROM runs WHERE status = 'failed' ORDER BY place")

    def result(self, run: str, tables: Sequence[str] | None = None) -> Result:
        """One run as `ackclock.run` would give it back, for its tables and figures.

        Parameters
        ----------
        run
            Its key, as in the table of runs.
        tables
            Read these alone, as far as the run has them.

        Raises
        ------
        KeyError
            If there is no such run, or it has not finished well.
        """
        row = next(iter(self.sql("SELECT * FROM runs WHERE run = ? LIMIT 1", [run]).rows()), None)
        if row is None or row["status"] != "done":
            raise KeyError(f"no finished run {run!r}" if row is None else f"run {run} is {row['status']}")
        wanted = [name for name in self.tables if name != "runs" and (tables is None or name in tables)]
        return self._result(row, {name: self._rows_of(name, run) for name in wanted})

    def results(self) -> Iterator[tuple[str, Result]]:
        """Every run that has finished well, by its key, part by part: each as `result` gives it, in less time.

        Raises
        ------
        StoreError
            If a file is damaged.
        """
        given: set[str] = set()
        for runs, tables in self._by_part():
            wanted = [run for run in runs if run not in given]
            query = "SELECT * FROM runs WHERE status = 'done' AND run IN (SELECT unnest(?)) ORDER BY place DESC"
            rows = {str(row["run"]): row for row in self.sql(query, [wanted]).rows()}
            for run, row in rows.items():
                yield run, self._result(row, {name: of[run] for name, of in tables.items() if run in of})
            given.update(rows)
        for row in self.sql("SELECT run FROM runs WHERE status = 'done'").rows():
            if row["run"] not in given:
                raise self._unnamed(row["run"])

    def _by_part(self) -> Iterator[tuple[Sequence[str], Mapping[str, Mapping[str, Table]]]]:
        """The runs of each part and of each pending run, with the rows of each in every table."""
        for part in self._parts:
            names = sorted(name for name in part.tables if name != "runs")
            yield part.runs, {name: by_run(self._in_order(part, name)) for name in names}
        for run, packed in self._pending.items():
            yield [run], {name: {run: Table(table)} for name, table in sorted(packed.tables.items())}

    def _result(self, row: Mapping[str, Any], tables: Mapping[str, Table]) -> Result:
        """A run with its row of the table of runs; without the tables in which it has no row."""
        sweep = next(one for one in self.sweeps if one.id == row["sweep"])
        meta = Meta(
            name=sweep.name,
            scenario_hash=row["scenario_hash"],
            version=row["version"].partition("+")[0],
            engine=row["version"].partition("+")[2],
            seed=row["seed"],
            duration_s=row["duration_s"],
        )
        backend = sweep.document["points"][row["point"]].get("backend")
        if backend is not None:
            meta["backend"] = str(backend)
        return Result(meta, {name: table for name, table in tables.items() if len(table)})

    def _rows_of(self, name: str, run: str) -> Table:
        """The rows of one run in a table, in the order in which the run wrote them."""
        if run in self._pending:
            table = self._pending[run].tables.get(name)
            return Table(ArrowTable.from_pydict({}) if table is None else table)
        part = next((part for part in self._parts if run in part.runs), None)
        if part is None:
            raise self._unnamed(run)
        if name not in part.tables:
            return Table(ArrowTable.from_pydict({}))
        rows = self._in_order(part, name, "WHERE run = ?", [run])
        # A table in which no run of the part has a row has no other column.
        return Table(rows.select([column for column in rows.column_names if column != "run"]))

    def _unnamed(self, run: str) -> StoreError:
        return StoreError(f"{self.path}: damaged: a table of runs has run {run}, which its part does not name")

    def _in_order(self, part: Part, name: str, which: str = "", parameters: Sequence[object] = ()) -> ArrowTable:
        """Rows of a table of a part, in the order in which the runs wrote them."""
        self._see(part, name)
        source = f"read_parquet({literal(str(part.table(name)))})"
        check_columns(self.path, self._connection(), name, f"FROM {source} LIMIT 0")
        # A join with the table of runs, as the views have, does not keep the order of rows.
        query = (
            f"SELECT * EXCLUDE (file_row_number) FROM read_parquet({literal(str(part.table(name)))}, "  # noqa: S608
            f"file_row_number = true) {which} ORDER BY file_row_number"
        )
        return ask(
            f"{self.path}: table {name}",
            self._connection(),
            lambda connection: ArrowTable.from_arrow(connection.sql(query, params=list(parameters))),
        )

    def values(self, measure: str | Measure) -> list[Values]:
        """A measure at every point of the sweep, one number a run, in the order of the seeds.

        Parameters
        ----------
        measure
            As ``flows.goodput_bps``, ``p95(flows[video].srtt_ms)``; see `ackclock.Measure`.

        Raises
        ------
        MeasureError
            If it cannot be read, or the store has no such table or column.
        StoreError
            If the store shows several sweeps: their points are not the same.
        """
        from ackclock.store.estimates import values_of

        return values_of(self, measure)

    def estimates(self, measure: str | Measure, *, level: float = 0.95, method: Method = "t") -> list[PointEstimate]:
        """The mean of a measure at every point of the sweep, with its interval over the seeds; raises as `values`."""
        from ackclock.store.estimates import estimate_points

        return estimate_points(self, measure, level=level, method=method)

    def compare(
        self, name: str, treated: object, control: object, measure: str | Measure, *, level: float = 0.95
    ) -> list[Paired]:
        """One setting against another over the seeds that both have, at every setting of all else that was varied.

        >>> store.compare("flows[0].validation", "newcwv", "none", "flows.goodput_bps")

        Parameters
        ----------
        name
            What was varied: a path, or the name of a dict of settings.
        treated, control
            Two of its values.
        measure
            As for `values`, which says what is raised.
        level
            Confidence of the intervals.
        """
        from ackclock.store.estimates import compare_points

        return compare_points(self, name, treated, control, measure, level=level)

    def population(
        self, measure: str | Measure, *, by: Sequence[str] = (), level: float = 0.95
    ) -> list[PopulationEstimate]:
        """The mean of a measure over a population: the mean over the points, weighted by their weights.

        There is one for each setting of the names over which the weights are not, and of the names in `by`. Within it,
        the weights are divided by their sum. See `ackclock.stats.population_mean` for the interval.

        Raises
        ------
        MeasureError
            As `values`.
        StoreError
            If the points of the sweep have no weights, or the store shows several sweeps.
        """
        from ackclock.store.populations import estimate_population

        return estimate_population(self, measure, by=by, level=level)

    def contrasts(
        self, name: str, control: object, measures: Sequence[str | Measure], *, level: float = 0.95
    ) -> list[Contrast]:
        """Every other value of `name` against `control`, paired by seed, with Holm's correction over all of them.

        Parameters
        ----------
        name
            What was varied: a path, or the name of a dict of settings.
        control
            The value with which the others are compared.
        measures
            As for `values`, which says what is raised.
        level
            Confidence of the intervals, each by itself; one minus the level is the error rate of Holm's procedure.

        Returns
        -------
        list of Contrast
            By measure and value at every setting of all else that was varied, and over the population if the points
            have weights. A warning says why there is no difference over the population, such as a point without runs.

        Raises
        ------
        ValueError
            If `name` is not varied, or never has the value `control`.
        """
        from ackclock.store.contrasts import contrasts_of

        return contrasts_of(self, name, control, measures, level=level)

    def provenance(self) -> list[dict[str, Any]]:
        """Every start of a sweep: command, versions, host, git revision, times, and how many runs it finished."""
        accounts = []
        found = [path for path in listed(self._layout.provenance) if path.suffix == ".json"]
        for path in sorted(found, key=lambda path: (len(path.stem), path.stem)):
            try:
                account = parse_object(reading.contents(path))
                check_account(account)
                accounts.append(account)
            except OSError as error:
                raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
            except ValueError:
                raise StoreError(f"{path}: damaged; no result hangs on it: move it out of the store") from None
        return accounts

    def _count(self, condition: str) -> int:
        query = f"SELECT count(*) FROM runs WHERE {condition}"  # noqa: S608
        counted = ask(self.path, self._connection(), lambda connection: connection.execute(query).fetchall())
        return int(counted[0][0])

    def _connection(self) -> duckdb.DuckDBPyConnection:
        if self._database is None:
            raise StoreError(f"{self.path}: the store was closed")
        return self._database

    def _make_view(self, name: str) -> None:
        if name in self._views or name == "runs":
            return
        connection = self._connection()
        self._verify(name)
        sources = []
        files = [str(part.table(name)) for part in self._parts if name in part.tables]
        if files:
            listed = ", ".join(literal(file) for file in files)
            options = "union_by_name = true, file_row_number = true"
            sources.append(f"SELECT * RENAME (file_row_number AS _row) FROM read_parquet([{listed}], {options})")  # noqa: S608
        pending = [(run, one.tables[name]) for run, one in self._pending.items() if name in one.tables]
        if pending:
            table = stacked(pending)
            rows = ChunkedArray([Array(list(range(table.num_rows)), type=DataType.int64())])
            numbered = table.append_column(Field("_row", DataType.int64()), rows)
            connection.register(f"_pending_{name}", numbered)
            sources.append(f'SELECT * FROM "_pending_{name}"')  # noqa: S608
        union = " UNION ALL BY NAME ".join(sources)
        check_columns(self.path, connection, name, f"FROM ({union}) LIMIT 0")
        # A query keeps no order of rows, so that each has its number: `table` asks for it.
        whole = f"SELECT * FROM ({union}) WHERE run IN (SELECT run FROM runs)"  # noqa: S608
        in_order = f'CREATE OR REPLACE VIEW "_numbered_{name}" AS {whole}'
        plain = f'CREATE OR REPLACE VIEW "{name}" AS SELECT * EXCLUDE (_row) FROM "_numbered_{name}"'  # noqa: S608
        # An interrupt may come between the two, which are then made again.
        ask(f"{self.path}: table {name}", connection, lambda database: database.execute(f"{in_order}; {plain}"))
        self._views.add(name)

    def _verify(self, name: str) -> None:
        """Sees that the bytes of a table are those that were written: a flipped bit may give other numbers."""
        for part in self._parts:
            self._see(part, name)

    def _see(self, part: Part, name: str) -> None:
        """The same for a table of one part, once until the next `refresh`: a part of many runs is asked for each."""
        if (part.path, name) not in self._sound:
            wrong = damage(part, [name])
            if wrong is not None:
                raise StoreError(wrong)
            self._sound.add((part.path, name))

    def _make_runs(self) -> None:
        """The table of runs: what was asked for, and what came of it."""
        self._verify("runs")
        make_runs(self.path, self._connection(), self.sweeps, self._parts, list(self._pending.values()))
