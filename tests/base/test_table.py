"""Tables open in numpy, pandas, polars and pyarrow, and mean the same there."""

import pickle

import numpy as np
import pytest

from ackclock.base.table import stack
from tests.helpers.tables import make_table

TABLE = make_table(n=[1, 2, 3], x=[0.5, None, 1.5], name=["a", None, "c"], yes=[True, False, None], m=[4, None, 6])


def test_numpy_columns():
    assert TABLE["n"].dtype == np.int64
    assert TABLE["n"].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(TABLE["x"], [0.5, np.nan, 1.5])
    np.testing.assert_array_equal(TABLE["m"], [4, np.nan, 6])
    assert TABLE["name"].tolist() == ["a", None, "c"]
    assert TABLE["yes"].tolist() == [True, False, None]


def test_an_unknown_column_names_the_columns():
    with pytest.raises(KeyError, match="n, x, name, yes, m"):
        TABLE["nope"]
    assert "nope" not in TABLE
    assert "n" in TABLE


def test_rows():
    rows = list(TABLE.rows())
    assert len(rows) == len(TABLE) == 3
    assert rows[1] == {"n": 2, "x": None, "name": None, "yes": False, "m": None}


def test_pandas_polars_and_arrow_agree():
    polars, arrow, pandas = TABLE.to_polars(), TABLE.to_arrow(), TABLE.to_pandas()
    assert polars.columns == arrow.column_names == list(pandas.columns) == TABLE.column_names
    assert polars.rows() == [tuple(row.values()) for row in TABLE.rows()]
    assert arrow.to_pylist() == list(TABLE.rows())
    assert pandas["n"].tolist() == [1, 2, 3]
    assert pandas["x"].isna().tolist() == [False, True, False]


def test_arrow_is_not_copied():
    import pyarrow as pa

    first, second = pa.table(TABLE), pa.table(TABLE)
    address = first["n"].chunk(0).buffers()[1].address
    assert address == second["n"].chunk(0).buffers()[1].address


def test_stacking_adds_where_a_row_is_from():
    stacked = stack([TABLE, TABLE], "seed", [7, 9])
    assert stacked.column_names[0] == "seed"
    assert stacked["seed"].tolist() == [7, 7, 7, 9, 9, 9]
    assert stacked["n"].tolist() == [1, 2, 3, 1, 2, 3]


def test_pickled_tables_are_equal():
    nothing = make_table(x=[None, None], name=["a", "b"])
    for table in (TABLE, nothing, make_table(n=[], name=[])):
        copy = pickle.loads(pickle.dumps(table))
        assert copy.equals(table)
        assert list(copy.rows()) == list(table.rows())


def test_equality():
    assert TABLE.equals(
        make_table(n=[1, 2, 3], x=[0.5, None, 1.5], name=["a", None, "c"], yes=[True, False, None], m=[4, None, 6])
    )
    assert not make_table(n=[1]).equals(make_table(n=[2]))
    # In how many pieces a table lies in memory is nobody's business.
    assert stack([make_table(n=[1]), make_table(n=[1])], "seed", [7, 7]).equals(
        stack([make_table(n=[1, 1])], "seed", [7])
    )


def test_notebooks_show_the_first_rows():
    html = make_table(n=list(range(30)))._repr_html_()
    assert html.count("<tr>") == 21
    assert "30 rows" in html


def test_a_printed_table_has_names_units_cells_and_its_shape():
    table = make_table(flow=["a", None], goodput_bps=[1.5e6, None], cwnd=[14480, 28960])
    assert str(table).splitlines() == [
        "flow  goodput_bps   cwnd",
        "            bit/s  bytes",
        "a         1500000  14480",
        "-               -  28960",
        "[2 rows, 3 columns]",
    ]
    assert repr(table) == str(table)


def test_a_printed_table_is_short_whatever_the_table_has():
    long = make_table(n=list(range(100_000)), text=["x" * 1000] * 100_000)
    lines = str(long).splitlines()
    assert len(lines) == 12
    assert lines[-1] == "[100,000 rows, 2 columns; the first 10 rows are shown]"
    assert max(map(len, lines)) < 60
    wide = make_table(**{f"column{number}": [number] for number in range(100)})
    assert all(len(line) <= 100 for line in str(wide).splitlines())
    assert [word for line in str(wide).splitlines() for word in line.split() if word.startswith("column")] == [
        *wide.column_names,
        "columns]",
    ]


def test_tables_without_rows_or_columns_print():
    assert str(make_table(n=[1]).where(np.array([False]))) == "n\n[0 rows, 1 column]"
    assert str(make_table()) == "0 rows, no columns"


def test_text_of_others_moves_no_cursor():
    assert "\x1b" not in str(make_table(name=["a\x1b[2Jb\nc"]))
    assert "\\x1b[2Jb\\nc" in str(make_table(name=["a\x1b[2Jb\nc"]))
